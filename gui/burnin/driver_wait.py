"""Tells how long the window has waited for the devices, once that takes longer than usual."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from core.language import tr
from core.telemetry.patience import TELL_AFTER_S, TELL_EVERY_S, waits_for_driver


class DriverWait(QObject):
    """Between `begin` and `end`; `told` gives a sentence every second after the first five."""

    told = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._since = QElapsedTimer()
        self._for_driver = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tell)

    def begin(self) -> None:
        """Somebody begins to wait."""
        self._for_driver = waits_for_driver()
        self._since.start()
        self._timer.start(int(1000 * TELL_AFTER_S))

    def end(self) -> None:
        """The wait is over, whatever came of it."""
        self._timer.stop()

    @Slot()
    def _tell(self) -> None:
        self._timer.setInterval(int(1000 * TELL_EVERY_S))
        seconds = self._since.elapsed() / 1000
        if self._for_driver:
            text = tr(
                "Waiting for the NVIDIA driver… {seconds:.0f} s; without persistence mode up to two minutes.",
                seconds=seconds,
            )
        else:
            text = tr("Waiting for the devices to be listed… {seconds:.0f} s.", seconds=seconds)
        self.told.emit(text)
