"""Figures that differ from those of all similar parts, and figures that two sources confirm."""

from collections.abc import Sequence
from typing import Any

import pytest

from core.parts.contribution import ALIKE, MIN_SIBLINGS, coverage, odd_figures
from core.parts.part import Part, Source
from core.parts.specs import CpuSpec, GpuSpec, spec_model
from core.parts.vocabulary import Category, Socket

PAGE = Source(title="Maker's page", url="https://maker.example/card")
DATA_SET = Source(title="A data set", url="https://github.com/maker/cards/blob/136a77a/cards.csv")


def card(part_id: str, *, sources: Sequence[Source] = (PAGE,), **figures: Any) -> Part:
    spec = GpuSpec(product="GeForce RTX 3090", **({"memory_gb": 24, "memory_bus_bits": 384} | figures))
    return Part(id=part_id, maker="Maker", name=part_id, spec=spec, sources=tuple(sources))


ALL_ALIKE = [card(f"card-{number}", length_mm=260 + number) for number in range(MIN_SIBLINGS)]


@pytest.mark.parametrize(
    ("figures", "odd"),
    [
        ({"memory_bus_bits": 256}, ["memory_bus_bits"]),
        ({"memory_bus_bits": None}, []),
        ({"length_mm": 100}, []),
        ({"memory_gb": 48, "memory_bus_bits": 256}, []),
    ],
)
def test_the_odd_one_out_is_named(figures: dict[str, Any], odd: list[str]) -> None:
    odd_ones = odd_figures([*ALL_ALIKE, card("odd", **figures)])
    assert [(one.part.id, one.field) for one in odd_ones] == [("odd", field) for field in odd]
    assert all((one.usual, one.siblings) == (384, MIN_SIBLINGS) for one in odd_ones)


def test_siblings_may_be_in_the_catalogue_and_only_the_chosen_are_reported() -> None:
    odd = card("odd", memory_bus_bits=256)
    assert [one.part.id for one in odd_figures([odd], ALL_ALIKE)] == ["odd"]
    assert odd_figures(ALL_ALIKE, [odd]) == []


def test_two_that_differ_are_a_kind_of_their_own() -> None:
    two = [card(name, memory_bus_bits=256) for name in ("one", "other")]
    assert odd_figures([*ALL_ALIKE, *two]) == []


def test_too_few_siblings_say_nothing() -> None:
    assert odd_figures([*ALL_ALIKE[1:], card("odd", memory_bus_bits=256)]) == []


def test_processors_are_compared_within_their_platform() -> None:
    def cpu(name: str, lanes: int) -> Part:
        spec = CpuSpec(socket=Socket.SP5, architecture="Zen 4", pcie_lanes=lanes)
        return Part(id=name, maker="AMD", name=name, spec=spec, sources=(PAGE,))

    parts = [*(cpu(f"cpu-{number}", 128) for number in range(MIN_SIBLINGS)), cpu("odd", 28)]
    [odd] = odd_figures(parts)
    assert (odd.part.id, odd.field, odd.value, odd.usual) == ("odd", "pcie_lanes", 28, 128)


@pytest.mark.parametrize("category", ALIKE)
def test_siblings_agree_in_figures_of_the_category(category: Category) -> None:
    names = set(spec_model(category).model_fields) | {"maker"}
    assert all(set(shared) <= names for shared in ALIKE[category])


@pytest.mark.parametrize(
    ("sources", "confirmed", "twice"),
    [
        ((PAGE,), True, False),
        ((PAGE, Source(title="The same site", url="https://maker.example/manual")), True, False),
        ((PAGE, Source(title="A review", url="https://review.example/card")), True, True),
        ((PAGE, Source(title="General knowledge")), True, False),
        ((PAGE, Source(title="Not read", url="https://review.example/card", read=False)), True, False),
        ((Source(title="General knowledge"),), False, False),
        (
            (DATA_SET, DATA_SET.model_copy(update={"url": "https://github.com/maker/cards/blob/136a77a/more.csv"})),
            True,
            False,
        ),
        (
            (DATA_SET, Source(title="Another's data set", url="https://github.com/else/cards/blob/136a77a/cards.csv")),
            True,
            True,
        ),
    ],
)
def test_a_figure_by_two_sources_has_them_on_two_sites(
    sources: tuple[Source, ...], confirmed: bool, twice: bool
) -> None:
    named = tuple(source.model_copy(update={"fields": ("length_mm", "memory_gb")}) for source in sources)
    for among in (sources, named):
        rows = coverage([card("card", sources=among, length_mm=313)])
        [row] = [row for row in rows if row.field == "length_mm"]
        assert (row.confirmed, row.twice) == (int(confirmed), int(twice))
