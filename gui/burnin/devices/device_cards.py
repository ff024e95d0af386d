"""The devices of a run beside its charts: in which order, and whose curves are drawn."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QStyle, QToolButton, QWidget

from core.burnin.verdict.states import Condition, ErrorCounts
from core.words import tr
from gui.burnin.devices.device_card import DeviceCard, restyle
from gui.burnin.recording import Recording
from gui.burnin.words import error_words
from gui.widgets.form import column_of, row_of
from gui.widgets.text import ElidedLabel, tip
from gui.widgets.theme import theme

HEAT_STEP_C = 2.0
LEAST_WIDTH = 324
EXPANDED_UP_TO = 4
"""With more devices under load than these, each card begins as a line; devices that are only watched always do."""


class DeviceCards(QWidget):
    """One card per device of the run."""

    place_wanted = Signal(int)
    """Where the failed device at this position sits."""
    hidden_changed = Signal(set)
    """The positions of the devices whose curves are not wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Devices"))
        self._recording: Recording | None = None
        self.cards: list[DeviceCard] = []
        self._total = ElidedLabel("", self)
        self.hottest = QToolButton(self)
        self.hottest.setText(tr("Hottest first"))
        self.hottest.setCheckable(True)
        self.hottest.setToolTip(tr("Sorts the cards by temperature; failed ones come first"))
        self.hottest.toggled.connect(self._order)
        self._reset = QPushButton(tr("Reset min/max"), self)
        self._reset.setToolTip(tr("Restart minimum, maximum and mean. The recording is kept."))
        self._reset.clicked.connect(self._forget)
        theme().changed.connect(self.refresh)
        self._column = QWidget(self)
        self._rows = column_of(1, into=self._column, spacing=4)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._column)
        column_of(row_of((self._total, 1), self.hottest, self._reset), (scroll, 1), into=self, spacing=4)

    def minimumSizeHint(self) -> QSize:
        """No card is cut off at the side."""
        hint, bar = super().minimumSizeHint(), self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        return QSize(max(LEAST_WIDTH, hint.width(), self._column.minimumSizeHint().width() + bar), hint.height())

    def set_recording(self, recording: Recording | None) -> None:
        """Cards for the devices of another run."""
        for card in self.cards:
            self._rows.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._recording = recording
        self.cards = []
        records = recording.devices if recording else []
        few = sum(record.burned for record in records) <= EXPANDED_UP_TO
        for record in records:
            place = recording.plan.place(record.device.id) if recording else None
            card = DeviceCard(record, self._column, place)
            card.set_expanded(few and record.burned)
            card.shown.connect(self._tell_hidden)
            card.solo_wanted.connect(self.toggle_solo)
            card.place_wanted.connect(self.place_wanted)
            self._rows.insertWidget(len(self.cards), card)
            self.cards.append(card)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Takes over the newest figures."""
        for card in self.cards:
            card.refresh()
        self._order()
        records = self._recording.devices if self._recording else []
        bad = [record for record in records if record.errors]
        imported = any(record.imported for record in records)
        kinds = error_words(ErrorCounts.together(record.errors for record in records), imported=imported)
        where = ", ".join(record.label for record in bad)
        self._total.setText(tr("Errors on {devices}", devices=where) if bad else kinds)
        self._total.setToolTip(tip("\n".join((self._total.text(), kinds))) if bad else "")
        restyle(self._total, f"color: {theme().color('fail' if bad else 'muted').name()}; font-weight: bold")

    @Slot(int)
    def toggle_solo(self, position: int) -> None:
        """Hides all curves but those of one device; where that is so already, shows all."""
        alone = all(card.curves_shown is (card.record.position == position) for card in self.cards)
        for card in self.cards:
            card.show_curves(alone or card.record.position == position)
        self._tell_hidden()

    @Slot()
    def _tell_hidden(self) -> None:
        self.hidden_changed.emit({card.record.position for card in self.cards if not card.curves_shown})

    @Slot()
    def _order(self) -> None:
        """Cards that failed first; then as they are numbered, or the hottest. Moves only what is out of place."""
        ordered = sorted(self.cards, key=self._rank)
        items = [self._rows.itemAt(place) for place in range(len(ordered))]
        shown = [item.widget() for item in items if item is not None]
        if shown != ordered:
            for place, card in enumerate(ordered):
                self._rows.insertWidget(place, card)

    def _rank(self, card: DeviceCard) -> tuple[bool, bool, float, int]:
        """Whole steps of 2 °C: cards that are alike keep their places."""
        record = card.record
        heat = record.now("temperature_c") if self.hottest.isChecked() else None
        steps = 0.0 if heat is None else -round(heat / HEAT_STEP_C)
        return record.state is Condition.SOUND, not record.burned, steps, record.position

    @Slot()
    def _forget(self) -> None:
        for record in self._recording.devices if self._recording else []:
            record.forget_extremes()
        self.refresh()
