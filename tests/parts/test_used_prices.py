"""Used prices: what the file says, that it names its sources, and that a band gets wider with its age."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.part import Condition, Part, Price
from core.parts.price_estimate import FRESH_MONTHS, WIDEST, Basis, Estimate, used_estimate, widening
from core.parts.price_guide import PriceGuide
from core.parts.used_prices import FILE, UsedBand, read_used_prices, shipped_used_prices
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from tests.rules.machines import part
from tests.shipped import every_part, parts_by_id, shipped_of

TODAY = date(2026, 11, 29)
NEW, USED, OWNED = Condition
BANDS = [band for bands in shipped_used_prices().bands.values() for band in bands]
MODIFIED = {("GeForce RTX 3080", 20), ("GeForce RTX 4080 SUPER", 32)}
"""Cards whose memory others than their maker doubled: the catalogue has none, an own part may be one."""


def named(band: UsedBand) -> str:
    return " ".join(band.parts or map(str, band.figures.values()))


def test_there_are_bands_enough_of_what_people_buy_used() -> None:
    assert len(BANDS) >= 45
    assert {band.category for band in BANDS} >= {Category.GPU, Category.CPU, Category.MOTHERBOARD, Category.RAM}


def test_a_band_is_of_parts_there_are_with_its_sources_and_no_wider_than_prices_can_be() -> None:
    for band in BANDS:
        product = band.figures.get("product"), band.figures.get("memory_gb")
        assert _of_band(band) or product in MODIFIED, named(band)
        assert set(band.parts) <= parts_by_id().keys(), named(band)
        assert band.high <= 5 * band.low, named(band)
        assert date(2025, 1, 1) <= band.since <= TODAY, named(band)
        urls = [source.url or "" for source in shipped_used_prices().sources_of(band)]
        assert all(url.startswith("https://") for url in urls), named(band)


def _of_band(band: UsedBand) -> list[Part]:
    return [one for one in shipped_of(band.category) if band.holds_for(one)]


def test_no_part_has_two_bands_of_the_same_kind() -> None:
    for one in every_part():
        holding = [band for band in shipped_used_prices().bands[one.category] if band.holds_for(one)]
        assert len([band for band in holding if band.parts]) <= 1, one.id
        assert len([band for band in holding if band.figures]) <= 1, one.id


def test_what_a_band_makes_of_today_contains_it_and_is_dated() -> None:
    priced = ((band, one, guide().used_price(one)) for band in BANDS for one in _of_band(band)[:3])
    estimated = [(band, one, price) for band, one, price in priced if not isinstance(price, Price)]
    for band, one, price in estimated:
        assert price is not None and price.middle is not None, one.id
        count = getattr(one.spec, "modules", 1) if band.each == "module" else 1
        assert price.low <= band.low * count <= price.middle == band.middle * count, one.id
        assert price.middle <= band.high * count <= price.high, one.id
        assert (price.basis, price.until, price.currency) == (Basis.USED_BAND, band.since, band.currency), one.id
        assert band.month in price.words and price.sources[0].title in price.words, one.id
        assert price.as_dict()["sources"][0]["url"] == price.sources[0].url, one.id
    assert len(estimated) > len(BANDS)


def _band(low: float, middle: float, high: float, since: date) -> Price:
    return Price(amount=middle, low=low, high=high, currency="USD", as_of=since, kind="used")


@given(ends=st.tuples(*[st.floats(1, 1e6)] * 3).map(sorted), age=st.integers(-40, 4000), later=st.integers(0, 4000))
def test_a_used_range_contains_its_middle_and_never_gets_narrower(ends: list[float], age: int, later: int) -> None:
    price = _band(ends[0], ends[1], ends[2], date(2025, 6, 1))
    now, then = (used_estimate(price, (), 0, price.as_of + timedelta(days=days)) for days in (age, age + later))
    assert then.low <= now.low <= ends[1] <= now.high <= then.high
    assert then.low >= ends[0] / (1 + WIDEST) * 0.89 and then.high <= ends[2] * (1 + WIDEST) * 1.11


def test_a_single_sale_lies_further_from_the_middle_than_medians_do() -> None:
    medians, guides = (used_estimate(_band(960, 1000, 1050, TODAY), (), sales, TODAY) for sales in (38, 0))
    assert (medians.low, medians.high) == (620, 1600) and (guides.low, guides.high) == (960, 1100)
    wide = used_estimate(_band(400, 1000, 2000, TODAY), (), 38, TODAY)
    assert (wide.low, wide.high) == (400, 2000)


def test_a_fresh_band_is_no_wider_and_an_old_one_is() -> None:
    since = date(2026, 1, 1)
    assert widening(since, since + timedelta(days=30 * FRESH_MONTHS)) == 1
    assert widening(since, since + timedelta(days=365)) == pytest.approx(1.18, abs=0.01)
    assert widening(since, date(2036, 1, 1)) == 1 + WIDEST


def card(price: Price | None = None, **figures: object) -> Part:
    """An RTX 3090."""
    figures = {"product": "GeForce RTX 3090", "memory_gb": 24} | figures
    return part("gpu", **figures).model_copy(update={"price": price})


def guide() -> PriceGuide:
    return PriceGuide(used=shipped_used_prices(), today=TODAY)


def at(amount: float, kind: str) -> Price:
    return Price(amount=amount, currency="USD", as_of=date(2026, 10, 1), kind=kind)


@pytest.mark.parametrize("kind", ["own", "used"])
def test_the_own_price_and_a_price_of_such_a_sale_go_before_the_band(kind: str) -> None:
    price = guide().price(card(at(777, kind)), USED)
    assert isinstance(price, Price) and price.amount == 777


@pytest.mark.parametrize("kind", ["street", "list", "launch"])
def test_the_band_goes_before_what_a_new_one_costs(kind: str) -> None:
    price = guide().price(card(at(2499, kind)), USED)
    assert isinstance(price, Estimate) and price.middle == 1100
    assert not guide().counts_as_new(card(at(2499, kind)))


@pytest.mark.parametrize(("kind", "counts"), [("street", True), ("list", False), ("launch", False)])
def test_without_a_band_shops_are_asked_and_not_the_maker(kind: str, counts: bool) -> None:
    unheard = card(at(500, kind), product="Unheard of")
    price = guide().price(unheard, USED)
    assert (isinstance(price, Price) and price.amount == 500, guide().counts_as_new(unheard)) == (counts, counts)


def test_memory_and_form_make_another_card() -> None:
    assert guide().price(card(memory_gb=12), USED) is None
    tesla = {"product": "Tesla V100 SXM2 32GB", "memory_gb": 32}
    one = guide().price(card(**tesla), USED)
    assert isinstance(one, Estimate) and one.middle == 450


def test_a_used_price_counts_for_a_new_part_only_where_there_are_no_new_ones() -> None:
    assert guide().price(card(at(777, "used")), NEW) is None
    price = guide().price(card(at(777, "used"), discontinued=2022), NEW)
    assert isinstance(price, Price) and price.amount == 777


def test_what_is_owned_costs_nothing() -> None:
    assert guide().price(card(at(1499, "own")), OWNED) is None


def test_memory_is_counted_by_the_module() -> None:
    kit = next(one for one in every_part() if one.id == "samsung-32gb-rdimm-2400")
    (band,) = [band for band in BANDS if band.category is Category.RAM and band.holds_for(kit)]
    two = kit.model_copy(update={"spec": kit.spec.model_copy(update={"modules": 2})})
    assert band.price(two).amount == 2 * band.price(kit).amount


def test_memory_of_which_the_number_of_modules_is_unknown_has_no_price_by_the_module() -> None:
    kit = next(_of_band(band)[0] for band in BANDS if band.category is Category.RAM and band.each == "module")
    unknown = kit.model_copy(update={"spec": kit.spec.model_copy(update={"modules": None}), "used_price": None})
    assert guide().used_price(kit) is not None
    assert guide().used_price(unknown) is None


ROW = """
[[source]]
id = "one"
title = "One source"
url = "https://example.org/one"

[[band]]
category = "gpu"
figures = { product = "GeForce RTX 3090" }
low = 600
middle = 800
high = 1000
month = "2026-03"
sources = ["one"]
"""


@pytest.mark.parametrize(
    ("was", "becomes", "reason"),
    [
        ('sources = ["one"]', "sources = []", "sources"),
        ('sources = ["one"]', 'sources = ["two"]', "no [[source]] has the id 'two'"),
        ('sources = ["one"]', "", "sources: this is missing"),
        ("https://example.org/one", "somewhere", "url"),
        ("middle = 800", "middle = 1200", "the middle price 1200 is not between 600 and 1000"),
        ('{ product = "GeForce RTX 3090" }', '{ colour = "red" }', "colour"),
        ('figures = { product = "GeForce RTX 3090" }', "", "it names either parts or figures"),
        ('month = "2026-03"', 'month = "March"', "month"),
        ('month = "2026-03"', 'month = "2026-03"\nseller = "me"', "there is no such field"),
        ("low = 600", "low = ", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_and_the_place_is_named(tmp_path: Path, was: str, becomes: str, reason: str) -> None:
    path = tmp_path / "used.toml"
    assert was in ROW
    path.write_text(ROW.replace(was, becomes), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_used_prices(path)
    assert reason in str(caught.value) and str(path) in str(caught.value)


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "used.toml"
    path.write_text(ROW.replace('["one"]', '["two", "three"]'), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_used_prices(path)
    assert [line.count("'two'") + line.count("'three'") for line in str(caught.value).splitlines()] == [1, 1, 0]


def test_the_shipped_file_is_that_of_the_program() -> None:
    assert FILE.is_file() and read_used_prices(FILE).bands.keys() == shipped_used_prices().bands.keys()
