"""Small values that the specs of several categories share. Lengths in mm, power in W, levels in dBA."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.parts.vocabulary import NoiseCondition, PowerConnector

Lanes = Literal[1, 2, 4, 8, 16]
Positive = Annotated[float, Field(gt=0)]
Whole = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Level = Annotated[float, Field(ge=0, le=120)]


class Value(BaseModel):
    """A frozen value read from text; unknown keys are refused so that a typing error cannot hide."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)


class ConnectorCount(Value):
    """So many sockets of one kind."""

    kind: PowerConnector
    count: Annotated[int, Field(ge=1)]


class NoisePoint(Value):
    """A measured or rated level."""

    condition: NoiseCondition
    level_dba: Level
    distance_m: Positive = 1.0
    rpm: Positive | None = None
    load_w: Positive | None = None
    """What the part drew or delivered meanwhile, W."""
