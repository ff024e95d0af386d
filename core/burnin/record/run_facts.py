"""What a user tells about a run: for whom the machine is, who tested it, and where. Not measured, and never judged."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from core.errors import BadInput
from core.language import tr, trc
from core.refusal import first_refusal

MOST_LETTERS = 200
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MOST_LETTERS)]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """As they stand now; "" where nobody told one."""

    customer: str = ""
    order: str = ""
    machine_serial: str = ""
    tester: str = ""
    place: str = ""
    room_temperature_c: str = ""
    """°C, as somebody read it."""
    circuit: str = ""
    """The mains circuit: "230 V, 16 A"."""


FACT_NAMES = tuple(field.name for field in fields(RunFacts))


@dataclass(frozen=True, slots=True)
class FactChange:
    """One fact as it was told at a moment, UTC in ISO 8601; an empty value took it back."""

    at: str
    name: str
    value: str


class ToldFacts(BaseModel):
    """The border: what comes from options or fields of the window. None leaves a fact as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    customer: Text | None = None
    order: Text | None = None
    machine_serial: Text | None = None
    tester: Text | None = None
    place: Text | None = None
    room_temperature_c: float | None = None
    circuit: Text | None = None

    def told(self) -> dict[str, str]:
        """Name and text of each that was told."""
        given = {name: getattr(self, name) for name in FACT_NAMES}
        return {name: _text(value) for name, value in given.items() if value is not None}


def told_facts(**given: str | float | None) -> dict[str, str]:
    """Checks facts that somebody typed. Raises BadInput naming the one that cannot be kept."""
    try:
        return ToldFacts.model_validate(given).told()
    except ValidationError as error:
        place, reason = first_refusal(error)
        what = _WORDS.get(place, place)
        raise BadInput(tr("The {what} cannot be saved: {reason}.", what=what, reason=reason)) from error


_WORDS = {
    "customer": tr("customer"),
    "order": trc("of a customer", "order"),
    "machine_serial": tr("machine serial"),
    "tester": tr("tester"),
    "place": trc("where", "place"),
    "room_temperature_c": tr("room temperature"),
    "circuit": trc("mains", "circuit"),
}


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
