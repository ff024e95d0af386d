"""Every metric that is recorded, in one table: the columns of a sample, the axes of plots, the words in reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """One measured quantity. `name` carries the unit; `meaning` is what tooltips and reports say."""

    name: str
    title: str
    unit: str
    meaning: str
    decimals: int = 0


METRICS: tuple[Metric, ...] = (
    Metric("temperature_c", "Temperature", "°C", "Core temperature of the GPU, or package of the CPU"),
    Metric("memory_temperature_c", "Memory temperature", "°C", "HBM temperature; GDDR cards do not report it"),
    Metric("margin_c", "Margin", "K", "Degrees left to the limit that the driver enforces"),
    Metric("power_w", "Power", "W", "Board power of the GPU, or package power of the CPU"),
    Metric("power_limit_w", "Power limit", "W", "The limit in force now"),
    Metric("clock_mhz", "Clock", "MHz", "SM clock of the GPU, or mean core clock of the CPU"),
    Metric("memory_clock_mhz", "Memory clock", "MHz", "Clock of the GPU's memory"),
    Metric("utilisation_pct", "Utilisation", "%", "Share of time in which the device worked; not a sign of health"),
    Metric("memory_used_mb", "Memory used", "MB", "Memory of the GPU, or of the host for the CPU"),
    Metric("fan_pct", "Fan", "%", "Commanded fan speed; a stuck fan still shows its command"),
    Metric("fan_rpm", "Fan speed", "rpm", "Fan speed where the driver or kernel offers it"),
    Metric("throttle_mask", "Clock limits", "", "Bit mask of the driver's reasons for lower clocks"),
    Metric("pcie_generation", "PCIe generation", "", "Link generation now; falls at idle by design"),
    Metric("pcie_lanes", "PCIe lanes", "", "Link width now"),
    Metric("throughput_tflops", "Throughput", "TFLOP/s", "Floating-point work done by the load", 2),
    Metric("tokens_per_s", "Tokens", "tokens/s", "Training speed of the transformer load"),
    Metric("loss", "Loss", "", "Training loss of the transformer load", 3),
    Metric("checks", "Checks", "", "Results compared so far"),
    Metric("errors", "Errors", "", "Wrong results so far"),
)
NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS)
BY_NAME = {metric.name: metric for metric in METRICS}

LOAD_METRICS = ("throughput_tflops", "tokens_per_s", "loss", "checks", "errors")
"""Reported by workers; the sampler reports the others."""
