"""What a user tells about a run, kept with its dates: for whom the machine is, who tested it and where; readings of a
sound level meter; power at the wall from the file of a meter, with the file's digest. Not measured here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from core.platform.errors import BadInput
from core.predict.conditions import LoadCase
from core.words import tr, trc
from core.words.refusal import first_refusal, refused_as
from core.words.units import quantity

MOST_LETTERS = 200
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MOST_LETTERS)]
_NUMBER = TypeAdapter(float)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """As they stand now; "" where nobody told one."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    customer: Text = ""
    order: Text = ""
    machine_serial: Text = ""
    tester: Text = ""
    place: Text = ""
    room_temperature_c: Annotated[str, BeforeValidator(lambda number: f"{_NUMBER.validate_python(number):g}")] = ""
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


_RUN_FACTS = TypeAdapter(RunFacts)


def told_facts(**typed: str | float | None) -> dict[str, str]:
    """Checks facts that somebody typed; None leaves one as it is. Raises BadInput naming one that cannot be kept."""
    with refused_as(
        lambda place, reason: tr("The {what} cannot be saved: {reason}.", what=_WORDS.get(place, place), reason=reason)
    ):
        facts = _RUN_FACTS.validate_python({name: value for name, value in typed.items() if value is not None})
    return {name: getattr(facts, name) for name in FACT_NAMES if typed.get(name) is not None}


_WORDS = {
    "customer": tr("customer"),
    "order": trc("of a customer", "order"),
    "machine_serial": tr("machine serial"),
    "tester": tr("tester"),
    "place": trc("where", "place"),
    "room_temperature_c": tr("room temperature"),
    "circuit": trc("mains", "circuit"),
}


NOISE, WALL = "noise_", "wall_"
"""What the names of these facts begin with, among all that was told about a run."""
_Model = TypeVar("_Model", bound=BaseModel)


def _newest(changes: Sequence[FactChange], prefix: str) -> dict[str, str]:
    """The facts with this prefix as they stand now, without it."""
    return {change.name.removeprefix(prefix): change.value for change in changes if change.name.startswith(prefix)}


def _validated(model: type[_Model], newest: Mapping[str, str]) -> _Model | None:
    """None of a record that somebody changed: nothing of it is shown as measured."""
    try:
        return model.model_validate(
            {name: text for name, text in newest.items() if text and name in model.model_fields}
        )
    except ValidationError:
        return None


ORIGIN = NOISE + "origin"
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


def told_noise(file: Path | None = None, /, **typed: object) -> dict[str, str]:
    """Checks readings that somebody typed or a file has, for `RunStore.set_facts`. Raises BadInput.

    Only what is told is changed; what was told of another moment stays.
    """
    try:
        facts = NoiseFacts.model_validate(typed)
    except ValidationError as error:
        place, reason = first_refusal(error)
        name, _, unit = place.rpartition("_")
        fields = {"what": _WHAT.get(place, name), "reason": reason, "unit": _UNIT.get(unit, unit)}
        raise BadInput(tr("The {what} cannot be saved: {reason} ({unit}).", **fields)) from error
    texts = {NOISE + name: f"{value:g}" for name, value in facts.model_dump().items() if value is not None}
    has_level = facts.idle_dba is not None or facts.load_dba is not None
    return texts | ({ORIGIN: f"{_IMPORTED}{file.name[:80]}" if file else TYPED} if has_level else {})


def taken_back(names: Iterable[str]) -> dict[str, str]:
    """Readings that hold no longer, by their names in NoiseFacts, for `RunStore.set_facts`. They stay on record."""
    return {NOISE + name: "" for name in names}


def noise_of(changes: Sequence[FactChange]) -> ToldNoise:
    """What was told of a run's noise, as it stands now."""
    newest = _newest(changes, NOISE)
    facts = _validated(NoiseFacts, newest)
    return ToldNoise(NoiseFacts(), "") if facts is None else ToldNoise(facts, _origin_words(newest.get("origin", "")))


def _origin_words(recorded: str) -> str:
    """For what is recorded as "typed", or "imported from meter.csv"."""
    if recorded.startswith(_IMPORTED):
        return tr("imported from {file}", file=recorded.removeprefix(_IMPORTED))
    return tr("entered") if recorded == TYPED else recorded


def level_text(level_dba: float) -> str:
    """ "44.2 dBA"."""
    return quantity(level_dba, "dBA", decimals=1)


_WHAT = {"idle_dba": tr("idle level"), "load_dba": tr("level under load"), "background_dba": tr("background level")}
_UNIT = {"dba": "dBA"}


DETAILS = tuple(WALL + name for name in ("load", "file", "sha256", "column", "form", "offset_s"))
"""What tells of the file beside its figures."""
Watts = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class WallFacts(BaseModel):
    """What the newest file told; None where it told nothing of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    idle_w: Watts | None = None
    load_w: Watts | None = None
    load: LoadCase | None = None
    """Which load that was: of products and training, or of everything at once."""
    file: str = ""
    sha256: str = ""
    column: str = ""
    form: str = ""
    """How the file tells the watts: a value of `core.machine.tables.wall_table.WallForm`."""
    offset_s: float = 0.0
    """By how much its clock was shifted to fit the run's."""

    def changes(self) -> dict[str, str]:
        """For `RunStore.set_facts`. What an earlier file told and this one does not is taken back."""
        values = {name: "" if value is None else value for name, value in self.model_dump(mode="json").items()}
        return {WALL + name: value if isinstance(value, str) else f"{value:g}" for name, value in values.items()}


def wall_of(changes: Sequence[FactChange]) -> WallFacts | None:
    """As it stands now; None where no file was attached."""
    facts = _validated(WallFacts, _newest(changes, WALL))
    return facts if facts and (facts.idle_w is not None or facts.load_w is not None) else None


def attached_at(changes: Sequence[FactChange]) -> str:
    """When the newest file was attached, UTC in ISO 8601; "" where none was."""
    return next((change.at for change in reversed(changes) if change.name == WALL + "sha256" and change.value), "")


def attached_loads(facts: WallFacts) -> dict[LoadCase, float]:
    """Watts by the load that they are of."""
    watts_by_load = ((LoadCase.IDLE, facts.idle_w), (facts.load or LoadCase.TRAINING, facts.load_w))
    return {load: watts for load, watts in watts_by_load if watts is not None}
