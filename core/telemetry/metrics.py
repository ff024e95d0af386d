"""Every metric that is recorded, in one table: the columns of a sample, the axes of plots, the words in reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.telemetry.device import DeviceKind


class Reading(StrEnum):
    """How the numbers of a metric are to be read."""

    LEVEL = "level"
    """A quantity that goes up and down: minimum, mean and maximum mean something."""
    COUNTER = "counter"
    """Rises from a start that is not the run's: only its growth means something."""
    STATE = "state"
    """A set of bits or the number of a state."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One measured quantity. `name` carries the unit; `meaning` is what tooltips and reports say."""

    name: str
    title: str
    unit: str
    meaning: str
    decimals: int = 0
    reading: Reading = Reading.LEVEL
    of: tuple[DeviceKind, ...] = (DeviceKind.GPU, DeviceKind.CPU)
    """The kinds of device that can have it at all."""


_GPU, _CPU, _BOTH = (DeviceKind.GPU,), (DeviceKind.CPU,), (DeviceKind.GPU, DeviceKind.CPU)


def _level(name: str, title: str, unit: str, meaning: str, of: tuple[DeviceKind, ...], decimals: int = 0) -> Metric:
    return Metric(name, title, unit, meaning, decimals, of=of)


def _counter(name: str, title: str, meaning: str, of: tuple[DeviceKind, ...], unit: str = "") -> Metric:
    return Metric(name, title, unit, meaning, 1 if unit == "s" else 0, Reading.COUNTER, of)


def _state(name: str, title: str, meaning: str, of: tuple[DeviceKind, ...]) -> Metric:
    return Metric(name, title, "", meaning, 0, Reading.STATE, of)


METRICS: tuple[Metric, ...] = (
    _level("temperature_c", "Temperature", "°C", "Core temperature of the GPU, or package of the CPU", _BOTH),
    _level("memory_temperature_c", "Memory temperature", "°C",
           "HBM of the GPU (GDDR cards do not report it), or hottest memory module of the host", _BOTH),
    _level("margin_c", "Margin", "K", "Degrees left to the limit that the driver enforces", _BOTH),
    _level("power_w", "Power", "W",
           "Board power of the GPU (mean of a second from Ampere on), or package power of the CPU", _BOTH),
    _level("power_limit_w", "Power limit", "W", "The limit in force now", _BOTH),
    _level("clock_mhz", "Clock", "MHz", "SM clock of the GPU, or mean core clock of the CPU", _BOTH),
    _level("memory_clock_mhz", "Memory clock", "MHz", "Clock of the GPU's memory", _GPU),
    _level("utilisation_pct", "Utilisation", "%",
           "Share of time in which the device worked; not a sign of health", _BOTH),
    _level("memory_used_mb", "Memory used", "MB", "Memory of the GPU, or of the host for the CPU", _BOTH),
    _level("fan_pct", "Fan", "%", "Commanded fan speed; a stuck fan still shows its command", _GPU),
    _level("fan_rpm", "Fan speed", "rpm", "Commanded speed of a GPU's fan, true speed of the CPU's", _BOTH),
    _state("throttle_mask", "Clock limits", "Bit mask of the driver's reasons for lower clocks", _GPU),
    _level("pcie_generation", "PCIe generation", "", "Link generation now; falls at idle by design", _GPU),
    _level("pcie_lanes", "PCIe lanes", "", "Link width now", _GPU),
    _level("throughput_tflops", "Throughput", "TFLOPS", "Floating-point work done by the load", _BOTH, 2),
    _level("share_of_peak_pct", "Share of peak", "%", "Throughput of the load as a share of what the data sheet tells",
           _BOTH, 1),
    _level("bandwidth_gbps", "Bandwidth", "GB/s", "What the load moves through memory or over a link", _BOTH, 1),
    _level("tokens_per_s", "Tokens", "tokens/s", "Training speed of networks for text", _BOTH),
    _level("images_per_s", "Images", "images/s", "Training speed of networks for images", _BOTH, 1),
    _level("step_ms", "Training step", "ms", "How long one step of training takes", _BOTH, 1),
    _level("loss", "Loss", "", "Training loss on a batch that never changes", _BOTH, 3),
    _level("accuracy_pct", "Accuracy", "%", "Share of that batch that the network being trained tells right", _BOTH, 1),
    _counter("checks", "Checks", "Results compared so far", _BOTH),
    _counter("errors", "Errors", "Wrong results so far", _BOTH),
    _level("power_instant_w", "Power now", "W", "Board power at one moment", _GPU),
    _level("power_peak_w", "Power peak", "W", "Highest power in the driver's own buffer since the last sample", _GPU),
    _counter("energy_j", "Energy", "Energy since the driver was loaded, or the machine started", _BOTH, "J"),
    _level("graphics_clock_mhz", "Graphics clock", "MHz", "Graphics clock of the GPU", _GPU),
    _level("video_clock_mhz", "Video clock", "MHz", "Clock of the GPU's video engines", _GPU),
    _state("performance_state", "Performance state", "P0 is the fastest; GeForce cards compute in P2", _GPU),
    _level("memory_utilisation_pct", "Memory utilisation", "%",
           "Share of time in which the GPU's memory was read or written", _GPU),
    _counter("throttle_power_cap_s", "Held by power limit", "Time below full clocks because of the power limit: normal",
             _GPU, "s"),
    _counter("throttle_sw_thermal_s", "Held by heat", "Time in which the driver lowered clocks because of heat", _GPU,
             "s"),
    _counter("throttle_hw_thermal_s", "Too hot", "Time in which the hardware itself lowered clocks because of heat",
             _BOTH, "s"),
    _counter("throttle_power_brake_s", "Power brake", "Time in which supply or chassis pulled the power brake", _GPU,
             "s"),
    _counter("throttle_sync_boost_s", "Sync boost", "Time bound to the clocks of other cards", _GPU, "s"),
    _counter("throttle_board_limit_s", "Board limit", "Time below full clocks because of a limit of the board", _GPU,
             "s"),
    _counter("throttle_reliability_s", "Reliability limit", "Time below full clocks because of the voltage's limit",
             _GPU, "s"),
    _counter("throttle_count", "Times too hot", "How often the processor slowed down because of heat", _CPU),
    _counter("pcie_replays", "PCIe replays", "Packets that the link had to send again", _GPU),
    _counter("pcie_recoveries", "PCIe recoveries", "How often the link was trained anew", _GPU),
    _level("pcie_sent_gbps", "PCIe sent", "GB/s", "What the GPU sends over its link", _GPU, 2),
    _level("pcie_received_gbps", "PCIe received", "GB/s", "What the GPU receives over its link", _GPU, 2),
    _counter("aer_correctable", "PCIe errors, corrected", "Corrected errors of the GPU and of the port that it is on",
             _GPU),
    _counter("aer_nonfatal", "PCIe errors, not fatal", "Uncorrected errors of the GPU and of its port", _GPU),
    _counter("aer_fatal", "PCIe errors, fatal", "Fatal errors of the GPU and of its port", _GPU),
    _counter("ecc_corrected", "ECC corrected", "Memory errors that were corrected since the driver or machine started",
             _BOTH),
    _counter("ecc_uncorrected", "ECC uncorrected", "Memory errors that could not be corrected since then", _BOTH),
    _counter("sram_uncorrected", "SRAM uncorrected", "Uncorrected errors in the GPU's caches and registers", _GPU),
    _state("sram_worn", "SRAM threshold", "1: so many SRAM errors that the GPU is to be replaced", _GPU),
    _counter("remapped_corrected", "Rows remapped", "Memory rows replaced after corrected errors", _GPU),
    _counter("remapped_uncorrected", "Rows remapped, uncorrected", "Memory rows replaced after uncorrected errors",
             _GPU),
    _state("remap_pending", "Remap pending", "1: a memory row waits for a reset to be replaced", _GPU),
    _state("remap_failed", "Remap failed", "1: a memory row could not be replaced", _GPU),
    _counter("retired_corrected", "Pages retired", "Memory pages given up after repeated corrected errors", _GPU),
    _counter("retired_uncorrected", "Pages retired, uncorrected", "Memory pages given up after an uncorrected error",
             _GPU),
    _state("retire_pending", "Retirement pending", "1: a memory page waits for a restart to be given up", _GPU),
    _level("nvlink_active", "NVLinks up", "", "NVLinks that are up", _GPU),
    _counter("nvlink_replays", "NVLink replays", "Packets sent again over NVLink", _GPU),
    _counter("nvlink_recoveries", "NVLink recoveries", "How often an NVLink had to recover", _GPU),
    _counter("nvlink_crc", "NVLink CRC errors", "Damaged packets on NVLink", _GPU),
    _level("nvlink_sent_gbps", "NVLink sent", "GB/s", "What the GPU sends over all NVLinks", _GPU, 2),
    _level("nvlink_received_gbps", "NVLink received", "GB/s", "What the GPU receives over all NVLinks", _GPU, 2),
    _state("recovery_action", "Recovery action", "What the driver asks for: 0 nothing, 1 GPU reset, 2 restart, "
           "3 to 6 other resets, 7 restart of the system", _GPU),
    _level("tensor_pct", "Tensor cores", "%", "Share of time in which tensor cores worked", _GPU, 1),
    _level("fp64_pct", "FP64 units", "%", "Share of time in which FP64 units worked", _GPU, 1),
    _level("fp32_pct", "FP32 units", "%", "Share of time in which FP32 units worked", _GPU, 1),
    _level("fp16_pct", "FP16 units", "%", "Share of time in which FP16 units worked", _GPU, 1),
    _level("memory_bandwidth_pct", "Memory bandwidth", "%", "Share of the memory's bandwidth that was used", _GPU, 1),
    _level("processes", "Programs", "", "Programs that compute on the GPU, the load of the burn-in among them", _GPU),
    _level("load_average", "Load average", "", "Processes that run or wait, mean of a minute", _CPU, 2),
    _level("swap_used_mb", "Swap used", "MB", "Memory that was moved to disk", _CPU),
    _level("disk_free_mb", "Disk free", "MB", "Room where the run is recorded", _CPU),
    _level("disk_read_gbps", "Disk read", "GB/s", "Read from all disks", _CPU, 3),
    _level("disk_written_gbps", "Disk written", "GB/s", "Written to all disks", _CPU, 3),
    _level("disk_temperature_c", "Disk temperature", "°C", "The hottest disk", _CPU),
    _level("case_fan_rpm", "Slowest fan", "rpm", "The slowest fan of board and case that has ever turned", _CPU),
    _level("voltage_12v", "12 V", "V", "The 12 V rail as the board measures it", _CPU, 2),
    _level("voltage_5v", "5 V", "V", "The 5 V rail as the board measures it", _CPU, 2),
    _level("voltage_3v3", "3.3 V", "V", "The 3.3 V rail as the board measures it", _CPU, 2),
    _level("machine_power_w", "Machine power", "W", "Power of the whole machine, by its supply or service processor",
           _CPU),
    _level("noise_dba", "Noise", "dBA", "A-weighted level of each second, by a calibrated microphone", _CPU, 1),
    _level("sampler_cpu_pct", "Cost of measuring", "%", "Share of one core that measuring itself takes", _CPU, 2),
    _level("sampler_ms", "Time of measuring", "ms", "How long one round of measuring takes", _CPU, 1),
)  # fmt: skip
NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS)
BY_NAME = {metric.name: metric for metric in METRICS}

LOAD_METRICS = (
    "throughput_tflops",
    "share_of_peak_pct",
    "bandwidth_gbps",
    "tokens_per_s",
    "images_per_s",
    "step_ms",
    "loss",
    "accuracy_pct",
    "checks",
    "errors",
)
"""Reported by workers; the sampler reports the others."""


def metrics_of(kind: DeviceKind) -> tuple[Metric, ...]:
    """The metrics that a device of this kind can have."""
    return tuple(metric for metric in METRICS if kind in metric.of)
