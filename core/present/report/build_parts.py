"""The parts chapter of a build report, which figures lack a source, and the list of sources."""

from __future__ import annotations

from collections.abc import Iterator

from core.parts.attribution import due_for
from core.parts.figures import field_words
from core.parts.part import Evidence, Part, Price
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_guide import PriceGuide
from core.parts.price_today import PRICE_KINDS, dated_words, full_words
from core.parts.support import evidence_of
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.hosts import hosts_text
from core.plan.line import Line, Role, is_card
from core.plan.line_words import condition_words, free_words, role_words
from core.plan.missing import seatless_words
from core.plan.slots import slot_at
from core.present.report.document import Block, Cell, Heading, Paragraph, ReportColumn, table
from core.present.report.formatting import commas, semicolons
from core.present.report.part_figures import covered_words, spec_fields, support_counts
from core.words import joined, plain, tr
from core.words.units import UNKNOWN, number, quantity


def parts_blocks(build: Build, guide: PriceGuide) -> Iterator[Block]:
    """One row per line, in the order of the categories."""
    yield Heading(tr("Parts"))
    columns = (
        ReportColumn(tr("Category"), 1.3),
        ReportColumn(tr("Part"), 3.4),
        ReportColumn(tr("Qty"), 0.6, numeric=True),
        ReportColumn(tr("Slots"), 1.8),
        ReportColumn(tr("Unit price"), 1.7, numeric=True),
        ReportColumn(tr("Figures"), 1.9),
    )
    rows = [_part_row(build, line, guide) for line in ordered(build)]
    yield table(columns, rows, empty=tr("The build has no parts yet."))


def evidence_blocks(build: Build) -> Iterator[Block]:
    """Figures that no source confirms of the part itself; nothing where all known figures have one."""
    rows = [
        (line.part.title, commas(field_words(field) for field in fields))
        for line in ordered(build)
        if (fields := _unconfirmed(line.part))
    ]
    if not rows:
        return
    yield Heading(tr("Figures without a confirmed source"), 2)
    yield Paragraph(
        tr(
            "These figures are general knowledge, or were read of the chip or of another part. A finding that rests on "
            "them names them."
        )
    )
    yield table((ReportColumn(tr("Part"), 2.2), ReportColumn(tr("Unconfirmed figures"), 5.0)), rows)


def source_blocks(build: Build) -> Iterator[Block]:
    """Where the confirmed figures of each part were read."""
    yield Heading(tr("Sources of the parts' figures"))
    columns = (
        ReportColumn(tr("Part"), 2.2),
        ReportColumn(tr("Source"), 2.4),
        ReportColumn(tr("Address"), 3.6),
        ReportColumn(tr("Covers"), 2.0),
    )
    rows: list[tuple[Cell, ...]] = []
    for line in ordered(build):
        title = line.part.title
        addressed = [source for source in line.part.sources if source.url]
        for source in addressed:
            covers = covered_words(source) or tr("all other figures")
            rows.append((title, source.title, source.url or "", covers))
            title = ""
        if not addressed:
            rows.append((title, tr("general knowledge, not confirmed"), "", ""))
    yield table(columns, rows, empty=tr("The build has no parts yet."))
    if bulk := due_for(line.part for line in build.lines):
        yield Paragraph(tr("Contains information from {sources}.", sources=semicolons(one.words for one in bulk)))


def _price_text(build: Build, line: Line, guide: PriceGuide) -> str:
    """Whether it is used or owned; beneath it what the maker asked, where that is no price of today."""
    if free := free_words(build, line, guide.today):
        return free
    part, condition = line.part, build.condition_of(line, guide.today)
    price = guide.price(part, condition)
    sold = isinstance(price, Estimate) and price.basis is Basis.USED_BAND
    past = None if sold else guide.past(part)
    past_words = plain("({price})", price=dated_words(past, guide.today)) if past else ""
    return joined((price_text(price), condition_words(build, line, guide), past_words), "\n")


def price_text(price: Price | Estimate | None) -> str:
    """Amount, currency, kind and month; a range that is named an estimate; "unknown" without either."""
    if price is None:
        return UNKNOWN
    if isinstance(price, Estimate):
        if price.basis is Basis.USED_BAND:
            return joined((tr("about {price}", price=price.span()), f"{price.until:%Y-%m}"), ", ")
        if price.own is not None:
            return tr("about {prices}\nestimated from {price}", prices=price.span(), price=full_words(price.own))
        return tr("about {prices}\nestimated from {parts} parts", prices=price.span(), parts=price.parts)
    return plain(
        "{amount}\N{NO-BREAK SPACE}{currency}\n{kind}, {month}",
        amount=number(price.amount, 2),
        currency=price.currency,
        kind=PRICE_KINDS[price.kind],
        month=f"{price.as_of:%Y-%m}",
    )


def ordered(build: Build) -> list[Line]:
    """The lines in the order of the categories."""
    order = list(Category)
    return sorted(build.lines, key=lambda line: order.index(line.part.category))


def _part_row(build: Build, line: Line, guide: PriceGuide) -> tuple[Cell, ...]:
    part = line.part
    limit = tr("limited to {limit} each", limit=quantity(line.power_limit_w, "W")) if line.power_limit_w else ""
    role = role_words(build, line) if build.role(part.id) is not Role.WORKER else ""
    return (
        part.category.label,
        joined((part.title, part.id, limit, role), "\n"),
        str(line.quantity),
        _slots_text(build, line),
        _price_text(build, line, guide),
        joined(support_counts(part), "\n"),
    )


def _slots_text(build: Build, line: Line) -> str:
    if line.part.category is Category.CARRIER:
        return hosts_text(line)
    if not is_card(line.part) and not line.slots:
        return ""
    places = [_place(build, position, position in line.risers) for position in line.slots]
    waiting = line.quantity - len(line.slots)
    return joined([*places, *([seatless_words(build, waiting)] if waiting else [])], "\n")


def _place(build: Build, position: int, on_riser: bool) -> str:
    slot = slot_at(build, position)
    place = f"{position} ({slot.label})" if slot else tr("{slot} (not on this board)", slot=position)
    return tr("{slot}, on a riser", slot=place) if on_riser else place


def _unconfirmed(part: Part) -> list[str]:
    return [field for field in spec_fields(part) if evidence_of(part, field) is Evidence.UNCONFIRMED]
