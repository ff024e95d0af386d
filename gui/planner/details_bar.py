"""Name and mains circuit of the build, above the board, and the way to everything that surrounds the machine."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QWidget

from core.build.edits import Edit, SetDetails
from core.build.mains import CIRCUITS
from core.build.several import Several
from core.build.site_edits import SetCircuits
from gui.planner.document import PlanDocument
from gui.planner.site_dialog import SiteDialog
from gui.planner.site_words import circuits_words, is_usual, site_words
from gui.theme import theme
from gui.widgets.text import Label, tip

NARROW = 480
"""Pixels, below which caption and words of the button go."""


class DetailsBar(QWidget):
    """Edits are made when the field is left or Enter is pressed, so that undo takes back whole changes."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._seen = ""
        self.name = QLineEdit(self)
        self.name.setMaxLength(200)
        self.name.setAccessibleName(self.tr("Name of the build"))
        self.name.setPlaceholderText(self.tr("Name of the build"))
        self.name.editingFinished.connect(self.commit)
        self.region = QComboBox(self)
        self.region.setAccessibleName(self.tr("Mains circuit"))
        self.region.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.region.setMinimumContentsLength(14)
        for circuit in CIRCUITS:
            self.region.addItem(circuit.title, circuit.id)
        self.region.activated.connect(self._move)
        self._caption = Label(self.tr("&Circuit"), self)
        self.more = QToolButton(self)
        self.more.clicked.connect(self.open_site)
        self._lay_out()
        document.changed.connect(self._follow)
        theme().changed.connect(self._recolour)
        self._follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the name needs it most."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        self._caption.setVisible(not narrow)
        style = Qt.ToolButtonStyle
        self.more.setToolButtonStyle(style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon)

    def _lay_out(self) -> None:
        self._caption.setBuddy(self.region)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(self._caption)
        row.addWidget(self.region)
        row.addWidget(self.more)

    @Slot()
    def open_site(self) -> None:
        """Asks for circuits and assumptions; one undoable change."""
        dialog = SiteDialog(self._document.build, self)
        dialog.chosen.connect(self._edit)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot()
    def commit(self) -> None:
        """Makes the typed name part of the build, in one line; an empty one goes back to the old."""
        old = self._document.build.name
        if self.name.text() == old:
            return
        name = " ".join(self.name.text().split())
        if name and name != old:
            self._document.edit(SetDetails(name=name))
        self.name.setText(self._document.build.name)

    @Slot()
    def _follow(self) -> None:
        build = self._document.build
        if build.name != self._seen:  # another change must not take away what is being typed
            self._seen = build.name
            self.name.setText(build.name)
            self.name.setCursorPosition(0)
        self._show_circuit()
        words, all_words = circuits_words(build), site_words(build)
        self.region.setToolTip(tip(all_words))
        self.more.setText(words)
        self.more.setToolTip(tip(all_words))
        self.more.setAccessibleName(self.tr("Circuits and assumptions: {words}").format(words=words))
        self._recolour()

    def _show_circuit(self) -> None:
        """An own circuit stands below the regions, as long as it holds."""
        build = self._document.build
        while self.region.count() > len(CIRCUITS):
            self.region.removeItem(len(CIRCUITS))
        if build.custom_circuit is not None:
            self.region.addItem(build.custom_circuit.title, None)
            self.region.setCurrentIndex(len(CIRCUITS))
        else:
            self.region.setCurrentIndex(self.region.findData(build.region))

    @Slot(int)
    def _move(self, row: int) -> None:
        region, build = self.region.itemData(row), self._document.build
        if region is None:
            return
        change: Edit = SetDetails(region=region)
        if build.custom_circuit is not None:
            change = Several(change.title, (change, SetCircuits(None, build.other_loads_w)))
        self._edit(change)

    @Slot(object)
    def _edit(self, edit: Edit) -> None:
        self._document.edit(edit)

    @Slot()
    def _recolour(self) -> None:
        self.more.setIcon(theme().icon("settings", "muted" if is_usual(self._document.build) else "accent"))
