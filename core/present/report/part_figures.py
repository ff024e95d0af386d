"""The topic of a part: its figures, how well each is supported, what it costs and where that was read.

`rigwright parts show`, the window's card of a part, and the parts and sources of a build report are made of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from core.parts.figure import YEARS
from core.parts.figures import field_words
from core.parts.own import Correction
from core.parts.part import BESIDE, Evidence, Origin, Part, Price, Source
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.price_today import full_words, uncounted
from core.parts.specs import ConnectorCount
from core.parts.support import evidence_of, support_words
from core.present.report.document import Block, Heading, Paragraph, Tone, Words, table
from core.present.report.formatting import commas, counted_title, semicolons
from core.words import Worded, capital, plain, tr, trn
from core.words.units import UNKNOWN, quantity, unit_of

EVIDENCE_TONE = {Evidence.CONFIRMED: Tone.PASS, Evidence.UNCONFIRMED: Tone.WARN, Evidence.UNKNOWN: Tone.UNKNOWN}
MOST_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class PartFigure:
    """A figure as it is shown."""

    field: str
    """Its name in files and commands."""
    name: str
    value: str
    evidence: Evidence
    support: str
    """How well it is supported, in words."""
    sources: tuple[int, ...]
    """Numbers of the part's sources that cover it, from 1."""


def spec_fields(part: Part) -> list[str]:
    """The figures of its spec, in their order."""
    return [field for field in type(part.spec).model_fields if field != "category"]


def part_figures(part: Part, guide: PriceGuide, correction: Correction | None = None) -> Iterator[PartFigure]:
    """All figures, unknown ones too, because a gap is worth knowing; then prices, year and part numbers.

    `correction` is what the user changed of it: these figures are marked as the user's.
    """
    prices = {"price": guide.price(part), "used_price": guide.used_price(part)}
    for field in (*spec_fields(part), *BESIDE):
        evidence, support = evidence_of(part, field), support_words(part, field)
        own = is_own(part, field, correction) and evidence is not Evidence.UNKNOWN
        if isinstance(prices.get(field), Estimate):
            evidence, support = Evidence.UNCONFIRMED, tr("estimate")
        elif own:
            support = tr("{support}, your figure", support=support)
        covering = [] if evidence is Evidence.UNKNOWN or (field == "price" and own) else part.sources_of(field)
        value = _cost(prices[field], getattr(part, field)) if field in prices else _value_of(part, field, evidence)
        numbers = tuple(number for number, source in enumerate(part.sources, start=1) if source in covering)
        yield PartFigure(field, capital(field_words(field)), value, evidence, support, numbers)


def is_own(part: Part, field: str, correction: Correction | None) -> bool:
    """Whether the user gave this figure."""
    if field == "price":
        return part.price is not None and part.price.kind == "own"
    return correction is not None and field in correction.spec


def support_counts(part: Part) -> tuple[str, ...]:
    """How many figures of its spec there are of each evidence."""
    counts = Counter(evidence_of(part, field) for field in spec_fields(part))
    return (
        trn("{count} confirmed", "{count} confirmed", count=counts[Evidence.CONFIRMED]),
        trn("{count} unconfirmed", "{count} unconfirmed", count=counts[Evidence.UNCONFIRMED]),
        tr("{count} unknown", count=counts[Evidence.UNKNOWN]),
    )


def part_notes(part: Part, guide: PriceGuide, correction: Correction | None = None) -> Iterator[str]:
    """Whose the part is, what does not count of its prices, and its note, a sentence each."""
    if correction is not None:
        changed = commas(map(field_words, correction.spec)) or tr("price or note")
        yield tr("You corrected this part: {figures}.", figures=changed)
    elif part.origin is Origin.USER:
        yield tr("This is a part of your own.")
    if past := guide.past(part):
        yield uncounted([(part, past)])
    if part.note:
        yield part.note


def covered_words(source: Source) -> str:
    """The figures that a source covers, with what it says of them where that is noted; "" where it names none."""
    says = source.says or {}
    return commas(
        plain("{figure} ({value})", figure=field_words(field), value=value_words(field, says[field]))
        if field in says
        else field_words(field)
        for field in source.covered
    )


def part_blocks(part: Part, guide: PriceGuide, correction: Correction | None = None) -> Iterator[Block]:
    """All that is known of a part, with the names that commands have for its figures."""
    yield Heading(part.title)
    yield Paragraph(commas((part.category.label, part.id, *support_counts(part))))
    yield from (Paragraph(note) for note in part_notes(part, guide, correction))
    columns = (tr("Figure"), tr("Value"), tr("Evidence"), tr("Sources"), tr("In commands"))
    yield table(columns, [_row(figure) for figure in part_figures(part, guide, correction)])
    yield Heading(tr("Sources"), 2)
    heads = ("", tr("Source"), tr("Address"), tr("Covers"))
    sources = enumerate(part.sources, start=1)
    yield table(heads, [(str(number), one.title, one.url or "", covered_words(one)) for number, one in sources])


def value_words(field: str, value: object) -> str:
    """A value of a figure with its unit, all its digits as its maker gives them; unknown is said to be so."""
    match value:
        case None:
            return UNKNOWN
        case Worded():
            return value.label
        case bool():
            return tr("yes") if value else tr("no")
        case int() | float() if field in YEARS:
            return str(value)
        case int() | float():
            decimals = len(f"{value:.{MOST_DECIMALS}f}".rstrip("0").partition(".")[2])
            return quantity(value, unit_of(field), decimals=decimals)
        case ConnectorCount():
            return counted_title(value.count, value.kind.label)
        case BaseModel():
            return commas(_named(key, item) for key, item in value if item not in (None, (), False))
        case tuple() | list():
            return semicolons(value_words(field, item) for item in value) or tr("none")
        case dict():
            return commas(_beside(value_words(field, key), value_words(field, item)) for key, item in value.items())
    return str(value)


def _named(field: str, item: object) -> str:
    name = field_words(field)
    return _beside(name, value_words("" if unit_of(field) == name else field, item))


def _beside(name: str, value: str) -> str:
    return plain("{name} {value}", name=name, value=value)


def _value_of(part: Part, field: str, evidence: Evidence) -> str:
    if evidence is Evidence.UNKNOWN:
        return UNKNOWN
    value = getattr(part, field) if field in BESIDE else getattr(part.spec, field)
    return value_words(field, value)


def _row(figure: PartFigure) -> Iterable[str | Words]:
    numbers = commas(map(str, figure.sources))
    evidence = Words(figure.support, tone=EVIDENCE_TONE[figure.evidence])
    return (figure.name, figure.value, evidence, numbers, figure.field)


def _cost(price: Price | Estimate | None, listed: Price | None) -> str:
    """A price as it is shown and as it is listed, or a range with what it rests on."""
    if price is None:
        return UNKNOWN
    if isinstance(price, Estimate):
        return price.words
    words = full_words(price)
    if listed is None or listed.currency == price.currency:
        return words
    return tr("{price}; listed at {listed}", price=words, listed=full_words(listed))
