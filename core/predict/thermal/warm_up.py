"""How long it takes: the card warms within minutes, case, coolant and heatsinks within a quarter of an hour."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from core.predict.thermal.spread import Triple

CARD_S: Triple = (60.0, 90.0, 120.0)
"""First time constant: 95 % after 3 to 6 minutes."""
CASE_S: Triple = (600.0, 750.0, 900.0)
"""Second one, of case, coolant and soaked metal: reviewers wait 20 to 45 minutes."""


def warm_up(
    room_c: float, inlet_c: float, chip_c: float, times_s: Sequence[float], *, card_s: float = CARD_S[1]
) -> list[float]:
    """Chip temperatures after starting from room temperature at full power, C.

    The rise of chip over inlet follows the card's time constant, the rise of the inlet over the room the case's.
    """
    return [
        room_c + (inlet_c - room_c) * (1 - exp(-time / CASE_S[1])) + (chip_c - inlet_c) * (1 - exp(-time / card_s))
        for time in times_s
    ]


def settled_after_s(share: float = 0.95) -> float:
    """When the slower of both has come so far, s."""
    from math import log

    return -CASE_S[1] * log(1 - share)
