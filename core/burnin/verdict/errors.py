"""What went wrong on a device, by kind, with the time of the first: while a run goes on, and afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Event, EventLevel
from core.burnin.verdict.codes import EVENTS, METRICS, ErrorKind
from core.language import joined, tr, trn

Values = NDArray[np.float64]


OF_THE_RUN = ("errors",)
"""Counters that begin with the run; the others begin with the driver, and what they had before is none of ours."""


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Of one device. `first_s` is by kind when the first was seen, in s since the start of the run."""

    counts: Mapping[ErrorKind, int] = field(default_factory=dict)
    first_s: Mapping[ErrorKind, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)

    @classmethod
    def together(cls, parts: Iterable[ErrorCounts]) -> ErrorCounts:
        """Of several devices, or of several times of one."""
        counts: Counter[ErrorKind] = Counter()
        first_s: dict[ErrorKind, float] = {}
        for part in parts:
            counts.update(part.counts)
            first_s |= {kind: min(time_s, first_s.get(kind, time_s)) for kind, time_s in part.first_s.items()}
        return cls(counts, first_s)

    @property
    def first_at_s(self) -> float | None:
        """When the first of any kind was seen; None without one."""
        return min(self.first_s.values(), default=None)

    @property
    def told(self) -> dict[ErrorKind, int]:
        """What is worth telling: failures that only the log knows of accompany the others, and are told alone."""
        known = {kind: self.counts[kind] for kind in ErrorKind if self.counts.get(kind)}
        return {kind: count for kind, count in known.items() if kind is not ErrorKind.OTHER} or known

    @property
    def words(self) -> str:
        """ "2 wrong results, 1 Xid error"; "no errors"."""
        told = [_counted(kind, count) for kind, count in self.told.items()]
        return joined(told, ", ") if told else tr("no errors")

    def as_dict(self) -> dict[str, Any]:
        """For JSON: by kind the count and the time of the first."""
        return {kind.value: {"count": count, "first_s": self.first_s[kind]} for kind, count in self.counts.items()}


class ErrorTally:
    """Counts the errors of one device from samples and events as they come, in whatever pieces."""

    def __init__(self) -> None:
        self._risen: Counter[str] = Counter()
        self._told: Counter[ErrorKind] = Counter()
        self._first_s: dict[ErrorKind, float] = {}
        self._reading: dict[str, float] = dict.fromkeys(OF_THE_RUN, 0.0)

    @property
    def counts(self) -> ErrorCounts:
        """Until now. Counter and event often tell of the same error: the greater number counts."""
        risen: Counter[ErrorKind] = Counter()
        for name, count in self._risen.items():
            risen[METRICS[name]] += count
        found = {kind: max(risen[kind], self._told[kind]) for kind in ErrorKind}
        counts = {kind: count for kind, count in found.items() if count}
        return ErrorCounts(counts, {kind: self._first_s[kind] for kind in counts})

    def take_samples(self, time_s: Values, values: Mapping[str, Values]) -> None:
        """Adds readings of the counters in `METRICS`, shapes (n,); those that are absent are not counted."""
        for name in METRICS:
            if name in values:
                self._take_counter(name, time_s, values[name])

    def take_event(self, event: Event) -> None:
        """Adds an event of the device; only errors count."""
        if event.level is EventLevel.ERROR:
            kind = EVENTS[event.kind].error if event.kind in EVENTS else ErrorKind.OTHER
            self._told[kind] += 1
            self._seen(kind, event.time_s)

    def _take_counter(self, name: str, time_s: Values, values: Values) -> None:
        """One that fell was reset, and counts from zero again."""
        known = np.isfinite(values)
        readings = values[known]
        if not len(readings):
            return
        rises = np.diff(readings, prepend=self._reading.get(name, readings[0]))
        self._reading[name] = float(readings[-1])
        grown = np.where(rises < 0, readings, rises)
        if (grown > 0).any():
            self._risen[name] += int(grown.sum())
            self._seen(METRICS[name], float(time_s[known][np.argmax(grown > 0)]))

    def _seen(self, kind: ErrorKind, time_s: float) -> None:
        self._first_s[kind] = min(time_s, self._first_s.get(kind, time_s))


def error_counts(store: RunReader, run_id: int) -> dict[str, ErrorCounts]:
    """Of each device of a recorded run, by its id; also while the run goes on. Reads one metric after another."""
    tallies = {row.device.id: ErrorTally() for row in store.devices(run_id)}
    for device_id, tally in tallies.items():
        for name in METRICS:
            block = store.samples(run_id, device_id, names=(name,))
            tally.take_samples(block[:, 0], {name: block[:, 1]})
    for event in store.events(run_id):
        if event.device_id in tallies:
            tallies[event.device_id].take_event(event)
    return {device_id: tally.counts for device_id, tally in tallies.items()}


def _counted(kind: ErrorKind, count: int) -> str:
    match kind:
        case ErrorKind.LOST:
            return trn("lost", "lost {count} times", count=count)
        case ErrorKind.WRONG_RESULT:
            return trn("{count} wrong result", "{count} wrong results", count=count)
        case ErrorKind.MEMORY:
            return trn("{count} uncorrectable memory error", "{count} uncorrectable memory errors", count=count)
        case ErrorKind.XID:
            return trn("{count} Xid error", "{count} Xid errors", count=count)
        case ErrorKind.LINK:
            return trn("{count} link error", "{count} link errors", count=count)
        case ErrorKind.DIED:
            return trn("worker died", "worker died {count} times", count=count)
        case ErrorKind.OTHER:
            return trn("{count} failure", "{count} failures", count=count)
