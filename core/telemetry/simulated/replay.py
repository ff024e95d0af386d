"""Plays recorded telemetry back, at its own speed or faster: what was measured then, marked as a replay.

The file is what `rigwright telemetry RUN -o FILE` writes: JSON lines as the sampler reports them, each with `time_s`
since the start of the run. The first names the devices.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.protocol import decode
from core.telemetry.device import Device
from core.telemetry.incident import Incident, Report
from core.telemetry.simulated.words import Replay

PREFIX = "REPLAY-"


class ReplaySource:
    """The devices of a recording. At its end they have nothing to say any more. Raises BadInput for a bad file."""

    def __init__(self, order: Replay, *, clock: Callable[[], float] = time.monotonic) -> None:
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
                self._lost[PREFIX + id_] = f"REPLAY: {reason}"
            case {"type": "xid" | "aer" | "mce" as kind, "text": str(text)} if self._report is not None:
                device = line.get("device")
                known = {"xid": line.get("xid"), "severity": line.get("severity")}
                self._report(Incident(kind, f"REPLAY: {text}", "replay", device and PREFIX + device, **known))


def _lines(path: Path) -> Generator[dict[str, Any], None, None]:
    """One at a time: a day of eight cards is hundreds of megabytes."""
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            line = decode(text)
            if line is None or not isinstance(line.get("time_s", 0.0), int | float):
                raise BadInput(f"{path}, line {number}: this is no recorded telemetry.")
            yield {"time_s": 0.0, **line}


def _first_devices(path: Path, lines: Iterator[dict[str, Any]]) -> list[Device]:
    try:
        line = next(lines, {})
        devices = [Device.from_dict(stored) for stored in line["devices"]]
    except (KeyError, TypeError, ValueError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadInput(f"{path} is no recorded telemetry: its first line names no devices.") from error
    if not devices:
        raise BadInput(f"{path} holds no device.")
    return devices


def _marked(device: Device, speed: float) -> Device:
    """Ways to other devices would lead to ids that are not there."""
    how = "as it was recorded" if speed == 1 else f"{speed:g} times as fast as it was recorded"
    return replace(
        device,
        id=PREFIX + device.id,
        simulated=True,
        detail={**device.detail, "replay": how},
        p2p={},
        topology={},
    )
