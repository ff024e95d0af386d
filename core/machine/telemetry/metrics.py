"""Every metric that is recorded, in one table: the columns of a sample, the axes of plots, the words in reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.machine.telemetry.device import DeviceKind
from core.words import tr


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


WALL = "machine_power_w"
"""The metric of the whole machine."""
_GPU, _CPU, _BOTH = (DeviceKind.GPU,), (DeviceKind.CPU,), (DeviceKind.GPU, DeviceKind.CPU)


def _level(name: str, title: str, unit: str, meaning: str, of: tuple[DeviceKind, ...], decimals: int = 0) -> Metric:
    return Metric(name, title, unit, meaning, decimals, of=of)


def _counter(name: str, title: str, meaning: str, of: tuple[DeviceKind, ...], unit: str = "") -> Metric:
    return Metric(name, title, unit, meaning, 1 if unit == "s" else 0, Reading.COUNTER, of)


def _state(name: str, title: str, meaning: str, of: tuple[DeviceKind, ...]) -> Metric:
    return Metric(name, title, "", meaning, 0, Reading.STATE, of)


METRICS: tuple[Metric, ...] = (
    _level("temperature_c", tr("Temperature"), "°C", tr("Core temperature of the GPU, or package of the CPU"), _BOTH),
    _level("memory_temperature_c", tr("Memory temperature"), "°C",
           tr("HBM of the GPU (GDDR cards do not report it), or hottest memory module of the host"), _BOTH),
    _level("margin_c", tr("Margin"), "K", tr("Degrees below the limit that the driver enforces"), _BOTH),
    _level("power_w", tr("Power"), "W",
           tr("Board power of the GPU (one-second mean from Ampere on), or package power of the CPU"), _BOTH),
    _level("power_limit_w", tr("Power limit"), "W", tr("The limit in force now"), _BOTH),
    _level("clock_mhz", tr("Clock"), "MHz", tr("SM clock of the GPU, or mean core clock of the CPU"), _BOTH),
    _level("memory_clock_mhz", tr("Memory clock"), "MHz", tr("Clock of the GPU's memory"), _GPU),
    _level("utilisation_pct", tr("Utilisation"), "%",
           tr("Share of time in which the device was busy; not a sign of health"), _BOTH),
    _level("memory_used_mb", tr("Memory used"), "MB", tr("Memory of the GPU, or of the host for the CPU"), _BOTH),
    _level("fan_pct", tr("Fan"), "%", tr("Commanded fan speed; a stuck fan still shows its command"), _GPU),
    _level("fan_rpm", tr("Fan speed"), "rpm", tr("Commanded speed of a GPU's fan, true speed of the CPU's"), _BOTH),
    _state("throttle_mask", tr("Clock limits"), tr("Bit mask of the driver's reasons for lower clocks"), _GPU),
    _level("pcie_generation", tr("PCIe generation"), "", tr("Current link generation; drops at idle by design"), _GPU),
    _level("pcie_lanes", tr("PCIe lanes"), "", tr("Current link width"), _GPU),
    _level("throughput_tflops", tr("Throughput"), "TFLOPS", tr("Floating-point work done by the load"), _BOTH, 2),
    _level("share_of_peak_pct", tr("Share of peak"), "%",
           tr("Throughput of the load as a share of the data sheet's figure"), _BOTH, 1),
    _level("bandwidth_gbps", tr("Bandwidth"), "GB/s", tr("What the load moves through memory or over a link"), _BOTH,
           1),
    _level("tokens_per_s", tr("Tokens"), "tokens/s",
           tr("Speed of networks for text: tokens trained on, or generated"), _BOTH),
    _level("images_per_s", tr("Images"), "images/s", tr("Training speed of networks for images"), _BOTH, 1),
    _level("step_ms", tr("Training step"), "ms", tr("How long one step of training takes"), _BOTH, 1),
    _level("loss", tr("Loss"), "", tr("Training loss on a batch that never changes"), _BOTH, 3),
    _level("accuracy_pct", tr("Accuracy"), "%", tr("Share of that batch that the network classifies correctly"),
           _BOTH, 1),
    _counter("checks", tr("Checks"), tr("Results compared so far"), _BOTH),
    _counter("errors", tr("Errors"), tr("Wrong results so far"), _BOTH),
    _level("power_instant_w", tr("Power now"), "W", tr("Instantaneous board power"), _GPU),
    _level("power_peak_w", tr("Power peak"), "W", tr("Highest power in the driver's own buffer since the last sample"),
           _GPU),
    _counter("energy_j", tr("Energy"), tr("Energy since the driver was loaded, or the machine started"), _BOTH, "J"),
    _level("graphics_clock_mhz", tr("Graphics clock"), "MHz", tr("Graphics clock of the GPU"), _GPU),
    _level("video_clock_mhz", tr("Video clock"), "MHz", tr("Clock of the GPU's video engines"), _GPU),
    _state("performance_state", tr("Performance state"), tr("P0 is the fastest; GeForce cards compute in P2"), _GPU),
    _level("memory_utilisation_pct", tr("Memory utilisation"), "%",
           tr("Share of time in which the GPU's memory was read or written"), _GPU),
    _counter("throttle_power_cap_s", tr("Held by power limit"),
             tr("Time below full clocks because of the power limit: normal"), _GPU, "s"),
    _counter("throttle_sw_thermal_s", tr("Held by heat"),
             tr("Time in which the driver lowered clocks because of heat"), _GPU, "s"),
    _counter("throttle_hw_thermal_s", tr("Too hot"),
             tr("Time in which the hardware itself lowered clocks because of heat"), _BOTH, "s"),
    _counter("throttle_power_brake_s", tr("Power brake"), tr("Time in which PSU or chassis asserted the power brake"),
             _GPU, "s"),
    _counter("throttle_sync_boost_s", tr("Sync boost"), tr("Time held to the clocks of other cards"), _GPU, "s"),
    _counter("throttle_board_limit_s", tr("Board limit"), tr("Time below full clocks because of a limit of the board"),
             _GPU, "s"),
    _counter("throttle_reliability_s", tr("Reliability limit"),
             tr("Time below full clocks because of the voltage limit"), _GPU, "s"),
    _counter("throttle_count", tr("Times too hot"), tr("How often the CPU slowed down because of heat"), _CPU),
    _counter("pcie_replays", tr("PCIe replays"), tr("Packets that the link had to resend"), _GPU),
    _counter("pcie_recoveries", tr("PCIe recoveries"), tr("How often the link was retrained"), _GPU),
    _level("pcie_sent_gbps", tr("PCIe sent"), "GB/s", tr("What the GPU sends over its link"), _GPU, 2),
    _level("pcie_received_gbps", tr("PCIe received"), "GB/s", tr("What the GPU receives over its link"), _GPU, 2),
    _counter("aer_correctable", tr("PCIe errors, corrected"),
             tr("Corrected errors of the GPU and of its port"), _GPU),
    _counter("aer_nonfatal", tr("PCIe errors, not fatal"), tr("Uncorrected errors of the GPU and of its port"), _GPU),
    _counter("aer_fatal", tr("PCIe errors, fatal"), tr("Fatal errors of the GPU and of its port"), _GPU),
    _counter("ecc_corrected", tr("ECC corrected"),
             tr("Memory errors corrected since the driver or machine started"), _BOTH),
    _counter("ecc_uncorrected", tr("ECC uncorrected"),
             tr("Uncorrectable memory errors since the driver or machine started"), _BOTH),
    _counter("sram_uncorrected", tr("SRAM uncorrected"), tr("Uncorrected errors in the GPU's caches and registers"),
             _GPU),
    _state("sram_worn", tr("SRAM threshold"), tr("1: so many SRAM errors that the GPU must be replaced"), _GPU),
    _counter("remapped_corrected", tr("Rows remapped"), tr("Memory rows replaced after corrected errors"), _GPU),
    _counter("remapped_uncorrected", tr("Rows remapped, uncorrected"),
             tr("Memory rows replaced after uncorrected errors"), _GPU),
    _state("remap_pending", tr("Remap pending"), tr("1: a memory row will be replaced at the next reset"), _GPU),
    _state("remap_failed", tr("Remap failed"), tr("1: a memory row could not be replaced"), _GPU),
    _counter("retired_corrected", tr("Pages retired"), tr("Memory pages retired after repeated corrected errors"),
             _GPU),
    _counter("retired_uncorrected", tr("Pages retired, uncorrected"),
             tr("Memory pages retired after an uncorrected error"), _GPU),
    _state("retire_pending", tr("Retirement pending"), tr("1: a memory page will be retired at the next restart"),
           _GPU),
    _level("nvlink_active", tr("NVLinks up"), "", tr("NVLinks that are up"), _GPU),
    _counter("nvlink_replays", tr("NVLink replays"), tr("Packets resent over NVLink"), _GPU),
    _counter("nvlink_recoveries", tr("NVLink recoveries"), tr("How often an NVLink had to recover"), _GPU),
    _counter("nvlink_crc", tr("NVLink CRC errors"), tr("Damaged packets on NVLink"), _GPU),
    _level("nvlink_sent_gbps", tr("NVLink sent"), "GB/s", tr("What the GPU sends over all NVLinks"), _GPU, 2),
    _level("nvlink_received_gbps", tr("NVLink received"), "GB/s", tr("What the GPU receives over all NVLinks"), _GPU,
           2),
    _state("recovery_action", tr("Recovery action"),
           tr("What the driver asks for: 0 nothing, 1 GPU reset, 2 restart, "
              "3 to 6 other resets, 7 restart of the system"),
           _GPU),
    _level("tensor_pct", tr("Tensor cores"), "%", tr("Share of time in which tensor cores were active"), _GPU, 1),
    _level("fp64_pct", tr("FP64 units"), "%", tr("Share of time in which FP64 units were active"), _GPU, 1),
    _level("fp32_pct", tr("FP32 units"), "%", tr("Share of time in which FP32 units were active"), _GPU, 1),
    _level("fp16_pct", tr("FP16 units"), "%", tr("Share of time in which FP16 units were active"), _GPU, 1),
    _level("memory_bandwidth_pct", tr("Memory bandwidth"), "%", tr("Share of the memory's bandwidth that was used"),
           _GPU, 1),
    _level("processes", tr("Programs"), "", tr("Programs that compute on the GPU, including the burn-in's load"),
           _GPU),
    _level("load_average", tr("Load average"), "", tr("Processes running or waiting, one-minute mean"), _CPU, 2),
    _level("swap_used_mb", tr("Swap used"), "MB", tr("Memory that was moved to disk"), _CPU),
    _level("disk_free_mb", tr("Disk free"), "MB", tr("Free space where the run is recorded"), _CPU),
    _level("disk_read_gbps", tr("Disk read"), "GB/s", tr("Read from all disks"), _CPU, 3),
    _level("disk_written_gbps", tr("Disk written"), "GB/s", tr("Written to all disks"), _CPU, 3),
    _level("disk_temperature_c", tr("Disk temperature"), "°C", tr("The hottest disk"), _CPU),
    _level("case_fan_rpm", tr("Slowest fan"), "rpm", tr("The slowest of the board and case fans that have ever turned"),
           _CPU),
    _level("voltage_12v", "12 V", "V", tr("The 12 V rail as the board measures it"), _CPU, 2),
    _level("voltage_5v", "5 V", "V", tr("The 5 V rail as the board measures it"), _CPU, 2),
    _level("voltage_3v3", "3.3 V", "V", tr("The 3.3 V rail as the board measures it"), _CPU, 2),
    _level(WALL, tr("Machine power"), "W",
           tr("Power of the whole machine: from a wall meter, or from its PSU or service processor"),
           (DeviceKind.CPU, DeviceKind.WALL)),
    _level("noise_dba", tr("Noise"), "dBA", tr("A-weighted level per second, from a calibrated microphone"), _CPU,
           1),
    _level("sampler_cpu_pct", tr("Cost of measuring"), "%", tr("Share of one core that measuring itself takes"), _CPU,
           2),
    _level("sampler_ms", tr("Time of measuring"), "ms", tr("How long one round of measuring takes"), _CPU, 1),
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
