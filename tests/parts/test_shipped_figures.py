"""The figures of the shipped parts: sums and bounds that hold for every one of them."""

from collections.abc import Callable
from typing import Any

import pytest

from core.parts.specs import (
    CableSpec,
    CaseSpec,
    CpuCoolerSpec,
    CpuSpec,
    FanSpec,
    GpuSpec,
    MotherboardSpec,
    NvlinkBridgeSpec,
    PsuSpec,
    RadiatorSpec,
    RamSpec,
    StorageSpec,
    UpsSpec,
    WaterBlockSpec,
)
from core.parts.vocabulary import Category, CoolerKind, FormFactor, GpuForm, ModuleKind, PowerConnector, StorageKind
from core.plan.seats import MAX_POSITION
from tests.shipped import every_part, shipped_of

POSITIONS = {
    FormFactor.MINI_ITX: 1,
    FormFactor.MICRO_ATX: 5,
    FormFactor.ATX: 7,
    FormFactor.E_ATX: 8,
    FormFactor.SSI_CEB: 7,
    FormFactor.SSI_EEB: 8,
}
"""Slot positions of 20.32 mm on a board of that height; E-ATX and EEB boards can have one below the seventh."""
SLOT_W = 75
"""PCIe CEM: what a x16 graphics slot may deliver."""
CONNECTOR_W = {
    PowerConnector.PCIE_6PIN: 75,
    PowerConnector.PCIE_8PIN: 150,
    PowerConnector.PCIE_16PIN: 600,
    PowerConnector.PCIE_16PIN_2X6: 600,
    PowerConnector.EPS_8PIN: 300,
}
"""PCIe CEM 5.0; EPS 8-pin as server cards use it."""
ABOVE_RATING = 1.12
"""Professional cards of up to 250 W have a single PCIe 8-pin, 11 % above what slot and plug are rated for."""


def of(kind: type) -> list[tuple[str, Any]]:
    """Id and spec of the shipped parts of one kind."""
    return [(part.id, part.spec) for part in every_part() if isinstance(part.spec, kind)]


def products() -> set[str]:
    return {spec.product for _, spec in of(GpuSpec)}


def _sockets_suffice(spec: GpuSpec) -> bool | None:
    if spec.form is not GpuForm.PCIE_CARD or spec.power_connectors is None or spec.power_limit_w is None:
        return None
    capability_w = SLOT_W + sum(CONNECTOR_W[row.kind] * row.count for row in spec.power_connectors)
    return ABOVE_RATING * capability_w >= spec.power_limit_w


def _in_order(*values: float | None) -> bool:
    figures = [value for value in values if value is not None]
    return figures == sorted(figures)


def _labels(spec: MotherboardSpec) -> list[str]:
    return [*(slot.label for slot in spec.slots or ()), *(socket.label for socket in spec.m2 or ())]


def _lane_cases_name_slots(spec: MotherboardSpec) -> bool:
    lanes = {slot.label: slot.mechanical_lanes for slot in spec.slots or ()}
    return all(
        set(case.filled) <= set(_labels(spec))
        and all(width <= lanes.get(label, -1) for label, width in case.widths.items())
        for case in spec.lane_cases
    )


def _rises(spec: FanSpec, field: str) -> bool:
    return _in_order(*(getattr(point, field) for point in sorted(spec.points or (), key=lambda point: point.rpm)))


RULES: dict[type, dict[str, Callable[[Any], bool | None]]] = {
    GpuSpec: {
        "the sockets and the slot carry the power limit": _sockets_suffice,
        "power limits rise": lambda s: _in_order(s.power_limit_min_w, s.power_limit_w, s.power_limit_max_w),
        "idle is far under the limit": lambda s: _in_order(s.idle_power_w, (s.power_limit_w or 1e9) / 2),
        "clocks rise": lambda s: _in_order(s.base_clock_mhz, s.boost_clock_mhz),
        "temperatures rise": lambda s: _in_order(
            s.temperature_target_c, s.temperature_slowdown_c, s.temperature_shutdown_c
        ),
        "thickness fits the slots": lambda s: (
            s.thickness_mm <= s.width_slots * 20.32 + 1 if s.thickness_mm and s.width_slots else None
        ),
        "the bracket is no wider than the cooler": lambda s: _in_order(s.bracket_slots, s.width_slots),
        "NVLink has links or no speed": lambda s: bool(s.nvlink_links) if s.nvlink_gbps else None,
        "tensor cores are not slower than shaders": lambda s: _in_order(s.fp32_tflops, s.fp16_tensor_tflops),
        "8 bits are not slower than 16": lambda s: _in_order(s.bf16_tensor_tflops, s.fp8_tensor_tflops),
        "excursions exceed one": lambda s: all(peak.factor >= 1 for peak in s.excursions),
    },
    MotherboardSpec: {
        "a slot has no more lanes than contacts": lambda s: all(x.lanes <= x.mechanical_lanes for x in s.slots or ()),
        "positions are unique": lambda s: len({x.position for x in s.slots or ()}) == len(s.slots or ()),
        "labels are unique": lambda s: len(set(_labels(s))) == len(_labels(s)),
        "lane cases name slots that are there": _lane_cases_name_slots,
        "slots hang on a CPU that is there": lambda s: all(x.cpu < s.cpu_sockets for x in s.slots or ()),
        "the slots fit on a board of its size": lambda s: (
            s.places_assumed or all(x.position <= POSITIONS.get(s.form_factor, MAX_POSITION) for x in s.slots or ())
        ),
        "every channel has a memory slot": lambda s: (
            s.ram_channels <= s.ram_slots if s.ram_slots and s.ram_channels else None
        ),
        "the largest module fills no more than the maximum": lambda s: (
            s.ram_module_max_gb * s.ram_slots >= s.ram_max_gb
            if s.ram_module_max_gb and s.ram_slots and s.ram_max_gb
            else None
        ),
    },
    CpuSpec: {
        "threads are one or two per core": lambda s: (
            s.cores <= s.threads <= 2 * s.cores if s.threads and s.cores else None
        ),
        "clocks rise": lambda s: _in_order(s.base_clock_mhz, s.boost_clock_mhz),
        "the sustained limit is not under the TDP": lambda s: _in_order(s.tdp_w, s.sustained_power_w),
    },
    RamSpec: {
        "registered modules correct errors": lambda s: (
            s.ecc if s.kind in (ModuleKind.RDIMM, ModuleKind.LRDIMM) else None
        ),
        "speed fits the type": lambda s: 800 <= s.speed_mts <= 10_000 if s.speed_mts else None,
        "a module is 1 to 512 GB": lambda s: 1 <= s.module_gb <= 512 if s.module_gb else None,
    },
    PsuSpec: {
        "the 12 V rail carries most of the rating and no more": lambda s: (
            0.8 * s.power_w <= 12 * s.current_12v_a <= 1.05 * s.power_w if s.power_w and s.current_12v_a else None
        ),
        "input limits are ordered ranges within the rating": lambda s: all(
            x.from_v < x.to_v and x.power_w <= (s.power_w or x.power_w) for x in s.input_limits or ()
        ),
        "no cable carries more than its plugs may": lambda s: all(
            x.rated_w <= CONNECTOR_W.get(x.kind, 1e9) for x in s.cables or () if x.rated_w
        ),
        "some cable feeds the board, but for server modules behind a breakout board": lambda s: (
            any("eps" in x.kind for x in s.cables)
            if s.cables and not s.cables_incomplete and s.form_factor != "proprietary"
            else None
        ),
    },
    UpsSpec: {"its volt-amperes cover its watts": lambda s: _in_order(s.power_w, s.apparent_va)},
    CableSpec: {"adapters name both ends": lambda s: bool(s.source_kind and s.target_kind)},
    CaseSpec: {
        "a front radiator does not make room for longer cards": lambda s: _in_order(
            s.gpu_max_length_front_radiator_mm, s.gpu_max_length_mm
        ),
        "a card is no longer than the case in any direction": lambda s: (
            s.gpu_max_length_mm <= max(s.height_mm, s.width_mm, s.depth_mm)
            if s.gpu_max_length_mm and s.height_mm and s.width_mm and s.depth_mm
            else None
        ),
        "a case offers some slot": lambda s: s.expansion_slots > 0 if s.expansion_slots is not None else None,
        "radiators are as long as their fans": lambda s: all(
            x.length_mm % x.fan_size_mm == 0 for x in s.radiator_mounts or ()
        ),
        "a rack unit is 44.45 mm": lambda s: (
            s.height_mm <= 44.45 * s.rack_units if s.rack_units and s.height_mm else None
        ),
    },
    CpuCoolerSpec: {
        "a closed loop has a radiator": lambda s: bool(s.radiator_mm) if s.kind is CoolerKind.AIO else None,
        "an air cooler has none": lambda s: s.radiator_mm is None if s.kind is CoolerKind.AIR else None,
    },
    FanSpec: {
        "more speed moves more air": lambda s: _rises(s, "airflow_m3h"),
        "more speed presses harder": lambda s: _rises(s, "static_pressure_mmh2o"),
        "more speed is louder": lambda s: _rises(s, "level_dba"),
    },
    RadiatorSpec: {
        "it is as long as its fans": lambda s: (
            s.length_mm % s.fan_size_mm == 0 if s.length_mm and s.fan_size_mm else None
        )
    },
    StorageSpec: {"only NVMe drives have lanes": lambda s: s.kind is StorageKind.NVME if s.pcie_lanes else None},
    NvlinkBridgeSpec: {"it fits products that ship": lambda s: set(s.fits_products or ()) <= products()},
    WaterBlockSpec: {
        "it fits a product that ships": lambda s: (
            bool(set(s.fits_products or ()) & products()) if s.fits_products else None
        ),
        "it fits cards that ship": lambda s: set(s.fits_parts or ()) <= dict(of(GpuSpec)).keys(),
    },
}
"""What holds for every part of a kind; None where a figure is unknown."""


@pytest.mark.parametrize(("kind", "what"), [(kind, what) for kind, rules in RULES.items() for what in rules])
def test_the_figures_of_every_part_go_together(kind: type, what: str) -> None:
    assert [part_id for part_id, spec in of(kind) if RULES[kind][what](spec) is False] == []


def test_boards_of_one_product_share_what_the_chip_decides() -> None:
    fields = ("chip", "architecture", "compute_capability", "cores", "memory_bus_bits", "pcie_generation", "ecc")
    for field in fields:
        seen: dict[tuple[str, float | None], object] = {}
        for part_id, spec in of(GpuSpec):
            value = getattr(spec, field)
            if value is not None:
                assert seen.setdefault((spec.product, spec.memory_gb), value) == value, (part_id, field)


def test_cpu_slots_of_a_board_fit_the_lanes_of_some_cpu() -> None:
    """A board may share lanes, but never gives one slot more than its socket's largest CPU has."""
    lanes = {spec.socket: 0 for _, spec in of(CpuSpec)}
    for _, cpu in of(CpuSpec):
        lanes[cpu.socket] = max(lanes[cpu.socket], cpu.pcie_lanes or 0)
    tight = [
        part_id
        for part_id, board in of(MotherboardSpec)
        for slot in board.slots or ()
        if lanes.get(board.socket) and slot.attachment == "cpu" and slot.lanes > lanes[board.socket]
    ]
    assert tight == []


def test_the_name_of_memory_states_its_size() -> None:
    for part in shipped_of(Category.RAM):
        if part.spec.modules and part.spec.module_gb:
            size = f"{part.spec.modules * part.spec.module_gb:g}"
            assert f"{size} GB" in part.name or f"{size}GB" in part.name, part.id
