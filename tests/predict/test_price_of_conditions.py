"""What used and owned parts cost: owned never add, used ones as sold, and the template of used cards as guides say."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.part import Condition, Part, Price
from core.parts.price_estimate import Basis
from core.parts.price_guide import PriceGuide
from core.parts.used_prices import shipped_used_prices
from core.plan.build import Build
from core.predict.price import PriceTotal, price_of
from tests.rules.machines import good_build, part, with_line
from tests.shipped import parts_by_id, templates

TODAY = date(2026, 11, 29)
NEW, USED, OWNED = Condition
GUIDE = PriceGuide(used=shipped_used_prices(), today=TODAY)


def priced(name: str, amount: float, kind: str = "street", **figures: Any) -> Part:
    price = Price(amount=amount, currency="USD", as_of=date(2026, 10, 1), kind=kind)
    return part(name, **figures).model_copy(update={"price": price})


def conditioned(build: Build, **of: Condition | None) -> Build:
    """With the condition of these lines, by part id."""
    return build.with_lines(
        tuple(replace(line, condition=of.get(line.part.id, line.condition)) for line in build.lines)
    )


def highest(price: PriceTotal) -> float:
    return sum(row.range[1] for row in price.totals)


@given(
    amounts=st.fixed_dictionaries({name: st.floats(1, 1e5) for name in ("gpu", "cpu", "psu", "case")}),
    owned=st.sets(st.sampled_from(["gpu", "cpu", "psu", "case"])),
)
def test_what_is_owned_never_adds(amounts: dict[str, float], owned: set[str]) -> None:
    build = good_build()
    for name, amount in amounts.items():
        build = with_line(build, priced(name, amount))
    whole, less = price_of(build, GUIDE), price_of(conditioned(build, **dict.fromkeys(owned, OWNED)), GUIDE)
    counts = {line.part.id: line.quantity for line in build.lines}
    left = sum(amount * counts[name] for name, amount in amounts.items() if name not in owned)
    assert sum(row.amount for row in less.totals) == pytest.approx(left)
    assert highest(less) <= highest(whole) + 1e-6
    assert less.owned == sum(counts[name] for name in owned)
    assert less.unpriced == whole.unpriced
    assert not owned & set(less.unpriced_ids)


def test_a_build_of_owned_parts_costs_nothing() -> None:
    price = price_of(replace(good_build(), condition=OWNED), GUIDE)
    assert (price.totals, price.unpriced, price.words) == ((), 0, "nothing to buy")
    assert price.owned == sum(line.quantity for line in good_build().lines)
    assert price.basis == (f"{price.owned} parts owned.",)


def test_used_parts_cost_what_such_are_sold_for() -> None:
    card = priced("gpu", 2499, product="GeForce RTX 3090", memory_gb=24)
    build = conditioned(with_line(good_build(), card), gpu=USED)
    price = price_of(build, GUIDE)
    ((part_id, estimate),) = price.estimates
    assert (part_id, estimate.basis, estimate.middle) == ("gpu", Basis.USED_BAND, 1100)
    (total,) = price.totals
    assert total.low <= 4 * 1100 <= total.high < 4 * 2499
    assert price.used == 4 and price.used_as_new == ()
    assert price.basis[0] == "4 parts used."
    assert price.basis[1].startswith("What used parts are sold for is as of 2026-09: GPU Poet")


def test_used_parts_without_a_used_price_are_counted_as_new_and_named() -> None:
    build = conditioned(with_line(good_build(), priced("cpu", 500)), cpu=USED)
    price = price_of(build, GUIDE)
    assert (price.used, [one.id for one in price.used_as_new]) == (1, ["cpu"])
    assert f"No used price is known, counted as new: {part('cpu').title}." in price.basis
    document = price.as_dict()
    assert (document["used"], document["owned"], document["used_counted_as_new"]) == (1, 0, ["cpu"])


def test_what_is_no_longer_sold_counts_as_used_and_what_its_maker_asked_is_left_out() -> None:
    card = priced("gpu", 1499, "launch", product="GeForce RTX 3090", memory_gb=24, discontinued=2022)
    price = price_of(with_line(good_build(), card), GUIDE)
    assert (price.used, price.past, [name for name, _ in price.estimates]) == (4, (), ["gpu"])
    new = price_of(conditioned(with_line(good_build(), card), gpu=NEW), GUIDE)
    assert (new.used, [one.id for one, _ in new.past]) == (0, ["gpu"])


def test_a_used_price_in_another_currency_is_converted_and_the_rate_is_named() -> None:
    card = priced("gpu", 2499, product="GeForce RTX 4090", memory_gb=24)
    build = conditioned(with_line(with_line(good_build(), card), priced("cpu", 500)), gpu=USED)
    price = price_of(build, GUIDE)
    (total,) = price.totals
    assert total.currency == "USD" and total.high > 4 * 2500
    assert any(words.startswith("1 EUR is 1.") for words in price.basis)


def test_four_used_rtx_3090_cost_between_what_the_guides_say() -> None:
    """From the 700 dollars of spring 2026 to the 1600 that GPU Poet read in bulk in summer, each."""
    build = templates()["four-used-rtx-3090"]
    (cards,) = [line for line in build.lines if line.part.id == "gigabyte-rtx-3090-turbo-24g"]
    price = price_of(build.with_lines((cards,)), GUIDE)
    (total,) = price.totals
    assert cards.quantity == 4
    assert 4 * 700 <= total.range[0] < total.range[1] <= 4 * 1600
    whole = price_of(build, GUIDE)
    assert whole.used == 12
    assert whole.totals[0].range[0] < 8000 and whole.totals[0].range[1] < 12_000


def test_the_machine_of_v100_costs_a_fraction_of_what_it_did() -> None:
    price = price_of(templates()["dell-dss-8440"], GUIDE)
    cards = dict(price.estimates)["nvidia-tesla-v100-pcie-16gb"]
    medians = shipped_used_prices().band(parts_by_id()["nvidia-tesla-v100-pcie-16gb"])
    assert medians is not None and medians.high < 400
    assert cards.middle == medians.middle < 300, "what it usually fetches"
    assert cards.high < 420, "the dearest of five single sales"
    assert price.used == sum(line.quantity for line in templates()["dell-dss-8440"].lines)
