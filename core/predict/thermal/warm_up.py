"""How long it takes: the card warms within minutes, case, coolant and heatsinks within a quarter of an hour."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from core.predict.thermal.spread import Case, Triple, hot_low

CARD_S: Triple = (60.0, 90.0, 120.0)
"""First time constant: 95 % after 3 to 6 minutes."""
CASE_S: Triple = (600.0, 750.0, 900.0)
"""Second one, of case, coolant and soaked metal: reviewers wait 20 to 45 minutes."""


def warm_up(
    room_c: float, inlet_c: float, chip_c: float, times_s: Sequence[float], case: Case = Case.EXPECTED
) -> list[float]:
    """Chip temperatures after starting from room temperature at full power, C.

    The rise of chip over inlet follows the card's time constant, the rise of the inlet over the room the case's. What
    warms sooner is the hotter one on the way.
    """
    card_s, case_s = hot_low(CARD_S, case), hot_low(CASE_S, case)
    return [
        room_c + (inlet_c - room_c) * (1 - exp(-time / case_s)) + (chip_c - inlet_c) * (1 - exp(-time / card_s))
        for time in times_s
    ]
