"""Measures one NVIDIA GPU: quick readings on every tick, counters once a second, the rest every ten seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ctypes import byref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.machine.telemetry.device import Device
from core.machine.telemetry.nvml.device import MB, read_memory, read_temperature_c
from core.machine.telemetry.nvml.gate import ALL_LINKS, FieldId, Gate
from core.machine.telemetry.pci import PCI, LinkErrors
from core.machine.telemetry.plausible import RANGES, CounterRate, plausible, possible

Sample = dict[str, float | None]
_NS, _MW, _MJ = 1e-9, 1e-3, 1e-3
KIB = 1024


@dataclass(frozen=True, slots=True)
class Older:
    """A function that answered before there was a field: its arguments, which part of the answer, and the factor."""

    function: str
    args: tuple[int, ...] = ()
    part: str | int | None = None
    factor: float = 1.0

    def ask(self, gate: Gate) -> float | None:
        """Raises DeviceLost."""
        answer: Any = gate.call(self.function, *self.args)
        if answer is None:
            return None
        match self.part:
            case str(name):
                answer = getattr(answer, name)
            case int(place):
                answer = answer[place]
        return float(answer) * self.factor


Table = Mapping[FieldId, tuple[str, float]]
"""Metric and factor of each field; fields of the same metric are added up."""

NOW: Table = {(82, 0): ("memory_temperature_c", 1), (186, 0): ("power_instant_w", _MW)}
"""Asked on every tick."""
COUNTED: Table = {
    (83, 0): ("energy_j", _MJ),
    (74, 0): ("throttle_power_cap_s", _NS),
    (269, 0): ("throttle_sw_thermal_s", _NS),
    (270, 0): ("throttle_hw_thermal_s", _NS),
    (271, 0): ("throttle_power_brake_s", _NS),
    (76, 0): ("throttle_sync_boost_s", _NS),
    (77, 0): ("throttle_board_limit_s", _NS),
    (79, 0): ("throttle_reliability_s", _NS),
    (94, 0): ("pcie_replays", 1),
}
"""Asked once a second."""
RATES: Table = {
    (197, 0): ("pcie_sent_gbps", 1e-9),
    (198, 0): ("pcie_received_gbps", 1e-9),
    (138, ALL_LINKS): ("nvlink_sent_gbps", KIB * 1e-9),
    (139, ALL_LINKS): ("nvlink_received_gbps", KIB * 1e-9),
}
"""Counters of bytes or KiB whose growth is the metric; asked once a second."""
SELDOM: Table = {
    (3, 0): ("ecc_corrected", 1),
    (4, 0): ("ecc_uncorrected", 1),
    (29, 0): ("retired_corrected", 1),
    (30, 0): ("retired_uncorrected", 1),
    (31, 0): ("retire_pending", 1),
    (142, 0): ("remapped_corrected", 1),
    (143, 0): ("remapped_uncorrected", 1),
    (144, 0): ("remap_pending", 1),
    (145, 0): ("remap_failed", 1),
    (169, 0): ("pcie_recoveries", 1),
    (230, 0): ("recovery_action", 1),
    (38, 0): ("nvlink_crc", 1),
    (45, 0): ("nvlink_crc", 1),
    (52, 0): ("nvlink_replays", 1),
    (59, 0): ("nvlink_recoveries", 1),
}
"""Asked every ten seconds."""
PORT: Table = {(173, 0): ("aer_correctable", 1), (179, 0): ("aer_nonfatal", 1), (180, 0): ("aer_fatal", 1)}
"""The card's own count, for systems whose kernel does not count."""
PER_LINK: Mapping[int, str] = {
    161: "nvlink_replays",
    162: "nvlink_recoveries",
    163: "nvlink_crc",
    208: "nvlink_crc",
    215: "nvlink_recoveries",
}
"""For cards that count by link alone: the first three up to Hopper, the others on Blackwell."""

OLDER: Mapping[str, Older] = {
    "energy_j": Older("nvmlDeviceGetTotalEnergyConsumption", factor=_MJ),
    "throttle_power_cap_s": Older("nvmlDeviceGetViolationStatus", (0,), "violationTime", _NS),
    "throttle_sw_thermal_s": Older("nvmlDeviceGetViolationStatus", (1,), "violationTime", _NS),
    "throttle_sync_boost_s": Older("nvmlDeviceGetViolationStatus", (2,), "violationTime", _NS),
    "throttle_board_limit_s": Older("nvmlDeviceGetViolationStatus", (3,), "violationTime", _NS),
    "throttle_reliability_s": Older("nvmlDeviceGetViolationStatus", (5,), "violationTime", _NS),
    "pcie_replays": Older("nvmlDeviceGetPcieReplayCounter"),
    "ecc_corrected": Older("nvmlDeviceGetTotalEccErrors", (0, 0)),
    "ecc_uncorrected": Older("nvmlDeviceGetTotalEccErrors", (1, 0)),
    "retire_pending": Older("nvmlDeviceGetRetiredPagesPendingStatus"),
    "remapped_corrected": Older("nvmlDeviceGetRemappedRows", part=0),
    "remapped_uncorrected": Older("nvmlDeviceGetRemappedRows", part=1),
    "remap_pending": Older("nvmlDeviceGetRemappedRows", part=2),
    "remap_failed": Older("nvmlDeviceGetRemappedRows", part=3),
}


_ALL: Table = {**NOW, **COUNTED, **RATES, **SELDOM}


def metrics_in(values: Mapping[FieldId, float], table: Table = _ALL) -> dict[str, float]:
    """What a batch of fields says, by metric; of RATES the counts."""
    totals: dict[str, float] = {}
    for field_id, value in values.items():
        metric, factor = table[field_id]
        totals[metric] = totals.get(metric, 0.0) + value * factor
    return totals


def ask_old(gate: Gate, metrics: Iterable[str]) -> dict[str, float]:
    """What the older functions say of metrics that no field gave. Raises DeviceLost."""
    answers = {metric: OLDER[metric].ask(gate) for metric in metrics if metric in OLDER}
    return {metric: value for metric, value in answers.items() if value is not None}


COUNT_EVERY_S, SELDOM_EVERY_S = 1.0, 10.0
COUNTED_METRICS = {metric for metric, _ in COUNTED.values()}
SELDOM_METRICS = {metric for metric, _ in SELDOM.values()}
_FIELDS = {
    (counting, seldom): (*NOW, *((*COUNTED, *RATES) if counting else ()), *(SELDOM if seldom else ()))
    for counting in (True, False)
    for seldom in (True, False)
}
"""What is asked on a tick on which the counters are due, or what is asked seldom."""
_EARLY_S = 0.05
"""A tick that comes this much early still counts as due."""
_MOST_FANS = 16
# nvmlClockType_t.
_GRAPHICS, _SM, _MEMORY, _VIDEO = 0, 1, 2, 3
_MEAN_POWER_FIELD = 185  # NVML_FI_DEV_POWER_AVERAGE: milliseconds to ask, so only where nothing else answers
_POWER_READINGS = 0  # NVML_TOTAL_POWER_SAMPLES
_UNCORRECTED, _VOLATILE, _SRAM = 1, 0, 7


class NvmlCard:
    """A GPU that is asked again and again. All methods raise DeviceLost."""

    def __init__(self, library: Any, gate: Gate, device: Device, *, pci: Path = PCI) -> None:
        self.device = device
        self.gate = gate
        self._fans = device.fans if device.fans is not None and device.fans <= _MOST_FANS else 0
        self._link_errors = LinkErrors(device.bus_id, pci, several=bool(device.several_gpus))
        self._activity = Activity(library, gate)
        self._sram = library.c_nvmlEccSramErrorStatus_v1_t()
        self._growth = {metric: CounterRate() for metric, _ in RATES.values()}
        self._energy = CounterRate()
        self._energy_w: float | None = None
        self._counted: Sample = {}
        self._seldom: Sample = {}
        self._count_due_s = self._seldom_due_s = float("-inf")
        self._power_read_us: int | None = None

    def read(self, now_s: float) -> Sample:
        """Every metric; those that are not due keep their last value. `now_s` is monotonic.

        What the card does not offer, or what cannot be true, is None.
        """
        self.gate.tick()
        counting, seldom = now_s >= self._count_due_s, now_s >= self._seldom_due_s
        by_metric = metrics_in(self.gate.fields(_FIELDS[counting, seldom]))
        sample = possible(self._read_now(by_metric))
        if counting:
            self._count_due_s = now_s + COUNT_EVERY_S - _EARLY_S
            self._counted = possible(self._read_counted(by_metric, now_s))
        if seldom:
            # Other cards are asked on other ticks, so that no tick is long.
            stagger_s = self.device.index % SELDOM_EVERY_S if self._seldom_due_s < 0 else 0.0
            self._seldom_due_s = now_s + SELDOM_EVERY_S + stagger_s - _EARLY_S
            self._seldom = possible(self._read_seldom(by_metric))
        if sample["power_w"] is None:
            sample["power_w"] = plausible("power_w", self._mean_power_w())
        return sample | self._counted | self._seldom

    def count(self) -> Sample:
        """Errors counted until now, which `read` asks for every ten seconds only; its next samples hold them, too."""
        counts = possible(self._read_errors(metrics_in(self.gate.fields(SELDOM))))
        self._seldom = self._seldom | counts
        return counts

    def close(self) -> None:
        """Gives back what the driver lent."""
        self._activity.close()

    def _read_now(self, by_metric: dict[str, float]) -> dict[str, float | None]:
        ask = self.gate.call
        temperature = read_temperature_c(self.gate)
        busy = ask("nvmlDeviceGetUtilizationRates")
        memory = read_memory(self.gate)
        return {
            "temperature_c": temperature,
            "memory_temperature_c": by_metric.get("memory_temperature_c"),
            "margin_c": self._margin_c(temperature),
            "power_w": _thousandth(ask("nvmlDeviceGetPowerUsage")),
            "power_instant_w": by_metric.get("power_instant_w"),
            "power_limit_w": _thousandth(ask("nvmlDeviceGetEnforcedPowerLimit")),
            "clock_mhz": ask("nvmlDeviceGetClockInfo", _SM),
            "memory_clock_mhz": ask("nvmlDeviceGetClockInfo", _MEMORY),
            "performance_state": ask("nvmlDeviceGetPerformanceState"),
            "utilisation_pct": None if busy is None else float(busy.gpu),
            "memory_utilisation_pct": None if busy is None else float(busy.memory),
            "memory_used_mb": None if memory is None else round(memory.used / MB, 1),
            "fan_pct": self._fastest_fan_pct(),
            "throttle_mask": self.gate.either(
                "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"
            ),
            "pcie_generation": ask("nvmlDeviceGetCurrPcieLinkGeneration"),
            "pcie_lanes": ask("nvmlDeviceGetCurrPcieLinkWidth"),
        }

    def _read_counted(self, values: dict[str, float], now_s: float) -> dict[str, float | None]:
        counted: dict[str, float | None] = {metric: values[metric] for metric in COUNTED_METRICS if metric in values}
        counted |= ask_old(self.gate, COUNTED_METRICS - counted.keys())
        for metric, growth in self._growth.items():
            counted[metric] = growth.per_s(now_s, values.get(metric))
        self._energy_w = self._energy.per_s(now_s, counted.get("energy_j"))
        counted["power_peak_w"] = self._peak_w()
        # As fresh as the command that the fan is held against.
        counted["fan_rpm"] = self.gate.call("nvmlDeviceGetFanSpeedRPM") if self._fans else None
        return counted

    def _read_seldom(self, by_metric: dict[str, float]) -> dict[str, float | None]:
        ask = self.gate.call
        running = ask("nvmlDeviceGetComputeRunningProcesses")
        return {
            **self._read_errors(by_metric),
            **self._activity.read(),
            "graphics_clock_mhz": ask("nvmlDeviceGetClockInfo", _GRAPHICS),
            "video_clock_mhz": ask("nvmlDeviceGetClockInfo", _VIDEO),
            "processes": None if running is None else float(len(running)),
            "nvlink_active": self._links_up(),
        }

    def _read_errors(self, values: dict[str, float]) -> dict[str, float | None]:
        errors: dict[str, float | None] = {metric: values[metric] for metric in SELDOM_METRICS if metric in values}
        errors |= ask_old(self.gate, SELDOM_METRICS - errors.keys())
        if any(self.device.nvlinks.values()) and "nvlink_replays" not in values:
            errors |= self._by_link()
        errors |= self._link_errors.read() or metrics_in(self.gate.fields(PORT), PORT)
        # The binding hands its argument to the driver as it is, which writes where it points.
        status = self.gate.call_with(byref(self._sram), "nvmlDeviceGetSramEccErrorStatus")
        return errors | {
            "sram_uncorrected": self.gate.call("nvmlDeviceGetMemoryErrorCounter", _UNCORRECTED, _VOLATILE, _SRAM),
            "sram_worn": None if status is None else float(self._sram.bThresholdExceeded),
        }

    def _by_link(self) -> dict[str, float]:
        up = [int(link) for link, other_end in self.device.nvlinks.items() if other_end]
        table = {(field, link): (metric, 1.0) for field, metric in PER_LINK.items() for link in up}
        return metrics_in(self.gate.fields(table), table)

    def _links_up(self) -> float | None:
        states = [self.gate.call("nvmlDeviceGetNvLinkState", int(link)) for link in self.device.nvlinks]
        return float(sum(bool(state) for state in states)) if states else None

    def _margin_c(self, temperature: float | None) -> float | None:
        """The driver's own margin (Ada and later), otherwise the distance to the maximum operating temperature."""
        margin: float | None = self.gate.call("nvmlDeviceGetMarginTemperature")
        if margin is not None:
            return margin
        device = self.device
        limit = device.temperature_max_c if device.temperature_max_c is not None else device.temperature_slowdown_c
        return None if limit is None or temperature is None else limit - temperature

    def _fastest_fan_pct(self) -> float | None:
        if self._fans == 0:
            speed: float | None = self.gate.call("nvmlDeviceGetFanSpeed")  # older drivers; passive cards refuse it once
            return speed
        low, high = RANGES["fan_pct"]
        speeds = [self.gate.call("nvmlDeviceGetFanSpeed_v2", fan) for fan in range(self._fans)]
        return max((speed for speed in speeds if speed is not None and low <= speed <= high), default=None)

    def _mean_power_w(self) -> float | None:
        """For cards that do not tell their power at once: the driver's mean, else energy over time."""
        mean = _thousandth(self.gate.field(_MEAN_POWER_FIELD))
        return self._energy_w if mean is None else mean

    def _peak_w(self) -> float | None:
        """The highest reading of the driver's own buffer since the last time; what lies before the start is left."""
        readings = self.gate.readings(_POWER_READINGS, self._power_read_us or 0)
        if not readings:
            return None
        first, self._power_read_us = self._power_read_us is None, max(time_us for time_us, _ in readings)
        return None if first else max(milliwatts for _, milliwatts in readings) / 1000


def _thousandth(value: float | None) -> float | None:
    """mW to W."""
    return None if value is None else value / 1000


# How busy the units of a GPU are, from the driver's activity metrics (GPM): data-centre cards from Hopper on.

METRICS = {5: "tensor_pct", 10: "memory_bandwidth_pct", 11: "fp64_pct", 12: "fp32_pct", 13: "fp16_pct"}
"""nvmlGpmMetricId_t: NVML_GPM_METRIC_ANY_TENSOR_UTIL and so on, all in per cent."""
_VERSION = 1  # NVML_GPM_METRICS_GET_VERSION


class Activity:
    """Means between two readings, which are to lie at least 0.1 s apart. Raises DeviceLost."""

    def __init__(self, library: Any, gate: Gate) -> None:
        self._driver = Gate(library)
        self._gate = gate
        support = gate.call("nvmlGpmQueryDeviceSupport")
        self._samples: list[Any] = []
        self._ready = False
        if support is None or not support.isSupportedDevice:
            return
        samples = [self._driver.call("nvmlGpmSampleAlloc") for _ in range(2)]
        if None in samples:
            return
        self._samples = samples
        self._question = _question(library)

    def read(self) -> dict[str, float]:
        """By metric; empty where nothing is told, and on the first call."""
        if not self._samples:
            return {}
        self._samples.reverse()
        if self._gate.call_with(self._samples[1], "nvmlGpmSampleGet") is None:
            self._ready = False
            return {}
        ready, self._ready = self._ready, True
        if not ready:
            return {}
        self._question.sample1, self._question.sample2 = self._samples
        if self._driver.call_with(self._question, "nvmlGpmMetricsGet") is None:
            return {}
        metrics = self._question.metrics[: len(METRICS)]
        return {METRICS[metric.metricId]: metric.value for metric in metrics if metric.nvmlReturn == 0}

    def close(self) -> None:
        """Gives the samples back."""
        for sample in self._samples:
            self._driver.call_with(sample, "nvmlGpmSampleFree")
        self._samples = []


def _question(library: Any) -> Any:
    question = library.c_nvmlGpmMetricsGet_t()
    question.version, question.numMetrics = _VERSION, len(METRICS)
    for place, metric_id in enumerate(METRICS):
        question.metrics[place].metricId = metric_id
    return question
