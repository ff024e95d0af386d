"""How loud the machine was: measured levels beside the prediction, or that nobody measured any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.burnin.verdict.noise import NOT_MEASURED, MeasuredNoise, measured_noise
from core.burnin.verdict.predicted import PlannedRun
from core.language import tr
from core.report.document import Badge, Block, Heading, Paragraph, ReportColumn, Tone, table
from core.report.formatting import band_text
from core.report.recorded_run import RecordedRun
from core.report.run_plan import UnreadablePlan
from core.units import quantity

SIMULATED = tr("NOT RUN: simulated devices make no noise.")


def noise_of_run(record: RecordedRun, plan: PlannedRun | UnreadablePlan | None) -> list[MeasuredNoise]:
    """As told or recorded by now."""
    return measured_noise(record.store, record.run.id, plan.plan if isinstance(plan, PlannedRun) else None)


def noise_blocks(record: RecordedRun, found: Sequence[MeasuredNoise]) -> Iterator[Block]:
    """A row for rest and for training."""
    yield Heading(tr("Noise"))
    if not found:
        yield Paragraph(SIMULATED if record.run.simulated else NOT_MEASURED, Tone.UNKNOWN)
        return
    columns = (
        ReportColumn("", 1.4),
        ReportColumn(tr("Measured"), 1.1, numeric=True),
        ReportColumn(tr("At"), 0.7, numeric=True),
        ReportColumn(tr("How"), 1.6),
        ReportColumn(tr("Predicted in the room"), 1.8, numeric=True),
        ReportColumn("", 1.0),
    )
    yield table(columns, [_row(one) for one in found])


def _row(one: MeasuredNoise) -> tuple[str | Badge, ...]:
    load = one.load.label
    measured, distance = quantity(one.level_dba, "dBA", decimals=1), quantity(one.distance_m, "m")
    if one.predicted is None:
        return (load, measured, distance, one.origin, tr("no plan"), "")
    badge = Badge(tr("above"), Tone.WARN) if one.too_loud else Badge(tr("not above"), Tone.PASS)
    return (load, measured, distance, one.origin, band_text(one.predicted), badge)
