"""The best placement: what it prefers, that both searches agree, and that it says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line, Role
from core.plan.placement.best import EXHAUSTIVE_LIMIT, best_placement, has_room, placed_by_hand
from core.plan.placement.candidates import problem_of
from core.plan.slots import covered_positions
from core.rules.engine import check
from core.rules.finding import Status
from tests.plan.placement.boards import machines
from tests.rules.machines import changed, good_build, part, slot, with_line, without

OPEN_AIR = {"cooling": "open_air"}


def cards(build: Build, count: int, **figures: object) -> Build:
    return with_line(build, part("gpu", **figures), count, ())


def board(*slots: dict[str, object], **changes: object) -> Build:
    return changed(good_build(), "motherboard", slots=list(slots), **changes)


def placed(build: Build, part_id: str = "gpu") -> tuple[int, ...]:
    best = best_placement(build)
    return best.slots[part_id]


TWO = cards(good_build(), 2)
OFF = [{"filled": ["S3"], "widths": {"S1": 0}}]
X8 = slot(1, lanes=8)
SHORT_CASE = changed(board(X8, slot(3)), "case", expansion_slots=3)
FOUR = cards(good_build(), 4, width_slots=1)
SECOND = board(slot(1), slot(3, cpu=1), slot(5, cpu=1), slot(7, cpu=1))
BESIDE = board(slot(1), slot(3), slot(5), lane_cases=[{"filled": ["S1"], "widths": {"S3": 4}}])
SEVEN = tuple(slot(position) for position in range(1, 8))
CHOICES = [
    ("two-slot cards spread over the board", cards(good_build(), 4), (1, 3, 5, 7)),
    ("near the top", cards(good_build(), 2), (1, 3)),
    ("air before the fans of open-air cards", cards(good_build(), 2, **OPEN_AIR), (1, 4)),
    ("not into dead slots", cards(board(slot(1, cpu=1), slot(3)), 1), (3,)),
    ("the wider slot", cards(board(slot(1, lanes=8), slot(3)), 1), (3,)),
    ("the faster slot", cards(board(slot(1, generation=3), slot(3)), 1), (3,)),
    ("off the chipset", cards(board(slot(1, attachment="chipset"), slot(3)), 1), (3,)),
    ("within the case", cards(changed(good_build(), "case", expansion_slots=7), 4), (1, 3, 5)),
    (
        "a bracket of one slot may sit in the last opening",
        cards(changed(good_build(), "case", expansion_slots=7), 4, bracket_slots=1),
        (1, 3, 5, 7),
    ),
    ("a row that switches a slot off", cards(board(*SEVEN, lane_cases=OFF), 2), (1, 4)),
    ("width before air", cards(board(slot(1), slot(3), slot(5, lanes=8)), 2, **OPEN_AIR), (1, 3)),
    ("at the spacing of the bridge", with_line(TWO, part("nvlink_bridge", spacing_slots=4)), (1, 5)),
    ("GPUs on one CPU", with_line(cards(board(slot(1), slot(3, cpu=1), slot(5)), 2), part("cpu"), 2), (1, 5)),
    ("GPUs on one root complex", cards(board(slot(1, root="0"), slot(3, root="1"), slot(5, root="0")), 2), (1, 5)),
    ("the wider slot before one root", cards(board(slot(1, root="0"), slot(3), slot(5, root="0", lanes=8)), 2), (1, 3)),
    ("no root for one GPU alone", cards(board(slot(1), slot(3, root="0")), 1), (1,)),
    ("the slowest link before all", cards(board(X8, slot(2), slot(3, lanes=8), slot(4, lanes=4)), 2), (1, 3)),
    ("all links where the slowest is as slow", cards(board(X8, slot(3, lanes=8), slot(5)), 2), (1, 5)),
    ("coolers within the case before links", cards(SHORT_CASE, 1, bracket_slots=1), (1,)),
    ("a slot that a carrier beside it leaves its lanes", with_line(cards(BESIDE, 1), part("carrier")), (5,)),
    ("all GPUs on the second CPU", with_line(cards(SECOND, 3), part("cpu"), 2), (3, 5, 7)),
    ("one pair for one bridge", with_line(FOUR, part("nvlink_bridge", spacing_slots=4)), (1, 2, 3, 5)),
    ("no root of slots that are not told", cards(board(slot(1, root="0"), slot(3), slot(5)), 2), (1, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("build", "slots"), [row[1:] for row in CHOICES], ids=[row[0] for row in CHOICES])
def test_the_best_placement_prefers(build: Build, slots: tuple[int, ...]) -> None:
    assert placed(build) == slots
    solved = best_placement(build, exhaustive_limit=-1)
    assert solved.slots["gpu"] == slots


def test_a_display_card_leaves_the_root_complex_to_those_that_work() -> None:
    slots = [slot(1, root="0"), slot(3, root="1"), slot(5, root="0")]
    workers = cards(board(*slots), 2)
    build = workers.with_lines((*workers.lines, Line(part("gpu", suffix="-show"), 1, role=Role.DISPLAY)))
    for limit in (EXHAUSTIVE_LIMIT, -1):
        best = best_placement(build, exhaustive_limit=limit)
        assert (best.slots["gpu"], best.slots["gpu-show"]) == ((1, 5), (3,))


def test_a_build_without_cards_or_without_known_slots_has_none() -> None:
    assert best_placement(without(good_build(), Category.GPU)) is None
    assert best_placement(changed(good_build(), "motherboard", slots=None)) is None
    assert best_placement(without(good_build(), Category.MOTHERBOARD)) is None


@pytest.mark.parametrize("tried", [10**6, -1], ids=("exhaustive", "solver"))
@pytest.mark.parametrize(("lanes", "slots"), [(16, (3,)), (8, ())])
def test_a_card_pinned_behind_one_that_finds_no_slot_gives_way(lanes: int, slots: tuple[int, ...], tried: int) -> None:
    """Cards of a line fill its slots in order: the second cannot keep its slot while the first has none."""
    build = with_line(good_build(), part("motherboard", slots=[slot(3, mechanical_lanes=lanes, lanes=lanes)]))
    build = with_line(build, part("gpu"), 2, (12, 3))
    best = best_placement(build, pinned=[("gpu", 2)], exhaustive_limit=tried)
    assert best.slots == {"gpu": slots}


@pytest.mark.parametrize("tried", [10**6, -1], ids=("exhaustive", "solver"))
def test_a_pinned_card_stays_where_two_others_would_find_a_slot_without_it(tried: int) -> None:
    build = with_line(with_line(board(slot(1), slot(2), slot(3)), part("gpu"), 1, (2,)), part("gpu", suffix="-b"), 2)
    best = best_placement(build, pinned=placed_by_hand(build), exhaustive_limit=tried)
    assert best.slots == {"gpu": (2,), "gpu-b": ()}


def test_pinned_cards_stay_where_they_are() -> None:
    build = with_line(good_build(), part("gpu"), 3, (2,))
    best = best_placement(build, pinned=placed_by_hand(build))
    assert best.slots["gpu"] == (2, 4, 6)
    assert "1 card stays where it is." in best.reasons


@pytest.mark.parametrize(("gpus", "nic"), [((1, 3, 5), 7), ((1, 3), 5)])
@pytest.mark.parametrize("tried", [10**6, -1], ids=("exhaustive", "solver"))
def test_a_network_card_takes_the_highest_slot_that_the_gpus_leave(gpus: tuple[int, ...], nic: int, tried: int) -> None:
    build = with_line(cards(board(*SEVEN), len(gpus), width_slots=2), part("nic"))
    best = best_placement(build, exhaustive_limit=tried)
    assert best.complete
    assert best.slots == {"gpu": gpus, "nic": (nic,)}


def test_a_card_under_a_water_block_is_as_wide_as_the_block() -> None:
    build = with_line(cards(good_build(), 4), part("water_block"), 4)
    assert placed(build) == (1, 2, 3, 4)


def test_cards_on_risers_need_their_slot_alone_and_no_opening() -> None:
    build = changed(without(good_build(), Category.CASE), "gpu", width_slots=3)
    on_risers = Line(part("gpu", width_slots=3), 6, (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6))
    build = build.with_lines(tuple(on_risers if line.part.id == "gpu" else line for line in build.lines))
    build = build.with_lines((*build.lines, Line(part("case", kind="open_frame", expansion_slots=None))))
    best = best_placement(build)
    assert best.complete
    assert best.risers["gpu"] == best.slots["gpu"] == (1, 2, 3, 4, 5, 6)
    assert best.edit.apply(build).line("gpu") == on_risers


def test_spare_risers_carry_what_finds_no_slot() -> None:
    build = with_line(cards(good_build(), 5, width_slots=3), part("riser"), 4)
    best = best_placement(build)
    assert best.complete
    assert len(best.risers["gpu"]) == 3
    assert best.reasons[0] == "3 more cards must go on risers of the build to get a slot."


WHY = [
    (cards(good_build(), 6), "2 of 6 Test GPU find no slot: 7 slots of Test MOTHERBOARD take such a card"),
    (cards(board(slot(1, mechanical_lanes=8, lanes=8)), 1), "has no active slot for an x16 connector"),
    (cards(good_build(), 4, **OPEN_AIR), "with an empty slot before their fans need 11 slots; board and case have 8"),
    (
        cards(board(slot(1), slot(3), slot(5, lanes=8)), 2, **OPEN_AIR),
        "Air for 1 more card was traded for faster links: "
        "it would have left the slowest GPU 15.8 instead of 31.5 GB/s.",
    ),
    (
        cards(board(slot(1), slot(3), lane_cases=[{"filled": ["S3"], "widths": {"S1": 8}}]), 2),
        "Slot 1 has 8 lanes because slot 3 is filled.",
    ),
    (
        cards(board(slot(1), lane_cases=[{"filled": ["M2_1"], "widths": {"S1": 8}}]), 1),
        "Slot 1 has 8 lanes because M.2 socket M2_1 is filled.",
    ),
    (cards(board(slot(1, attachment="chipset")), 1), "The GPU in slot 1 shares the chipset's link"),
    (with_line(cards(good_build(), 2), part("nvlink_bridge", spacing_slots=2), 2), "1 of 2 NVLink pairs"),
    (with_line(cards(board(slot(1), slot(3, cpu=1)), 2), part("cpu"), 2), "1 pair exchanges data over the link"),
    (cards(good_build(), 2), "Every card has its full link."),
    (cards(changed(good_build(), "cpu", pcie_generation=3), 1), "The CPU supports no more."),
]  # fmt: skip


@pytest.mark.parametrize(("build", "words"), WHY)
def test_it_says_why(build: Build, words: str) -> None:
    best = best_placement(build)
    assert any(words in reason for reason in best.reasons), best.reasons


@given(machines(largest=6))
@settings(deadline=None)
def test_the_best_placement_overlaps_nothing_and_applies(build: Build) -> None:
    best = best_placement(build)
    after = best.edit.apply(build)
    bad = {"slot-overlap", "slot-mechanical"}
    assert not [finding for finding in check(after) if finding.rule in bad and finding.status is Status.FAIL]
    assert best == best_placement(build.with_lines(build.lines))


@given(machines(placed=True))
def test_removing_a_card_never_creates_an_overlap(build: Build) -> None:
    before = _overlaps(build)
    for line in build.lines:
        if line.slots:
            assert _overlaps(build.with_lines(tuple(other for other in build.lines if other is not line))) <= before


def test_the_limit_of_trying_all_is_what_a_person_waits_for() -> None:
    assert problem_of(cards(good_build(), 4)).arrangements == 35 < EXHAUSTIVE_LIMIT


@pytest.mark.parametrize(
    ("build", "room"),
    [
        (cards(good_build(), 4), True),
        (cards(good_build(), 5), False),
        (with_line(cards(good_build(), 5), part("riser"), 2), True),
        (cards(changed(good_build(), "case", expansion_slots=7), 4), False),
        (cards(board(slot(1), slot(3), lane_cases=[{"filled": ["S3"], "widths": {"S1": 0}}]), 2), False),
        (cards(changed(good_build(), "gpu"), 64), False),
    ],
)
def test_a_board_has_room_for_all_cards_or_not(build: Build, room: bool) -> None:
    best = best_placement(build)
    assert has_room(build) is best.complete is room


def test_many_more_cards_than_slots_are_no_long_search() -> None:
    slots = [slot(position) for position in range(1, 21)]
    lines = [Line(part("gpu", suffix=f"-{number}"), 16) for number in range(4)]
    build = without(board(*slots), Category.GPU, Category.CASE)
    best = best_placement(build.with_lines((*build.lines, *lines)))
    assert (best.score.placed, best.proved) == (10, True)


def _overlaps(build: Build) -> set[tuple[str, int, str, int]]:
    seated = [(card, covered_positions(card)) for card in build.cards()]
    return {
        (one.part.id, one.number, other.part.id, other.number)
        for one, under in seated
        for other, _ in seated
        if one is not other and under and other.slot in under
    }


@pytest.mark.parametrize(("plug", "seated"), [(8, 1), (16, 0)])
def test_a_riser_goes_where_its_own_plug_fits(plug: int, seated: int) -> None:
    """A card of eight lanes on a riser with a plug of sixteen does not go into a closed slot of eight."""
    build = changed(good_build(), "motherboard", slots=[slot(1, mechanical_lanes=8, lanes=8)])
    build = with_line(with_line(build, part("gpu", pcie_lanes=8), 1, (1,)), part("riser", lanes=plug))
    build = build.with_lines(tuple(replace(line, risers=line.slots) for line in build.lines))
    best = best_placement(build)
    assert sum(card.slot is not None for card in best.edit.apply(build).cards()) == seated
