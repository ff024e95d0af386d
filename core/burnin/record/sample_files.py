"""Samples as files: what a run measured is written, and the log of another tool becomes a run that nobody judges.

Lines are those of the sampler (core.platform.child_reports), each with `time_s` since the start of the run: first the
devices, then samples, losses and Xids in the order of time. What loads reported is not telemetry and is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from heapq import merge
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import IMPORTED, Event, EventLevel, RunDevice
from core.burnin.record.sample_table import TIME, Values
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.metrics import BY_NAME, LOAD_METRICS, NAMES
from core.machine.telemetry.tool_logs.value import LoggedDevice, ToolLog
from core.platform.errors import BadInput
from core.platform.foreign import open_file
from core.platform.spreadsheet import csv_text
from core.platform.whole_file import write_output
from core.version import __version__
from core.words import english, tr, visible

MEASURED = tuple(name for name in NAMES if name not in LOAD_METRICS)
Line = tuple[float, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Track:
    """What was measured on a device: times in s, and a column for each metric that was measured at all."""

    times: NDArray[np.float64]
    names: Sequence[str]
    values: NDArray[np.float64]

    def at(self, place: int) -> dict[str, float]:
        """The known values of a row."""
        row = zip(self.names, self.values[place], strict=True)
        return {name: round(float(value), 3) for name, value in row if np.isfinite(value)}


def write_telemetry(
    store: RunReader, run_id: int, path: Path, sealed: Callable[[Iterable[bytes]], Iterable[bytes]] = iter
) -> int:
    """Returns the number of samples written. `sealed` hands the lines on and adds a seal.

    Raises BadInput for a run that does not exist or measured nothing, EnvironmentProblem when the file cannot be
    written.
    """
    run = store.run(run_id)
    devices = [row.device for row in store.devices(run_id)]
    tracks = {device.id: track for device in devices if (track := _track(store, run_id, device.id)) is not None}
    times = np.unique(np.concatenate([track.times for track in tracks.values()])) if tracks else np.empty(0)
    if not len(times):
        raise BadInput(tr("Run {run} has no measurements to write.", run=run_id))
    first = {
        "type": "devices",
        "time_s": 0.0,
        "run": run_id,
        "started_at": run.started_at,
        "simulated": run.simulated,
        "devices": [device.as_dict() for device in devices],
    }
    lines = merge(_samples(times, tracks), _incidents(store.events(run_id)), key=lambda line: line[0])
    timed = ({"time_s": round(time_s, 3), **line} for time_s, line in chain([(0.0, first)], lines))
    write_output(path, sealed((json.dumps(line) + "\n").encode() for line in timed))
    return len(times)


def _track(store: RunReader, run_id: int, device_id: str) -> _Track | None:
    block = store.samples(run_id, device_id, names=MEASURED)
    measured = np.flatnonzero(np.isfinite(block[:, 1:]).any(axis=0))
    if not len(measured):
        return None
    return _Track(block[:, 0], [MEASURED[place] for place in measured], block[:, 1:][:, measured])


def _samples(times: NDArray[np.float64], tracks: Mapping[str, _Track]) -> Iterator[Line]:
    """Devices are measured together; one that was lost has no rows any more."""
    place = dict.fromkeys(tracks, 0)
    for time_s in times:
        samples = {}
        for device_id, track in tracks.items():
            here = place[device_id]
            if here < len(track.times) and track.times[here] == time_s:
                place[device_id] = here + 1
                if row := track.at(here):
                    samples[device_id] = row
        yield float(time_s), {"type": "samples", "samples": samples}


def _incidents(events: Iterable[Event]) -> Iterator[Line]:
    for event in events:
        if event.incident is not None:
            yield event.time_s, {"type": event.incident.kind, **event.incident.fields}
        elif event.kind == "lost" and event.device_id:
            yield event.time_s, {"type": "lost", "device": event.device_id, "reason": english(event.message)}


FIRST_COLUMNS = ("time_s", "device_id", "device")


def write_samples(store: RunReader, run_id: int, path: Path) -> int:
    """Writes CSV in UTF-8 with a mark that spreadsheets look for; a cell of what was not measured is empty.

    Times are in s since the start of the run, a column's name carries its unit. Returns the number of samples of each
    device. Raises BadInput for a run that does not exist or measured nothing, EnvironmentProblem when the file cannot
    be written.
    """
    store.run(run_id)
    blocks = [(row.device, store.samples(run_id, row.device.id)) for row in store.devices(run_id)]
    of_devices = [np.isfinite(block[:, 1:]).any(axis=0) for _, block in blocks]
    measured = [1 + int(place) for place in np.flatnonzero(np.logical_or.reduce(of_devices))] if of_devices else []
    if not measured:
        raise BadInput(tr("Run {run} has no measurements to write.", run=run_id))
    names = [NAMES[place - 1] for place in measured]
    tables = (_rows((device.id, english(device.title)), names, block[:, [0, *measured]]) for device, block in blocks)
    # A piece per table: a day of eight cards does not have to fit into memory twice.
    texts = (csv_text(table, line_end="\r\n").encode() for table in chain([[[*FIRST_COLUMNS, *names]]], tables))
    write_output(path, chain([b"\xef\xbb\xbf"], texts))
    return max(len(block) for _, block in blocks)


def _rows(of: tuple[str, str], names: list[str], block: NDArray[np.float64]) -> Iterator[list[str]]:
    decimals = [max(BY_NAME[name].decimals, 3) for name in names]
    for time_s, *values in block:
        cells = zip(values, decimals, strict=True)
        yield [f"{time_s:.3f}", *of, *(f"{value:.{places}f}" if np.isfinite(value) else "" for value, places in cells)]


MOST_S = 7 * 24 * 3600.0
"""Of a stage; a longer log is one all the same."""
MACHINE = "another machine, or this one"
"""Of a log: it does not say."""


def import_log(data_dir: Path, path: Path, log: ToolLog, *, build: str | None = None) -> int:
    """Keeps a log that was read, once; `build` is the text of the build file that it is compared with.

    Returns its number. Raises EnvironmentProblem.
    """
    name = visible(path.name)
    source = [log.tool.value, name, _digest(path), log.rows, round(log.seconds, 3)]
    with closing(RunStore(data_dir)) as store, store.one_commit():
        if (before := store.imported_from(source, build)) is not None:
            return before
        run_id = store.create_run(
            title=f"{log.tool.value}: {name}",
            profile=_profile(log),
            devices=_devices(log),
            stage_titles=[english(tr("Log of {tool}", tool=log.tool.value))],
            boot_id="",
            machine=MACHINE,
            version=__version__,
            build=build,
            started_at=log.started_at.isoformat(timespec="milliseconds") if log.started_at else None,
        )
        for message in _messages(log, name):
            store.add_event(run_id, 0.0, EventLevel.INFO, IMPORTED, message)
        store.keep_imported(run_id, source, {logged.device.id: dict(_columns(logged)) for logged in log.devices})
    return run_id


def _profile(log: ToolLog) -> Profile:
    seconds = min(max(log.seconds, 1.0), MOST_S)
    return Profile(
        name=IMPORTED, title=tr("imported, not judged"), stages=(StageSettings(kind=IMPORTED, seconds=seconds),)
    )


def _devices(log: ToolLog) -> Iterator[RunDevice]:
    for position, logged in enumerate(log.devices):
        device = replace(logged.device, detail={IMPORTED: log.tool.value})
        yield RunDevice(device, position, burned=logged.device.kind is DeviceKind.GPU)


def _messages(log: ToolLog, name: str) -> Iterator[str]:
    yield tr("Imported from {file}, a log of {tool}: nothing of it was measured here, and it is not judged.",
             file=name, tool=log.tool.value)  # fmt: skip
    yield from log.remarks


def _columns(logged: LoggedDevice) -> Iterator[tuple[str, Values]]:
    yield TIME, logged.times_s
    for metric, values in logged.series.items():
        yield metric, np.asarray(values, dtype=np.float64)


def _digest(path: Path) -> str:
    digest = sha256()
    with open_file(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
