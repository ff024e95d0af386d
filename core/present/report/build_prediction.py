"""All predictions of a planned machine in their order, what the parts cost, and what the predictions rest on."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.present.report.build_heat import heat_blocks, noise_blocks
from core.present.report.build_power import energy_blocks, peak_assumptions, power_blocks
from core.present.report.build_speed import speed_blocks
from core.present.report.document import Block, Heading, KeyValues, Paragraph, ReportColumn, table
from core.present.report.formatting import bullets
from core.rules.figure_names import figures_by_part
from core.words import joined, listed, plain, tr
from core.words.units import number


def prediction_blocks(known: Assessment) -> Iterator[Block]:
    """Power, energy, temperatures, noise and speed, each a band with its reasons."""
    yield from power_blocks(known)
    yield from energy_blocks(known)
    yield from heat_blocks(known)
    yield from noise_blocks(known)
    yield from speed_blocks(known)


def price_facts(known: Assessment) -> Iterator[tuple[str, str]]:
    """What the parts cost, what that rests on, how it stands to the budget, and on which prices that depends."""
    yield tr("Price"), joined((known.price.words, *known.price.basis), "\n")
    if known.budget_words:
        yield tr("Budget"), joined((known.budget_words, _deciding(known)), "\n")


def _deciding(known: Assessment) -> str:
    titles = [line.part.title for line in known.build.lines if line.part.id in known.deciding_prices]
    if not titles:
        return ""
    return tr("It depends on the price of {parts}: give your own with parts set ID --price.", parts=listed(titles))


def price_blocks(known: Assessment) -> Iterator[Block]:
    """The price, and the parts of which it is estimated or unknown."""
    price, titles = known.price, {line.part.id: line.part.title for line in known.build.lines}
    yield Heading(tr("Price of the parts"), 2, "estimate")
    yield KeyValues(tuple(price_facts(known)))
    if price.estimates:
        yield Paragraph(tr("Estimated parts, {count} in all:", count=number(price.estimated)), quiet=True)
        words = [plain("{part}: {price}", part=titles[part_id], price=one.words) for part_id, one in price.estimates]
        yield Paragraph(bullets(words), quiet=True)
    if price.unpriced:
        yield Paragraph(tr("Parts without a price, {count} in all:", count=number(price.unpriced)), quiet=True)
        yield Paragraph(bullets(titles[part_id] for part_id in price.unpriced_ids), quiet=True)


def assumption_blocks(known: Assessment) -> Iterator[Block]:
    """What the predictions rest on, but for peaks, with which that stands, and the figures they lacked."""
    prediction, speed = known.prediction, known.speed
    yield Heading(tr("What the predictions assume"), 2)
    of_peaks = peak_assumptions(prediction.excursions)
    told = dict.fromkeys((*prediction.assumptions, *speed.assumptions))
    assumptions = [sentence for sentence in told if sentence not in of_peaks]
    yield Paragraph(bullets(assumptions) or tr("Nothing."))
    if prediction.missing:
        yield Paragraph(tr("Wide defaults stand in for these unknown figures:"))
        columns = (ReportColumn(tr("Part"), 2.2), ReportColumn(tr("Unknown figures"), 5.0))
        yield table(columns, figures_by_part(known.build, prediction.missing))
