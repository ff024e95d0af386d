"""Puts on record what paused a run: a runner, sampler, worker or machine that stood still, for how long, and who.

Whatever lasted a second is told. What takes a place among the interruptions warns the verdict; whether planned time was
lost by it is told by the results of the stages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Protocol

from core.burnin.children.device_under_test import DeviceUnderTest, about_device
from core.burnin.children.freeze import NOTED_S
from core.burnin.profile.profile import Guards
from core.burnin.record.rows import EventLevel, InterruptionKind
from core.burnin.run.machine import WallClock
from core.burnin.run.standstill import Standstill, Standstills
from core.language import tr
from core.loads.dead_man import STOP_SHARE
from core.phrasing import duration
from core.protocol import Message

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


class PauseRecord(Protocol):
    """Where it is put."""

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        """What happened."""

    def interrupt(self, kind: InterruptionKind, lasted_s: float, text: str, *, at_s: float | None = None) -> None:
        """What interrupted the run; `at_s` is when it began, without it, it has just ended."""


class Pauses:
    """Takes in what is noticed of standstills. `run_s` turns a time of the monotonic clock into one of the run."""

    def __init__(self, record: PauseRecord, guards: Guards, run_s: Callable[[float], float]) -> None:
        self.wall_clock = WallClock()
        self._record = record
        self._run_s = run_s
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
            text = tr(
                "{device} heard nothing from the runner for {seconds:.1f} s: its load ended.",
                device=title,
                seconds=silent_s,
            )
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
            now_s = self._run_s(time.monotonic())
            slept = duration(slept_s)
            text = tr("The machine was suspended for {time}: no load ran, and nothing was recorded.", time=slept)
            self._record.interrupt(InterruptionKind.SUSPENDED, slept_s, text, at_s=now_s)
        self._tell(self._standstills.overdue(time.monotonic()))

    def end(self) -> None:
        """The run is over."""
        self._tell(self._standstills.at_the_end())

    def _tell(self, standstill: Standstill | None) -> None:
        if standstill is None:
            return
        at_s, lasted_s = self._run_s(standstill.begun_s), standstill.lasted_s
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
