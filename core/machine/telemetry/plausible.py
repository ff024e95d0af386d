"""Which readings can be true (broken sensors answer 0 C or 4 MW), and rates from counters that only grow."""

from __future__ import annotations

from collections.abc import Mapping

_COUNT = (0.0, 2.0**32 - 2)
"""The largest 32-bit number is what broken counters say."""
_SECONDS = (0.0, 1e9)
_SHARE = (0.0, 100.0)
_GBPS = (0.0, 2_000.0)
_FLAG = (0.0, 1.0)
_MEMORY_MB = (0.0, 64.0 * 2**20)

RANGES: dict[str, tuple[float, float]] = {
    "temperature_c": (1, 150),
    "memory_temperature_c": (1, 150),
    "margin_c": (-60, 150),
    "power_w": (0, 1_500),  # a broken sensor was seen to show more; no card or pair of CPUs draws that
    "power_limit_w": (1, 9_999),
    "clock_mhz": (1, 10_000),
    "memory_clock_mhz": (1, 40_000),
    "utilisation_pct": _SHARE,
    "memory_used_mb": _MEMORY_MB,
    "fan_pct": (0, 200),  # the driver's header allows more than 100
    "fan_rpm": (0, 40_000),
    "throttle_mask": (0, 2**32 - 1),
    "pcie_generation": (1, 10),
    "pcie_lanes": (1, 32),
    "power_instant_w": (0, 3_000),  # peaks of milliseconds are twice the limit
    "power_peak_w": (0, 3_000),
    "energy_j": (0, 1e12),
    "graphics_clock_mhz": (1, 10_000),
    "video_clock_mhz": (1, 10_000),
    "performance_state": (0, 15),
    "memory_utilisation_pct": _SHARE,
    "throttle_power_cap_s": _SECONDS,
    "throttle_sw_thermal_s": _SECONDS,
    "throttle_hw_thermal_s": _SECONDS,
    "throttle_power_brake_s": _SECONDS,
    "throttle_sync_boost_s": _SECONDS,
    "throttle_board_limit_s": _SECONDS,
    "throttle_reliability_s": _SECONDS,
    "throttle_count": _COUNT,
    "pcie_replays": _COUNT,
    "pcie_recoveries": _COUNT,
    "pcie_sent_gbps": _GBPS,
    "pcie_received_gbps": _GBPS,
    "aer_correctable": _COUNT,
    "aer_nonfatal": _COUNT,
    "aer_fatal": _COUNT,
    "ecc_corrected": _COUNT,
    "ecc_uncorrected": _COUNT,
    "sram_uncorrected": _COUNT,
    "sram_worn": _FLAG,
    "remapped_corrected": _COUNT,
    "remapped_uncorrected": _COUNT,
    "remap_pending": _FLAG,
    "remap_failed": _FLAG,
    "retired_corrected": _COUNT,
    "retired_uncorrected": _COUNT,
    "retire_pending": _FLAG,
    "nvlink_active": (0, 64),
    "nvlink_replays": _COUNT,
    "nvlink_recoveries": _COUNT,
    "nvlink_crc": _COUNT,
    "nvlink_sent_gbps": _GBPS,
    "nvlink_received_gbps": _GBPS,
    "recovery_action": (0, 255),
    "tensor_pct": _SHARE,
    "fp64_pct": _SHARE,
    "fp32_pct": _SHARE,
    "fp16_pct": _SHARE,
    "memory_bandwidth_pct": _SHARE,
    "processes": _COUNT,
    "load_average": (0, 1e6),
    "swap_used_mb": _MEMORY_MB,
    "disk_free_mb": (0, 1e12),
    "disk_read_gbps": _GBPS,
    "disk_written_gbps": _GBPS,
    "disk_temperature_c": (1, 150),
    "case_fan_rpm": (0, 40_000),
    "voltage_12v": (6, 18),
    "voltage_5v": (2.5, 7.5),
    "voltage_3v3": (1.6, 5),
    "machine_power_w": (1, 20_000),
    "noise_dba": (0, 140),
    "sampler_cpu_pct": (0, 10_000),
    "sampler_ms": (0, 1e6),
}
"""Lowest and highest possible value of each metric that a sampler reports, in the metric's unit."""

LINK_GBPS = (1.0, 500.0)
"""Of one NVLink: 14 to 50 in all generations so far; links that are down read 0."""
LIMIT_C = (60.0, 110.0)
"""Limits of a card or CPU that lie outside are mistakes of its firmware."""


def plausible(metric: str, value: float | None) -> float | None:
    """The value, to a thousandth, if it can be true, else None: "not measured". NaN is never true."""
    return possible({metric: value})[metric]


def possible(readings: Mapping[str, float | None]) -> dict[str, float | None]:
    """All of these readings as `plausible` lets them pass: a card has fifty of them a second."""
    passed: dict[str, float | None] = {}
    for metric, value in readings.items():
        if value is None:
            passed[metric] = None
            continue
        low, high = RANGES[metric]
        passed[metric] = round(value, 3) if low <= value <= high else None
    return passed


def plausible_limit_c(value: float | None) -> float | None:
    """A temperature limit if it can be true, else None."""
    low, high = LIMIT_C
    return value if value is not None and low <= value <= high else None


def plausible_link_gbps(value: float) -> float | None:
    """The speed of one NVLink each way if it can be true, else None."""
    low, high = LINK_GBPS
    return value if low <= value <= high else None


class CounterRate:
    """How fast a counter grows between two readings."""

    def __init__(self) -> None:
        self._before: tuple[float, float] | None = None

    def per_s(self, now_s: float, count: float | None) -> float | None:
        """Since the reading before, in the counter's unit per second; `now_s` is monotonic.

        None: the first reading, one that is missing, or a counter that began anew.
        """
        before, self._before = self._before, None if count is None else (now_s, count)
        if before is None or count is None or now_s <= before[0] or count < before[1]:
            return None
        return (count - before[1]) / (now_s - before[0])
