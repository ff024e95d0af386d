"""A part that stands in for all parts alike, and notes which of its figures are looked at."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Any

from core.parts.part import STAND_IN, Part, Source
from core.parts.specs import Value, spec_model
from core.parts.vocabulary import Category
from core.rules.words import category_words


def stand_in(category: Category, part_id: str, figures: Mapping[str, Any]) -> tuple[Part, set[str]]:
    """A part "this GPU" with these figures, the others unknown; and the names of those looked at so far."""
    blank = _blank(category)
    spec = blank.spec.model_copy(update=dict(figures))
    looked = vars(spec)["looked"] = set[str]()
    return blank.model_copy(update={"id": part_id, "spec": spec}), looked


def name_of(category: Category) -> str:
    """What a stand-in is called in sentences."""
    return f"this {category_words(category)}"


@cache
def _blank(category: Category) -> Part:
    model = spec_model(category)
    needed = {name: "-" for name, info in model.model_fields.items() if info.is_required()}
    blank = model.model_validate(needed)
    part = Part(
        id="this",
        maker=STAND_IN,
        name=category_words(category),
        spec=blank,
        sources=(Source(title="the catalogue"),),
    )
    noting = _noting(model).model_construct(**vars(blank))
    vars(noting)["looked"] = set[str]()
    return part.model_copy(update={"spec": noting})


def _noting(model: type[Value]) -> type[Value]:
    """The spec's model with a note of every figure that is looked at."""
    fields = frozenset(model.model_fields) - {"category"}

    def look(spec: Any, name: str) -> Any:
        if name in fields:
            object.__getattribute__(spec, "__dict__")["looked"].add(name)
        return object.__getattribute__(spec, name)

    own = {"__getattribute__": look, "__module__": __name__}
    noting: type[Value] = types.new_class(model.__name__, (model,), exec_body=lambda body: body.update(own))
    return noting
