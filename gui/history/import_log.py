"""Imports a log of another tool that the user chooses, and asks for what the log does not say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtWidgets import QInputDialog, QWidget

from core.burnin.record.sample_files import import_log
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.machine.telemetry.tool_logs.value import FieldsNeeded, IntervalNeeded
from core.words import tr
from gui.widgets import files, messages
from gui.widgets.background import run_in_background

Done = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class _Import:
    """A log on its way into the recording."""

    page: QWidget
    data_dir: Path
    path: Path
    done: Done
    interval_s: float | None = None
    fields: tuple[str, ...] = ()

    def begin(self) -> None:
        """Reads it beside the window."""
        run_in_background(self.page, self._read, self.done, self._failed)

    def _read(self) -> int:
        log = read_tool_log(self.path, interval_s=self.interval_s, fields=self.fields)
        if log.interval_assumed:
            raise IntervalNeeded(tr("The log has no times: one row a second was assumed."))
        return import_log(self.data_dir, self.path, log)

    def _failed(self, error: Exception) -> None:
        match error:
            case IntervalNeeded():
                title, question = tr("Import a log"), tr("The log has no times. Seconds between two rows:")
                seconds, accepted = QInputDialog.getDouble(self.page, title, question, 1.0, 0.01, 3600.0, 2)
                if accepted:
                    replace(self, interval_s=seconds).begin()
            case FieldsNeeded():
                title, question = tr("Import a log"), tr("The log has no heading. Fields of its query, with commas:")
                usual = "timestamp,index,temperature.gpu,power.draw,utilization.gpu"
                text, accepted = QInputDialog.getText(self.page, title, question, text=usual)
                if accepted and text.strip():
                    replace(self, fields=tuple(text.split(","))).begin()
            case _:
                messages.show_error(self.page, error)


def ask_for_tool_log(page: QWidget, data_dir: Path, done: Done) -> None:
    """Asks for the file; `done` learns the number of the run that it became."""
    kinds = tr("Logs of nvidia-smi, dcgmi, exporters, HWiNFO, GPU-Z (*.csv *.txt *.log *.prom);;All files (*)")
    path = files.file_to_open(page, tr("Import a log"), Path.home(), kinds)
    if path is not None:
        _Import(page, data_dir, path, done).begin()
