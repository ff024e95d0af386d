"""Values that are their own JSON: fields under their aliases, rounded and left out as their types say."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import Enum
from functools import cache
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, TypeAdapter

Tenths = Annotated[float, PlainSerializer(lambda figure: round(figure, 1))]
Hundredths = Annotated[float, PlainSerializer(lambda figure: round(figure, 2))]
Thousandths = Annotated[float, PlainSerializer(lambda figure: round(figure, 3))]
PartId = Annotated[str, Field(serialization_alias="part")]
NotInJson = Field(exclude=True)


class JsonValue:
    """A frozen dataclass whose JSON comes from its fields; keys are stable. Messages stay messages in it."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        own: Any = type(self)
        stored: dict[str, Any] = in_json(_adapter(own).dump_python(self, by_alias=True))
        return stored


@cache
def _adapter(cls: type[JsonValue]) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def in_json(value: Any) -> Any:
    """A value, or a table or list of some, as JSON has it."""
    if isinstance(value, JsonValue):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {in_json(key): in_json(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [in_json(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date) else value
