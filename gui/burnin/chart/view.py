"""What of a run is seen: how its charts are arranged, and which span of time they show. Qt-free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gui.burnin.recording import Recording
from gui.burnin.words import whole_run_s

COLUMNS = 2
MOST_COLUMNS = 4


class Arrangement(StrEnum):
    """What the user asked for."""

    TOGETHER = "together"
    """A chart per metric, a curve per device."""
    EACH = "each"
    """A chart per device, of one metric, all over the same range."""
    HEAT = "heat"
    """A strip of one metric, a row per device, coloured by its distance from the median."""


@dataclass(frozen=True, slots=True)
class ChartCell:
    """A chart in the grid; `position` is that of its only device, None for all of them."""

    metric: str
    position: int | None
    row: int
    column: int
    columns: int


def columns_of(arrangement: Arrangement, devices: int) -> int:
    """How many charts stand side by side."""
    match arrangement:
        case Arrangement.TOGETHER:
            return COLUMNS
        case Arrangement.EACH:
            return next((count for count in (1, 2, 3) if devices <= count * count), MOST_COLUMNS)
        case Arrangement.HEAT:
            return 1


def cells(arrangement: Arrangement, metrics: Sequence[str], metric: str, positions: Sequence[int]) -> list[ChartCell]:
    """Row by row; a last chart that stands alone is as wide as the grid."""
    charts: list[tuple[str, int | None]]
    match arrangement:
        case Arrangement.TOGETHER:
            charts = [(name, None) for name in metrics]
        case Arrangement.EACH:
            charts = [(metric, position) for position in positions]
        case Arrangement.HEAT:
            charts = [(metric, None)]
    across = columns_of(arrangement, len(positions))
    alone = len(charts) - 1 if len(charts) % across == 1 and arrangement is Arrangement.TOGETHER else None
    return [
        ChartCell(name, position, place // across, place % across, across if place == alone else 1)
        for place, (name, position) in enumerate(charts)
    ]


SHORTEST_S = 5.0
MARGIN_S = 5.0
"""How far beyond the recording one may look."""


@dataclass(slots=True)
class TimeWindow:
    """`span_s` is the window that follows, None for the whole run; `place` is set while the user looks elsewhere."""

    span_s: float | None = 300.0
    place: tuple[float, float] | None = None

    @property
    def follows(self) -> bool:
        """Whether the window goes with the run."""
        return self.place is None

    @property
    def follows_moving(self) -> bool:
        """Whether the axis counts back from now."""
        return self.place is None and self.span_s is not None

    def follow(self, span_s: float | None) -> None:
        """Goes with the run."""
        self.span_s, self.place = span_s, None

    def seen(self, recording: Recording) -> tuple[float, float, float]:
        """Start and end on the axis, and the time at its zero, all in s."""
        if self.place is not None:
            return *self.place, 0.0
        if self.span_s is not None:
            return -self.span_s, 0.0, recording.sampled_s
        end = whole_run_s(recording.last_s) if recording.running else max(recording.last_s, SHORTEST_S)
        return 0.0, end, 0.0

    def zoom(self, recording: Recording, factor: float, around: float) -> None:
        """Makes the span shorter or longer around a place on the axis."""
        start, end, origin = self.seen(recording)
        room = recording.last_s + 2 * MARGIN_S
        factor = min(max(factor, SHORTEST_S / (end - start)), max(room / (end - start), 1.0))
        self._go(recording, around + (start - around) * factor + origin, around + (end - around) * factor + origin)

    def pan(self, recording: Recording, by_s: float) -> None:
        """Moves along the run."""
        start, end, origin = self.seen(recording)
        self._go(recording, start + by_s + origin, end + by_s + origin)

    def _go(self, recording: Recording, start: float, end: float) -> None:
        """Stays near the recording."""
        span = end - start
        latest = max(recording.last_s + MARGIN_S - span, -MARGIN_S)
        start = min(max(start, -MARGIN_S), latest)
        self.place = (start, start + span)
