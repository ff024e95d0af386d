"""Parts that are equivalent for a question: one answer for all that agree in the figures looked at.

A proxy part notes which of its figures are looked at, and goes by any name. What a rule says of it holds for every part
that agrees with it in these figures; the cache finds the answer again.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any, Generic, TypeVar

from core.parts.part import Part, Source
from core.parts.specs import Value, spec_model
from core.parts.vocabulary import Category

BESIDE_SPEC = ("maker", "year")
"""Figures of the part itself that are noted like those of its spec."""
TITLE_PLACEHOLDER = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for the title in sentences."""

T = TypeVar("T")
Model = TypeVar("Model", bound=Value)
Figure = Callable[[str], Any]
"""The value of a figure by its name."""
Codes = tuple[int, ...]
"""Of a part: a number for each figure, equal where figures are equal."""
NO_ANSWER: Any = object()
"""No answer is known yet."""


def proxy_part(category: Category, part_id: str, figure: Figure) -> tuple[Part, set[str]]:
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
    part = _noting(Part, title=property(lambda _: TITLE_PLACEHOLDER)).model_construct(
        id="this", maker="", name=TITLE_PLACEHOLDER, spec=spec, sources=(Source(title="the catalogue"),)
    )
    for name in BESIDE_SPEC:
        del vars(part)[name]
    return part, spec


def _noting(model: type[Model], **more: Any) -> type[Model]:
    """The model with values that come, and are noted, when they are first looked at."""

    fields = frozenset(model.model_fields)

    def look(self: Any, name: str) -> Any:
        own = vars(self)
        if name not in fields or "_looked" not in own:
            raise AttributeError(name)
        own["_looked"].add(name)
        own[name] = value = own["_figure"](name)
        return value

    own = {"__getattr__": look, "__eq__": object.__eq__, "__hash__": object.__hash__, "__module__": __name__, **more}
    noting: type[Model] = types.new_class(model.__name__, (model,), exec_body=lambda body: body.update(own))
    return noting


class EquivalenceCache(Generic[T]):
    """Answers of one question that depends on nothing but figures of the part.

    A part has the answer of another if it agrees with it in the figures that were looked at for that one: with these
    alike, the same figures are looked at, and the same is found.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Codes, tuple[Callable[[Codes], Any], dict[Any, T]]] = {}

    def find(self, codes: Codes) -> T:
        """The answer for a part, `NO_ANSWER` if none is known."""
        for key, answers in self._known.values():
            found: T = answers.get(key(codes), NO_ANSWER)
            if found is not NO_ANSWER:
                return found
        nothing: T = NO_ANSWER
        return nothing

    def keep(self, places: Codes, codes: Codes, answer: T) -> None:
        """The answer for all parts with the same codes at these places."""
        if places not in self._known:
            self._known[places] = (itemgetter(*places) if places else _any_part), {}
        key, answers = self._known[places]
        answers[key(codes)] = answer


def _any_part(_codes: Codes) -> None:
    """The key of an answer for which no figure was looked at."""
