"""Who is next and until when: number formats in turns, and waves and steps of load. Free of torch.

Waves are on at multiples of their period on the clock of the machine: `time.monotonic` is the same clock in all
processes of a machine, so that devices pulse together without a word.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from core.loads.products.contract import SegmentEvidence, TransientsParams
from core.words import tr

BESIDE_MEMORY = "+memory"
"""What is added to the name of a format whose products run beside a memory stream."""
LEAST_BESIDE_S = 6.0
"""A shorter stretch says nothing of power, which drivers report as the mean of a second."""


@dataclass(frozen=True, slots=True)
class FormatTurn:
    """One format until `until_s` after the start of the load."""

    name: str
    until_s: float

    @property
    def format(self) -> str:
        """Its name alone."""
        return format_of(self.name)

    @property
    def beside_memory(self) -> bool:
        """Whether a memory stream runs beside it."""
        return self.name.endswith(BESIDE_MEMORY)


@dataclass(frozen=True, slots=True)
class Rotation:
    """The first format for `first_s`, then each of them for `each_s` again and again; 0: each of them once."""

    each_s: float = 0.0
    first_s: float = 0.0


def beside_memory(name: str) -> str:
    """The name of a format beside a memory stream."""
    return f"{name}{BESIDE_MEMORY}"


def format_of(name: str) -> str:
    """The name of the format alone."""
    return name.removesuffix(BESIDE_MEMORY)


def turns(names: Sequence[str], seconds: float, *, rotation: Rotation, beside_pct: float = 0.0) -> Iterator[FormatTurn]:
    """Shares `seconds` among the formats. With `beside_pct` each ends with that share of its time beside a memory
    stream, where that is long enough to tell its power; turns that rotate are not divided."""
    if rotation.each_s > 0 and len(names) > 1:
        yield from _rotating(names, seconds, rotation)
        return
    for place, name in enumerate(names):
        began_s, until_s = (seconds * (place + more) / len(names) for more in (0, 1))
        beside_s = (until_s - began_s) * beside_pct / 100
        divided = beside_s >= LEAST_BESIDE_S and not name.endswith(BESIDE_MEMORY)
        if divided:
            yield FormatTurn(name, until_s - beside_s)
        yield FormatTurn(beside_memory(name) if divided else name, until_s)


def _rotating(names: Sequence[str], seconds: float, rotation: Rotation) -> Iterator[FormatTurn]:
    """What is left for the last turn is joined to the one before where it is less than half of one."""
    until_s, place = min(max(rotation.first_s, rotation.each_s), seconds), 0
    while seconds - until_s >= rotation.each_s / 2:
        yield FormatTurn(names[place % len(names)], until_s)
        until_s, place = min(until_s + rotation.each_s, seconds), place + 1
    yield FormatTurn(names[place % len(names)], seconds)


LEAST_CYCLES = 2
"""Fewer are no wave."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One wave or step. `duty` is the share of each period that is on, 0 to 1."""

    name: str
    period_s: float
    duty: float
    seconds: float = 0.0

    @property
    def on_s(self) -> float:
        """The part of each period that is on."""
        return self.period_s * self.duty

    @property
    def least_s(self) -> float:
        """Below this the segment is not worth beginning: up to one period passes before the first phase."""
        return (1 + LEAST_CYCLES) * self.period_s

    def next_start(self, now_s: float) -> float:
        """The next multiple of the period; continuous load starts at once."""
        return now_s if self.duty >= 1 else math.ceil(now_s / self.period_s) * self.period_s


def planned(params: TransientsParams, seconds: float) -> tuple[list[Segment], list[Segment]]:
    """The segments that fit into the time, each with its share of it, and those that do not: the slowest first."""
    segments = [
        Segment(tr("wave of {period}", period=_period_words(period)), period, params.duty_pct / 100)
        for period in params.periods
    ]
    segments += [
        Segment(tr("step to {step:g} %", step=step), params.step_period_s, step / 100) for step in params.steps
    ]
    fitting = sorted(segments, key=lambda segment: segment.period_s)
    while fitting and sum(segment.least_s for segment in fitting) > seconds:
        fitting.pop()
    spare_s = seconds - sum(segment.least_s for segment in fitting)
    shared = [
        Segment(segment.name, segment.period_s, segment.duty, segment.least_s + spare_s / len(fitting))
        for segment in segments
        if segment in fitting
    ]
    return shared, [segment for segment in segments if segment not in fitting]


def _period_words(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{1000 * seconds:g} ms"


@dataclass(slots=True)
class SegmentTiming:
    """How well a segment was kept: phases that began and ended when they should."""

    segment: Segment
    size: int
    on_s: float = 0.0
    spans: list[tuple[float, float]] = field(default_factory=list)
    """Start as planned and as it was, of each phase that was on."""

    def phase(self, planned_s: float, began_s: float, ended_s: float) -> None:
        """One phase more."""
        self.spans.append((planned_s, began_s))
        self.on_s += ended_s - began_s

    @property
    def duty_pct(self) -> float | None:
        """The share of time that was on, over the periods from the first phase to the last."""
        cycles = self._periods()
        return None if not cycles else 100 * self.on_s / (cycles * self.segment.period_s)

    def evidence(self) -> SegmentEvidence:
        """As it was kept."""
        errors_ms = [1e3 * (began - planned) for planned, began in self.spans]
        duty_pct = self.duty_pct
        return SegmentEvidence(
            period_s=self.segment.period_s,
            asked_duty_pct=round(100 * self.segment.duty, 1),
            duty_pct=None if duty_pct is None else round(duty_pct, 1),
            cycles=len(self.spans),
            missed_cycles=self._periods() - len(self.spans),
            median_phase_error_ms=round(float(median(errors_ms)), 3) if errors_ms else None,
            largest_phase_error_ms=round(float(max(errors_ms)), 3) if errors_ms else None,
            size=self.size,
        )

    def _periods(self) -> int:
        """Whole periods from the first phase to the end of the last one's."""
        if not self.spans:
            return 0
        first, last = self.spans[0][0], self.spans[-1][0]
        return max(round((last - first) / self.segment.period_s) + 1, len(self.spans))
