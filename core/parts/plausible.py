"""Ranges that a figure cannot leave: outside stands a wrong unit, a zero for "unknown", or another column's figure.

Wide on purpose: a rare part must pass, a length in cm or a memory size in TB must not. General knowledge of what was
ever sold, rounded outwards; the widest parts that public data sets list truly (GPU 450 mm, board memory 8 TB) fit.
"""

from __future__ import annotations

from core.parts.part import Part
from core.parts.vocabulary import Category

Range = tuple[float, float]

PLAUSIBLE: dict[Category, dict[str, Range]] = {
    Category.GPU: {
        "length_mm": (100, 500),
        "height_mm": (50, 220),
        "thickness_mm": (8, 100),
        "width_slots": (0.8, 5),
        "bracket_slots": (1, 5),
        "mass_g": (100, 5000),
        "power_limit_w": (10, 1500),
        "power_limit_min_w": (5, 1500),
        "power_limit_max_w": (10, 1500),
        "idle_power_w": (1, 150),
        "memory_gb": (0.25, 300),
        "memory_bus_bits": (32, 8192),
        "memory_bandwidth_gbps": (5, 10_000),
        "base_clock_mhz": (100, 4000),
        "boost_clock_mhz": (100, 4500),
        "fp32_tflops": (0.05, 200),
        "fan_count": (0, 5),
        "fan_max_rpm": (800, 20_000),
        "temperature_target_c": (60, 100),
        "temperature_slowdown_c": (70, 115),
        "temperature_shutdown_c": (75, 125),
        "radiator_mm": (120, 480),
    },
    Category.CPU: {
        "cores": (1, 400),
        "threads": (1, 800),
        "base_clock_mhz": (500, 6000),
        "boost_clock_mhz": (500, 7000),
        "tdp_w": (5, 600),
        "max_power_w": (5, 800),
        "pcie_generation": (1, 7),
        "pcie_lanes": (4, 192),
        "ram_channels": (1, 16),
        "ram_max_gb": (4, 16_384),
        "max_sockets": (1, 8),
        "temperature_max_c": (50, 125),
    },
    Category.MOTHERBOARD: {
        "height_mm": (100, 500),
        "width_mm": (100, 700),
        "ram_slots": (1, 32),
        "ram_channels": (1, 24),
        "ram_max_gb": (4, 16_384),
        "ram_module_max_gb": (2, 1024),
        "sata_ports": (0, 30),
        "fan_headers": (1, 20),
        "idle_power_w": (5, 200),
        "load_power_w": (5, 400),
    },
    Category.RAM: {
        "modules": (1, 16),
        "module_gb": (0.5, 512),
        "speed_mts": (400, 13_000),
        "ranks": (1, 8),
        "height_mm": (15, 80),
        "voltage_v": (0.9, 2.5),
        "module_power_w": (0.5, 30),
    },
    Category.STORAGE: {
        "capacity_gb": (8, 300_000),
        "pcie_generation": (1, 7),
        "active_power_w": (0.5, 40),
        "idle_power_w": (0.001, 20),
    },
    Category.PSU: {
        "power_w": (100, 6000),
        "current_12v_a": (5, 500),
        "length_mm": (60, 500),
        "fan_size_mm": (30, 150),
        "fan_max_rpm": (500, 40_000),
    },
    Category.CASE: {
        "expansion_slots": (0, 24),
        "gpu_max_length_mm": (100, 1000),
        "gpu_max_length_front_radiator_mm": (100, 1000),
        "gpu_max_height_mm": (50, 400),
        "cpu_cooler_max_height_mm": (20, 350),
        "bays_3_5": (0, 60),
        "bays_2_5": (0, 60),
        "height_mm": (40, 1200),
        "width_mm": (50, 900),
        "depth_mm": (100, 1300),
        "rack_units": (1, 12),
    },
    Category.CPU_COOLER: {
        "height_mm": (15, 230),
        "ram_max_height_mm": (20, 120),
        "radiator_mm": (80, 480),
        "radiator_thickness_mm": (15, 90),
        "rated_power_w": (30, 1500),
        "fan_count": (0, 6),
        "fan_size_mm": (30, 200),
        "fan_max_rpm": (500, 15_000),
    },
    Category.FAN: {"size_mm": (20, 250), "thickness_mm": (5, 80), "min_rpm": (50, 20_000), "power_w": (0.1, 120)},
    Category.RADIATOR: {
        "length_mm": (80, 1300),
        "fan_size_mm": (40, 200),
        "fan_positions": (1, 18),
        "thickness_mm": (15, 120),
        "fins_per_inch": (5, 40),
    },
    Category.PUMP: {"power_w": (1, 60), "flow_lph": (50, 3000), "head_m": (0.5, 15)},
    Category.WATER_BLOCK: {"width_slots": (0.8, 4), "length_mm": (50, 350), "height_mm": (50, 200)},
    Category.RISER: {"length_mm": (20, 1500), "generation": (1, 7)},
    Category.NVLINK_BRIDGE: {"generation": (1, 6), "bandwidth_gbps": (20, 2000)},
    Category.NIC: {
        "ports": (1, 8),
        "port_gbit": (0.1, 800),
        "pcie_generation": (1, 7),
        "width_slots": (0.8, 3),
        "length_mm": (50, 320),
        "power_w": (0.5, 100),
    },
    Category.UPS: {"power_w": (100, 200_000), "apparent_va": (100, 200_000), "input_v": (90, 480)},
    Category.CABLE: {"rated_w": (10, 700), "length_mm": (20, 2000)},
}


def implausible(part: Part) -> list[tuple[str, float, Range]]:
    """The figures of a part that lie outside: name, value, range."""
    found = []
    for field, (low, high) in PLAUSIBLE[part.category].items():
        value = getattr(part.spec, field)
        if value is not None and not low <= value <= high:
            found.append((field, value, (low, high)))
    return found
