"""What the machine is doing, as far as power and noise care."""

from __future__ import annotations

from enum import StrEnum


class Load(StrEnum):
    """Steady states. Shorter peaks are a matter of the excursion rule."""

    IDLE = "idle"
    TRAINING = "training"
    """All GPUs at their power limit, the CPUs feeding them."""
    ALL_CORE = "all-core"
    """All CPU cores at their limit, the GPUs idle."""
    EVERYTHING = "everything"
    """All GPUs and all CPU cores at their limits: the worst steady state."""
