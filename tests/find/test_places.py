"""A board whose slots stand nobody knows where is taken at its least favourable side."""

from contextlib import closing
from itertools import combinations
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.find.allowed import Lack, lack_of
from core.find.candidates import candidates
from core.find.places import LOWEST, on_real_board, packed
from core.find.search import Objective, search
from core.find.tables import is_failed
from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.vocabulary import Category, FormFactor
from core.plan.build import Build
from core.plan.line import Line
from core.plan.placement.best import has_room
from core.rules.context import RuleContext
from core.rules.registry import BY_ID
from tests.find.tiny import offers_of, wish_of
from tests.rules.machines import part, slot

LANES = st.sampled_from([1, 4, 8, 16])
FIT = ("slot-overlap", "slot-placed", "case-openings", "slot-mechanical")


def board_of(positions: tuple[int, ...], lanes: tuple[int, ...], *, assumed: bool = False) -> Part:
    slots = [slot(position, lanes=wide) for position, wide in zip(positions, lanes, strict=True)]
    return part("motherboard", slots=slots, form_factor="ATX", places_assumed=assumed)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Part, Part, int, int, int]:
    """A board in one of the ways in which its slots may really stand, the board packed, width and count of cards, and
    openings of a case."""
    count = draw(st.integers(1, 7))
    positions = draw(st.sampled_from(list(combinations(range(1, 8), count))))
    lanes = tuple(draw(st.lists(LANES, min_size=count, max_size=count)))
    worst = packed(board_of(positions, lanes, assumed=True))
    assert worst is not None
    width, cards, openings = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(4, 9))
    return board_of(positions, lanes), worst, width, cards, openings


def machine(board: Part, slots: tuple[int, ...], width: int, cards: int, openings: int) -> Build:
    card = part("gpu", width_slots=width, bracket_slots=width, pcie_lanes=16)
    case = part("case", expansion_slots=openings)
    return Build("x", (Line(card, cards, slots), Line(board), Line(case), Line(part("cpu"))))


def stands(build: Build) -> list[str]:
    context = RuleContext(build)
    return [rule for rule in FIT if is_failed(BY_ID[rule], context)]


@given(layouts())
def test_cards_that_fit_the_packed_board_fit_wherever_its_slots_are(layout: tuple[Part, Part, int, int, int]) -> None:
    real, worst, width, cards, openings = layout
    for positions in combinations([one.position for one in worst.spec.slots], cards):
        build = machine(worst, positions, width, cards, openings)
        if not stands(build):
            assert not stands(on_real_board(build, real)), positions
            assert has_room(on_real_board(build, real))


def test_no_board_whose_places_are_stated_has_a_lower_slot(tmp_path: Path) -> None:
    with closing(Catalogue(tmp_path)) as catalogue:
        boards = list(catalogue.parts(category=Category.MOTHERBOARD))
    stated = [board for board in boards if not board.spec.places_assumed]
    placed = [board for board in stated if board.spec.slots and board.spec.form_factor in LOWEST]
    assert len(placed) > 100
    lowest = {board.id: max(one.position for one in board.spec.slots) for board in placed}
    assert not [board.id for board in placed if lowest[board.id] > LOWEST[board.spec.form_factor]]


def test_a_size_that_says_nothing_and_more_slots_than_places_are_left_out() -> None:
    board = board_of((1, 2, 3, 4, 5), (16,) * 5, assumed=True)
    for figures in ({"form_factor": FormFactor.PROPRIETARY}, {"form_factor": FormFactor.MICRO_ATX}):
        other = board.model_copy(update={"spec": board.spec.model_copy(update=figures)})
        assert packed(other) is None
        assert lack_of(other, wish_of(0)) is Lack.PLACES


def test_the_answer_names_the_board_that_is_bought_with_its_own_slots() -> None:
    answered = 0
    for seed in range(60):
        wish, offers = wish_of(seed), offers_of(seed)
        best = search(wish, candidates(wish, offers), Objective.CHEAPEST).best
        board = None if best is None else best.build.motherboard
        if best is None or board is None or not board[1].places_assumed:
            continue
        answered += 1
        assert board[0] in [offer.part for offer in offers.by_category[Category.MOTHERBOARD]]
        places = {one.position for one in board[1].slots or ()}
        assert {card.slot for card in best.build.cards()} <= places
    assert answered
