"""What a load counted and found, as values: told by the load, judged by the verdict, shown by the report.

Between them it is JSON: on the line from the worker, and in the recording. `as_dict` writes it, `read` takes it back,
from recordings of earlier versions and from a child that talks nonsense, too: whatever is missing or is not of its
field's type is unknown.

A field without a default is one that every run of the load tells; unknown (None), it is recorded as such. One with a
default is recorded only where it differs from it.
"""

from collections.abc import Hashable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Rates = Mapping[str, float | None]
"""By name: of a number format, a direction, a network."""
Matrix = tuple[tuple[float | None, ...], ...]
"""Between each two devices: senders in rows, receivers in columns; None where nothing was measured."""

FOR_PROGRAMS: Mapping[str, bool] = {"for_programs": True}
"""Metadata of fields that are said elsewhere in a report, or are of use to programs alone."""

LONGEST_BITS = 1024
"""Of a whole number: longer ones are no counts, and cannot be written as text."""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """A fault that was made on purpose."""

    kind: str | None
    from_iteration: int | None
    times: int | None
    where: str | None = None
    """The place of the first injection, in words."""
    found_by: str | None = None
    """What the first check said that found something after the injection; None where none did."""
    places: tuple[Mapping[str, int], ...] | None = None
    """Block and byte, of faults of memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """What every load tells. By itself it is all that is known of one that did not come to tell more."""

    seed: int | None = field(default=None, metadata=FOR_PROGRAMS)
    checks: int | None = None
    errors: int | None = None
    self_test: Mapping[str, str] | None = None
    """By kind of fault "seen", or where it was not."""
    injected_on_purpose: Injected | None = None
    simulated: bool = field(default=False, metadata=FOR_PROGRAMS)
    warnings: tuple[str, ...] = ()
    shrunk: int | None = None
    """How often the load was made smaller, since the memory did not suffice."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return plain(self)

    def with_warnings(self, *more: str) -> Self:
        """The same with these warnings after its own."""
        return replace(self, warnings=(*self.warnings, *more))


@dataclass(frozen=True, kw_only=True)
class Rated:
    """Speeds that were measured: what a card is compared by."""

    rates: Rates | None
    rate_unit: str | None


def plain(value: Any) -> dict[str, Any]:
    """A dataclass as plain values for JSON, without the fields that hold their default."""
    values = ((one, getattr(value, one.name)) for one in fields(value))
    return {one.name: _plain(held) for one, held in values if not _has_default(one) or held != one.default}


def unknown(cls: type[_Value], **values: Any) -> _Value:
    """Of a load that has told nothing but this."""
    absent = {one.name: None for one in fields(cast(Any, cls)) if not _has_default(one)}
    return cls(**(absent | values))


def read(cls: type[_Value], values: Mapping[str, Any]) -> _Value:
    """What was told, held to its types. Never raises: what does not fit is unknown."""
    types = _types(cast(Hashable, cls))
    fitting: dict[str, Any] = {}
    for one in fields(cast(Any, cls)):
        if one.name in values and values[one.name] is not None:
            try:
                fitting[one.name] = _held(types[one.name], values[one.name])
            except (TypeError, ValueError, OverflowError, RecursionError):
                continue
    return unknown(cls, **fitting)


def as_recorded(cls: type[RunEvidence], values: Mapping[str, Any]) -> dict[str, Any]:
    """What a child told as it is recorded: the fields of this type alone, each held to its own."""
    whole = read(cls, values).as_dict()
    return {name: whole[name] for name in values if name in whole}


def for_programs(*classes: type[Any]) -> frozenset[str]:
    """Names of fields that are not for people."""
    return frozenset(one.name for cls in classes for one in fields(cls) if one.metadata)


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return plain(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


@cache
def _types(cls: Hashable) -> Mapping[str, Any]:
    return get_type_hints(cls)


def _held(type_: Any, value: Any) -> Any:
    """The value as one of this type. Raises ValueError where it is none."""
    origin, arguments = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        return _first_that_fits([one for one in arguments if one is not type(None)], value)
    if type_ is Any:
        return value
    if is_dataclass(type_) and isinstance(value, Mapping):
        return read(cast("type[Any]", type_), value)
    if origin is tuple and isinstance(value, list | tuple):
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_held_or_none(arguments[0], one) for one in value)
        return tuple(_held_or_none(inner, one) for inner, one in zip(arguments, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {str(name): _held_or_none(arguments[1], one) for name, one in value.items()}
    return _single(type_, value)


def _held_or_none(type_: Any, value: Any) -> Any:
    """None only where the type has it."""
    if value is None and type(None) in get_args(type_):
        return None
    return _held(type_, value)


def _first_that_fits(types: list[Any], value: Any) -> Any:
    for one in types:
        try:
            return _held(one, value)
        except (TypeError, ValueError):
            continue
    raise ValueError(value)


def _single(type_: Any, value: Any) -> Any:
    if type_ is bool or isinstance(value, bool):
        fits = type_ is bool and isinstance(value, bool)
    elif type_ is int:
        fits = isinstance(value, int) and value.bit_length() <= LONGEST_BITS
    elif type_ is float:
        fits = isinstance(value, int | float)
    else:
        fits = type_ is str and isinstance(value, str)
    if not fits:
        raise ValueError(value)
    return float(value) if type_ is float else value
