"""What a GPU of a build is for, and how its size tells it where nobody says."""

from __future__ import annotations

from enum import StrEnum

from core.language import trc
from core.parts.compute import GpuSpec


class Role(StrEnum):
    """What the cards of a line are for. Rules on work, memory and speed ask for workers alone."""

    WORKER = "worker"
    DISPLAY = "display"
    """Drives the display, and draws what an idle card draws while the others train."""
    SPARE = "spare"
    """Plugged, paid for and idle: it stands in when another fails."""

    @property
    def label(self) -> str:
        """As menus and tables write it."""
        return _LABELS[self]


_LABELS = {
    Role.WORKER: trc("role of a GPU", "worker"),
    Role.DISPLAY: trc("role of a GPU", "display"),
    Role.SPARE: trc("role of a GPU", "spare"),
}

ROLE_READS = ("gpu.chips", "gpu.fp32_tflops", "gpu.memory_gb", "gpu.power_limit_w")
"""Figures that roles are guessed by, and workers counted."""

SLOT_FED_W = 75.0
"""What a slot alone feeds: cards that are bought for the display take no more."""
LESS_MEMORY, FAR_LESS_MEMORY = 3, 8
"""How many times the memory of a card fed by its slot, and of any card, goes into that of a worker beside it."""
LESS_COMPUTE, LESS_POWER = 4, 3
"""Likewise for its FP32 rate; for its power limit where the rate of one is unknown."""


def is_small_beside(spec: GpuSpec, other: GpuSpec) -> bool:
    """Whether a card is so small beside another that it can only be there for the display; False where figures lack."""
    if spec.memory_gb is None or other.memory_gb is None or spec is other:
        return False
    slot_fed = spec.power_limit_w is not None and spec.power_limit_w <= SLOT_FED_W
    if spec.memory_gb * (LESS_MEMORY if slot_fed else FAR_LESS_MEMORY) > other.memory_gb:
        return False
    if spec.fp32_tflops is not None and other.fp32_tflops is not None:
        return spec.fp32_tflops * LESS_COMPUTE <= other.fp32_tflops
    if spec.power_limit_w is not None and other.power_limit_w is not None:
        return spec.power_limit_w * LESS_POWER <= other.power_limit_w
    return False
