"""One page of a build for whoever decides: parts and total first, then what it draws, how loud it is, what fails."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.parts.part import Condition, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import age_of
from core.parts.price_today import USED
from core.plan.line import Line
from core.plan.line_words import free_words
from core.predict.conditions import LoadCase
from core.present.report.build_findings import build_badge, finding_badge
from core.present.report.build_heat import loudness
from core.present.report.build_parts import ordered
from core.present.report.document import Block, Cell, Document, Heading, KeyValues, Paragraph, ReportColumn, table
from core.present.report.formatting import band_text, utc_now
from core.rules.engine import counts_words
from core.rules.finding import SEVERITY, Finding, Status
from core.version import __version__
from core.words import joined, plain, tr
from core.words.units import UNKNOWN, number

MOST_FINDINGS = 4
_URGENT = (Status.FAIL, Status.WARN)


def one_page(assessment: Assessment) -> Document:
    """A document of one A4 page for a usual build; many different parts make it longer."""
    build = assessment.build
    return Document(
        kind="build",
        title=build.name,
        subtitle=tr("Parts, price and what to expect"),
        generated_at=utc_now(),
        version=__version__,
        simulated=False,
        badge=build_badge(build, assessment.findings),
        blocks=tuple(_blocks(assessment)),
    )


def _blocks(assessment: Assessment) -> Iterator[Block]:
    prediction = assessment.prediction
    columns = (
        ReportColumn(tr("Type"), 1.4),
        ReportColumn(tr("Part"), 5.0),
        ReportColumn(tr("Qty"), 0.6, numeric=True),
        ReportColumn(tr("Each"), 1.5, numeric=True),
        ReportColumn(tr("Total"), 1.6, numeric=True),
    )
    yield table(
        columns, [_row(assessment, line) for line in ordered(assessment.build)], empty=tr("The build has no parts yet.")
    )
    facts = [
        (tr("Price"), assessment.price.dated_words),
        *(((tr("Budget"), assessment.budget_words),) if assessment.budget_words else ()),
        (tr("In training"), tr("{power} at the wall", power=band_text(prediction.wall_w[LoadCase.TRAINING]))),
        (tr("Idle"), tr("{power} at the wall", power=band_text(prediction.wall_w[LoadCase.IDLE]))),
        (tr("Noise in training"), loudness(prediction.noise_load)),
    ]
    if prediction.heat.hottest is not None:
        facts.append((tr("Hottest GPU"), band_text(prediction.heat.hottest.temperature_c)))
    facts.append((tr("Findings"), counts_words(assessment.findings)))
    yield KeyValues(tuple(facts))
    yield from _finding_blocks(assessment.findings)


def _finding_blocks(findings: tuple[Finding, ...]) -> Iterator[Block]:
    urgent = sorted((one for one in findings if one.status in _URGENT), key=lambda one: SEVERITY[one.status])
    if not urgent:
        return
    yield Heading(tr("Before you buy"), 2)
    rows: list[tuple[Cell, ...]] = [(finding_badge(one), one.message) for one in urgent[:MOST_FINDINGS]]
    yield table((ReportColumn("", 0.6), ReportColumn("", 8.0)), rows)
    if (left := len(urgent) - MOST_FINDINGS) > 0:
        yield Paragraph(tr("{count} more in the full report.", count=left))


def _row(assessment: Assessment, line: Line) -> tuple[Cell, ...]:
    if free := free_words(assessment.build, line, assessment.guide.today):
        return (line.part.category.label, line.part.title, str(line.quantity), free, "")
    condition = assessment.build.condition_of(line, assessment.guide.today)
    price = assessment.guide.price(line.part, condition)
    each, whole = (_amount(price, count) for count in (1, line.quantity))
    each = joined((each, age_of(price, assessment.guide.today)), ", ")
    if condition is Condition.USED and not (isinstance(price, Price) and price.kind == USED):
        each = joined((each, condition.label), ", ")
    return (line.part.category.label, line.part.title, str(line.quantity), each, whole)


def _amount(price: Price | Estimate | None, count: int) -> str:
    if isinstance(price, Estimate):
        return tr("about {price}", price=price.span(count))
    if price is None:
        return UNKNOWN
    return plain("{amount} {currency}", amount=number(price.amount * count, 2), currency=price.currency)
