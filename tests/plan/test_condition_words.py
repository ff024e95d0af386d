"""What is said of a line: used, owned, and why where nobody chose it or no used price is known."""

from datetime import date

import pytest

from core.parts.part import Condition, Price
from core.parts.price_guide import PriceGuide
from core.parts.used_prices import shipped_used_prices
from core.plan.build import Build
from core.plan.line import Line
from core.plan.line_words import condition_words
from tests.rules.machines import part

GUIDE = PriceGuide(used=shipped_used_prices(), today=date(2026, 11, 29))
NEW, USED, OWNED = Condition


@pytest.mark.parametrize(
    ("of_line", "product", "kind", "ended", "words"),
    [
        (None, "GeForce RTX 3090", "street", None, ""),
        (NEW, "GeForce RTX 3090", "street", 2022, ""),
        (USED, "GeForce RTX 3090", "street", None, "used"),
        (OWNED, "GeForce RTX 3090", "street", 2022, "owned"),
        (None, "GeForce RTX 3090", "launch", 2022, "no longer sold new: used price"),
        (None, "Unheard of", "launch", 2022, "used: no longer sold new"),
        (None, "Unheard of", "used", 2022, "no longer sold new: used price"),
        (USED, "Unheard of", "street", None, "used, at the price new: no used price is known"),
        (USED, "Unheard of", "launch", None, "used"),
    ],
)
def test_a_line_says_whether_it_is_used_and_why(
    of_line: Condition | None, product: str, kind: str, ended: int | None, words: str
) -> None:
    price = Price(amount=500, currency="USD", as_of=date(2026, 10, 1), kind=kind)
    card = part("gpu", product=product, memory_gb=24, discontinued=ended).model_copy(update={"price": price})
    line = Line(card, condition=of_line)
    assert condition_words(Build(lines=(line,)), line, GUIDE) == words
