"""A part that a question is about: it notes which of its figures are looked at, and goes by any name.

What a rule says of a candidate holds for every part that agrees with it in the figures that were looked at.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from core.parts.part import Part, Source
from core.parts.specs import Value, spec_model
from core.parts.vocabulary import Category

BESIDE_SPEC = ("maker", "year")
"""Figures of the part itself that are noted like those of its spec."""
NAME = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for the title in sentences."""

T = TypeVar("T", bound=Value)
Figure = Callable[[str], Any]
"""The value of a figure by its name."""


def candidate(category: Category, part_id: str, figure: Figure) -> tuple[Part, set[str]]:
    """A part whose figures are asked of `figure` when they are first looked at; and the names of those looked at."""
    looked: set[str] = set()
    noted = {"_figure": figure, "_looked": looked}
    blank_part, blank_spec = _blank(category)
    spec = blank_spec.__copy__()
    vars(spec).update(noted)
    part = blank_part.__copy__()
    vars(part).update(noted, id=part_id, spec=spec)
    return part, looked


@cache
def _blank(category: Category) -> tuple[Part, Any]:
    """A part and a spec without figures."""
    model = spec_model(category)
    spec: Any = _noting(model).model_construct()
    vars(spec).clear()
    vars(spec)["category"] = category
    part = _noting(Part, title=property(lambda _: NAME)).model_construct(
        id="this", maker="", name=NAME, spec=spec, sources=(Source(title="the catalogue"),)
    )
    for name in BESIDE_SPEC:
        del vars(part)[name]
    return part, spec


def _noting(model: type[T], **more: Any) -> type[T]:
    """The model with values that come, and are noted, when they are first looked at."""

    fields = frozenset(model.model_fields)

    def look(self: Any, name: str) -> Any:
        own = vars(self)
        if name not in fields or "_looked" not in own:
            raise AttributeError(name)
        own["_looked"].add(name)
        own[name] = value = own["_figure"](name)
        return value

    own = {
        "__getattr__": look,
        "__eq__": object.__eq__,
        "__hash__": object.__hash__,
        "__module__": __name__,
        **more,
    }
    noting: type[T] = types.new_class(model.__name__, (model,), exec_body=lambda body: body.update(own))
    return noting
