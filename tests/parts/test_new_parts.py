"""A new part of one's own, of every category: its source confirms what was entered, and nothing else."""

from functools import cache
from typing import Any

import pytest

from core.parts.entered import Entered, own_part, plain_figures
from core.parts.own import source_of_new
from core.parts.part import Evidence, Part
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from tests.shipped import every_part


@cache
def a_part_of(category: Category) -> Part:
    """The one with the most figures."""
    parts = [part for part in every_part() if part.category is category]
    return max(parts, key=lambda part: len(part.spec.model_dump(exclude_none=True, exclude_defaults=True)))


def figures_of(category: Category) -> dict[str, Any]:
    figures: dict[str, Any] = a_part_of(category).spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return figures


def required(category: Category) -> dict[str, Any]:
    fields = spec_model(category).model_fields
    return {name: value for name, value in figures_of(category).items() if fields[name].is_required()}


def confirmed(part: Part) -> set[str]:
    fields = set(type(part.spec).model_fields) - {"category"}
    return {field for field in fields if part.evidence(field) is Evidence.CONFIRMED}


@pytest.mark.parametrize("category", Category)
def test_the_window_confirms_what_was_entered(category: Category) -> None:
    """Its form has a value for every figure, most of which nobody touched."""
    entered = required(category)
    untouched = spec_model(category).model_construct().model_dump(mode="json", exclude={"category"})
    figures = {name: untouched.get(name) for name in spec_model(category).model_fields if name != "category"} | entered
    made = own_part(
        Entered(category, "mine", "Me", "Mine", figures=figures, source="A page", address="https://example.org/x")
    )
    assert confirmed(made) == set(entered)
    assert plain_figures(made).keys() == figures.keys()


def test_without_an_address_nothing_is_confirmed() -> None:
    source = source_of_new("", None, ("power_w",))
    assert (source.title, source.fields, source.confirms) == ("Own figure, no source given", ("power_w",), False)


def test_a_source_of_a_part_without_figures_confirms_nothing() -> None:
    assert not source_of_new("A page", "https://example.org/x", ()).confirms
