"""What a build file may contain: the border that its text is held against, and the JSON Schema made of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from core.parts.part import Condition, Part
from core.plan.assumptions import DEFAULT_ASSUMPTIONS, Assumptions
from core.plan.budget import Budget
from core.plan.build import MAX_GENERATION, MAX_NAME, MAX_NOTES, SLOWEST_FANS
from core.plan.calibration import NOTHING, Calibration
from core.plan.line import MAX_QUANTITY, Role
from core.plan.mains import BY_ID, DEFAULT_REGION, MAX_CIRCUITS
from core.plan.seats import MAX_POSITION

VERSION = 4
"""2 added risers, limits, PSUs set for cards, circuits, assumptions, a calibration and set fans; 3 carriers and the
cards on them; 4 whether parts are new, used or
owned, and a budget. Earlier versions read the same, their parts as new."""
SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


_CONFIG = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def _schema_limits(**limits: Any) -> Any:
    """Limits for the schema alone: `Build` and its values refuse what lies outside, in words of their own."""
    return Field(json_schema_extra=limits)


_Position = Annotated[int, Field(ge=1, le=MAX_POSITION)] | Annotated[str, Field(pattern=r"^C[1-9][0-9]?/[1-9][0-9]?$")]
_Label = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class StoredLine(BaseModel):
    """A part of the machine."""

    model_config = _CONFIG
    part: str
    """The id of a part, of those below in "parts" or of the catalogue."""
    quantity: Annotated[int, Field(ge=1, le=MAX_QUANTITY)] = 1
    """How many of it."""
    slots: tuple[_Position, ...] = ()
    """Where its cards sit: slots of the board, counted from the CPU on, or "C1/2" for seat 2 of carrier 1 (carriers
    count in the order of part ids); fewer than the quantity leaves cards without one."""
    hosts: tuple[_Position | _Label | tuple[_Position | _Label, ...] | None, ...] = ()
    """What each carrier plugs into: a slot, the label of an M.2 socket or host port of the board, "C1/2" for a seat of
    another carrier, a list where one plug takes several ports; null is not plugged yet."""
    risers: tuple[int, ...] = ()
    """Those of the slots whose card is on a riser."""
    power_limit_w: Annotated[float | None, _schema_limits(minimum=1, maximum=5000)] = None
    """What each GPU may draw, W, as set in the driver; the card's own limit without it."""
    psus: Annotated[
        tuple[Annotated[int, Field(ge=1, le=MAX_QUANTITY)] | None, ...],
        Field(validation_alias=AliasChoices("psus", "supplies")),  # version 0.1 wrote supplies
    ] = ()
    """Which PSU feeds each of it, the machine's first is 1; null, and what is left out, is found by itself."""
    role: Role | None = None
    """What its GPUs are for: worker, display or spare; guessed by their size without it."""
    display: bool = False
    """Version 0.1 wrote it for the role "display"."""
    sockets: tuple[Annotated[str, Field(min_length=1, max_length=MAX_NAME)] | None, ...] = ()
    """M.2 or U.2 sockets of the board that its drives are in, by label; null, and what is left out, is chosen."""
    condition: Condition | None = None
    """Bought new or used, or owned, which costs nothing; as the build says without it."""


class StoredCircuit(BaseModel):
    """A mains circuit of the user's own."""

    model_config = _CONFIG | {"allow_inf_nan": False}
    voltage_v: Annotated[float, _schema_limits(minimum=90, maximum=420)]
    current_a: Annotated[float, _schema_limits(minimum=1, maximum=125)]
    continuous_share: Annotated[float, _schema_limits(minimum=0.3, maximum=1)] = 1.0
    """Of the rated current, what a load of hours may use."""


class BuildFile(BaseModel):
    """A build file of Rigwright: the parts of a machine by id, where cards sit, and the mains that feed it."""

    model_config = _CONFIG
    format: Literal["rigwright-build"]
    version: Literal[1, 2, 3, 4]
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    region: Annotated[str, _schema_limits(enum=list(BY_ID))] = DEFAULT_REGION
    """The mains where the machine stands."""
    notes: Annotated[str, Field(max_length=MAX_NOTES)] = ""
    custom_circuit: StoredCircuit | None = None
    """In the place of the region's circuit."""
    other_loads_w: Annotated[tuple[float, ...], _schema_limits(minItems=1, maxItems=MAX_CIRCUITS)] = (0.0,)
    """One entry for each circuit that feeds the machine: other loads on it, W. PSUs take the circuits in turn."""
    assumptions: Assumptions = DEFAULT_ASSUMPTIONS
    calibration: Calibration = NOTHING
    """What a measured run corrects in the predictions."""
    fan_share: Annotated[float | None, _schema_limits(minimum=SLOWEST_FANS, maximum=1)] = None
    """What case and radiator fans are set to in training, of their highest speed."""
    slot_generations: dict[
        Annotated[int, Field(ge=1, le=MAX_POSITION)], Annotated[int, Field(ge=1, le=MAX_GENERATION)]
    ] = {}
    """PCIe generations that slots are set to in the firmware, by slot: {"1": 3}; the others run as fast as they can."""
    condition: Condition = Condition.NEW
    """Of lines that do not say it: new, used or owned. What is no longer sold is bought used."""
    budget: Budget | None = None
    """What all parts may cost together."""
    lines: tuple[StoredLine, ...] = ()
    """The parts of the machine, each once with its quantity."""
    parts: dict[str, Part] = {}
    """Parts by id, so that the build opens anywhere; those of the catalogue may be left out."""


def build_schema() -> dict[str, Any]:
    """The JSON Schema of a build file, for editors and checks. What it refuses, `parse_build` refuses."""
    return {"$schema": SCHEMA_DIALECT, **BuildFile.model_json_schema(), "title": "Rigwright build"}
