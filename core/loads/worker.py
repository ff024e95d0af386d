"""The process that burns one device: `python -m core.loads.worker --device <id> --kind gpu|cpu`.

One JSON object a line, see core.platform.protocol. Nothing that may print is imported before standard output is taken
for reports, and the environment is set before torch is imported: the CUDA runtime reads it once.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from core.loads.dead_man import DeadMan
from core.loads.load import Bench, Ending, LoadStatus, RankGroup, unusable
from core.loads.loop import Loop, Totals
from core.platform.errors import BadInput, RigwrightError
from core.platform.libraries import as_told
from core.platform.protocol import Channel, Message, open_channel
from core.words import tr

NICENESS = 10
"""A CPU load gives way to the desktop."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Opens the device, says `ready`, then serves until standard input closes."""
    channel = open_channel()
    # Ctrl-C in a terminal reaches the whole group of processes; the runner alone decides how a run ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bench = _open_bench(_parser().parse_args(arguments))
    channel.send("ready", name=bench.name, backend=bench.backend, detail=bench.detail)
    channel.send("libraries", **as_told())
    serve(bench, channel)


def serve(bench: Bench, channel: Channel) -> None:
    """Answers each `start` with one `done`. Ends only with the process: the channel sees standard input close."""
    totals = Totals()
    while True:
        message = channel.receive(timeout_s=None)
        if message is not None and message["type"] == "start":
            ending = _answer(bench, message, channel=channel, totals=totals)
            outcome = {"status": ending.status.value, "reason": ending.reason, "evidence": ending.evidence.as_dict()}
            channel.send("done", **outcome, spent=ending.spent, stop=ending.stop)


def environment(device_id: str, kind: str) -> dict[str, str]:
    """Variables that must be set before torch is imported.

    A GPU is chosen by UUID, since CUDA's order is not NVML's. The cuBLAS workspace makes repeated products bit-exact
    (cuBLAS guide, "Results reproducibility"); a fixed number of threads does the same for MKL. Threads that wait for
    each other sleep instead of spinning: three spinning loads on two cores ran twenty times slower than sleeping ones.
    """
    chosen = {"MKL_DYNAMIC": "FALSE", "OMP_DYNAMIC": "FALSE", "OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}
    if kind == "cpu":
        return {**chosen, "CUDA_VISIBLE_DEVICES": ""}
    chosen["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    chosen["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    if sys.platform == "linux":
        # They ask NVML about the whole card, which a MIG share may not: torch ends with an internal error then.
        expandable = not device_id.startswith("MIG-")
        chosen["PYTORCH_CUDA_ALLOC_CONF"] = f"expandable_segments:{expandable}"
    if device_id.startswith(("GPU-", "MIG-")):
        chosen["CUDA_VISIBLE_DEVICES"] = device_id
    return chosen


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="core.loads.worker", description="Burns one device; speaks JSON lines.")
    parser.add_argument("--device", required=True, help='UUID of a GPU, "cpu", or the id of a simulated device')
    parser.add_argument("--kind", required=True, choices=("gpu", "cpu"))
    parser.add_argument("--simulated", metavar="MODEL", help="words of the model to simulate; nothing is computed")
    parser.add_argument("--threads", type=_positive, help="threads of a CPU load; all logical processors without it")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _open_bench(options: argparse.Namespace) -> Bench:
    if options.simulated is not None:
        from core.loads.table import open_simulated

        return open_simulated(options.simulated, device_id=options.device)
    os.environ.update(environment(options.device, options.kind))
    try:
        from core.loads.backend import open_cpu, open_cuda
    except ImportError as error:
        fields = {"executable": sys.executable, "error": error}
        problem = tr("torch cannot be imported by {executable}: {error}. Install it in this Python.", **fields)
        return unusable(options.device, "cuda" if options.kind == "gpu" else "cpu", problem)
    if options.kind == "gpu":
        return open_cuda(options.device)
    _give_way()
    return open_cpu(options.threads)


def _give_way() -> None:
    """From here on, with all threads that are still to come: torch is imported before, which would take minutes so."""
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(NICENESS)


def _answer(bench: Bench, message: Message, *, channel: Channel, totals: Totals) -> Ending:
    params = message.get("params") or {}
    try:
        load = bench.make(str(message.get("load")), params, _group(message))
        seconds = _seconds(message)
    except RigwrightError as refusal:
        return Ending(LoadStatus.NOT_RUN, str(refusal))
    within_s = message.get("dead_man")
    dead_man = DeadMan(lambda: channel.silent_s, within_s) if within_s else None
    return Loop(load, channel, seconds=seconds, totals=totals, dead_man=dead_man).run()


def _group(message: Message) -> RankGroup | None:
    """A load that runs on several devices together is told its place among them."""
    group = message.get("group")
    return None if group is None else RankGroup(**{**group, "devices": tuple(group["devices"])})


def _seconds(message: Message) -> float:
    seconds = message.get("seconds")
    if isinstance(seconds, int | float) and 0 < seconds < float("inf"):
        return float(seconds)
    raise BadInput(tr("A load needs a positive number of seconds, not {seconds!r}.", seconds=seconds))


if __name__ == "__main__":
    main()
