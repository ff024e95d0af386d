"""What each tool calls our metrics, and how its figures become those of our unit: by field, or by the unit it names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.machine.tables.column_cells import ratio
from core.words import shown, tr

MIB = 2.0**20
_BLANK = 9.2e18
"""DCGM gives figures about 2^63 (and about 2^31) where it has none."""
_BLANK_32 = range(2147483632, 2147483648)
Field = tuple[str, float]

TIMESTAMP = "timestamp"
INDEX = "index"
NAMES = ("name", "gpu_name")
UUIDS = ("uuid", "gpu_uuid")
BUS_IDS = ("pci.bus_id", "gpu_bus_id")
"""Fields of nvidia-smi --query-gpu that tell rows and cards apart, each under all its names."""
SMI: dict[str, Field] = {
    "temperature.gpu": ("temperature_c", 1),
    "temperature.memory": ("memory_temperature_c", 1),
    "power.draw": ("power_w", 1),
    "power.draw.average": ("power_w", 1),
    "power.draw.instant": ("power_instant_w", 1),
    "power.limit": ("power_limit_w", 1),
    "enforced.power.limit": ("power_limit_w", 1),
    "clocks.current.sm": ("clock_mhz", 1),
    "clocks.sm": ("clock_mhz", 1),
    "clocks.current.graphics": ("graphics_clock_mhz", 1),
    "clocks.gr": ("graphics_clock_mhz", 1),
    "clocks.current.memory": ("memory_clock_mhz", 1),
    "clocks.mem": ("memory_clock_mhz", 1),
    "clocks.current.video": ("video_clock_mhz", 1),
    "clocks.video": ("video_clock_mhz", 1),
    "utilization.gpu": ("utilisation_pct", 1),
    "utilization.memory": ("memory_utilisation_pct", 1),
    "memory.used": ("memory_used_mb", 1),
    "fan.speed": ("fan_pct", 1),
    "pstate": ("performance_state", 1),
    "pcie.link.gen.current": ("pcie_generation", 1),
    "pcie.link.gen.gpucurrent": ("pcie_generation", 1),
    "pcie.link.width.current": ("pcie_lanes", 1),
    "clocks_event_reasons.active": ("throttle_mask", 1),
    "clocks_throttle_reasons.active": ("throttle_mask", 1),
    "ecc.errors.corrected.volatile.total": ("ecc_corrected", 1),
    "ecc.errors.uncorrected.volatile.total": ("ecc_uncorrected", 1),
}
"""Fields of nvidia-smi --query-gpu."""

DMON: dict[str, Field] = {
    "pwr": ("power_w", 1),
    "gtemp": ("temperature_c", 1),
    "mtemp": ("memory_temperature_c", 1),
    "sm": ("utilisation_pct", 1),
    "mem": ("memory_utilisation_pct", 1),
    "mclk": ("memory_clock_mhz", 1),
    "pclk": ("clock_mhz", 1),
    "fb": ("memory_used_mb", 1),
    "rxpci": ("pcie_received_gbps", 1e-3),
    "txpci": ("pcie_sent_gbps", 1e-3),
    "sbecc": ("ecc_corrected", 1),
    "dbecc": ("ecc_uncorrected", 1),
}
"""Columns of nvidia-smi dmon."""

DCGMI: dict[str, Field] = {
    "GPUTL": ("utilisation_pct", 1),
    "MCUTL": ("memory_utilisation_pct", 1),
    "POWER": ("power_w", 1),
    "POWR": ("power_w", 1),
    "TMPTR": ("temperature_c", 1),
    "GPUT": ("temperature_c", 1),
    "GTEMP": ("temperature_c", 1),
    "MMTMP": ("memory_temperature_c", 1),
    "MTEMP": ("memory_temperature_c", 1),
    "SMCLK": ("clock_mhz", 1),
    "MMCLK": ("memory_clock_mhz", 1),
    "VICLK": ("video_clock_mhz", 1),
    "FBUSD": ("memory_used_mb", 1),
    "TOTEC": ("energy_j", 1e-3),
    "FANSP": ("fan_pct", 1),
    "PMLMT": ("power_limit_w", 1),
    "ESVTL": ("ecc_corrected", 1),
    "EDVTL": ("ecc_uncorrected", 1),
    "TENSO": ("tensor_pct", 100),
    "DRAMA": ("memory_bandwidth_pct", 100),
    "FP64A": ("fp64_pct", 100),
    "FP32A": ("fp32_pct", 100),
    "FP16A": ("fp16_pct", 100),
}
"""Columns of dcgmi dmon."""

SCRAPED: dict[str, Field] = {
    "DCGM_FI_DEV_GPU_TEMP": ("temperature_c", 1),
    "DCGM_FI_DEV_MEMORY_TEMP": ("memory_temperature_c", 1),
    "DCGM_FI_DEV_POWER_USAGE": ("power_w", 1),
    "DCGM_FI_DEV_POWER_USAGE_INSTANT": ("power_instant_w", 1),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT": ("power_limit_w", 1),
    "DCGM_FI_DEV_SM_CLOCK": ("clock_mhz", 1),
    "DCGM_FI_DEV_MEM_CLOCK": ("memory_clock_mhz", 1),
    "DCGM_FI_DEV_GPU_UTIL": ("utilisation_pct", 1),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("memory_utilisation_pct", 1),
    "DCGM_FI_DEV_FB_USED": ("memory_used_mb", 1),
    "DCGM_FI_DEV_FAN_SPEED": ("fan_pct", 1),
    "DCGM_FI_DEV_PSTATE": ("performance_state", 1),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("energy_j", 1e-3),
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": ("pcie_replays", 1),
    "DCGM_FI_DEV_PCIE_LINK_GEN": ("pcie_generation", 1),
    "DCGM_FI_DEV_PCIE_LINK_WIDTH": ("pcie_lanes", 1),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": ("throttle_mask", 1),
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": ("throttle_mask", 1),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": ("ecc_corrected", 1),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("ecc_uncorrected", 1),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": ("remapped_corrected", 1),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": ("remapped_uncorrected", 1),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": ("remap_failed", 1),
    "DCGM_FI_DEV_ROW_REMAP_PENDING": ("remap_pending", 1),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("tensor_pct", 100),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("memory_bandwidth_pct", 100),
    "DCGM_FI_PROF_PIPE_FP64_ACTIVE": ("fp64_pct", 100),
    "DCGM_FI_PROF_PIPE_FP32_ACTIVE": ("fp32_pct", 100),
    "DCGM_FI_PROF_PIPE_FP16_ACTIVE": ("fp16_pct", 100),
    "DCGM_FI_PROF_PCIE_TX_BYTES": ("pcie_sent_gbps", 1e-9),
    "DCGM_FI_PROF_PCIE_RX_BYTES": ("pcie_received_gbps", 1e-9),
    "nvidia_smi_temperature_gpu": ("temperature_c", 1),
    "nvidia_smi_temperature_gpu_celsius": ("temperature_c", 1),
    "nvidia_smi_temperature_memory": ("memory_temperature_c", 1),
    "nvidia_smi_power_draw_watts": ("power_w", 1),
    "nvidia_smi_power_draw_average_watts": ("power_w", 1),
    "nvidia_smi_power_draw_instant_watts": ("power_instant_w", 1),
    "nvidia_smi_power_limit_watts": ("power_limit_w", 1),
    "nvidia_smi_enforced_power_limit_watts": ("power_limit_w", 1),
    "nvidia_smi_clocks_current_sm_clock_hz": ("clock_mhz", 1e-6),
    "nvidia_smi_clocks_current_sm_hz": ("clock_mhz", 1e-6),
    "nvidia_smi_clocks_current_graphics_clock_hz": ("graphics_clock_mhz", 1e-6),
    "nvidia_smi_clocks_current_graphics_hz": ("graphics_clock_mhz", 1e-6),
    "nvidia_smi_clocks_current_memory_clock_hz": ("memory_clock_mhz", 1e-6),
    "nvidia_smi_clocks_current_memory_hz": ("memory_clock_mhz", 1e-6),
    "nvidia_smi_clocks_current_video_clock_hz": ("video_clock_mhz", 1e-6),
    "nvidia_smi_utilization_gpu_ratio": ("utilisation_pct", 100),
    "nvidia_smi_utilization_gpu": ("utilisation_pct", 100),
    "nvidia_smi_utilization_memory_ratio": ("memory_utilisation_pct", 100),
    "nvidia_smi_memory_used_bytes": ("memory_used_mb", 1 / MIB),
    "nvidia_smi_fan_speed_ratio": ("fan_pct", 100),
    "nvidia_smi_fan_speed": ("fan_pct", 100),
    "nvidia_smi_pstate": ("performance_state", 1),
    "nvidia_smi_pcie_link_gen_current": ("pcie_generation", 1),
    "nvidia_smi_pcie_link_width_current": ("pcie_lanes", 1),
    "nvidia_smi_clocks_event_reasons_active": ("throttle_mask", 1),
    "nvidia_smi_clocks_throttle_reasons_active": ("throttle_mask", 1),
}
"""Names of dcgm-exporter and nvidia_gpu_exporter."""


_STATE = re.compile(r"P(?P<state>\d+)|0x(?P<mask>[0-9a-f]+)", re.IGNORECASE)


def state_or_mask(text: str) -> float | None:
    """ "P8" is 8, "0x0000000000000004" is 4; None for any other text."""
    match = _STATE.fullmatch(text)
    if match is None:
        return None
    return float(match["state"]) if match["state"] else float(int(match["mask"], 16))


@lru_cache(maxsize=65536)
def number(text: str) -> float:
    """NaN where a tool says that it has none: "-", "[N/A]", a blank of DCGM."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    blank = abs(value) >= _BLANK or (value.is_integer() and int(value) in _BLANK_32)
    return math.nan if blank or math.isinf(value) else value


CELSIUS = frozenset(("°c", "c", "℃", "캜"))
"""The last is what a Korean Windows makes of the third."""
FAHRENHEIT = frozenset(("°f", "f", "℉"))
_KELVIN = frozenset(("k", "°k"))
_BYTES = frozenset(("b", "byte", "bytes"))
_OWN: Mapping[str, str] = {"w": "W", "mhz": "MHz", "mb": "MiB", "pct": "%", "c": "°C"}
"""Our unit by how the name of a metric ends."""
_SPELLINGS: Mapping[str, frozenset[str]] = {
    "W": frozenset(("w", "watt", "watts")),
    "MHz": frozenset(("mhz",)),
    "MiB": frozenset(("mib", "mb")),
    "%": frozenset(("%", "pct", "percent")),
    "°C": CELSIUS,
}
"""Tools say MB and mean MiB."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a figure is multiplied by, and what is then added."""

    factor: float = 1.0
    offset: float = 0.0


AS_IT_IS = Conversion()
_TO_CELSIUS = {
    **dict.fromkeys(FAHRENHEIT, Conversion(1 / 1.8, -32 / 1.8)),
    **dict.fromkeys(_KELVIN, Conversion(offset=-273.15)),
}


@lru_cache(maxsize=1024)
def conversion(metric: str, unit: str) -> Conversion | None:
    """From a unit to that of the metric; None where it is of another kind, or not a unit that we know."""
    own = _OWN.get(metric.rpartition("_")[2])
    spelling = unit.strip().casefold().replace("\ufffd", "°")
    if own is None or not spelling or spelling in _SPELLINGS[own]:
        return AS_IT_IS
    if own == "MiB" and spelling in _BYTES:
        return Conversion(1 / MIB)
    if own == "°C":
        return _TO_CELSIUS.get(spelling)
    factor = ratio(unit.strip(), own)
    return None if math.isnan(factor) else Conversion(factor)


def not_converted(field: str, unit: str) -> str:
    """The remark on a column that is left out for its unit."""
    return tr("{column} is left out: its unit ({unit}) cannot be converted.", column=shown(field), unit=shown(unit))
