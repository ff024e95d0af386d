"""Which figures of parts are looked at while something runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.parts.specs import spec_model
from core.parts.vocabulary import Category


@contextmanager
def looking() -> Iterator[set[str]]:
    """Collects "category.field" of every figure that is looked at within the block."""
    looked: set[str] = set()
    with_own_look = [_watch(category, looked) for category in Category]
    try:
        yield looked
    finally:
        for model in with_own_look:
            type.__delattr__(model, "__getattribute__")


def _watch(category: Category, looked: set[str]) -> Any:
    model = spec_model(category)
    fields = frozenset(model.model_fields) - {"category"}
    look = object.__getattribute__

    def noted(spec: Any, name: str) -> Any:
        if name in fields:
            looked.add(f"{category}.{name}")
        return look(spec, name)

    type.__setattr__(model, "__getattribute__", noted)
    return model
