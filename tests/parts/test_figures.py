"""A figure is one line of its model: its name, unit, range, column, filter, schema and form follow from it."""

from collections.abc import Iterator
from typing import Annotated

import pytest

from core.lab.opendb.reading import RowReading
from core.lab.opendb.specs import _placed, figures_in, nothing_more
from core.parts import figures, specs
from core.parts.contribution import coverage, file_schema
from core.parts.facets import MADE_FROM, facets, number, searchable
from core.parts.figure import LAST, Figure, Unless, WordedValue, declared, plain_words
from core.parts.figures import (
    columns,
    deciding,
    deciding_for,
    field_words,
    figures_of,
    implausible,
    kind_field,
    labels,
    summary,
)
from core.parts.form_figure import form_figures_of
from core.parts.part import Part, Source
from core.parts.power import CableSpec
from core.parts.specs import spec_model
from core.parts.values import Positive
from core.parts.vocabulary import CaseKind, Category, CoolerKind, GpuForm, PowerConnector
from tests.shipped import parts_by_id


class BentCable(CableSpec):
    """A cable with one figure more."""

    bend_mm: Annotated[
        Positive | None,
        Figure(
            "bend radius",
            within=(5, 200),
            decides=True,
            short=(9, WordedValue(lambda bend_mm: f"bends to {bend_mm:g} mm")),
            opendb="bend.radius",
        ),
    ] = None


@pytest.fixture
def bent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(specs._MODELS, Category.CABLE, BentCable)
    caches = (figures._labels, figures.deciding_for, figures.ranges, form_figures_of, _placed)
    for one in caches:
        one.cache_clear()
    yield
    for one in caches:
        one.cache_clear()


def cable(part_id: str, bend_mm: float | None) -> Part:
    spec = BentCable(source_kind=PowerConnector.EPS_8PIN, bend_mm=bend_mm)
    return Part(id=part_id, maker="Maker", name=part_id, spec=spec, sources=(Source(title="A test"),))


def test_a_figure_is_declared_once_and_known_everywhere(bent: None) -> None:
    sharp, wide, unknown = cable("sharp", 2), cable("wide", 80), cable("unknown", None)
    assert field_words("bend_mm") == "bend radius"
    assert implausible(sharp) == [("bend_mm", 2, (5, 200))]
    assert implausible(wide) == []
    assert summary(wide) == "EPS 8-pin, bends to 80 mm"
    assert "bend_mm" in deciding(Category.CABLE)
    [covered] = [row for row in coverage([sharp, wide, unknown]) if row.field == "bend_mm"]
    assert (covered.parts, covered.known, covered.lacking) == (3, 2, ("unknown",))
    assert ("bend_mm", 80) in searchable(wide)
    [facet] = facets([("bend_mm", 2, 1), ("bend_mm", 80, 1)])
    assert facet.label == "Bend radius, mm"
    assert columns(Category.CABLE, ("bend_mm",), [("wide", '["cable","cable",80.0]')]).value("bend_mm", 0) == 80
    entry = file_schema(Category.CABLE)["$defs"]["BentCable"]["properties"]["bend_mm"]
    assert (entry["title"], entry["minimum"], entry["maximum"]) == ("Bend radius, mm", 5, 200)
    [typed] = [one for one in form_figures_of(Category.CABLE) if one.name == "bend_mm"]
    assert (typed.heading, typed.limits) == ("Bend radius, mm", (5, 200))
    row = RowReading({"bend": {"radius": 80}}, Category.CABLE)
    assert figures_in(row, Category.CABLE, nothing_more) == {"bend_mm": 80}
    sharp_row = RowReading({"bend": {"radius": 2}}, Category.CABLE)
    assert figures_in(sharp_row, Category.CABLE, nothing_more) == {"bend_mm": None}
    assert sharp_row.doubts == [("bend_mm", 2, "is outside 5 to 200")]


@pytest.mark.parametrize("category", Category)
def test_figures_are_declared_so_that_they_can_be_used(category: Category) -> None:
    for name, figure in figures_of(category).items():
        model = spec_model(category)
        assert figure.label != plain_words(name), f"{name} reads so without a label"
        if isinstance(figure.decides, Unless):
            assert figure.decides.field in model.model_fields
        if figure.within is not None:
            assert figure.within[0] < figure.within[1]
            assert "float" in str(model.model_fields[name].annotation) or "int" in str(
                model.model_fields[name].annotation
            )


def test_a_name_has_one_label_wherever_it_is() -> None:
    labels_by_name: dict[str, set[str]] = {}
    for category in Category:
        for name, label in labels(spec_model(category)):
            labels_by_name.setdefault(name, set()).add(label)
    assert {name: several for name, several in labels_by_name.items() if len(several) > 1} == {}


@pytest.mark.parametrize("category", Category)
def test_places_in_the_short_line_are_taken_once(category: Category) -> None:
    shorts = [figure.short for figure in figures_of(category).values() if figure.short is not None]
    places = [short if isinstance(short, int) else short[0] for short in shorts]
    own = sorted(place for place in places if place != LAST)
    assert own == list(range(1, len(own) + 1))
    assert len(places) == len(own) + 1, "the end of sale closes the line"


@pytest.mark.parametrize(
    ("category", "kind", "field", "decides"),
    [
        (Category.GPU, GpuForm.PCIE_CARD, "length_mm", True),
        (Category.GPU, GpuForm.SXM, "length_mm", False),
        (Category.GPU, GpuForm.SXM, "memory_gb", True),
        (Category.CASE, CaseKind.OPEN_FRAME, "panels", False),
        (Category.CASE, None, "panels", True),
        (Category.CPU_COOLER, CoolerKind.BLOCK, "fan_count", False),
        (Category.CPU_COOLER, CoolerKind.AIO, "radiator_mm", True),
        (Category.CPU_COOLER, CoolerKind.AIR, "radiator_mm", False),
        (Category.RAM, None, "modules", True),
    ],
)
def test_what_decides_depends_on_the_kind(category: Category, kind: object, field: str, decides: bool) -> None:
    assert (field in deciding_for(category, kind)) is decides


@pytest.mark.parametrize("category", Category)
def test_one_figure_tells_the_kind(category: Category) -> None:
    limited = {figure.decides.field for figure in figures_of(category).values() if isinstance(figure.decides, Unless)}
    assert limited <= {kind_field(category)}


def test_made_figures_are_made_of_figures() -> None:
    stated = {name for category in Category for name in declared(spec_model(category))} | {"price"}
    assert {base for bases in MADE_FROM.values() for base in bases} <= stated


def test_slots_of_the_cpu_are_counted_apart_from_those_of_the_chipset() -> None:
    boards = {
        "asus-proart-x670e-creator-wifi": 2,
        "asus-rog-strix-x870e-e-gaming-wifi": 1,
        "msi-mpg-x870e-carbon-wifi": 1,
    }
    assert {name: number(parts_by_id()[name], "cpu_x8_slots") for name in boards} == boards
