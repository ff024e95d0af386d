"""The process that measures verified products beside bare ones.

`python -m core.lab.measure.cost_process` with `--list`, or with `--device <id> --seconds S`.

It needs PyTorch and NumPy, nothing else. One JSON object a line goes out, and it ends when standard input closes:
    cards          cards (id, name, capability, memory_mb, multiprocessors of each), torch, cuda, problem (or null)
    copy           gbps, buffer_bytes, peak_gbps (by clock and width, or null)
    turn           format, size, check_every, and the fields of core.lab.measure.verification_cost.ProductTurn
    not_available  format, reason
    failed         format (or "copy"), reason, blame, sticky
    finished
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.loads.blame import cause_of
from core.loads.worker import environment
from core.platform.protocol import Channel, open_channel

if TYPE_CHECKING:
    import torch

    from core.loads.products.formats import Format


COPY_SHARE = 0.06
LONGEST_COPY_S = 4.0
CHECK_EVERY = 8


def main(arguments: Sequence[str] | None = None) -> None:
    """Does what is asked for, and reports."""
    options = _parser().parse_args(arguments)
    channel = open_channel()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides how a measurement ends
    if options.list:
        channel.send("cards", **visible_cards())
        return
    os.environ.update(environment(options.device, "cpu" if options.device == "cpu" else "gpu"))
    try:
        _measure(options, channel)
    except ImportError as error:
        channel.send("failed", format="", reason=f"{error}.", blame="environment", sticky=True)
    channel.send("finished")


def visible_cards() -> dict[str, Any]:
    """What torch can use, in CUDA's order and within CUDA_VISIBLE_DEVICES; `problem` says why there is nothing."""
    seen: dict[str, Any] = {"cards": [], "torch": None, "cuda": None, "problem": None}
    try:
        import torch
    except ImportError as error:
        return seen | {"problem": f"PyTorch cannot be imported: {error}."}
    seen |= {"torch": torch.__version__, "cuda": torch.version.cuda}
    if not torch.backends.cuda.is_built():  # type: ignore[no-untyped-call]
        return seen | {"problem": f"this PyTorch ({torch.__version__}) was built without CUDA"}
    if not torch.cuda.is_available():
        return seen | {
            "problem": "PyTorch sees no NVIDIA GPU: see nvidia-smi, and CUDA_VISIBLE_DEVICES where it is set"
        }
    try:
        chosen = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        seen["cards"] = [
            _described(torch.cuda.get_device_properties(place), chosen[place].strip() if place < len(chosen) else "")
            for place in range(torch.cuda.device_count())
        ]
    except RuntimeError as error:
        return seen | {"problem": cause_of(error).sentence}
    return seen


def _described(properties: Any, chosen: str) -> dict[str, Any]:
    """A share of a card (MIG) is known by the id that it was chosen by, since torch may tell that of the whole card."""
    uuid = str(getattr(properties, "uuid", ""))
    whole = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    return {
        "id": chosen if chosen.startswith("MIG-") else whole,
        "name": properties.name,
        "capability": f"{properties.major}.{properties.minor}",
        "memory_mb": properties.total_memory // 2**20,
        "multiprocessors": properties.multi_processor_count,
    }


def _measure(options: argparse.Namespace, channel: Channel) -> None:
    import torch

    from core.loads.products.availability import split_by_availability
    from core.loads.products.formats import chosen_formats

    device = torch.device("cpu") if options.device == "cpu" else torch.device("cuda", 0)
    formats, skipped = split_by_availability(chosen_formats(options.formats), device)
    for name, reason in skipped.items():
        channel.send("not_available", format=name, reason=reason)
    copy_s = min(COPY_SHARE * options.seconds, LONGEST_COPY_S) if options.copy else 0.0
    if copy_s and not _copied(device, copy_s, channel):
        return
    for format_ in formats:
        seconds = (options.seconds - copy_s) / len(formats)
        if not _taken_in_turns(format_, device, seconds, size=options.size, channel=channel):
            return


def _copied(device: torch.device, seconds: float, channel: Channel) -> bool:
    """Whether the device can go on."""
    from core.lab.measure.verification_cost import copy_gbps
    from core.loads.device import cache_bytes, peak_gbps

    try:
        gbps, size = copy_gbps(device, seconds, cache_bytes=cache_bytes(device))
    except (RuntimeError, MemoryError) as error:
        return _report_failure("copy", error, channel)
    channel.send("copy", gbps=gbps, buffer_bytes=size, peak_gbps=peak_gbps(device))
    return True


def _taken_in_turns(kind: Format, device: torch.device, seconds: float, *, size: int | None, channel: Channel) -> bool:
    """Whether the device can go on."""
    from core.lab.measure.verification_cost import VerificationCost
    from core.loads.products.availability import refusal

    try:
        if (reason := refusal(kind, device)) is not None:
            channel.send("not_available", format=kind.name, reason=reason)
            return True
        pair = VerificationCost(kind, device, size=size, check_every=CHECK_EVERY)
        if pair.problem is not None:
            channel.send("failed", format=kind.name, reason=pair.problem, blame="device", sticky=False)
            return True
        for turn in pair.turns(seconds):
            channel.send("turn", format=kind.name, size=pair.size, check_every=pair.check_every, **asdict(turn))
    except (RuntimeError, MemoryError) as error:
        return _report_failure(kind.name, error, channel)
    return True


def _report_failure(what: str, error: Exception, channel: Channel) -> bool:
    cause = cause_of(error)
    channel.send("failed", format=what, reason=cause.sentence, blame=cause.blame.value, sticky=cause.sticky)
    return not cause.sticky


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="core.lab.measure.cost_process", description="Verified products beside bare ones."
    )
    parser.add_argument("--list", action="store_true", help="tell which cards torch sees, and end")
    parser.add_argument("--device", default="cpu", help='UUID of a GPU, or "cpu"')
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--formats", default="", help="names with commas; all without it")
    parser.add_argument("--size", type=int, help="of the matrices; what the burn-in uses without it")
    parser.add_argument("--copy", action="store_true", help="measure copying within the memory first")
    return parser


if __name__ == "__main__":
    main()
