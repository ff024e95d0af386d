"""Coolers, fans and the parts of a water loop."""

from __future__ import annotations

from typing import Literal

from core.parts.values import Count, Few, Level, NoisePoint, Positive, Rows, Several, Value, Whole
from core.parts.vocabulary import Category, CoolerKind, Socket


class CpuCoolerSpec(Value):
    """Air cooler, closed loop or block."""

    category: Literal[Category.CPU_COOLER] = Category.CPU_COOLER
    kind: CoolerKind | None = None
    sockets: Several[Socket] | None = None
    height_mm: Positive | None = None
    ram_max_height_mm: Positive | None = None
    """Tallest RAM module that fits under it, with its fan where it belongs."""
    radiator_mm: Positive | None = None
    radiator_thickness_mm: Positive | None = None
    rated_power_w: Positive | None = None
    thermal_resistance_k_per_w: Positive | None = None
    fan_count: Count | None = None
    fan_size_mm: Positive | None = None
    fan_max_rpm: Positive | None = None
    fan_power_w: Positive | None = None
    noise: Rows[NoisePoint] = ()


class FanPoint(Value):
    """A published operating point: free-air flow, shut-off pressure, level at 1 m."""

    rpm: Positive
    airflow_m3h: Positive | None = None
    static_pressure_mmh2o: Positive | None = None
    level_dba: Level | None = None


class FanSpec(Value):
    """A case or radiator fan."""

    category: Literal[Category.FAN] = Category.FAN
    size_mm: Positive | None = None
    thickness_mm: Positive | None = None
    points: Rows[FanPoint] | None = None
    min_rpm: Positive | None = None
    power_w: Positive | None = None
    pwm: bool | None = None


class RadiatorPoint(Value):
    """Heat carried off at a coolant-to-air difference of 10 K."""

    rpm: Positive
    watts_per_10k: Positive


class RadiatorSpec(Value):
    """A radiator without fans."""

    category: Literal[Category.RADIATOR] = Category.RADIATOR
    length_mm: Positive | None = None
    """Nominal fan length: 120, 240, 280, 360, 420, 480."""
    fan_size_mm: Positive | None = None
    fan_positions: Few | None = None
    thickness_mm: Positive | None = None
    outer_length_mm: Positive | None = None
    outer_width_mm: Positive | None = None
    fins_per_inch: Positive | None = None
    points: Rows[RadiatorPoint] = ()


class PumpSpec(Value):
    """A coolant pump, with or without reservoir."""

    category: Literal[Category.PUMP] = Category.PUMP
    kind: str | None = None
    power_w: Positive | None = None
    flow_lph: Positive | None = None
    head_m: Positive | None = None
    reservoir_ml: Positive | None = None
    noise: Rows[NoisePoint] = ()


class WaterBlockSpec(Value):
    """A full-cover block for a card."""

    category: Literal[Category.WATER_BLOCK] = Category.WATER_BLOCK
    fits_products: Several[str] | None = None
    """Values of `GpuSpec.product`."""
    fits_parts: Several[str] | None = None
    """Part ids with the right board layout."""
    width_slots: Positive | None = None
    bracket_slots: Whole | None = None
    length_mm: Positive | None = None
    height_mm: Positive | None = None
    thermal_resistance_k_per_w: Positive | None = None
