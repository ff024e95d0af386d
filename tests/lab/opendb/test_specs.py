"""What is believed of a row, and what is not."""

from typing import Any

import pytest

from core.lab.opendb.reading import RowReading
from core.lab.opendb.specs import FOLDERS, figures_in
from core.parts.specs import spec_model

Raw = dict[str, Any]
PLUGS = {"atx_24_pin": 1, "eps_8_pin": 2, "pcie_6_plus_2_pin": 6}


def read(folder: str, raw: Raw) -> tuple[Any, dict[str, str]]:
    """The spec of a row, and the reasons by figure that was left out."""
    category, more = FOLDERS[folder]
    reading = RowReading(raw, category)
    figures = {field: value for field, value in figures_in(reading, category, more).items() if value is not None}
    return spec_model(category).model_validate(figures), {field: reason for field, _, reason in reading.doubts}


def test_a_whole_row_becomes_a_card(card: Raw) -> None:
    spec, doubts = read("GPU", card)
    assert doubts == {}
    assert (spec.product, spec.memory_gb, spec.power_limit_w, spec.length_mm) == ("GeForce RTX 3090", 24, 350, 313)
    assert (spec.pcie_generation, spec.pcie_lanes, spec.width_slots, spec.bracket_slots) == (4, 16, 3, 2)
    assert [(row.kind, row.count) for row in spec.power_connectors] == [("pcie_8pin", 2)]
    assert (spec.cooling, spec.fan_count) == ("open_air", 3)


@pytest.mark.parametrize(
    ("changes", "field", "expected", "reason"),
    [
        ({"length": 0}, "length_mm", None, None),
        ({"length": None}, "length_mm", None, None),
        ({"length": "313"}, "length_mm", None, "is not a number"),
        ({"length": True}, "length_mm", None, "is not a number"),
        ({"length": 31.3}, "length_mm", None, "is outside 100 to 500"),
        ({"total_slot_width": 55.6}, "width_slots", None, "is outside 0.8 to 5"),
        ({"total_slot_width": 2.7, "case_expansion_slot_width": 2}, "width_slots", 2.7, None),
        ({"case_expansion_slot_width": 43}, "bracket_slots", None, "is outside 1 to 5"),
        ({"case_expansion_slot_width": 2.5}, "bracket_slots", None, "is not a whole number"),
        ({"total_slot_width": 2, "case_expansion_slot_width": 3}, "bracket_slots", None, "is wider than"),
        ({"core_boost_clock": 900}, "boost_clock_mhz", None, "is below the base clock"),
        ({"interface": "PCIe x16"}, "pcie_generation", None, None),
        ({"interface": "PCIe x16"}, "pcie_lanes", 16, None),
        ({"interface": "AGP"}, "pcie_lanes", None, None),
        ({"cooling": "1 Fan"}, "cooling", None, None),
        ({"cooling": "Blower"}, "cooling", "blower", None),
        ({"cooling": "Magic"}, "cooling", None, "is a value that the catalogue does not know"),
        ({"power_connectors": {"pcie_8_pin": 1}}, "power_connectors", None, "would carry 225 W"),
        ({"power_connectors": {"pcie_8_pin": 0}}, "power_connectors", None, None),
        ({"power_connectors": {"pcie_8_pin": 0}, "tdp": 70}, "power_connectors", (), None),
        ({"power_connectors": {"pcie_8_pin": 1, "pcie_12VHPWR": 1}}, "power_connectors", None, "no card has"),
        ({"power_connectors": {"pcie_8_pin": "two"}}, "power_connectors", None, None),
        ({"power_connectors": [1, 2]}, "power_connectors", None, None),
    ],
)
def test_a_figure_of_a_card_is_taken_only_if_it_can_be(
    card: Raw, changes: Raw, field: str, expected: Any, reason: str | None
) -> None:
    spec, doubts = read("GPU", card | changes)
    assert getattr(spec, field) == expected
    if reason is None:
        assert field not in doubts
    else:
        assert reason in doubts[field]


@pytest.mark.parametrize(
    ("folder", "raw", "field", "expected"),
    [
        ("CPU", {"socket": "sTR4"}, "socket", "TR4"),
        ("CPU", {"socket": "TR4"}, "socket", "TR4"),
        ("CPU", {"specifications": {"ppt": 0, "tdp": 280}}, "sustained_power_w", None),
        ("CPU", {"clocks": {"performance": {"base": 3.6}}}, "base_clock_mhz", 3600),
        ("CPU", {"specifications": {"memory": {"maxSupport": 2}}}, "ram_max_gb", None),
        ("CPU", {"specifications": {"memory": {"types": ["DDR4", "DDR9"]}}}, "ram_types", ("DDR4",)),
        ("CPU", {"specifications": {"eccSupport": False}}, "ecc", None),
        ("Motherboard", {"socket": "2 x LGA 2011-3"}, "cpu_sockets", 2),
        ("Motherboard", {"socket": "2 x LGA 2011-3"}, "socket", "LGA2011-3"),
        ("Motherboard", {"socket": "LGA 2011-3 Narrow"}, "socket", None),
        ("Motherboard", {"memory": {"max": 1}}, "ram_max_gb", None),
        ("Motherboard", {"form_factor": "EATX"}, "form_factor", "E-ATX"),
        ("Motherboard", {"pcie_slots": [{"gen": "4.0", "quantity": 3, "lanes": 16}]}, "slots", None),
        ("RAM", {"modules": {"quantity": 2, "capacity_gb": 8}, "capacity": 16}, "module_gb", 8),
        ("RAM", {"modules": {"quantity": 2, "capacity_gb": 8}, "capacity": 32}, "module_gb", None),
        ("RAM", {"height": -1}, "height_mm", None),
        ("RAM", {"registered": "Registered"}, "kind", "RDIMM"),
        ("Storage", {"type": "SSD", "interface": "M.2 PCIe 4.0 x4"}, "kind", "nvme"),
        ("Storage", {"type": "SSD", "interface": "M.2 PCIe 4.0 x4"}, "pcie_generation", 4),
        ("Storage", {"type": "SSD", "interface": "SATA 6.0 Gb/s"}, "kind", "sata_ssd"),
        ("Storage", {"type": "HDD", "interface": "SAS 12.0 Gb/s"}, "kind", "hdd"),
        ("Storage", {"type": "SSD", "interface": "SAS 12.0 Gb/s"}, "kind", None),
        ("PSU", {"efficiency_rating": "80+ Titanium"}, "efficiency_level", "titanium"),
        ("PSU", {"connectors": PLUGS | {"eps_8_pin": 0}}, "cables", None),
        ("PSU", {"connectors": PLUGS | {"pcie_6_plus_2_pin": 0}}, "cables", None),
        ("PCCase", {"max_video_card_length": 9}, "gpu_max_length_mm", None),
        ("PCCase", {"form_factor": "ATX Test Bench"}, "kind", "open_frame"),
        ("PCCase", {"expansion_slots": 8}, "expansion_slots", 8),
        ("CPUCooler", {"water_cooled": True, "radiator_size": 360, "height": 55}, "height_mm", None),
        ("CPUCooler", {"water_cooled": True, "radiator_size": 360}, "radiator_mm", 360),
        ("CPUCooler", {"water_cooled": False, "height": 397}, "height_mm", None),
        ("CPUCooler", {"cpu_sockets": ["SP3", "LGA 115"]}, "sockets", ("SP3",)),
        ("CaseFan", {"size": 120, "min_airflow": 7886}, "points", None),
    ],
)
def test_known_spellings_and_known_faults_of_the_data_set(folder: str, raw: Raw, field: str, expected: Any) -> None:
    spec, _ = read(folder, raw)
    assert getattr(spec, field) == expected


def test_the_plugs_of_a_psu_are_counted_by_kind() -> None:
    spec, _ = read("PSU", {"connectors": PLUGS | {"sata": 8, "pcie_12vhpwr": 0}})
    assert [(row.kind, row.total_plugs) for row in spec.cables] == [("atx_24pin", 1), ("eps_8pin", 2), ("pcie_8pin", 6)]


@pytest.mark.parametrize("wrong", [None, 1, "text", [], [[]], {"a": {}}, True, -5, 1e308, 10**400])
def test_any_value_in_any_place_ends_in_a_spec(wrong: Any, card: Raw) -> None:
    keys = ("memory", "modules", "socket", "form_factor", "wattage", "size", "height", "type", "interface", *card)
    raw = dict.fromkeys(keys, wrong) | {"chipset": "Chip"}
    raw["power_connectors"] = {"pcie_8_pin": wrong}
    raw |= {"modules": {"quantity": 2, "capacity_gb": 8}, "capacity": wrong}
    assert {folder: read(folder, raw)[0].category for folder in FOLDERS} == {
        folder: category for folder, (category, *_) in FOLDERS.items()
    }
