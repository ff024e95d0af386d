"""A worker, or a rank, in whose memory a bit flips when a test asks for it: `python flipper.py FOLDER worker|rank ...`.

Nothing of it is in the product: a thread beside the real main looks for tensors among all objects of the process and
changes one bit at its address, as a fault of the memory would. A test asks by a file `order-worker` or `order-rank-1`
in the folder and finds in `told-...` what was done. Kinds:
    rest      a tensor that stays as it is: operands, golden results, patterns, the batch, the kept first weights
    trained   a weight, during a training step
    moments   what the optimiser remembers, during a training step
    look      whether the bit flipped last is still as it was flipped

In what training changes, only a bit is flipped that the next steps cannot round away. 1 ulp of a weight of 5e-5, or a
low bit of a bias of 0, is gone after an update of 5e-4: every bit from then on is as if nothing had happened.
"""

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
Reference = Callable[[], Any]
"""A tensor that is not kept alive."""
FURTHEST = 0.01
"""A weight moves less in one run: 12 steps at a learning rate of 5e-4."""
OF_A_WEIGHT, OF_A_MOMENT = 2.0**-20, 2.0**-3
"""The least change, as a share of the value: eight times the rounding of a float, and more where a moment takes in a
new gradient at every step."""
DRAWS = 1000
SWITCHING_S, HOLDING_S = 0.005, 3600.0
"""How long the main thread waits for this one: usually, and so long that no step ends between a look and a flip."""
LOOK_US = 200


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
    from core.loads.group import data_parallel
    from core.loads.memory.host_link import HostLinkLoad, try_transfers
    from core.loads.training import sizes
    from core.loads.training.text import GptTask

    sizes.CPU_GPT = GptTask(layers=2, width=32, heads=2, context=16, batch=4, vocabulary=64)
    data_parallel.ALONE_SHARE = 0.0  # a few steps: there only the loss is vouched for
    HostLinkLoad._prepare = lambda self: try_transfers(self._self_test, self._device, seed=1)  # type: ignore[method-assign]


def _serve(folder: Path, role: str) -> None:
    own = role
    if role == "rank":  # the worker gives each rank a log of its own
        own = f"rank-{os.environ['NCCL_DEBUG_FILE'].removesuffix('.log').rpartition('-')[2]}"
    order, flips = folder / f"order-{own}", Flips()
    while True:
        time.sleep(POLL_S)
        if order.exists():
            order_fields = json.loads(order.read_text(encoding="utf-8"))
            order.unlink()
            draft = folder / f"draft-{own}"
            draft.write_text(json.dumps(flips.answer(**order_fields)), encoding="utf-8")
            draft.replace(folder / f"told-{own}")


KEEPING = ctypes.PyDLL(None)
"""The C library, called without letting the main thread go on meanwhile."""
STATE = os.open(f"/proc/self/task/{threading.main_thread().native_id}/stat", os.O_RDONLY)


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
        within = "distributed.py" if together else "trainer.py"
        tensor = place = None
        while place is None:
            sys.setswitchinterval(SWITCHING_S)
            _wait_for(lambda: kind == "rest" or _is_within(within))
            if not (flip := find()):
                continue
            number = choose.randrange(len(flip))
            # Looking took a while, and what is only remembered here is no memory of the load any more.
            if kind != "rest" and not _held_within(within):
                continue
            tensor = flip[number]()
            place = None if tensor is None else _place(tensor, kind, choose)
        self._held = tensor
        element, bit = place
        address = tensor.data_ptr() + element * tensor.element_size()
        self._byte = ctypes.c_uint8.from_address(address + bit // 8)
        self._byte.value ^= 1 << bit % 8
        self._value = self._byte.value
        sys.setswitchinterval(SWITCHING_S)
        return {
            "shape": list(tensor.shape), "dtype": str(tensor.dtype), "element": element, "bit": bit, "of": len(flip),
        }  # fmt: skip


def _place(tensor: Any, kind: str, choose: random.Random) -> tuple[int, int] | None:
    """Element and bit of a flip that lasts; None where none was found. Nothing here lets the main thread go on."""
    size = 8 * tensor.element_size()
    if kind == "rest":
        return choose.randrange(tensor.numel()), choose.randrange(size)
    values = (ctypes.c_float * tensor.numel()).from_address(tensor.data_ptr())
    usual = sum(map(abs, values)) / len(values)
    for _ in range(DRAWS):
        element, bit = choose.randrange(tensor.numel()), choose.randrange(size)
        was = values[element]
        flipped = ctypes.c_uint32(ctypes.c_uint32.from_buffer(ctypes.c_float(was)).value ^ 1 << bit)
        change = abs(ctypes.c_float.from_buffer(flipped).value - was)
        if kind == "moments" and abs(was) < usual:
            continue
        if not change < (OF_A_MOMENT * abs(was) if kind == "moments" else OF_A_WEIGHT * (abs(was) + FURTHEST)):
            return element, bit
    return None


def _wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.001)


def _held_within(module: str) -> bool:
    """Stops the main thread until the switching interval is short again; whether that was within a training step.

    A thread waits for the interpreter for as long as was usual when it began to: the one here must let it go once after
    the interval has become long. And an operation that runs without the interpreter may have read what it writes in a
    moment, over any flip: it must have ended.
    """
    sys.setswitchinterval(HOLDING_S)
    time.sleep(POLL_S)
    while not _main_sleeps():
        KEEPING.usleep(LOOK_US)
    return _is_within(module)


def _main_sleeps() -> bool:
    """Whether the system says that the main thread waits for something."""
    status_line = ctypes.create_string_buffer(512)
    length = KEEPING.pread(STATE, status_line, len(status_line) - 1, 0)
    return status_line.raw[:length].rpartition(b")")[2].split()[0] == b"S"


def _is_within(module: str) -> bool:
    """Whether the main thread is within a training step now: what it changes then is looked at later.

    With "distributed.py" one of ranks that train together: each alone sees only its losses.
    """
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    in_module = False
    while frame is not None:
        name, path = frame.f_code.co_name, frame.f_code.co_filename
        in_module = in_module or path.endswith(module)
        if name == "step" and path.endswith("trainer.py"):
            return in_module
        frame = frame.f_back
    return False


def _tensors() -> Iterator[Any]:
    import torch

    for one in gc.get_objects():
        is_plain = issubclass(type(one), torch.Tensor) and one.is_contiguous() and one.dtype is not torch.bool
        if is_plain and one.device.type == "cpu" and SMALLEST <= one.numel() <= LARGEST:
            yield one


def _at_rest(least: int) -> list[Reference]:
    """Tensors of so many elements that stay as they are, each memory once."""
    held = {one.data_ptr(): (weakref.ref(one), _bytes(one)) for one in _tensors() if one.numel() >= least}
    for computed_s in STILL_S:
        until, enough_s = time.monotonic() + RESTING_S, time.process_time() + computed_s
        _wait_for(lambda until=until, enough_s=enough_s: time.process_time() > enough_s or time.monotonic() > until)
        held = {
            place: (reference, was)
            for place, (reference, was) in held.items()
            if (one := reference()) is not None and one.data_ptr() == place and _bytes(one) == was
        }
    return [reference for reference, _ in held.values()]


def _bytes(tensor: Any) -> int:
    return hash(ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()))


def _optimisers() -> Iterator[Any]:
    import torch

    return (one for one in gc.get_objects() if issubclass(type(one), torch.optim.Optimizer) and one.state)


def _trained() -> list[Reference]:
    groups = [group for optimiser in _optimisers() for group in optimiser.param_groups]
    return [weakref.ref(weight) for group in groups for weight in group["params"]]


def _moments() -> list[Reference]:
    memories = [memory for optimiser in _optimisers() for memory in list(optimiser.state.values())]
    return [
        weakref.ref(memory[name])
        for memory in memories
        for name in ("exp_avg", "exp_avg_sq")
        if name in memory and memory[name].any()
    ]


if __name__ == "__main__":
    main()
