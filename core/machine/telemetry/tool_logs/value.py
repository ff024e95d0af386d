"""What a log of another tool holds, in our metrics and units, whatever wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import BadInput
from core.words import trn

Numbers = NDArray[np.float64]
NAMELESS = "GPU"
"""A card of which the log says no name."""
DOMAIN_DIGITS = 4
"""Of a bus id as the kernel writes it; the driver pads to eight."""


class IntervalNeeded(BadInput):
    """The log has no times: only who made it knows how far its rows are apart."""


class FieldsNeeded(BadInput):
    """The log has no heading: only who made it knows what its columns are."""


class Tool(StrEnum):
    """What wrote a log."""

    NVIDIA_SMI = "nvidia-smi"
    DMON = "nvidia-smi dmon"
    DCGMI = "dcgmi dmon"
    DCGM_EXPORTER = "dcgm-exporter"
    GPU_EXPORTER = "nvidia_gpu_exporter"
    HWINFO = "HWiNFO"
    GPU_Z = "GPU-Z"


@dataclass(frozen=True, slots=True)
class LoggedDevice:
    """What was logged of one device. `times_s` count from the first row of the log and never fall."""

    device: Device
    times_s: Numbers
    series: Mapping[str, Numbers]
    """By name of the metric; NaN where a row had nothing."""


@dataclass(frozen=True, slots=True)
class ToolLog:
    """A whole log."""

    tool: Tool
    devices: tuple[LoggedDevice, ...]
    started_at: datetime | None
    """None where the log has no date."""
    remarks: tuple[str, ...] = ()
    """What was assumed, and what was left out."""
    interval_assumed: bool = False
    """Whether it has no times, and rows of a tool that usually writes one a second."""

    @property
    def seconds(self) -> float:
        """From the first row to the last."""
        return max((float(logged.times_s[-1]) for logged in self.devices if len(logged.times_s)), default=0.0)

    @property
    def rows(self) -> int:
        """Of the device that has most."""
        return max((len(logged.times_s) for logged in self.devices), default=0)


@dataclass(frozen=True, slots=True)
class CardIdentity:
    """What tells one card of a log from another; "" and None where the log does not say."""

    index: int | None = None
    name: str = ""
    uuid: str = ""
    bus_id: str = ""
    kind: DeviceKind = DeviceKind.GPU

    @property
    def key(self) -> str:
        """The surest of them."""
        return self.uuid or self.bus_id or (f"gpu-{self.index}" if self.index is not None else self.kind.value)

    def device(self, position: int) -> Device:
        """As the rest of the program knows one."""
        if self.kind is DeviceKind.CPU:
            return Device("cpu", DeviceKind.CPU, self.name or "CPU")
        return Device(
            self.uuid or f"LOG-{self.key}",
            DeviceKind.GPU,
            self.name or NAMELESS,
            index=position if self.index is None else self.index,
            bus_id=plain_bus_id(self.bus_id) or None,
        )


def plain_bus_id(text: str) -> str:
    """ "0000:41:00.0" of "00000000:41:00.0" and of "41:00.0"."""
    parts = text.strip().lower().split(":")
    if len(parts) == 2:
        parts.insert(0, "0" * DOMAIN_DIGITS)
    return ":".join([parts[0][-DOMAIN_DIGITS:], *parts[1:]]) if len(parts) == 3 else ""


def left_out(count: int) -> str:
    """The remark on lines that say nothing."""
    return trn(
        "{count} line could not be read and was left out.",
        "{count} lines could not be read and were left out.",
        count=count,
    )


@dataclass(slots=True)
class Gathered:
    """Rows of several devices on their way to a log."""

    names: dict[str, CardIdentity] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, identity: CardIdentity, time_s: float, row: Iterable[tuple[str, float]]) -> None:
        """A row of one device; what it says of a metric twice counts as it said last."""
        key = identity.key
        if key not in self.times:
            self.names[key], self.times[key], self.values[key] = identity, [], {}
        times, values = self.times[key], self.values[key]
        for metric, value in dict(row).items():
            column = values.setdefault(metric, [])
            column.extend([np.nan] * (len(times) - len(column)))
            column.append(value)
        times.append(time_s)

    def log(self, tool: Tool, *, dated: bool, remarks: Sequence[str] = ()) -> ToolLog:
        """All of them; times count from the first row."""
        return tool_log(tool, self._devices(), dated=dated, remarks=remarks)

    def _devices(self) -> Iterator[tuple[CardIdentity, Numbers, dict[str, Numbers]]]:
        for key, times in self.times.items():
            padded = {
                metric: np.array([*column, *[np.nan] * (len(times) - len(column))])
                for metric, column in self.values[key].items()
            }
            yield self.names[key], np.array(times), padded


def tool_log(
    tool: Tool,
    devices: Iterable[tuple[CardIdentity, Numbers, Mapping[str, Numbers]]],
    *,
    dated: bool,
    remarks: Sequence[str] = (),
    interval_assumed: bool = False,
) -> ToolLog:
    """A log of columns that are complete; rows are sorted by time, of equal times the last one holds."""
    with_rows = [(identity, times, series) for identity, times, series in devices if len(times) and series]
    first_s = min((float(times.min()) for _, times, _ in with_rows), default=0.0)
    logged = []
    # GPUs by their index, then as the log has them; the CPU last.
    with_rows.sort(key=lambda row: (row[0].kind is DeviceKind.CPU, -1 if row[0].index is None else row[0].index))
    for position, (identity, times, series) in enumerate(with_rows):
        order = np.argsort(times, kind="stable")
        rows = order[np.append(np.diff(times[order]) > 0, True)]
        logged.append(
            LoggedDevice(
                identity.device(position),
                times[rows] - first_s,
                {metric: values[rows] for metric, values in series.items() if np.isfinite(values[rows]).any()},
            )
        )
    started = datetime.fromtimestamp(first_s, UTC) if dated and with_rows else None
    with_figures = tuple(entry for entry in logged if entry.series)
    return ToolLog(tool, with_figures, started, tuple(remarks), interval_assumed)
