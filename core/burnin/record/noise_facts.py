"""Readings of a sound level meter that a user tells about a run. Kept with their dates beside its other facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.burnin.record.run_facts import FactChange
from core.errors import BadInput
from core.language import tr
from core.refusal import first_refusal
from core.units import quantity

PREFIX = "noise_"
ORIGIN = PREFIX + "origin"
"""How the newest levels came to be known."""
TYPED, _IMPORTED = "typed", "imported from "
USUAL_M = 1.0
Level = Annotated[float, Field(ge=5, le=120, allow_inf_nan=False)]


class NoiseFacts(BaseModel):
    """As they stand now, and the border for what options and files tell. None where nobody told one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    idle_dba: Level | None = None
    """A-weighted, as the meter showed it: the noise of the room is in it."""
    load_dba: Level | None = None
    """The same in training."""
    distance_m: Annotated[float, Field(ge=0.1, le=20, allow_inf_nan=False)] | None = None
    """From the surface of the case to meter or microphone."""
    background_dba: Annotated[float, Field(ge=0, le=90, allow_inf_nan=False)] | None = None
    """The room without the machine."""

    @property
    def distance(self) -> float:
        """In m; where nobody told one, that of the predictions."""
        return USUAL_M if self.distance_m is None else self.distance_m


@dataclass(frozen=True, slots=True)
class ToldNoise:
    """The facts and how they came to be known."""

    facts: NoiseFacts
    origin: str
    """ "entered", or "imported from meter.csv"; "" where no level was told."""


def told_noise(file: Path | None = None, /, **given: object) -> dict[str, str]:
    """Checks readings that somebody typed or a file has, for `RunStore.set_facts`. Raises BadInput.

    Only what is told is changed; what was told of another moment stays.
    """
    try:
        facts = NoiseFacts.model_validate(given)
    except ValidationError as error:
        place, reason = first_refusal(error)
        name, _, unit = place.rpartition("_")
        raise BadInput(
            tr(
                "The {what} cannot be saved: {reason} ({unit}).",
                what=_WHAT.get(place, name),
                reason=reason,
                unit=_UNIT.get(unit, unit),
            )
        ) from error
    told = {PREFIX + name: f"{value:g}" for name, value in facts.model_dump().items() if value is not None}
    has_level = facts.idle_dba is not None or facts.load_dba is not None
    return told | ({ORIGIN: f"{_IMPORTED}{file.name[:80]}" if file else TYPED} if has_level else {})


def taken_back(names: Iterable[str]) -> dict[str, str]:
    """Readings that hold no longer, by their names in NoiseFacts, for `RunStore.set_facts`. They stay on record."""
    return {PREFIX + name: "" for name in names}


def noise_of(changes: Sequence[FactChange]) -> ToldNoise:
    """What was told of a run's noise, as it stands now."""
    newest = {change.name.removeprefix(PREFIX): change.value for change in changes if change.name.startswith(PREFIX)}
    origin = _origin_words(newest.pop("origin", ""))
    known = {name: value for name, value in newest.items() if value and name in NoiseFacts.model_fields}
    try:
        return ToldNoise(NoiseFacts.model_validate(known), origin)
    except ValidationError:  # a record that somebody changed: nothing of it is shown as measured
        return ToldNoise(NoiseFacts(), "")


def _origin_words(kept: str) -> str:
    """What was kept as "typed", or "imported from meter.csv"."""
    file = kept.removeprefix(_IMPORTED)
    if file != kept:
        return tr("imported from {file}", file=file)
    return tr("entered") if kept == TYPED else kept


def level_text(level_dba: float) -> str:
    """ "44.2 dBA"."""
    return quantity(level_dba, "dBA", decimals=1)


_WHAT = {"idle_dba": tr("idle level"), "load_dba": tr("level under load"), "background_dba": tr("background level")}
_UNIT = {"dba": "dBA"}
