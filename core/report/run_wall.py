"""Power at the wall in a run's report: what a meter told, beside the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.burnin.verdict.predicted import PlannedRun
from core.burnin.verdict.wall import MeasuredWall, measured_wall
from core.language import tr
from core.report.document import Block, Heading, Paragraph, ReportColumn, table
from core.report.formatting import band_text
from core.report.recorded_run import RecordedRun
from core.report.run_plan import UnreadablePlan
from core.units import quantity


def wall_of_run(record: RecordedRun, plan: PlannedRun | UnreadablePlan | None) -> list[MeasuredWall]:
    """As read in the run, and as attached by now."""
    return measured_wall(record.store, record.run.id, plan.plan if isinstance(plan, PlannedRun) else None)


def wall_blocks(walls: Sequence[MeasuredWall]) -> Iterator[Block]:
    """A row for each figure; nothing where no meter told one."""
    if not walls:
        return
    yield Heading(tr("Power at the wall"))
    columns = (
        ReportColumn("", 1.3),
        ReportColumn(tr("Measured"), 1.0, numeric=True),
        ReportColumn(tr("Predicted"), 1.6, numeric=True),
        ReportColumn(tr("How"), 3.2),
    )
    yield table(columns, [_row(wall) for wall in walls])
    for wall in walls:
        if wall.attached:
            yield Paragraph(
                tr(
                    "Attached {at} from a file with the SHA-256 {sha256}. The verdict does not count it.",
                    at=wall.at[:19],
                    sha256=wall.sha256,
                )
            )
            return


def _row(wall: MeasuredWall) -> tuple[str, ...]:
    predicted = tr("no plan") if wall.predicted is None else band_text(wall.predicted)
    return (wall.load.label, quantity(wall.watts, "W", decimals=0), predicted, wall.origin)
