"""The gauge that tells what the parts cost: a range, and how much of it is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.build.build import Build
from core.language import joined, tr, trc
from core.predict.budget import BudgetState, BudgetUse, budget_words
from core.predict.price import CurrencyTotal, PriceTotal
from gui.figures import DASH, money, number
from gui.planner.gauge import PRICE, Gauge

PRICE_SECTION = "price"
"""What the gauge opens: the lines whose prices decide about the budget, else energy and cost."""
TONES = {BudgetState.WITHIN: "pass", BudgetState.OPEN: "note", BudgetState.DOUBT: "warn", BudgetState.OVER: "fail"}
SCALE = 1.25
"""The bar goes so far beyond the budget, or to the total where that is more."""
MOST_TOLD = 2
"""Of what the total rests on, so much has room in the smallest window."""
THOUSANDS, TENS_OF_THOUSANDS = 1_000, 10_000
"""From these amounts on a range is in thousands with a decimal, and in whole ones: it would not fit otherwise."""


def price_gauge(build: Build, total: PriceTotal, use: BudgetUse | None = None) -> Gauge:
    """The range of the first currency beside the budget; the foot names what is not known."""
    told = list(_foot(total)) if build.lines else []
    foot, short = joined(told, ", "), joined(told[:MOST_TOLD], ", ")
    details = (*filter(None, (budget_words(use, build.budget),)), *_details(build, total))
    if not total.totals:
        return Gauge(PRICE, DASH, foot=foot, details=details)
    first, *others = total.totals
    value, unit = _range(first)
    more = "".join(f"+ {money(row.range[1], row.currency)}, " for row in others)
    title = joined((PRICE, first.currency), ", ")
    gauge = Gauge(title, value, unit, foot=f"{more}{foot}", short=short, tone="note", details=details)
    return _beside(gauge, use) if use else gauge


def _beside(gauge: Gauge, use: BudgetUse) -> Gauge:
    """With the budget as its limit: the colour is that of the expected total, and of a doubt about it."""
    end = SCALE * max(use.budget, use.high / SCALE)
    of_budget = tr("of {budget}", budget=money(use.budget, use.currency))
    low, expected, high, limit = (amount / end for amount in (use.low, use.expected, use.high, use.budget))
    return replace(
        gauge,
        foot=joined((of_budget, gauge.foot), ", "),
        short=of_budget,
        tone=TONES[use.state],
        low=low,
        expected=expected,
        high=high,
        limit=limit,
    )


def range_words(total: CurrencyTotal) -> str:
    """ "12 600–13 700 USD", one figure where nothing is estimated."""
    low, high = (number(round(amount)) for amount in total.range)
    return f"{low} {total.currency}" if low == high else f"{low}{DASH}{high} {total.currency}"


def _range(total: CurrencyTotal) -> tuple[str, str]:
    """One exact amount or, of estimates, a range in thousands where it would not fit otherwise; and the unit."""
    low, high = total.range
    if low == high or high < THOUSANDS:
        places, unit, shown = 0, "", (low, high)
    else:
        places, unit, shown = int(high < TENS_OF_THOUSANDS), trc("thousands", "k"), (low / 1000, high / 1000)
    low_words, high_words = (number(round(amount, places)) for amount in shown)
    return low_words if low_words == high_words else f"{low_words}{DASH}{high_words}", unit


def _foot(total: PriceTotal) -> Iterator[str]:
    """What the total rests on, the most important first."""
    if total.estimated:
        share = total.estimated_percent
        yield tr("≈ {share} %", share=share) if total.unpriced else tr("{share} % estimated", share=share)
    if total.unpriced:
        yield tr("{count} unpriced", count=number(total.unpriced))
    if total.used:
        yield tr("{count} used", count=number(total.used))
    if total.owned:
        yield tr("{count} owned", count=number(total.owned))
    if not (total.estimated or total.unpriced or total.used or total.owned):
        yield tr("all parts priced")


def _details(build: Build, total: PriceTotal) -> Iterator[str]:
    for row in total.totals:
        if row.estimated:
            yield tr(
                "{range}: {known} counted, the rest estimated ({share} %).",
                range=range_words(row),
                known=money(row.amount, row.currency),
                share=row.estimated_percent,
            )
    yield from total.basis
    titles = {line.part.id: line.part.title for line in build.lines}
    for part_id, estimate in total.estimates:
        yield f"{titles[part_id]}: {estimate.words}"
    if total.unpriced_ids:
        names = joined((title for part_id, title in titles.items() if part_id in total.unpriced_ids), ", ")
        yield tr("Without a price: {parts}", parts=names)
    if len(total.totals) > 1:
        yield tr("Currencies without a rate are totalled separately: see Currency and VAT in the Parts menu.")
