"""The verdict chapter of a run report: the outcome of machine and devices, every reason with figure and limit."""

from __future__ import annotations

from collections.abc import Iterator

from core.burnin.record.rows import MACHINE, Reason, RunStatus
from core.burnin.run.recovery import explain
from core.report.document import Badge, Block, Cell, Column, Heading, Paragraph, Tone, table
from core.report.formatting import duration
from core.report.palette import OUTCOME_BADGE
from core.report.recorded_run import RecordedRun
from core.units import quantity

_WITHOUT_VERDICT: dict[RunStatus, tuple[str, str]] = {
    RunStatus.RUNNING: (
        "RUNNING",
        "The run had not ended when this report was made. There is no verdict yet; the figures are those recorded"
        " until then.",
    ),
    RunStatus.INTERRUPTED: (
        "INTERRUPTED",
        "There is no verdict.",
    ),
    RunStatus.FINISHED: ("NO VERDICT", "The run ended without a verdict being recorded."),
}

_COLUMNS = (
    Column("Subject", 2.0),
    Column("Outcome", 1.15),
    Column("Reason", 3.6),
    Column("Measured", 1.0, numeric=True),
    Column("Limit", 1.0, numeric=True),
    Column("Source of the limit", 1.9),
)


def run_badge(record: RecordedRun) -> Badge:
    """The machine's outcome, or what the run is instead."""
    for verdict in record.verdicts:
        if verdict.device_id == MACHINE:
            return OUTCOME_BADGE[verdict.outcome]
    return Badge(_WITHOUT_VERDICT[record.run.status][0], Tone.UNKNOWN)


def verdict_blocks(record: RecordedRun) -> Iterator[Block]:
    """What was judged, machine first."""
    yield Heading("Verdict")
    if not record.verdicts:
        text = _WITHOUT_VERDICT[record.run.status][1]
        if record.run.status is RunStatus.INTERRUPTED:
            text = f"{explain(record.run, list(record.stages), record.seconds)} {text}"
        yield Paragraph(text, Tone.UNKNOWN)
        return
    yield table(_COLUMNS, list(_rows(record)))
    criteria = record.run.profile.criteria
    yield Paragraph(
        f"Criteria of the profile: at most {criteria.max_errors} wrong results; WARN within"
        f" {quantity(criteria.margin_warn_c, 'K')} of the slowdown temperature; slower than the best device of the"
        f" same model by more than {quantity(criteria.slower_than_best_warn_pct, '%')} is WARN, by more than"
        f" {quantity(criteria.slower_than_best_fail_pct, '%')} is FAIL. A stage that was not run never counts as"
        f" passed. Recorded time: {duration(record.seconds)}."
    )


def _rows(record: RecordedRun) -> Iterator[tuple[Cell, ...]]:
    for verdict in record.verdicts:
        subject = "Machine" if verdict.device_id == MACHINE else record.label(verdict.device_id)
        if not verdict.reasons:
            yield (subject, OUTCOME_BADGE[verdict.outcome], "No reason was recorded.", "", "", "")
        for number, reason in enumerate(verdict.reasons):
            yield _row(subject if number == 0 else "", reason)


def _row(subject: str, reason: Reason) -> tuple[Cell, ...]:
    measured, limit = (quantity(value, reason.unit, missing="") for value in (reason.measured, reason.limit))
    return (subject, OUTCOME_BADGE[reason.outcome], reason.text, measured, limit, reason.source)
