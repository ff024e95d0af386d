"""Cards before the board: what fits is judged as they would sit, and the board that comes places them."""

import pytest

from core.advise.add_or_replace import add_or_replace
from core.advise.fit_verdict import FitState
from core.advise.fits import fits
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart
from core.plan.line import Line
from core.plan.placement.best import best_placement
from core.predict.prediction import predict
from core.rules.engine import check
from core.rules.finding import Status
from tests.rules.machines import good_build, part, slot, with_line, without
from tests.shipped import parts_by_id, templates

CARDS = Build(lines=(Line(parts_by_id()["asus-turbo-rtx-3090-24g"], 2),))
STRIX, PROART = (
    parts_by_id()[name] for name in ("asus-rog-strix-x870e-e-gaming-wifi", "asus-proart-x670e-creator-wifi")
)


def gpu_slots(build: Build) -> tuple[int, ...]:
    return tuple(slot for line in build.of(Category.GPU) for slot in line.slots)


def failing(build: Build) -> set[str]:
    return {finding.rule for finding in check(build, predict(build)) if finding.status is Status.FAIL}


def test_boards_for_two_waiting_cards_are_told_apart(catalogue: Catalogue) -> None:
    verdicts = fits(CARDS, Category.MOTHERBOARD, catalogue)
    states = {verdicts[board.id].state for board in (STRIX, PROART)}
    assert states == {FitState.WARNS, FitState.FITS}, "a second card on the chipset's four lanes warns"
    counts = [verdict.state for verdict in verdicts.values()]
    assert counts.count(FitState.FITS) >= 20
    assert counts.count(FitState.DOES_NOT) >= 20, "one long slot holds no two cards"


def test_a_board_that_comes_places_the_cards_that_wait() -> None:
    after = add_or_replace(CARDS, PROART, None).apply(CARDS)
    best = best_placement(CARDS.with_lines((*CARDS.lines, Line(PROART))))
    assert gpu_slots(after) == best.slots[CARDS.lines[0].part.id]
    assert len(gpu_slots(after)) == 2


def test_it_is_one_step_that_undo_takes_back() -> None:
    edit = add_or_replace(CARDS, PROART, None)
    assert edit.inverse(CARDS).apply(edit.apply(CARDS)) == CARDS
    assert edit.title == f"Add {PROART.title}"


def test_another_board_places_its_cards_anew() -> None:
    """Slot numbers of one board say nothing about another."""
    build = add_or_replace(CARDS, STRIX, None).apply(CARDS)
    after = add_or_replace(build, PROART, STRIX.id).apply(build)
    assert gpu_slots(after) == gpu_slots(add_or_replace(CARDS, PROART, None).apply(CARDS))
    assert not {"slot-placed", "slot-overlap"} & failing(after)


def test_a_twin_of_the_board_keeps_the_slots_that_somebody_chose() -> None:
    build = with_line(good_build(), part("gpu"), 2, (3, 7))
    twin = part("motherboard", suffix="-twin")
    after = add_or_replace(build, twin, "motherboard").apply(build)
    assert gpu_slots(after) == (3, 7)


def test_cards_that_have_a_slot_stay_where_they_are() -> None:
    build = without(with_line(good_build(), part("gpu"), 2, (5,)), Category.MOTHERBOARD)
    after = add_or_replace(build, part("motherboard"), None).apply(build)
    assert gpu_slots(after)[0] == 5
    assert len(gpu_slots(after)) == 2


def test_what_finds_no_slot_goes_on_waiting() -> None:
    build = without(with_line(good_build(), part("gpu"), 2, ()), Category.MOTHERBOARD)
    after = add_or_replace(build, part("motherboard", slots=[slot(1)]), None).apply(build)
    assert gpu_slots(after) == (1,)


@pytest.mark.parametrize("name", templates())
def test_no_board_of_a_template_replaced_by_itself_moves_a_card(name: str) -> None:
    build = templates()[name]
    for line in build.of(Category.MOTHERBOARD):
        twin = line.part.model_copy(update={"id": "twin"})
        assert gpu_slots(add_or_replace(build, twin, line.part.id).apply(build)) == gpu_slots(build)


def test_a_second_card_takes_the_slot_of_the_cpu_and_not_the_nearer_one_of_the_chipset() -> None:
    chipset, narrow = {"attachment": "chipset", "lanes": 4}, {"lanes": 8}
    board = part("motherboard", slots=[slot(1), slot(3, **chipset), slot(5, **narrow), slot(7, **chipset)])
    build = with_line(with_line(good_build(), board), part("gpu"), 1, (1,))
    assert gpu_slots(AddPart(part("gpu")).apply(build)) == (1, 5)
