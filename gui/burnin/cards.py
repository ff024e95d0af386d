"""The device cards beside the charts, under the machine's number of errors."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui.burnin.card import DeviceCard
from gui.burnin.recording import Recording
from gui.theme import theme
from gui.widgets.text import Label

EXPANDED_UP_TO = 4
"""With more devices under load than these, each card begins as a line; devices that are only watched always do."""


class DeviceCards(QWidget):
    """One card per device of the run."""

    shown = Signal(int, bool)
    """A device's position, and whether its curves are wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Devices"))
        self._recording: Recording | None = None
        self.cards: list[DeviceCard] = []
        self._total = Label(self)
        self._reset = QPushButton(self.tr("Reset min/max"), self)
        self._reset.setToolTip(self.tr("Begin minimum, maximum and mean anew. The recording is kept."))
        self._reset.clicked.connect(self._forget)
        self._column = QWidget(self)
        self._rows = QVBoxLayout(self._column)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self._rows.addStretch()
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._column)
        head = QHBoxLayout()
        head.addWidget(self._total, 1)
        head.addWidget(self._reset)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(scroll, 1)
        self.setMinimumWidth(324)

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
            card = DeviceCard(record, self._column)
            card.set_expanded(few and record.burned)
            card.shown.connect(self.shown)
            self._rows.insertWidget(len(self.cards), card)
            self.cards.append(card)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Takes over the newest figures."""
        for card in self.cards:
            card.refresh()
        records = self._recording.devices if self._recording else []
        bad = [record for record in records if record.errors or record.first_error_s is not None]
        total = self.tr("Errors: {count}").format(count=sum(record.errors for record in records))
        where = ", ".join(record.label for record in bad)
        self._total.setText(self.tr("{errors} on {devices}").format(errors=total, devices=where) if bad else total)
        self._total.setStyleSheet(f"color: {theme().color('fail' if bad else 'muted').name()}; font-weight: bold")

    @Slot()
    def _forget(self) -> None:
        for record in self._recording.devices if self._recording else []:
            record.forget_extremes()
        self.refresh()
