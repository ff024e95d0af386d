"""A run as a text file that Prometheus' node exporter collects: https://prometheus.io/docs/instrumenting/exposition_formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.burnin.record.rows import Run, RunDevice, RunStatus
from core.burnin.verdict.states import ErrorCounts
from core.whole_file import write_whole

GAUGES: Mapping[str, tuple[str, str]] = {
    "temperature_c": ("rigwright_device_temperature_celsius", "Temperature of the device."),
    "power_w": ("rigwright_device_power_watts", "Power that the device draws."),
    "clock_mhz": ("rigwright_device_clock_megahertz", "Clock of the device."),
    "fan_pct": ("rigwright_device_fan_percent", "Fan of the device."),
    "throughput_tflops": ("rigwright_device_throughput_teraflops", "Rate of verified products."),
}
"""Name and help of the metrics that are told."""


@dataclass(frozen=True, slots=True)
class DeviceNow:
    """The newest figures of a device, by metric, and its errors until now."""

    row: RunDevice
    figures: Mapping[str, float]
    errors: ErrorCounts


def write_metrics(path: Path, run: Run, fraction: float, devices: Sequence[DeviceNow]) -> None:
    """Whole or not at all. Raises OSError."""
    write_whole(path, "".join(f"{line}\n" for line in metric_lines(run, fraction, devices)).encode())


def metric_lines(run: Run, fraction: float, devices: Sequence[DeviceNow]) -> Iterator[str]:
    """In the text format; simulated devices carry a label that says so."""
    of_run = _labels({"run": str(run.id), "profile": run.profile.name, "simulated": str(run.simulated).lower()})
    yield from _metric("rigwright_run_active", "Whether the run goes on.", "gauge")
    yield f"rigwright_run_active{of_run} {int(run.status is RunStatus.RUNNING)}"
    yield from _metric("rigwright_run_progress_ratio", "How far the run is, 0 to 1.", "gauge")
    yield f"rigwright_run_progress_ratio{of_run} {fraction:.4f}"
    for metric, (name, told) in GAUGES.items():
        known = [(device, device.figures[metric]) for device in devices if metric in device.figures]
        if known:
            yield from _metric(name, told, "gauge")
            yield from (f"{name}{_of_device(run, device.row)} {value:g}" for device, value in known)
    yield from _metric("rigwright_device_errors_total", "Errors of the device in this run, by kind.", "counter")
    for device in devices:
        for kind, count in device.errors.counts.items():
            yield f"rigwright_device_errors_total{_of_device(run, device.row, kind=kind.value)} {count}"


def _metric(name: str, told: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"


def _of_device(run: Run, row: RunDevice, **more: str) -> str:
    device = row.device
    known = {"run": str(run.id), "device": device.id, "name": device.name, "bus": device.bus_id or "", **more}
    return _labels(known | {"simulated": str(device.simulated).lower()})


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
