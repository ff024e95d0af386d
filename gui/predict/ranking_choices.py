"""What the ranking is asked: the network, the size of a model, the order, and words to find a GPU by."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.predict.speed.networks import Network
from gui.predict.network_words import network_words
from gui.predict.ranking import GPU, MEMORY, PRICE, SPEED, WORTH
from gui.predict.room_fields import MaybeField, Measure
from gui.widgets.text import Label

PAUSE_MS = 250
BILLION = 1e9
Down, Up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


class RankingChoices(QWidget):
    """`asked` a moment after network or model changed; `ordered(column, order)`; `sought(words)`."""

    asked = Signal()
    ordered = Signal(int, object)
    sought = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.network_box, self.order, self.search = QComboBox(self), QComboBox(self), QLineEdit(self)
        self.model_size = MaybeField(
            self.tr("For a &model of"),
            Measure(0.01, 100_000, self.tr(" billion parameters"), decimals=2, first=7.0),
            self,
        )
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._fill()
        self._lay_out()
        self._pause.timeout.connect(self.asked)
        self.network_box.currentIndexChanged.connect(self.asked)
        self.model_size.changed.connect(self._pause.start)
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
            self.network_box.addItem(network_words(network), network)
        for words, column, order in (
            (self.tr("Suitability"), GPU, Up),
            (self.tr("Speed for the price"), WORTH, Down),
            (self.tr("Speed"), SPEED, Down),
            (self.tr("Memory"), MEMORY, Down),
            (self.tr("Price"), PRICE, Up),
        ):
            self.order.addItem(words, (column, order))
        self.network_box.setAccessibleName(self.tr("Network"))
        self.order.setAccessibleName(self.tr("Order"))
        self.search.setAccessibleName(self.tr("Find a GPU"))
        self.search.setPlaceholderText(self.tr("Find a GPU …"))
        self.search.setClearButtonEnabled(True)

    def _lay_out(self) -> None:
        choices, narrowing = QHBoxLayout(), QHBoxLayout()
        for words, field in ((self.tr("&Network"), self.network_box), (self.tr("Order &by"), self.order)):
            label = Label(words, self)
            label.setBuddy(field)
            choices.addWidget(label)
            choices.addWidget(field)
        choices.addStretch(1)
        for widget in (self.model_size.head, self.model_size):
            narrowing.addWidget(widget)
        narrowing.addWidget(self.search, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(choices)
        column.addLayout(narrowing)
