"""Figures that predictions look at, for the rules that judge them."""

from __future__ import annotations

_DRAWN = (
    *("gpu.form", "gpu.idle_power_w", "gpu.power_connectors", "gpu.power_limit_w", "nic.power_w", "pump.power_w"),
    *("cpu.idle_power_w", "cpu.max_power_w", "cpu.tdp_w", "ram.kind", "ram.module_power_w", "ram.modules"),
    *("motherboard.bmc", "motherboard.cpu_sockets", "motherboard.idle_power_w", "motherboard.load_power_w"),
    *("storage.active_power_w", "storage.idle_power_w", "storage.kind", "fan.power_w", "fan.thickness_mm"),
    *("cpu_cooler.fan_count", "cpu_cooler.fan_power_w", "cpu_cooler.kind", "case.included_fans", "case.kind"),
)
BLOCK_READS = ("gpu.cooling", "gpu.product", "water_block.fits_parts", "water_block.fits_products")
"""Which cards carry a water block of the build."""
AIR_READS: tuple[str, ...] = (
    *_DRAWN,
    *BLOCK_READS,
    *("case.panels", "fan.min_rpm", "fan.points", "fan.size_mm", "radiator.fan_positions", "radiator.fan_size_mm"),
    *("radiator.fins_per_inch", "radiator.length_mm", "radiator.thickness_mm"),
)
"""Air through the case, and the heat that it must carry."""
WALL_READS: tuple[str, ...] = (*_DRAWN, "psu.efficiency", "psu.efficiency_level", "psu.power_w")
"""Power at the wall."""
HEAT_READS: tuple[str, ...] = (
    *AIR_READS,
    *("psu.efficiency", "psu.efficiency_level", "psu.power_w", "cpu.temperature_max_c"),
    *("cpu_cooler.radiator_mm", "cpu_cooler.thermal_resistance_k_per_w", "gpu.fan_max_rpm", "gpu.fan_stop"),
    *("gpu.noise", "gpu.temperature_target_c", "gpu.thermal_resistance_k_per_w", "gpu.width_slots"),
    *("water_block.thermal_resistance_k_per_w", "water_block.width_slots"),
)
"""Temperatures of the cards."""
NOISE_READS: tuple[str, ...] = (
    *HEAT_READS,
    *("case.depth_mm", "case.height_mm", "case.width_mm", "cpu_cooler.fan_size_mm", "cpu_cooler.noise"),
    *("psu.fan_max_rpm", "psu.fan_speeds", "psu.fan_stop_below_pct", "psu.noise", "pump.noise"),
    "storage.noise",
)
"""Noise, which follows the temperatures of the cards."""
WIRING_READS: tuple[str, ...] = (
    *("gpu.form", "gpu.power_connectors", "gpu.power_limit_w", "gpu.boxed_adapter", "psu.cables", "psu.connectors"),
    *("psu.power_w", "psu.input_limits", "motherboard.power_inputs", "cpu.max_power_w", "cpu.tdp_w", "nic.power_w"),
    *("cable.source_kind", "cable.source_count", "cable.target_kind", "cable.target_count", "cable.rated_w"),
    *("riser.powered", "riser.power_inputs", "riser.lanes", "riser.generation", "riser.length_mm"),
    *("motherboard.bmc", "motherboard.cpu_sockets", "ram.kind", "ram.modules", "storage.kind", "fan.thickness_mm"),
)
"""Which plug feeds which socket."""
SUPPLY_READS: tuple[str, ...] = (*_DRAWN, "psu.power_w", "psu.input_limits")
"""Direct current asked for, and what the supplies give."""


def all_of(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """Each figure once."""
    return tuple(dict.fromkeys(figure for group in groups for figure in group))
