"""What a machine costs over years: sums by hand, bands in order, and what is unknown never makes it cheaper."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.assessment import Assessment
from core.parts.part import Condition, Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.resale import KeptShare, kept_shares, resale
from core.parts.used_prices import shipped_used_prices
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.platform.errors import BadInput
from core.predict.conditions import LoadCase
from core.predict.llm.models import model_named
from core.predict.llm.workload import Method, usual
from core.predict.ownership import CostOverYears, cost_terms
from core.predict.speed.networks import Network
from tests.rules.machines import good_build
from tests.shipped import parts_by_id

TODAY = date(2026, 11, 29)
GUIDE = PriceGuide(used=shipped_used_prices(), today=TODAY)
LLAMA = usual(model_named("llama-3.1-8b"), Method.INFERENCE)


def machine() -> Build:
    """With cards of which the speed is known."""
    card = parts_by_id()["gigabyte-rtx-3090-turbo-24g"]
    lines = good_build().lines
    return good_build().with_lines(
        tuple(replace(line, part=card) if line.part.category is Category.GPU else line for line in lines)
    )


def priced_build(amount: float = 1000.0) -> Build:
    """Every part costs so much."""
    price = Price(amount=amount, currency="USD", as_of=TODAY, kind="own")
    lines = [replace(line, part=line.part.model_copy(update={"price": price})) for line in machine().lines]
    return machine().with_lines(tuple(lines))


def cost(
    build: Build | None = None, rented_card: Part | None = None, shares: tuple[KeptShare, ...] = (), **terms: float
):
    """What `build` costs, training a transformer."""
    whole_terms = cost_terms({"tariff_per_kwh": 0.30, **terms})
    return Assessment(build or priced_build(), guide=GUIDE).cost(whole_terms, Network.TRANSFORMER, rented_card, shares)


def test_the_sum_is_parts_and_energy_of_the_hours_at_load_and_idle() -> None:
    build = priced_build()
    one = cost(build, years=2, hours_per_day=10, idle_hours_per_day=4)
    watts = Assessment(build).prediction.wall_w
    kwh = 2 * 365.25 * (10 * watts[LoadCase.TRAINING].expected + 4 * watts[LoadCase.IDLE].expected) / 1000
    parts = 1000 * sum(line.quantity for line in build.lines)
    assert one.energy_kwh.expected == pytest.approx(kwh)
    assert one.amount.expected == pytest.approx(parts + 0.30 * kwh)
    assert one.cooling is None


def test_a_machine_that_is_not_at_load_is_idle_unless_it_is_said_to_be_off() -> None:
    assert cost(hours_per_day=8).energy_kwh == cost(hours_per_day=8, idle_hours_per_day=16).energy_kwh
    assert cost(hours_per_day=8, idle_hours_per_day=0).energy.high < cost(hours_per_day=8).energy.low


def test_an_air_conditioner_of_cop_3_adds_a_third_of_the_energy() -> None:
    one = cost(cooled=True, cop=3.0)
    assert one.cooling.expected == pytest.approx(one.energy.expected / 3)
    usual_one = cost(cooled=True)
    assert usual_one.cooling.width > one.cooling.width
    assert usual_one.running.expected == pytest.approx(one.running.expected)


def test_owned_parts_cost_their_energy_alone() -> None:
    one = cost(replace(priced_build(), condition=Condition.OWNED))
    assert one.purchase.expected == 0
    assert one.amount.triple == one.running.triple


def test_parts_without_a_price_are_counted_apart_and_nothing_at_all_is_unknown() -> None:
    some = priced_build()
    first, board, *rest = some.lines
    unpriced = replace(board, part=board.part.model_copy(update={"price": None}))
    one = cost(some.with_lines((first, unpriced, *rest)))
    assert one.unpriced == board.quantity
    assert one.purchase.expected == 1000 * sum(line.quantity for line in (first, *rest))
    nothing = cost(good_build(), rented_per_hour=1.0)
    assert (nothing.purchase, nothing.amount, nothing.per_million) == (None, None, None)
    assert nothing.rented.break_even is None
    assert nothing.running.low > 0


def test_a_million_tokens_cost_the_whole_over_what_all_hours_at_load_make() -> None:
    one = cost(years=1, hours_per_day=24)
    millions = one.work.rate.expected * 3600 * 24 * 365.25 / 1e6
    assert one.per_million.expected == pytest.approx(one.amount.expected / millions)
    assert one.running_per_million.expected < one.per_million.expected
    stored = one.as_dict()["per_million"]
    assert stored["expected"] == pytest.approx(one.per_million.expected, rel=1e-3), "hundredths would leave nothing"


def test_a_language_model_is_counted_in_its_new_tokens() -> None:
    assessment = Assessment(priced_build(), guide=GUIDE)
    one = assessment.cost(cost_terms({"tariff_per_kwh": 0.3}), LLAMA)
    assert one.work.rate == assessment.model(LLAMA).decode
    assert not one.work.trains


def test_a_rented_card_hour_for_hour_breaks_even_where_both_have_cost_the_same() -> None:
    one = cost(rented_per_hour=5.0, hours_per_day=12)
    hours = one.rented.break_even.expected
    running = one.running.expected / one.terms.busy_hours
    assert one.purchase.expected + hours * running == pytest.approx(5.0 * hours)
    assert one.rented.amount.expected == pytest.approx(5.0 * one.terms.busy_hours)
    low, expected, high = one.rented.break_even.months
    assert low <= expected <= high
    assert expected == pytest.approx(hours / (12 * 365.25 / 12), rel=1e-3)


def test_a_rented_card_cheaper_than_the_energy_never_breaks_even() -> None:
    even = cost(rented_per_hour=0.0001).rented.break_even
    assert (even.low, even.expected, even.high) == (None, None, None)
    assert even.months == (None, None, None)


def test_the_same_card_rented_is_as_many_hours_as_the_machine_has_cards_worth_of_speed() -> None:
    build = priced_build()
    (line,) = build.of(Category.GPU)
    one = cost(build, rented_card=line.part, rented_per_hour=1.0)
    assert 0 < one.rented.hours.expected <= line.quantity * 1.001
    assert one.rented.per_million.expected == pytest.approx(1e6 / 3600 / one.work.rented.expected)


@given(
    years=st.floats(0.1, 20),
    hours=st.floats(0.1, 24),
    tariff=st.floats(0, 10),
    rented=st.floats(0.01, 100),
    cooled=st.booleans(),
)
def test_bands_are_in_order_and_more_hours_never_cost_less(
    years: float, hours: float, tariff: float, rented: float, cooled: bool
) -> None:
    terms = {"years": years, "hours_per_day": hours, "cooled": cooled, "rented_per_hour": rented}
    one = _cost(terms | {"tariff_per_kwh": tariff})
    assert one.amount.low <= one.amount.expected <= one.amount.high
    assert one.running.low >= 0
    assert one.per_million.low <= one.per_million.expected <= one.per_million.high
    ends = [
        end for end in (one.rented.break_even.low, one.rented.break_even.expected, one.rented.break_even.high) if end
    ]
    assert ends == sorted(ends)
    longer = _cost(terms | {"tariff_per_kwh": tariff, "years": min(20.0, 2 * years)})
    assert longer.amount.expected >= one.amount.expected - 1e-6


ASSESSED = Assessment(priced_build(), guide=GUIDE)


def _cost(terms: dict[str, float]) -> CostOverYears:
    return ASSESSED.cost(cost_terms(terms))


@pytest.mark.parametrize(
    ("terms", "named"),
    [
        ({"years": 0}, "years"),
        ({"years": 21}, "years"),
        ({"hours_per_day": 25}, "hours_per_day"),
        ({"hours_per_day": 20, "idle_hours_per_day": 5}, "20 hours at load and 5 idle"),
        ({"cop": 0.1}, "cop"),
        ({"rented_per_hour": 0}, "rented_per_hour"),
        ({"tariff_per_kwh": -1}, "tariff_per_kwh"),
    ],
)
def test_terms_that_cannot_be_meant_are_refused_by_their_name(terms: dict[str, float], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        cost_terms({"tariff_per_kwh": 0.3} | terms)


KEPT = tuple(KeptShare(f"Card {at}", 4.0 + at / 10, 0.3, 0.5 + at / 10, 0.9) for at in range(5))


def gpu(kind: str = "launch", since: date = date(2025, 11, 29)) -> Part:
    part = parts_by_id()["gigabyte-rtx-3090-turbo-24g"]
    return part.model_copy(update={"price": Price(amount=2000, currency="USD", as_of=since, kind=kind)})


def test_what_a_gpu_may_be_sold_for_is_the_share_that_others_of_its_age_then_have_kept() -> None:
    one = resale(gpu(), 3.0, KEPT, TODAY)
    assert (one.low, one.middle, one.high) == (600, pytest.approx(1400), 1800)
    assert one.products == 5


def test_without_evidence_nobody_knows_what_a_gpu_may_be_sold_for() -> None:
    assert resale(gpu(), 3.0, KEPT[:3], TODAY) is None, "three products are too few"
    assert resale(gpu(), 15.0, KEPT, TODAY) is None, "none is as old"
    assert resale(gpu("street"), 3.0, KEPT, TODAY) is None, "what its maker asked is unknown"
    psu = parts_by_id()["corsair-ax1600i"]
    assert resale(psu, 3.0, KEPT, TODAY) is None


def test_what_is_unknown_of_a_sale_counts_as_nothing() -> None:
    build = priced_build()
    line = build.of(Category.GPU)[0]
    with_gpu = build.with_lines(
        tuple(replace(one, part=gpu(), slots=()) if one is line else one for one in build.lines)
    )
    sold, unsold = cost(with_gpu, shares=KEPT), cost(with_gpu)
    assert sold.sold.cards == line.quantity
    assert unsold.sold.unknown == line.quantity
    assert sold.amount.high < unsold.amount.high
    assert unsold.amount.high - sold.amount.high == pytest.approx(600 * line.quantity), "at least what the least fetch"


def test_the_shipped_catalogue_has_evidence_for_cards_of_two_to_seven_years() -> None:
    shares = kept_shares(parts_by_id().values(), shipped_used_prices())
    assert len({share.product for share in shares}) >= 20
    assert all(0 < share.low <= share.middle <= share.high for share in shares)
    new = gpu(since=date(2026, 10, 1))
    assert all(resale(new, years, shares, TODAY) for years in (2, 3, 4, 5, 6))
