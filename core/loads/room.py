"""How much memory a load may take without disturbing the display, the framework or the rest of the machine; and how
large the cache before it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

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
    kept = max(KEPT_BYTES, int(total * KEPT_SHARE)) if headroom_bytes is None else headroom_bytes
    return Room(total, max(free - kept, 0), free)


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
