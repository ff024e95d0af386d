"""All predictions of a planned machine in their order, what the parts cost, and what the predictions rest on."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.present.report.build_heat import heat_blocks, noise_blocks
from core.present.report.build_language_models import model_blocks
from core.present.report.build_power import energy_blocks, peak_assumptions, power_blocks
from core.present.report.build_speed import speed_blocks
from core.present.report.document import Block, Heading, KeyValues, Paragraph, ReportColumn, table
from core.present.report.formatting import bullets
from core.rules.finding import figures_by_part
from core.words import joined, listed, plain, tr
from core.words.units import number


def prediction_blocks(assessment: Assessment) -> Iterator[Block]:
    """Power, energy, temperatures, noise, speed and language models, each a band with its reasons."""
    yield from power_blocks(assessment)
    yield from energy_blocks(assessment)
    yield from heat_blocks(assessment)
    yield from noise_blocks(assessment)
    yield from speed_blocks(assessment)
    yield from model_blocks(assessment)


def price_facts(assessment: Assessment) -> Iterator[tuple[str, str]]:
    """What the parts cost, what that rests on, how it stands to the budget, and on which prices that depends."""
    yield tr("Price"), joined((assessment.price.words, *assessment.price.basis), "\n")
    if assessment.budget_words:
        yield tr("Budget"), joined((assessment.budget_words, _deciding(assessment)), "\n")


def _deciding(assessment: Assessment) -> str:
    titles = [line.part.title for line in assessment.build.lines if line.part.id in assessment.deciding_prices]
    return tr("It depends on the price of {parts}.", parts=listed(titles)) if titles else ""


def price_blocks(assessment: Assessment) -> Iterator[Block]:
    """The price, and the parts of which it is estimated or unknown."""
    price, titles = assessment.price, {line.part.id: line.part.title for line in assessment.build.lines}
    yield Heading(tr("Price of the parts"), 2, "estimate")
    yield KeyValues(tuple(price_facts(assessment)))
    if price.estimates:
        yield Paragraph(tr("Estimated parts, {count} in all:", count=number(price.estimated)), quiet=True)
        words = [plain("{part}: {price}", part=titles[part_id], price=one.words) for part_id, one in price.estimates]
        yield Paragraph(bullets(words), quiet=True)
    if price.unpriced:
        yield Paragraph(tr("Parts without a price, {count} in all:", count=number(price.unpriced)), quiet=True)
        yield Paragraph(bullets(titles[part_id] for part_id in price.unpriced_ids), quiet=True)


def assumption_blocks(assessment: Assessment) -> Iterator[Block]:
    """What the predictions rest on, but for peaks, with which that stands, and the figures they lacked."""
    prediction, speed = assessment.prediction, assessment.speed
    yield Heading(tr("What the predictions assume"), 2)
    of_peaks = peak_assumptions(prediction.excursions)
    sentences = dict.fromkeys((*prediction.assumptions, *speed.assumptions))
    assumptions = [sentence for sentence in sentences if sentence not in of_peaks]
    yield Paragraph(bullets(assumptions) or tr("Nothing."))
    if prediction.missing:
        yield Paragraph(tr("Wide defaults stand in for these unknown figures:"))
        columns = (ReportColumn(tr("Part"), 2.2), ReportColumn(tr("Unknown figures"), 5.0))
        yield table(columns, figures_by_part(assessment.build, prediction.missing))
