"""What a program could not link that made no links of origin, and nothing more.

It linked a stage when that had ended, and the end of a run with its verdict. So the chain of a run that it left in the
midst of a stage lacks links of stages; and of one that it resumed after its end, some tell what was before that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.burnin.record.chain import END, INTERRUPTION, STAGE, Link, LinkedRows, changed_fields
from core.burnin.record.rows import InterruptionKind, RunStatus, StageStatus
from core.database import Database

_OF_A_REPETITION = frozenset(("status", "fraction", "started_s", "ended_s", "boot_id"))


@dataclass(frozen=True, slots=True)
class OlderChain:
    """A chain without a link of origin. `resumed` is the number of the link that tells of the last resumption."""

    resumed: int
    planned: Sequence[tuple[str, float]]
    """Kind and seconds of each stage by the profile, which such a chain does link."""

    @classmethod
    def of(cls, db: Database, run_id: int, links: Sequence[Link]) -> OlderChain:
        """Reads what its excuses rest on."""
        rows = db.execute(
            "SELECT CAST(id AS TEXT) FROM interruptions WHERE run_id = ? AND kind = ?",
            (run_id, InterruptionKind.RESUMED),
        ).fetchall()
        resumptions = {subject for (subject,) in rows}
        numbers = [link.number for link in links if link.kind == INTERRUPTION.kind and link.subject in resumptions]
        profile = db.execute("SELECT profile FROM runs WHERE id = ?", (run_id,)).fetchone()
        return cls(max(numbers, default=-1), _planned(profile[0]) if profile else ())

    def could_not_link(self, kept: LinkedRows, fields: Sequence[Any]) -> bool:
        """Whether a row without a link is one that such a program left so."""
        row = kept.named(fields)
        if kept is END:
            return bool(row["status"] != RunStatus.FINISHED)
        return kept is STAGE and _unfinished(row) and self._is_planned(row)

    def could_not_link_again(self, kept: LinkedRows, fields: Sequence[Any], link: Link) -> bool:
        """Whether a row is not what its link says because the run was resumed since."""
        if link.number > self.resumed:
            return False
        row = kept.named(fields)
        if kept is END:
            return bool(row["status"] != RunStatus.FINISHED)
        return kept is STAGE and _unfinished(row) and _OF_A_REPETITION.issuperset(changed_fields(kept, link, fields))

    def _is_planned(self, stage: Mapping[str, Any]) -> bool:
        number = stage["number"]
        if not 0 <= number < len(self.planned):
            return False
        kind, seconds = self.planned[number]
        return bool(stage["kind"] == kind and stage["seconds"] == seconds)


def _unfinished(stage: Mapping[str, Any]) -> bool:
    """Waiting or running, as a run that goes on or was cut off has it."""
    begun = {StageStatus.PENDING.value: False, StageStatus.RUNNING.value: True}.get(stage["status"])
    return begun is not None and begun == (stage["started_s"] is not None) and stage["ended_s"] is None


def _planned(profile: str) -> Sequence[tuple[str, float]]:
    try:
        return [(stage["kind"], float(stage["seconds"])) for stage in json.loads(profile)["stages"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()
