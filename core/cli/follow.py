"""Shows a run in the terminal while it is recorded: one line per device, stage progress, events as they come."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from core.burnin.record.rows import Event, EventLevel, ResultStatus, RunStatus, StageResult, StageRow, StageStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower, Update
from core.burnin.run.outside import no_answer
from core.burnin.run.recovery import find_interrupted
from core.cli.options import errors, print_json
from core.cli.recorded_run import OUTCOME_EXIT, print_verdict, run_as_dict
from core.errors import ExitCode
from core.shown import visible
from core.telemetry.metrics import BY_NAME

POLL_S = 0.25
SHOWN = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops", "errors")
EVENT_STYLE = {EventLevel.INFO: "dim", EventLevel.WARN: "yellow", EventLevel.ERROR: "bold red"}


def watch_run(store: RunStore, data_dir: Path, run_id: int, *, quiet: bool) -> None:
    """Follows a run until it is finished or interrupted. Ctrl-C asks it to stop, a second one leaves it alone."""
    follower = Follower(store, run_id)
    view = _View(follower)
    asked = False
    with Live(console=errors, refresh_per_second=4, transient=True, auto_refresh=False) as live:
        while True:
            try:
                update = follower.poll()
                if not quiet:
                    view.take(update, live)
                if update.run.status is not RunStatus.RUNNING or _vanished(store, data_dir, run_id):
                    return
                time.sleep(POLL_S)
            except KeyboardInterrupt:
                if asked:
                    errors.print(f"Run {run_id} goes on without this terminal. Watch it with: rigwright watch")
                    return
                asked = True
                store.request(run_id, "stop")
                errors.print("Stopping the loads; press Ctrl-C again to leave at once.")


def _vanished(store: RunStore, data_dir: Path, run_id: int) -> bool:
    return any(interruption.run_id == run_id for interruption in find_interrupted(store, data_dir))


class _View:
    """What the terminal shows: events scroll by, the state stays below them."""

    def __init__(self, follower: Follower) -> None:
        self._titles = {row.device.id: row.device.title for row in follower.devices}
        self._last: dict[str, NDArray[np.float64]] = {}
        self._burned = [row.device.id for row in follower.devices if row.burned]
        self._silent = False

    def take(self, update: Update, live: Live) -> None:
        """Takes in a poll and repaints."""
        for device_id, block in update.samples.items():
            self._last[device_id] = block[-1]
        for event in update.events:
            live.console.print(self._line(event))
        self._tell_silence(update, live)
        if live.console.is_terminal:
            live.update(Group(self._stages(update), self._devices(), *self._silence(update)), refresh=True)

    def _tell_silence(self, update: Update, live: Live) -> None:
        """Once when the runner falls silent, and once when it answers again, for terminals that show no state."""
        silent = update.silent_s is not None
        if silent is self._silent:
            return
        self._silent = silent
        again = f"The runner of run {update.run.id} answers again."
        live.console.print(*(self._silence(update) or [Text(again)]))

    def _silence(self, update: Update) -> list[Text]:
        if update.silent_s is None:
            return []
        end = f"Its loads have ended by themselves. End it with: rigwright stop {update.run.id}"
        return [Text(f"{no_answer(update.run, update.silent_s)} {end}", style=EVENT_STYLE[EventLevel.ERROR])]

    def _line(self, event: Event) -> Text:
        who = f"{self._titles.get(event.device_id, event.device_id)}: " if event.device_id else ""
        return Text(visible(f"{event.time_s:8.1f} s  {who}{event.message}"), style=EVENT_STYLE[event.level])

    def _stages(self, update: Update) -> Text:
        return Text(" | ".join(stage_words(stage, update.results) for stage in update.stages))

    def _devices(self) -> Table:
        figures_of = [
            Column(BY_NAME[name].unit or BY_NAME[name].title, justify="right", no_wrap=True) for name in SHOWN
        ]
        table = Table(Column("Device", ratio=1), *figures_of, box=None)
        for device_id in self._burned:
            sample = self._last.get(device_id)
            figures = [_figure(sample, name) for name in SHOWN]
            table.add_row(escape(self._titles[device_id]), *figures)
        return table


def stage_words(stage: StageRow, results: Sequence[StageResult]) -> str:
    """A stage and how far it is, or how it ended on the devices."""
    if stage.status is StageStatus.RUNNING:
        return f"{stage.title} {stage.fraction:.0%}"
    return f"{stage.title} {_ended(stage, results) if stage.status is StageStatus.DONE else stage.status}"


def _ended(stage: StageRow, results: Sequence[StageResult]) -> str:
    found = {result.status for result in results if result.number == stage.number}
    if found & {ResultStatus.FAILED, ResultStatus.DIED}:
        return "FAILED"
    if ResultStatus.STOPPED in found:
        return "not finished"
    return "NOT RUN" if found == {ResultStatus.NOT_RUN} else "ok"


def _figure(sample: NDArray[np.float64] | None, name: str) -> str:
    value = float("nan") if sample is None else float(sample[COLUMN[name]])
    return "-" if np.isnan(value) else f"{value:.{BY_NAME[name].decimals}f}"


def follow_to_the_end(place: Path, run_id: int, *, as_json: bool) -> ExitCode:
    """Shows a run until it has ended; returns the exit code of its verdict."""
    with closing(RunStore(place)) as store:
        watch_run(store, place, run_id, quiet=as_json)
        if as_json:
            print_json(run_as_dict(store, run_id))
        else:
            print_verdict(store, run_id)
        verdicts = store.verdicts(run_id)
        return OUTCOME_EXIT[verdicts[0].outcome] if verdicts else ExitCode.INCOMPLETE
