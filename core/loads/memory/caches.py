"""The cache that stands before a device's memory, and the peak of the memory itself."""

from __future__ import annotations

from pathlib import Path

import torch

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
