"""A fix that is offered works, and breaks nothing else."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.build.build import Build
from core.build.edits import PlaceCards, SetDetails
from core.rules.engine import check
from core.rules.finding import Finding, Status
from tests.rules.machines import changed, good_build, part, slot, with_line

TROUBLED = (Status.FAIL, Status.WARN)


def failed(findings: Iterable[Finding]) -> set[tuple[str, tuple[str, ...]]]:
    return {(finding.rule, finding.parts) for finding in findings if finding.status is Status.FAIL}


def assert_fixes_work(build: Build) -> int:
    """Applies every fix alone; returns how many there were."""
    before = check(build)
    offered = [(finding, fix) for finding in before for fix in finding.fixes]
    for finding, fix in offered:
        after = check(fix.apply(build))
        left = [f for f in after if f.rule == finding.rule and f.slots == finding.slots and f.status in TROUBLED]
        assert not left, (finding.message, fix.title, left[0].message)
        assert {rule for rule, _ in failed(after)} <= {rule for rule, _ in failed(before)}
    return len(offered)


def cards(*slots: int, quantity: int = 4, width: float = 2) -> Build:
    return with_line(good_build(), part("gpu", width_slots=width), quantity, slots)


def test_overlapping_cards_are_spread_over_the_board() -> None:
    build = cards(1, 2, 3, 4)
    overlap = next(f for f in check(build) if f.rule == "slot-overlap" and f.status is Status.FAIL)
    assert overlap.fixes == (PlaceCards("gpu", (1, 3, 5, 7)),)


def test_cards_without_a_slot_are_placed() -> None:
    placed = next(f for f in check(cards(1)) if f.rule == "slot-placed")
    assert placed.fixes == (PlaceCards("gpu", (1, 3, 5, 7)),)


def test_no_fix_is_offered_where_none_exists() -> None:
    build = cards(1, 2, 3, 4, width=3)
    assert not [f for f in check(build) if f.rule == "slot-overlap" and f.fixes]


def test_a_card_is_not_moved_out_of_the_case_or_into_a_dead_slot() -> None:
    build = changed(cards(1, 2, quantity=2), "case", expansion_slots=4)
    overlap = next(f for f in check(build) if f.rule == "slot-overlap" and f.status is Status.FAIL)
    assert overlap.fixes == (PlaceCards("gpu", (1, 3)),)
    dead = [{"filled": ["S3"], "widths": {"S3": 0}}]
    assert not [f.fixes for f in check(changed(build, "motherboard", lane_cases=dead)) if (1, 3) in f.fixes]


def test_a_larger_circuit_of_the_same_country_is_proposed_where_it_suffices() -> None:
    build = SetDetails(region="us-120v-15a").apply(good_build())
    circuit = next(f for f in check(build) if f.rule == "mains-circuit")
    assert circuit.fixes == (SetDetails(region="us-120v-20a"),)
    assert assert_fixes_work(build) == 1


@given(
    slots=st.lists(st.integers(1, 9), unique=True, max_size=4),
    width=st.sampled_from([1, 2, 2.5, 3]),
    openings=st.integers(5, 9),
    narrow=st.sets(st.integers(1, 7), max_size=3),
)
def test_every_fix_for_any_placement_works(slots: list[int], width: float, openings: int, narrow: set[int]) -> None:
    build = with_line(good_build(), part("gpu", width_slots=width), max(len(slots), 2), tuple(slots))
    board = [slot(p, mechanical_lanes=8, lanes=8) if p in narrow else slot(p) for p in range(1, 8)]
    build = changed(changed(build, "case", expansion_slots=openings), "motherboard", slots=board)
    assert_fixes_work(build)


@pytest.mark.parametrize("other", [1, 4, 7])
def test_cards_move_around_another_card_that_stays(other: int) -> None:
    build = with_line(cards(1, 2, quantity=2), part("nic", suffix="-2"), 1, (other,))
    assert assert_fixes_work(build) >= 1
