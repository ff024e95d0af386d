"""Plan, as built and measured, side by side: one row for each thing, with what they say of each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.asbuilt.as_built import AsBuiltLine, LineState, LineSubject
from core.burnin.verdict.plan import PlanComparison
from core.burnin.verdict.predicted import PlannedRun
from core.language import plain
from core.predict.conditions import LoadCase
from core.report.formatting import band_text
from core.report.recorded_run import RecordedRun
from core.report.run_noise import noise_of_run
from core.report.run_plan import compared, read_at_the_wall
from core.report.run_wall import wall_of_run
from core.units import number, quantity


class Agreement(StrEnum):
    """What a row says."""

    SAME = "same"
    DIFFERENT = "different"
    NOTED = "noted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One thing. `what` is a subject of the machine as built, or a word of the certificate with a number format."""

    what: str
    planned: str
    built: str
    measured: str
    agreement: Agreement
    of: str = ""
    """The number format of a rate, the distance of a level."""


_OF_STATE = {
    LineState.AS_PLANNED: Agreement.SAME,
    LineState.DIFFERENT: Agreement.DIFFERENT,
    LineState.MISSING: Agreement.DIFFERENT,
    LineState.NOT_PLANNED: Agreement.NOTED,
    LineState.NOT_SERVED: Agreement.DIFFERENT,
    LineState.NOT_READABLE: Agreement.UNKNOWN,
}
_LOADED = (LoadCase.TRAINING, LoadCase.EVERYTHING)


def plan_rows(record: RecordedRun, plan: PlannedRun | None) -> Iterator[PlanRow]:
    """The machine as built, then what was measured beside its prediction; without a plan the noise alone."""
    if plan is None:
        yield from _attached_wall(record, None)
        yield from _unplanned_noise(record)
        return
    lines = record.as_built.lines if record.as_built else ()
    for subject in LineSubject:
        yield from _of_subject(subject, [line for line in lines if line.subject is subject])
    found = [one for one in compared(plan, record) if one.load in _LOADED]
    yield from _measured("temperature", [one for one in found if one.what == "temperature_c"])
    yield from _measured("power", [one for one in found if one.what == "power_w"])
    for name in dict.fromkeys(one.what for one in found if one.is_rate):
        yield from _measured("rate", [one for one in found if one.what == name], name)
    yield _wall(record, plan)
    yield from _attached_wall(record, plan)
    yield from _noise(record, plan)


def _of_subject(subject: LineSubject, lines: Sequence[AsBuiltLine]) -> Iterator[PlanRow]:
    """Lines that say the same are one row with their number."""
    for (planned, found, state), count in Counter((line.planned, line.found, line.state) for line in lines).items():
        yield PlanRow(subject.value, _times(count, planned), _times(count, found), "", _OF_STATE[state])


def _times(count: int, thing: str) -> str:
    return plain("{count} × {thing}", count=count, thing=thing) if thing and count > 1 else thing


def _measured(what: str, found: Sequence[PlanComparison], of: str = "") -> Iterator[PlanRow]:
    """From the lowest to the highest card, in the stage that measured most of them."""
    if not found:
        return
    stage = Counter(one.stage for one in found).most_common(1)[0][0]
    here = [one for one in found if one.stage == stage]
    low, high = min(one.measured for one in here), max(one.measured for one in here)
    first = here[0].predicted
    decimals = 1 if here[0].is_rate else 0
    told = quantity(high, first.unit, decimals=decimals)
    if round(low, decimals) != round(high, decimals):
        told = plain("{low} – {high}", low=number(low, decimals), high=told)
    agreement = Agreement.DIFFERENT if any(one.suspicious for one in here) else Agreement.SAME
    yield PlanRow(what, band_text(first), "", told, agreement, of)


def _wall(record: RecordedRun, plan: PlannedRun) -> PlanRow:
    one = read_at_the_wall(plan, record)
    if one is None:
        return PlanRow("wall", band_text(plan.prediction.wall_w[LoadCase.TRAINING]), "", "", Agreement.UNKNOWN)
    agreement = Agreement.DIFFERENT if one.suspicious else Agreement.SAME
    return PlanRow("wall", band_text(one.predicted), "", quantity(one.measured, "W", decimals=0), agreement)


def _attached_wall(record: RecordedRun, plan: PlannedRun | None) -> Iterator[PlanRow]:
    """What a file told afterwards: beside the prediction, and no part of the verdict."""
    for wall in wall_of_run(record, plan):
        if wall.attached:
            row_name = "wall_file_idle" if wall.load is LoadCase.IDLE else "wall_file"
            predicted = "" if wall.predicted is None else band_text(wall.predicted)
            yield PlanRow(row_name, predicted, "", quantity(wall.watts, "W", decimals=0), Agreement.NOTED, wall.file)


def _unplanned_noise(record: RecordedRun) -> Iterator[PlanRow]:
    """What was measured although nothing was predicted."""
    for one in noise_of_run(record, None):
        what = "noise_idle" if one.load is LoadCase.IDLE else "noise"
        measured = quantity(one.level_dba, "dBA", decimals=1)
        yield PlanRow(what, "", "", measured, Agreement.NOTED, quantity(one.distance_m, "m"))


def _noise(record: RecordedRun, plan: PlannedRun) -> Iterator[PlanRow]:
    """At rest where that was measured, and in training; as a meter hears them, with the noise of the room."""
    found = {one.load: one for one in noise_of_run(record, plan)}
    for load, what in ((LoadCase.IDLE, "noise_idle"), (LoadCase.TRAINING, "noise")):
        one = found.get(load)
        if one is not None and one.predicted is not None:
            agreement = Agreement.DIFFERENT if one.too_loud else Agreement.SAME
            measured = quantity(one.level_dba, "dBA", decimals=1)
            yield PlanRow(what, band_text(one.predicted), "", measured, agreement, quantity(one.distance_m, "m"))
        elif load is LoadCase.TRAINING:
            yield PlanRow(what, band_text(plan.prediction.noise_load), "", "", Agreement.UNKNOWN, quantity(1, "m"))
