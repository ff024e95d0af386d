"""Which GPUs are ranked: other boards of a product stand in for those that do not keep to what was asked."""

from dataclasses import replace
from datetime import date

from core.parts.money import PER_USD, MoneyTerms
from core.parts.part import Part, Price, no_longer_sold
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_guide import PriceGuide
from core.parts.used_prices import shipped_used_prices
from core.parts.vocabulary import Category
from core.predict.speed.shortlist import LeftOut, ShortlistLimits, shortlist
from tests.rules.machines import part
from tests.shipped import shipped_of

TODAY = date(2026, 11, 1)
GUIDE = PriceGuide(terms=MoneyTerms(currency="EUR"), today=TODAY)


def _board(name: str, product: str, memory_gb: float | None, amount: float = 0.0, currency: str = "EUR") -> Part:
    made = part("gpu", suffix=name, product=product, memory_gb=memory_gb)
    price = Price(amount=amount, currency=currency, as_of=TODAY, kind="street") if amount else None
    return made.model_copy(update={"price": price})


SMALL = _board("-s", "S", 12, 300)
DEAR, CHEAP = _board("-d", "A", 24, 1500), _board("-c", "A", 24, 1000 / PER_USD["EUR"], "USD")
UNPRICED, UNKNOWN = _board("-u", "U", 48), _board("-n", "N", None, 100)
LONG = _board("-l", "L", 24, 900)
EVERY = (SMALL, DEAR, CHEAP, UNPRICED, UNKNOWN, LONG)


def test_without_limits_all_are_ranked_and_none_is_left_out() -> None:
    result = shortlist(EVERY, ShortlistLimits(), GUIDE)
    assert (result.parts, result.words) == (EVERY, "")


def test_a_product_stays_with_the_boards_that_keep_to_the_limits_and_others_are_counted_by_reason() -> None:
    result = shortlist(EVERY, ShortlistLimits(price=1001, memory_gb=24), GUIDE, lambda one: one is LONG)
    assert result.parts == (CHEAP,)
    assert result.left_out == {LeftOut.MEMORY: 2, LeftOut.UNPRICED: 1, LeftOut.FIT: 1}
    assert result.words == "2 with less memory, 1 that does not fit, 1 without a price of today"


def test_a_product_whose_boards_are_left_out_for_several_reasons_is_counted_once_by_the_nearest() -> None:
    result = shortlist((DEAR, CHEAP), ShortlistLimits(price=10), GUIDE, lambda one: one is CHEAP)
    assert result.left_out == {LeftOut.DEAR: 1}


def test_a_card_no_longer_sold_is_compared_at_what_used_ones_fetch_and_one_that_is_sold_at_its_price() -> None:
    shipped = {one.id: one for one in shipped_of(Category.GPU)}
    guide = replace(GUIDE, used=shipped_used_prices())
    of_old = (one for one in shipped.values() if guide.past(one) and no_longer_sold(one, TODAY))
    old = next(one for one in of_old if isinstance(guide.used_price(one), Estimate))
    price = guide.compared(old)
    assert isinstance(price, Estimate) and price.basis is Basis.USED_BAND and price.currency == "EUR"
    assert GUIDE.compared(old) is None
    for slack, parts in ((1.01, (old,)), (0.99, ())):
        assert shortlist((old,), ShortlistLimits(price=price.amount * slack), guide).parts == parts
    assert guide.compared(CHEAP) == GUIDE.compared(CHEAP)
