"""Power peaks of milliseconds, by window of time, against the capability of the PSUs. The rule on peaks reads the same.

Demand = steady power with everything at its limit + coincidence x sum of (peak - limit). The standard's windows are
made for one card: how many of several cards' peaks meet is an assumption of the build.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, computed_field

from core.parts.power import ATX3_ABOVE_W, PINS_16
from core.parts.specs import Excursion, GpuSpec, PsuSpec
from core.plan.build import Build
from core.plan.line import Line, Role
from core.plan.psus import in_boxes
from core.platform.json_value import JsonValue, PartId, Tenths
from core.predict.band import Band, Triple
from core.predict.components import DRAW_READS
from core.predict.conditions import LoadCase
from core.predict.power import PowerDraw
from core.words import tr, trc

PSU_READS: tuple[str, ...] = (*DRAW_READS, "psu.power_w", "psu.input_limits")
"""Figures that the demand and the capability of the PSUs come from."""

WINDOWS_MS = (0.1, 1.0, 10.0, 100.0, inf)
TITLES = ("100 µs", "1 ms", "10 ms", "100 ms", trc("of a power peak", "steady"))
DUTY = (0.05, 0.08, 0.125, 0.25, 1.0)
"""Share of the time for which a PSU must deliver the peak, at most. Windows, shares and multiples: Intel design guide
613768, table 3-3."""
PSU_ATX3 = (2.0, 1.8, 1.6, 1.2, 1.0)
"""Peak over output of an ATX 3 PSU above 450 W with a 16-pin plug."""
PSU_OTHER = (1.5, 1.45, 1.35, 1.1, 1.0)
"""Of any other."""
PSU_SERVER = (1.4, 1.4, 1.13, 1.13, 1.0)
"""Of server PSUs and of those on breakout boards: they switch off at 110 to 130 %. The least of four CRPS units of 460
to 1600 W: 1050 W of 750 W for 3 ms; 70 A of 62 A, 133 of 100, 175 of 133, 45 of 38 for 20 s (Intel Server System
P4000IP Technical Product Specification, tables 16, 35 and 56, 2.1.4.2; Server Chassis P4000S, table 57)."""


@dataclass(frozen=True, slots=True)
class Bearing(JsonValue):
    """Equal PSUs: what each gives at the build's mains voltage, and which multiples of it hold."""

    part_id: PartId
    count: int
    output_w: float | None
    atx3: Annotated[bool, Field(serialization_alias="atx3_with_16_pin")]
    """Whether it is made to ATX 3 and has a 16-pin plug."""
    multiples: tuple[float, ...]
    """Of its output, by window."""


def bearing(line: Line, spec: PsuSpec, mains_v: float) -> Bearing:
    """A line of PSUs. One of unknown ATX version counts as an old one."""
    modern = spec.is_atx3 and (spec.power_w or 0.0) > ATX3_ABOVE_W
    kinds = [row.kind for row in spec.cables or ()]
    atx3 = modern and not PINS_16.isdisjoint(kinds)
    return Bearing(line.part.id, line.quantity, spec.output_w(mains_v), atx3, _multiples(spec, atx3))


def _multiples(spec: PsuSpec, atx3: bool) -> tuple[float, ...]:
    """Its own peaks where its maker states them: each holds for shorter windows, too."""
    if spec.peaks:
        return tuple(
            max((peak.factor for peak in spec.peaks if window <= peak.window_ms), default=1.0) for window in WINDOWS_MS
        )
    return PSU_ATX3 if atx3 else PSU_SERVER if spec.made_for_servers else PSU_OTHER


def by_version(spec: PsuSpec) -> bool:
    """Whether its ATX version says what it bears."""
    return not (spec.peaks or spec.made_for_servers)


def unknown_figures(line: Line, spec: PsuSpec) -> tuple[str, ...]:
    """Figures ("part-id.field") without which the bounds are unknown, or taken lower than they may be."""
    fields = ["power_w"] if spec.power_w is None else []
    if spec.atx_version is None and by_version(spec):
        fields.append("atx_version")
    return tuple(f"{line.part.id}.{field}" for field in fields)


CARD_USUAL = (1.8, 1.6, 1.3, 1.1, 1.0)
"""Peak over limit of cards without a figure. RTX 5090: 1.57 below 1 ms, 1.43 at 1 to 5, 1.28 at 5 to 10, 1.09 at 10
to 20 ms; RTX 4090: 1.37; RTX 3090: about 1.7 at 1 ms, 1.4 at 10 ms (reviews)."""
PEAK_SPREAD: Triple = (0.85, 1.0, 1.15)
"""Peaks of one chip differ by load, board and sampling; general knowledge."""
CARD_CEM = 3.0
"""For 100 µs a 16-pin card of 300 to 600 W may take this multiple (PCIe CEM 5.0)."""
CEM_FROM_W = 300.0
CPU_PEAK = (1.5, 1.5, 1.5, 1.0, 1.0)
"""39 A up to 10 ms against 26 A for long (Intel ATX 3.0 design guide, table 2-1)."""
NEAR = 5.0
"""A figure holds for windows up to this factor away from its own."""
UNHELD_MS = 1.0
"""A limit that is set in the driver is a mean over many milliseconds: peaks so short or shorter pass it."""

_STEADY: Triple = (1.0, 1.0, 1.0)
_CPU_FACTORS: tuple[Triple, ...] = tuple((1.0, factor, factor) for factor in CPU_PEAK)


@dataclass(frozen=True, slots=True)
class Peaking:
    """All parts of one line. `limit_w` is what they draw at their limits, `own_w` what at the cards' own limits."""

    limit_w: Triple
    own_w: float
    factors: tuple[Triple, ...]
    """Peak over limit by window."""
    cem: float = 0.0
    """What PCIe allows for 100 µs, over the limit; 0 where the card has figures of its own, or no 16-pin socket."""

    def above_limit(self, at: int) -> Triple:
        """What a window's peaks add to the limits, W; short ones at the upper end to the own limit of each card."""
        (low, expected, high), factors = self.limit_w, self.factors[at]
        top = max(high, self.own_w) if WINDOWS_MS[at] <= UNHELD_MS else high
        return (factors[0] - 1) * low, (factors[1] - 1) * expected, factors[2] * top - high

    @property
    def above_limit_by_cem(self) -> float:
        """For 100 µs, should the cards take all that PCIe allows, W."""
        return (max(self.factors[0][1], self.cem) - 1) * self.limit_w[1]


def peaking(build: Build, power: PowerDraw) -> Iterator[Peaking]:
    """Every line of processors, and of GPUs that may be busy."""
    drawn, outside = {part.part_id: part.dc_w[LoadCase.EVERYTHING] for part in power.components}, in_boxes(build)
    if outside:
        drawn = {part.part_id: part.from_psus(LoadCase.EVERYTHING) for part in power.components}
    for line, spec in build.gpus():
        if build.role(line.part.id) is Role.SPARE:
            continue
        own_w = (spec.power_limit_w or 0.0) * (
            line.quantity - outside.get(line.part.id, 0) if outside else line.quantity
        )
        cem = CARD_CEM if _takes_cem(line, spec) else 0.0
        yield Peaking(drawn[line.part.id].triple, own_w, card_factors(spec.excursions), cem)
    for line, _ in build.cpus():
        yield Peaking(drawn[line.part.id].triple, 0.0, _CPU_FACTORS)


def card_factors(rows: tuple[Excursion, ...]) -> tuple[Triple, ...]:
    """Peak over limit in each window, at least 1: the card's own figures where one is near, else what others showed."""
    return _USUAL_FACTORS if not rows else _factors(rows)


def _factors(rows: tuple[Excursion, ...]) -> tuple[Triple, ...]:
    return tuple(
        _STEADY if window == inf else _spread(_nearest(rows, window) or usual)
        for window, usual in zip(WINDOWS_MS, CARD_USUAL, strict=True)
    )


def _nearest(rows: tuple[Excursion, ...], window_ms: float) -> float | None:
    near = (row.factor for row in rows if window_ms / NEAR <= row.window_ms <= window_ms * NEAR)
    return max(near, default=None)


def _spread(factor: float) -> Triple:
    low, expected, high = PEAK_SPREAD
    return max(1.0, factor * low), max(1.0, factor * expected), max(1.0, factor * high)


def _takes_cem(line: Line, spec: GpuSpec) -> bool:
    pins = any(row.kind in PINS_16 for row in spec.power_connectors or ())
    return pins and not spec.excursions and (line.limit_w or 0.0) >= CEM_FROM_W


_USUAL_FACTORS = _factors(())


UNHELD = tr(
    "A set power limit does not hold peaks of 1 ms or less: the high value counts them from the card's own limit."
)
SEVERAL = tr(
    "Peaks are checked for all PSUs together; one that feeds more than its share reaches its own limit sooner."
)
SERVER_STYLE = tr("A server PSU is assumed to deliver 140 % for 3 ms and 113 % beyond, as CRPS units do.")
OLD_STYLE = tr("A PSU without a stated ATX version is assumed to deliver peaks like one before ATX 3.")


@dataclass(frozen=True, slots=True)
class Window(JsonValue):
    """One length of time. `demand_w` is what is asked for at once, `allowed_w` what the PSUs must bear of it."""

    title: Annotated[str, Field(serialization_alias="window")]
    window_ms: Annotated[float, PlainSerializer(lambda length_ms: None if length_ms == inf else length_ms)]
    """Infinite for the steady state, which has none in JSON."""
    duty: float
    """Share of the time for which the PSUs must bear it, at most."""
    demand_w: Band
    allowed_w: float | None
    """None without a PSU, or with one of unknown power."""

    @computed_field
    @property
    def share(self) -> Band | None:
        """Demand over allowance."""
        return self.demand_w.times(1 / self.allowed_w).measured_in("") if self.allowed_w else None


@dataclass(frozen=True, slots=True)
class Excursions(JsonValue):
    """`windows`: the shortest first, the steady state last."""

    windows: tuple[Window, ...]
    psus: tuple[Bearing, ...]
    coincidence: float
    """Share of all peaks that meet in the same instant, as the build assumes it."""
    most_by_cem_w: Tenths
    """For 100 µs, should every 16-pin card without a figure take all that PCIe allows it."""
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def loaded_windows(self) -> tuple[Window, ...]:
        """The windows; none where nothing is fed by a PSU of the build, as in a system that feeds itself."""
        return self.windows if any(window.demand_w.high > 0 for window in self.windows) else ()

    @property
    def tightest(self) -> Window | None:
        """The window that uses most of what the PSUs must bear; None where that is unknown."""
        bounded = [window for window in self.windows if window.allowed_w]
        return max(bounded, key=lambda window: window.demand_w.expected / (window.allowed_w or inf), default=None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"windows": [], "tightest": self.tightest.title if self.tightest else None} | JsonValue.as_dict(self)


def predict_excursions(build: Build, power: PowerDraw) -> Excursions:
    """Pure. At the lower end cards are independent, and 1 / sqrt(N) of their peaks meet; at the upper end all do."""
    steady = power.dc_w[LoadCase.EVERYTHING]
    parts = tuple(peaking(build, power))
    lines = sorted(build.psus(), key=lambda pair: pair[0].part.id)
    psus = tuple(bearing(line, spec, build.circuit.voltage_v) for line, spec in lines)
    share = build.assumptions.coincidence
    meeting = (min(share, max(1, build.worker_count) ** -0.5), share, 1.0)
    windows = tuple(
        Window(title, window_ms, duty, _demand(steady, parts, at, meeting), _allowed(psus, at))
        for at, (title, window_ms, duty) in enumerate(zip(TITLES, WINDOWS_MS, DUTY, strict=True))
    )
    return Excursions(
        windows,
        psus,
        share,
        steady.expected + share * fsum(part.above_limit_by_cem for part in parts),
        tuple(_assumed(build, psus)),
        tuple(name for line, spec in lines for name in unknown_figures(line, spec)),
    )


def _demand(steady: Band, parts: Sequence[Peaking], at: int, meeting: Triple) -> Band:
    above = [part.above_limit(at) for part in parts]
    low, expected, high = (share * fsum([row[side] for row in above]) for side, share in enumerate(meeting))
    return Band(steady.low + low, steady.expected + expected, steady.high + high, "W", missing=steady.missing)


def _allowed(psus: Sequence[Bearing], at: int) -> float | None:
    outputs = [psu.output_w for psu in psus]
    if not outputs or None in outputs:
        return None
    return fsum((psu.output_w or 0.0) * psu.count * psu.multiples[at] for psu in psus)


def _assumed(build: Build, psus: Sequence[Bearing]) -> Iterator[str]:
    cards = list(build.workers())
    if not cards:
        return
    percent = 100 * build.assumptions.coincidence
    if build.worker_count == 1:
        yield tr("Power peaks: {percent:.0f} % coincide.", percent=percent)
    else:
        yield tr(
            "Power peaks: {percent:.0f} % coincide; the band runs from independent cards to all in lockstep.",
            percent=percent,
        )
    if any(not spec.excursions for _, spec in cards):
        yield tr(
            "Cards without a peak figure are assumed to draw {factor:g} times their limit for 1 ms, "
            "as other cards did.",
            factor=CARD_USUAL[1],
        )
    if any(line.power_limit_w is not None for line, _ in cards):
        yield UNHELD
    if any(spec.atx_version is None and by_version(spec) for _, spec in build.psus()):
        yield OLD_STYLE
    if any(spec.made_for_servers and not spec.peaks for _, spec in build.psus()):
        yield SERVER_STYLE
    if sum(psu.count for psu in psus) > 1:
        yield SEVERAL
