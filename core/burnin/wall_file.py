"""The file of a meter at the wall against a run: idle and load by the times of its stages, or by its own steady
phases where no run is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from core.burnin.meter_clock import has_pauses, start_on_clock, times_near
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import StageRow
from core.burnin.record.store import RunStore
from core.burnin.record.wall_facts import WallFacts
from core.burnin.verdict.predicted import LOADS
from core.errors import BadInput
from core.language import joined, tr
from core.tables.wall_table import WallTable, read_wall_table
from core.text_file import read_bytes

AT_REST = ("idle",)
UNDER_LOAD = ("soak", "resnet", "transformer", "gemm", "whole-system")
"""In this order: the stage whose load is the steadiest first."""
SHORTEST_S = 20.0
LEFT_OUT_S = 2.0
"""Before the end of a stage: its load stops a moment earlier."""
PARTS = (1 / 3, 2 / 3, 0.9)
"""Of a stage, its last ones: the shortest in which the file has two readings."""
COVERED = 0.8
PHASE_S = 60.0
STEADY_PCT, STEADY_W = 5.0, 5.0
"""A phase is steady where its readings deviate by less than this from its mean."""
APART = 1.25
"""By how much a load must be above idle to be another phase."""
NAME_LETTERS = 80


@dataclass(frozen=True, slots=True)
class Phases:
    """The lowest and the highest steady phase of a file; one of None where it has only one."""

    idle_w: float | None
    load_w: float | None


@dataclass(frozen=True, slots=True)
class MeterFile:
    """A meter's file, and how it is to be read."""

    path: Path
    column: str | None
    rated_w: float | None
    offset_s: float

    def attach(self, store: RunStore, run_id: int) -> WallTable:
        """Keeps with the run what it tells of it. Raises BadInput."""
        table = read_wall_table(self.path, self.column, self.rated_w, near=times_near(store, run_id))
        store.set_facts(run_id, facts_of_run(self.path, table, store, run_id, self.offset_s).changes())
        return table


def facts_of_run(path: Path, table: WallTable, store: RunReader, run_id: int, offset_s: float = 0.0) -> WallFacts:
    """What the file tells of a run. Raises BadInput saying why it tells nothing: both spans where they do not meet."""
    begins_s = _begin(path, table, store, run_id, offset_s)
    stages = store.stages(run_id)
    _require_overlap(path, table, store, run_id, begins_s)
    idle, load = (_level(table, stages, kinds, begins_s) for kinds in (AT_REST, UNDER_LOAD))
    if idle is None and load is None:
        raise BadInput(
            tr(
                "{file} covers no steady part of an idle or loaded stage of run {run_id}: its readings are {step:.0f} "
                "s apart, and two of them must fall into the end of such a stage.",
                file=path.name,
                run_id=run_id,
                step=table.step_s,
            )
        )
    return WallFacts(
        idle_w=idle and round(idle[1], 1),
        load_w=load and round(load[1], 1),
        load=LOADS[load[0].kind] if load else None,
        file=path.name[:NAME_LETTERS],
        sha256=sha256(read_bytes(path)).hexdigest(),
        column=table.column[:NAME_LETTERS],
        form=table.form.value,
        offset_s=offset_s,
    )


def phases_of(path: Path, table: WallTable) -> Phases:
    """By the file alone. Raises BadInput where nothing in it is steady."""
    window_s = max(PHASE_S, 3 * table.step_s)
    means = np.array(list(_steady_means(table, window_s)))
    if not len(means):
        raise BadInput(
            tr(
                "{file} has no phase of {seconds:.0f} s in which the power is steady: idle and load cannot be told "
                "apart.",
                file=path.name,
                seconds=window_s,
            )
        )
    low = float(means[means <= means.min() * 1.1 + STEADY_W].mean())
    high = float(means[means >= means.max() * (1 - STEADY_PCT / 100)].mean())
    return Phases(low, high) if high > APART * low else Phases(None, high)


def _steady_means(table: WallTable, window_s: float) -> Iterator[float]:
    first_s, last_s = table.span_s
    for start_s in np.arange(first_s, last_s - window_s + 1e-6, window_s / 2):
        mean = table.mean_w(float(start_s), float(start_s + window_s), COVERED)
        if mean is None:
            continue
        here = table.within(float(start_s), float(start_s + window_s))
        spread = float(np.abs(table.watts[here] - mean).max())
        if spread <= max(STEADY_W, mean * STEADY_PCT / 100):
            yield mean


def _begin(path: Path, table: WallTable, store: RunReader, run_id: int, offset_s: float) -> float:
    """Which time of the table, in its own seconds, is the start of the run."""
    if (table.dated or table.of_day) and has_pauses(store, run_id):
        raise BadInput(
            tr("Run {run_id} was interrupted, so the clock times of {file} do not match it.", run_id=run_id,
               file=path.name)
        )  # fmt: skip
    return start_on_clock(
        store, run_id, dated=table.dated, of_day=table.of_day, last_s=table.span_s[1], offset_s=offset_s
    )


def _require_overlap(path: Path, table: WallTable, store: RunReader, run_id: int, begins_s: float) -> None:
    first_s, last_s = (moment - begins_s for moment in table.span_s)
    lasted_s = store.last_time_s(run_id)
    if first_s < lasted_s and last_s > 0:
        return
    started = datetime.fromisoformat(store.run(run_id).started_at).timestamp()
    do_not_meet = (
        tr(
            "{file} tells of {file_from} to {file_to}, run {run_id} went from {run_from} to {run_to}: they do not "
            "meet. If the meter's clock is off or tells UTC, shift its times: {--offset} 1h, {--offset} -90m.",
            file=path.name,
            file_from=_moment(started + first_s),
            file_to=_moment(started + last_s),
            run_id=run_id,
            run_from=_moment(started),
            run_to=_moment(started + lasted_s),
        ),
        "" if table.day_sure else tr("Day and month of its dates cannot be told apart."),
    )
    raise BadInput(joined(do_not_meet))


def _moment(epoch_s: float) -> str:
    return datetime.fromtimestamp(epoch_s).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _level(
    table: WallTable, stages: Sequence[StageRow], kinds: Sequence[str], begins_s: float
) -> tuple[StageRow, float] | None:
    """The mean in the last part of the first stage that is long enough for the file's step."""
    ours = [stage for stage in stages if stage.kind in kinds and _seconds(stage) >= SHORTEST_S]
    for stage in sorted(ours, key=lambda stage: (kinds.index(stage.kind), -_seconds(stage))):
        end_s = begins_s + (stage.ended_s or 0.0)
        for part in PARTS:
            length_s = part * _seconds(stage)
            if length_s - LEFT_OUT_S < 2 * table.step_s:
                continue
            if (mean := table.mean_w(end_s - length_s, end_s - LEFT_OUT_S, COVERED)) is not None:
                return stage, mean
    return None


def _seconds(stage: StageRow) -> float:
    return 0.0 if stage.started_s is None or stage.ended_s is None else stage.ended_s - stage.started_s
