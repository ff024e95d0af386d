"""The currency until another is chosen: that of the land of the locale, kept at the first start."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.money import FILE, OF_LAND, PER_USD, MoneyTerms, currency_of, home_currency, read_terms, write_terms

VARIABLES = ("LC_ALL", "LC_MONETARY", "LANG")
Locale = Callable[..., None]


@pytest.fixture
def locale(monkeypatch: pytest.MonkeyPatch) -> Locale:
    """Sets the variables of the locale, and no others."""

    def set_to(**variables: str) -> None:
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_to


@pytest.mark.parametrize(
    ("name", "currency"),
    [
        ("de_DE.UTF-8", "EUR"),
        ("ca_ES.UTF-8@valencia", "EUR"),
        ("de-CH", "CHF"),
        ("zh-Hant-TW", "TWD"),
        ("zh_CN.GB18030", "CNY"),
        ("en_US", "USD"),
        *((name, None) for name in ("C", "C.UTF-8", "POSIX", "", "de", "en_ZA.UTF-8", "eo")),
    ],
)
def test_the_land_of_a_locale_decides(name: str, currency: str | None) -> None:
    assert currency_of(name) == currency


def test_every_land_has_a_currency_with_a_rate() -> None:
    assert set(OF_LAND.values()) == set(PER_USD)


def test_the_category_of_money_goes_before_the_language(locale: Locale) -> None:
    locale(LANG="en_US.UTF-8", LC_MONETARY="de_AT.UTF-8")
    assert home_currency() == "EUR"
    locale(LANG="en_US.UTF-8", LC_MONETARY="de_AT.UTF-8", LC_ALL="ja_JP.UTF-8")
    assert home_currency() == "JPY"
    locale(LANG="fr_CH.UTF-8", LC_MONETARY="")
    assert home_currency() == "CHF"


def test_it_is_kept_at_the_first_start_and_a_job_without_a_land_shows_the_same(
    locale: Locale, tmp_path: Path, shipped: Path
) -> None:
    locale(LANG="C.UTF-8")
    Catalogue(tmp_path, shipped=shipped).close()
    assert read_terms(tmp_path).currency == "USD"
    assert not (tmp_path / FILE).exists(), "nobody has chosen"
    locale(LANG="de_DE.UTF-8")
    Catalogue(tmp_path, shipped=shipped).close()
    locale(LANG="C")
    assert read_terms(tmp_path).currency == "EUR"
    locale(LANG="ja_JP.UTF-8")
    Catalogue(tmp_path, shipped=shipped).close()
    assert json.loads((tmp_path / FILE).read_text())["currency"] == "EUR"


def test_the_choice_of_the_user_wins_even_that_of_none(locale: Locale, tmp_path: Path, shipped: Path) -> None:
    write_terms(tmp_path, MoneyTerms(currency=None))
    locale(LANG="de_DE.UTF-8")
    Catalogue(tmp_path, shipped=shipped).close()
    assert read_terms(tmp_path).currency is None
