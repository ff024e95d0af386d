"""GPUs and machines for the tests of speed."""

from typing import Any

from core.parts.part import Part
from core.plan.build import Build
from core.plan.line import Line
from tests.rules.machines import good_build, part, slot, with_line

FIGURES: dict[str, Any] = {
    "product": "RTX Test",
    "architecture": "Ampere",
    "compute_capability": "8.6",
    "memory_bandwidth_gbps": 768.0,
    "memory_type": "GDDR6",
    "memory_bus_bits": 384,
    "memory_gb": 24.0,
    "fp32_tflops": 38.0,
    "fp16_tflops": 38.0,
    "fp16_tensor_tflops": 150.0,
    "tf32_tflops": 75.0,
    "cores": 10752,
    "tensor_cores": 336,
    "boost_clock_mhz": 1770.0,
    "power_limit_w": 300.0,
    "power_limit_min_w": 100.0,
    "width_slots": 1,
    "bracket_slots": 1,
}


def gpu(suffix: str = "", **changes: Any) -> Part:
    """A professional card of the size of an RTX A6000 with every figure known."""
    return part("gpu", suffix=suffix, **(FIGURES | changes))


def machine(card: Part, slots: tuple[int, ...], *others: Line, board: dict[int, dict[str, Any]] | None = None) -> Build:
    """A machine with such cards in these slots; `board` changes slots by position."""
    rows = [slot(position, **(board or {}).get(position, {})) for position in range(1, 9)]
    base = with_line(good_build(), part("motherboard", slots=rows, cpu_sockets=2))
    lines = tuple(line for line in base.lines if line.part.id != "gpu")
    return base.with_lines((*lines, Line(card, len(slots), slots), *others))
