"""Devices that run a load together: whoever fails is named, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.burnin.record import EventLevel, Result, ResultStatus
from core.burnin.stages.loading import Loads

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext
    from core.burnin.under_test import DeviceUnderTest

LEFT_BEHIND_S = 5.0
"""When one has ended badly but in order, the others may end by themselves for so long before they are stopped."""
ERROR = "error"
"""The kind of fault that a worker also reports when another one left it; wrong results are of other kinds."""


class Fellows:
    """Groups of devices by id, from the start of their load to their results."""

    def __init__(self, context: StageContext, groups: Sequence[Sequence[str]]) -> None:
        self._context = context
        self._groups = [group for group in groups if group]
        self._since_s: dict[int, float] = {}
        """By group: when its first member ended badly."""
        self._told: set[int] = set()

    def watch(self, loads: Loads) -> None:
        """Between turns: stops those whose fellow is gone."""
        for number, group in enumerate(self._groups):
            bad = [m for m in group if m in loads.results and loads.results[m][0] is not ResultStatus.PASSED]
            if bad:
                since_s = self._since_s.setdefault(number, self._context.now_s)
                gone = any(self._device(member).unusable for member in bad)
                if gone or self._context.now_s - since_s >= LEFT_BEHIND_S:
                    self._stop(number, loads)

    def judged(self, results: Mapping[str, Result]) -> dict[str, Result]:
        """The results, in which one that was only left by its fellow is stopped, not failed."""
        judged = dict(results)
        for group in self._groups:
            if culprit := self._culprit(group, results):
                judged |= {m: self._beside(culprit, m, results) for m in group if m != culprit}
        return judged

    def renew_workers(self) -> None:
        """New workers for those whose fellow is gone (theirs hold the broken group) or that had to be ended."""
        if self._context.run_ends:
            return
        broken = {m for group in self._groups if any(self._is_out(member) for member in group) for m in group}
        members = [member for group in self._groups for member in group if not self._is_out(member)]
        left = [d for m in members if (d := self._device(m)).did_not_stop or m in broken]
        for device in left:
            device.renew()
        self._context.wait_until_ready(left)

    def _stop(self, number: int, loads: Loads) -> None:
        waiting = [member for member in self._groups[number] if member in loads.loading]
        for member in waiting:
            self._device(member).stop_load(self._context.now_s)
        if waiting and number not in self._told:
            self._told.add(number)
            culprit = self._culprit(self._groups[number], loads.results)
            whose = f"{self._device(culprit).device.title} is gone: t" if culprit else "T"
            self._context.event(EventLevel.ERROR, "group", f"{whose}he stage was ended for the devices beside it.")

    def _culprit(self, group: Sequence[str], results: Mapping[str, Result]) -> str | None:
        """The member to which the end of the group is owed: gone first of all, or with wrong results of its own."""
        ended = [member for member in results if member in group]
        gone = [m for m in ended if self._is_out(m)]
        wrong = [m for m in ended if results[m][0] is ResultStatus.FAILED and self._computed_wrongly(m)]
        return next(iter(gone + wrong), None)

    def _beside(self, culprit: str, member: str, results: Mapping[str, Result]) -> Result:
        status, _, evidence = results[member]
        if status is ResultStatus.PASSED or self._computed_wrongly(member) or self._is_out(member):
            return results[member]
        why = results[culprit][1]
        return ResultStatus.STOPPED, f"It was ended because of {self._device(culprit).device.title}: {why}", evidence

    def _is_out(self, member: str) -> bool:
        """Whether it died or was taken out, and not for the sake of the group."""
        device = self._device(member)
        return device.unusable is not None and not device.did_not_stop

    def _computed_wrongly(self, member: str) -> bool:
        return bool(self._device(member).fault_kinds - {ERROR})

    def _device(self, member: str) -> DeviceUnderTest:
        return self._context.devices[member]
