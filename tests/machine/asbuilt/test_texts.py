"""Descriptions of machines from the texts of common tools: real ones, in any order, and cut short."""

import tomllib
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.asbuilt.binding import Notes, slot_called
from core.machine.asbuilt.identities import plain, products_of
from core.machine.asbuilt.inspection import Inspection
from core.machine.asbuilt.new_build import build_of
from core.machine.asbuilt.texts.description import read_descriptions
from core.machine.telemetry.device import Device
from core.parts.board import MotherboardSpec
from core.platform.errors import BadInput
from tests.shipped import parts_by_id

HERE = Path(__file__).parent / "texts"
MACHINES: dict[str, dict[str, Any]] = tomllib.loads((HERE / "machines.toml").read_text(encoding="utf-8"))


def _place(device: Device) -> str:
    return f"{device.bus_id or '-'} {device.name}"


def test_every_text_has_its_source_and_what_it_tells() -> None:
    assert {path.name for path in (HERE / "machines").iterdir()} == MACHINES.keys()
    assert len(MACHINES) >= 45
    assert all(machine["source"] for machine in MACHINES.values())


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_a_real_machine_is_read_and_no_part_of_its_build_is_another_one(name: str) -> None:
    expected = MACHINES[name]
    inspection = read_descriptions([HERE / "machines" / name])
    machine = inspection.machine
    assert machine.board == expected.get("board")
    assert list(machine.cpus) == expected.get("cpus", [])
    assert [_place(device) for device in inspection.devices] == expected.get("cards", [])
    assert sorted(module.size_gb for module in machine.modules) == expected.get("modules", [])
    assert [drive.model for drive in machine.drives] == expected.get("drives", [])
    assert [psu.name for psu in machine.psus] == expected.get("psus", [])
    slots = [f"{slot.designation} {slot.address or '-'}" for slot in inspection.firmware_slots]
    assert slots == expected.get("slots", [])
    begun = build_of(inspection, parts_by_id().values(), Notes(), name)
    board = begun.build.motherboard
    of_board = (board[0].spec.slots if board and isinstance(board[0].spec, MotherboardSpec) else None) or ()
    labels = ((slot.designation, slot_called(slot.designation, of_board)) for slot in inspection.firmware_slots)
    assert [f"{name} = {slot.label}" for name, slot in labels if slot] == expected.get("labels", [])
    assert [f"{line.quantity} {line.part.id}" for line in begun.build.lines] == expected["build"]
    assert sorted({part.id for one in begun.similar for part in one.parts}) == expected.get("similar", [])


@cache
def _whole(name: str) -> Inspection:
    return read_descriptions([HERE / "machines" / name])


TEXTS = [path.relative_to(HERE / "machines") for path in sorted((HERE / "machines").rglob("*.txt"))]


@given(text=st.sampled_from(TEXTS), share=st.floats(0, 1))
def test_a_text_that_is_cut_short_tells_less_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, text: Path, share: float
) -> None:
    content = (HERE / "machines" / text).read_text(encoding="utf-8")
    cut = tmp_path_factory.mktemp("cut") / text.name
    cut.write_text(content[: int(len(content) * share)], encoding="utf-8")
    try:
        less = read_descriptions([cut])
    except BadInput:
        return
    whole = _whole(text.parts[0])
    for fact in ("board", "system", "bios"):
        value = getattr(less.machine, fact)
        assert value is None or (getattr(whole.machine, fact) or "").startswith(value)
    assert less.machine.board in (None, whole.machine.board)
    assert less.machine.cpus == whole.machine.cpus[: len(less.machine.cpus)]
    assert less.machine.modules in ((), whole.machine.modules)
    assert {drive.model for drive in less.machine.drives} <= {drive.model for drive in whole.machine.drives}
    addresses = {slot.designation: slot.address for slot in whole.firmware_slots}
    assert all(slot.address in (None, addresses[slot.designation]) for slot in less.firmware_slots)
    by_place = {device.bus_id or device.id: device for device in whole.devices}
    for device in less.devices:
        same = by_place.get(device.bus_id or device.id)
        assert same is not None or plain(device.name) in {plain(one.name) for one in whole.devices}
        products = products_of(device)
        assert same is None or not products or products >= products_of(same)


BRIDGE = "\tBus: primary={0}, secondary={1}, subordinate={1}, sec-latency=0\n"
LINK = "\t\tLnkCap:\tPort #0, Speed {0}GT/s, Width x{1}, ASPM L1, Exit Latency L1 <64us\n"
LSPCI = (
    "80:03.1 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] GPP Bridge [1022:1483]\n"
    + BRIDGE.format("80", "81")
    + LINK.format("16", "16")
    + "81:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)\n"
    + "\tSubsystem: eVga.com. Corp. Device [3842:3987]\n"
    + LINK.format("16", "16")
    + "\tKernel driver in use: nvidia\n"
    + "c0:03.1 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] GPP Bridge [1022:1483]\n"
    + BRIDGE.format("c0", "c1")
    + LINK.format("16", "8")
    + "c1:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)\n"
    + "\tSubsystem: eVga.com. Corp. Device [3842:3987]\n"
    + LINK.format("16", "16")
    + "\tKernel driver in use: nvidia\n"
    + "c5:00.0 VGA compatible controller [0300]: ASPEED Technology, Inc. ASPEED Graphics Family [1a03:2000] (rev 41)\n"
    + "\tKernel driver in use: ast\n"
)
QUERY = (
    "==============NVSMI LOG==============\n\nDriver Version                            : 580.65.06\n\n"
    "Attached GPUs                             : 1\nGPU 00000000:81:00.0\n"
    "    Product Name                          : NVIDIA GeForce RTX 3090\n"
    "    GPU UUID                              : GPU-0c67f372\n"
    "    VBIOS Version                         : 94.02.42.00.A9\n"
    "    PCI\n"
    "        Device Id                         : 0x220410DE\n"
    "        Sub System Id                     : 0x39873842\n"
    "    FB Memory Usage\n"
    "        Total                             : 24576 MiB\n"
)


@pytest.mark.parametrize(
    ("subsystem", "board"),
    [
        ("eVga.com. Corp. Device [3842:3987]", "evga"),
        ("eVga.com. Corp. Device 3987", "evga"),
        ("3842:3987", "evga"),
        ("Micro-Star International Co., Ltd. [MSI] RTX 3090 GAMING X TRIO 24G", "msi"),
        ("Gigabyte Technology Co., Ltd Device [1458:4043]", "gigabyte"),
        ("ASUSTeK Computer Inc. TUF RTX 3090 [1043:87b3]", "asus"),
        ("Device 19da:1613", "zotac"),
        ("NVIDIA Corporation Device [10de:147d]", "nvidia"),
        ("Device 7377:1234", "nvidia"),
    ],
)
def test_a_card_is_entered_as_one_of_its_board_maker_where_its_ids_name_it(
    tmp_path: Path, subsystem: str, board: str
) -> None:
    text = tmp_path / "lspci.txt"
    text.write_text(LSPCI.replace("eVga.com. Corp. Device [3842:3987]", subsystem), encoding="utf-8")
    begun = build_of(read_descriptions([text]), parts_by_id().values(), Notes(), "Rig")
    [line] = begun.build.lines
    assert (line.quantity, line.part.id.partition("-")[0]) == (2, board)
    assert any("entered as" in sentence for sentence in begun.stand_ins)


def test_the_query_of_nvidia_smi_names_the_board_maker(tmp_path: Path) -> None:
    text = tmp_path / "smi.txt"
    text.write_text(QUERY, encoding="utf-8")
    [card] = read_descriptions([text]).devices
    assert (card.pci_subsystem_vendor, card.pci_subsystem) == ("3842", "3987")


@pytest.fixture
def rig(tmp_path: Path) -> list[Path]:
    """A ROMED8-2T by its firmware, with two cards of which the driver has one."""
    texts = {"lspci.txt": LSPCI, "smi.txt": QUERY, "lscpu.txt": _text("threadripper-3960x-lscpu/lscpu.txt")}
    texts["lscpu.txt"] = texts["lscpu.txt"].replace("AMD Ryzen Threadripper 3960X 24-Core", "AMD EPYC 7262 8-Core")
    texts["dmi.txt"] = _text("romed8-2t/dmidecode.txt")
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return sorted(tmp_path.iterdir())


def _text(name: str) -> str:
    return (HERE / "machines" / name).read_text(encoding="utf-8")


def test_several_texts_make_one_machine_with_its_cards_in_their_slots(rig: list[Path]) -> None:
    inspection = read_descriptions(rig)
    first, second = inspection.devices
    assert (first.id, first.name, first.memory_mb, first.vbios) == (
        "GPU-0c67f372", "NVIDIA GeForce RTX 3090", 24576, "94.02.42.00.A9",
    )  # fmt: skip
    assert [(device.pcie_generation_max, device.pcie_lanes_max) for device in inspection.devices] == [(4, 16), (4, 8)]
    assert (second.bus_id, second.pci_subsystem) == ("0000:c1:00.0", "3987")
    assert [(card.address, card.cause) for card in inspection.bus] == [("0000:c1:00.0", "driver failed")]
    begun = build_of(inspection, parts_by_id().values(), Notes(), "Rig")
    assert next(line for line in begun.build.lines if "3090" in line.part.id).slots == (1, 5)


def test_the_order_of_the_texts_does_not_matter(rig: list[Path]) -> None:
    readings = {replace(read_descriptions(order), taken_at="").as_json() for order in permutations(rig)}
    assert len(readings) == 1


def test_all_texts_in_one_file_tell_the_same_as_in_several(rig: list[Path], tmp_path: Path) -> None:
    several = read_descriptions(rig)
    one = tmp_path / "all.txt"
    one.write_text("\n".join(path.read_text(encoding="utf-8") for path in rig), encoding="utf-8")
    alone = read_descriptions([one])
    assert (alone.machine, alone.devices, alone.firmware_slots) == (
        several.machine, several.devices, several.firmware_slots,
    )  # fmt: skip


def test_a_folder_is_all_of_its_texts(rig: list[Path]) -> None:
    (rig[0].parent / "holiday.txt").write_text("A text about something else.\n", encoding="utf-8")
    of_folder, of_files = read_descriptions([rig[0].parent]), read_descriptions(rig)
    assert replace(of_folder, taken_at="") == replace(of_files, taken_at="")
