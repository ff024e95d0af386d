"""A run as it is put on record while it goes on, and what paused it: who stood still, and for how long.

Whatever lasted a second is told. What takes a place among the interruptions warns the verdict; whether planned time was
lost by it is told by the results of the stages.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from core.burnin.children.child import NOTED_S, Child
from core.burnin.children.device_under_test import DeviceUnderTest, about_device
from core.burnin.profile.profile import Guards
from core.burnin.record.origin import LoadedLibraries
from core.burnin.record.patient_store import PATIENCE_S, OpenedRun, PatientStore
from core.burnin.record.rows import SOFTWARE, EventLevel, InterruptionKind
from core.burnin.run.machine import WallClock
from core.loads.dead_man import STOP_SHARE
from core.platform.errors import EnvironmentProblem
from core.platform.processes import ProcessMark
from core.platform.protocol import Message
from core.words import duration, tr


class RunRecording:
    """Times are in s since the start of the run; what lasted before an interruption counts."""

    def __init__(self, store: PatientStore, run: OpenedRun) -> None:
        self._store = store
        self._run = run
        self._started = time.monotonic() - run.elapsed_s
        self._stage: tuple[int, Callable[[], float]] | None = None
        """Number of the stage that runs now, and what tells how far it is, 0 to 1."""
        self._recorded_s = float("-inf")
        """Of the newest sample on record."""
        self._recorded_software: set[str | LoadedLibraries] = set()
        """Versions, and what processes have loaded."""
        self._recorded_processes: set[ProcessMark] = set()

    def now(self) -> float:
        """Seconds since the start of the run."""
        return self.run_s(time.monotonic())

    def run_s(self, monotonic_s: float) -> float:
        """A time of the monotonic clock as one of the run."""
        return monotonic_s - self._started

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        """Records what happened."""
        self._store.add_event(self._run.id, round(self.now(), 3), level, kind, text, device_id=device_id)

    def interrupt(self, kind: InterruptionKind, lasted_s: float, text: str, *, at_s: float | None = None) -> None:
        """Records what interrupted the run. `at_s` is when it began; without it, it has just ended."""
        at_s = round(self.now() - lasted_s if at_s is None else at_s, 3)
        stage = self._stage[0] if self._stage else None
        self._store.add_interruption(self._run.id, kind, at_s, text, lasted_s=round(lasted_s, 3), stage=stage)

    def _record_sample(self, readings: Callable[[str], Mapping[str, float | None]]) -> None:
        """The newest readings of every device, at a millisecond that has none yet and is not still to come.

        A sample belongs to the stage within which its time falls, and the record keeps one for each moment.
        """
        while (time_s := math.floor(self.now() * 1000) / 1000) <= self._recorded_s:
            time.sleep(0.0005)
        self._recorded_s = time_s
        rows = {device.id: readings(device.id) for device in self._run.watched}
        stage = (self._stage[0], self._stage[1]()) if self._stage else None
        self._store.add_tick(self._run.id, time_s, rows, stage=stage)

    def _record_software(self, detail: Mapping[str, str]) -> None:
        """What computes, once a run."""
        names = {"torch": "PyTorch", "cuda": "CUDA"}
        versions = ", ".join(f"{words} {detail[name]}" for name, words in names.items() if detail.get(name))
        if versions and versions not in self._recorded_software:
            self._recorded_software.add(versions)
            self.event(EventLevel.INFO, SOFTWARE, versions)

    def _record_libraries(self, role: str, device_id: str, message: Message) -> None:
        """Once a run of each process; a simulated one loads nothing that measures."""
        loaded = LoadedLibraries.from_message(role, device_id, message)
        if (loaded.libraries or loaded.packages) and loaded not in self._recorded_software:
            self._recorded_software.add(loaded)
            self._store.add_libraries(self._run.id, round(self.now(), 3), loaded)

    def _record_processes(self, role: str, children: Iterable[Child]) -> None:
        """Names new children, for whoever must end them when this process cannot."""
        for child in children:
            if child.mark is not None and child.mark not in self._recorded_processes:
                self._recorded_processes.add(child.mark)
                self._store.add_process(self._run.id, child.mark, role)

    def _catch_up(self) -> None:
        """While another program holds the recording, what is to be written waits, and the loads go on.

        Raises EnvironmentProblem when it was held for too long, or is not in its place any more.
        """
        self._store.require_in_place()
        if self._store.held_s > PATIENCE_S:
            raise EnvironmentProblem(
                tr(
                    "Another program has held the recording for {seconds:.0f} s: the run was ended. Close that "
                    "program, then resume the run.",
                    seconds=self._store.held_s,
                )
            )
        self._store.catch_up()
        if (was_held_s := self._store.take_was_held_s()) >= NOTED_S:
            text = tr(
                "Another program held the recording for {seconds:.0f} s: what was measured meanwhile was written "
                "after it.",
                seconds=was_held_s,
            )
            self.event(EventLevel.WARN, "held", text)


WHOLE_SHARE = 0.6
"""Of the standstill: a witness that reported nothing for so much of it stood still, too. On a machine that goes on one
reports every second, which is half of the shortest standstill that is explained; processes of one that was paused fall
asleep and wake up to a second apart, where others wait for the processor as well."""
TELLS_WITHIN_S = 4.0
"""A witness that has reported nothing new by then is not waited for any more."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """From `begun_s` to `ended_s` on the monotonic clock; `alone` once it is known."""

    begun_s: float
    ended_s: float
    loaded: bool
    """Whether a load ran when it began."""
    alone: bool | None = None

    @property
    def lasted_s(self) -> float:
        """How long it took."""
        return self.ended_s - self.begun_s


class Standstills:
    """Takes in standstills and the stamps of witnesses, and gives each out once it is known who stood still.

    A runner that alone stood still (stopped by a signal, stuck) left loads without anybody who guards them. On a
    machine that stood still as a whole (a virtual machine that was paused, or one that had no time for any of our
    processes) nothing burned either. The witnesses tell them apart: sampler and workers stamp what they report with the
    monotonic clock, which all processes of a machine share; what they reported meanwhile waits in the line. One that
    went on is proof that the machine ran, whatever the others did.
    """

    def __init__(self) -> None:
        self._unknown: Standstill | None = None
        self._stamps_s: dict[str, float] = {}
        """Of the newest report of each witness."""
        self._awaited: set[str] = set()
        """Witnesses that may still tell."""
        self._stood_still = False
        """Whether one has told that it stood still, too."""

    def note(self, begun_s: float, ended_s: float, *, loaded: bool, witnesses: Collection[str]) -> None:
        """The runner stood still; one that follows before the last was explained is one with it."""
        if last := self._unknown:
            begun_s, loaded = last.begun_s, last.loaded or loaded
        self._unknown = Standstill(begun_s, ended_s, loaded)
        self._awaited, self._stood_still = set(witnesses), False

    def take(self, witness: str, measured_s: object) -> Standstill | None:
        """A report of one: what the standstill was, where this one tells it."""
        if not isinstance(measured_s, int | float):
            return None
        before_s = self._stamps_s.get(witness, float("-inf"))
        self._stamps_s[witness] = measured_s
        if (last := self._unknown) is None or witness not in self._awaited:
            return None
        enough_s = WHOLE_SHARE * last.lasted_s
        if min(measured_s, last.ended_s) - max(before_s, last.begun_s) >= enough_s:
            self._stood_still = True
            return self.leave(witness)
        return self.ran() if last.ended_s - measured_s < enough_s else None

    def leave(self, witness: str) -> Standstill | None:
        """It has told all that it can."""
        self._awaited.discard(witness)
        return None if self._awaited else self.as_told()

    def ran(self) -> Standstill | None:
        """Something proves that the machine went on."""
        return self._explained(alone=True)

    def overdue(self, now_s: float) -> Standstill | None:
        """The standstill that nobody explains any more."""
        last = self._unknown
        return self.as_told() if last and now_s > last.ended_s + TELLS_WITHIN_S else None

    def as_told(self) -> Standstill | None:
        """By those who spoke; where nobody did, the worse is assumed."""
        return self._explained(alone=not self._stood_still)

    def _explained(self, *, alone: bool) -> Standstill | None:
        last, self._unknown = self._unknown, None
        return replace(last, alone=alone) if last else None


SAMPLER = "sampler"
"""As a witness, and in the record of processes."""
EXPLAINED_FROM_S = 2.0
"""A shorter standstill is over before a witness that reports once a second can tell of it."""
FROZEN_SHARE = 0.5
"""Of a turn that took long: without a sign of life for so much of it, the process did not run; else it waited."""
SLOW_S = 5.0
"""A turn that took longer on a slow disk left a gap in the record that is worth a remark."""
GAP_S = 4.0
"""Between two reports of the sampler: one comes every second, every other one where the driver is slow."""


class Pauses:
    """Takes in what is noticed of standstills."""

    def __init__(self, record: RunRecording, guards: Guards) -> None:
        self.wall_clock = WallClock()
        self._record = record
        self._unsupervised_s = guards.unsupervised_s
        self._standstills = Standstills()
        self._told_until_s = float("-inf")
        """On the monotonic clock: until when what interrupted the loads is on record."""

    def take_turn(self, lasted_s: float, signless_s: float, *, loaded: bool, witnesses: Collection[str]) -> None:
        """A turn of the supervision took so long, in which it gave no sign of life for `signless_s`."""
        now_s = time.monotonic()
        if signless_s < max(NOTED_S, FROZEN_SHARE * lasted_s):
            if lasted_s >= SLOW_S:
                text = tr(
                    "The runner waited {seconds:.0f} s for the disk or the system: nothing was recorded in that time.",
                    seconds=lasted_s,
                )
                self._record.interrupt(InterruptionKind.GAP, lasted_s, text)
        elif lasted_s < EXPLAINED_FROM_S:
            text = tr(
                "The runner stood still for {seconds:.1f} s: nothing was recorded in that time.", seconds=lasted_s
            )
            self._record.event(EventLevel.INFO, "stood-still", text)
        else:
            self._standstills.note(now_s - lasted_s, now_s, loaded=loaded, witnesses=witnesses)

    def take_stamp(self, witness: str, measured_s: object) -> None:
        """When a child made its report, by its own word."""
        self._tell(self._standstills.take(witness, measured_s))

    def take_report(self, device: DeviceUnderTest, message: Message, *, was_loading: bool) -> None:
        """What the report of a worker tells of the machine, once its device has dealt with it."""
        device_id, ended = device.device.id, was_loading and not device.loading
        if ended and device.interrupted:
            self._take_unsupervised(device.device.title)
        self.take_stamp(device_id, message.get("measured_s"))
        if ended:
            self._tell(self._standstills.leave(device_id))

    def _take_unsupervised(self, title: str) -> None:
        """A load ended itself, since it heard nothing: the machine ran, and its supervisor did not."""
        self._tell(self._standstills.ran())
        now_s = time.monotonic()
        if now_s > self._told_until_s + self._unsupervised_s:
            self._told_until_s, silent_s = now_s, STOP_SHARE * self._unsupervised_s
            fields = {"device": title, "seconds": silent_s}
            text = tr("{device} heard nothing from the runner for {seconds:.1f} s: its load ended.", **fields)
            self._record.interrupt(InterruptionKind.FROZEN, silent_s, text)

    def take_freeze(self, device: DeviceUnderTest, now_s: float) -> None:
        """Whether somebody has frozen its worker."""
        if freeze := device.look_for_freeze(now_s):
            text = about_device(device.device, freeze.text)
            self._record.interrupt(InterruptionKind.FROZEN, freeze.lasted_s, text)

    def unmeasured(self, silent_s: float) -> None:
        """The sampler has reported again after so long."""
        if silent_s > GAP_S:
            self._record.interrupt(
                InterruptionKind.GAP, silent_s, tr("No telemetry for {seconds:.0f} s.", seconds=silent_s)
            )

    def look(self) -> None:
        """Once a second: whether the clock was set, the machine slept, or a standstill stays unexplained."""
        if jump := self.wall_clock.take_jump():
            self._record.event(EventLevel.WARN, "clock", jump)
        if (slept_s := self.wall_clock.take_sleep_s()) is not None:
            now_s = self._record.run_s(time.monotonic())
            slept = duration(slept_s)
            text = tr("The machine was suspended for {time}: no load ran, and nothing was recorded.", time=slept)
            self._record.interrupt(InterruptionKind.SUSPENDED, slept_s, text, at_s=now_s)
        self._tell(self._standstills.overdue(time.monotonic()))

    def end(self) -> None:
        """The run is over."""
        self._tell(self._standstills.as_told())

    def _tell(self, standstill: Standstill | None) -> None:
        if standstill is None:
            return
        at_s, lasted_s = self._record.run_s(standstill.begun_s), standstill.lasted_s
        text = tr(
            "The whole machine froze for {seconds:.1f} s: nothing was measured or recorded in that time.",
            seconds=lasted_s,
        )
        if standstill.alone and standstill.loaded:
            text = tr("The runner froze for {seconds:.1f} s: nothing was recorded or guarded.", seconds=lasted_s)
        elif standstill.alone:
            text = tr("The runner froze for {seconds:.1f} s while no load ran: nothing was recorded.", seconds=lasted_s)
        if standstill.alone and standstill.loaded:
            self._told_until_s = standstill.ended_s
            self._record.interrupt(InterruptionKind.FROZEN, lasted_s, text, at_s=at_s)
        elif lasted_s >= SLOW_S:
            self._record.interrupt(InterruptionKind.GAP, lasted_s, text, at_s=at_s)
        else:
            self._record.event(EventLevel.INFO, "stood-still", text)
