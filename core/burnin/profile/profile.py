"""A burn-in profile as a value: stages in their order, guards, and the thresholds of the verdict with their sources."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from core.loads.dead_man import LEAST_WITHIN_S, WITHIN_S
from core.words import english, tr

Share = Annotated[float, Field(ge=0, le=100)]
Kelvin = Annotated[float, Field(ge=0, le=60)]
Said = Annotated[str, BeforeValidator(english)]
"""Kept and recorded in English; `core.words.translated` says it in another language."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class CounterLimit(_Model):
    """How far a counter may rise in the run, or a state may stand. Unset: that outcome is never given."""

    metric: str
    """A metric that counts up, or a state."""
    warn_above: Annotated[float, Field(ge=0)] | None = None
    fail_above: Annotated[float, Field(ge=0)] | None = None
    per: Literal["run", "hour", "stage", "second", "state"] = "run"
    """What the figures count: the whole run, an hour or a second of it, its worst stage, or the highest state seen."""
    says: Said
    """What it means when it is exceeded."""
    says_one: Said = ""
    """The same of a single one; without it as of several."""
    source: Said


class ThrottleLimit(_Model):
    """For what share of the time under load clocks may be held back for one reason."""

    reason: str
    """The driver's word for the bit, such as SwThermalSlowdown."""
    metric: str | None = None
    """The counter of seconds where the driver has one; otherwise samples with the bit are counted."""
    warn_above_pct: Share | None = None
    fail_above_pct: Share | None = None
    source: Said


_DCGM = tr("DCGM diagnostic's default")
_ADVICE = tr("NVIDIA's GPU debug guidelines: reset or replace")
_ADVICE_CORRECTED = tr("NVIDIA's memory error management: replace a card whose remapping failed")
_ADVICE_PENDING = tr("NVIDIA's GPU debug guidelines: reset, then run again")
_OURS = tr("our proposal, not yet calibrated on many cards")

COUNTER_LIMITS = (
    CounterLimit(metric="ecc_uncorrected", fail_above=0, source=_ADVICE,
                 says=tr("uncorrectable memory errors"),
                 says_one=tr("uncorrectable memory error")),
    CounterLimit(metric="ecc_corrected", warn_above=0, per="hour", source=_ADVICE_CORRECTED,
                 says=tr("corrected memory errors an hour"),
                 says_one=tr("corrected memory error an hour")),
    CounterLimit(metric="sram_uncorrected", fail_above=0, source=_ADVICE, says=tr("uncorrected errors in caches"),
                 says_one=tr("uncorrected error in caches")),
    CounterLimit(metric="sram_worn", fail_above=0, per="state", source=_ADVICE,
                 says=tr("the SRAM error threshold at which the card is to be replaced")),
    CounterLimit(metric="remap_pending", warn_above=0, per="state", source=_ADVICE_PENDING,
                 says=tr("a pending row remapping: reset the card and run again")),
    CounterLimit(metric="remap_failed", fail_above=0, per="state", source=_ADVICE,
                 says=tr("a failed row remapping: replace the card")),
    CounterLimit(metric="remapped_uncorrected", fail_above=0, source=_ADVICE,
                 says=tr("memory rows remapped after uncorrected errors"),
                 says_one=tr("memory row remapped after uncorrected errors")),
    CounterLimit(metric="remapped_corrected", warn_above=0, source=_ADVICE,
                 says=tr("memory rows remapped after corrected errors"),
                 says_one=tr("memory row remapped after corrected errors")),
    CounterLimit(metric="retired_uncorrected", fail_above=0, source=_ADVICE,
                 says=tr("memory pages retired after an uncorrected error"),
                 says_one=tr("memory page retired after an uncorrected error")),
    CounterLimit(metric="retired_corrected", warn_above=0, source=_ADVICE,
                 says=tr("memory pages retired after repeated corrected errors"),
                 says_one=tr("memory page retired after repeated corrected errors")),
    CounterLimit(metric="retire_pending", fail_above=0, per="state", source=_ADVICE,
                 says=tr("a memory page pending retirement at the next restart")),
    CounterLimit(metric="pcie_replays", warn_above=0, fail_above=80, per="stage", source=_DCGM,
                 says=tr("PCIe replays in one stage"),
                 says_one=tr("PCIe replay in one stage")),
    CounterLimit(metric="aer_correctable", warn_above=0, fail_above=32 * 60, per="hour", source=_OURS,
                 says=tr("corrected PCIe errors an hour"),
                 says_one=tr("corrected PCIe error an hour")),
    CounterLimit(metric="aer_nonfatal", fail_above=0, source=_OURS, says=tr("uncorrected PCIe errors"),
                 says_one=tr("uncorrected PCIe error")),
    CounterLimit(metric="aer_fatal", fail_above=0, source=_OURS, says=tr("fatal PCIe errors"),
                 says_one=tr("fatal PCIe error")),
    CounterLimit(metric="nvlink_replays", fail_above=0, source=_DCGM, says=tr("NVLink replays"),
                 says_one=tr("NVLink replay")),
    CounterLimit(metric="nvlink_recoveries", fail_above=0, source=_DCGM, says=tr("NVLink recoveries"),
                 says_one=tr("NVLink recovery")),
    CounterLimit(metric="nvlink_crc", warn_above=0, fail_above=100, per="second", source=_DCGM,
                 says=tr("corrupted NVLink packets a second")),
    CounterLimit(metric="recovery_action", fail_above=0, per="state", source=_ADVICE,
                 says=tr("a recovery requested by the driver")),
)  # fmt: skip
BLIP_PCT = 0.1
"""Of the time under load: counters of nanoseconds rise a little whenever clocks change."""
THROTTLE_LIMITS = (
    ThrottleLimit(reason="HwSlowdown", fail_above_pct=0.1,
                  source=tr("NVIDIA: clocks are halved; may blip when they change")),
    ThrottleLimit(reason="HwThermalSlowdown", metric="throttle_hw_thermal_s", fail_above_pct=0,
                  source=tr("NVIDIA: the hardware halves the clocks because of heat")),
    ThrottleLimit(reason="HwPowerBrakeSlowdown", metric="throttle_power_brake_s", fail_above_pct=0,
                  source=tr("NVIDIA: PSU or chassis asks for less power")),
    ThrottleLimit(reason="SwThermalSlowdown", metric="throttle_sw_thermal_s", warn_above_pct=BLIP_PCT, fail_above_pct=1,
                  source=tr("the driver keeps GPU or memory below the operating temperature")),
    ThrottleLimit(reason="ApplicationsClocksSetting", warn_above_pct=BLIP_PCT, source=tr("a setting caps the clocks")),
    ThrottleLimit(reason="SyncBoost", metric="throttle_sync_boost_s", warn_above_pct=0,
                  source=tr("a boost group is set")),
    ThrottleLimit(reason="DisplayClockSetting", warn_above_pct=0, source=tr("a display fixes the clocks")),
)  # fmt: skip


class Criteria(_Model):
    """What the verdict asks for. Percentages and kelvin; "fail" is never nearer than "warn"."""

    max_errors: Annotated[int, Field(ge=0)] = 0
    """Wrong results in comparisons."""

    margin_warn_c: Kelvin = 5
    """WARN when the hottest sample came closer than this to the limit."""
    margin_note_c: Kelvin = 10
    """Said, without a warning, when it came closer than this."""
    over_limit_for_s: Annotated[float, Field(ge=0)] = 5
    """FAIL when the margin that the driver reports was below zero for longer."""
    memory_margin_warn_c: Kelvin = 5
    """The same for the memory, where it reports its temperature."""
    room_c: Annotated[float, Field(ge=-10, le=50)] | None = None
    """The room during the run. With it temperatures are also told for `worst_room_c`."""
    worst_room_c: Annotated[float, Field(ge=-10, le=60)] | None = None
    """The hottest room that the machine shall stand: FAIL when it would pass a limit there."""

    slower_than_best_warn_pct: Annotated[float, Field(gt=0, lt=100)] = 5
    slower_than_best_fail_pct: Annotated[float, Field(gt=0, lt=100)] = 10
    """Against the best device of the same model in the same stage: 10 % below fails in gpu-fryer too. Air-cooled cards
    differ by 3 % among themselves."""
    below_reference_warn_pct: Annotated[float, Field(gt=0, lt=100)] = 15
    below_reference_fail_pct: Annotated[float, Field(gt=0, lt=100)] = 30
    """Against what cards of the model were measured to do elsewhere, in training and products."""
    below_history_warn_pct: Annotated[float, Field(gt=0, lt=100)] = 5
    """Against the device's own best in earlier runs of the same stage."""
    bandwidth_warn_pct: Share = 80
    bandwidth_fail_pct: Share = 70
    """Of the memory's stated bandwidth: published tests reach 80 to 91 %."""
    peak_warn_pct: Share = 30
    """Of the peak that a card has at its clock: WARN when large products reach less and the driver gave no reason for
    lower clocks. Healthy cards reach 40 % and more."""
    peak_fail_pct: Share = 10
    """FAIL below this share of it, and of the memory's stated bandwidth even where the power limit was lowered."""
    clock_above_idle_fail_pct: Annotated[float, Field(ge=0)] = 20
    """FAIL when the clock rose no further than this above its idle clock under load; 0 judges no clock."""
    link_floor_pct: Share = 66
    """FAIL below this share of what the PCIe link could carry: floors of Azure's node checks, scaled by lanes."""
    unsteady_warn_pct: Share = 2
    unsteady_fail_pct: Share | None = None
    """Spread of the training speed over windows of ten seconds; ResNet-50 varied 0.1 to 0.6 % on 39 like machines.
    It fails nothing unless a limit is set: the host can be the reason as well as the card."""
    drift_warn_pct: Share = 3
    drift_fail_pct: Share = 8
    """Loss of speed from minutes 2 to 4 of a soak to its steady state."""
    coverage_warn_pct: Share = 95
    """Of the memory that was free for them, patterns must have reached; DCGM asks for 75 of all."""
    power_of_limit_note_pct: Share = 97
    """A soak that draws less than this share of the limit tells what held it; it is no fault by itself."""
    scaling_below_plan_warn_pct: Share = 10
    scaling_below_plan_fail_pct: Share | None = None
    """Data-parallel training slower than by the measured links without any overlap, by more than this. It fails nothing
    unless a limit is set: the model knows no stragglers, and is not yet calibrated on hardware."""
    all_reduce_warn_pct: Share = 25
    """Of the PCIe link that an all-reduce must reach between cards without direct access, which go through memory."""
    all_reduce_direct_warn_pct: Share = 55
    """The same with direct access."""
    all_reduce_nvlink_warn_pct: Share = 40
    """Of what a card's NVLinks carry each way that an all-reduce must reach where they join it to every other card."""
    nvlink_pair_warn_pct: Share = 50
    """Of what the NVLinks between two cards carry that a transfer between them must reach."""
    power_above_plan_warn_pct: Share = 5
    """Power and speed of a GPU beyond either end of what was predicted for the plan."""

    counters: tuple[CounterLimit, ...] = COUNTER_LIMITS
    throttling: tuple[ThrottleLimit, ...] = THROTTLE_LIMITS


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
