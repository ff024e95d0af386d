"""A recorded run as its report sees it: the rows at once, the samples of a metric when they are asked for.

A day of eight devices is half a gigabyte when all of it is held at once; a report looks at one metric after another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    MACHINE,
    SOFTWARE,
    Event,
    Interruption,
    Outcome,
    Run,
    RunDevice,
    StageResult,
    StageRow,
    Verdict,
)
from core.burnin.verdict.causes import Cause, causes_of
from core.burnin.verdict.states import ErrorCounts, StageStates, error_counts, stage_states
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.device import Device
from core.present.report.formatting import commas, named
from core.words import plain, tr

Values = NDArray[np.float64]
MOST_STATES = 12
"""Distinct values up to which a metric is told by the values that it had."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one metric on one device, in the metric's unit, over the whole run."""

    count: int
    last: float
    lowest: float
    mean: float
    highest: float
    highest_at_s: float


@dataclass(frozen=True, slots=True)
class CounterGrowth:
    """Of a counter: its first value, its last, and by how much it grew. One that began anew went on from 0."""

    first: float
    last: float
    grown: float


@dataclass(frozen=True, slots=True)
class Summary:
    """All that is told of a metric that was measured. `states` is empty where it had more than a few values."""

    statistics: Statistics
    growth: CounterGrowth
    states: tuple[float, ...]


def summarise(time_s: Values, values: Values) -> Summary | None:
    """Of samples in the order of time, NaN where nothing was measured; None if nothing ever was."""
    measured = np.isfinite(values)
    if not measured.any():
        return None
    time_s, values = time_s[measured], values[measured]
    peak = int(np.argmax(values))
    statistics = Statistics(
        count=len(values),
        last=float(values[-1]),
        lowest=float(values.min()),
        mean=float(values.mean()),
        highest=float(values[peak]),
        highest_at_s=float(time_s[peak]),
    )
    states = np.unique(values)
    return Summary(statistics, _growth(values), tuple(states.tolist()) if len(states) <= MOST_STATES else ())


def _growth(values: Values) -> CounterGrowth:
    rises = np.diff(values)
    return CounterGrowth(float(values[0]), float(values[-1]), float(np.where(rises < 0, values[1:], rises).sum()))


Samples = NDArray[np.float64]


_NEEDLESS = re.compile(r"^NVIDIA (?=.)|(?<=@ )0+:")


def short_title(device: Device) -> str:
    """The device's title without the maker and the PCI domain 0, which all devices of a machine share."""
    return _NEEDLESS.sub("", device.title)


@dataclass(frozen=True, slots=True)
class RunCard:
    """A device that was burned in: where it sits, what it is, how it did. None is "not known"."""

    device: Device
    slot: str | None
    """As the board's maker prints it, else its number."""
    model: str
    """As the catalogue calls it, else its driver."""
    serial: str | None
    vbios: str | None
    errors: str
    """By kind; "" without any."""
    verdict: Verdict | None

    @property
    def outcome(self) -> Outcome | None:
        """None while the run goes on."""
        return self.verdict.outcome if self.verdict else None

    @property
    def passed(self) -> list[str]:
        """Reasons that passed, a sentence each."""
        return [one.text for one in (self.verdict.own_reasons if self.verdict else ()) if one.outcome is Outcome.PASS]

    @property
    def place(self) -> str:
        """Where a hand finds it: the label of the slot, else the address; "" where neither is known."""
        return self.slot or (plain("PCI {address}", address=self.device.bus_id) if self.device.bus_id else "")

    @property
    def name(self) -> str:
        """As curves call it, with its place: "GPU 2, PCIE5"."""
        return commas((self.device.label, self.place))

    @property
    def slot_words(self) -> str:
        """ "PCIE5", "slot 3"; "" where that is not known."""
        return _slot_words(self.slot or "")

    @property
    def where(self) -> str:
        """What a hand finds it by."""
        return where_words(self.device, self.slot or "", self.serial or "")


def where_words(device: Device, slot: str, serial: str) -> str:
    """What a hand finds a device by: slot, PCI address and serial number, as far as they are known, else its title."""
    address = plain("PCI {address}", address=device.bus_id) if device.bus_id else ""
    number = tr("serial {serial}", serial=serial) if serial else ""
    return named(device.label, commas((_slot_words(slot), address, number)) or device.title)


def _slot_words(slot: str) -> str:
    return tr("slot {slot}", slot=slot) if slot.isdecimal() else slot


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The rows of one run as they were when it was read; its samples as long as `store` is open."""

    store: RunReader
    run: Run
    devices: tuple[RunDevice, ...]
    stages: tuple[StageRow, ...]
    results: Mapping[tuple[int, str], StageResult]
    """By stage number and device id."""
    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    seconds: float
    """Time of the newest sample or event since the start of the run."""
    errors: Mapping[str, ErrorCounts] = field(default_factory=dict)
    """By device id what went wrong on it."""
    as_built: AsBuilt | None = None
    """The machine as it was read before the run."""
    causes: tuple[Cause, ...] = ()
    """Why it did not pass."""
    interruptions: tuple[Interruption, ...] = ()
    wall_s: float | None = None
    """From start to end, pauses included; None while it goes on, or where a pause is of unknown length."""
    _summaries: dict[tuple[str, str], Summary | None] = field(default_factory=dict)

    @classmethod
    def read(cls, store: RunReader, run_id: int) -> RecordedRun:
        """As recorded so far. Raises BadInput if there is no such run."""
        return cls(
            store=store,
            run=store.run(run_id),
            devices=tuple(store.devices(run_id)),
            stages=tuple(store.stages(run_id)),
            results={(result.number, result.device_id): result for result in store.results(run_id)},
            events=tuple(store.events(run_id)),
            verdicts=tuple(store.verdicts(run_id)),
            seconds=store.last_time_s(run_id),
            errors=error_counts(store, run_id),
            as_built=store.as_built(run_id),
            causes=tuple(causes_of(store, run_id)),
            interruptions=tuple(store.interruptions(run_id)),
            wall_s=store.wall_s(run_id),
        )

    @property
    def outcome(self) -> Outcome | None:
        """Of the machine; None without a verdict."""
        return next((one.outcome for one in self.verdicts if one.device_id == MACHINE), None)

    @property
    def burned(self) -> tuple[Device, ...]:
        """The devices that carried loads."""
        return tuple(row.device for row in self.devices if row.burned)

    @property
    def cards(self) -> list[RunCard]:
        """Those devices, with what is known of each."""
        return [self._card(device) for device in self.burned]

    def _card(self, device: Device) -> RunCard:
        built = self.as_built.card(device.id) if self.as_built else None
        position = built.position if built else None
        return RunCard(
            device=device,
            slot=(built.slot if built else None) or (None if position is None else str(position)),
            model=(built.product if built else None) or device.name,
            serial=(built.serial if built else None) or device.serial,
            vbios=(built.vbios if built else None) or device.vbios,
            errors=errors.words if (errors := self.errors.get(device.id)) else "",
            verdict=next((one for one in self.verdicts if one.device_id == device.id), None),
        )

    def hottest_c(self, device_id: str) -> float | None:
        """In the whole run."""
        heat = self.summary(device_id, "temperature_c")
        return heat.statistics.highest if heat else None

    def states(self, stage: StageRow, device_ids: Sequence[str]) -> StageStates:
        """How a stage stands on these devices."""
        return stage_states([stage], self.results.values(), self.events, device_ids)[0]

    @property
    def libraries(self) -> list[str]:
        """What computed, with versions."""
        return [event.message for event in self.events if event.kind == SOFTWARE]

    @property
    def software(self) -> tuple[str, ...]:
        """What computed and what drove the cards, with versions; empty of a simulated run."""
        drivers = [tr("NVIDIA driver {driver}", driver=row.device.driver) for row in self.devices if row.device.driver]
        return tuple(dict.fromkeys((*self.libraries, *drivers)))

    def device(self, device_id: str) -> Device:
        """A device of the run by its id."""
        return next(row.device for row in self.devices if row.device.id == device_id)

    def label(self, device_id: str) -> str:
        """A device's name and place, with its id where another device would be called the same."""
        labels = {row.device.id: short_title(row.device) for row in self.devices}
        label = labels.get(device_id, device_id)
        return label if Counter(labels.values())[label] <= 1 else f"{label} [{device_id}]"

    def short_label(self, device_id: str) -> str:
        """ "GPU 2", as causes call it; its name and place where another device would be called the same."""
        labels = [row.device.label for row in self.devices]
        short = next((row.device.label for row in self.devices if row.device.id == device_id), device_id)
        return short if labels.count(short) <= 1 else self.label(device_id)

    def series(self, device_id: str, metric: str) -> tuple[Samples, Samples]:
        """Times in s and values of one metric, NaN where not measured; read anew each time.

        What a run that goes on recorded after `read` is left out, so that all figures are of the same time.
        """
        block = self.store.samples(self.run.id, device_id, names=(metric,))
        block = block[block[:, 0] <= self.seconds]
        return block[:, 0], block[:, 1]

    def summary(self, device_id: str, metric: str) -> Summary | None:
        """What is told of a metric on a device; None where it was never measured. Worked out once."""
        key = (device_id, metric)
        if key not in self._summaries:
            self._summaries[key] = summarise(*self.series(device_id, metric))
        return self._summaries[key]
