"""What the program is, its licence and those of what it uses, where its data lie, and all shortcuts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QMenuBar, QWidget

from core.parts.attribution import attributions, shares
from core.parts.part import Origin
from core.version import __version__
from core.words import joined, tr
from gui.guide.command_palette import commands
from gui.parts.part_files import with_catalogue
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of
from gui.widgets.list_dialog import Row, TextDialog
from gui.widgets.messages import open_dialog
from gui.widgets.text import Markup, Sentence, escaped

LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"
OTHERS = (
    ("Qt for Python, LGPL 3", "https://doc.qt.io/qtforpython-6/licenses.html"),
    ("PyTorch, BSD", "https://github.com/pytorch/pytorch/blob/main/LICENSE"),
    ("pyqtgraph, MIT", "https://github.com/pyqtgraph/pyqtgraph/blob/master/LICENSE.txt"),
)


class About(QDialog):
    """Links open in the user's browser."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self.setWindowTitle(tr("About Rigwright"))
        self.title = Markup(self)
        self.title.setText(f"<b>{escaped(f'Rigwright {__version__}')}</b>")
        self.what = Sentence(tr("Plans, checks, burns in and accepts multi-GPU workstations."), self)
        self.links = Markup(self)
        self.links.setText(self._links())
        self.links.setOpenExternalLinks(True)
        self.links.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.links.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.links.setAccessibleName(tr("Licences"))
        self.folder = Sentence(tr("Data folder: {folder}", folder=data_dir), self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        self.sources = buttons.addButton(tr("&Sources of the catalogue …"), QDialogButtonBox.ButtonRole.ActionRole)
        self.sources.clicked.connect(self._show_sources)
        column_of(self.title, self.what, self.links, self.folder, buttons, into=self, margins=None)
        self.setMinimumWidth(460)

    @Slot()
    def _show_sources(self) -> None:
        """The sources that figures were taken from in bulk; what comes from each is counted beside the window."""
        title = tr("Sources of the catalogue")
        headings = (tr("Source"), tr("Licence"), tr("Terms"), tr("What"), tr("Parts"), tr("Figures"), tr("Address"))
        table = TextDialog(title, headings, "sources.csv", self)
        folder = self._data_dir
        run_in_background(table, lambda: _source_rows(folder), partial(_fill, table))
        open_dialog(table)

    def _links(self) -> str:
        own = tr("Licence: {link}", link=f'<a href="{LICENCE}">Apache License 2.0</a>')
        rows = "".join(f'<li><a href="{address}">{escaped(name)}</a></li>' for name, address in OTHERS)
        return f"<p>{own}</p><p>{escaped(tr('It builds on:'))}</p><ul>{rows}</ul>"


def _source_rows(data_dir: Path) -> list[Row]:
    sources = with_catalogue(data_dir, lambda catalogue: shares(catalogue.parts(origin=Origin.SHIPPED)))
    return [
        (one.title, one.licence, one.terms.label, one.taken, share.parts or "", share.figures or "", one.url)
        for share in sources
        for one in (share.attribution,)
    ]


def _fill(table: TextDialog, rows: list[Row]) -> None:
    table.show_rows(rows, joined(one.notice for one in attributions()))


def shortcuts(bar: QMenuBar, parent: QWidget | None = None) -> TextDialog:
    """All commands that have a key, by menu."""
    title, headings = tr("Keyboard shortcuts"), (tr("Command"), tr("Menu"), tr("Keys"))
    table = TextDialog(title, headings, "shortcuts.csv", parent)
    table.show_rows([(command.text, command.menu, command.keys) for command in commands(bar) if command.keys])
    return table
