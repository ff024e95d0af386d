"""The comparison on machines in the form that real boards have: what firmware calls slots, and how bridges nest."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.burnin.stages.preflight import link_problem
from core.machine.asbuilt.as_built import AsBuilt, LineState, LineSubject
from core.machine.asbuilt.binding import Notes
from core.machine.asbuilt.inspection import hold_against, inspect
from core.machine.asbuilt.texts.description import read_descriptions
from core.parts.part import Part
from core.plan.build import Build
from core.plan.line import Line
from core.platform.errors import BadInput
from tests.machine.asbuilt.recorded import RecordedCard, RecordedMachine, devices_of, write_machine
from tests.shipped import parts_by_id, templates

PARTS = parts_by_id()


def part(id_: str) -> Part:
    return PARTS[id_]


def build(board: str, gpu: str, slots: tuple[int, ...], **more: int) -> Build:
    others = tuple(Line(part(id_.replace("_", "-")), count) for id_, count in more.items())
    return Build("Plan", (Line(part(board)), Line(part(gpu), len(slots), slots), *others))


def titan(bus: int, *way: str, uuid: str, **facts: object) -> RecordedCard:
    card = RecordedCard((*way, f"0000:{bus:02x}:00.0"), "10de:17c2", "GeForce GTX TITAN X", 12_210, uuid)
    return replace(card, **facts)  # type: ignore[arg-type]


# Two PLX switches, two cards behind each; the firmware names the switches' ports below which the cards are.
_A, _B = ("0000:00:02.0", "0000:02:00.0"), ("0000:00:03.0", "0000:07:00.0")
DEVBOX_CARDS = (
    titan(4, *_A, "0000:03:08.0", uuid="GPU-a1"),
    titan(5, *_A, "0000:03:10.0", uuid="GPU-a3"),
    titan(9, *_B, "0000:08:08.0", uuid="GPU-b5"),
    titan(10, *_B, "0000:08:10.0", uuid="GPU-b7"),
)
DEVBOX_PORTS = {1: "0000:03:08.0", 3: "0000:03:10.0", 5: "0000:08:08.0", 7: "0000:08:10.0"}
DEVBOX_SLOTS = tuple((f"PCIEX16_{number}", DEVBOX_PORTS.get(number)) for number in range(1, 8))
DEVBOX = RecordedMachine(
    ("ASUSTeK COMPUTER INC.", "X99-E WS"),
    ("Intel(R) Core(TM) i7-5930K CPU @ 3.50GHz",),
    DEVBOX_CARDS,
    DEVBOX_SLOTS,
    tuple((f"DIMM_{name}", 16_384) for name in ("A1", "B1", "C1", "D1")),
    drives=(
        ("nvme0n1", "SAMSUNG SM951", 512),
        ("sda", "Samsung SSD 850 EVO", 250),
        *((name, "WDC WD30EFRX-68E", 3001) for name in ("sdb", "sdc", "sdd")),
    ),
    memory_kb=65_800_000,
)


def held(tmp_path: Path, machine: RecordedMachine, plan: Build, notes: Notes = Notes(), **how: bool) -> AsBuilt:  # noqa: B008
    root = write_machine(tmp_path, machine, **how)
    return hold_against(plan, inspect(devices_of(machine.cards), root), notes)


def states(as_built: AsBuilt, subject: LineSubject) -> dict[str, LineState]:
    return {line.what: line.state for line in as_built.lines if line.subject is subject}


DEVBOX_PLAN = templates()["digits-devbox"]
IN_ALL_SLOTS = dict.fromkeys(("PCIEX16_1", "PCIEX16_3", "PCIEX16_5", "PCIEX16_7"), LineState.AS_PLANNED)


def test_a_devbox_as_planned_has_each_card_in_its_slot(tmp_path: Path) -> None:
    as_built = held(tmp_path, DEVBOX, DEVBOX_PLAN)
    assert states(as_built, LineSubject.CARD) == states(as_built, LineSubject.LINK) == IN_ALL_SLOTS
    assert [(card.device, card.position, card.bound_by) for card in as_built.cards] == [
        ("GPU-a1", 1, "DMI"), ("GPU-a3", 3, "DMI"), ("GPU-b5", 5, "DMI"), ("GPU-b7", 7, "DMI"),
    ]  # fmt: skip
    assert states(as_built, LineSubject.BOARD) == {"Board": LineState.AS_PLANNED}
    assert states(as_built, LineSubject.CPU) == {"CPU": LineState.AS_PLANNED}
    assert states(as_built, LineSubject.RAM) == {"RAM": LineState.AS_PLANNED}
    drives = {line.planned: line.state for line in as_built.lines if line.subject is LineSubject.DRIVE}
    assert drives["Samsung SM951 512 GB"] is drives["Samsung 850 EVO 250 GB"] is LineState.AS_PLANNED
    assert as_built.machine.board_serial == "B-0815"
    assert as_built.machine.modules[0].serial == "S-DIMM_A1"
    assert as_built.blocking == ()


def test_a_missing_card_blocks_and_names_its_slot(tmp_path: Path) -> None:
    without = replace(DEVBOX, cards=DEVBOX_CARDS[:2] + DEVBOX_CARDS[3:])
    as_built = held(tmp_path, without, DEVBOX_PLAN)
    assert states(as_built, LineSubject.CARD) == IN_ALL_SLOTS | {"PCIEX16_5": LineState.MISSING}
    assert [line.key for line in as_built.blocking] == ["slot 5"]
    assert "PCIEX16_5" not in states(as_built, LineSubject.LINK)


def test_a_narrower_link_is_that_slots(tmp_path: Path) -> None:
    cards = (replace(DEVBOX_CARDS[0], lanes=8), *DEVBOX_CARDS[1:])
    as_built = held(tmp_path, replace(DEVBOX, cards=cards), DEVBOX_PLAN)
    [line] = [line for line in as_built.lines if line.subject is LineSubject.LINK and line.state is LineState.DIFFERENT]
    assert (line.what, line.planned, line.found, line.device) == ("PCIEX16_1", "PCIe 3.0 x16", "PCIe 3.0 x8", "GPU-a1")
    assert not as_built.blocking
    problems = {card.uuid: link_problem(as_built, card.device()) for card in cards}
    assert problems.pop("GPU-a1", "").startswith(
        "PCIEX16_1: its link supports PCIe 3.0 x8 at most, the plan has PCIe 3.0 x16."
    )
    assert set(problems.values()) == {None}


def test_another_vbios_is_told_of_the_card_that_has_it(tmp_path: Path) -> None:
    cards = (*DEVBOX_CARDS[:3], replace(DEVBOX_CARDS[3], vbios="84.00.45.00.90"))
    [line] = [
        line
        for line in held(tmp_path, replace(DEVBOX, cards=cards), DEVBOX_PLAN).lines
        if line.subject is LineSubject.VBIOS
    ]
    assert (line.what, line.found, line.state) == ("PCIEX16_7", "84.00.45.00.90", LineState.DIFFERENT)
    assert "3 of 4 cards have 84.00.1F.00.01" in line.why


def test_two_cards_of_different_products_that_are_swapped_are_both_told(tmp_path: Path) -> None:
    ways = [("0000:40:01.1", "0000:41:00.0"), ("0000:00:01.1", "0000:01:00.0")]
    a6000 = RecordedCard(ways[0], "10de:2230", "NVIDIA RTX A6000", 49_140, "GPU-a", rate="16.0 GT/s PCIe")
    ada = RecordedCard(ways[1], "10de:26b1", "NVIDIA RTX 6000 Ada Generation", 49_140, "GPU-b", rate="16.0 GT/s PCIe")
    machine = RecordedMachine(
        ("ASUSTeK COMPUTER INC.", "Pro WS WRX80E-SAGE SE WIFI"),
        ("AMD Ryzen Threadripper PRO 5975WX 32-Cores",),
        (a6000, ada),
        (("PCIEX16_1", "0000:41:00.0"), ("PCIEX16_2", "0000:01:00.0"), ("PCIEX16_3", None)),
    )
    lines = (Line(part("nvidia-rtx-a6000"), 1, (2,)), Line(part("nvidia-rtx-6000-ada"), 1, (1,)))
    plan = Build("Plan", (Line(part("asus-pro-ws-wrx80e-sage-se-wifi")), *lines))
    as_built = held(tmp_path, machine, plan)
    cards = {
        line.what: (line.planned, line.found, line.state) for line in as_built.lines if line.subject is LineSubject.CARD
    }
    assert cards == {
        "PCIEX16_1": ("RTX 6000 Ada Generation", "RTX A6000", LineState.DIFFERENT),
        "PCIEX16_2": ("RTX A6000", "RTX 6000 Ada Generation", LineState.DIFFERENT),
    }
    assert {line.key for line in as_built.blocking} == {"slot 1", "slot 2"}


def rtx3090(address: str, port: str, uuid: str, **facts: object) -> RecordedCard:
    card = RecordedCard((port, address), "10de:2204", "NVIDIA GeForce RTX 3090", 24_576, uuid, rate="16.0 GT/s PCIe")
    return replace(card, **facts)  # type: ignore[arg-type]


BOARDS = [
    # Board of the catalogue, its own names by firmware, and the names that its firmware gives two slots: by the
    # card's address, by the port's, by words around the label.
    ("asus-x99-e-ws", ("ASUSTeK COMPUTER INC.", "X99-E WS"), {1: "PCIEX16_1", 5: "PCIEX16_5"}, "port"),
    ("supermicro-h12ssl-i", ("Supermicro", "H12SSL-i"), {3: "CPU SLOT5 PCI-E 4.0 X16", 7: "CPU SLOT1 PCI-E 4.0 X16"},
     "card"),
    ("supermicro-x11dai-n", ("Supermicro", "X11DAi-N"), {7: "CPU1 SLOT1 PCI-E 3.0 X16", 3: "CPU2 SLOT5 PCI-E 3.0 X16"},
     "card"),
    ("asrock-rack-romed8-2t", ("ASRockRack", "ROMED8-2T"), {1: "PCIE7", 3: "PCIE5"}, "port"),
    ("dell-poweredge-t640-board", ("Dell Inc.", "04WYPY"), {1: "PCIe Slot 1", 8: "PCIe Slot 8"}, "card"),
    ("asus-pro-ws-wrx80e-sage-se-wifi", ("ASUSTeK COMPUTER INC.", "Pro WS WRX80E-SAGE SE WIFI"),
     {1: "PCIEX16_1", 7: "PCIEX16_7"}, "port"),
    ("asus-proart-x670e-creator-wifi", ("ASUSTeK COMPUTER INC.", "ProArt X670E-CREATOR WIFI"),
     {2: "PCIEX16(G5)_1", 5: "PCIEX16(G5)_2"}, "port"),
    ("gigabyte-ga-x99-designare-ex", ("Gigabyte Technology Co., Ltd.", "X99-Designare EX-CF"),
     {1: "PCIE_1 slot 1", 6: "PCIE slot 6"}, "card"),
]  # fmt: skip


@pytest.mark.parametrize(("board", "names", "designations", "named"), BOARDS, ids=[row[0] for row in BOARDS])
def test_cards_are_found_in_the_slots_of_real_boards(
    tmp_path: Path, board: str, names: tuple[str, str], designations: dict[int, str], named: str
) -> None:
    first, second = designations
    cards = (rtx3090("0000:01:00.0", "0000:00:01.1", "GPU-1"), rtx3090("0000:81:00.0", "0000:80:03.1", "GPU-2"))
    ends = [card.way[0] if named == "port" else card.address for card in cards]
    slots = tuple((designations[position], end) for position, end in zip((first, second), ends, strict=True))
    machine = RecordedMachine(names, (), cards, slots)
    as_built = held(tmp_path, machine, build(board, "nvidia-rtx-3090-founders-edition", (first, second)))
    assert [(card.device, card.position) for card in as_built.cards] == [("GPU-1", first), ("GPU-2", second)]
    assert set(states(as_built, LineSubject.CARD).values()) == {LineState.AS_PLANNED}


def test_without_the_firmwares_table_cards_count_and_the_slot_is_said_to_be_unknown(tmp_path: Path) -> None:
    as_built = held(tmp_path, DEVBOX, DEVBOX_PLAN, as_root=False)
    assert states(as_built, LineSubject.CARD) == IN_ALL_SLOTS
    assert [card.position for card in as_built.cards] == [None] * 4
    assert all("is not known" in line.why for line in as_built.lines if line.subject is LineSubject.CARD)
    assert as_built.machine.board == "ASUSTeK COMPUTER INC. X99-E WS"
    assert "slots" in as_built.machine.for_root_only
    [ram] = [line for line in as_built.lines if line.subject is LineSubject.RAM]
    assert ram.state is LineState.AS_PLANNED
    assert "Only root may read it" in ram.why


def test_a_card_in_another_slot_is_reported_and_does_not_block(tmp_path: Path) -> None:
    slots = tuple(
        ("PCIEX16_2" if name == "PCIEX16_3" else name, at) for name, at in DEVBOX_SLOTS if name != "PCIEX16_2"
    )
    as_built = held(tmp_path, replace(DEVBOX, slots=slots), DEVBOX_PLAN)
    assert states(as_built, LineSubject.SLOT) == {"PCIEX16_3": LineState.DIFFERENT}
    moved = next(line.found for line in as_built.lines if line.subject is LineSubject.SLOT)
    assert moved == "GeForce GTX TITAN X in PCIEX16_2"
    assert not as_built.blocking


def test_the_user_says_in_which_slot_a_card_sits_and_which_serial_it_has(tmp_path: Path) -> None:
    notes = Notes(
        board="ASUSTeK COMPUTER INC. X99-E WS", slots={"0000:04:00.0": 3, "0000:05:00.0": 1}, serials={"GPU-a1": "0324"}
    )
    as_built = held(tmp_path, DEVBOX, DEVBOX_PLAN, notes, as_root=False)
    first = as_built.card("GPU-a1")
    assert (first.position, first.slot, first.bound_by, first.serial, first.serial_typed) == (
        3, "PCIEX16_3", "set by the user", "0324", True,
    )  # fmt: skip
    elsewhere = replace(DEVBOX, board=("Maker", "Another board"))
    moved = held(tmp_path / "other", elsewhere, DEVBOX_PLAN, notes, as_root=False)
    assert all(card.position is None for card in moved.cards)


def test_two_riser_boards_with_a_slot_of_the_same_name_bind_to_neither(tmp_path: Path) -> None:
    cards = (rtx3090("0000:41:00.0", "0000:40:01.1", "GPU-1"), rtx3090("0000:81:00.0", "0000:80:03.1", "GPU-2"))
    slots = (("RSC-W-66G4 SLOT1 PCI-E 4.0 X16", "0000:41:00.0"), ("RSC-WR-6 SLOT1 PCI-E 4.0 X16", "0000:81:00.0"))
    machine = RecordedMachine(("Supermicro", "H12SSL-i"), (), cards, slots)
    as_built = held(tmp_path, machine, build("supermicro-h12ssl-i", "nvidia-rtx-3090-founders-edition", (3, 7)))
    assert [card.position for card in as_built.cards] == [None, None]
    assert [card.slot for card in as_built.cards] == [name for name, _ in slots]


def test_a_radeon_whose_driver_nobody_asks_is_found_on_the_bus(tmp_path: Path) -> None:
    card = RecordedCard(("0000:00:01.1", "0000:03:00.0"), "1002:7448", "", 0, "")
    machine = RecordedMachine(("Maker", "Board"), (), (card,))
    as_built = hold_against(None, inspect([], write_machine(tmp_path, machine)))
    assert [(one.product, one.pci_address, one.link_lanes) for one in as_built.cards] == [
        ("Radeon PRO W7900", "0000:03:00.0", 16)
    ]


def test_other_modules_another_board_and_a_missing_drive_are_reported(tmp_path: Path) -> None:
    machine = replace(
        DEVBOX, board=("Micro-Star", "X99A TOMAHAWK"), modules=DEVBOX.modules[:3], drives=DEVBOX.drives[1:],
        cpus=("Intel(R) Core(TM) i7-5820K CPU @ 3.30GHz",), psus=(("PSU1", 1600),),
    )  # fmt: skip
    as_built = held(tmp_path, machine, DEVBOX_PLAN)
    line_states = {(line.subject, line.planned.split()[0]): line.state for line in as_built.lines}
    assert line_states[LineSubject.BOARD, "ASUS"] is LineState.DIFFERENT
    assert line_states[LineSubject.CPU, "Intel"] is LineState.DIFFERENT
    assert line_states[LineSubject.RAM, "4"] is LineState.DIFFERENT
    assert line_states[LineSubject.PSU, "EVGA"] is LineState.AS_PLANNED
    missing = [line.planned for line in as_built.lines if line.state is LineState.MISSING]
    assert missing == ["Samsung SM951 512 GB"]


def test_a_saved_copy_says_the_same_elsewhere(tmp_path: Path) -> None:
    root = write_machine(tmp_path / "machine", DEVBOX)
    read = inspect(devices_of(DEVBOX_CARDS), root)
    copy = tmp_path / "machine.json"
    copy.write_text(read.as_json(), encoding="utf-8")
    assert hold_against(DEVBOX_PLAN, read_descriptions([copy])) == hold_against(DEVBOX_PLAN, read)
    assert AsBuilt.from_json(hold_against(DEVBOX_PLAN, read).as_json()) == hold_against(DEVBOX_PLAN, read)


def test_a_file_of_something_else_is_refused_in_words(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"format": "rigwright-build"}), encoding="utf-8")
    with pytest.raises(BadInput, match="describes no machine"):
        read_descriptions([other])
