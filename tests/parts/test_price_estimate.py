"""Unknown prices as ranges: from similar parts only, never for pieces of a whole machine."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.money import COMPARED, INCLUDED_TAX, PER_USD, in_net_dollars
from core.parts.part import Part, Price, Source
from core.parts.power import PsuSpec
from core.parts.price_estimate import LIKENESS, MAKER, MARGIN, MIN_SIMILAR, Basis, Estimate, estimated
from core.parts.price_guide import priced_parts, read_guide
from core.parts.specs import RamSpec, spec_model
from core.parts.vocabulary import Category, ModuleKind, PsuFormFactor, RamType

AIM = 0.75
"""So many known prices lie at least in the range that the others give."""


def psu(name: str, watts: float, year: int | None = 2023, form: PsuFormFactor = PsuFormFactor.ATX) -> Part:
    spec = PsuSpec(power_w=watts, form_factor=form)
    return Part(id=name, maker="Maker", name=name, year=year, spec=spec, sources=(Source(title="A test"),))


def at(amount: float, currency: str = "USD", year: int = 2024) -> Price:
    return Price(amount=amount, currency=currency, as_of=date(year, 6, 1))


LIKE = [(psu("a", 1000), at(200)), (psu("b", 1050), at(250)), (psu("c", 950), at(180, year=2022))]


def test_a_range_spans_the_prices_of_similar_parts_with_their_number_and_dates() -> None:
    estimate = estimated(psu("asked", 1000), LIKE)
    assert estimate.low <= 180 and estimate.high >= 250
    assert (estimate.parts, estimate.since.year, estimate.until.year) == (3, 2022, 2024)
    assert estimate.words.startswith("about 1")
    assert estimate.words.endswith(" USD, estimated from 3 similar parts (prices of 2022 to 2024)")


@pytest.mark.parametrize(
    "part",
    [
        psu("part", 2000),
        psu("part", 1000, form=PsuFormFactor.CRPS),
        psu("part", 1000, year=2010),
        psu("part", 1000, form=PsuFormFactor.PROPRIETARY),
        psu("a", 1000),
    ],
    ids=["other power", "other form", "other time", "piece of a machine", "one of the few itself"],
)
def test_without_enough_similar_parts_there_is_no_estimate(part: Part) -> None:
    assert estimated(part, LIKE) is None


def test_prices_in_other_currencies_are_converted_and_left_out_where_no_rate_is_known() -> None:
    euro = PER_USD["USD"] / PER_USD["EUR"] / (1 + INCLUDED_TAX["EUR"])
    more = estimated(psu("asked", 1000), [*LIKE, (psu("d", 1000), at(1000, "EUR"))])
    assert more is not None and more.currency == "USD" and more.parts == len(LIKE) + 1
    assert more.high >= 1000 * euro
    assert estimated(psu("asked", 1000), [*LIKE[:2], (LIKE[2][0], at(1, "VND"))]) is None


@pytest.mark.parametrize("category", LIKENESS)
def test_likeness_is_of_figures_that_the_category_has(category: Category) -> None:
    named = {name for likeness in LIKENESS[category] for name in (*likeness.same, *likeness.near, *likeness.per)}
    assert named <= {MAKER, *spec_model(category).model_fields}


@pytest.fixture(scope="module")
def catalogue(module_data_dir: Path) -> Iterator[Catalogue]:
    with closing(Catalogue(module_data_dir)) as opened:
        yield opened


@pytest.mark.parametrize("category", [Category.GPU, Category.CPU, Category.PSU, Category.CASE, Category.RAM])
def test_known_prices_lie_in_the_range_that_the_others_give(catalogue: Catalogue, category: Category) -> None:
    priced = priced_parts(catalogue, category)
    ranges = [(in_net_dollars(price), estimated(part, priced)) for part, price in priced]
    compared = [(price.amount, estimate) for price, estimate in ranges if price is not None and estimate is not None]
    assert len(compared) > 20
    assert sum(estimate.low <= amount <= estimate.high for amount, estimate in compared) / len(compared) >= AIM


def test_what_is_sold_within_a_machine_has_no_estimate(catalogue: Catalogue) -> None:
    chassis = catalogue.require("nvidia-dgx-station-chassis")
    pieces = [catalogue.require(part_id) for part_id in ("nvidia-dgx-station-board", "nvidia-tesla-v100-dgxs-16gb")]
    guide = read_guide(catalogue, (chassis, *pieces))
    assert [guide.price(part) for part in (chassis, *pieces)] == [None] * 3


def test_a_guide_tells_the_known_price_else_a_range(catalogue: Catalogue) -> None:
    parts = list(catalogue.parts(category=Category.PSU))
    guide = read_guide(catalogue, parts)
    prices = [guide.price(part) for part in parts]
    listed_prices = [(part.price, price) for part, price in zip(parts, prices, strict=True) if isinstance(price, Price)]
    assert listed_prices and all(listed and price == COMPARED.shown(listed) for listed, price in listed_prices)
    ranges = [price for price in prices if isinstance(price, Estimate)]
    assert all(price.low < price.high for price in ranges)
    similar = [price.parts for price in ranges if price.basis is Basis.SIMILAR_PARTS]
    assert similar and min(similar) >= MIN_SIMILAR and len(similar) < len(ranges)


def memory(name: str, modules: int, gb: int) -> Part:
    spec = RamSpec(kind=ModuleKind.RDIMM, ram_type=RamType.DDR5, modules=modules, module_gb=gb, speed_mts=5600)
    return Part(id=name, maker="Maker", name=name, year=2023, spec=spec, sources=(Source(title="A test"),))


def test_memory_of_other_sizes_is_compared_by_the_gigabyte() -> None:
    kits = [(memory("a", 1, 64), at(640)), (memory("b", 4, 32), at(1280)), (memory("c", 8, 32), at(2560))]
    estimate = estimated(memory("asked", 2, 48), kits)
    assert (estimate.low, estimate.high) == (pytest.approx(960 / MARGIN), pytest.approx(960 * MARGIN))
    assert estimated(memory("asked", 2, 8), kits) is None, "too far from the others"
