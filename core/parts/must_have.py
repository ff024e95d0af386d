"""The figures of a part that decide: those that a rule or a prediction cannot do without.

The catalogue's coverage is counted over them, and a build's list of unknowns names them.
"""

from __future__ import annotations

from core.parts.part import Part
from core.parts.specs import CaseSpec, CpuCoolerSpec, GpuSpec, StorageSpec
from core.parts.vocabulary import CaseKind, Category, CoolerKind, GpuForm, StorageKind

MUST_HAVE: dict[Category, tuple[str, ...]] = {
    Category.GPU: (
        *("product", "cooling", "length_mm", "height_mm", "width_slots", "pcie_generation", "pcie_lanes"),
        *("power_limit_w", "power_connectors", "memory_gb"),
    ),
    Category.CPU: (
        *("socket", "max_power_w", "pcie_generation", "pcie_lanes", "ram_types", "ram_kinds", "ram_max_gb"),
        "max_sockets",
    ),
    Category.MOTHERBOARD: (
        *("socket", "cpu_sockets", "form_factor", "ram_type", "ram_kinds", "ram_slots", "ram_channels", "ram_max_gb"),
        *("slots", "m2", "power_inputs"),
    ),
    Category.RAM: ("ram_type", "kind", "modules", "module_gb"),
    Category.STORAGE: ("kind", "form_factor", "pcie_generation", "pcie_lanes", "active_power_w"),
    Category.PSU: ("power_w", "form_factor", "efficiency_level", "cables", "inlet", "length_mm"),
    Category.CASE: (
        *("kind", "form_factors", "expansion_slots", "gpu_max_length_mm", "cpu_cooler_max_height_mm"),
        *("psu_mounts", "radiator_mounts", "panels"),
    ),
    Category.CPU_COOLER: ("kind", "sockets", "height_mm", "radiator_mm", "fan_count", "fan_size_mm"),
    Category.FAN: ("size_mm", "thickness_mm", "points", "power_w"),
    Category.RADIATOR: ("length_mm", "fan_size_mm", "fan_positions", "thickness_mm"),
    Category.PUMP: ("power_w",),
    Category.WATER_BLOCK: ("fits_products", "width_slots"),
    Category.RISER: ("kind", "generation", "lanes", "length_mm"),
    Category.NVLINK_BRIDGE: ("generation", "spacing_slots", "fits_products"),
    Category.NIC: ("pcie_generation", "pcie_lanes", "width_slots", "power_w"),
    Category.UPS: ("power_w", "apparent_va", "inlet"),
    Category.CABLE: ("source_kind", "source_count", "target_kind", "target_count"),
}

_OF_A_CLOSED_CASE = ("gpu_max_length_mm", "cpu_cooler_max_height_mm", "panels")
_OF_A_MODULE = ("product", "cooling", "power_limit_w", "memory_gb")


def must_have(part: Part) -> tuple[str, ...]:
    """The deciding figures of this part: those of its category that apply to its kind."""
    fields = MUST_HAVE[part.category]
    match part.spec:
        case GpuSpec(form=GpuForm.SXM):
            return _OF_A_MODULE
        case CaseSpec(kind=CaseKind.OPEN_FRAME):
            return tuple(field for field in fields if field not in _OF_A_CLOSED_CASE)
        case StorageSpec(kind=kind) if kind in (StorageKind.HDD, StorageKind.SATA_SSD):
            return tuple(field for field in fields if not field.startswith("pcie_"))
        case CpuCoolerSpec(kind=CoolerKind.AIR):
            return tuple(field for field in fields if field != "radiator_mm")
        case CpuCoolerSpec(kind=CoolerKind.AIO):
            return tuple(field for field in fields if field != "height_mm")
        case CpuCoolerSpec(kind=CoolerKind.BLOCK):
            return ("kind", "sockets")
        case _:
            return fields
