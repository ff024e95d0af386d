"""What a load asks of its device: how much memory it may take without disturbing the display, the framework or the rest
of the machine; how large the cache before it is; and marks in the queue of work with the time between them (events on
CUDA, the monotonic clock on a CPU).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from core.loads.load import StepReport

GIB = 2**30
KEPT_BYTES = GIB
KEPT_SHARE = 0.05
"""What stays free on a GPU where nobody measured what is needed: the larger of both."""


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of a device's memory: all of it, what a load may still take, and what nobody holds; None: not known."""

    total: int
    usable: int
    free: int | None = None

    def share(self, pct: float) -> int:
        """So many per cent of all memory, or what there is of it."""
        return min(int(self.total * pct / 100), self.usable)


def room_on(device: torch.device, *, headroom_bytes: int | None = None) -> Room:
    """On a GPU what is free but for `headroom_bytes`, or a usual share; on the host half of what is available."""
    if device.type != "cuda":
        import psutil  # here, since a card is measured without

        memory = psutil.virtual_memory()
        return Room(memory.total, memory.available // 2, memory.available)
    free, total = torch.cuda.mem_get_info(device)
    # What the framework keeps for later is not free to the driver, but it is to us.
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    headroom = max(KEPT_BYTES, int(total * KEPT_SHARE)) if headroom_bytes is None else headroom_bytes
    return Room(total, max(free - headroom, 0), free)


def taken_by(work: Callable[[], object], device: torch.device) -> int:
    """Bytes of a GPU that `work` needs beside the tensors that are there: its temporaries at their peak, and what the
    driver keeps for kernels and libraries that are new to it."""
    give_back(device)
    free, held = torch.cuda.mem_get_info(device)[0], torch.cuda.memory_reserved(device)
    torch.cuda.reset_peak_memory_stats(device)
    work()
    torch.cuda.synchronize(device)
    temporaries = torch.cuda.max_memory_reserved(device) - held
    give_back(device)
    return max(temporaries, 0) + max(free - torch.cuda.mem_get_info(device)[0], 0)


def give_back(device: torch.device) -> None:
    """Returns to the driver what the framework keeps for later, on the GPU and pinned on the host."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch._C._host_emptyCache()


CPUS = Path("/sys/devices/system/cpu")
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def cache_bytes(device: torch.device) -> int | None:
    """The second-level cache of a GPU, the last-level caches of a CPU together; None where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.get_device_properties(device).L2_cache_size)
    return last_level_bytes(CPUS)


def peak_gbps(device: torch.device) -> float | None:
    """What a GPU's memory could do by its clock and the width of its bus, with two transfers a clock.

    None for a CPU, and where this torch or driver does not tell.
    """
    if device.type != "cuda":
        return None
    properties = torch.cuda.get_device_properties(device)
    clock_khz = getattr(properties, "memory_clock_rate", None)
    width_bits = getattr(properties, "memory_bus_width", None)
    return 2 * clock_khz * 1e3 * width_bits / 8 / 1e9 if clock_khz and width_bits else None


def last_level_bytes(cpus: Path) -> int | None:
    """The sum of the different caches of the highest level under a folder like /sys/devices/system/cpu."""
    levels: dict[int, dict[str, int]] = {}
    for cache in cpus.glob("cpu[0-9]*/cache/index[0-9]*"):
        try:
            level = int((cache / "level").read_text(encoding="ascii"))
            size = (cache / "size").read_text(encoding="ascii").strip()
            sharers = (cache / "shared_cpu_list").read_text(encoding="ascii").strip()
            levels.setdefault(level, {})[sharers] = int(size[:-1]) * UNITS[size[-1]]
        except (OSError, ValueError, KeyError, IndexError):
            continue
    return sum(levels[max(levels)].values()) if levels else None


LONGEST_STEP_S = 10.0
POLL_S = 0.001
SIGN_OF_LIFE_S = 0.2


class TimingMark(Protocol):
    """A place in the device's queue."""

    def wait(self) -> None:
        """Returns when the device has come to this place."""
        ...

    def reached(self) -> bool:
        """Whether the device has come to this place."""
        ...

    def seconds_since(self, earlier: TimingMark) -> float:
        """Device time between two marks that were both waited for."""
        ...


class HostMark:
    """A moment: a CPU has finished what was called before it."""

    __slots__ = ("_at",)

    def __init__(self) -> None:
        self._at = time.perf_counter()

    def wait(self) -> None:
        """Nothing is queued."""

    def reached(self) -> bool:
        """Always."""
        return True

    def seconds_since(self, earlier: TimingMark) -> float:
        """Seconds between the two moments."""
        assert isinstance(earlier, HostMark)
        return self._at - earlier._at


class CudaMark:
    """An event on the current stream: launches return at once, so wall time would measure the launching only.

    Whoever waits for it sleeps: spinning would keep one core busy for each GPU.
    """

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = torch.cuda.Event(enable_timing=True, blocking=True)  # type: ignore[no-untyped-call]
        self._event.record()

    def wait(self) -> None:
        """Blocks until the device has reached the event."""
        self._event.synchronize()

    def reached(self) -> bool:
        """Whether the device has reached the event."""
        return bool(self._event.query())  # type: ignore[no-untyped-call]

    def seconds_since(self, earlier: TimingMark) -> float:
        """Seconds on the device's own clock."""
        assert isinstance(earlier, CudaMark)
        return float(earlier._event.elapsed_time(self._event)) / 1e3


def mark(device: torch.device) -> TimingMark:
    """A mark after all work queued so far."""
    return CudaMark() if device.type == "cuda" else HostMark()


def waited_for(place: TimingMark) -> Iterator[StepReport]:
    """Waits for the device with signs of life: one slow step is no hang. A hang gives none after 10 s."""
    until = time.monotonic() + LONGEST_STEP_S
    alive_at = time.monotonic()
    while not place.reached() and time.monotonic() < until:
        time.sleep(POLL_S)
        if time.monotonic() - alive_at > SIGN_OF_LIFE_S:
            alive_at = time.monotonic()
            yield StepReport()
    place.wait()
