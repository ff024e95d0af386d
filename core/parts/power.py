"""What feeds the machine: PSU, cables and UPS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from core.parts.values import ConnectorCount, Few, NoisePoint, Positive, Rows, Value
from core.parts.vocabulary import Category, EfficiencyLevel, Inlet, Modularity, PowerConnector, PsuFormFactor


class CableSet(Value):
    """Cables of one kind that leave a PSU, each an independent line from the 12 V rail."""

    kind: PowerConnector
    cables: Few
    connectors_per_cable: Few = 1
    further_kind: PowerConnector | None = None
    """What the plugs behind the first are, where they are of another kind."""
    rated_w: Positive | None = None
    """Per connector, where the maker or the sense pins say so."""
    length_mm: Positive | None = None

    @property
    def plugs(self) -> int:
        """Plugs of `kind`, on all these cables."""
        return self.cables * (self.connectors_per_cable if self.further_kind is None else 1)


class EfficiencyPoint(Value):
    """Measured or certified efficiency."""

    load_pct: Annotated[float, Field(gt=0, le=110)]
    efficiency_pct: Annotated[float, Field(ge=30, lt=100)]
    input_v: Positive


class InputLimit(Value):
    """Output that a PSU can give at a mains voltage."""

    from_v: Positive
    to_v: Positive
    power_w: Positive


class FanSpeed(Value):
    """How fast a power supply's fan turns at a steady output."""

    load_w: Positive
    rpm: Annotated[float, Field(ge=0)]


class PsuSpec(Value):
    """A power supply."""

    category: Literal[Category.PSU] = Category.PSU
    power_w: Positive | None = None
    form_factor: PsuFormFactor | None = None
    efficiency_level: EfficiencyLevel | None = None
    modular: Modularity | None = None
    efficiency: Rows[EfficiencyPoint] = ()
    atx_version: str | None = None
    current_12v_a: Positive | None = None
    single_rail: bool | None = None
    input_limits: Rows[InputLimit] | None = None
    inlet: Inlet | None = None
    cables: Rows[CableSet] | None = None
    """Empty: a module with a card edge, whose chassis feeds board and cards from its own distribution board."""
    connectors: Rows[ConnectorCount] | None = None
    """Plugs in total by kind, where it is not known which of them share a cable."""
    length_mm: Positive | None = None
    redundant: bool | None = None
    fan_size_mm: Positive | None = None
    fan_max_rpm: Positive | None = None
    fan_speeds: Rows[FanSpeed] = ()
    """Measured; with rising output."""
    fan_stop_below_pct: Annotated[float, Field(ge=0, le=100)] | None = None
    noise: Rows[NoisePoint] = ()

    def output_w(self, mains_v: float) -> float | None:
        """What it gives at this mains voltage, W: its rating where no limit is stated; None if that is unknown."""
        limit = input_limit(self.input_limits or (), mains_v)
        return min(self.power_w, limit.power_w) if self.power_w is not None and limit else self.power_w


def input_limit(limits: Sequence[InputLimit], mains_v: float) -> InputLimit | None:
    """The stated range of mains voltages that this one lies in."""
    return next((limit for limit in limits if limit.from_v <= mains_v <= limit.to_v), None)


class CableSpec(Value):
    """A power cable or adapter that is bought by itself."""

    category: Literal[Category.CABLE] = Category.CABLE
    source_kind: PowerConnector | None = None
    source_count: Few | None = None
    target_kind: PowerConnector | None = None
    target_count: Few | None = None
    rated_w: Positive | None = None
    length_mm: Positive | None = None


class UpsSpec(Value):
    """An uninterruptible power supply."""

    category: Literal[Category.UPS] = Category.UPS
    power_w: Positive | None = None
    apparent_va: Positive | None = None
    pure_sine: bool | None = None
    input_v: Positive | None = None
    inlet: Inlet | None = None
    runtime_full_min: Positive | None = None
    runtime_half_min: Positive | None = None
