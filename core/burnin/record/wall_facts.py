"""Power at the wall that a user attaches to a run from the file of a meter: a fact with the file's digest, kept with
its date beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.burnin.record.run_facts import FactChange
from core.predict.conditions import LoadCase

PREFIX = "wall_"
DETAILS = tuple(PREFIX + name for name in ("load", "file", "sha256", "column", "form", "offset_s"))
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
    """How the file tells the watts: a value of `core.tables.wall_table.WallForm`."""
    offset_s: float = 0.0
    """By how much its clock was shifted to fit the run's."""

    def changes(self) -> dict[str, str]:
        """For `RunStore.set_facts`. What an earlier file told and this one does not is taken back."""
        fields = self.model_dump(mode="json")
        return {PREFIX + name: "" if value is None else _text(value) for name, value in fields.items()}


def wall_of(changes: Sequence[FactChange]) -> WallFacts | None:
    """As it stands now; None where no file was attached."""
    newest = {change.name.removeprefix(PREFIX): change.value for change in changes if change.name.startswith(PREFIX)}
    fields = {name: value for name, value in newest.items() if value and name in WallFacts.model_fields}
    try:
        facts = WallFacts.model_validate(fields)
    except ValidationError:  # a record that somebody changed: nothing of it is shown as measured
        return None
    return facts if facts.idle_w is not None or facts.load_w is not None else None


def attached_at(changes: Sequence[FactChange]) -> str:
    """When the newest file was attached, UTC in ISO 8601; "" where none was."""
    return next((change.at for change in reversed(changes) if change.name == PREFIX + "sha256" and change.value), "")


def attached_loads(facts: WallFacts) -> dict[LoadCase, float]:
    """Watts by the load that they are of."""
    watts_by_load = ((LoadCase.IDLE, facts.idle_w), (facts.load or LoadCase.TRAINING, facts.load_w))
    return {load: watts for load, watts in watts_by_load if watts is not None}


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
