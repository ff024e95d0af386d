"""Parts whose deciding figures are unknown, in one list."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category, GpuForm
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule

DECIDING: dict[Category, tuple[str, ...]] = {
    Category.GPU: (
        "cooling",
        "length_mm",
        "width_slots",
        "pcie_generation",
        "pcie_lanes",
        "power_limit_w",
        "power_connectors",
        "memory_gb",
    ),
    Category.CPU: ("socket", "max_power_w", "pcie_lanes", "ram_types", "ram_kinds"),
    Category.MOTHERBOARD: ("socket", "form_factor", "ram_type", "ram_kinds", "ram_slots", "slots", "power_inputs"),
    Category.RAM: ("ram_type", "kind", "modules", "module_gb"),
    Category.PSU: ("power_w", "cables", "efficiency_level", "inlet"),
    Category.CASE: ("form_factors", "expansion_slots", "gpu_max_length_mm", "cpu_cooler_max_height_mm"),
    Category.CPU_COOLER: ("kind", "sockets"),
    Category.NIC: ("pcie_lanes", "width_slots"),
    Category.WATER_BLOCK: ("width_slots",),
}
"""Figures that the rules cannot do without."""

_SXM = ("power_limit_w", "memory_gb")


def deciding_fields(part: Part) -> tuple[str, ...]:
    """The figures of a part that the rules cannot do without."""
    if isinstance(part.spec, GpuSpec) and part.spec.form is GpuForm.SXM:
        return _SXM
    return DECIDING.get(part.category, ())


def _known(read: Reader, machine: Machine) -> Answer:
    wanted = [(line.part, field) for line in machine.build.lines for field in deciding_fields(line.part)]
    read.all(*wanted)
    return Answer(
        Status.PASS, f"All {len(wanted)} deciding figures of the parts are known.", len(wanted), unit="figures"
    )


UNKNOWN_RULES = (
    Rule(
        "unknown-figures",
        "Deciding figures",
        "A rule never passes on a figure that is not known.",
        "definition",
        _known,
    ),
)
