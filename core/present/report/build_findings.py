"""The findings chapter of a build report: what the rules say, and what they could not say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.plan.build import Build
from core.plan.missing import absent_categories
from core.present.report.document import Badge, Block, Cell, Heading, Paragraph, ReportColumn, Tone, table
from core.present.report.formatting import named
from core.rules.engine import counts_words, not_checked
from core.rules.finding import SEVERITY, Finding, Status, figure_phrase, figures_by_part
from core.words import joined, tr
from core.words.units import quantity

NOT_CHECKED = tr("Not checked, and the figures that would settle it")

_COLUMNS = (
    ReportColumn(tr("Status"), 1.05),
    ReportColumn(tr("Finding"), 3.7),
    ReportColumn(tr("Measured"), 1.15, numeric=True),
    ReportColumn(tr("Limit"), 1.15, numeric=True),
    ReportColumn(tr("Rule, basis and source"), 4.6),
)


def status_badge(status: Status) -> Badge:
    """A finding's word."""
    return Badge(status.badge, Tone(status.value))


def build_badge(build: Build, findings: Sequence[Finding]) -> Badge:
    """FAIL if anything fails; INCOMPLETE without the essential parts; otherwise the gravest of what was checked."""
    checked = [finding.status for finding in findings if finding.checked]
    worst = min(checked, key=SEVERITY.__getitem__, default=None)
    if worst is Status.FAIL:
        return status_badge(worst)
    if absent_categories(build):
        return Badge(tr("INCOMPLETE"), Tone.UNKNOWN)
    if worst is None:
        return Badge(tr("NOT CHECKED"), Tone.UNKNOWN)
    return status_badge(Status.PASS if worst is Status.NOTE else worst)


def findings_blocks(build: Build, findings: Sequence[Finding]) -> Iterator[Block]:
    """The urgent ones with everything they rest on."""
    checked = [finding for finding in findings if finding.checked]
    urgent = [finding for finding in checked if finding.status not in (Status.PASS, Status.UNKNOWN)]
    yield Heading(tr("Findings"))
    yield Paragraph(tr("{counts}.", counts=counts_words(findings)))
    yield table(_COLUMNS, [_row(build, finding) for finding in urgent], empty=tr("No failure, warning or note."))


def passed_blocks(build: Build, findings: Sequence[Finding]) -> Iterator[Block]:
    """What was checked and is in order."""
    passed = [finding for finding in findings if finding.checked and finding.status is Status.PASS]
    yield Heading(tr("What passed"))
    yield table(_COLUMNS, [_row(build, finding) for finding in passed], empty=tr("Nothing passed."))


def unchecked_blocks(build: Build, findings: Sequence[Finding]) -> Iterator[Block]:
    """What the check does not vouch for, and the figures that would settle it."""
    yield Heading(NOT_CHECKED)
    open_ = not_checked(findings)
    columns = (
        ReportColumn(tr("Status"), 1.25),
        ReportColumn(tr("Rules"), 1.8),
        ReportColumn(tr("Why"), 4.5),
        ReportColumn(tr("Missing figures"), 3.4),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            Badge(tr("NOT CHECKED"), Tone.UNKNOWN) if not finding.checked else status_badge(finding.status),
            ", ".join(finding.waiting) or finding.rule,
            finding.message,
            figure_phrase(build, finding.missing),
        )
        for finding in open_
    ]
    yield table(columns, rows, empty=tr("Every rule could be checked."))
    waiting = _waiting(open_)
    if waiting:
        yield Heading(tr("Missing figures"), 2)
        titles = ((tr("Part"), 2.6), (tr("Unknown figure"), 2.2), (tr("Would settle"), 4.0))
        shown = tuple(ReportColumn(*one) for one in titles)
        yield table(shown, _settling(build, waiting))
    rest = {figure for finding in findings for figure in finding.missing} - set(waiting)
    if rest:
        yield Heading(tr("Figures that rules answered without"), 2)
        yield Paragraph(tr("With them, answers and predictions would be more precise."))
        yield table(
            (ReportColumn(tr("Part"), 2.2), ReportColumn(tr("Unknown figures"), 5.0)), figures_by_part(build, rest)
        )


def _waiting(open_: Iterable[Finding]) -> dict[str, set[str]]:
    """Rules by the figure that they wait for."""
    waiting: dict[str, set[str]] = {}
    for finding in open_:
        for figure in finding.missing:
            waiting.setdefault(figure, set()).update(finding.waiting or (finding.rule,))
    return waiting


def _settling(build: Build, waiting: Mapping[str, set[str]]) -> list[tuple[Cell, ...]]:
    """Part, figure and the rules that wait for it: the figure that most rules wait for first."""
    rows: list[tuple[Cell, ...]] = []
    for figure in sorted(waiting, key=lambda figure: (-len(waiting[figure]), figure)):
        ((title, words),) = figures_by_part(build, (figure,))
        rows.append((title, words, ", ".join(sorted(waiting[figure]))))
    return rows


def _row(build: Build, finding: Finding) -> tuple[Cell, ...]:
    grounds = [named(finding.rule, finding.basis) if finding.basis else finding.rule]
    if finding.source:
        grounds.append(tr("Source: {source}", source=finding.source))
    if finding.unconfirmed:
        grounds.append(tr("Unconfirmed: {figures}", figures=figure_phrase(build, finding.unconfirmed)))
    return (
        status_badge(finding.status),
        finding.message,
        quantity(finding.measured, finding.unit, missing=""),
        quantity(finding.limit, finding.unit, missing=""),
        joined(grounds, "\n"),
    )
