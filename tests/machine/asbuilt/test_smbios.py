"""The firmware's table: what is read of it, and that a damaged one is read as far as it goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.asbuilt.smbios import meant, read_firmware
from tests.machine.asbuilt.recorded import RecordedMachine, smbios

MACHINE = RecordedMachine(
    ("ASUSTeK COMPUTER INC.", "X99-E WS"),
    (),
    (),
    (("PCIEX16_1", "0000:41:00.0"), ("PCIEX16_2", None), ("PCIEX16_3", "0001:c1:02.1")),
    (("DIMM_A1", 16_384), ("DIMM_B1", 131_072), ("DIMM_C1", 0)),
    psus=(("PSU1", 1600),),
)
TABLE = smbios(MACHINE)


def test_what_a_table_says_is_read() -> None:
    facts, slots = read_firmware(TABLE)
    assert (facts.bios, facts.board) == ("3801 10/17/2024", "ASUSTeK COMPUTER INC. X99-E WS")
    assert facts.board_serial == "B-0815"
    assert [(slot.designation, slot.address) for slot in slots] == list(MACHINE.slots)
    assert [(one.slot, one.size_gb, one.kind, one.speed_mts) for one in facts.modules] == [
        ("DIMM_A1", 16, "DDR4", 3200),
        ("DIMM_B1", 128, "DDR4", 3200),
    ]
    assert [(psu.name, psu.capacity_w) for psu in facts.psus] == [("PSU1", 1600)]


@pytest.mark.parametrize(
    "text",
    [
        *("To Be Filled By O.E.M.", "To be filled by O.E.M", "To Be Filled By O.E.M. by More String", "Default string"),
        *("Not Specified", "Unknown", "undefined", "null", "NULL", "None", "N/A", "invalid", "OEM", "O.E.M.", "Empty"),
        *("not support", "Not Supported", "Manufacturer0", "Manufacturer15", "Standard Efficiency", "High Efficiency"),
        *("0", "00000000", "0000000000000000000", "00-00-00", "System Product Name", "System manufacturer", "   "),
        *("System Serial Number", "Base Board Product Name", "NO DIMM", "0123456789", "123456789", "FFFFFFFF", "xxxx"),
        *("SerNum0", "PartNum3", "ModulePartNumber12", "Array1_PartNumber0", "AssetTagNum1", "Unknow", "n/a"),
        *("Not Settable", "Unspecified", "Default", "<BAD INDEX>", "<BAD_INDEX>", "<OUT OF SPEC>", "<filter>"),
        *("Filled By O.E.M.", "...", "________"),
    ],
)
def test_words_that_makers_leave_are_nothing(text: str) -> None:
    assert meant(text) is None
    assert read_firmware(smbios(RecordedMachine((text, text), (), ()))).facts.board is None


def test_a_psu_without_a_wattage_and_a_name_is_none() -> None:
    fields = [
        ("To Be Filled By O.E.M", 0), ("Standard Efficiency", 0), ("To Be Filled By O.E.M", 0x8000), ("PSU1", 0),
        ("Power Supply 2", 0), ("PWS-2K05A-1R", 0), ("", 850),
    ]  # fmt: skip
    power_supplies = read_firmware(smbios(RecordedMachine(("Maker", "Board"), (), (), psus=tuple(fields)))).facts.psus
    assert [(psu.name, psu.capacity_w) for psu in power_supplies] == [("PWS-2K05A-1R", None), ("PSU", 850)]


@pytest.mark.parametrize("text", ["X99-E WS", "PWS-2K05A-1R", "OEM Model 7", "Nullstrom 850", "1000", "System 76"])
def test_a_name_is_kept(text: str) -> None:
    assert meant(text) == text


@given(st.integers(0, len(TABLE)))
def test_a_cut_table_gives_what_stands_before_the_cut(length: int) -> None:
    whole, part = read_firmware(TABLE), read_firmware(TABLE[:length])
    assert part.slots == whole.slots[: len(part.slots)]
    assert part.facts.modules == whole.facts.modules[: len(part.facts.modules)]


@given(st.binary(max_size=400))
def test_no_bytes_are_too_odd(table: bytes) -> None:
    read_firmware(table)
