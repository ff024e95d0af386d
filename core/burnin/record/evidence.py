"""What a stage finds on a device beside what its load tells, as values. They are written and read as the load's are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.loads.evidence import read


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEvidence:
    """Of any stage."""

    warnings: tuple[str, ...] = ()
    needs: str = ""
    """What the device lacks for the stage, in words; "" where it lacks nothing."""
    killed_from_outside: bool = False
    """Of a worker that died: not by its own doing nor by the device's."""
    because_of: str = ""
    """Id of another device of its group that ended the stage for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerEvidence:
    """Mean power in W by number format: in the turns of one stage, or as the sweep before it measured."""

    power_by_format_w: Mapping[str, float] | None = None
    power_in_turns_w: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakEvidence:
    """What a soak shows of cooling and power: medians of the last window, and how far the speed fell since minute 2."""

    steady_after_s: float | None
    steady_temperature_c: float | None
    steady_memory_temperature_c: float | None
    steady_margin_c: float | None
    steady_power_w: float | None
    share_of_limit_pct: float | None
    """Of the power limit in force."""
    drift_pct: float | None
    clock_drift_pct: float | None
    power_held_by: str | None
    """A `Limiter`: what kept the card's power where it was."""
    power_held_pct: float | None
    """With its share of the time."""
    held_back_by: tuple[str, ...] | None
    """Why clocks were lowered, by the titles of core.machine.telemetry.throttle."""
    held_back_codes: tuple[str, ...] | None = None
    """The same by its names; None in recordings of earlier versions."""


def warned(evidence: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """Evidence as it is recorded, with these warnings after its own."""
    own = read(StageEvidence, evidence).warnings
    return {**evidence, "warnings": [*own, *more]} if more else dict(evidence)
