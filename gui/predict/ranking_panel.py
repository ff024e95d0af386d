"""Which GPU suits a kind of network: the catalogue's in order, with reasons, and the way into the build."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton, QScrollArea, QWidget

from core.assessment import Assessment
from core.parts.money import USUAL
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.edits import AddPart, SwapPart
from core.platform.errors import RigwrightError
from core.predict.budget import left_for_one
from core.predict.speed.card_speed import NOT_YOUR_CODE
from core.predict.speed.networks import Network
from core.predict.speed.ranking import WHY
from core.predict.speed.shortlist import ShortlistLimits
from core.present.report.build_speed import GPU, MEMORY, MODEL, PRICE, SPEED, WORTH, ranking_table
from core.present.report.formatting import bullets
from core.words import joined, tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.predict.figure_box import FieldRange, OptionalFigureBox
from gui.predict.limits import what_counts
from gui.predict.panel import MARGIN, Panel
from gui.predict.ranking_table import Ranking, RankingQuestion, RankingView, rank
from gui.widgets.background import pause
from gui.widgets.form import column_of, fill, row_of
from gui.widgets.text import Label, muted, sentence


class RankingPanel(Panel):
    """Asks the catalogue beside the window; the answer holds until build, catalogue or question change."""

    def __init__(
        self, document: PlanDocument, parent: QWidget | None = None, *, connection: CatalogueConnection
    ) -> None:
        super().__init__(document, parent, scrolls=False)
        self._connection = connection
        self._ranking: Ranking | None = None
        self._question: Any = None
        self._waiting = False
        self.choices = RankingChoices(self)
        self.instead = QComboBox(self)
        self.table = RankingView(tr("GPUs by suitability"), self)
        self.reasons = sentence(self)
        self.swap = QPushButton(tr("&Replace with this"), self)
        self.add = QPushButton(tr("&Add"), self)
        self._instead_of = Label(tr("in place &of"), self)
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
        choices.follow(self.document.assessment, self._replaced())
        key = RankingQuestion(
            choices.network,
            choices.parameters,
            choices.limits,
            choices.only_fitting.isChecked(),
            what_counts(self.document.build),
            self._replaced(),
        )
        if key == self._question and (self._ranking or self._waiting):
            return
        self._question = key
        if not self._waiting:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        self._waiting = True
        if self._ranking is None:
            self.reasons.setText(tr("Comparing the GPUs of the catalogue …"))
        work = partial(rank, self._question)
        self._connection.adviser.ask(self, work, partial(self._take, self._question), self._fail)

    def _take(self, question: Any, ranking: Ranking) -> None:
        self._waiting = False
        if question != self._question:
            self._ask()
            return
        chosen, self._ranking = self.table.key, ranking
        ranked = ranking_table(ranking.network, ranking.gpus, ranking.worth, ranking.failing)
        self.table.show_table(ranked, self.document.build)
        self.table.setColumnHidden(MODEL, ranking.parameters is None)
        self.table.fit()
        if self.table.key is None and chosen is not None:
            self.table.choose(chosen)  # for another network other cards may be left out
        if self.table.key is None and ranking.gpus:
            self.table.choose(ranking.gpus[0].part.id)
        self._show_chosen()
        left_out = joined((part.title for part in ranking.left_out), ", ")
        notes = [NOT_YOUR_CODE, tr("Score 1 is an RTX 3090; prices are as of the day given in the catalogue.")]
        notes += [tr("Left out as asked: {products}.", products=ranking.narrowed)] if ranking.narrowed else []
        notes += [tr("Left out for lack of figures: {parts}.", parts=left_out)] if left_out else []
        self._note.setText(joined(notes))

    def _fail(self, error: Exception) -> None:
        self._waiting = False
        if not isinstance(error, RigwrightError):
            raise error
        self.reasons.setText(str(error))

    @Slot()
    def forget(self) -> None:
        """The catalogue changed."""
        self._question = None
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
        words = [tr("In this build: {sentence}", sentence=fails)] if fails else []
        self.reasons.setText(f"{one.part.title}\n{bullets([*one.reasons, *words])}")

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
        self.choices.question_changed.connect(self.follow)
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
        self.instead.setAccessibleName(tr("Line to replace"))
        self.instead.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.instead.setMinimumContentsLength(14)
        self._instead_of.setBuddy(self.instead)
        buttons = row_of(self.add, self.swap, self._instead_of, (self.instead, 1), 0, spacing=8)
        why, inside = QScrollArea(self), QWidget(self)
        column_of(self.reasons, 1, into=inside)
        why.setWidget(inside)
        why.setWidgetResizable(True)
        why.setFrameShape(QScrollArea.Shape.NoFrame)
        why.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        why.setAccessibleName(tr("Reasons for its rank"))
        self.body.setContentsMargins(MARGIN, MARGIN, MARGIN, 8)
        fill(self.body, self.choices, (self.table, 3), (why, 1), buttons, self._note)


PAUSE_MS = 250
PRICES = 1.0, 1_000_000.0
"""What a highest price may be."""
BILLION = 1e9
Down, Up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


class RankingChoices(QWidget):
    """`question_changed` a moment after network or model changed; `ordered(column, order)`; `sought(words)`."""

    question_changed = Signal()
    ordered = Signal(int, object)
    sought = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.network_box, self.order, self.search = QComboBox(self), QComboBox(self), QLineEdit(self)
        sizes = FieldRange(0.01, 100_000, tr(" billion parameters"), decimals=2, first=7.0)
        self.model_size = OptionalFigureBox(tr("For a &model of"), sizes, self)
        self.memory = OptionalFigureBox(tr("&At least"), FieldRange(1, 2048, "GB", decimals=0, first=24.0), self)
        self.price = OptionalFigureBox(tr("At &most"), FieldRange(*PRICES, USUAL, 50, decimals=0, first=1000.0), self)
        self.only_fitting = QCheckBox(tr("Only what &fits my build"), self)
        self._pause = pause(self, self.question_changed.emit, PAUSE_MS)
        self._fill()
        self._lay_out()
        self.network_box.currentIndexChanged.connect(self.question_changed)
        for box in (self.model_size, self.memory, self.price):
            box.changed.connect(self._pause.start)
        self.only_fitting.toggled.connect(self.question_changed)
        self.order.currentIndexChanged.connect(self.tell_order)
        self.search.textChanged.connect(self.sought)

    @property
    def network(self) -> Network:
        """The chosen network."""
        return Network(self.network_box.currentData())

    @property
    def parameters(self) -> float | None:
        """Of the model that a GPU should hold; None if nobody asks."""
        billions = self.model_size.figure
        return None if billions is None else billions * BILLION

    @property
    def limits(self) -> ShortlistLimits:
        """What a GPU must keep to."""
        return ShortlistLimits(self.price.figure, self.memory.figure)

    def follow(self, assessment: Assessment, replaced: str | None) -> None:
        """The highest price is in the currency that is shown and, until it is asked for, what the budget leaves."""
        self.price.take(*PRICES, assessment.guide.terms.common, decimals=0, step=50)
        left = left_for_one(assessment.build, assessment.guide, replaced)
        if left is not None and not self.price.box.isChecked():
            self.price.setValue(left.amount)
        self.only_fitting.setEnabled(bool(assessment.build.lines))

    @property
    def pausing(self) -> bool:
        """Whether a change waits to be asked."""
        return self._pause.isActive()

    @Slot()
    def tell_order(self) -> None:
        """Says which order is chosen."""
        self.ordered.emit(*self.order.currentData())

    @Slot(int)
    def order_by(self, column: int) -> None:
        """A column whose figure has an order chooses it."""
        rows = [row for row in range(self.order.count()) if self.order.itemData(row)[0] == column]
        if rows:
            self.order.setCurrentIndex(rows[0])

    def _fill(self) -> None:
        for network in Network:
            self.network_box.addItem(network.label, network)
        for words, column, order in (
            (tr("Suitability"), GPU, Up),
            (tr("Speed for the price"), WORTH, Down),
            (tr("Speed"), SPEED, Down),
            (tr("Memory"), MEMORY, Down),
            (tr("Price"), PRICE, Up),
        ):
            self.order.addItem(words, (column, order))
        self.network_box.setAccessibleName(tr("Network"))
        self.order.setAccessibleName(tr("Sort by"))
        self.search.setAccessibleName(tr("Find a GPU"))
        self.search.setPlaceholderText(tr("Find a GPU …"))
        self.search.setClearButtonEnabled(True)

    def _lay_out(self) -> None:
        network, order = Label(tr("&Network"), self), Label(tr("Sort &by"), self)
        network.setBuddy(self.network_box)
        order.setBuddy(self.order)
        choices = row_of(network, self.network_box, order, self.order, 1)
        narrowing = row_of(self.model_size.head, self.model_size, (self.search, 1))
        limits = row_of(self.memory.head, self.memory, self.price.head, self.price, self.only_fitting, 1)
        column_of(choices, narrowing, limits, into=self, spacing=8)
