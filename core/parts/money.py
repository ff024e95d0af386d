"""In which currency prices are shown, at which rates, and with or without VAT: set once, for window and terminal."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, ValidationError

from core.parts.part import Price
from core.parts.values import Value
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.platform.foreign import read_text
from core.platform.whole_file import write_whole
from core.words import joined, listed, shown, tr
from core.words.refusal import refused_as

FILE = "money.json"
MAX_BYTES = 100_000
RATES_OF = date(2026, 10, 1)
PER_USD: Mapping[str, float] = MappingProxyType(
    {
        "USD": 1.0, "EUR": 0.881813, "GBP": 0.753798, "CNY": 6.716878, "JPY": 157.298282, "TWD": 31.908932,
        "KRW": 1355.838011, "HKD": 7.846697, "SGD": 1.277638, "INR": 95.997282, "PLN": 3.84929, "CZK": 21.547067,
        "HUF": 323.038522, "CHF": 0.835134, "SEK": 10.003958, "NOK": 9.609239, "DKK": 6.586139, "CAD": 1.421278,
        "AUD": 1.438252, "NZD": 1.774167, "BRL": 5.200393, "TRY": 49.048442, "THB": 33.580261,
    }
)  # fmt: skip
"""What a US dollar was worth on that day (open.er-api.com): for currencies of which the user sets no rate."""
USUAL = "USD"
"""What prices are compared in where no currency is set."""
UNTAXED = frozenset({"USD", "CAD"})
"""Where prices are listed without sales tax, which differs by state: those of others are taken to be without it."""
INCLUDED_TAX: Mapping[str, float] = MappingProxyType(
    {
        "EUR": 0.20, "GBP": 0.20, "CNY": 0.13, "JPY": 0.10, "TWD": 0.05, "KRW": 0.10, "SGD": 0.09, "INR": 0.18,
        "PLN": 0.23, "CZK": 0.21, "HUF": 0.27, "CHF": 0.081, "SEK": 0.25, "NOK": 0.25, "DKK": 0.25, "AUD": 0.10,
        "NZD": 0.15, "TRY": 0.20, "THB": 0.07,
    }
)  # fmt: skip
"""The share of tax that a listed price includes there, added to its net: prices of several places compare without it.
Of the euro what most of its countries take."""
VAT_FREE = ("own", "used")
Code = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class ExchangeRate(Value):
    """What one unit of another currency is in the one that is shown, and since when."""

    value: Annotated[float, Field(gt=0, le=1e9)]
    as_of: date


class MoneyTerms(Value):
    """How prices are shown. What the user typed counts as with or without VAT, as totals are shown."""

    currency: Code | None = None
    """None: each price in its own."""
    rates: Annotated[dict[Code, ExchangeRate], Field(max_length=200)] = Field(default_factory=dict)
    vat_pct: Annotated[float, Field(ge=0, le=50)] = 0.0
    with_vat: bool = False

    def shown(self, price: Price) -> Price:
        """The price as it is shown; in its own currency where no rate is known."""
        factor, currency = self._vat(price), price.currency
        rate = self.rate(currency, self.currency)
        if self.currency is not None and rate is not None:
            factor *= rate.value
            currency = self.currency
        if factor == 1 and currency == price.currency:
            return price
        return price.times(factor, currency)

    def in_one(self, prices: Iterable[Price]) -> list[Price]:
        """All in the currency that is set, else in that of most of them; without those for which no rate is known."""
        prices = list(prices)
        counts = Counter(price.currency for price in prices)
        currency = self.currency or max(sorted(counts), key=lambda code: counts[code], default=None)
        terms = self.model_copy(update={"currency": currency})
        return [price for price in map(terms.shown, prices) if price.currency == currency]

    def rate(self, code: str, into: str | None) -> ExchangeRate | None:
        """What a unit of one currency is in another: as the user has set it, else as of `RATES_OF`. None where it is
        the same, or no rate is known."""
        if code == into or into is None:
            return None
        if into == self.currency and code in self.rates:
            return self.rates[code]
        if code not in PER_USD or into not in PER_USD:
            return None
        return ExchangeRate(value=PER_USD[into] / PER_USD[code], as_of=RATES_OF)

    def factor(self, code: str, into: str) -> float | None:
        """What an amount of one currency is multiplied by to be one of another; None without a rate."""
        rate = self.rate(code, into)
        return 1.0 if code == into else rate.value if rate else None

    def notes(self, prices: Iterable[Price], total_in: str | None = None) -> tuple[str, ...]:
        """What was done to these prices, a sentence each; `total_in` is where they are added up if none is set."""
        prices = list(prices)
        currency = self.currency or total_in
        sentences: list[str] = []
        for code in sorted({price.currency for price in prices} - {currency}) if currency else ():
            words = tr("{code} is kept separate: no rate is set for it.", code=code)
            if rate := self.rate(code, currency):
                day = rate.as_of.isoformat()
                words = tr(
                    "1 {code} is {rate:g} {currency}, as of {day}.",
                    code=code,
                    rate=rate.value,
                    currency=currency,
                    day=day,
                )
            sentences.append(words)
        if self.vat_pct and prices:
            sentences.append(self._vat_words(any(self._vat(price) != 1 for price in prices)))
        return tuple(sentences)

    def _vat(self, price: Price) -> float:
        """What a price of somebody else is multiplied by; the user's own are as they are shown, and used parts are sold
        without a VAT that could be taken off."""
        listed_with = price.currency not in UNTAXED
        if price.kind in VAT_FREE or listed_with == self.with_vat:
            return 1.0
        share = 1 + self.vat_pct / 100
        return share if self.with_vat else 1 / share

    def _vat_words(self, changed: bool) -> str:
        """Whether prices are with VAT, and what was done to those that were not as wanted."""
        percent = self.vat_pct
        if self.with_vat:
            if changed:
                return tr("With {percent:g} % VAT, added to prices that exclude it.", percent=percent)
            return tr("With {percent:g} % VAT.", percent=percent)
        if changed:
            return tr("Without {percent:g} % VAT, deducted from prices that include it.", percent=percent)
        return tr("Without {percent:g} % VAT.", percent=percent)

    @property
    def common(self) -> str:
        """The currency in which prices are put in order: dollars where none is set."""
        return self.currency or USUAL

    @property
    def compared(self) -> MoneyTerms:
        """The same with that currency."""
        return self if self.currency is not None else self.model_copy(update={"currency": USUAL})

    @property
    def words(self) -> str:
        """All of it in a line or two."""
        rates = [
            tr("1 {code} is {rate:g} ({day})", code=code, rate=rate.value, day=rate.as_of.isoformat())
            for code, rate in sorted(self.rates.items())
        ]
        shown = (
            tr("Prices are shown in {currency}", currency=self.currency)
            if self.currency
            else tr("Each price is shown in its own currency")
        )
        if not self.vat_pct:
            vat = tr("VAT unchanged")
        elif self.with_vat:
            vat = tr("with {percent:g} % VAT", percent=self.vat_pct)
        else:
            vat = tr("without {percent:g} % VAT", percent=self.vat_pct)
        text = tr("{shown}, {vat}. Rates: {rates}.", shown=shown, vat=vat, rates=listed(rates) if rates else tr("none"))
        return joined([text, tr("Currencies without one: at the rates of {day}.", day=RATES_OF.isoformat())])


def in_net_dollars(price: Price) -> Price | None:
    """The price without the tax that is included where it was listed, in dollars; None where no rate is known."""
    rate = AS_THEY_ARE.rate(price.currency, USUAL)
    if rate is None and price.currency != USUAL:
        return None
    return price.times((rate.value if rate else 1.0) / (1 + INCLUDED_TAX.get(price.currency, 0.0)), USUAL)


AS_THEY_ARE = MoneyTerms()
COMPARED = AS_THEY_ARE.compared
"""How prices of several currencies are sorted and filtered together."""


def read_terms(folder: Path) -> MoneyTerms:
    """What is set in a data folder, else the currency of the system. Raises BadInput for a file that is none."""
    path = folder / FILE
    if not path.exists():
        return MoneyTerms(currency=home_currency() or USUAL)
    with refused_as(
        lambda place, reason: tr(
            "{path} does not say how prices are shown ({place}: {reason}). Delete it, and set it again.",
            path=path,
            place=place,
            reason=reason,
        ),
        whole=tr("the file"),
    ):
        return MoneyTerms.model_validate_json(read_text(path, MAX_BYTES))


def write_terms(folder: Path, terms: MoneyTerms) -> None:
    """Keeps what is set, whole or not at all. Raises EnvironmentProblem."""
    try:
        write_whole(folder / FILE, terms.model_dump_json(indent=2).encode())
    except OSError as error:
        raise EnvironmentProblem(
            tr("{path} cannot be written: {reason}.", path=folder / FILE, reason=reason_of(error))
        ) from error


def keep_home_currency(folder: Path) -> None:
    """Where nothing is set yet, keeps the currency of the system: a job in another locale then shows the same prices.

    A locale that names none decides nothing. Raises EnvironmentProblem.
    """
    currency = home_currency()
    if currency is not None and not (folder / FILE).exists():
        write_terms(folder, MoneyTerms(currency=currency))


def checked_terms(
    currency: str | None, rates: Iterable[tuple[str, float, date]], vat_pct: float, *, with_vat: bool
) -> MoneyTerms:
    """From what was typed. Raises BadInput in a sentence."""
    with refused_as(
        lambda place, reason: tr(
            "{place}: {reason}. A currency is three letters, a rate more than 0, VAT 0 to 50 %.",
            place=place,
            reason=reason,
        )
    ):
        return MoneyTerms(
            currency=currency.strip().upper() or None if currency else None,
            rates={code.strip().upper(): ExchangeRate(value=value, as_of=day) for code, value, day in rates},
            vat_pct=vat_pct,
            with_vat=with_vat,
        )


_CATEGORIES = ("LC_ALL", "LC_MONETARY", "LANG")
"""Of the environment: the first that is set decides, as for the amounts of every other program."""
_LANDS = {
    "EUR": "AD AT BE BG CY DE EE ES EU FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK",
    "GBP": "GB GG IM JE",
    "CNY": "CN", "JPY": "JP", "TWD": "TW", "KRW": "KR", "HKD": "HK", "SGD": "SG", "INR": "IN", "PLN": "PL",
    "CZK": "CZ", "HUF": "HU", "CHF": "CH LI", "SEK": "SE", "NOK": "NO SJ", "DKK": "DK FO GL", "CAD": "CA",
    "AUD": "AU NR", "NZD": "NZ", "BRL": "BR", "TRY": "TR", "THB": "TH", "USD": "US EC PA PR SV",
}  # fmt: skip
OF_LAND: Mapping[str, str] = MappingProxyType(
    {land: currency for currency, lands in _LANDS.items() for land in lands.split()}
)
"""By land, as in ISO 3166: those whose currency has a rate."""


def home_currency() -> str | None:
    """The currency of the system's locale; None where that names no land (C, POSIX), or one without a rate."""
    locale = next(filter(None, map(os.environ.get, _CATEGORIES)), "")
    return currency_of(locale)


def currency_of(locale: str) -> str | None:
    """Of a locale as it is written: de_AT.UTF-8, zh-Hant-TW, ca_ES@euro."""
    lands = locale.partition(".")[0].partition("@")[0].replace("-", "_").split("_")[1:]
    return next((OF_LAND[land] for land in lands if land in OF_LAND), None)


# Amounts of money as people type them, in the notations of many countries.

SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR"}
"""What stands for one currency only, or nearly so; ¥ is that of two."""
_SIGN = f"[A-Za-z]{{3}}|[{''.join(SIGNS)}]"
_TYPED = re.compile(
    rf"(?P<before>{_SIGN})?\s*(?P<amount>\d[\d.,'’\s]*?)\s*(?P<after>{_SIGN})?(?:\s+(?P<day>\d{{4}}-\d\d-\d\d))?"
)
_BLANK = re.compile(r"[\s'’]")
_WHOLE = re.compile(r"[0-9]+|[0-9]{1,3}(?:[.,][0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
"""Thousands are grouped by three; in India by two above the first three: 1,51,200."""
_DIGITS = re.compile(r"[0-9]*")


def typed_amount(text: str) -> float:
    """The number of "1.999,50", "1,999.50", "1 999,50" or "1999.5". Raises ValueError.

    One point or comma before just three digits stands between thousands: prices have no third decimal.
    """
    plain = _BLANK.sub("", text)
    last = max(plain.rfind("."), plain.rfind(","))
    whole, rest = (plain[:last], plain[last + 1 :]) if last >= 0 else (plain, "")
    signs = [sign for sign in plain if sign in ".,"]
    if len(set(signs)) == 1 and (len(signs) > 1 or (len(rest) == 3 and whole.strip("0"))):
        whole, rest = plain, ""
    between = set(whole) & {".", ","}
    mixed = len(between) > 1 or (rest and plain[last] in between)
    if mixed or not _WHOLE.fullmatch(whole) or not _DIGITS.fullmatch(rest):
        raise ValueError(tr("{text!r} is not an amount", text=text))
    return float(f"{re.sub('[.,]', '', whole)}.{rest or 0}")


def typed_price(text: str, today: date, currency: str = "") -> Price:
    """A price of one's own as typed: "1499 USD", "€ 1.999,50", "1499 USD 2026-05-31".

    It is of today where no day stands behind it, and in `currency` where none is typed. Raises BadInput.
    """
    match = _TYPED.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError
        sign = match["before"] or match["after"] or currency
        return Price(
            amount=typed_amount(match["amount"]),
            currency=SIGNS.get(sign, sign.upper()),
            as_of=date.fromisoformat(match["day"]) if match["day"] else today,
            kind="own",
        )
    except (ValueError, ValidationError) as error:
        raise BadInput(
            tr("{text} is not a price. Write amount and currency, such as: 1499 USD 2026-05-31", text=shown(text))
        ) from error


def written(amount: float) -> str:
    """An amount with all its digits, as `typed_amount` reads it back."""
    text = format(Decimal(repr(amount)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}0" if re.search(r"\.\d{3}$", text) else text


def typed_rate(code: str, value: str, day: str, today: date) -> tuple[str, float, date]:
    """A rate as typed: a currency, what one unit of it is worth, and since when. Raises BadInput."""
    try:
        return code.strip().upper(), float(value.strip().replace(",", ".")), date.fromisoformat(day) if day else today
    except ValueError as error:
        typed = shown(f"{code} {value} {day}".strip())
        raise BadInput(
            tr("{text} is not a rate. Write what one unit is worth, such as: USD 0.92 2026-11-20", text=typed)
        ) from error
