"""Prices in the table of lines: how they are written, typed and pasted."""

from __future__ import annotations

from datetime import date

from core.build.line import Line
from core.build.price_edits import SetPrices
from core.errors import BadInput
from core.language import joined, tr
from core.parts.amount import typed_price, written
from core.parts.part import Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide, age_of
from core.parts.price_today import PRICE_KINDS, past_price, uncounted
from gui.figures import UNKNOWN, about, price, price_of_one
from gui.planner.document import PlanDocument

USUAL_CURRENCY = "USD"


def price_text(line: Line, guide: PriceGuide) -> str:
    """What all parts of the line cost, and the month of an old price; a range where that is estimated."""
    known = guide.price(line.part)
    if isinstance(known, Estimate):
        cost = about(known.low * line.quantity, known.high * line.quantity)
    else:
        cost = price(known, line.quantity) or UNKNOWN
    return joined((cost, age_of(known, guide.today)), ", ")


def price_words(line: Line, guide: PriceGuide) -> str:
    """What one costs, since when, and how to enter another price."""
    known = guide.price(line.part)
    how = tr("Type the price of one, like 1499 USD; Ctrl+V pastes a column of prices.")
    past = past_price(line.part, guide.today)
    lines = [uncounted([(line.part, past)]), how] if past else [how]
    if known is None:
        return "\n".join([tr("No price is known."), *lines])
    if isinstance(known, Estimate):
        return "\n".join([known.words, *lines])
    words, day = price_of_one(known), known.as_of.isoformat()
    told = tr("{price} for one, {kind}, {day}", price=words, kind=PRICE_KINDS[known.kind], day=day)
    return f"{told}\n{how}"


def price_entry(line: Line) -> str:
    """The price of one as it is typed; empty where none is known."""
    known = line.part.price
    return f"{written(known.amount)} {known.currency}" if known else ""


def typed_edit(line: Line, text: str, guide: PriceGuide) -> SetPrices:
    """The change that a typed price makes; nothing typed takes the price away. Raises BadInput."""
    return SetPrices(((line.part.id, _typed(line, text, guide)),))


def pasted_edit(lines: list[Line], text: str, guide: PriceGuide) -> SetPrices:
    """The change that a pasted column makes to these lines, from the top. Raises BadInput."""
    cells = [row.split("\t")[-1].strip() for row in text.strip("\r\n").splitlines()]
    if not any(cells):
        raise BadInput(tr("The clipboard has no prices."))
    if len(cells) > len(lines):
        raise BadInput(
            tr(
                "The clipboard has {cells} rows for {lines} lines. Select as many lines.",
                cells=len(cells),
                lines=len(lines),
            )
        )
    pairs = zip(lines, cells, strict=False)
    return SetPrices(tuple((line.part.id, _typed(line, cell, guide)) for line, cell in pairs if cell))


def _typed(line: Line, text: str, guide: PriceGuide) -> Price | None:
    """In the currency that is shown, else in that of the price before, where none is typed."""
    if not text.strip():
        return None
    before = line.part.price.currency if line.part.price else USUAL_CURRENCY
    typed = typed_price(text, date.today(), guide.terms.currency or before)
    unchanged = line.part.price is not None and typed.model_dump(include={"amount", "currency"}) == (
        line.part.price.model_dump(include={"amount", "currency"})
    )
    return line.part.price if unchanged else typed


def enter_price(document: PlanDocument, line: Line, text: str) -> bool:
    """Takes a typed price into the plan; `refused` says why not."""
    try:
        return document.try_edit(typed_edit(line, text, document.assessment.guide))
    except BadInput as error:
        document.refused.emit(str(error))
        return False


def paste_prices(document: PlanDocument, lines: list[Line], text: str) -> bool:
    """Takes a pasted column of prices into the plan; `refused` says why not."""
    try:
        return document.try_edit(pasted_edit(lines, text, document.assessment.guide))
    except BadInput as error:
        document.refused.emit(str(error))
        return False
