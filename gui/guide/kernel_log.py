"""Reads a kernel log of the user's choice and shows what it blames, in a table that can be searched and exported."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.machine.telemetry.kernel_log.log_file import KernelLines
from core.machine.telemetry.kernel_log.reading import NOTHING as NOTHING_BLAMED
from core.machine.telemetry.kernel_log.reading import (
    Blamed,
    action_words,
    meaning_words,
    no_log_words,
    part_words,
    read_log,
)
from core.words import tr
from gui.widgets import files, messages
from gui.widgets.background import run_in_background
from gui.widgets.list_dialog import TextDialog
from gui.widgets.messages import open_dialog


def ask_for_log(window: QWidget) -> None:
    """Asks for the file; a large one is read beside the window."""
    kinds = tr("Kernel logs (*.log *.txt *.gz *.json);;All files (*)")
    path = files.file_to_open(window, tr("Read a kernel log"), Path.home(), kinds)
    if path is not None:
        run_in_background(window, lambda: _read(path), lambda blamed: _show(window, path, blamed))


def _read(path: Path) -> list[Blamed] | None:
    """None where it is no kernel log."""
    lines = KernelLines(path)
    blamed = read_log(lines)
    return blamed if blamed or lines.recognised else None


def _show(window: QWidget, path: Path, blamed: list[Blamed] | None) -> None:
    if blamed is None:
        messages.tell(window, no_log_words(path.name))
    elif not blamed:
        messages.tell(window, tr("{name}: nothing to blame.", name=path.name), NOTHING_BLAMED)
    else:
        open_dialog(table_of(path.name, blamed, window))


def table_of(name: str, blamed: list[Blamed], parent: QWidget | None = None) -> TextDialog:
    """A row for each part and kind of error, the gravest first."""
    headings = (tr("Severity"), tr("Part"), tr("What happened"), tr("What to do"), tr("Log"))
    table = TextDialog(tr("Kernel log: {name}", name=name), headings, "kernel-log.csv", parent)
    pairs = [(one.finding, meaning_words(one)) for one in blamed]
    rows = [
        (finding.gravity.label, part_words(finding), happened, action_words(finding), finding.text)
        for finding, happened in pairs
    ]
    table.show_rows(rows)
    return table
