"""Groups on cards that are nearly full: the smallest transfers are done, and no card is blamed."""

from __future__ import annotations

import pytest

from core.loads.group.collectives import power_of_two

MIB = 2**20


@pytest.mark.parametrize(
    ("held", "taken"),
    [(-1, MIB), (0, MIB), (0.5, MIB), (MIB - 1, MIB), (MIB, MIB), (3 * MIB + 0.5, 2 * MIB), (2**30, 2**30)],
)
def test_a_transfer_is_the_largest_power_of_two_that_is_held_but_never_below_1_mib(held: float, taken: int) -> None:
    assert power_of_two(held) == taken
