"""The power of a board: metered beside the loads, and how soon it is at rest after a stop request."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from statistics import fmean, median
from typing import Any, Self

from core.lab.measure.children import JsonChild
from core.lab.measure.page import Did, Power, StopRow
from core.machine.telemetry.throttle import reasons
from core.platform.processes import own_python
from core.platform.protocol import Message

START_WITHIN_S = 125.0
"""The driver wakes eight cards one after the other where persistence mode is off."""
FOREVER_S = 10.0 * 365 * 86400
FEWEST = 3
"""Readings that make a mean."""


@dataclass(frozen=True, slots=True)
class PowerReading:
    """One reading of one card; None where it does not tell."""

    at_s: float
    power_w: float | None
    power_limit_w: float | None
    clock_mhz: float | None
    temperature_c: float | None
    throttle_mask: int | None


READ_FIGURES = tuple(one.name for one in fields(PowerReading) if one.name != "at_s")


class CardPowerMeter:
    """Reads the power of all cards until it is left. `problem` says why there is nothing to read, else None."""

    def __init__(self, module: str = "core.machine.telemetry.nvml.power_meter") -> None:
        self._child = JsonChild(own_python("-m", module))
        self._readings: dict[str, list[PowerReading]] = {}
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

    def readings(self, card: str, from_s: float, to_s: float) -> list[PowerReading]:
        """The readings between two moments."""
        with self._lock:
            return [one for one in self._readings.get(card, ()) if from_s <= one.at_s <= to_s]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
            for card, read in message["cards"].items():
                figures = {name: read[name] for name in READ_FIGURES}
                reading = PowerReading(at_s=message["at_s"], **figures)
                self._readings.setdefault(card, []).append(reading)


def summed_up(readings: list[PowerReading]) -> Power | None:
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


LOADS = ("gemm", "vram", "transformer")
LOAD_WITHIN_S = 90.0
STOP_WITHIN_S = 20.0
REST_WITHIN_S = 15.0
LOADED_S = 2.0
"""At work, after the preparations that draw little power."""
RATES = {"throughput_tflops", "bandwidth_gbps"}
"""What a heartbeat tells of a load that is at work."""
STEADY_READINGS = 5
REST_SHARE = 0.1
"""Of what the load added to the power: so little is left at rest."""


def measure_stops(card: str, kind: str, seconds: float, meter: CardPowerMeter | None) -> tuple[Did, str, list[StopRow]]:
    """Each load is begun, left to run, and stopped, each in a process of its own; the time is shared among them."""
    rows: list[StopRow] = []
    ends_s = time.monotonic() + seconds
    for load in LOADS:
        if rows and ends_s - time.monotonic() < seconds / (2 * len(LOADS)):
            return Did.DONE, f"There was no time left for {load}.", rows
        done_s, why = _stop_one(card, kind, load, meter, rows)
        if done_s is None:
            return (Did.DONE if rows else Did.NOT_RUN), why, rows
    slow = [f"{row.load} {row.done_s:.1f} s" for row in rows if row.done_s > 1.0]
    return Did.DONE, f"Slower than the second that is promised: {', '.join(slow)}." if slow else "", rows


def _stop_one(
    card: str, kind: str, load: str, meter: CardPowerMeter | None, rows: list[StopRow]
) -> tuple[float | None, str]:
    idle_w = _lately_w(meter, card)
    with JsonChild(own_python("-m", "core.loads.worker", "--device", card, "--kind", kind)) as child:
        if child.next("ready", time.monotonic() + LOAD_WITHIN_S) is None:
            return None, "The worker did not start."
        child.tell("start", load=load, seconds=120, params={})
        at_work_s = float("inf")
        for message in child.reports(time.monotonic() + LOAD_WITHIN_S):
            if message["type"] == "done":
                return None, f"{load} ended by itself: {message['reason']}"
            if message["type"] == "progress" and message["metrics"].keys() & RATES:
                at_work_s = min(at_work_s, time.monotonic())
            if time.monotonic() - at_work_s > LOADED_S:
                break
        loaded_w = _lately_w(meter, card)
        asked_s = time.monotonic()
        child.tell("stop")
        if child.next("done", asked_s + STOP_WITHIN_S) is None:
            return None, f"{load} did not stop within {STOP_WITHIN_S:.0f} s."
        done_s = time.monotonic() - asked_s
    rest_s = None
    if meter is not None and idle_w is not None and loaded_w is not None and loaded_w > idle_w:
        mark_w = idle_w + REST_SHARE * (loaded_w - idle_w)
        rest_s = at_rest(lambda since: meter.readings(card, since, float("inf")), asked_s, mark_w)
    rows.append(StopRow(load, done_s, rest_s))
    return done_s, ""


def at_rest(readings: Callable[[float], list[PowerReading]], asked_s: float, mark_w: float) -> float | None:
    """Seconds from the request until the power fell below `mark_w`; None where it did not within 15 s."""
    while True:
        for one in readings(asked_s):
            if one.power_w is not None and one.power_w <= mark_w:
                return one.at_s - asked_s
        if time.monotonic() - asked_s > REST_WITHIN_S:
            return None
        time.sleep(0.05)


def _lately_w(meter: CardPowerMeter | None, card: str) -> float | None:
    if meter is None:
        return None
    now_s = time.monotonic()
    watts = [one.power_w for one in meter.readings(card, now_s - 2.0, now_s) if one.power_w is not None]
    return median(watts[-STEADY_READINGS:]) if watts else None
