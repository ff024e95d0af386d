"""Follows a run from the terminal until it has ended: events scroll by, below them the state; then its verdict.

Readable from 60 columns on.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from core.burnin.record.rows import Event, EventLevel, RunStatus, StageStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.follow import LOADS_OF_SILENT, Follower, Update, done_share, left_s, no_answer, worst_of
from core.burnin.run.recovery import find_interrupted
from core.burnin.verdict.codes import METRICS
from core.burnin.verdict.states import BAD, ErrorTally, stage_states
from core.cli.asking import LONG_S, agrees, can_ask
from core.cli.options import errors, print_json
from core.cli.recorded_run import exit_code_of, print_verdict, run_as_dict
from core.machine.telemetry.metrics import BY_NAME
from core.platform.errors import ExitCode
from core.present.report.recorded_run import short_title
from core.words import clock, duration, joined, tr, visible

POLL_S = 0.25
SHOWN = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops")
"""The last ones give way first where the terminal is narrow."""
WIDEST = 120
"""Columns of the table of devices; figures far from their names are hard to read."""
WIDTHS = ((60, 3), (80, 4))
"""Below so many columns of the terminal, so many of these figures."""
EVENT_STYLE = {EventLevel.INFO: "dim", EventLevel.WARN: "yellow", EventLevel.ERROR: "bold red"}
BAD_STYLE = EVENT_STYLE[EventLevel.ERROR]


class TerminalRunView:
    """Takes in one update after another."""

    def __init__(self, follower: Follower) -> None:
        self._titles = {row.device.id: row.device.title for row in follower.devices}
        self._names = {row.device.id: short_title(row.device) for row in follower.devices}
        self._labels = {row.device.id: row.device.label for row in follower.devices}
        self._burned = [row.device.id for row in follower.devices if row.burned]
        self._last: dict[str, NDArray[np.float64]] = {}
        self._errors = {device_id: ErrorTally() for device_id in self._titles}
        self._events: list[Event] = []
        self._silent = False

    def take(self, update: Update, live: Live) -> None:
        """Takes in a poll and repaints."""
        for device_id, block in update.samples.items():
            self._last[device_id] = block[-1]
            self._errors[device_id].take_samples(block[:, 0], {name: block[:, COLUMN[name]] for name in METRICS})
        for event in update.events:
            self._events.append(event)
            if event.device_id in self._errors:
                self._errors[event.device_id].take_event(event)
            live.console.print(self._line(event))
        self._tell_silence(update, live)
        if live.console.is_terminal:
            live.update(self.state(update, live.console.width), refresh=True)

    def state(self, update: Update, width: int) -> RenderableType:
        """Stage, percentage and time left; a bar; the worst device; figures of all devices."""
        bar = Table.grid()  # which ends its line, as a bar by itself does not
        bar.add_row(ProgressBar(total=1.0, completed=done_share(update.stages), width=width - 1))
        return Group(self._stage(update), bar, self._worst(), self._devices(width), *self._silence(update))

    def _stage(self, update: Update) -> Text:
        stages, left = update.stages, duration(left_s(update.stages))
        share, mark = f"{done_share(stages):.0%}", f"  {tr('SIMULATED')}" if update.run.simulated else ""
        running = next((stage for stage in stages if stage.status is StageStatus.RUNNING), None)
        now = tr("Between two stages")
        if running:
            now = tr(
                "{stage} {share:.0%}, stage {number} of {stages}",
                stage=running.title,
                share=running.fraction,
                number=running.number + 1,
                stages=len(stages),
            )
        failed = self._failed(update)
        text = _wrapped(tr("{now}; run {share}, {left} left", now=now, share=share, left=left) + mark)
        if failed:
            text.append("\n" + tr("Failed: {stages}", stages=joined(failed, ", ")), style=BAD_STYLE)
        return text

    def _failed(self, update: Update) -> list[str]:
        states = stage_states(update.stages, update.results, self._events, self._burned)
        return [stage.title for stage, state in zip(update.stages, states, strict=True) if state.whole in BAD]

    def _worst(self) -> Text:
        errors = {self._labels[device_id]: tally.counts for device_id, tally in self._errors.items()}
        if (bad := worst_of(errors)) is not None:
            label, errors_of_card = bad
            return _wrapped(
                tr(
                    "{card}: {errors}, first at {time}",
                    card=label,
                    errors=errors_of_card.words,
                    time=clock(errors_of_card.first_at_s or 0.0),
                ),
                BAD_STYLE,
            )
        hottest = max(self._burned, key=lambda one: _value(self._last.get(one), "temperature_c", -1.0), default=None)
        celsius = _value(self._last.get(hottest or ""), "temperature_c", -1.0)
        if not hottest or celsius <= 0:
            return _wrapped(tr("No errors so far"))
        card = self._labels[hottest]
        return _wrapped(tr("No errors so far; hottest {card}, {celsius:.0f} °C", card=card, celsius=celsius))

    def _devices(self, width: int) -> Table:
        count = next((shown for below, shown in WIDTHS if width <= below), len(SHOWN))
        shown = SHOWN[:count]
        figures_of = [Column(BY_NAME[name].unit, justify="right", no_wrap=True, min_width=4) for name in shown]
        device = Column(tr("Device"), no_wrap=True, overflow="ellipsis", ratio=1)
        table = Table(device, *figures_of, box=None, expand=True, width=min(width, WIDEST) - 1)
        for device_id in self._burned:
            errors = self._errors[device_id].counts
            name = f"{self._labels[device_id]}  {errors.words if errors else self._names[device_id]}"
            cells = (_figure(self._last.get(device_id), metric) for metric in shown)
            table.add_row(escape(name), *cells, style=BAD_STYLE if errors else None)
        return table

    def _tell_silence(self, update: Update, live: Live) -> None:
        """Once when the runner falls silent, and once when it answers again, for terminals that show no state."""
        silent = update.silent_s is not None
        if silent is self._silent:
            return
        self._silent = silent
        if silent:
            live.console.print(*self._silence(update))
        elif update.run.status is RunStatus.RUNNING:
            live.console.print(Text(tr("The runner of run {run} answers again.", run=update.run.id)))

    def _silence(self, update: Update) -> list[Text]:
        if update.silent_s is None:
            return []
        end = tr("End it with: rigwright stop {run}", run=update.run.id)
        sentence = joined([no_answer(update.run, update.silent_s), LOADS_OF_SILENT, end])
        return [_wrapped(sentence, BAD_STYLE)]

    def _line(self, event: Event) -> Text:
        """By the short name that the table of devices has below; a device beside the burned ones by its title."""
        names = self._labels if event.device_id in self._burned else self._titles
        who = f"{names.get(event.device_id, event.device_id)}: " if event.device_id else ""
        return Text(visible(f"{event.time_s:8.1f} s  {who}{event.message}"), style=EVENT_STYLE[event.level])


def _wrapped(text: str, style: str = "") -> Text:
    """Broken into lines, also on a console that leaves that to the terminal: a live display is cut off there."""
    return Text(text, style=style, no_wrap=False, overflow="fold")


def _value(sample: NDArray[np.float64] | None, name: str, missing: float) -> float:
    value = missing if sample is None else float(sample[COLUMN[name]])
    return missing if np.isnan(value) else value


def _figure(sample: NDArray[np.float64] | None, name: str) -> str:
    value = _value(sample, name, float("nan"))
    return "-" if np.isnan(value) else f"{value:.{BY_NAME[name].decimals}f}"


def watch_run(store: RunStore, data_dir: Path, run_id: int, *, quiet: bool, own: bool = True) -> None:
    """Follows a run until it is finished or interrupted.

    In the terminal that started it (`own`) Ctrl-C asks it to stop, and a second one leaves it alone; in any other one
    it leaves it alone at once.
    """
    follower = Follower(store, run_id)
    view = TerminalRunView(follower)
    stopping = False
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
                if not own:
                    live.stop()
                    errors.print(
                        tr("Run {run} goes on without this terminal. Stop it with: rigwright stop {run}", run=run_id)
                    )
                    return
                if stopping:
                    errors.print(
                        tr("Run {run} continues without this terminal. Watch it with: rigwright watch", run=run_id)
                    )
                    return
                live.stop()
                if not may_stop(store, run_id):
                    live.start()
                    continue
                stopping = True
                store.request(run_id, "stop")
                errors.print(tr("Stopping the loads; press Ctrl-C again to leave at once."))


def may_stop(store: RunStore, run_id: int) -> bool:
    """Whether to stop it: asked in the terminal about a run that has measured for long."""
    lasted_s = store.last_time_s(run_id)
    if lasted_s <= LONG_S or not can_ask():
        return True
    try:
        return agrees(tr("Stop run {run} after {lasted}? It can be resumed.", run=run_id, lasted=duration(lasted_s)))
    except typer.Abort:  # Ctrl-C or the end of input in place of an answer
        return False


def _vanished(store: RunStore, data_dir: Path, run_id: int) -> bool:
    return any(interruption.run_id == run_id for interruption in find_interrupted(store, data_dir))


def follow_to_the_end(place: Path, run_id: int, *, as_json: bool, own: bool = True) -> ExitCode:
    """Shows a run until it has ended; returns the exit code of its verdict."""
    with closing(RunStore(place)) as store:
        watch_run(store, place, run_id, quiet=as_json, own=own)
        if as_json:
            print_json(run_as_dict(store, run_id))
        else:
            print_verdict(store, run_id)
        return exit_code_of(store, run_id)
