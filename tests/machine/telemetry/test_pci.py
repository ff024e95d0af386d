"""Errors of a link are counted at both of its ends."""

from pathlib import Path

import pytest

from core.machine.telemetry.pci import LinkErrors, kernel_bus_id, lanes_of_link, ports_above, way_to_slot
from tests.machine.asbuilt.bus_tree import Step, card, put

PORT, CARD = "0000:40:01.1", "0000:41:00.0"


def counters(folder: Path, *, correctable: int, nonfatal: int = 0, fatal: int = 0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "aer_dev_correctable").write_text(f"RxErr {correctable}\nBadTLP 0\nTOTAL_ERR_COR {correctable}\n")
    (folder / "aer_dev_nonfatal").write_text(f"Undefined 0\nTOTAL_ERR_NONFATAL {nonfatal}\n")
    (folder / "aer_dev_fatal").write_text(f"DLP {fatal}\nTOTAL_ERR_FATAL {fatal}\n")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A card below a root port, seen as the kernel shows it: links in one folder to places in a tree."""
    port = tmp_path / "devices" / "pci0000:40" / PORT
    counters(port, correctable=2)
    counters(port / CARD, correctable=5, nonfatal=1)
    bus = tmp_path / "bus"
    bus.mkdir()
    (bus / PORT).symlink_to(port)
    (bus / CARD).symlink_to(port / CARD)
    return bus


def test_the_port_above_a_card_is_found_and_a_root_port_has_none(machine: Path) -> None:
    assert ports_above(CARD, machine) == (PORT,)
    assert ports_above(PORT, machine) == ()
    assert ports_above("0000:99:00.0", machine) == ()


@pytest.mark.parametrize(
    ("card", "port", "port_lanes", "lanes"),
    [("16", "8", 16, 8), ("16", "16", 16, 16), ("16", "255", 16, 16), ("0", "", 16, 16), ("16", "8", None, 8),
     ("", "", None, None), ("8", "16", 16, 8)],
)  # fmt: skip
def test_a_link_has_the_lanes_of_its_narrower_end(
    machine: Path, card: str, port: str, port_lanes: int | None, lanes: int | None
) -> None:
    (machine / CARD / "max_link_width").write_text(f"{card}\n")
    (machine / PORT / "max_link_width").write_text(f"{port}\n")
    assert lanes_of_link(CARD, port_lanes, machine) == lanes
    assert lanes_of_link(None, port_lanes, machine) == port_lanes


def test_both_ends_of_a_link_are_added_up(machine: Path) -> None:
    errors = LinkErrors(CARD, machine)
    assert errors.ends == (CARD, PORT)
    assert errors.read() == {"aer_correctable": 7, "aer_nonfatal": 1, "aer_fatal": 0}
    counters(machine / PORT, correctable=9, fatal=1)
    assert errors.read() == {"aer_correctable": 14, "aer_nonfatal": 1, "aer_fatal": 1}


@pytest.mark.parametrize("bus_id", [None, "0000:99:00.0", "SIM:00"])
def test_a_card_that_the_kernel_does_not_show_has_no_counters(machine: Path, bus_id: str | None) -> None:
    assert LinkErrors(bus_id, machine).read() == {}


def test_a_counter_without_a_number_is_not_measured(machine: Path) -> None:
    (machine / CARD / "aer_dev_fatal").write_text("nonsense")
    (machine / PORT / "aer_dev_fatal").write_text("TOTAL_ERR_FATAL many")
    assert "aer_fatal" not in LinkErrors(CARD, machine).read()


UP, DOWN, GPU = "0000:01:00.0", "0000:02:01.0", "0000:03:00.0"
SLOT = "0000:00:01.0"


def on_card_switch(root: Path, switch: str, gpu: str, *, slot_lanes: int = 16, card_lanes: int = 16) -> Path:
    """A GPU behind a switch of its card, whose link to the GPU tells 2.5 GT/s x1 as Intel's does."""
    put(
        root,
        Step(SLOT, lanes=slot_lanes, errors=3),
        Step(UP, switch, lanes=card_lanes, errors=4),
        Step(DOWN, switch, lanes=1, errors=0),
        card(GPU, gpu, lanes=1, errors=0),
    )
    return root / "sys/bus/pci/devices"


@pytest.mark.parametrize(
    ("switch", "gpu", "several", "way"),
    [
        ("8086:4fa1", "8086:56a0", False, (GPU, DOWN, UP, SLOT)),  # Arc A770
        ("8086:e2ff", "8086:e20b", False, (GPU, DOWN, UP, SLOT)),  # Arc B580
        ("1002:1478", "1002:744c", False, (GPU, DOWN, UP, SLOT)),  # Radeon RX 7900
        ("10b5:8747", "10de:102d", True, (GPU, DOWN, UP, SLOT)),  # one of the two GPUs of a Tesla K80
        ("10b5:8747", "10de:2204", False, (GPU, DOWN)),  # a switch of the board
        ("10b5:8747", "1002:744c", False, (GPU, DOWN)),
    ],
)
def test_the_way_to_the_slot_leads_through_the_switch_of_the_card_alone(
    tmp_path: Path, switch: str, gpu: str, several: bool, way: tuple[str, ...]
) -> None:
    assert way_to_slot(GPU, on_card_switch(tmp_path, switch, gpu), several=several) == way


def test_a_card_in_a_thunderbolt_box_keeps_its_own_switch_apart_from_that_of_the_box(tmp_path: Path) -> None:
    """Both are Intel's: the two bridges next to the GPU are the card's."""
    put(
        tmp_path, Step(SLOT), Step("0000:01:00.0", "8086:15d3"), Step("0000:02:01.0", "8086:15d3", lanes=4),
        Step("0000:03:00.0", "8086:4fa1"), Step("0000:04:01.0", "8086:4fa4"), card("0000:05:00.0", "8086:56a0"),
    )  # fmt: skip
    bus = tmp_path / "sys/bus/pci/devices"
    assert way_to_slot("0000:05:00.0", bus)[-2:] == ("0000:03:00.0", "0000:02:01.0")
    assert lanes_of_link("0000:05:00.0", None, bus) == 4


def test_a_gpu_of_intel_or_amd_directly_below_its_slot_has_no_switch(tmp_path: Path) -> None:
    put(tmp_path, Step(SLOT), card("0000:01:00.0", "8086:4905"))
    put(tmp_path, Step("0000:00:02.0", "1002:5a16"), card("0000:02:00.0", "1002:67df"))
    bus = tmp_path / "sys/bus/pci/devices"
    assert way_to_slot("0000:01:00.0", bus) == ("0000:01:00.0", SLOT)
    assert way_to_slot("0000:02:00.0", bus) == ("0000:02:00.0", "0000:00:02.0")


@pytest.mark.parametrize(("slot", "own", "lanes"), [(16, 8, 8), (4, 16, 4), (16, 16, 16)])
def test_the_link_of_a_card_with_a_switch_is_the_narrower_of_slot_and_card(
    tmp_path: Path, slot: int, own: int, lanes: int
) -> None:
    bus = on_card_switch(tmp_path, "8086:e2ff", "8086:e20b", slot_lanes=slot, card_lanes=own)
    assert lanes_of_link(GPU, None, bus) == lanes


def test_errors_are_counted_up_to_the_end_at_the_slot(tmp_path: Path) -> None:
    bus = on_card_switch(tmp_path, "1002:1478", "1002:744c")
    assert LinkErrors(GPU, bus).read() == {"aer_correctable": 7}
    assert LinkErrors(GPU, on_card_switch(tmp_path / "k80", "10b5:8747", "10de:102d"), several=True).read() == {
        "aer_correctable": 7
    }


@pytest.mark.parametrize(
    ("written", "bus_id"),
    [
        ("00000000:41:00.0", CARD), ("0000:C1:00.0", "0000:c1:00.0"), ("00010000:01:00.0", "10000:01:00.0"),
        ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_bus_id_is_written_as_the_kernel_does(written: str | None, bus_id: str | None) -> None:
    assert kernel_bus_id(written) == bus_id
