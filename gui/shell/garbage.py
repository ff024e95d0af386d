"""Collects cyclic garbage on the window's thread alone.

Python collects on whichever thread allocates next. On a thread of the pool that ends Qt objects there: the destructor
holds Qt's lock of connections and waits for the interpreter, the window holds the interpreter and waits for that lock,
and both stand still for good.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 1000


class GarbageCollector(QObject):
    """Takes the place of Python's automatic collection, which stays off in this process."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.collect)
        timer.start(INTERVAL_MS)

    @Slot()
    def collect(self) -> None:
        """Collects the oldest generation that Python's own thresholds call due."""
        fill = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [generation for generation, (count, limit) in enumerate(fill) if count > limit > 0]
        if due:
            gc.collect(due[-1])
