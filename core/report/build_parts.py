"""The parts chapter of a build report, which figures lack a source, and the list of sources."""

from __future__ import annotations

from collections.abc import Iterator

from core.build.build import Build, Line, is_card
from core.build.slots import slot_at
from core.parts.figures import field_words
from core.parts.part import Evidence, Part, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.vocabulary import Category
from core.report.document import Block, Cell, Column, Heading, Paragraph, table
from core.units import UNKNOWN, number, quantity


def parts_blocks(build: Build, guide: PriceGuide) -> Iterator[Block]:
    """One row per line, in the order of the categories."""
    yield Heading("Parts")
    columns = (
        Column("Category", 1.3),
        Column("Part", 3.4),
        Column("Qty", 0.6, numeric=True),
        Column("Slots", 1.8),
        Column("Price each", 1.7, numeric=True),
        Column("Figures", 1.9),
    )
    rows = [_part_row(build, line, guide) for line in ordered(build)]
    yield table(columns, rows, empty="The build has no part yet.")


def evidence_blocks(build: Build) -> Iterator[Block]:
    """Figures that rest on general knowledge; nothing where all known figures have a source."""
    rows = [
        (line.part.title, ", ".join(field_words(field) for field in fields))
        for line in ordered(build)
        if (fields := _fields(line.part, Evidence.UNCONFIRMED))
    ]
    if not rows:
        return
    yield Heading("Figures without a confirmed source", 2)
    yield Paragraph("These figures are general knowledge. A finding that rests on them names them.")
    yield table((Column("Part", 2.2), Column("Unconfirmed figures", 5.0)), rows)


def source_blocks(build: Build) -> Iterator[Block]:
    """Where the confirmed figures of each part were read."""
    yield Heading("Sources of the parts' figures")
    columns = (Column("Part", 2.2), Column("Source", 2.4), Column("Address", 3.6), Column("Covers", 2.0))
    rows: list[tuple[Cell, ...]] = []
    for line in ordered(build):
        title = line.part.title
        addressed = [source for source in line.part.sources if source.url]
        for source in addressed:
            covers = ", ".join(field_words(field) for field in source.covered) or "all other figures"
            rows.append((title, source.title, source.url or "", covers))
            title = ""
        if not addressed:
            rows.append((title, "general knowledge, not confirmed", "", ""))
    yield table(columns, rows, empty="The build has no part yet.")


def price_text(price: Price | Estimate | None) -> str:
    """Amount, currency, kind and month; a range that is named an estimate; "unknown" without either."""
    if price is None:
        return UNKNOWN
    if isinstance(price, Estimate):
        amounts = f"{number(price.low, 0)} to {number(price.high, 0)}\N{NO-BREAK SPACE}{price.currency}"
        return f"about {amounts}\nestimated from {price.parts} parts"
    return f"{number(price.amount, 2)}\N{NO-BREAK SPACE}{price.currency}\n{price.kind}, {price.as_of:%Y-%m}"


def ordered(build: Build) -> list[Line]:
    """The lines in the order of the categories."""
    order = list(Category)
    return sorted(build.lines, key=lambda line: order.index(line.part.category))


def _part_row(build: Build, line: Line, guide: PriceGuide) -> tuple[Cell, ...]:
    part = line.part
    limit = f"\nlimited to {quantity(line.power_limit_w, 'W')} each" if line.power_limit_w is not None else ""
    return (
        part.category.label,
        f"{part.title}\n{part.id}{limit}",
        str(line.quantity),
        _slots_text(build, line),
        price_text(guide.price(part)),
        _evidence_text(part),
    )


def _slots_text(build: Build, line: Line) -> str:
    if not is_card(line.part):
        return ""
    places = [
        f"{_place(build, position)}{', on a riser' if position in line.risers else ''}" for position in line.slots
    ]
    waiting = line.quantity - len(line.slots)
    return "\n".join([*places, *([f"{waiting} not placed"] if waiting else [])])


def _place(build: Build, position: int) -> str:
    slot = slot_at(build, position)
    return f"{position} ({slot.label})" if slot else f"{position} (not on this board)"


def _evidence_text(part: Part) -> str:
    counts = {evidence: len(_fields(part, evidence)) for evidence in Evidence}
    said = [f"{counts[Evidence.CONFIRMED]} confirmed"]
    said += [f"{counts[evidence]} {evidence.value}" for evidence in (Evidence.UNCONFIRMED, Evidence.UNKNOWN)]
    return "\n".join(said)


def _fields(part: Part, evidence: Evidence) -> list[str]:
    """Names of the spec's figures with that evidence, in the spec's order. Empty lists are no figures."""
    names = [name for name in type(part.spec).model_fields if name != "category"]
    return [name for name in names if part.evidence(name) is evidence and getattr(part.spec, name) != ()]
