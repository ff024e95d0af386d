"""A worker, or a rank, in whose memory a bit flips when a test asks for it: `python flipper.py FOLDER worker|rank ...`.

Nothing of it is in the product: a thread beside the real main looks for tensors among all objects of the process and
changes one bit at its address, as a fault of the memory would. A test asks by a file `order-worker` or `order-rank-1`
in the folder and finds in `told-...` what was done. Kinds:
    rest      a tensor that stays as it is: operands, golden results, patterns, the batch, the kept first weights
    trained   a weight, during a training step
    moments   what the optimiser remembers, during a training step; one of the upper bits
    look      whether the bit flipped last is still as it was flipped
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

POLL_S = 0.01
STILL_S = (0.2, 0.13, 0.17)
"""What is the same at all of these moments is a reference or an operand, not a result: uneven, for runs repeat."""
RESTING_S = 2.0
"""As long without computing: the load has pauses."""
SMALLEST, LARGEST = 8, 2**24
Found = Callable[[], Any]
"""A tensor that is not kept alive."""
HIGH_BITS = (20, 32)
"""Of a moment of Adam: what is below can be rounded away before anything is computed of it."""


def main() -> None:
    folder, role, *arguments = sys.argv[1:]
    threading.Thread(target=_serve, args=(Path(folder), role), name="flipper", daemon=True).start()
    if role == "rank":
        from core.loads.group import rank

        _smaller()
        rank.main()
        return
    from core.loads import worker
    from core.loads.group import rank_process

    worker.NICENESS = 0  # nothing to give way to
    rank_process.PROGRAM = (__file__, folder, "rank")  # type: ignore[assignment]
    _smaller()
    worker.main(arguments)


def _smaller() -> None:
    """Networks of which a step takes milliseconds, and a link whose both ends are the host."""
    # Descriptor 1 is the worker's until it has taken it: nothing may print before.
    from core.loads.memory.host_link import HostLinkLoad
    from core.loads.training import sizes
    from core.loads.training.gpt import GptTask

    sizes.CPU_GPT = GptTask(layers=2, width=32, heads=2, context=16, batch=4, vocabulary=64)
    HostLinkLoad.steps = lambda self, seconds: self._burn(time.monotonic() + seconds)  # type: ignore[method-assign]


def _serve(folder: Path, role: str) -> None:
    own = role
    if role == "rank":  # the worker gives each rank a log of its own
        own = f"rank-{os.environ['NCCL_DEBUG_FILE'].removesuffix('.log').rpartition('-')[2]}"
    order, flips = folder / f"order-{own}", Flips()
    while True:
        time.sleep(POLL_S)
        if order.exists():
            asked = json.loads(order.read_text(encoding="utf-8"))
            order.unlink()
            draft = folder / f"draft-{own}"
            draft.write_text(json.dumps(flips.answer(**asked)), encoding="utf-8")
            draft.replace(folder / f"told-{own}")


class Flips:
    """Flips bits, and remembers the last one."""

    def __init__(self) -> None:
        self._held: Any = None
        self._byte = ctypes.c_uint8()
        self._value = 0

    def answer(self, kind: str, seed: int, together: bool, least: int) -> dict[str, Any]:
        if kind == "look":
            return {"still": self._byte.value == self._value}
        self._held = None
        gc.collect()  # what an earlier load left behind
        choose = random.Random(seed)
        find = {"rest": lambda: _at_rest(least), "trained": _trained, "moments": _moments}[kind]
        within = "distributed.py" if together else None if kind == "rest" else "trainer.py"
        tensor = None
        while tensor is None:
            _wait_for(lambda: within is None or _is_within(within))
            if found := find():
                place = choose.randrange(len(found))
                # Looking took a while, and what is only remembered here is no memory of the load any more.
                _wait_for(lambda: kind == "rest" or _is_within("trainer.py"))
                tensor = found[place]()
        self._held = tensor
        width = 8 * tensor.element_size()
        low, high = HIGH_BITS if kind == "moments" else (0, width)
        element, bit = choose.randrange(tensor.numel()), choose.randrange(low, high)
        self._byte = ctypes.c_uint8.from_address(tensor.data_ptr() + element * tensor.element_size() + bit // 8)
        self._byte.value ^= 1 << bit % 8
        self._value = self._byte.value
        return {
            "shape": list(tensor.shape),
            "dtype": str(tensor.dtype),
            "element": element,
            "bit": bit,
            "of": len(found),
        }


def _wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.001)


def _is_within(module: str) -> bool:
    """Whether the main thread is within a training step now: what it changes then is looked at later.

    With "distributed.py" one of ranks that train together: each alone sees only its losses.
    """
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    found = False
    while frame is not None:
        name, path = frame.f_code.co_name, frame.f_code.co_filename
        found = found or path.endswith(module)
        if name == "step" and path.endswith("trainer.py"):
            return found
        frame = frame.f_back
    return False


def _tensors() -> Iterator[Any]:
    import torch

    for one in gc.get_objects():
        found = issubclass(type(one), torch.Tensor) and one.is_contiguous() and one.dtype is not torch.bool
        if found and one.device.type == "cpu" and SMALLEST <= one.numel() <= LARGEST:
            yield one


def _at_rest(least: int) -> list[Found]:
    """Tensors of so many elements that stay as they are, each memory once."""
    held = {one.data_ptr(): (weakref.ref(one), _bytes(one)) for one in _tensors() if one.numel() >= least}
    for computed_s in STILL_S:
        until, enough_s = time.monotonic() + RESTING_S, time.process_time() + computed_s
        _wait_for(lambda until=until, enough_s=enough_s: time.process_time() > enough_s or time.monotonic() > until)
        held = {
            place: (found, was)
            for place, (found, was) in held.items()
            if (one := found()) is not None and one.data_ptr() == place and _bytes(one) == was
        }
    return [found for found, _ in held.values()]


def _bytes(tensor: Any) -> int:
    return hash(ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()))


def _optimisers() -> Iterator[Any]:
    import torch

    return (one for one in gc.get_objects() if issubclass(type(one), torch.optim.Optimizer) and one.state)


def _trained() -> list[Found]:
    groups = [group for optimiser in _optimisers() for group in optimiser.param_groups]
    return [weakref.ref(weight) for group in groups for weight in group["params"]]


def _moments() -> list[Found]:
    memories = [memory for optimiser in _optimisers() for memory in list(optimiser.state.values())]
    return [weakref.ref(memory[name]) for memory in memories for name in ("exp_avg", "exp_avg_sq") if name in memory]


if __name__ == "__main__":
    main()
