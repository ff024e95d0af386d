"""Which measured card is which of the build."""

from dataclasses import replace

import pytest

from core.calibrate.card_matching import groups_of
from core.calibrate.measurements import MeasuredCard
from core.errors import BadInput
from tests.calibrate.benches import machine

CARD = MeasuredCard(70.0, 200.0, 0.1)


def at(*slots: int | None, **changes: object) -> list[MeasuredCard]:
    return [replace(CARD, slot=slot, temperature_c=70.0 + n, **changes) for n, slot in enumerate(slots)]


def test_cards_of_known_slots_stay_single() -> None:
    groups = groups_of(machine((1, 3)), at(3, 1))
    assert [(group.indices, group.temperature_c) for group in groups] == [((0,), 71.0), ((1,), 70.0)]


def test_cards_of_unknown_slots_are_taken_together() -> None:
    (group,) = groups_of(machine((1, 3)), at(None, None))
    assert (group.indices, group.temperature_c, group.alone) == ((0, 1), 70.5, False)
    assert group.title.startswith("2 x ")


def test_a_single_card_needs_no_slot() -> None:
    (group,) = groups_of(machine((1,)), at(None))
    assert group.alone


def test_rpm_tell_the_share_of_a_card_whose_highest_speed_is_known() -> None:
    (known,) = groups_of(machine((1,), fan_max_rpm=3000), at(None, fan_rpm=1500))
    (unknown,) = groups_of(machine((1,)), at(None, fan_rpm=1500))
    assert (known.fan_share, unknown.fan_share) == (0.5, None)


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        (at(1), "The build has 2 x .* but 1 were measured"),
        (at(1, 3, 3), "but 3 were measured"),
        (at(1, 5), "measured in slot 5, where the build has no GPU"),
        (at(1, 1), "Two cards were measured in slot 1"),
        (at(1, 3, part_id="psu"), "psu was measured, but slot 1 has gpu"),
        (at(None, None, part_id="psu"), "psu was measured, but the build has gpu"),
    ],
)
def test_what_does_not_fit_the_build_is_told(cards: list[MeasuredCard], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        groups_of(machine((1, 3)), cards)
