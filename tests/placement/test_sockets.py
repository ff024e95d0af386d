"""Which socket each drive is in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.build.board_edits import SetSlotGeneration, SetSockets
from core.build.build import Build
from core.build.file import dump_build, parse_build
from core.build.line import Line
from core.errors import BadInput
from core.parts.vocabulary import Category
from core.placement.links import links
from core.placement.sockets import drive_sockets
from tests.rules.machines import changed, good_build, part, with_line

SOCKETS = [
    {"label": "M2_1", "lanes": 4, "generation": 4},
    {"label": "M2_2", "lanes": 4, "generation": 3},
    {"label": "M2_3", "lanes": 4, "generation": 5},
    {"label": "U2_1", "lanes": 4, "generation": 4},
]
SHARED = [{"filled": ["M2_3"], "widths": {"S1": 8}}, {"filled": ["M2_1"], "widths": {"S2": 0}}]


def board(**changes: object) -> Build:
    return changed(good_build(), "motherboard", **({"m2": SOCKETS} | changes))


def labels(build: Build) -> list[str]:
    return [socket.label for socket in drive_sockets(build).values()]


def test_a_drive_takes_the_fastest_socket_where_none_costs_anything() -> None:
    assert labels(board()) == ["M2_3"]


def test_a_drive_keeps_clear_of_the_lanes_of_cards_and_then_of_free_slots() -> None:
    build = board(lane_cases=SHARED)
    assert labels(build) == ["M2_2"]
    two = with_line(build, part("storage"), 2)
    assert set(labels(two)) == {"M2_1", "M2_2"}, "slot 2 is free, slot 1 holds a card"
    assert [link.lanes for link in links(two).values()] == [16, 16, 16, 16]


def test_a_set_socket_holds_and_costs_the_card_its_lanes() -> None:
    build = SetSockets("storage", ("M2_3",)).apply(board(lane_cases=SHARED))
    assert labels(build) == ["M2_3"]
    assert links(build)["gpu", 1].lanes == 8
    assert labels(SetSockets("storage", ()).apply(build)) == ["M2_2"]


def test_the_fastest_drive_gets_the_fastest_socket() -> None:
    build = board()
    fast = part("storage", suffix="-fast", pcie_generation=5)
    build = build.with_lines((*build.lines, Line(fast, 1)))
    assert {key[0]: socket.label for key, socket in drive_sockets(build).items()} == {
        "storage-fast": "M2_3",
        "storage": "M2_1",
    }


def test_a_u2_drive_takes_a_u2_socket_however_it_is_written() -> None:
    build = changed(board(), "storage", form_factor="U.2")
    assert labels(build) == ["U2_1"]


def test_a_socket_that_the_board_lacks_is_refused() -> None:
    with pytest.raises(BadInput, match="no socket M2_9; it has M2_1"):
        SetSockets("storage", ("M2_9",)).apply(board())
    with pytest.raises(BadInput, match="names a socket twice"):
        SetSockets("storage", ("M2_1", "M2_1")).apply(with_line(board(), part("storage"), 2))
    with pytest.raises(ValueError, match="not a drive"):
        Line(part("gpu"), 1, sockets=("M2_1",))


def test_sockets_and_slot_generations_are_kept_in_the_file() -> None:
    two = with_line(board(), part("storage"), 2)
    build = SetSlotGeneration((1, 5), 3).apply(SetSockets("storage", (None, "M2_1")).apply(two))
    again = parse_build(dump_build(build), lambda _: None)
    assert again == build
    assert (again.of(Category.STORAGE)[0].sockets, again.slot_generations) == ((None, "M2_1"), ((1, 3), (5, 3)))
    assert replace(build, slot_generations=()) == parse_build(
        dump_build(replace(build, slot_generations=())), lambda _: None
    )


def test_a_slot_that_is_set_to_a_generation_is_no_faster_and_can_be_freed_again() -> None:
    build = board()
    edit = SetSlotGeneration((1,), 3)
    slower = edit.apply(build)
    assert [link.generation for link in links(slower).values()] == [3, 4, 4, 4]
    assert SetSlotGeneration((1,), None).apply(slower) == build
    assert edit.inverse(build).apply(slower) == build
    assert links(SetSlotGeneration((1,), 5).apply(build))["gpu", 1].generation == 4, "a setting makes no slot faster"
    with pytest.raises(BadInput, match="Gen9"):
        SetSlotGeneration((1,), 9).apply(build)
