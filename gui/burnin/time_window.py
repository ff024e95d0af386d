"""Which span of time is seen: the last minutes, the whole run, or where the user went. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass

from gui.burnin.clock import whole_run_s
from gui.burnin.recording import Recording

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
