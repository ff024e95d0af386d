"""Power at the wall beside its prediction, idle and under load: what the run read itself, and what was attached later
from the file of a meter. What is attached changes no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.build.build import Build
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Run
from core.burnin.record.wall_facts import WallFacts, attached_at, attached_loads, wall_of
from core.burnin.verdict.predicted import LOADS, PlannedRun
from core.burnin.verdict.wall import AT_REST, UNDER_LOAD, read_wall, steady_stage
from core.language import joined, tr
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.tables.wall_columns import WallForm
from core.units import quantity


@dataclass(frozen=True, slots=True)
class MeasuredWall:
    """A figure at the wall, and what is predicted there."""

    load: LoadCase
    watts: float
    origin: str
    """Whose figure it is: a wall meter, the machine's own, or a file with its column and digest."""
    attached: bool
    """Whether a user attached it: the verdict knows nothing of it."""
    predicted: Band | None = None
    file: str = ""
    sha256: str = ""
    """Of the file."""
    at: str = ""
    """When it was attached, UTC."""

    @property
    def place(self) -> str:
        """ "above the 400 to 500 W predicted"; "" without a prediction."""
        band = self.predicted
        if band is None:
            return ""
        ends = {"low": f"{band.low:.0f}", "high": f"{band.high:.0f}"}
        if self.watts > band.high:
            return tr("above the {low} to {high} W predicted", **ends)
        if self.watts < band.low:
            return tr("below the {low} to {high} W predicted", **ends)
        return tr("within the {low} to {high} W predicted", **ends)

    @property
    def sentence(self) -> str:
        """ "At the wall in training: 1,840 W, above the 1,500 to 1,700 W predicted (plug.csv, Power)." """
        fields = {"load": self.load.phrase, "watts": quantity(self.watts, "W", decimals=0), "origin": self.origin}
        if self.predicted is None:
            return tr("At the wall {load}: {watts} ({origin}).", **fields)
        return tr("At the wall {load}: {watts}, {place} ({origin}).", place=self.place, **fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "load": self.load.value,
            "measured_w": round(self.watts, 1),
            "origin": self.origin,
            "attached": self.attached,
            "file_sha256": self.sha256 or None,
            "attached_at": self.at or None,
            "predicted": self.predicted and self.predicted.as_dict(),
        }


def measured_wall(store: RunReader, run_id: int, plan: Build | None) -> list[MeasuredWall]:
    """The run's own figures first; empty where there are none. A simulated run draws no power."""
    run = store.run(run_id)
    if run.simulated:
        return []
    bands = predicted_wall(plan, run) if plan is not None else {}
    changes = store.fact_changes(run_id)
    facts = wall_of(changes)
    return [*_recorded(store, run_id, bands), *(_attached(facts, attached_at(changes), bands) if facts else ())]


def predicted_wall(plan: Build, run: Run) -> Mapping[LoadCase, Band]:
    """In the room of the run."""
    return PlannedRun(plan, room_c=run.profile.criteria.room_c).prediction.wall_w


def of_file(facts: WallFacts, bands: Mapping[LoadCase, Band]) -> list[MeasuredWall]:
    """What a file tells, before it is attached."""
    return list(_attached(facts, "", bands))


def _recorded(store: RunReader, run_id: int, bands: Mapping[LoadCase, Band]) -> Iterator[MeasuredWall]:
    wall = read_wall(store, run_id)
    stages = store.stages(run_id)
    for kinds in (AT_REST, UNDER_LOAD):
        if (steady := steady_stage(stages, wall.measured, kinds)) is not None:
            load = LOADS[steady[0].kind]
            yield MeasuredWall(load, steady[1], wall.origin, False, bands[load] if bands else None)


def _attached(facts: WallFacts, at: str, bands: Mapping[LoadCase, Band]) -> Iterator[MeasuredWall]:
    origin = _origin(facts)
    for load, watts in attached_loads(facts).items():
        band = bands[load] if bands else None
        yield MeasuredWall(load, watts, origin, True, band, facts.file, facts.sha256, at)


def _origin(facts: WallFacts) -> str:
    form = WallForm(facts.form).words if facts.form in list(WallForm) else ""
    offset = tr("clock shifted by {seconds:g} s", seconds=facts.offset_s) if facts.offset_s else ""
    return joined([part for part in (facts.file, facts.column, form, offset) if part], ", ")
