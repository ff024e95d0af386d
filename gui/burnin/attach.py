"""What the pages ask of the data folder: which run goes on, what its runner shall do, the report of a run."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.burnin.record.store import RunStore
from core.burnin.run.launch import active_run
from core.burnin.run.outside import end_from_outside, not_ended
from core.burnin.run.recovery import close_run, find_interrupted
from core.errors import EnvironmentProblem

if TYPE_CHECKING:
    from core.report.document import Document


@dataclass(frozen=True, slots=True)
class Situation:
    """The run that is being recorded, and the newest one that was interrupted."""

    active: int | None
    interrupted: int | None


def look(data_dir: Path) -> Situation:
    """Marks runs whose runner vanished. Raises EnvironmentProblem."""
    active = active_run(data_dir)
    with closing(RunStore(data_dir)) as store:
        interrupted = [found.run_id for found in find_interrupted(store, data_dir)]
    return Situation(active, interrupted[0] if interrupted else None)


def ask_runner(data_dir: Path, run_id: int, kind: str, argument: str = "") -> None:
    """Leaves a request for the runner: "stop", "skip", "mark"."""
    with closing(RunStore(data_dir)) as store:
        store.request(run_id, kind, argument)


def close_interrupted(data_dir: Path, run_id: int) -> None:
    """Judges what an interrupted run recorded."""
    with closing(RunStore(data_dir)) as store:
        close_run(store, run_id)


def end_silent(data_dir: Path, run_id: int) -> None:
    """Ends the processes of a run whose runner does not answer. Takes seconds; raises EnvironmentProblem."""
    with closing(RunStore(data_dir)) as store:
        if left := end_from_outside(store, run_id):
            raise EnvironmentProblem(not_ended(left))


def export_run(parent: QWidget, data_dir: Path, run_id: int) -> None:
    """Asks for a file and writes the report there; reports load when first needed."""
    from gui.report_export import export_document

    export_document(parent, lambda: run_report(data_dir, run_id), f"rigwright-run-{run_id}")


def run_report(data_dir: Path, run_id: int) -> Document:
    """The document of a run, on a connection of its own: it is made beside the window."""
    from core.report.run_report import run_document

    with closing(RunStore(data_dir)) as store:
        return run_document(store, run_id)
