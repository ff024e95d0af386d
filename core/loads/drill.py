"""Drills: faults that are ordered to prove that the checks find them.

A drill proves something only if the fault was injected and a check found it afterwards. A load whose drill did neither
has not run, whatever else it computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.language import tr
from core.loads.evidence import Injected
from core.loads.load import Ending, LoadStatus

SEEN_BY_OTHERS = ("deviant",)
"""Kinds that no card can find by itself: the verdict compares it with its twins."""


@dataclass(slots=True)
class Drill:
    """A fault of this `kind` is to be injected from iteration `at` on; no drill without a kind."""

    kind: str = ""
    at: int = 0
    times: int = field(default=0, init=False)
    """How often the fault was injected."""
    where: str = field(default="", init=False)
    """The place of the first injection, in words."""
    found_by: str = field(default="", init=False)
    """What the first check said that found something after the injection."""

    def due(self, iteration: int) -> bool:
        """Whether the fault is to be injected now, the first time."""
        return bool(self.kind) and not self.times and iteration >= self.at

    def strike(self, where: str, count: int = 1) -> None:
        """The fault was injected just now."""
        self.times += count
        self.where = self.where or where

    def found(self, finding: str) -> None:
        """A check has found something wrong; before the first injection that is no matter of the drill."""
        if self.times:
            self.found_by = self.found_by or finding

    def evidence(self) -> Injected | None:
        """What was injected, for the record; None if nothing was ordered."""
        if not self.kind:
            return None
        return Injected(
            kind=self.kind,
            from_iteration=self.at,
            times=self.times,
            where=self.where or None,
            found_by=self.found_by or None,
        )


def proven(ending: Ending) -> Ending:
    """The ending of a load, NOT RUN where it would pass although its drill proves nothing."""
    drill = ending.evidence.injected_on_purpose
    if ending.status is not LoadStatus.PASSED or drill is None or drill.found_by:
        return ending
    if drill.times and drill.kind in SEEN_BY_OTHERS:
        return ending
    return replace(ending, status=LoadStatus.NOT_RUN, reason=_gap(drill))


def _gap(drill: Injected) -> str:
    if not drill.times:
        return tr(
            "The fault to inject ({kind}, from iteration {at}) was never injected: the load ended before. Let it begin "
            "earlier (inject_at), or give the stage more time.",
            kind=drill.kind,
            at=drill.from_iteration or 0,
        )
    return tr(
        "A fault ({kind}) was injected ({where}), but no check found it before the load ended. Let it begin earlier "
        "(inject_at), or give the stage more time.",
        kind=drill.kind,
        where=drill.where or tr("place not recorded"),
    )
