"""Watches one run from outside and tells of its first failure, its silence and its end; keeps a file for Prometheus.

A process of its own, started beside the runner where notices are set: it tells of a runner that was killed, too.

    python -m core.notify.watcher --data-dir DIR --run N

The file: https://prometheus.io/docs/instrumenting/exposition_formats.
"""

from __future__ import annotations

import argparse
import logging
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.burnin.record.rows import MACHINE, Outcome, Run, RunDevice, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import LOADS_OF_SILENT, Follower, Update, done_share
from core.burnin.sealing import no_verdict
from core.burnin.verdict.causes import causes_of
from core.burnin.verdict.codes import METRICS as ERROR_COUNTERS
from core.burnin.verdict.states import ErrorCounts, ErrorTally
from core.notify.send import Notice, NoticeKind, send
from core.notify.settings import NoticeSettings, read_settings
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.whole_file import write_whole
from core.present.report.run_verdict import cause_sentence
from core.words import joined, plain, tr

log = logging.getLogger(__name__)

POLL_S = 2.0
METRICS_EVERY_S = 10.0
SILENT_AFTER_S = 60.0
GIVE_UP_AFTER_S = 3600.0
"""Of silence: whoever resumes the run later starts another watcher."""
GAUGES: Mapping[str, tuple[str, str]] = {
    "temperature_c": ("rigwright_device_temperature_celsius", "Temperature of the device."),
    "power_w": ("rigwright_device_power_watts", "Power that the device draws."),
    "clock_mhz": ("rigwright_device_clock_megahertz", "Clock of the device."),
    "fan_pct": ("rigwright_device_fan_percent", "Fan of the device."),
    "throughput_tflops": ("rigwright_device_throughput_teraflops", "Rate of verified products."),
}
"""Name and help of the metrics that are told."""
NAMES = (*GAUGES, *ERROR_COUNTERS)


class Watch:
    """What is known of the run, and what has been told of it."""

    def __init__(self, store: RunStore, run_id: int, settings: NoticeSettings) -> None:
        self._store = store
        self._follower = Follower(store, run_id, NAMES)
        self._settings = settings
        self._tallies = {row.device.id: ErrorTally() for row in self._follower.devices if row.burned}
        self._figures: dict[str, dict[str, float]] = {}
        self._announced: set[NoticeKind] = set()
        self._next_metrics_s = 0.0
        self.over = False
        """Whether the run was over at the last look: nothing more will come of it."""

    def look(self) -> list[Notice]:
        """Takes in what is new; returns what is worth telling now, each only once."""
        update = self._follower.poll()
        self._take(update)
        notices = [notice for notice in self._notices(update) if notice.kind not in self._announced]
        self._announced |= {notice.kind for notice in notices}
        self.over = update.run.status is not RunStatus.RUNNING
        if self._settings.prometheus and (self.over or time.monotonic() >= self._next_metrics_s):
            self._next_metrics_s = time.monotonic() + METRICS_EVERY_S
            self._write_metrics(Path(self._settings.prometheus), update.run)
        return notices

    def _take(self, update: Update) -> None:
        for device_id, block in update.samples.items():
            columns = {name: block[:, 1 + update.names.index(name)] for name in NAMES}
            newest = {name: float(columns[name][-1]) for name in GAUGES}
            self._figures[device_id] = {name: value for name, value in newest.items() if math.isfinite(value)}
            if device_id in self._tallies:
                self._tallies[device_id].take_samples(block[:, 0], columns)
        for event in update.events:
            if event.device_id in self._tallies:
                self._tallies[event.device_id].take_event(event)

    def _notices(self, update: Update) -> list[Notice]:
        run, notices = update.run, []
        failed = [row.device for row in self._follower.devices if self._has_errors(row.device.id)]
        if failed and run.status is RunStatus.RUNNING:
            lines = [
                plain("{device}: {errors}", device=device.title, errors=self._tallies[device.id].counts.words)
                for device in failed
            ]
            notices.append(_notice(run, NoticeKind.FAILURE, tr("first failure"), joined(lines, "\n")))
        if update.silent_s is not None and update.silent_s >= SILENT_AFTER_S:
            text = tr("Its runner has not answered for {silent_s:.0f} s.", silent_s=update.silent_s)
            words = joined([text, LOADS_OF_SILENT])
            notices.append(_notice(run, NoticeKind.SILENT, tr("no answer"), words))
        if run.status is RunStatus.INTERRUPTED:
            notices.append(_notice(run, NoticeKind.END, tr("interrupted"), tr("It can be resumed.")))
        elif run.status is RunStatus.FINISHED:
            notices.append(self._end(update))
        return notices

    def _has_errors(self, device_id: str) -> bool:
        return device_id in self._tallies and bool(self._tallies[device_id].counts)

    def _end(self, update: Update) -> Notice:
        if update.changed:
            return _notice(update.run, NoticeKind.END, tr("CHANGED"), no_verdict(update.run.id))
        verdict = next((one.outcome for one in update.verdicts if one.device_id == MACHINE), Outcome.INCOMPLETE)
        causes = causes_of(self._store, update.run.id)
        text = joined(map(cause_sentence, causes), "\n")
        return _notice(update.run, NoticeKind.END, verdict.label, text, verdict.value)

    def _write_metrics(self, path: Path, run: Run) -> None:
        fraction = done_share(self._store.stages(run.id))
        devices = [
            DeviceNow(row, self._figures.get(row.device.id, {}), self._tallies[row.device.id].counts)
            for row in self._follower.devices
            if row.device.id in self._tallies
        ]
        try:
            write_whole(path, "".join(f"{line}\n" for line in metric_lines(run, fraction, devices)).encode())
        except OSError as error:
            log.warning("%s cannot be written: %s", path, error)


def _notice(run: Run, kind: NoticeKind, what: str, text: str, verdict: str | None = None) -> Notice:
    title = tr(
        "Rigwright on {machine}: run {number}, {title}: {what}",
        machine=run.machine,
        number=run.id,
        title=run.title,
        what=what,
    )
    if run.simulated:
        title = tr(
            "Rigwright on {machine}: run {number} (SIMULATED), {title}: {what}",
            machine=run.machine,
            number=run.id,
            title=run.title,
            what=what,
        )
    return Notice(kind, title, text, run.machine, run.id, verdict, run.simulated)


@dataclass(frozen=True, slots=True)
class DeviceNow:
    """The newest figures of a device, by metric, and its errors until now."""

    row: RunDevice
    figures: Mapping[str, float]
    errors: ErrorCounts


def metric_lines(run: Run, fraction: float, devices: Sequence[DeviceNow]) -> Iterator[str]:
    """In the text format that Prometheus' node exporter collects; simulated devices carry a label that says so."""
    of_run = _labels({"run": str(run.id), "profile": run.profile.name, "simulated": str(run.simulated).lower()})
    yield from _metric("rigwright_run_active", "Whether the run goes on.", "gauge")
    yield f"rigwright_run_active{of_run} {int(run.status is RunStatus.RUNNING)}"
    yield from _metric("rigwright_run_progress_ratio", "How far the run is, 0 to 1.", "gauge")
    yield f"rigwright_run_progress_ratio{of_run} {fraction:.4f}"
    for metric, (name, meaning) in GAUGES.items():
        measured = [(device, device.figures[metric]) for device in devices if metric in device.figures]
        if measured:
            yield from _metric(name, meaning, "gauge")
            yield from (f"{name}{_of_device(run, device.row)} {value:g}" for device, value in measured)
    yield from _metric("rigwright_device_errors_total", "Errors of the device in this run, by kind.", "counter")
    for device in devices:
        for kind, count in device.errors.counts.items():
            yield f"rigwright_device_errors_total{_of_device(run, device.row, kind=kind.value)} {count}"


def _metric(name: str, meaning: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"


def _of_device(run: Run, row: RunDevice, **more: str) -> str:
    device = row.device
    labels = {"run": str(run.id), "device": device.id, "name": device.name, "bus": device.bus_id or "", **more}
    return _labels(labels | {"simulated": str(device.simulated).lower()})


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def watch(data_dir: Path, run_id: int) -> None:
    """Until the run is over, deleted, or silent for too long."""
    settings = read_settings(data_dir)
    silent_since: float | None = None
    with closing(RunStore(data_dir)) as store:
        watcher = Watch(store, run_id, settings)
        while True:
            for notice in watcher.look():
                for problem in send(settings, notice):
                    log.warning("%s", problem)
                if notice.kind is NoticeKind.SILENT:
                    silent_since = time.monotonic()
            if watcher.over or (silent_since and time.monotonic() - silent_since > GIVE_UP_AFTER_S):
                return
            time.sleep(POLL_S)


def main() -> int:
    """Returns the exit code: 0 once everything was told."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--run", type=int, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    try:
        watch(arguments.data_dir, arguments.run)
    except (BadInput, EnvironmentProblem) as error:
        log.warning("run %d is not watched any more: %s", arguments.run, error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
