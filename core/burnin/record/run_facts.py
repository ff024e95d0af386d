"""What a user tells about a run: for whom the machine is, who tested it, and where. Not measured, and never judged."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, StringConstraints, TypeAdapter

from core.language import tr, trc
from core.refusal import refused_as

MOST_LETTERS = 200
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MOST_LETTERS)]
_NUMBER = TypeAdapter(float)


def _as_text(number: str | float) -> str:
    return f"{_NUMBER.validate_python(number):g}"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """As they stand now; "" where nobody told one."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    customer: Text = ""
    order: Text = ""
    machine_serial: Text = ""
    tester: Text = ""
    place: Text = ""
    room_temperature_c: Annotated[str, BeforeValidator(_as_text)] = ""
    """°C, as somebody read it."""
    circuit: Text = ""
    """The mains circuit: "230 V, 16 A"."""


FACT_NAMES = tuple(field.name for field in fields(RunFacts))


@dataclass(frozen=True, slots=True)
class FactChange:
    """One fact as it was told at a moment, UTC in ISO 8601; an empty value took it back."""

    at: str
    name: str
    value: str


_TOLD = TypeAdapter(RunFacts)


def told_facts(**given: str | float | None) -> dict[str, str]:
    """Checks facts that somebody typed; None leaves one as it is. Raises BadInput naming one that cannot be kept."""
    with refused_as(
        lambda place, reason: tr("The {what} cannot be saved: {reason}.", what=_WORDS.get(place, place), reason=reason)
    ):
        told = _TOLD.validate_python({name: value for name, value in given.items() if value is not None})
    return {name: getattr(told, name) for name in FACT_NAMES if given.get(name) is not None}


_WORDS = {
    "customer": tr("customer"),
    "order": trc("of a customer", "order"),
    "machine_serial": tr("machine serial"),
    "tester": tr("tester"),
    "place": trc("where", "place"),
    "room_temperature_c": tr("room temperature"),
    "circuit": trc("mains", "circuit"),
}
