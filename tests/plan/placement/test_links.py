"""The link that each card really gets, and the socket that each drive is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from core.parts.specs import GpuSpec, NicSpec, RiserSpec
from core.parts.vocabulary import Attachment, Category
from core.plan.build import Build
from core.plan.card_edits import SetSlotGeneration, SetSockets
from core.plan.file import dump_build, parse_build
from core.plan.line import Line
from core.plan.placement.links import WIDTHS, LinkLimit, Population, link_gbps, links
from core.plan.placement.sockets import drive_sockets
from core.platform.errors import BadInput
from tests.plan.placement.boards import machines
from tests.rules.machines import changed, good_build, part, slot, with_line

GPU = ("gpu", 1)


def on_board(at: tuple[int, ...], **changes: object) -> Build:
    return with_line(changed(good_build(), "motherboard", **changes), part("gpu"), len(at), at)


@pytest.mark.parametrize(
    ("generation", "lanes", "gbps"), [(1, 16, 4.0), (2, 16, 8.0), (3, 16, 15.75), (4, 16, 31.5), (5, 16, 63.0)]
)
def test_a_link_carries_what_the_standard_says(generation: int, lanes: int, gbps: float) -> None:
    assert link_gbps(generation, lanes) == pytest.approx(gbps, rel=0.001)


def test_a_slot_with_nothing_to_share_gives_the_card_its_own_link() -> None:
    link = links(good_build())[GPU]
    assert (link.lanes, link.generation, link.limits, link.root) == (16, 4, (), "CPU 1")
    assert link.gbps == link.full_gbps == pytest.approx(31.5, rel=0.001)


ROWS = [
    {"filled": ["S3"], "widths": {"S1": 8}},
    {"filled": ["M2_1"], "widths": {"S7": 4}},
    {"filled": ["S3", "S5"], "widths": {"S1": 4}},
    {"filled": [], "widths": {"S5": 8}, "cpu_lanes": 28},
    {"filled": [], "widths": {"S5": 4}, "cpu_lanes": 16},
]


@pytest.mark.parametrize(
    ("slots", "cpu_lanes", "lanes"),
    [
        ((1,), 128, {1: 16}),
        ((1, 3), 128, {1: 8, 3: 16}),
        ((1, 3, 5), 128, {1: 4, 3: 16, 5: 16}),
        ((1, 7), 128, {1: 16, 7: 4}),
        ((1, 3, 5, 7), 128, {1: 4, 3: 16, 5: 16, 7: 4}),
        ((5,), 28, {5: 8}),
        ((5,), 16, {5: 4}),
        ((5,), None, {5: 16}),
    ],
)
def test_the_row_with_the_most_entries_that_hold_wins_for_each_slot(
    slots: tuple[int, ...], cpu_lanes: int | None, lanes: dict[int, int]
) -> None:
    build = changed(on_board(slots, lane_cases=ROWS), "cpu", pcie_lanes=cpu_lanes)
    assert {link.slot.position: link.lanes for link in links(build).values()} == lanes


def riser(**changes: object) -> Callable[[Build], Build]:
    def apply(build: Build) -> Build:
        on_risers = tuple(replace(line, risers=line.slots) if line.slots else line for line in build.lines)
        return build.with_lines((*on_risers, Line(part("riser", **changes), 4)))

    return apply


@pytest.mark.parametrize(
    ("build", "lanes", "generation", "limits"),
    [
        (on_board((1,), lane_cases=[{"filled": ["S1"], "widths": {"S1": 12}}]), 8, 4, (LinkLimit.POPULATION,)),
        (on_board((1,), slots=[slot(1, lanes=8, generation=3)]), 8, 3, (LinkLimit.SLOT,)),
        (on_board((1,), slots=[slot(1, cpu=1)]), 0, None, (LinkLimit.NO_CPU,)),
        (on_board((1,), slots=[slot(1, cpu=1, attachment="chipset")]), 16, 4, ()),
        (changed(good_build(), "cpu", pcie_lanes=28, pcie_generation=3), 16, 3, (LinkLimit.CPU,)),
        (changed(good_build(), "cpu", pcie_lanes=12), 8, 4, (LinkLimit.CPU,)),
        (changed(good_build(), "gpu", pcie_lanes=None), None, 4, ()),
        (riser(lanes=1, generation=2)(good_build()), 1, 2, (LinkLimit.RISER,)),
        (riser(lanes=None, generation=None)(good_build()), 16, 4, ()),
    ],
)
def test_what_holds_a_link_back_is_named(
    build: Build, lanes: int | None, generation: int | None, limits: tuple[LinkLimit, ...]
) -> None:
    link = links(build)[GPU]
    assert (link.lanes, link.generation, link.limits) == (lanes, generation, limits)


def test_the_best_riser_goes_to_the_first_gpu() -> None:
    build = riser(lanes=1, generation=2)(good_build())
    build = build.with_lines((*build.lines, Line(part("riser", suffix="-good", lanes=16, generation=4), 1)))
    by_card = links(build)
    assert [by_card["gpu", number].lanes for number in (1, 2, 3, 4)] == [16, 1, 1, 1]


def test_drives_take_the_sockets_of_their_kind_in_the_boards_order() -> None:
    sockets = [{"label": label, "lanes": 4} for label in ("U.2", "M2_1", "M2_2")]
    build = changed(good_build(), "motherboard", m2=sockets)
    assert Population(build).sockets == {"M2_1"}
    assert Population(changed(build, "storage", form_factor="U.2")).sockets == {"U.2"}
    assert Population(with_line(build, part("storage"), 3)).sockets == {"M2_1", "M2_2"}


@given(machines(placed=True))
def test_a_width_never_exceeds_slot_card_riser_or_cpu(build: Build) -> None:
    cpu = [spec.pcie_lanes for _, spec in build.cpus() if spec.pcie_lanes is not None]
    for link in links(build).values():
        if link.lanes is None:
            continue
        spec = link.card.part.spec
        assert isinstance(spec, (GpuSpec, NicSpec))
        assert link.lanes in (0, *WIDTHS)
        assert link.lanes <= link.slot.lanes
        assert link.lanes <= (spec.pcie_lanes or 16)
        if link.riser is not None:
            assert isinstance(link.riser.spec, RiserSpec)
            assert link.lanes <= (link.riser.spec.lanes or 16)
        if link.slot.attachment is not Attachment.CHIPSET:
            assert all(link.lanes <= lanes for lanes in cpu)
        assert link.gbps is None or link.full_gbps is None or link.gbps <= link.full_gbps


@given(machines(placed=True))
def test_links_do_not_depend_on_the_order_of_the_parts(build: Build) -> None:
    assert links(build) == links(build.with_lines(build.lines[::-1]))


# Which socket each drive is in

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
