"""Board power beside the loads: a meter that reads on, and what it read over a stretch of time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from types import TracebackType
from typing import Any, Self

from core.measure.children import JsonChild
from core.measure.page import Power
from core.processes import own_python
from core.protocol import Message
from core.telemetry.throttle import reasons

START_WITHIN_S = 125.0
"""The driver wakes eight cards one after the other where persistence mode is off."""
FOREVER_S = 10.0 * 365 * 86400
FEWEST = 3
"""Readings that make a mean."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of one card; None where it does not tell."""

    at_s: float
    power_w: float | None
    power_limit_w: float | None
    clock_mhz: float | None
    temperature_c: float | None
    throttle_mask: int | None


class Meter:
    """Reads the power of all cards until it is left. `problem` says why there is nothing to read, else None."""

    def __init__(self, module: str = "core.telemetry.nvml.power_meter") -> None:
        self._child = JsonChild(own_python("-m", module))
        self._readings: dict[str, list[Reading]] = {}
        self._lock = threading.Lock()
        self.driver: str | None = None
        self.cards: dict[str, dict[str, Any]] = {}
        self.problem: str | None = None
        self._open()
        if self.problem is None:
            threading.Thread(target=self._read, name="power meter", daemon=True).start()

    def over(self, card: str, from_s: float, to_s: float) -> Power | None:
        """What a card drew between two moments (monotonic); None where it was read too seldom."""
        return summed_up(self.readings(card, from_s, to_s))

    def readings(self, card: str, from_s: float, to_s: float) -> list[Reading]:
        """The readings between two moments."""
        with self._lock:
            return [one for one in self._readings.get(card, ()) if from_s <= one.at_s <= to_s]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.end()

    def _open(self) -> None:
        for message in self._child.reports(time.monotonic() + START_WITHIN_S):
            if message["type"] == "cards":
                self.driver, self.cards = message["driver"], message["cards"]
                return
            if message["type"] == "problem":
                self.problem = message["text"]
                return
        self.problem = "The NVIDIA driver did not answer."

    def _read(self) -> None:
        for message in self._child.reports(time.monotonic() + FOREVER_S):
            if message["type"] == "power":
                self._note(message)
            elif message["type"] == "problem":
                self.problem = message["text"]

    def _note(self, message: Message) -> None:
        with self._lock:
            for card, told in message["cards"].items():
                reading = Reading(
                    at_s=message["at_s"],
                    power_w=told["power_w"],
                    power_limit_w=told["power_limit_w"],
                    clock_mhz=told["clock_mhz"],
                    temperature_c=told["temperature_c"],
                    throttle_mask=told["throttle_mask"],
                )
                self._readings.setdefault(card, []).append(reading)


def summed_up(readings: list[Reading]) -> Power | None:
    """The mean power, the mean clock, the highest temperature, and what held the clocks for how much of the time."""
    watts = [one.power_w for one in readings if one.power_w is not None]
    if len(watts) < FEWEST:
        return None
    limits = [one.power_limit_w for one in readings if one.power_limit_w is not None]
    clocks = [one.clock_mhz for one in readings if one.clock_mhz is not None]
    degrees = [one.temperature_c for one in readings if one.temperature_c is not None]
    masks = [one.throttle_mask for one in readings if one.throttle_mask is not None]
    held = Counter(reason.title for mask in masks for reason in reasons(mask))
    return Power(
        mean_w=fmean(watts),
        limit_w=limits[-1] if limits else None,
        clock_mhz=fmean(clocks) if clocks else None,
        temperature_c=max(degrees, default=None),
        held_by={title: 100 * count / len(masks) for title, count in held.most_common()},
    )
