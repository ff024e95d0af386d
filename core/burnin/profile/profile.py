"""A burn-in profile as a value: stages in their order, guards and criteria. Files of profiles are read elsewhere."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.burnin.profile.criteria import Criteria
from core.loads.dead_man import LEAST_WITHIN_S, WITHIN_S
from core.words import english, tr

CHOSEN_STAGES = "stages"
"""Name of what runs where stages are chosen one by one, and no profile."""
Seconds = Annotated[float, Field(gt=0, le=7 * 24 * 3600)]


class ProfileModel(BaseModel):
    """What all parts of a profile share."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)


class StageSettings(ProfileModel):
    """One stage of the run."""

    kind: str
    """Which stage; `rigwright profiles stages` lists them."""
    seconds: Seconds
    """How long it takes; a stage that can end by itself takes no longer."""
    title: str = ""
    """Shown in place of the kind's own title."""
    params: dict[str, Any] = {}
    """Parameters of the stage and its load; each kind has its own."""


class OwnLimit(ProfileModel):
    """A limit that the user sets on a metric."""

    metric: str
    """Any metric that is recorded, such as temperature_c, memory_temperature_c or power_w."""
    above: float | None = None
    """Breached at this value and above."""
    below: float | None = None
    """Breached at this value and below; a limit has either of the two."""
    for_s: Seconds = 10
    hysteresis: Annotated[float, Field(ge=0)] = 0
    """How far the value must come back before its time is over."""
    device: Literal["all", "gpu", "cpu", "wall"] = "all"

    @model_validator(mode="after")
    def _one_bound(self) -> OwnLimit:
        if (self.above is None) == (self.below is None):
            raise ValueError(tr("give either above or below"))
        return self


class Guards(ProfileModel):
    """When the runner stops loads by itself."""

    temperature_c: Annotated[float, Field(gt=30, le=120)] | None = None
    """Own limit. Without it the device's slowdown temperature holds, where it is known."""
    margin_c: Annotated[float, Field(ge=-10, le=60)] = 0
    """Loads stop below this many degrees of margin to the limit that the driver enforces."""
    temperature_for_s: Seconds = 5
    """Temperature and margin may be beyond their limits for so long."""
    hysteresis_c: Annotated[float, Field(ge=0, le=20)] = 1
    """How far they must come back before that time is over."""
    fan_for_s: Seconds = 10
    """A fan may stand still, or turn much slower than before, for so long."""
    stalled_after_s: Seconds = 10
    """After so long without a heartbeat a worker is called stalled."""
    heartbeat_timeout_s: Seconds = 30
    """And after so long it is ended."""
    telemetry_timeout_s: Seconds = 10
    """Loads stop after so long without any measurement."""
    free_disk_mb: Annotated[float, Field(ge=0)] = 200
    free_memory_mb: Annotated[float, Field(ge=0)] = 300
    """Of the machine's main memory."""
    free_memory_for_s: Seconds = 5
    limits: tuple[OwnLimit, ...] = ()
    """Further limits, on any metric."""
    stagger_s: Annotated[float, Field(ge=0, le=60)] = 1
    """Between the starts of two loads where more than two begin, so that no breaker trips; a tenth of the stage's time
    is spent on it at most."""

    @property
    def unsupervised_s(self) -> float:
        """For how long a load goes on without a sign of life of the runner: no longer than any guard waits."""
        waits = (self.telemetry_timeout_s, self.temperature_for_s, self.fan_for_s, self.heartbeat_timeout_s)
        return max(LEAST_WITHIN_S, min(WITHIN_S, *waits, *(limit.for_s for limit in self.limits)))


class ProfileHead(ProfileModel):
    """What a profile says besides its stages."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: str
    description: str = ""
    guards: Guards = Guards()
    criteria: Criteria = Criteria()


class Profile(ProfileHead):
    """A named list of stages with its guards and criteria.

    A recorded profile may name kinds and parameters that this program does not know any more.
    """

    stages: Annotated[tuple[StageSettings, ...], Field(min_length=1)]

    @property
    def seconds(self) -> float:
        """Planned duration of all stages."""
        return sum(stage.seconds for stage in self.stages)


def profile_digest(profile: Profile) -> str:
    """SHA-256, hexadecimal, of all that a profile says, as canonical JSON in English: the same of equal profiles.

    Read once more, so that a default of 5 and a 5.0 from a file or a record are one value.
    """
    content = Profile.model_validate(english(profile.model_dump())).model_dump(mode="json")
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()
