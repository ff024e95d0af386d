"""The topic of findings: what the rules say and could not say, as report, terminal and window show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from core.advise.fit_verdict import compared
from core.plan.build import Build
from core.plan.missing import absent_categories
from core.present.report.document import Badge, Block, Cell, Heading, Paragraph, ReportColumn, Table, Tone, Words, table
from core.present.report.formatting import commas, named
from core.rules.engine import counts_words, not_checked
from core.rules.finding import SEVERITY, Finding, Status, figure_phrase, figures_by_part
from core.words import joined, plain, tr
from core.words.units import quantity

NOT_CHECKED = tr("Not checked, and the figures that would settle it")
NO_FINDING = tr("No failure, warning or note.")
UNCONFIRMED = tr("Unconfirmed figures")

_COLUMNS = (
    ReportColumn(tr("Status"), 1.05),
    ReportColumn(tr("Finding"), 3.7),
    ReportColumn(tr("Measured against limit"), 1.7, numeric=True),
    ReportColumn(tr("Basis, source and rule"), 4.9),
)


def status_badge(status: Status) -> Badge:
    """A status in its word."""
    return Badge(status.label, Tone(status.value))


def finding_badge(finding: Finding) -> Badge:
    """The word of a finding: its status, or that nothing was asked."""
    return status_badge(finding.status) if finding.checked else Badge(tr("NOT CHECKED"), Tone.UNKNOWN)


def finding_figures(finding: Finding) -> str:
    """Measured against limit: "2513 > 2200 W"; the measured figure where that is all, or both are the same."""
    measured, limit = finding.measured, finding.limit
    if measured is None or limit is None or limit == measured:
        return quantity(measured, finding.unit, missing="")
    return compared(measured, limit, finding.unit)


def finding_grounds(build: Build, finding: Finding) -> list[tuple[str, str]]:
    """What a finding rests on and lacks, each under its name."""
    grounds = (
        (tr("Basis"), finding.basis),
        (tr("Source"), finding.source),
        (tr("Slots"), commas(map(str, finding.slots))),
        (UNCONFIRMED, figure_phrase(build, finding.unconfirmed)),
        (tr("Unknown figures"), figure_phrase(build, finding.missing)),
        (tr("Rules not checked"), commas(finding.waiting)),
        (tr("Rule"), "" if finding.waiting else finding.rule),
    )
    return [(name, words) for name, words in grounds if words]


def brief_findings(findings: Iterable[Finding], below: Callable[[Finding], Iterable[str]] = lambda _: ()) -> Table:
    """Status, sentence and rule, in the order that they have; `below` are lines under each."""
    rows: list[tuple[Cell, ...]] = []
    for finding in findings:
        sentence = plain("{message}  ({rule})", message=finding.message, rule=finding.rule)
        rows.append((finding_badge(finding), Words(sentence, joined(below(finding), "\n"))))
    return table(("", ""), rows, empty=NO_FINDING)


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
    yield table(_COLUMNS, [_row(build, finding) for finding in urgent], empty=NO_FINDING)


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
            finding_badge(finding),
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
    grounds = (named(name, words) for name, words in finding_grounds(build, finding))
    return (finding_badge(finding), finding.message, finding_figures(finding), joined(grounds, "\n"))
