"""No board of the world becomes another: names as real firmware gives them, held against the whole catalogue."""

from functools import cache
from pathlib import Path

import pytest

from core.machine.asbuilt.as_built import LineState, MachineFacts
from core.machine.asbuilt.binding import Notes
from core.machine.asbuilt.inspection import Inspection
from core.machine.asbuilt.machine_lines import machine_lines
from core.machine.asbuilt.new_build import build_of
from core.parts.identity import Exact, Identities, Unknown, is_called
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from tests.shipped import parts_by_id, shipped_of

HERE = Path(__file__).parent
BOARDS = shipped_of(Category.MOTHERBOARD)


def _lines(name: str) -> list[str]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


NAMES = _lines("board_names.txt")
EXPECTED = dict(line.split(" | ") for line in _lines("board_names_expected.txt"))


@cache
def _identities() -> Identities:
    return Identities.of(BOARDS)


def test_of_all_names_those_of_the_table_are_boards_and_no_others() -> None:
    answers = {name: _identities().called(name, Category.MOTHERBOARD) for name in NAMES}
    assert len(NAMES) > 5300
    assert {name: answer.part.id for name, answer in answers.items() if isinstance(answer, Exact)} == EXPECTED


def test_a_board_is_as_planned_only_where_the_table_has_it() -> None:
    likely = [name for name in NAMES if not isinstance(_identities().called(name, Category.MOTHERBOARD), Unknown)]
    same = {(name, part.id) for name in likely for part in BOARDS if isinstance(is_called(part, name), Exact)}
    assert same == set(EXPECTED.items())


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        (
            "ASUSTeK COMPUTER INC. Pro WS WRX80E-SAGE SE",
            {"ASUS Pro WS WRX80E-SAGE SE WIFI", "ASUS Pro WS WRX80E-SAGE SE WIFI II"},
        ),
        ("ASRockRack ROMED8-2T/OVH", {"ASRock Rack ROMED8-2T"}),
        ("Supermicro X10DRi-LN4+", {"Supermicro X10DRi"}),
        ("Supermicro X11DPi-N(T)", {"Supermicro X11DPi-N", "Supermicro X11DPi-NT"}),
        ("ASUSTeK COMPUTER INC. ROG STRIX B450-F GAMING", set()),
        ("Gigabyte Technology Co., Ltd. X299 AORUS MASTER", set()),
        ("Micro-Star International Co., Ltd. MAG B550 TOMAHAWK (MS-7C91)", set()),
        ("Alienware 0XJKKD Area-51 Threadripper Edition", set()),
        ("Qiyida X99-F8D", set()),
    ],
)
def test_a_variant_is_similar_and_another_board_is_nothing(name: str, similar: set[str]) -> None:
    answer = _identities().called(name, Category.MOTHERBOARD)
    assert {part.title for part in getattr(answer, "parts", ())} == similar
    assert not isinstance(answer, Exact)


def test_a_name_without_a_maker_is_a_boards_only_letter_by_letter() -> None:
    assert isinstance(_identities().called("ROMED8-2T"), Exact)
    assert not isinstance(_identities().called("ROMED8-2T ATX"), Exact)
    assert not isinstance(_identities().called("Taichi"), Exact)


def _planned(board: str) -> Build:
    return Build("Plan", (Line(parts_by_id()[board]),))


@pytest.mark.parametrize(
    ("board", "firmware_name", "state"),
    [
        ("asus-rog-strix-x399-e-gaming", "ASUSTeK COMPUTER INC. ROG STRIX X399-E GAMING", LineState.AS_PLANNED),
        ("asus-rog-strix-x399-e-gaming", "ASUSTeK COMPUTER INC. ROG STRIX B450-F GAMING", LineState.DIFFERENT),
        ("supermicro-x10dri-t", "Supermicro X10DRi", LineState.NOT_READABLE),
        ("supermicro-x11dpi-nt", "Supermicro X11DPi-N(T)", LineState.NOT_READABLE),
    ],
)
def test_a_plans_board_that_is_only_similar_is_neither_as_planned_nor_different(
    board: str, firmware_name: str, state: LineState
) -> None:
    [line] = machine_lines(_planned(board), MachineFacts(board=firmware_name))
    assert line.state is state
    assert line.similar == ((parts_by_id()[board].title,) if state is LineState.NOT_READABLE else ())
    assert bool(line.why) is (state is LineState.NOT_READABLE)


@pytest.mark.parametrize(
    ("board", "similar"),
    [
        ("Supermicro X11DPi-N(T)", {"supermicro-x11dpi-n", "supermicro-x11dpi-nt"}),
        ("Supermicro H13DSG-O-CPU", {"supermicro-as-4125gs-tnrt2-board", "supermicro-as-4125gs-tnrt-board"}),
    ],
)
def test_a_build_of_a_machine_names_the_boards_that_it_may_have_and_takes_none(board: str, similar: set[str]) -> None:
    begun = build_of(
        Inspection("2026-11-28", MachineFacts(board=board), ()), parts_by_id().values(), Notes(), "Machine"
    )
    assert begun.build.motherboard is None
    [near] = begun.similar
    assert (near.name, {part.id for part in near.parts}) == (board, similar)
    assert all(part.title in begun.left_out[0] for part in near.parts)
    assert begun.left_out[0] in begun.build.notes
