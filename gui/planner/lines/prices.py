"""Prices in the table of lines: how they are written, typed and pasted."""

from __future__ import annotations

from datetime import date

from core.parts.money import USUAL, typed_price, written
from core.parts.part import Condition, Price
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_guide import PriceGuide, age_of
from core.parts.price_today import PRICE_KINDS, full_words, uncounted
from core.plan.build import Build
from core.plan.line import Line
from core.plan.line_words import condition_words, free_words
from core.plan.price_edits import SetPrices
from core.platform.errors import BadInput
from core.words import capital, joined, tr
from gui.planner.document import PlanDocument
from gui.widgets.figures import UNKNOWN, about, price, price_of_one


def price_text(build: Build, line: Line, guide: PriceGuide) -> str:
    """What all parts of the line cost, and the month of an old price; a range where that is estimated."""
    if free := free_words(build, line, guide.today):
        return free
    current = guide.price(line.part, build.condition_of(line, guide.today))
    if isinstance(current, Estimate):
        cost = about(current.low * line.quantity, current.high * line.quantity)
    else:
        cost = price(current, line.quantity) or UNKNOWN
    return joined((cost, age_of(current, guide.today)), ", ")


def price_words(build: Build, line: Line, guide: PriceGuide) -> str:
    """What one costs, since when, whether it is used, and how to enter another price."""
    condition = build.condition_of(line, guide.today)
    current = guide.price(line.part, condition)
    usual = guide.terms.common
    how = tr("Type the price of one, like 1499 {currency}; Ctrl+V pastes a column of prices.", currency=usual)
    if condition is Condition.OWNED:
        return tr("Owned: it costs nothing more.")
    sold = isinstance(current, Estimate) and current.basis is Basis.USED_BAND
    past = None if sold else guide.past(line.part)
    words = condition_words(build, line, guide)
    uncounted_words = uncounted([(line.part, past)] if past else [])
    lines = [text for text in (tr("{words}.", words=capital(words)) if words else "", uncounted_words, how) if text]
    if current is None:
        return "\n".join([tr("No price is known."), *lines])
    listed = guide.as_listed(line.part, condition) or line.part.price
    before = full_words(listed) if listed and listed.currency != current.currency else ""
    if isinstance(current, Estimate):
        return "\n".join([current.words, *filter(None, (before if current.own else "",)), *lines])
    words, day = price_of_one(current), current.as_of.isoformat()
    summary = tr("{price} for one, {kind}, {day}", price=words, kind=PRICE_KINDS[current.kind], day=day)
    return "\n".join(filter(None, (summary, before, *lines)))


def price_entry(line: Line, guide: PriceGuide) -> str:
    """The price of one as it is typed; empty where none is known."""
    listed = line.part.price
    if listed is None:
        return ""
    shown = guide.terms.shown(listed)
    amount = listed.amount if shown is listed else round(shown.amount, 2)
    return f"{written(amount)} {shown.currency}"


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
    before = line.part.price.currency if line.part.price else USUAL
    typed = typed_price(text, date.today(), guide.terms.currency or before)
    shown = price_entry(line, guide)
    unchanged = shown and _pair(typed) == _pair(typed_price(shown, date.today()))
    return line.part.price if unchanged else typed


def _pair(price: Price) -> tuple[float, str]:
    return price.amount, price.currency


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
