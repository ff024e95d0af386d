"""What this machine tells of its runs, one poll after the other: the state, and once each event and each minute."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from math import inf
from pathlib import Path

import numpy as np
import psutil

from core.burnin.record.linked_store import utc_now
from core.burnin.record.rows import MACHINE, Event, Run, RunDevice, RunStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import done_share, left_s, silent_s
from core.burnin.run.machine import boot_id
from core.burnin.run.recovery import find_interrupted
from core.burnin.sealing import is_changed
from core.burnin.verdict.codes import METRICS as COUNTERS
from core.burnin.verdict.states import ErrorTally, Values
from core.fleet.lines import CardLine, Cursor, EventLine, Line, MachineLine, MinuteLine, StateLine
from core.machine.asbuilt.inspection import read_machine
from core.seal.keys import own_public_key
from core.version import __version__
from core.words import english

STREAMED = (
    *("temperature_c", "memory_temperature_c", "power_w", "power_limit_w", "clock_mhz", "utilisation_pct", "fan_pct"),
    *("throughput_tflops", "tokens_per_s"),
)
"""Metrics of a device that are told."""
MINUTE_S = 60.0
MOST_REASONS = 8


def this_machine(data_dir: Path, root: Path = Path("/")) -> MachineLine:
    """Who this is. Takes some milliseconds; never raises."""
    facts, key = read_machine(root).facts, own_public_key(data_dir)
    return MachineLine(
        rigwright=__version__,
        identity=facts.board_serial or facts.serial or _lowest_mac() or _installation(root),
        name=platform.node(),
        system=facts.system,
        board=facts.board,
        boot_id=boot_id(),
        at=utc_now(),
        key=key.raw.hex() if key else None,
    )


def _lowest_mac() -> str | None:
    addresses = (one.address.lower() for ports in psutil.net_if_addrs().values() for one in ports
                 if one.family == psutil.AF_LINK)  # fmt: skip
    return min((one for one in addresses if one.strip("0:")), default=None)


def _installation(root: Path) -> str:
    """The installation's id (machine-id(5)), else the host name: the last resort, which names no machine for sure."""
    try:
        return (root / "etc/machine-id").read_text(encoding="ascii").strip()[:200] or platform.node()
    except (OSError, ValueError):
        return platform.node()


class RunStream:
    """Tells of one data folder. `since` is up to where somebody knows a run; without, its newest run is told whole."""

    def __init__(self, data_dir: Path, since: Cursor | None = None) -> None:
        self._data_dir, self._since = data_dir, since
        self._run: _StreamedRun | None = None

    def poll(self) -> Iterator[Line]:
        """What is new, then the state. Raises EnvironmentProblem where the recording cannot be read."""
        with closing(RunStore(self._data_dir)) as store:
            find_interrupted(store, self._data_dir)
            run = _current(store)
            if run is None:
                yield StateLine(at=utc_now())
                return
            if self._run is None or self._run.run_id != run.id:
                since = self._since if self._since and self._since.run == run.id else Cursor(run=run.id)
                self._run = _StreamedRun(store, since)
            yield from self._run.news(store, ended=run.status is not RunStatus.RUNNING)
            yield self._run.state(store, run)


def _current(store: RunStore) -> Run | None:
    """The run that goes on, else the newest that was measured."""
    runs = [run for run in store.runs() if not run.imported]
    return next((run for run in runs if run.status is RunStatus.RUNNING), next(iter(runs), None))


class _StreamedRun:
    """How far one run was told. Each sample is read once."""

    def __init__(self, store: RunStore, since: Cursor) -> None:
        self.run_id = since.run
        self._event, self._minutes = since.event, since.minutes
        self._devices: list[RunDevice] = store.devices(self.run_id)
        self._tallies = {row.device.id: ErrorTally() for row in self._devices}
        self._newest: dict[str, dict[str, float]] = {row.device.id: {} for row in self._devices}
        self._last_s = dict.fromkeys(self._tallies, -1.0)
        self._sums: dict[int, dict[str, dict[str, tuple[float, int]]]] = {}
        """By minute, device and metric: the sum of what was measured, and how often."""
        self._counted_event = 0
        self._checked: tuple[RunStatus, bool] | None = None
        for device_id in self._tallies:  # metric by metric: days of eight cards are never in memory at once
            self._take_samples(store, device_id, [(name,) for name in (*STREAMED, *COUNTERS)])

    def news(self, store: RunStore, *, ended: bool) -> Iterator[Line]:
        """Events and minutes that were not told yet; of a run that `ended` the last part of one, too."""
        for event in store.events(self.run_id, self._counted_event):
            self._counted_event = event.id
            if event.device_id in self._tallies:
                self._tallies[event.device_id].take_event(event)
            if event.id > self._event:
                self._event = event.id
                yield self._event_line(event)
        for device_id in self._tallies:
            self._take_samples(store, device_id, [(*STREAMED, *COUNTERS)])
        yield from self._whole_minutes(ended=ended)

    def _event_line(self, event: Event) -> EventLine:
        return EventLine(
            run=self.run_id, id=event.id, time_s=event.time_s, at=event.at, device=event.device_id, level=event.level,
            kind=event.kind, message=english(event.message)[:2000],
        )  # fmt: skip

    def _take_samples(self, store: RunStore, device_id: str, groups: list[tuple[str, ...]]) -> None:
        """Reads group after group of metrics, all up to the newest sample of the first."""
        after_s, until_s = self._last_s[device_id], inf
        for names in groups:
            block = store.samples(self.run_id, device_id, after_s, names)
            block = block[block[:, 0] <= until_s]
            if not len(block):
                return
            until_s = float(block[-1, 0])
            columns = dict(zip(names, block[:, 1:].T, strict=True))
            self._tallies[device_id].take_samples(
                block[:, 0], {name: values for name, values in columns.items() if name in COUNTERS}
            )
            for name in columns.keys() & set(STREAMED):
                self._take_metric(device_id, name, block[:, 0], columns[name])
        self._last_s[device_id] = until_s

    def _take_metric(self, device_id: str, name: str, times_s: Values, values: Values) -> None:
        measured = np.isfinite(values)
        if not measured.any():
            return
        self._newest[device_id][name] = round(float(values[measured][-1]), 3)
        minutes = (times_s[measured] // MINUTE_S).astype(int)
        sums, counts = np.bincount(minutes, values[measured]), np.bincount(minutes)
        for minute in map(int, np.flatnonzero(counts)):
            if minute >= self._minutes:
                of_device = self._sums.setdefault(minute, {}).setdefault(device_id, {})
                total, count = of_device.get(name, (0.0, 0))
                of_device[name] = total + float(sums[minute]), count + int(counts[minute])

    def _whole_minutes(self, *, ended: bool) -> Iterator[MinuteLine]:
        """Each minute that all devices have left behind, or the fastest by one more: a lost card holds up nothing."""
        last = sorted(int(time_s // MINUTE_S) for time_s in self._last_s.values())
        over = max(last[0], last[-1] - 1) if last else 0
        if ended:
            over = max(over, max(self._sums, default=-1) + 1)
        for minute in range(self._minutes, over):
            if of_devices := self._sums.pop(minute, None):
                cards = {
                    device_id: {name: round(total / count, 3) for name, (total, count) in sums.items()}
                    for device_id, sums in of_devices.items()
                }
                yield MinuteLine(run=self.run_id, minute=minute, cards=cards)
        self._minutes = max(self._minutes, over)

    def state(self, store: RunStore, run: Run) -> StateLine:
        """The run as it is now."""
        stages = store.stages(run.id)
        running = next((stage for stage in stages if stage.status is StageStatus.RUNNING), None)
        changed = self._is_changed(store, run)
        verdicts = {} if changed else {verdict.device_id: verdict for verdict in store.verdicts(run.id)}
        machine = verdicts.get(MACHINE)
        return StateLine(
            at=utc_now(),
            cursor=str(Cursor(run=run.id, event=self._event, minutes=self._minutes)),
            run=run.id,
            fleet_id=store.fleet_id(run.id),
            profile=run.profile.name,
            simulated=run.simulated,
            status=run.status,
            changed=changed,
            silent_s=silent_s(store, run),
            stage=english(running.title) if running else None,
            stage_kind=running.kind if running else None,
            stage_number=running.number + 1 if running else None,
            stages=len(stages),
            stage_pct=round(100 * running.fraction, 1) if running else 0.0,
            run_pct=round(100 * done_share(stages), 1) if stages else 0.0,
            elapsed_s=round(store.last_time_s(run.id), 1),
            remaining_s=0.0 if run.status is RunStatus.FINISHED else round(left_s(stages), 1),
            outcome=machine.outcome if machine else None,
            reasons=tuple(english(reason.text)[:2000] for reason in machine.reasons[:MOST_REASONS]) if machine else (),
            cards=tuple(
                CardLine(
                    id=row.device.id,
                    label=english(row.device.label),
                    name=english(row.device.title),
                    burned=row.burned,
                    figures=self._newest[row.device.id],
                    errors={kind.value: count for kind, count in self._tallies[row.device.id].counts.counts.items()},
                    outcome=verdicts[row.device.id].outcome if row.device.id in verdicts else None,
                )
                for row in self._devices
            ),
        )

    def _is_changed(self, store: RunStore, run: Run) -> bool:
        """Of a run that has ended, read once: that takes a while."""
        if run.status is RunStatus.RUNNING:
            return False
        if self._checked is None or self._checked[0] is not run.status:
            self._checked = run.status, is_changed(store, run.id)
        return self._checked[1]


def write_lines(lines: Iterable[Line]) -> None:
    """On standard output, each poll at once. Raises BrokenPipeError when nobody reads any more."""
    for line in lines:
        sys.stdout.buffer.write(line.model_dump_json(exclude_none=True).encode() + b"\n")
    sys.stdout.buffer.flush()
