"""A system is one line with one price; what it contains comes with it, is paid for with it, and goes with it."""

from datetime import date

import pytest

from core.advise.add_or_replace import add_or_replace
from core.parts.part import Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.specs import SystemSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart, RemovePart
from core.plan.file import dump_build, parse_build
from core.plan.missing import absent_categories, still_missing
from core.predict.conditions import LoadCase
from core.predict.prediction import predict
from core.predict.price import price_of
from core.rules.engine import check
from core.rules.finding import Status
from tests.shipped import parts_by_id, shipped_of

SPARK, DGX, BAREBONE = "nvidia-dgx-spark-4tb", "nvidia-dgx-1-v100-16gb", "dell-poweredge-t640"
SYSTEMS = shipped_of(Category.SYSTEM)


def planned(part_id: str, quantity: int = 1) -> Build:
    part = parts_by_id()[part_id]
    return add_or_replace(Build(), part, None, quantity, parts_by_id().get).apply(Build())


def priced(part_id: str, amount: float) -> Part:
    price = Price(amount=amount, currency="USD", as_of=date(2026, 6, 1), kind="own")
    return parts_by_id()[part_id].model_copy(update={"price": price})


@pytest.mark.parametrize("part", SYSTEMS, ids=lambda part: part.id)
def test_what_a_system_contains_is_in_the_catalogue(part: Part) -> None:
    assert isinstance(part.spec, SystemSpec)
    assert [row.part for row in part.spec.includes if row.part not in parts_by_id()] == []


@pytest.mark.parametrize("part", SYSTEMS, ids=lambda part: part.id)
def test_no_rule_fails_what_its_maker_sells(part: Part) -> None:
    build = planned(part.id)
    assert [finding.message for finding in check(build, predict(build)) if finding.status is Status.FAIL] == []


@pytest.mark.parametrize("system", [SPARK, "tinygrad-tinybox-red-v2"])
def test_a_system_whose_parts_are_not_in_the_build_waits_for_nothing(system: str) -> None:
    build = planned(system)
    assert still_missing(build) == ()
    assert {finding.status for finding in check(build, predict(build))} == {Status.PASS}


def test_a_barebone_waits_for_what_the_buyer_chooses() -> None:
    assert absent_categories(planned(BAREBONE)) == (Category.GPU, Category.CPU, Category.RAM)


def test_a_complete_system_comes_with_its_parts_seated() -> None:
    build = planned(DGX)
    assert still_missing(build) == ()
    assert {line.part.id: line.quantity for line in build.lines if line.part.category is Category.GPU} == {
        "nvidia-tesla-v100-sxm2-16gb": 8
    }
    assert [card.slot for card in build.cards() if card.slot is None] == []


def test_its_price_is_that_of_its_parts() -> None:
    system, more = priced(DGX, 40_000), priced("samsung-sm863-480gb", 100)
    build = add_or_replace(Build(), system, None, 1, {**parts_by_id(), more.id: more}.get).apply(Build())
    (total,) = price_of(build, PriceGuide()).totals
    assert (total.amount, total.parts) == (40_000, 1)
    (total,) = price_of(AddPart(more, 2).apply(build), PriceGuide()).totals
    assert (total.amount, total.parts) == (40_200, 3)


def test_a_system_takes_what_it_contains_when_it_goes() -> None:
    build = planned(DGX)
    added = AddPart(parts_by_id()["samsung-sm863-480gb"], 2).apply(build)
    (left,) = RemovePart(DGX).apply(added).lines
    assert (left.part.id, left.quantity) == ("samsung-sm863-480gb", 2)
    assert RemovePart(DGX).apply(build).lines == ()


def test_another_system_takes_its_place_with_other_parts() -> None:
    build = planned(DGX)
    other = parts_by_id()[SPARK]
    assert [line.part.id for line in add_or_replace(build, other, DGX, 1, parts_by_id().get).apply(build).lines] == [
        SPARK
    ]


def test_its_watts_come_from_the_wall_by_themselves() -> None:
    one, two = predict(planned(SPARK)), predict(planned(SPARK, 2))
    idle = one.wall_w[LoadCase.IDLE]
    assert (idle.low, idle.expected) == (0.85 * 25, 25)
    assert two.wall_w[LoadCase.IDLE].expected == 50
    assert one.limits.dc_w[LoadCase.IDLE].expected == 0
    assert one.noise_load.missing == (f"{SPARK}.noise",)


def test_a_build_with_a_system_is_read_back() -> None:
    build = planned(DGX)
    assert parse_build(dump_build(build), parts_by_id().get).lines == build.lines
