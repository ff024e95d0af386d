"""The peaks of a build by window against what its supplies must bear. The rule on peaks reads the same figures.

Demand = steady power with everything at its limit + coincidence x sum of (peak - limit). The standard's windows are
made for one card: how many of several cards' peaks meet is an assumption of the build.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import Any

from core.build.build import Build
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.excursions.peaking import CARD_USUAL, Peaking, peaking
from core.predict.excursions.windows import DUTY, TITLES, WINDOWS_MS, Bearing, bearing, unknown_figures
from core.predict.load import Load
from core.predict.power import Power
from core.predict.thermal.spread import Triple

UNHELD = "A set power limit does not hold peaks of 1 ms or less: at the upper end they rise from the card's own limit."
SEVERAL = "Peaks count for all supplies together; one that feeds more than its share reaches its own bounds sooner."
OLD_STYLE = "A PSU without a stated ATX version delivers peaks as those before ATX 3 do."


@dataclass(frozen=True, slots=True)
class Window:
    """One length of time. `demand_w` is what is asked for at once, `allowed_w` what the supplies must bear of it."""

    title: str
    window_ms: float
    """Infinite for the steady state."""
    duty: float
    """Share of the time for which the supplies must bear it, at most."""
    demand_w: Band
    allowed_w: float | None
    """None without a supply, or with one of unknown power."""

    @property
    def share(self) -> Band | None:
        """Demand over allowance."""
        return self.demand_w.times(1 / self.allowed_w).measured_in("") if self.allowed_w else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the steady state has no window."""
        return {
            "window": self.title,
            "window_ms": None if self.window_ms == inf else self.window_ms,
            "duty": self.duty,
            "demand_w": self.demand_w.as_dict(),
            "allowed_w": self.allowed_w,
            "share": self.share.as_dict() if self.share else None,
        }


@dataclass(frozen=True, slots=True)
class Excursions:
    """`windows`: the shortest first, the steady state last."""

    windows: tuple[Window, ...]
    supplies: tuple[Bearing, ...]
    coincidence: float
    """Share of all peaks that meet in the same instant, as the build assumes it."""
    most_by_cem_w: float
    """For 100 µs, should every 16-pin card without a figure take all that PCIe allows it."""
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def tightest(self) -> Window | None:
        """The window that uses most of what the supplies must bear; None where that is unknown."""
        known = [window for window in self.windows if window.allowed_w]
        return max(known, key=lambda window: window.demand_w.expected / (window.allowed_w or inf), default=None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "windows": [window.as_dict() for window in self.windows],
            "tightest": self.tightest.title if self.tightest else None,
            "supplies": [supply.as_dict() for supply in self.supplies],
            "coincidence": self.coincidence,
            "most_by_cem_w": round(self.most_by_cem_w, 1),
            "assumptions": list(self.assumptions),
            "missing": list(self.missing),
        }


def predict_excursions(build: Build, power: Power) -> Excursions:
    """Pure. At the lower end cards are independent, and 1 / sqrt(N) of their peaks meet; at the upper end all do."""
    steady = power.dc_w[Load.EVERYTHING]
    parts = tuple(peaking(build, power))
    lines = sorted(build.psus(), key=lambda pair: pair[0].part.id)
    supplies = tuple(bearing(line, spec, build.circuit.voltage_v) for line, spec in lines)
    share = build.assumptions.coincidence
    meeting = (min(share, max(1, build.count(Category.GPU)) ** -0.5), share, 1.0)
    windows = tuple(
        Window(title, window_ms, duty, _demand(steady, parts, at, meeting), _allowed(supplies, at))
        for at, (title, window_ms, duty) in enumerate(zip(TITLES, WINDOWS_MS, DUTY, strict=True))
    )
    return Excursions(
        windows,
        supplies,
        share,
        steady.expected + share * fsum(part.above_limit_by_cem for part in parts),
        tuple(_assumed(build, supplies)),
        tuple(name for line, spec in lines for name in unknown_figures(line, spec)),
    )


def _demand(steady: Band, parts: Sequence[Peaking], at: int, meeting: Triple) -> Band:
    above = [part.above_limit(at) for part in parts]
    low, expected, high = (share * fsum([row[side] for row in above]) for side, share in enumerate(meeting))
    return Band(steady.low + low, steady.expected + expected, steady.high + high, "W", missing=steady.missing)


def _allowed(supplies: Sequence[Bearing], at: int) -> float | None:
    outputs = [supply.output_w for supply in supplies]
    if not outputs or None in outputs:
        return None
    return fsum((supply.output_w or 0.0) * supply.count * supply.multiples[at] for supply in supplies)


def _assumed(build: Build, supplies: Sequence[Bearing]) -> Iterator[str]:
    cards = list(build.gpus())
    if not cards:
        return
    ends = "" if build.count(Category.GPU) == 1 else ", from those of independent cards to all in lockstep at the ends"
    yield f"Power peaks: {100 * build.assumptions.coincidence:.0f} % of all meet in the same instant{ends}."
    if any(not spec.excursions for _, spec in cards):
        yield f"Cards without a figure of their peaks take {CARD_USUAL[1]:g} times their limit for 1 ms, as others did."
    if any(line.power_limit_w is not None for line, _ in cards):
        yield UNHELD
    if any(spec.atx_version is None for _, spec in build.psus()):
        yield OLD_STYLE
    if sum(supply.count for supply in supplies) > 1:
        yield SEVERAL
