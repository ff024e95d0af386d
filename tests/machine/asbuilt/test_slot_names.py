"""Which slot of a board a firmware means: by its name, by a number only where that says enough."""

import pytest

from core.machine.asbuilt.binding import slot_called
from core.parts.board import MotherboardSpec
from tests.shipped import parts_by_id


@pytest.mark.parametrize(
    ("board", "designation", "label"),
    [
        ("asus-esc4000-g4-board", "CPU1_PCIE3", None),
        ("asus-esc4000-g4-board", "CPU1_PCIE1", None),
        ("asus-esc4000-g4-board", "CPU2_PCIE2", None),
        ("asus-esc4000-g4-board", "CPU2_PCIE3", "CPU2_PCIE3"),
        ("asus-esc4000-g4-board", "PCIE1", "PCIE1"),
        ("msi-mpg-x870e-carbon-wifi", "PCIE1", "PCI_E1"),
        ("msi-x99a-tomahawk", "PCI_E2", None),
        ("supermicro-h12ssl-i", "CPU SLOT4 PCI-E 4.0 X16", "SLOT4"),
        ("supermicro-h12ssl-i", "RSC-W-66G4 PCI-E 4.0 X16", None),
        ("supermicro-x13dai-t", "CPU2 SLOT6 PCI-E 5.0 X16", "P2 SLOT6"),
        ("supermicro-x13dai-t", "CPU1 SLOT6 PCI-E 5.0 X16", None),
        ("supermicro-x13dai-t", "SLOT6", None),
        ("supermicro-h12dsi-n6", "PCIE6", None),
        ("asrock-rack-romed8-2t", "PCIE 5", "PCIE5"),
        ("dell-poweredge-t640-board", "PCIe Slot 1", "Slot 1"),
        ("gigabyte-mz32-ar0", "Slot_5", "PCIE_5"),
        ("asus-x99-e-ws", "PCIEX16_3", "PCIEX16_3"),
    ],
)
def test_a_slot_is_found_by_its_name(board: str, designation: str, label: str | None) -> None:
    spec = parts_by_id()[board].spec
    assert isinstance(spec, MotherboardSpec)
    slot = slot_called(designation, spec.slots or ())
    assert (slot.label if slot else None) == label
