"""How the parts are connected: the paths between GPUs, and the cables that feed them."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPsu
from core.plan.line import is_card
from core.plan.placement.nvlink import built_in
from core.plan.wiring.sentences import cut_short_words, modules_words
from core.rules.figure_names import figure_phrase
from core.words import tr, trc
from gui.planner.connections.cables import CablesView, WiringModel
from gui.planner.connections.paths import PathsModel, PathsView
from gui.planner.connections.psus import PsusModel, PsusView
from gui.planner.document import PlanDocument
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of
from gui.widgets.text import heading, muted
from gui.widgets.theme import theme

MOST_SHARE = 0.5
"""The most of the height that the paths may take."""
MOST_CHOICES = 0.3
"""The most of the height that the choice of PSUs may take."""


class ConnectionsPanel(QWidget):
    """`part_picked(part id)`: the line of the build that a cable leads to. Follows the document while it is seen."""

    part_picked = Signal(str)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._stale = True
        self.paths = PathsModel(self)
        self.matrix = PathsView(self.paths, self)
        self.wiring = WiringModel(self)
        self.cables = CablesView(self.wiring, self)
        self.psus = PsusModel(self)
        self.choices = PsusView(self.psus, self)
        self.path_words = _padded(muted(self))
        self.no_paths = _padded(muted(self))
        self.wiring_words = _padded(muted(self))
        self._empty = EmptyState(tr("Paths between the GPUs and their power cables are shown here."), parent=self)
        self._lay_out()
        self.matrix.selectionModel().currentChanged.connect(self._tell)
        self.cables.selectionModel().currentChanged.connect(self._pick)
        self.psus.chosen.connect(document.try_edit, Qt.ConnectionType.QueuedConnection)
        self.cables.dropped.connect(self._set, Qt.ConnectionType.QueuedConnection)
        document.changed.connect(self._follow)
        theme().changed.connect(self._recolour)

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is worked out when it is seen."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._limit_heights()

    @Slot()
    def refresh(self) -> None:
        """Reads the document."""
        build, assessment = self._document.build, self._document.assessment
        self._stale = False
        self.paths.show_paths(assessment)
        self.wiring.show_wiring(assessment)
        self.psus.show_wiring(build, assessment.wiring)
        self.choices.setVisible(self.psus.rowCount() > 0)
        paths_known = self.paths.complete()
        self.matrix.setVisible(paths_known)
        self.path_words.setVisible(paths_known)
        self.path_words.setText(self.paths.legend())
        self.no_paths.setVisible(not paths_known)
        self.no_paths.setText(self._no_path_words())
        self.wiring_words.setText(self._wiring_words())
        self.wiring_words.setVisible(bool(self.wiring_words.text()))
        self.cables.setVisible(self.wiring.rowCount() > 0)
        self._body.setVisible(bool(build.lines))
        self._empty.setVisible(not build.lines)
        self._limit_heights()

    def _limit_heights(self) -> None:
        self.matrix.setMaximumHeight(min(self.matrix.whole_height(), round(MOST_SHARE * self.height())))
        self.choices.setMaximumHeight(min(self.choices.whole_height(), round(MOST_CHOICES * self.height())))

    def _no_path_words(self) -> str:
        if self.paths.rowCount() > 1:
            return tr("The board's data does not say how its slots are connected.")
        build = self._document.build
        modules = [line.part for line in build.of(Category.GPU) if not is_card(line.part)]
        if modules and (fabric := built_in(build, modules[0])):
            return tr("Built-in NVLink connects the modules: {how}.", how=fabric.kind.label)
        if modules:
            return tr("Fewer than two GPUs sit in slots of the board. Modules are connected on their own board.")
        return tr("Fewer than two GPUs sit in slots of the board.")

    def _wiring_words(self) -> str:
        wiring = self._document.assessment.wiring
        lines = []
        if wiring.by_chassis:
            lines.append(modules_words(self._document.build))
        elif not wiring.psus:
            lines.append(tr("There is no PSU yet."))
        if wiring.cut_short:
            lines.append(cut_short_words())
        if wiring.lacking:
            lacking = figure_phrase(self._document.build, wiring.lacking)
            lines.append(tr("Not all cables are assigned; unknown: {figures}", figures=lacking))
        return "\n".join(lines)

    @Slot()
    def _follow(self) -> None:
        self._stale = True
        if self.isVisible():
            self.refresh()

    @Slot(QModelIndex, QModelIndex)
    def _tell(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self.path_words.setText(self.paths.sentence(current) or self.paths.legend())

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.wiring.row(current)
        if row is not None and row.part_id:
            self.part_picked.emit(row.part_id)

    @Slot(str, int, int)
    def _set(self, part_id: str, number: int, place: int) -> None:
        self._document.try_edit(SetPsu(part_id, place, (number,)))

    @Slot()
    def _recolour(self) -> None:
        for view in (self.matrix, self.cables, self.choices):
            view.viewport().update()

    def _lay_out(self) -> None:
        self._body = QWidget(self)
        paths = _padded(heading(tr("Between the GPUs"), self), top=8)
        power = _padded(heading(trc("psu", "Power"), self), top=8)
        links = (paths, self.no_paths, self.matrix, self.path_words)
        column_of(*(*links, power, self.wiring_words, self.choices, (self.cables, 1), 0), into=self._body, spacing=0)
        column_of((self._body, 1), (self._empty, 1), into=self)


def _padded(label: QLabel, top: int = 4) -> QLabel:
    """Away from the edges of the panel, in pixels."""
    label.setContentsMargins(8, top, 8, 4)
    return label
