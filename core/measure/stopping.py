"""From a stop request to rest: how soon a worker's load ends, and how soon the board draws no more than before."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from core.measure.children import JsonChild
from core.measure.page import Did, StopRow
from core.measure.power import Meter, Reading
from core.processes import own_python

LOADS = ("gemm", "vram", "transformer")
START_WITHIN_S = 90.0
STOP_WITHIN_S = 20.0
REST_WITHIN_S = 15.0
LOADED_S = 2.0
STEADY_READINGS = 5
REST_SHARE = 0.1
"""Of what the load added to the power: so little is left at rest."""


def measure_stops(card: str, kind: str, seconds: float, meter: Meter | None) -> tuple[Did, str, list[StopRow]]:
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


def _stop_one(card: str, kind: str, load: str, meter: Meter | None, rows: list[StopRow]) -> tuple[float | None, str]:
    idle_w = _lately_w(meter, card)
    with JsonChild(own_python("-m", "core.loads.worker", "--device", card, "--kind", kind)) as child:
        if child.next("ready", time.monotonic() + START_WITHIN_S) is None:
            return None, "The worker did not start."
        child.tell("start", load=load, seconds=120, params={})
        began_s = time.monotonic()
        for message in child.reports(began_s + START_WITHIN_S):
            if message["type"] == "done":
                return None, f"{load} ended by itself: {message['reason']}"
            if time.monotonic() - began_s > LOADED_S and message["type"] == "progress":
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


def at_rest(readings: Callable[[float], list[Reading]], asked_s: float, mark_w: float) -> float | None:
    """Seconds from the request until the power fell below `mark_w`; None where it did not within 15 s."""
    while True:
        for one in readings(asked_s):
            if one.power_w is not None and one.power_w <= mark_w:
                return one.at_s - asked_s
        if time.monotonic() - asked_s > REST_WITHIN_S:
            return None
        time.sleep(0.05)


def _lately_w(meter: Meter | None, card: str) -> float | None:
    if meter is None:
        return None
    now_s = time.monotonic()
    watts = [one.power_w for one in meter.readings(card, now_s - 2.0, now_s) if one.power_w is not None]
    return median(watts[-STEADY_READINGS:]) if watts else None
