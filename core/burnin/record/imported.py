"""A log of another tool as a run: imported, not judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import IMPORTED, EventLevel, RunDevice
from core.burnin.record.sample_table import TIME, Values
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.tool_logs.value import LoggedDevice, ToolLog
from core.platform.text_file import open_file
from core.version import __version__
from core.words import english, tr, visible

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
