"""The verdict chapter of a run report: the outcome of machine and devices, every reason with figure and limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from core.burnin.record.rows import MACHINE, Outcome, Reason, Run, RunStatus
from core.burnin.run.recovery import explain
from core.burnin.verdict.causes import Cause
from core.burnin.verdict.states import condition_of
from core.present.report.document import Badge, Block, Cell, Heading, Paragraph, ReportColumn, Table, Tone, Words, table
from core.present.report.formatting import commas, duration, named, semicolons
from core.present.report.palette import OUTCOME_BADGE
from core.present.report.recorded_run import RecordedRun, RunCard
from core.present.report.statement import CHANGED
from core.words import clock, joined, tr, trn
from core.words.units import quantity

_WITHOUT_VERDICT: dict[RunStatus, tuple[str, str]] = {
    RunStatus.RUNNING: (
        tr("RUNNING"),
        tr(
            "The run had not ended when this report was made. There is no verdict yet; the "
            "figures are those recorded until then."
        ),
    ),
    RunStatus.INTERRUPTED: (tr("INTERRUPTED"), tr("There is no verdict.")),
    RunStatus.FINISHED: (tr("NO VERDICT"), tr("The run ended without a verdict being recorded.")),
    RunStatus.IMPORTED: (tr("NOT JUDGED"), tr("It is the log of another tool, which nobody judges.")),
}

_CAUSES = (
    ReportColumn("", 0.4),
    ReportColumn(tr("Outcome"), 1.5),
    ReportColumn(tr("Cause"), 3.8),
    ReportColumn(tr("Where"), 2.6),
    ReportColumn(tr("What to do"), 3.0),
)
_DEVICES = (
    ReportColumn(tr("Device"), 2.6),
    ReportColumn(tr("Verdict"), 1.5),
    ReportColumn(tr("State"), 1.2),
    ReportColumn(tr("Errors"), 2.6),
    ReportColumn(tr("First at"), 0.9, numeric=True),
)
_REASONS = (
    ReportColumn(tr("Cause"), 0.8),
    ReportColumn(tr("Subject"), 1.35),
    ReportColumn(tr("Outcome"), 1.5),
    ReportColumn(tr("Reason"), 4.3),
    ReportColumn(tr("Measured"), 1.4, numeric=True),
    ReportColumn(tr("Limit"), 1.4, numeric=True),
    ReportColumn(tr("Source of the limit"), 1.7),
)

_BRIEF = (ReportColumn(""), ReportColumn(""))
MOST_FOLDED = 3
"""Reasons that are shown under a cause in brief; the report has all."""


def run_badge(run: Run, outcome: Outcome | None, *, changed: bool = False) -> Badge:
    """The word for a run: the machine's outcome, or what it has instead; of one that was changed since it was sealed
    that alone."""
    if changed:
        return Badge(CHANGED, Tone.FAIL)
    status = RunStatus.IMPORTED if run.imported else run.status
    if outcome is None or status in (RunStatus.IMPORTED, RunStatus.RUNNING):
        return Badge(_WITHOUT_VERDICT[status][0], Tone.UNKNOWN)
    return OUTCOME_BADGE[outcome]


def verdict_blocks(record: RecordedRun) -> Iterator[Block]:
    """What was judged, machine first."""
    yield Heading(tr("Verdict"))
    if not record.verdicts:
        text = _WITHOUT_VERDICT[record.run.status][1]
        if record.run.status is RunStatus.INTERRUPTED:
            text = joined((explain(record.run, list(record.stages), record.seconds), text))
        yield Paragraph(text, Tone.UNKNOWN)
        return
    yield table(_DEVICES, list(_device_rows(record)))
    yield Heading(tr("Reasons, causes first"), 2)
    yield table(_REASONS, [*_explained(record), *_passed(record)])
    criteria = record.run.profile.criteria
    yield Paragraph(
        tr(
            "Criteria of the profile: at most {errors} wrong results; WARN within {margin} of the slowdown "
            "temperature; slower than the best device of the same model by more than {warn} is WARN, by more than "
            "{fail} is FAIL. A stage that was not run never counts as passed. Recorded time: {duration}.",
            errors=criteria.max_errors,
            margin=quantity(criteria.margin_warn_c, "K"),
            warn=quantity(criteria.slower_than_best_warn_pct, "%"),
            fail=quantity(criteria.slower_than_best_fail_pct, "%"),
            duration=duration(record.seconds),
        )
    )


def cause_blocks(record: RecordedRun) -> Iterator[Block]:
    """Why it did not pass, each cause told once; nothing for a run that passed or goes on without a fault."""
    if record.causes:
        yield Heading(tr("Causes"))
        yield cause_table(record.causes, record.cards)


def cause_table(causes: Sequence[Cause], cards: Sequence[RunCard]) -> Table:
    """The causes, numbered, with what to do and by what a hand finds the cards."""
    places = {card.device.id: card.where for card in cards}
    rows: list[tuple[Cell, ...]] = []
    for number, cause in enumerate(causes, 1):
        where = joined([places[device_id] for device_id in cause.devices], "\n") or tr("the machine")
        rows.append((str(number), OUTCOME_BADGE[cause.outcome], cause.text, where, cause.action))
    return table(_CAUSES, rows)


def cause_sentence(cause: Cause, where: Mapping[str, str] = MappingProxyType({})) -> str:
    """What it is, by what a hand finds the device if it is only one, and what to do. `where` is by device id."""
    place = where.get(cause.devices[0], "") if len(cause.devices) == 1 else ""
    return joined((cause.text, tr("{place}.", place=place) if place else "", cause.action))


def passed_words(count: int) -> str:
    """How many checks passed; "" for none."""
    return trn("{count} check passed", "{count} checks passed", count=count) if count else ""


def reason_figures(reason: Reason) -> str:
    """ "measured 71.5 °C, limit 83 °C"; what is not known is left out."""
    measured, limit = (quantity(value, reason.unit, missing="") for value in (reason.measured, reason.limit))
    figures = (tr("measured {figure}", figure=measured), tr("limit {figure}", figure=limit))
    return commas(words for words, figure in zip(figures, (measured, limit), strict=True) if figure)


def brief_blocks(record: RecordedRun) -> Iterator[Block]:
    """The verdict in a few lines: on the machine, why it did not pass and what to do, then on each device.

    What passed is listed of one device; of several it would push the causes off the screen and is counted.
    """
    mark = tr("SIMULATED: nothing here was measured") if record.run.simulated else ""
    if record.outcome is None:
        words = tr("Run {run} has no verdict: it is {status}.", run=record.run.id, status=record.run.status.label)
        yield Paragraph(joined((words, mark), "  "))
        return
    yield table(_BRIEF, [(OUTCOME_BADGE[record.outcome], joined((tr("Machine"), mark), "  "))])
    if record.causes:
        yield table(_BRIEF, [_brief_cause(record, cause) for cause in record.causes])
    yield from (Paragraph(card.sentence) for card in (record.as_built.left_out if record.as_built else ()))
    rows: list[tuple[Cell, ...]] = []
    for card in record.cards:
        if card.outcome is None:
            continue
        place = named(commas((card.device.label, card.slot_words)), card.device.title)
        alone = len(record.cards) == 1
        passed = "" if alone else passed_words(len(card.passed))
        rows.append((OUTCOME_BADGE[card.outcome], semicolons((place, passed))))
        rows += [(OUTCOME_BADGE[Outcome.PASS], text) for text in card.passed if alone]
    if rows:
        yield table(_BRIEF, rows)


def _brief_cause(record: RecordedRun, cause: Cause) -> tuple[Cell, ...]:
    reasons = [one for one in cause.folded if cause.spoken is None or one.reason.text != cause.spoken.text]
    lines: list[str] = []
    for one in reasons[:MOST_FOLDED]:
        label = "" if one.device_id == MACHINE else record.device(one.device_id).label
        lines.append(named(label, one.reason.text) if label else one.reason.text)
    if (more := len(reasons) - MOST_FOLDED) > 0:
        lines.append(
            trn("and {count} more reason, in the report", "and {count} more reasons, in the report", count=more)
        )
    where = {card.device.id: card.where for card in record.cards}
    return (OUTCOME_BADGE[cause.outcome], Words(cause_sentence(cause, where), joined(lines, "\n")))


def _device_rows(record: RecordedRun) -> Iterator[tuple[Cell, ...]]:
    for verdict in record.verdicts:
        if verdict.device_id == MACHINE:
            yield (tr("Machine"), OUTCOME_BADGE[verdict.outcome], "", "", "")
            continue
        errors = record.errors[verdict.device_id]
        results = [result for (_, device_id), result in record.results.items() if device_id == verdict.device_id]
        state = condition_of(errors, results, verdict).label
        first = "" if errors.first_at_s is None else clock(errors.first_at_s)
        short, label = record.short_label(verdict.device_id), record.label(verdict.device_id)
        name = label if short == label else named(short, label)
        yield (name, OUTCOME_BADGE[verdict.outcome], state, errors.words, first)


def _explained(record: RecordedRun) -> Iterator[tuple[Cell, ...]]:
    """The reasons that did not pass, under the number of the cause that explains them."""
    for number, cause in enumerate(record.causes, 1):
        for place, folded in enumerate(cause.folded):
            yield _row(record, str(number) if place == 0 else "", folded.device_id, folded.reason)


def _passed(record: RecordedRun) -> Iterator[tuple[Cell, ...]]:
    for verdict in record.verdicts:
        for reason in verdict.own_reasons:
            if reason.outcome is Outcome.PASS:
                yield _row(record, "", verdict.device_id, reason)


def _row(record: RecordedRun, number: str, device_id: str, reason: Reason) -> tuple[Cell, ...]:
    subject = tr("Machine") if device_id == MACHINE else record.short_label(device_id)
    measured, limit = (quantity(value, reason.unit, missing="") for value in (reason.measured, reason.limit))
    return (number, subject, OUTCOME_BADGE[reason.outcome], reason.text, measured, limit, reason.source)
