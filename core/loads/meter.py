"""A sustained rate: the median of one-second bins after a warm-up; and how steady it was over windows of 10 s."""

from statistics import mean, median, stdev

WARM_UP_S = 5.0
WARM_UP_SHARE = 0.2
BIN_S = 1.0
WINDOW_S = 10.0
ENOUGH_WINDOWS = 3
"""Fewer say nothing about spread."""


class Meter:
    """Collects amounts with the device time they took.

    The first 5 s (or a fifth of a short run) are dropped: clocks rise, caches fill. The median of bins ignores the
    second in which another program woke up.
    """

    def __init__(self) -> None:
        self._samples: list[tuple[float, float]] = []
        self._amount = self._seconds = 0.0

    def add(self, amount: float, seconds: float) -> None:
        """Adds an amount done in `seconds` of device time; joins steps until they fill a bin."""
        self._amount += amount
        self._seconds += seconds
        if self._seconds >= BIN_S:
            self._samples.append((self._amount, self._seconds))
            self._amount = self._seconds = 0.0

    def rate(self) -> float | None:
        """Amount per second, None if nothing was measured."""
        bins = self._samples if self._samples else [(self._amount, self._seconds)]
        total_s = sum(seconds for _, seconds in bins)
        if total_s <= 0:
            return None
        steady = self._after_warm_up(min(WARM_UP_S, WARM_UP_SHARE * total_s))
        return median(amount / seconds for amount, seconds in (steady or bins[-1:]))

    def windows(self) -> list[float]:
        """The rates of whole windows of 10 s after the warm-up."""
        rates: list[float] = []
        amount = seconds = 0.0
        for more, longer in self._after_warm_up(WARM_UP_S):
            amount, seconds = amount + more, seconds + longer
            if seconds >= WINDOW_S:
                rates.append(amount / seconds)
                amount = seconds = 0.0
        return rates

    def variation_pct(self) -> float | None:
        """Coefficient of variation of the windows (standard deviation over mean); None for fewer than three."""
        rates = self.windows()
        return 100 * stdev(rates) / mean(rates) if len(rates) >= ENOUGH_WINDOWS else None

    def _after_warm_up(self, warm_up_s: float) -> list[tuple[float, float]]:
        elapsed = 0.0
        steady: list[tuple[float, float]] = []
        for amount, seconds in self._samples:
            if elapsed >= warm_up_s:
                steady.append((amount, seconds))
            elapsed += seconds
        return steady
