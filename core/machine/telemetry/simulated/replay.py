"""Plays recorded telemetry back, at its own speed or faster: what was measured then, marked as a replay.

The file is what `rigwright telemetry RUN -o FILE` writes: JSON lines as the sampler reports them, each with `time_s`
since the start of the run. The first names the devices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from core.machine.telemetry.device import Device
from core.machine.telemetry.simulated.simulation import RecordedReplay
from core.machine.telemetry.source import KERNEL, Incident, Report
from core.platform.errors import BadInput, reason_of
from core.platform.foreign import Unreadable, open_file, read_json
from core.words import shown, tr
from core.words.refusal import refused_as

PREFIX = "REPLAY-"
MAX_LINE = 1024**2
"""Characters of a line: a sample of 64 devices has 100,000."""
MAX_DEVICES = 256
_DEVICES: TypeAdapter[list[Device]] = TypeAdapter(list[Device])


class ReplaySource:
    """The devices of a recording. At its end they have nothing to say any more. Raises BadInput for a bad file."""

    def __init__(self, order: RecordedReplay, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._speed = order.speed
        self._clock = clock
        self._begun_s: float | None = None
        self._lines = _lines(order.path)
        self._devices = [_marked(device, order.speed) for device in _first_devices(order.path, self._lines)]
        self._ahead = next(self._lines, None)
        self._sample: Mapping[str, Mapping[str, float | None]] = {}
        self._lost: dict[str, str] = {}
        self._report: Report | None = None

    def devices(self) -> list[Device]:
        """As they were described then, marked as simulated and as a replay."""
        return list(self._devices)

    def read(self) -> Mapping[str, Mapping[str, float | None]]:
        """The last sample of the time that has come; empty before the first and after the last."""
        now_s = self._clock()
        self._begun_s = now_s if self._begun_s is None else self._begun_s
        played_s = (now_s - self._begun_s) * self._speed
        if self._ahead is None:
            return {}
        while self._ahead is not None and float(self._ahead["time_s"]) <= played_s:
            self._play(self._ahead)
            self._ahead = next(self._lines, None)
        return {id_: values for id_, values in self._sample.items() if id_ not in self._lost}

    def count(self) -> Mapping[str, Mapping[str, float | None]]:
        """Nothing: every reading has all counters."""
        return {}

    def lost(self) -> Mapping[str, str]:
        """Devices that were lost by now."""
        return self._lost

    def set_activity(self, device_id: str, load: float) -> None:
        """What was recorded does not change."""

    def listen(self, report: Report) -> None:
        """Errors are told when their time comes."""
        self._report = report

    def asking(self) -> str | None:
        """A file answers."""
        return None

    def slowest(self) -> str | None:
        """A file does not tell."""
        return None

    def close(self) -> None:
        """Lets go of the file."""
        self._lines.close()

    def _play(self, line: dict[str, Any]) -> None:
        match line:
            case {"type": "samples", "samples": dict() as samples}:
                self._sample = {PREFIX + id_: values for id_, values in samples.items()}
            case {"type": "lost", "device": str(id_), "reason": str(reason)}:
                self._lost[PREFIX + id_] = tr("REPLAY: {text}", text=reason)
            case {"type": "xid" | "sxid" | "driver" | "aer" | "mce" | "edac" as kind, "text": str(text)} if (
                self._report is not None
            ):
                device = line.get("device")
                fields = {name: line.get(name) for name in ("xid", "severity", "pid", "program")}
                source = KERNEL if line.get("source") == KERNEL else "replay"
                self._report(
                    Incident(kind, tr("REPLAY: {text}", text=text), source, device and PREFIX + device, **fields)
                )


def _lines(path: Path) -> Generator[dict[str, Any], None, None]:
    """One at a time: a day of eight cards is hundreds of megabytes. Raises BadInput naming the line that is none."""
    try:
        with TextIOWrapper(open_file(path), encoding="utf-8-sig") as file:
            number = 0
            while text := file.readline(MAX_LINE + 1):
                number += 1
                if (fault := _fault(text)) is not None:
                    raise BadInput(
                        tr(
                            "{path}, line {number}: not recorded telemetry: {fault}.",
                            path=path,
                            number=number,
                            fault=fault,
                        )
                    )
                yield {"time_s": 0.0, **read_json(text)}
    except UnicodeDecodeError as error:
        raise BadInput(tr("{path} is not recorded telemetry: it is not UTF-8 text.", path=path)) from error
    except OSError as error:
        raise BadInput(tr("{path} cannot be read: {reason}.", path=path, reason=reason_of(error))) from error


def _fault(text: str) -> str | None:
    """Why a line cannot be played, None where it can."""
    if len(text) > MAX_LINE:
        return tr("it has more than {most} characters", most=MAX_LINE)
    try:
        line = read_json(text)
    except Unreadable as error:
        return str(error)
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        return tr("it gives no type")
    if not _is_number(line.get("time_s", 0.0)):
        return tr("its {name} is not a number", name="time_s")
    for name, kind in (("device", str), ("xid", int), ("severity", str)):
        if line.get(name) is not None and not isinstance(line[name], kind):
            if kind is int:
                return tr("its {name} is not a whole number", name=name)
            return tr("its {name} is not text", name=name)
    return _fault_of_samples(line.get("samples")) if line["type"] == "samples" else None


def _fault_of_samples(samples: object) -> str | None:
    if not isinstance(samples, dict) or not all(isinstance(values, dict) for values in samples.values()):
        return tr("its samples are not tables by device")
    for device, values in samples.items():
        for name, value in values.items():
            if value is not None and not _is_number(value):
                return tr("{name} of {device} is not a number", name=shown(name), device=shown(device))
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _first_devices(path: Path, lines: Iterator[dict[str, Any]]) -> list[Device]:
    stored = next(lines, {}).get("devices")
    if not isinstance(stored, list) or not 1 <= len(stored) <= MAX_DEVICES:
        raise BadInput(
            tr(
                "{path} is not recorded telemetry: its first line does not name 1 to {most} devices.",
                path=path,
                most=MAX_DEVICES,
            )
        )
    with refused_as(
        lambda place, reason: tr(
            "{path} is not recorded telemetry: in its first line, devices.{place}: {reason}.",
            path=path,
            place=place,
            reason=reason,
        )
    ):
        devices = _DEVICES.validate_python(stored)
    if len({device.id for device in devices}) != len(devices):
        raise BadInput(tr("{path} is not recorded telemetry: its first line names a device twice.", path=path))
    return devices


def _marked(device: Device, speed: float) -> Device:
    """Ways to other devices would lead to ids that are not there."""
    how = tr("as it was recorded")
    if speed != 1:
        how = tr("{speed:g} times as fast as it was recorded", speed=speed)
    return replace(
        device, id=PREFIX + device.id, simulated=True, detail={**device.detail, "replay": how}, p2p={}, topology={}
    )
