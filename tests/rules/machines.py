"""Synthetic parts with every figure known, and a four-GPU machine on which every rule is content."""

from typing import Any

from pydantic import TypeAdapter

from core.parts.part import Part, Source
from core.parts.specs import Spec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line

_SPEC: TypeAdapter[Any] = TypeAdapter(Spec)
SOURCE = Source(title="Test bench", url="https://example.org/sheet")
HEARSAY = Source(title="General knowledge, not confirmed")


def slot(position: int, **changes: Any) -> dict[str, Any]:
    fields = {
        "position": position,
        "label": f"S{position}",
        "mechanical_lanes": 16,
        "lanes": 16,
        "generation": 4,
        "attachment": "cpu",
    }
    return fields | changes


_CASE_FAN = {"max_rpm": 1000, "level_dba": 19, "airflow_m3h": 110, "static_pressure_mmh2o": 1.2}

SPECS: dict[str, dict[str, Any]] = {
    "gpu": {
        **{"product": "Test 300", "compute_capability": "8.6", "cooling": "blower", "length_mm": 267},
        **{"height_mm": 112, "width_slots": 2, "bracket_slots": 2, "pcie_generation": 4, "pcie_lanes": 16},
        **{"power_limit_w": 300, "idle_power_w": 15, "power_connectors": [{"kind": "pcie_8pin", "count": 2}]},
        **{"memory_gb": 24, "fan_stop": False, "thermal_resistance_k_per_w": 0.16},
        "noise": [
            {"condition": "idle", "level_dba": 25, "distance_m": 1},
            {"condition": "load", "level_dba": 42, "distance_m": 1},
        ],
    },
    "cpu": {
        **{"socket": "SP3", "tdp_w": 200, "sustained_power_w": 200, "idle_power_w": 40, "pcie_generation": 4},
        **{"pcie_lanes": 128, "ram_types": ["DDR4"], "ram_kinds": ["RDIMM"], "ram_max_gb": 2048},
        **{"max_sockets": 1, "cores": 32, "boost_clock_mhz": 3700, "ecc": True, "integrated_graphics": False},
    },
    "motherboard": {
        **{"socket": "SP3", "form_factor": "ATX", "width_mm": 244, "ram_type": "DDR4", "ram_kinds": ["RDIMM"]},
        **{"ram_slots": 8, "ram_channels": 8, "ram_max_gb": 1024},
        "slots": [slot(position) for position in range(1, 8)],
        **{"m2": [{"label": "M2_1", "lanes": 4, "generation": 4, "attachment": "cpu"}], "lane_cases": []},
        **{"sata_ports": 8, "ecc": True, "bmc": True, "video_output": True},
        "power_inputs": [
            {"kind": "atx_24pin", "count": 1},
            {"kind": "eps_8pin", "count": 2},
            {"kind": "pcie_6pin", "count": 1},
        ],
        **{"idle_power_w": 50, "load_power_w": 60, "above_4g": True, "resizable_bar": True},
    },
    "ram": {
        **{"ram_type": "DDR4", "kind": "RDIMM", "modules": 1, "module_gb": 32, "module_power_w": 5},
        **{"speed_mts": 3200, "ecc": True, "height_mm": 31.25},
    },
    "storage": {
        **{"kind": "nvme", "form_factor": "M.2 2280", "capacity_gb": 2000, "pcie_generation": 4},
        **{"pcie_lanes": 4, "active_power_w": 7, "idle_power_w": 2},
    },
    "psu": {
        **{"power_w": 2200, "form_factor": "ATX", "efficiency_level": "gold", "atx_version": "2.4"},
        **{"input_limits": [{"from_v": 100, "to_v": 240, "power_w": 2200}], "inlet": "C20"},
        "cables": [
            {"kind": "atx_24pin", "cables": 1},
            {"kind": "eps_8pin", "cables": 2},
            {"kind": "pcie_8pin", "cables": 8, "connectors_per_cable": 1},
            {"kind": "pcie_6pin", "cables": 1},
        ],
        **{"redundant": False, "length_mm": 200, "fan_stop_below_pct": 40},
        "noise": [{"condition": "idle", "level_dba": 15}, {"condition": "load", "level_dba": 30}],
    },
    "case": {
        **{"kind": "tower", "form_factors": ["ATX", "E-ATX"], "board_max_width_mm": 280, "expansion_slots": 8},
        **{"gpu_max_length_mm": 320, "gpu_max_height_mm": 180, "cpu_cooler_max_height_mm": 170},
        "psu_mounts": [{"form_factor": "ATX", "max_length_mm": 230}],
        "radiator_mounts": [{"place": "front", "length_mm": 360, "fan_size_mm": 120}],
        "included_fans": [
            {"place": "front", "size_mm": 140, "count": 3, **_CASE_FAN},
            {"place": "rear", "size_mm": 140, "count": 1, **_CASE_FAN},
        ],
        **{"bays_3_5": 2, "bays_2_5": 2, "height_mm": 550, "width_mm": 250, "depth_mm": 550, "panels": "solid"},
    },
    "cpu_cooler": {
        **{"kind": "air", "sockets": ["SP3", "TR4"], "height_mm": 160, "rated_power_w": 250, "fan_count": 1},
        **{"fan_size_mm": 120, "fan_power_w": 2, "thermal_resistance_k_per_w": 0.15},
        "noise": [{"condition": "maximum", "level_dba": 25, "rpm": 1500}],
    },
    "fan": {
        **{"size_mm": 120, "thickness_mm": 25},
        "points": [
            {"rpm": 1500, "level_dba": 25, "airflow_m3h": 90, "static_pressure_mmh2o": 1.6},
            {"rpm": 900, "level_dba": 14},
        ],
        "power_w": 2,
    },
    "radiator": {"length_mm": 360, "fan_size_mm": 120, "fan_positions": 3, "thickness_mm": 45, "fins_per_inch": 12},
    "pump": {"power_w": 20, "noise": [{"condition": "load", "level_dba": 25}]},
    "water_block": {"fits_products": ["Test 300"], "width_slots": 1, "bracket_slots": 1, "height_mm": 120},
    "nic": {"pcie_generation": 3, "pcie_lanes": 8, "width_slots": 1, "length_mm": 170, "height_mm": 69, "power_w": 15},
    "riser": {"kind": "passive", "generation": 4, "lanes": 16, "length_mm": 150, "powered": False},
    "carrier": {
        **{"kind": "splitter", "host": "slot", "host_lanes": 16, "generation": 4},
        **{"seats": [{"number": 1, "lanes": 8}, {"number": 3, "lanes": 8}], "signal": "passive"},
        **{"cable_mm": 100, "powered": True},
    },
    "nvlink_bridge": {"spacing_slots": 2, "fits_products": ["Test 300"]},
    "ups": {
        **{"power_w": 3000, "apparent_va": 3000, "pure_sine": True, "input_v": 230, "runtime_full_min": 5},
        "runtime_half_min": 15,
    },
    "pdu": {
        **{"inlet": "C20", "input_v": 230, "current_a": 16},
        **{"outlets": [{"kind": "C13", "count": 8}, {"kind": "C19", "count": 2}], "metering": "basic"},
    },
    "cable": {
        **{"source_kind": "pcie_8pin", "source_count": 2, "target_kind": "eps_8pin", "target_count": 1},
        "rated_w": 300,
    },
}


def part(category: str, *, suffix: str = "", sources: tuple[Source, ...] = (SOURCE,), **changes: Any) -> Part:
    """A part of a category; `changes` replace figures, None makes them unknown."""
    spec = _SPEC.validate_python({"category": category, **SPECS[category], **changes})
    ident = category.replace("_", "-") + suffix
    return Part(id=ident, maker="Test", name=ident.upper(), year=2021, spec=spec, sources=sources)


def good_build() -> Build:
    """Four two-slot cards in slots 1, 3, 5 and 7 of a server board: no WARN, no FAIL, no UNKNOWN."""
    return Build(
        name="good",
        region="eu-230v-16a",
        lines=(
            Line(part("gpu"), 4, (1, 3, 5, 7)),
            Line(part("cpu")),
            Line(part("motherboard")),
            Line(part("ram"), 8),
            Line(part("storage")),
            Line(part("psu")),
            Line(part("case")),
            Line(part("cpu_cooler")),
        ),
    )


def changed(build: Build, category: str, **changes: Any) -> Build:
    """The build with other figures in the part of one category."""
    return with_line(build, part(category, **changes))


def with_line(build: Build, new: Part, quantity: int | None = None, slots: tuple[int, ...] | None = None) -> Build:
    """The build with a part in the place of the one with the same id, or added."""
    old = build.line(new.id)
    line = Line(
        new, quantity or (old.quantity if old else 1), slots if slots is not None else (old.slots if old else ())
    )
    if old is None:
        return build.with_lines((*build.lines, line))
    return build.with_lines(tuple(line if row is old else row for row in build.lines))


def without(build: Build, *categories: Category) -> Build:
    """The build without some categories."""
    return build.with_lines(tuple(line for line in build.lines if line.part.category not in categories))
