"""What stages are for, in the order in which a profile has them: a sick machine is known before the long ones."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class StageGroup(StrEnum):
    """In their order."""

    SANITY = "sanity"
    """Whether all is here, and can compute at all."""
    VALIDATION = "validation"
    """Whether every part gives right results."""
    PERFORMANCE = "performance"
    """Whether every part is as fast as it shall be."""
    STRESS = "stress"
    """Heat, changing loads, all at once, and what is left of it."""


GROUPS: Mapping[str, StageGroup] = {
    **dict.fromkeys(("preflight", "idle", "known-answer"), StageGroup.SANITY),
    **dict.fromkeys(("functional-units", "p2p", "vram", "replay"), StageGroup.VALIDATION),
    **dict.fromkeys(("bandwidth", "host-link", "collectives", "gemm"), StageGroup.PERFORMANCE),
    **dict.fromkeys(("soak", "resnet", "lstm", "transformer", "own-module", "data-parallel"), StageGroup.STRESS),
    **dict.fromkeys(("transients", "whole-system", "cooldown"), StageGroup.STRESS),
}
"""By kind of stage."""
