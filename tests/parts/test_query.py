"""Filters, facets and orders, held against a plain reading of the same parts."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.catalogue import Catalogue
from core.parts.facets import searchable
from core.parts.part import Part, Price, Source
from core.parts.query import Filter, Query
from core.parts.specs import CpuSpec, GpuSpec, PsuSpec, Spec
from core.parts.vocabulary import Category, GpuCooling, Socket

SOURCE = (Source(title="General knowledge"),)


def part(part_id: str, spec: Spec, price: Price | None = None, maker: str = "Maker") -> Part:
    return Part(id=part_id, maker=maker, name=part_id.upper(), spec=spec, sources=SOURCE, price=price)


def usd(amount: float) -> Price:
    return Price(amount=amount, currency="USD", as_of=date(2026, 1, 1))


def card(
    name: str, memory: float | None, length: float | None, cooling: GpuCooling | None, price: Price | None = None
) -> Part:
    spec = GpuSpec(product="Chip 9", memory_gb=memory, length_mm=length, cooling=cooling, fp32_tflops=20)
    return part(name, spec, price, maker="Asus" if memory == 24 else "Msi")


CARDS = (
    card("a", 24, 267, GpuCooling.BLOWER, usd(1600)),
    card("b", 24, 313, GpuCooling.OPEN_AIR, usd(1500)),
    card("c", 12, 200, GpuCooling.OPEN_AIR, Price(amount=900, currency="EUR", as_of=date(2026, 1, 1))),
    card("d", 48, None, GpuCooling.BLOWER),
    card("e", None, 350, None),
)
OTHERS = (
    part("psu", PsuSpec(power_w=1600, length_mm=200), usd(400)),
    part("cpu", CpuSpec(socket=Socket.SP3, cores=32, ram_max_gb=4096)),
)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    folder: Path = tmp_path_factory.mktemp("query")
    (folder / "shipped").mkdir()
    opened = Catalogue(folder, shipped=folder / "shipped")
    opened.save_user_parts((*CARDS, *OTHERS))
    yield opened
    opened.close()


def ids_of(catalogue: Catalogue, query: Query) -> str:
    return " ".join(hit.id for hit in catalogue.find(query))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ((Filter("memory_gb", low=24),), "a b d"),
        ((Filter("memory_gb", high=24),), "a b c"),
        ((Filter("memory_gb", low=24, high=24),), "a b"),
        ((Filter("memory_gb", values=(12, 48)),), "c d"),
        ((Filter("cooling", values=("blower",)),), "a d"),
        ((Filter("cooling", values=("blower", "open_air")), Filter("length_mm", high=300)), "a c"),
        ((Filter("maker", values=("Asus",)),), "a b"),
        ((Filter("price", high=1550),), "b c"),
        ((Filter("cooling", low=0),), ""),
        ((Filter("no_such_figure", low=0),), ""),
        ((Filter("memory_gb", values=("24",)),), ""),
    ],
)
def test_filters_narrow_and_unknown_figures_never_pass(
    catalogue: Catalogue, filters: tuple[Filter, ...], expected: str
) -> None:
    assert ids_of(catalogue, Query(category=Category.GPU, filters=filters)) == expected
    assert ids_of(catalogue, Query("chip", filters=filters)) == expected, "with words, and without a category"


@pytest.mark.parametrize(
    ("sort", "descending", "expected"),
    [
        ("", False, "a b c d e"),
        ("title", True, "e d c b a"),
        ("length_mm", False, "c a b e d"),
        ("length_mm", True, "e b a c d"),
        ("price_per_tflops", False, "c b a d e"),
        ("price", True, "a b c d e"),
        ("no_such_figure", False, "a b c d e"),
    ],
)
def test_any_figure_gives_an_order_with_unknown_ones_last(
    catalogue: Catalogue, sort: str, descending: bool, expected: str
) -> None:
    query = Query(category=Category.GPU, sort=sort, descending=descending)
    assert ids_of(catalogue, query) == expected
    words = Query("chip", category=Category.GPU, sort=sort or "title", descending=descending)
    assert ids_of(catalogue, words) == expected


def test_by_price_those_without_a_rate_and_those_no_longer_sold_come_last(tmp_path: Path) -> None:
    (tmp_path / "shipped").mkdir()
    opened = Catalogue(tmp_path, shipped=tmp_path / "shipped")
    dinars = Price(amount=1, currency="AED", as_of=date(2026, 1, 1))
    old = card("old", 24, 267, None, usd(10))
    ended = old.model_copy(update={"spec": old.spec.model_copy(update={"discontinued": 2020})})
    opened.save_user_parts((card("dinars", 24, 267, None, dinars), ended, *CARDS[:3]))
    assert ids_of(opened, Query(category=Category.GPU, sort="price")) == "c b a dinars old"
    opened.close()


def test_a_single_letter_finds_every_part_that_has_such_a_word(catalogue: Catalogue) -> None:
    assert ids_of(catalogue, Query("c")) == "a b cpu c d e", "chip, cpu and card; by title"
    assert len(catalogue.find(Query("c", limit=2))) == 2


def test_a_category_is_not_taken_for_one_whose_name_it_begins(catalogue: Catalogue) -> None:
    assert ids_of(catalogue, Query("cpu", Category.CPU)) == "cpu"
    assert ids_of(catalogue, Query("cpu", Category.CPU_COOLER)) == ""


def test_the_name_of_a_category_lists_it_with_what_can_be_bought_and_is_new_first(catalogue: Catalogue) -> None:
    priced = [hit.id for hit in catalogue.search("gpu") if hit.price]
    assert [hit.id for hit in catalogue.search("gpu")][: len(priced)] == priced
    chosen = catalogue.find(Query("gpu", chosen=frozenset({"d"})))
    assert chosen[0].id == "d"
    everything = catalogue.find(Query(category=Category.GPU))
    assert {hit.id for hit in chosen} == {hit.id for hit in everything}
    assert catalogue.facets(Query("gpu")) == catalogue.facets(Query(category=Category.GPU))


def test_facets_count_choices_and_give_ranges(catalogue: Catalogue) -> None:
    facets = {facet.field: facet for facet in catalogue.facets(Query(category=Category.GPU))}
    cooling = facets["cooling"]
    assert {choice.value: choice.count for choice in cooling.choices} == {"blower": 2, "open_air": 2}
    assert (cooling.parts, cooling.low, cooling.label) == (4, None, "Cooling")
    assert (facets["length_mm"].low, facets["length_mm"].high, facets["length_mm"].label) == (200, 350, "Length, mm")
    assert "product" not in facets, "nothing to choose where all are alike"


def test_a_limited_facet_shows_what_there_would_be_without_its_limit(catalogue: Catalogue) -> None:
    query = Query(category=Category.GPU, filters=(Filter("cooling", values=("blower",)), Filter("memory_gb", low=24)))
    facets = {facet.field: facet for facet in catalogue.facets(query)}
    assert {choice.value: choice.count for choice in facets["cooling"].choices} == {"blower": 2, "open_air": 1}
    assert {choice.value for choice in facets["memory_gb"].choices} == {24, 48}


def test_the_known_figures_of_a_category_are_listed(catalogue: Catalogue) -> None:
    assert "power_w" in catalogue.fields(Category.PSU)
    assert "power_w" not in catalogue.fields(Category.GPU)
    assert set(catalogue.fields()) >= {"power_w", "memory_gb", "price_per_w"}


NUMERIC = ("memory_gb", "length_mm", "price", "power_w", "ram_max_gb")


@given(
    field=st.sampled_from(NUMERIC),
    low=st.none() | st.floats(0, 5000),
    high=st.none() | st.floats(0, 5000),
    text=st.sampled_from(["", "chip", "maker", "1600"]),
    category=st.none() | st.sampled_from([Category.GPU, Category.PSU]),
)
def test_a_range_finds_what_a_plain_reading_finds(
    catalogue: Catalogue, field: str, low: float | None, high: float | None, text: str, category: Category | None
) -> None:
    words = {hit.id for hit in catalogue.find(Query(text, category))}
    if low is None and high is None:
        expected = {one.id for one in (*CARDS, *OTHERS) if field in dict(searchable(one))}
        low = -1.0
    else:
        expected = {
            one.id
            for one in (*CARDS, *OTHERS)
            if isinstance(value := dict(searchable(one)).get(field), (int, float))
            and (low is None or value >= low)
            and (high is None or value <= high)
        }
    query = Query(text, category, (Filter(field, low=low, high=high),))
    assert {hit.id for hit in catalogue.find(query)} == expected & words
    counted = sum(
        choice.count for facet in catalogue.facets(query) if facet.field == "origin" for choice in facet.choices
    )
    assert counted in (0, len(expected & words))


LIMITS = st.sampled_from(
    [
        Filter("memory_gb", low=12),
        Filter("length_mm", high=313),
        Filter("cooling", values=("blower", "open_air")),
        Filter("maker", values=("Asus",)),
        Filter("price", low=900, high=1500),
    ]
)


@given(
    text=st.sampled_from(["", "c", "chip", "chip 9", "9 chip", "24 gb", "asus chip", "maker", "nosuchword"]),
    category=st.none() | st.sampled_from([Category.GPU, Category.CPU, Category.UPS]),
    filters=st.lists(LIMITS, max_size=3, unique_by=lambda row: row.field).map(tuple),
    sort=st.sampled_from(["", "title", "price", "length_mm"]),
)
def test_list_count_and_facets_tell_the_same(
    catalogue: Catalogue, text: str, category: Category | None, filters: tuple[Filter, ...], sort: str
) -> None:
    query = Query(text, category, filters, sort)
    hits = catalogue.find(query)
    assert catalogue.count(query) == len(hits) == len({hit.id for hit in hits})
    for facet in catalogue.facets(query):
        others = query.without(facet.field)
        for choice in facet.choices:
            chosen = replace(others, filters=(*others.filters, Filter(facet.field, values=(choice.value,))))
            assert catalogue.count(chosen) == choice.count, (facet.field, choice)
        if facet.low is not None:
            within = replace(others, filters=(*others.filters, Filter(facet.field, low=facet.low, high=facet.high)))
            assert catalogue.count(within) == facet.parts, facet.field
