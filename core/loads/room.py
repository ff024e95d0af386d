"""How much memory a load may take without disturbing the display, the framework or the rest of the machine."""

from __future__ import annotations

from dataclasses import dataclass

import psutil
import torch

GIB = 2**30
KEPT_BYTES = GIB
KEPT_SHARE = 0.05
"""What stays free on a GPU: the larger of both. Context, library workspaces and temporaries live there."""


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of a device's memory: all of it, and what a load may still take."""

    total: int
    usable: int

    def share(self, pct: float) -> int:
        """So many per cent of all memory, or what there is of it."""
        return min(int(self.total * pct / 100), self.usable)


def room_on(device: torch.device) -> Room:
    """On a GPU nearly all that is free; on the host half of what is available."""
    if device.type != "cuda":
        memory = psutil.virtual_memory()
        return Room(memory.total, memory.available // 2)
    free, total = torch.cuda.mem_get_info(device)
    # What the framework keeps for later is not free to the driver, but it is to us.
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return Room(total, max(free - max(KEPT_BYTES, int(total * KEPT_SHARE)), 0))


def give_back(device: torch.device) -> None:
    """Returns to the driver what the framework keeps for later, on the GPU and pinned on the host."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch._C._host_emptyCache()
