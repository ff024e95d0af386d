"""Which GPU suits a kind of network: the catalogue's in order, with reasons, and the way into the build."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.build.edits import AddPart, SwapPart
from core.errors import RigwrightError
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.predict.speed.card_speed import NOT_YOUR_CODE
from core.predict.speed.networks import Network
from core.predict.speed.why import WHY
from gui.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.predict.figures_model import FiguresModel
from gui.predict.limits import what_counts
from gui.predict.panel import MARGIN, Panel
from gui.predict.ranking import MODEL, Ranking, headings, rank, rows
from gui.predict.ranking_choices import RankingChoices
from gui.predict.ranking_view import RankingView
from gui.predict.words import listed
from gui.widgets.labels import muted, sentence
from gui.widgets.text import Label


class RankingPanel(Panel):
    """Asks the catalogue beside the window; the answer holds until build, catalogue or question change."""

    def __init__(self, document: PlanDocument, connection: CatalogueConnection, parent: QWidget | None = None) -> None:
        super().__init__(document, parent, scrolls=False)
        self._connection = connection
        self._ranking: Ranking | None = None
        self._asked: Any = None
        self._waiting = False
        self.choices = RankingChoices(self)
        self.instead = QComboBox(self)
        self.table = RankingView(FiguresModel(headings(Network.CNN), self), self.tr("GPUs by suitability"), self)
        self.reasons = sentence(self)
        self.swap = QPushButton(self.tr("S&wap in"), self)
        self.add = QPushButton(self.tr("&Add"), self)
        self._instead_of = Label(self.tr("in the place &of"), self)
        self._note = muted(self)
        self._lay_out()
        self._connect()

    @property
    def busy(self) -> bool:
        """Whether the answer is still to come."""
        return self._waiting or self.choices.pausing

    def lack(self) -> str:
        """The catalogue has GPUs for an empty build, too."""
        return ""

    def refresh(self) -> None:
        """Asks, unless the answer is known."""
        self._show_lines()
        self.lead.setText(WHY[self.choices.network])
        choices = self.choices
        key = (choices.network, choices.parameters, what_counts(self.document.build), self._replaced())
        if key == self._asked and (self._ranking or self._waiting):
            return
        self._asked = key
        if not self._waiting:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        self._waiting = True
        work = partial(rank, *self._asked)
        self._connection.adviser.ask(self, work, partial(self._take, self._asked), self._fail)

    def _take(self, asked: Any, found: Ranking) -> None:
        self._waiting = False
        if asked != self._asked:
            self._ask()
            return
        self._ranking = found
        self.table.figures.set_headings(headings(found.network))
        self.table.figures.show_rows(list(rows(found)))
        self.table.setColumnHidden(MODEL, found.parameters is None)
        self.table.fit()
        if self.table.key is None and found.gpus:
            self.table.choose(found.gpus[0].part.id)
        self._show_chosen()
        left_out = ", ".join(part.title for part in found.left_out)
        notes = [NOT_YOUR_CODE, self.tr("Score 1 is an RTX 3090; prices are of the day that the catalogue gives.")]
        notes += [self.tr("Left out for lack of figures: {parts}.").format(parts=left_out)] if left_out else []
        self._note.setText(" ".join(notes))

    def _fail(self, error: Exception) -> None:
        self._waiting = False
        if not isinstance(error, RigwrightError):
            raise error
        self.reasons.setText(str(error))

    @Slot()
    def forget(self) -> None:
        """The catalogue changed."""
        self._asked = None
        self.follow()

    @Slot()
    def _show_chosen(self) -> None:
        one = next((one for one in self._ranked() if one.part.id == self.table.key), None)
        self.swap.setEnabled(one is not None and self._replaced() not in (None, self.table.key))
        self.add.setEnabled(one is not None)
        if one is None or self._ranking is None:
            self.reasons.setText("")
            return
        fails = self._ranking.failing.get(one.part.id, "")
        words = [self.tr("In this build: {sentence}").format(sentence=fails)] if fails else []
        self.reasons.setText(f"{one.part.title}\n{listed([*one.reasons, *words])}")

    @Slot()
    def _swap(self) -> None:
        part, replaced = self._chosen_part(), self._replaced()
        if part is not None and replaced is not None:
            self.edited.emit(SwapPart(replaced, part))

    @Slot()
    def _add(self) -> None:
        part = self._chosen_part()
        if part is not None:
            self.edited.emit(AddPart(part))

    def _ranked(self) -> tuple[Any, ...]:
        return self._ranking.gpus if self._ranking else ()

    def _chosen_part(self) -> Part | None:
        return next((one.part for one in self._ranked() if one.part.id == self.table.key), None)

    def _replaced(self) -> str | None:
        return self.instead.currentData() if self.instead.count() else None

    def _show_lines(self) -> None:
        """The lines that a GPU may take the place of."""
        lines = self.document.build.of(Category.GPU)
        chosen = self.instead.currentData()
        self.instead.blockSignals(True)
        self.instead.clear()
        for line in lines:
            self.instead.addItem(f"{line.quantity} × {line.part.title}", line.part.id)
        self.instead.setCurrentIndex(max(self.instead.findData(chosen), 0) if lines else -1)
        self.instead.blockSignals(False)
        for widget in (self.instead, self._instead_of, self.swap):
            widget.setVisible(bool(lines))

    def _connect(self) -> None:
        self.choices.asked.connect(self.follow)
        self.choices.ordered.connect(self.table.order_by)
        self.choices.sought.connect(self.table.ordered.look_for)
        self.table.heading_clicked.connect(self.choices.order_by)
        self.table.chosen.connect(self._show_chosen)
        self.instead.currentIndexChanged.connect(self.follow)
        self.swap.clicked.connect(self._swap)
        self.add.clicked.connect(self._add)
        self._connection.changed.connect(self.forget)
        self.choices.tell_order()

    def _lay_out(self) -> None:
        self.instead.setAccessibleName(self.tr("Line whose place it takes"))
        self.instead.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.instead.setMinimumContentsLength(14)
        self._instead_of.setBuddy(self.instead)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for widget in (self.add, self.swap, self._instead_of):
            buttons.addWidget(widget)
        buttons.addWidget(self.instead, 1)
        buttons.addStretch(0)
        why, inside = QScrollArea(self), QWidget(self)
        reasons = QVBoxLayout(inside)
        reasons.setContentsMargins(0, 0, 0, 0)
        reasons.addWidget(self.reasons)
        reasons.addStretch(1)
        why.setWidget(inside)
        why.setWidgetResizable(True)
        why.setFrameShape(QScrollArea.Shape.NoFrame)
        why.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        why.setAccessibleName(self.tr("Why it has its place"))
        self.body.setContentsMargins(MARGIN, MARGIN, MARGIN, 8)
        self.body.addWidget(self.choices)
        self.body.addWidget(self.table, 3)
        self.body.addWidget(why, 1)
        self.body.addLayout(buttons)
        self.body.addWidget(self._note)
