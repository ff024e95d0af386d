"""What feeds the machine: PSU, cables, UPS and PDU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, model_validator

from core.parts.figure import Discontinued, Figure, WordedValue
from core.parts.values import Few, NoisePoint, Positive, Rows, Value, plugs_words
from core.parts.vocabulary import (
    Category,
    EfficiencyLevel,
    Inlet,
    MainsOutlet,
    MainsPlug,
    Metering,
    Modularity,
    PowerConnector,
    PsuFormFactor,
)
from core.words import joined, plain, tr

PINS_16 = frozenset({PowerConnector.PCIE_16PIN, PowerConnector.PCIE_16PIN_2X6})
ATX3_ABOVE_W = 450.0
"""A PSU of more than this is made to ATX 3 only with a 16-pin plug (Intel ATX 3.0 design guide)."""


class CableSet(Value):
    """Cables of one kind that leave a PSU, each an independent line from the 12 V rail; or how many plugs they have,
    where it is not known which of them share a cable."""

    kind: PowerConnector
    cables: Few | None = None
    connectors_per_cable: Few = 1
    total_plugs: Annotated[Few | None, Field(validation_alias=AliasChoices("total_plugs", "count"))] = None
    """Instead of `cables`: plugs that were counted. Files of old say `count`."""
    further_kind: PowerConnector | None = None
    """What the plugs behind the first are, where they are of another kind."""
    rated_w: Annotated[Positive | None, Figure("rated power")] = None
    """Per connector, where the maker or the sense pins say so."""
    length_mm: Positive | None = None

    @model_validator(mode="after")
    def _told_once(self) -> CableSet:
        if (self.cables is None) == (self.total_plugs is None):
            raise ValueError(tr("a row of cables has either cables or total_plugs"))
        return self

    @property
    def plugs(self) -> int:
        """Plugs of `kind`, on all these cables."""
        return self.total_plugs or (self.cables or 0) * (self.connectors_per_cable if self.further_kind is None else 1)


class EfficiencyPoint(Value):
    """Measured or certified efficiency."""

    load_pct: Annotated[float, Field(gt=0, le=110)]
    efficiency_pct: Annotated[float, Field(ge=30, lt=100)]
    input_v: Annotated[Positive, Figure("mains voltage")]


class InputLimit(Value):
    """Output that a PSU can give at a mains voltage."""

    from_v: Positive
    to_v: Positive
    power_w: Positive


class PeakOutput(Value):
    """What a PSU gives for a short time without switching off, over its rating."""

    window_ms: Annotated[float, Field(gt=0, le=60_000)]
    factor: Annotated[float, Field(ge=1, le=5)]


class FanSpeed(Value):
    """How fast a PSU's fan turns at a steady output."""

    load_w: Positive
    rpm: Annotated[float, Field(ge=0)]


_GRAPHICS_PLUGS = (PowerConnector.PCIE_8PIN, PowerConnector.PCIE_16PIN, PowerConnector.PCIE_16PIN_2X6)


def _graphics_plugs(spec: PsuSpec) -> str | None:
    plugs = {kind: sum(row.plugs for row in spec.cables or () if row.kind is kind) for kind in _GRAPHICS_PLUGS}
    return joined([plugs_words(kind, count) or "" for kind, count in plugs.items() if count], ", ") or None


class PsuSpec(Value):
    """A power supply (PSU)."""

    category: Literal[Category.PSU] = Category.PSU
    power_w: Annotated[Positive | None, Figure(within=(100, 6000), decides=True, short=1, opendb="wattage")] = None
    form_factor: Annotated[PsuFormFactor | None, Figure(decides=True, opendb="form_factor")] = None
    efficiency_level: Annotated[EfficiencyLevel | None, Figure(decides=True, short=2, opendb="efficiency_rating")] = (
        None
    )
    modular: Annotated[Modularity | None, Figure(opendb="modular")] = None
    efficiency: Rows[EfficiencyPoint] = ()
    atx_version: str | None = None
    current_12v_a: Annotated[Positive | None, Figure("12 V current", within=(5, 500))] = None
    single_rail: bool | None = None
    input_limits: Rows[InputLimit] | None = None
    peaks: Annotated[Rows[PeakOutput], Figure("peak output")] = ()
    """Stated by its maker; without any, what units of its kind bear."""
    inlet: Annotated[Inlet | None, Figure(decides=True)] = None
    cables: Annotated[Rows[CableSet] | None, Figure(decides=True, short=(3, _graphics_plugs))] = None
    """Empty: a module with a card edge, whose chassis feeds board and cards from its own distribution board."""
    cables_incomplete: bool = False
    """`cables` name some kinds of plug, at least so many of each: how many others there are is not known. A shop that
    lists a 16-pin plug or two CPU plugs does not say that there are no more."""
    cable_sockets: Annotated[Few | None, Figure("sockets for PCIe and EPS cables", within=(1, 40))] = None
    """Of a modular PSU whose PCIe and EPS cables go into the same sockets: a 600 W cable of the maker's takes two of
    them, whichever cable was there."""
    length_mm: Annotated[Positive | None, Figure(within=(60, 500), decides=True, short=4, opendb="length")] = None
    redundant: bool | None = None
    fan_size_mm: Annotated[Positive | None, Figure(within=(30, 150))] = None
    fan_max_rpm: Annotated[Positive | None, Figure("highest fan speed", within=(500, 40000))] = None
    fan_speeds: Rows[FanSpeed] = ()
    """Measured; with rising output."""
    fan_stop_below_pct: Annotated[Annotated[float, Field(ge=0, le=100)] | None, Figure("fan start load")] = None
    noise: Rows[NoisePoint] = ()
    discontinued: Discontinued = None

    @property
    def gives_12v_alone(self) -> bool:
        """Whether nothing of it starts a board: a server module on a breakout board, or one that its chassis takes."""
        if self.cables is None or self.cables_incomplete:
            return False
        return all(row.kind is not PowerConnector.ATX_24PIN for row in self.cables)

    @property
    def made_for_servers(self) -> bool:
        """Whether it is built to the rules of server PSUs, which switch off sooner than ATX ones."""
        of_no_standard = self.form_factor in (None, PsuFormFactor.PROPRIETARY)
        return self.form_factor in _SERVER_FORMS or (of_no_standard and self.gives_12v_alone)

    @property
    def is_atx3(self) -> bool:
        """Whether it is made to ATX 3, for the power peaks of today's cards; one of unknown version counts as old."""
        return (self.atx_version or "").startswith("3")

    @property
    def before_atx3(self) -> bool | None:
        """Whether it is not made to ATX 3, by its version or its plugs; None where neither tells."""
        if self.atx_version is not None:
            return not self.is_atx3
        if self.made_for_servers:
            return True
        kinds = {row.kind for row in self.cables or ()}
        if self.cables_incomplete and PINS_16.isdisjoint(kinds):
            return None
        return True if kinds and PINS_16.isdisjoint(kinds) and (self.power_w or 0.0) > ATX3_ABOVE_W else None

    def output_w(self, mains_v: float) -> float | None:
        """What it gives at this mains voltage, W: its rating where no limit is stated; None if that is unknown."""
        limit = input_limit(self.input_limits or (), mains_v)
        return min(self.power_w, limit.power_w) if self.power_w is not None and limit else self.power_w


_SERVER_FORMS = (PsuFormFactor.CRPS, PsuFormFactor.REDUNDANT_1U, PsuFormFactor.REDUNDANT_2U)


def input_limit(limits: Sequence[InputLimit], mains_v: float) -> InputLimit | None:
    """The stated range of mains voltages that this one lies in."""
    return next((limit for limit in limits if limit.from_v <= mains_v <= limit.to_v), None)


def _ends_words(spec: CableSpec) -> str | None:
    source = plugs_words(spec.source_kind, spec.source_count)
    target = plugs_words(spec.target_kind, spec.target_count)
    return tr("{source} to {target}", source=source, target=target) if source and target else source or target


class CableSpec(Value):
    """A power cable or adapter that is bought by itself."""

    category: Literal[Category.CABLE] = Category.CABLE
    source_kind: Annotated[PowerConnector | None, Figure(decides=True, short=(1, _ends_words))] = None
    source_count: Annotated[Few | None, Figure(decides=True)] = None
    target_kind: Annotated[PowerConnector | None, Figure(decides=True)] = None
    target_count: Annotated[Few | None, Figure(decides=True)] = None
    rated_w: Annotated[Positive | None, Figure("rated power", within=(10, 700), short=2)] = None
    length_mm: Annotated[Positive | None, Figure(within=(20, 2000), short=3)] = None
    discontinued: Discontinued = None


class UpsSpec(Value):
    """An uninterruptible power supply."""

    category: Literal[Category.UPS] = Category.UPS
    power_w: Annotated[Positive | None, Figure(within=(100, 200000), decides=True, short=1)] = None
    apparent_va: Annotated[Positive | None, Figure("apparent power", within=(100, 200000), decides=True, short=2)] = (
        None
    )
    pure_sine: Annotated[bool | None, Figure(short=(4, WordedValue(lambda _: tr("sine wave"))))] = None
    input_v: Annotated[Positive | None, Figure("mains voltage", within=(90, 480), short=3)] = None
    inlet: Annotated[Inlet | None, Figure(decides=True)] = None
    runtime_full_min: Annotated[Positive | None, Figure("runtime at full load")] = None
    runtime_half_min: Annotated[Positive | None, Figure("runtime at half load")] = None
    discontinued: Discontinued = None


class OutletCount(Value):
    """So many sockets of one kind."""

    kind: MainsOutlet
    count: Few


def _outlets_words(spec: PduSpec) -> str | None:
    rows = (plain("{number} x {outlet}", number=row.count, outlet=row.kind.label) for row in spec.outlets or ())
    return joined(rows, ", ") or None


NEMA_CONTINUOUS = 0.8
"""The share of a plug's rating that a PDU in North America may draw for hours (UL; NEC 210.19)."""


class PduSpec(Value):
    """A power distribution unit: one plug, many sockets. For one phase."""

    category: Literal[Category.PDU] = Category.PDU
    inlet: Annotated[MainsPlug | None, Figure(decides=True, short=1)] = None
    input_v: Annotated[Positive | None, Figure("mains voltage", within=(90, 480), decides=True, short=3)] = None
    current_a: Annotated[Positive | None, Figure("rated current", within=(5, 125), decides=True, short=2)] = None
    continuous_a: Annotated[Positive | None, Figure("continuous current", within=(4, 125))] = None
    """For hours, where its maker states it; else by its plug."""
    outlets: Annotated[Rows[OutletCount] | None, Figure(decides=True, short=(4, _outlets_words))] = None
    bank_breakers: Annotated[Few | None, Figure("outlet bank breakers", within=(1, 24))] = None
    bank_breaker_a: Annotated[Positive | None, Figure("bank breaker rating", within=(5, 63))] = None
    metering: Annotated[Metering | None, Figure(short=5)] = None
    discontinued: Discontinued = None

    @property
    def for_hours(self) -> float:
        """The share of a rating that it may carry for hours."""
        return NEMA_CONTINUOUS if self.inlet is not None and self.inlet.nema else 1.0
