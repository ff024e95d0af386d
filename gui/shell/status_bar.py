"""The status bar: a line about devices, the recording light, and the state of the run."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStatusBar, QWidget

from core.words import tr
from gui.widgets.text import Label
from gui.widgets.theme import theme


class StatusBar(QStatusBar):
    """The light is lit while something is being recorded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._active = False
        self._light = Label(self)
        self._state = Label(self)
        self._devices = Label(self)
        self._devices.setContentsMargins(8, 0, 0, 0)
        self.addWidget(self._devices)
        self.addPermanentWidget(self._state)
        self.addPermanentWidget(self._light)
        self._light.setContentsMargins(0, 0, 8, 0)
        theme().changed.connect(self._recolour)
        self.set_run_state("", False)

    @property
    def run_text(self) -> str:
        """What is said about the run."""
        return self._state.text()

    @Slot(str)
    def set_devices(self, text: str) -> None:
        """Names the devices that were found."""
        self._devices.setText(text)
        self._devices.setToolTip(tr("Devices of this machine") if text else "")

    @Slot(str, bool)
    def set_run_state(self, text: str, active: bool) -> None:
        """Says what the run does and whether it is recorded."""
        self._active = active
        self._state.setText(text or tr("No run"))
        self._light.setToolTip(tr("Recording") if active else tr("Not recording"))
        self._light.setAccessibleName(self._light.toolTip())
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        self._light.setPixmap(theme().icon("record", "fail" if self._active else "muted").pixmap(14, 14))
