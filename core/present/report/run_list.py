"""The topic of recorded runs: what a list says of each, in the terminal and in the window."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, Interruption, Outcome, Run, RunStatus
from core.burnin.sealing import is_relabelled
from core.platform.foreign import Unreadable, read_json
from core.present.report.document import Badge
from core.present.report.formatting import commas, counted_title
from core.present.report.run_verdict import run_badge
from core.words import tr


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as lists show it."""

    run: Run
    devices: tuple[str, ...]
    """Names of the devices that carried loads."""
    duration_s: float | None
    """As recorded: without the pauses of a run that was resumed. None while it goes on."""
    outcome: Outcome | None
    """None while it goes on, or after an interruption that nobody closed; and of one that was changed since."""
    build: str = ""
    """Name of the plan that it is compared with."""
    failed: tuple[str, ...] = ()
    """The cards that failed, in short."""
    interruptions: tuple[Interruption, ...] = ()
    """What it was not spared, oldest first."""
    changed: bool = False
    """Whether it says another verdict than its seal."""

    @classmethod
    def read(cls, store: RunReader, run: Run) -> RunLine:
        """As recorded now. Raises UnreadableRecord for a run of which a row is damaged."""
        changed = is_relabelled(store, run.id)
        outcomes = {} if changed else {verdict.device_id: verdict.outcome for verdict in store.verdicts(run.id)}
        burned = [row.device for row in store.devices(run.id) if row.burned]
        names = tuple(device.name.removeprefix("NVIDIA ").removeprefix("GeForce ") for device in burned)
        failed = tuple(device.label for device in burned if outcomes.get(device.id) is Outcome.FAIL)
        duration_s = None if run.status is RunStatus.RUNNING else store.last_time_s(run.id)
        interruptions = tuple(store.interruptions(run.id))
        return cls(
            run, names, duration_s, outcomes.get(MACHINE), _build_name(run.build), failed, interruptions, changed
        )

    @property
    def badge(self) -> Badge:
        """Its verdict, or what it has instead."""
        return run_badge(self.run, self.outcome, changed=self.changed)

    @property
    def title(self) -> str:
        """Its profile; what is simulated says so."""
        return marked_simulated(self.run.title, self.run)

    @property
    def interruption_words(self) -> str:
        """ "Runner killed, 2 × Frozen"; "" without any."""
        counts = Counter(one.kind for one in self.interruptions)
        return commas(counted_title(count, kind.label) for kind, count in counts.items())


def marked_simulated(words: str, run: Run) -> str:
    """Words about a run, with the mark of one that measured nothing."""
    return tr("{words} (SIMULATED)", words=words) if run.simulated else words


@lru_cache(maxsize=64)
def _build_name(text: str | None) -> str:
    """Read as JSON alone: to know its parts would take the catalogue."""
    try:
        build = read_json(text) if text else None
    except Unreadable:
        return ""
    return str(build.get("name", "")) if isinstance(build, dict) else ""
