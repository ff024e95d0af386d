"""Figures by their names for people: "power_limit_w" is the "power limit" in W."""

from __future__ import annotations

import re

from core.units import without_unit

_NAMES = {
    "above_4g": "decoding above 4 GB",
    "apparent": "apparent power",
    "bar1": "BAR1 size",
    "bays_2_5": "2.5-inch bays",
    "bays_3_5": "3.5-inch bays",
    "bmc": "management controller (BMC)",
    "board_max_width": "room for board width",
    "bracket_slots": "bracket width",
    "cpu_cooler_max_height": "room for cooler height",
    "current_12v": "12 V current",
    "fan_max": "highest fan speed",
    "fan_stop": "fan stop at idle",
    "fan_stop_below": "load that starts the fan",
    "fins_per_inch": "fins per inch",
    "gpu_max_height": "room for card height",
    "gpu_max_length": "room for card length",
    "gpu_max_length_front_radiator": "room for card length behind front radiator",
    "fits_parts": "fitting cards",
    "fits_products": "fitting products",
    "input": "mains voltage",
    "lane_cases": "lane sharing",
    "m2": "M.2 sockets",
    "max_power": "sustained power limit",
    "max_sockets": "supported CPU count",
    "min": "lowest speed",
    "module": "module size",
    "nvlink": "NVLink bandwidth",
    "p2p": "peer-to-peer access",
    "port": "port speed",
    "power_limit_max": "highest power limit",
    "power_limit_min": "lowest power limit",
    "radiator": "radiator length",
    "ram_kinds": "kinds of RAM module",
    "ram_max": "largest RAM",
    "ram_max_height": "room for RAM height",
    "ram_module_max": "largest RAM module",
    "rated": "rated power",
    "resizable_bar": "resizable BAR",
    "runtime_full": "runtime at full load",
    "runtime_half": "runtime at half load",
    "temperature_max": "highest temperature",
    "temperature_shutdown": "shutdown temperature",
    "temperature_slowdown": "slowdown temperature",
    "temperature_target": "target temperature",
    "thermal_resistance": "thermal resistance",
    "width_slots": "width in slots",
}
_ACRONYMS = re.compile(r"\b(atx|bf16|cpu|ecc|fp8|fp16|fp32|fp64|gpu|psu|pwm|ram|sata|sm|tdp|tf32)\b")


def field_words(field: str) -> str:
    """The name of a figure for people: "power_limit_w" is "power limit"."""
    name = without_unit(field.replace("_tflops", "_rate"))
    words = _NAMES.get(name, name.replace("_", " ")).replace("pcie", "PCIe").replace("nvlink", "NVLink")
    return _ACRONYMS.sub(lambda found: found[0].upper(), words)
