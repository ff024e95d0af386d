"""A bound that a reading may pass for a while: duration and hysteresis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class GuardLimit:
    """Breached when a reading stays beyond `bound` for `for_s`.

    One that came back less than `hysteresis` inside the bound has not come back: a value that swings around its bound
    counts from its first passing. A gap in the readings neither ends the time nor is a breach.
    """

    bound: float
    for_s: float
    hysteresis: float = 0.0
    above: bool = True
    """Whether the bound is the highest value allowed; otherwise the lowest."""
    _since_s: float | None = None

    def lasted_s(self, now_s: float, value: float | None) -> float | None:
        """For how long the reading has been beyond the bound, where that is too long; otherwise None."""
        if value is None:
            return None
        beyond = value - self.bound if self.above else self.bound - value
        if beyond < 0:
            if beyond <= -self.hysteresis:
                self._since_s = None
            return None
        if self._since_s is None:
            self._since_s = now_s
        lasted_s = now_s - self._since_s
        return lasted_s if lasted_s >= self.for_s else None
