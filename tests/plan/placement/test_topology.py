"""How two cards reach each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from core.plan.build import Build
from core.plan.line import Line
from core.plan.placement.nvlink import bridged_pairs
from core.plan.placement.topology import Path, matrix, pairs
from core.plan.seats import SlotNumber
from core.rules.context import RuleContext
from tests.plan.placement.boards import machines
from tests.rules.machines import changed, good_build, part, slot, with_line
from tests.shipped import parts_by_id


def at(attachment: str | None, cpu: int = 0, switch: str | None = None, root: str | None = None) -> dict[str, Any]:
    return {"attachment": attachment, "cpu": cpu, "switch": switch, "root": root}


CPU, CPU2 = at("cpu"), at("cpu", 1)
A, B = at("switch", switch="A"), at("switch", switch="B")
R0, R1 = at("cpu", root="00"), at("cpu", root="40")
CASES = [
    (CPU, CPU, "AM5", Path.PHB),
    (CPU, CPU, "LGA2011-3", Path.PHB),
    (CPU, CPU, "SP3", Path.ONE_CPU),
    (CPU, CPU, "LGA2066", Path.ONE_CPU),
    (R0, R0, "SP3", Path.PHB),
    (R0, R1, "SP3", Path.NODE),
    (R0, CPU, "SP3", Path.ONE_CPU),
    (R0, R1, "AM5", Path.PHB),
    (R0, R0, None, Path.PHB),
    (R0, R1, None, Path.NODE),
    (R0, at("cpu", 1, root="00"), "SP3", Path.SYS),
    (at("switch", switch="A", root="00"), at("switch", switch="B", root="00"), "SP3", Path.PHB),
    (at("switch", switch="A", root="00"), at("switch", switch="A", root="00"), "SP3", Path.PIX),
    (at("switch", switch="A", root="00"), R1, "SP3", Path.NODE),
    (at("chipset", root="00"), R0, "sWRX8", Path.PHB),
    (CPU, CPU, None, None),
    (CPU, CPU2, "SP3", Path.SYS),
    (CPU, CPU2, None, Path.SYS),
    (A, A, "LGA2011-3", Path.PIX),
    (A, A, None, Path.PIX),
    (A, B, "LGA2011-3", Path.PHB),
    (A, B, "LGA3647", Path.ONE_CPU),
    (A, CPU, "LGA2011-3", Path.PHB),
    (at("switch", switch="PEX/0"), at("switch", switch="PEX/1"), "SP3", Path.PXB),
    (at("switch", 0, "A"), at("switch", 1, "B"), "LGA3647", Path.SYS),
    (at("chipset"), CPU, "AM5", Path.PHB),
    (at("chipset", 1), CPU, "LGA3647", Path.ONE_CPU),
    (at("chipset"), CPU2, "LGA3647", Path.SYS),
    (at(None), CPU, "AM5", None),
]


@pytest.mark.parametrize(("first", "second", "socket", "path"), CASES)
def test_a_path_has_the_class_of_nvidia_smi(
    first: dict[str, Any], second: dict[str, Any], socket: str | None, path: Path | None
) -> None:
    for one, other in ((first, second), (second, first)):
        slots = [slot(1, **one), slot(3, **other)]
        build = changed(two(*slots), "motherboard", slots=slots, socket=socket)
        assert [pair.path for pair in pairs(build)] == [path]


SPLITTER = {"kind": "splitter", "host": "slot", "host_lanes": 16, "generation": 4}
EIGHTS = [{"number": 1, "lanes": 8}, {"number": 3, "lanes": 8}]


def split(*slots: dict[str, Any], hosts: tuple[int, ...], seats: tuple[str, str]) -> Build:
    """Two cards on seats of splitters in these slots."""
    build = changed(good_build(), "motherboard", slots=list(slots))
    build = with_line(build, part("carrier", **SPLITTER, seats=EIGHTS, switched=False), len(hosts))
    line = replace(build.lines[-1], hosts=tuple((SlotNumber(host),) for host in hosts))
    build = build.with_lines((*build.lines[:-1], line))
    return with_line(build, part("gpu"), 2, tuple(SlotNumber.parse(seat) for seat in seats))


@pytest.mark.parametrize(
    ("build", "path"),
    [
        (split(slot(1), hosts=(1,), seats=("C1/1", "C1/3")), Path.PHB),
        (split(slot(1), slot(5), hosts=(1, 5), seats=("C1/1", "C2/1")), Path.ONE_CPU),
        (split(slot(1, root="00"), slot(5, root="40"), hosts=(1, 5), seats=("C1/1", "C2/1")), Path.NODE),
        (split(slot(1, root="00"), slot(5, root="00"), hosts=(1, 5), seats=("C1/1", "C2/1")), Path.PHB),
    ],
)
def test_seats_have_the_root_complex_of_what_their_carrier_sits_in(build: Build, path: Path) -> None:
    """Those that split one slot share its root complex, whether or not the board's data name it."""
    assert [pair.path for pair in pairs(build)] == [path]


def pair_of(build: Build) -> tuple[str, float | None]:
    pair = pairs(build)[0]
    return pair.word, pair.gbps and round(pair.gbps, 1)


def two(*slots: dict[str, Any], **gpu: Any) -> Build:
    build = changed(good_build(), "motherboard", slots=list(slots))
    return with_line(build, part("gpu", **gpu), 2, tuple(int(str(row["position"])) for row in slots))


@pytest.mark.parametrize(
    ("build", "word", "gbps"),
    [
        (two(slot(1), slot(3, lanes=8)), "NODE?", 15.8),
        (two(slot(1, attachment="switch", switch="A"), slot(3, attachment="switch", switch="A")), "PIX", 31.5),
        (two(slot(1), slot(3, attachment="chipset")), "NODE?", 7.9),
        (two(slot(1), slot(3), pcie_lanes=None), "NODE?", None),
        (two(slot(1), slot(3, attachment=None)), "?", 31.5),
    ],
)
def test_a_pair_has_the_least_bandwidth_on_its_way(build: Build, word: str, gbps: float | None) -> None:
    assert pair_of(build) == (word, gbps)


BRIDGED = {"nvlink_links": 12, "nvlink_gbps": 600, "nvlink_generation": 3}


@pytest.mark.parametrize(
    ("gpu", "bridge", "quantity", "joined", "gbps"),
    [
        ({}, {}, 1, 1, None),
        ({}, {}, 2, 2, None),
        ({}, {"spacing_slots": 4}, 2, 2, None),
        ({}, {"spacing_slots": 3}, 2, 0, None),
        ({}, {"spacing_slots": None}, 2, 0, None),
        (BRIDGED, {"bandwidth_gbps": 200, "generation": 3}, 3, 1, 300),
        (BRIDGED, {"bandwidth_gbps": 200, "generation": 3}, 6, 2, 300),
        (BRIDGED, {"bandwidth_gbps": 200, "generation": 3}, 2, 0, None),
        (BRIDGED, {"bandwidth_gbps": 100, "generation": 2}, 6, 0, None),
        ({"nvlink_links": 0}, {}, 2, 0, None),
    ],
)
def test_bridges_join_pairs_at_their_spacing(
    gpu: dict[str, object], bridge: dict[str, object], quantity: int, joined: int, gbps: float | None
) -> None:
    build = changed(good_build(), "gpu", **gpu)
    build = build.with_lines((*build.lines, Line(part("nvlink_bridge", **bridge), quantity)))
    bridged = bridged_pairs(build)
    assert (len(bridged), bridged[0].gbps if bridged else None) == (joined, gbps)
    assert sum(pair.word == "NV" for pair in pairs(build)) == joined


def test_a_card_on_a_riser_takes_no_bridge() -> None:
    build = with_line(good_build(), part("nvlink_bridge"), 2)
    on_risers = Line(part("gpu"), 4, (1, 3, 5, 7), (1,))
    build = build.with_lines(tuple(on_risers if line.part.id == "gpu" else line for line in build.lines))
    assert [pair.cards for pair in bridged_pairs(build)] == [(("gpu", 2), ("gpu", 3))]


def on_board(board: str, *slots: int) -> Build:
    """Cards in these slots of a shipped board."""
    return Build(lines=(Line(parts_by_id()[board]), Line(part("cpu")), Line(part("gpu"), len(slots), slots)))


def test_two_cards_in_the_slots_that_a_builder_moved_them_to_share_a_host_bridge() -> None:
    """club-3090 1098: PHB in PCIE1 and PCIE5 of the WRX80 Creator, both on root 00."""
    assert [pair.path for pair in pairs(on_board("asrock-wrx80-creator", 1, 5))] == [Path.PHB]


@pytest.mark.parametrize(
    ("board", "slots", "words"),
    [
        ("asrock-rack-romed8-2t", (1, 3, 5, 7), ["NODE", "NODE", "PHB", "NODE", "NODE", "NODE"]),
        ("supermicro-h12ssl-i", (1, 3, 5, 7), ["NODE", "NODE", "PHB", "PHB", "NODE", "NODE"]),
        ("gigabyte-mz32-ar0", (2, 4, 7), ["NODE", "NODE", "NODE"]),
        ("asus-pro-ws-wrx80e-sage-se-wifi", (1, 3, 6), ["NODE", "PHB", "NODE"]),
        ("asrock-rack-genoad8x-2t-bcm", (2, 4), ["NODE?"]),
    ],
)
def test_a_shipped_board_says_which_of_its_slots_share_a_root(
    board: str, slots: tuple[int, ...], words: list[str]
) -> None:
    assert [pair.word for pair in pairs(on_board(board, *slots))] == words


def test_four_switches_on_three_root_complexes_read_as_the_driver_printed_them() -> None:
    """rtx6kpro, WRX90 WS EVO with sixteen cards: root 00, 40, and two switches on e0; 53.1 GB/s there, 52.8 across."""
    roots = {1: "00", 3: "40", 5: "E0", 7: "E0"}
    slots = [slot(at, root=root, generation=5) for at, root in roots.items()]
    build = changed(good_build(), "motherboard", slots=slots, socket="sTR5")
    seats = [{"number": number, "lanes": 16} for number in (1, 3, 5, 7)]
    switch = part("carrier", kind="switch", host="slot", host_lanes=16, generation=5, switched=True, seats=seats)
    build = build.with_lines((*build.lines, Line(switch, 4, hosts=tuple((SlotNumber(at),) for at in roots))))
    cards = tuple(SlotNumber.on_carrier(number, seat) for number in range(1, 5) for seat in (1, 3, 5, 7))
    build = with_line(build, part("gpu"), 16, cards)
    machine = RuleContext(build)
    rows = matrix(list(machine.links.values()), machine.pairs)
    between = ["PIX NODE NODE NODE", "NODE PIX NODE NODE", "NODE NODE PIX PHB", "NODE NODE PHB PIX"]
    for at, row in enumerate(rows):
        printed = [word for word in between[at // 4].split() for _ in range(4)]
        printed[at] = "X"
        assert row == printed


@given(machines(placed=True))
def test_the_matrix_is_symmetric_and_names_every_pair(build: Build) -> None:
    machine = RuleContext(build)
    gpus = [link for link in machine.links.values() if link.card.part.category == "gpu"]
    rows = matrix(gpus, machine.pairs)
    assert len(machine.pairs) == len(gpus) * (len(gpus) - 1) // 2
    for row, one in enumerate(rows):
        assert one[row] == "X"
        assert one == [rows[column][row] for column in range(len(rows))]


def test_only_unknown_attachments_or_sockets_leave_a_class_open() -> None:
    witnesses = {"no attachment": 0, "no socket": 0}

    @given(machines(placed=True, smallest=4))
    @settings(max_examples=100)
    def look(build: Build) -> None:
        board = build.motherboard
        for pair in RuleContext(build).pairs:
            if pair.path is None:
                unknown = None in (pair.first.slot.attachment, pair.second.slot.attachment)
                assert unknown or (board is not None and board[1].socket is None)
                witnesses["no attachment" if unknown else "no socket"] += 1

    look()
    assert all(witnesses.values()), witnesses
