"""What the user says about the build: its name, mains circuits and notes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from core.parts.part import Condition
from core.plan.assumptions import DEFAULT_ASSUMPTIONS
from core.plan.build import Build
from core.plan.edits import Edit, SetDetails, Several
from core.plan.mains import CIRCUITS
from core.plan.site_edits import SetCircuits
from core.words import joined, tr
from gui.planner.build_settings import BudgetDialog, SiteDialog
from gui.planner.document import PlanDocument
from gui.planner.frame import DetailsRow
from gui.widgets.background import pause
from gui.widgets.figures import number
from gui.widgets.messages import open_dialog
from gui.widgets.text import tip
from gui.widgets.theme import theme

NOTES_PAUSE_MS = 800
"""Without typing, after which notes become an edit."""
NOTES_MAX_LENGTH = 20_000


class DetailsBar(DetailsRow):
    """Edits are made when the field is left or Enter is pressed, so that undo takes back whole changes."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._seen = ""
        self.name.editingFinished.connect(self.commit)
        self.region.activated.connect(self._move)
        self.more.clicked.connect(self.open_site)
        document.changed.connect(self._follow)
        theme().changed.connect(self._recolour)
        self._follow()

    @Slot()
    def open_site(self) -> None:
        """Asks for how parts are bought, circuits and assumptions; one undoable change."""
        dialog = SiteDialog(self._document.build, self)
        dialog.chosen.connect(self._document.try_edit)
        open_dialog(dialog)

    @Slot()
    def open_budget(self) -> None:
        """Asks what all parts may cost; one undoable change."""
        dialog = BudgetDialog(self._document.assessment, self)
        dialog.chosen.connect(self._document.try_edit)
        open_dialog(dialog)

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
        self.more.setAccessibleName(tr("Build settings: {words}", words=words))
        self._recolour()

    def _show_circuit(self) -> None:
        """A custom circuit is listed below the regions, as long as it holds."""
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
        self._document.try_edit(change)

    @Slot()
    def _recolour(self) -> None:
        self.more.setIcon(theme().icon("settings", "muted" if is_usual(self._document.build) else "accent"))


def circuits_words(build: Build) -> str:
    """What a button has room for: how many circuits there are, or that the one is shared."""
    count, taken_w = len(build.other_loads_w), sum(build.other_loads_w)
    if count > 1:
        return tr("{count} circuits", count=count)
    if taken_w:
        return tr("{watts} W in use", watts=number(taken_w))
    return tr("Circuits")


def is_usual(build: Build) -> bool:
    """Whether one circuit of the region feeds the machine alone, parts are bought new, and all is assumed as usual."""
    bought_new = build.condition is Condition.NEW
    alone = build.custom_circuit is None and build.other_loads_w == (0.0,)
    return bought_new and alone and build.assumptions == DEFAULT_ASSUMPTIONS


def site_words(build: Build) -> str:
    """All of it, a sentence a line."""
    circuit, loads = build.circuit, build.other_loads_w
    whole = tr(
        "{count} × {title}: {watts} W continuous each. {source}.",
        count=len(loads),
        title=circuit.title,
        watts=number(circuit.continuous_w),
        source=circuit.source,
    )
    taken = (
        tr("Circuit {position}: other loads draw {watts} W.", position=position, watts=number(watts))
        for position, watts in enumerate(loads, start=1)
        if watts
    )
    share, room = number(100 * build.assumptions.coincidence), number(build.assumptions.plug_room_mm)
    assumed = tr("Assumed: {share} % of the cards' power peaks coincide, plugs need {room} mm.", share=share, room=room)
    bought = tr("Parts: {condition}, where their lines do not say it.", condition=build.condition.label)
    return joined((whole, *taken, assumed, bought), "\n")


class NotesEditor(QPlainTextEdit):
    """Typing becomes an edit of the build at a pause, or when the field is left."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._seen = ""
        self._pause = pause(self, self.commit, NOTES_PAUSE_MS)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)  # Ctrl+Z undoes the edit of the build
        self.setPlaceholderText(tr("Why it is built this way, what is still open, who it is for …"))
        self.setAccessibleName(tr("Notes"))
        document.changed.connect(self._follow)
        self.textChanged.connect(self._pause.start)
        self._follow()

    @Slot()
    def commit(self) -> None:
        """Makes what was typed part of the build."""
        self._pause.stop()
        notes = self.toPlainText()[:NOTES_MAX_LENGTH]
        if notes != self._document.build.notes:
            self._document.edit(SetDetails(notes=notes))

    def event(self, event: QEvent) -> bool:
        """Leaves undo and redo to the window, whose stack holds the notes too, with what was just typed."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _is_undo(event):
            self.commit()
            event.ignore()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)

    @Slot()
    def _follow(self) -> None:
        notes = self._document.build.notes
        if notes == self._seen:  # another change must not take away what is being typed
            return
        self._seen = notes
        if self.toPlainText() != notes:
            self.setPlainText(notes)
            self._pause.stop()


def _is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
