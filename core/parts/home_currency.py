"""The currency of the country that the system is set to: what prices are shown in until the user chooses another."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

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
    wanted = next(filter(None, map(os.environ.get, _CATEGORIES)), "")
    return currency_of(wanted)


def currency_of(locale: str) -> str | None:
    """Of a locale as it is written: de_AT.UTF-8, zh-Hant-TW, ca_ES@euro."""
    lands = locale.partition(".")[0].partition("@")[0].replace("-", "_").split("_")[1:]
    return next((OF_LAND[land] for land in lands if land in OF_LAND), None)
