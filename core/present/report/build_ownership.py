"""What a machine costs over years: what the total is made of, what a million samples cost, and beside a rented card."""

from __future__ import annotations

from collections.abc import Iterator

from core.predict.band import Band, exact
from core.predict.ownership import MOST_YEARS, BreakEven, CostOverYears, Rented, sold_words
from core.predict.work import Work
from core.present.report.document import Block, Cell, Heading, Nothing, Paragraph, ReportColumn, Tone, Words, table
from core.present.report.formatting import band_text, bullets
from core.words import joined, tr, trn
from core.words.units import UNKNOWN, number

_NO_PRICE = tr("Nothing of the machine has a price.")
_NO_RATE = tr("The speed is unknown: figures of a card are missing, or the model does not fit.")


def cost_blocks(cost: CostOverYears) -> Iterator[Block]:
    """The whole of it first, then its pieces, what the work costs, and the rented card where one was named."""
    yield Heading(tr("Cost over years"))
    yield Paragraph(_lead(cost))
    if cost.unpriced:
        words = trn(
            "{count} part without a price is not counted: the machine costs more than this.",
            "{count} parts without a price are not counted: the machine costs more than this.",
            count=cost.unpriced,
        )
        yield Paragraph(words, Tone.WARN)
    yield table(_amount_columns(cost), _amount_rows(cost), name=tr("Cost over years"))
    if cost.work is not None:
        yield from _work_blocks(cost, cost.work)
    if cost.rented is not None:
        yield from _rented_blocks(cost, cost.rented)
    notes = (sold_words(cost.sold, cost.terms.years), *cost.assumptions)
    yield Paragraph(joined([note for note in notes if note], "\n"), quiet=True)


def _lead(cost: CostOverYears) -> str:
    terms = cost.terms
    fields = {
        "years": number(terms.years),
        "load": number(terms.hours_per_day),
        "idle": number(terms.idle),
        "tariff": number(terms.tariff_per_kwh),
        "currency": cost.currency,
        "amount": band_text(cost.amount) if cost.amount else UNKNOWN,
    }
    return tr(
        "{amount} in {years} years, with {load} h a day at load and {idle} h idle, at {tariff} {currency} per kWh.",
        **fields,
    )


def _amount_columns(cost: CostOverYears) -> tuple[ReportColumn, ...]:
    whole = tr("In {years} years, {currency}", years=number(cost.terms.years), currency=cost.currency)
    return (
        ReportColumn(tr("Cost"), 3.0),
        ReportColumn(whole, 2.2, numeric=True),
        ReportColumn(tr("A month"), 1.8, numeric=True),
    )


def _amount_rows(cost: CostOverYears) -> Iterator[tuple[Cell, ...]]:
    months = 12 * cost.terms.years
    yield _amount_row(tr("Parts"), cost.purchase, months, _NO_PRICE)
    energy = tr("Energy, {kwh}", kwh=band_text(cost.energy_kwh))
    yield _amount_row(energy, cost.energy, months)
    if cost.cooling is not None:
        yield _amount_row(tr("Air conditioning"), cost.cooling, months)
    if cost.sold.cards:
        back = cost.sold.amount
        yield _amount_row(tr("GPUs sold at the end"), Band(-back.high, -back.expected, -back.low, back.unit), months)
    yield _amount_row(tr("All"), cost.amount, months, _NO_PRICE)


def _amount_row(title: str, amount: Band | None, months: float, lacks: str = "") -> tuple[Cell, ...]:
    if amount is None:
        return title, Words(UNKNOWN, about=lacks), Words(UNKNOWN, about=lacks)
    low, expected, high = (end / months for end in amount.triple)
    return title, _money(amount), _money(Band(low, expected, high, amount.unit))


def _money(amount: Band | None, lacks: str = "") -> Cell:
    return Words(UNKNOWN, about=lacks) if amount is None else Words(_text(amount), order=amount.expected)


def _text(amount: Band) -> str:
    """Low to high behind the middle, with as many digits as small amounts need."""
    low, expected, high = (number(end) for end in amount.triple)
    if low == high:
        return expected
    return tr("{expected} ({low}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{high})", low=low, expected=expected, high=high)


def _work_blocks(cost: CostOverYears, work: Work) -> Iterator[Block]:
    yield Heading(tr("A million {counted}", counted=work.counted), 2)
    rate = band_text(work.rate) if work.rate else UNKNOWN
    yield Paragraph(tr("{work}: {rate}.", work=work.title, rate=rate))
    columns = (
        ReportColumn(tr("A million {counted}", counted=work.counted), 3.0),
        ReportColumn(cost.currency, 2.2, numeric=True),
    )
    rows: list[tuple[Cell, ...]] = [
        (tr("With everything"), _money(cost.per_million, _NO_RATE)),
        (tr("Energy and air conditioning alone"), _money(cost.running_per_million, _NO_RATE)),
    ]
    if cost.rented is not None:
        no_card = Nothing(tr("Nobody says which card is rented, or its speed is unknown."))
        per_million = cost.rented.per_million
        rows.append((work.rented_title or tr("Rented card"), _money(per_million) if per_million else no_card))
    yield table(columns, rows, name=tr("Cost of a million"))


def _rented_blocks(cost: CostOverYears, rented: Rented) -> Iterator[Block]:
    title = cost.work.rented_title if cost.work else ""
    card = title or tr("Rented card")
    sentences: list[str] = [
        tr("{card}: {price} {currency} an hour.", card=card, price=number(rented.per_hour), currency=cost.currency)
    ]
    if title and rented.per_million is None:
        sentences.append(tr("How fast it does this work is unknown, or the model does not fit on it."))
    if rented.hours == exact(1.0):
        sentences.append(tr("An hour of it is taken to do what this machine does in an hour at load."))
    else:
        hours = _text(rented.hours)
        sentences.append(tr("It does in {hours} hours what this machine does in an hour at load.", hours=hours))
    sentences.append(
        tr(
            "The same work in {years} years: {amount} {currency}.",
            years=number(cost.terms.years),
            amount=_text(rented.amount),
            currency=cost.currency,
        )
    )
    sentences.append(break_even_words(rented.break_even, cost.terms.years) if rented.break_even else _NO_PRICE)
    yield Heading(tr("Beside a rented card"), 2)
    yield Paragraph(bullets(sentences))


def break_even_words(even: BreakEven, years: float) -> str:
    """After how many hours and months of use the machine has cost less, with both ends."""
    low, expected, high = even.months
    if low is None or low > 12 * MOST_YEARS:
        return tr("The rented card stays cheaper at this use, for {years} years and more.", years=number(MOST_YEARS))
    if even.expected is None or expected is None:
        return tr(
            "The machine may be cheaper after {months} months at the earliest, and may never be.", months=number(low)
        )
    sentence = tr(
        "The machine is cheaper after {hours} h at load: {months} months ({low} to {high}).",
        hours=number(even.expected, 0),
        months=number(expected),
        low=number(low),
        high=tr("never") if high is None else number(high),
    )
    late = tr("That is later than {years} years.", years=number(years))
    return joined((sentence, late)) if expected > 12 * years else sentence
