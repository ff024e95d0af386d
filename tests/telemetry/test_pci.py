"""Errors of a link are counted at both of its ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.telemetry.pci import LinkErrors, kernel_bus_id, lanes_of_link, port_above

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
    assert port_above(CARD, machine) == PORT
    assert port_above(PORT, machine) is None
    assert port_above("0000:99:00.0", machine) is None


@pytest.mark.parametrize(
    ("card", "port", "told", "lanes"),
    [("16", "8", 16, 8), ("16", "16", 16, 16), ("16", "255", 16, 16), ("0", "", 16, 16), ("16", "8", None, 8),
     ("", "", None, None), ("8", "16", 16, 8)],
)  # fmt: skip
def test_a_link_has_the_lanes_of_its_narrower_end(
    machine: Path, card: str, port: str, told: int | None, lanes: int | None
) -> None:
    (machine / CARD / "max_link_width").write_text(f"{card}\n")
    (machine / PORT / "max_link_width").write_text(f"{port}\n")
    assert lanes_of_link(CARD, told, machine) == lanes
    assert lanes_of_link(None, told, machine) == told


def test_both_ends_of_a_link_are_added_up(machine: Path) -> None:
    errors = LinkErrors(CARD, machine)
    assert errors.ends == [CARD, PORT]
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


@pytest.mark.parametrize(
    ("told", "bus_id"),
    [
        ("00000000:41:00.0", CARD),
        ("0000:C1:00.0", "0000:c1:00.0"),
        ("00010000:01:00.0", "10000:01:00.0"),
        ("", None),
        (None, None),
    ],
)
def test_a_bus_id_is_written_as_the_kernel_does(told: str | None, bus_id: str | None) -> None:
    assert kernel_bus_id(told) == bus_id
