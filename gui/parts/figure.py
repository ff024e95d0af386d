"""What an editor must know of a figure: read from the models, so that a new figure needs no new form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from core.parts.figure import Range, bare_type, declared
from core.parts.figures import deciding, field_words
from core.parts.specs import spec_model
from core.parts.vocabulary import Category, value_label
from core.units import unit_of


class Kind(StrEnum):
    """How a figure is typed."""

    NUMBER = "number"
    WHOLE = "whole number"
    YES_NO = "yes or no"
    TEXT = "text"
    CHOICE = "one of a list"
    CHOICES = "some of a list"
    WORDS = "several words"
    WIDTHS = "names with numbers"
    TABLE = "rows"


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a closed list and its word for people."""

    value: str | int
    label: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A field of a spec, or of a row within one. Values are as in a part file: plain, None is unknown."""

    name: str
    label: str
    unit: str
    kind: Kind
    default: Any
    """What no entry means: None is unknown."""
    needed: bool
    """Whether there is no part without it."""
    choices: tuple[Choice, ...]
    columns: tuple[Figure, ...]
    """Of a table."""
    limits: Range | None
    """Outside of it no part was ever sold."""
    meaning: str
    adapter: TypeAdapter[Any]

    @property
    def can_be_unknown(self) -> bool:
        """Whether None is a value of it."""
        return self.default is None and not self.needed

    @property
    def heading(self) -> str:
        """The name with its unit."""
        return f"{self.label}, {self.unit}" if self.unit and self.unit not in self.label.lower() else self.label


@cache
def figures_of(category: Category) -> tuple[Figure, ...]:
    """All figures of a category; those that decide come first."""
    found = {figure.name: figure for figure in _figures(spec_model(category))}
    first = deciding(category)
    return tuple(found[name] for name in (*first, *(name for name in found if name not in first)))


def decides(category: Category, name: str) -> bool:
    """Whether rules and predictions cannot do without the figure."""
    return name in deciding(category)


def _figures(model: type[BaseModel]) -> tuple[Figure, ...]:
    return tuple(_figure(name, model.model_fields[name], one.within) for name, one in declared(model).items())


def _figure(name: str, info: FieldInfo, limits: Range | None) -> Figure:
    kind, inner = _kind(info.annotation)
    words = field_words(name)
    whole: Any = info.annotation
    if info.metadata:
        whole = Annotated.__class_getitem__((whole, *info.metadata))  # type: ignore[attr-defined]
    adapter: TypeAdapter[Any] = TypeAdapter(whole)
    default = None if info.is_required() else adapter.dump_python(info.default, mode="json")
    return Figure(
        name=name,
        label=words[0].upper() + words[1:],
        unit="" if kind is Kind.TABLE else unit_of(name),
        kind=kind,
        default=default,
        needed=info.is_required(),
        choices=_choices(inner) if kind in (Kind.CHOICE, Kind.CHOICES) else (),
        columns=_figures(inner) if kind is Kind.TABLE else (),
        limits=limits,
        meaning=" ".join((info.description or "").split()),
        adapter=adapter,
    )


_PLAIN_KINDS = {bool: Kind.YES_NO, float: Kind.NUMBER, int: Kind.WHOLE, str: Kind.TEXT}


def _kind(annotation: Any) -> tuple[Kind, Any]:
    """How it is typed, and the type that says more: of the choices or of the rows."""
    bare = bare_type(annotation)
    origin = get_origin(bare)
    if origin is tuple:
        member = bare_type(get_args(bare)[0])
        if member is str:
            return Kind.WORDS, member
        return (Kind.TABLE if issubclass(member, BaseModel) else Kind.CHOICES), member
    if origin is dict:
        return Kind.WIDTHS, bare
    if origin is Literal or issubclass(bare, StrEnum):
        return Kind.CHOICE, bare
    return _PLAIN_KINDS[bare], bare


def _choices(inner: Any) -> tuple[Choice, ...]:
    if get_origin(inner) is Literal:
        return tuple(Choice(value, str(value)) for value in get_args(inner))
    return tuple(Choice(one.value, value_label(one.value)) for one in inner)


def amount_figure() -> Figure:
    """The amount of a price, typed like a figure."""
    return Figure("amount", "Amount", "", Kind.NUMBER, None, False, (), (), (0.01, 1e8), "", TypeAdapter(float | None))
