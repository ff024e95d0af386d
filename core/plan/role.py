"""What a GPU of a build is for, and how its size tells it where nobody says."""

from __future__ import annotations

from math import inf

from core.parts.compute import GpuSpec
from core.words import Worded, trc


class Role(Worded):
    """What the cards of a line are for. Rules on work, memory and speed ask for workers alone."""

    WORKER = "worker", trc("role of a GPU", "worker")
    DISPLAY = "display", trc("role of a GPU", "display")
    """Drives the display, and draws what an idle card draws while the others train."""
    SPARE = "spare", trc("role of a GPU", "spare")
    """Plugged, paid for and idle: it stands in when another fails."""


ROLE_READS = ("gpu.chips", "gpu.fp32_tflops", "gpu.memory_gb", "gpu.power_limit_w")
"""Figures that roles are guessed by, and workers counted."""

SLOT_FED_W, SLOT_FED_GB = 75.0, 8.0
"""What a slot alone feeds, and the memory that work needs: cards that are bought for the display have no more."""
LESS_MEMORY, FAR_LESS_MEMORY = 0.4, 1 / 8
"""Of the memory of a worker beside it: what such a card has at most, and what any other has."""
LESS_COMPUTE, FAR_LESS_COMPUTE, LESS_POWER = 0.45, 0.25, 1 / 3
"""Likewise of its FP32 rate; of its power limit where the rate of one is unknown. A GTX 1650 has 25 % of a P40's, an
RTX A400 40 % of a TITAN X's; a Tesla P4, which works, has 47 % of a P40's."""


def is_small_beside(spec: GpuSpec, other: GpuSpec) -> bool:
    """Whether a card is so small beside another that it can only be there for the display; False where figures lack."""
    if spec is other or spec.memory_gb is None or other.memory_gb is None:
        return False
    if spec.memory_gb > other.memory_gb * LESS_MEMORY:
        return False
    slot_fed = (spec.power_limit_w or inf) <= SLOT_FED_W and spec.memory_gb <= SLOT_FED_GB
    if not slot_fed and spec.memory_gb > other.memory_gb * FAR_LESS_MEMORY:
        return False
    if spec.fp32_tflops is not None and other.fp32_tflops is not None:
        return spec.fp32_tflops <= other.fp32_tflops * (LESS_COMPUTE if slot_fed else FAR_LESS_COMPUTE)
    if spec.power_limit_w is not None and other.power_limit_w is not None:
        return spec.power_limit_w <= other.power_limit_w * LESS_POWER
    return False
