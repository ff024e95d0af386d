"""What the dialogs of imports share: the file that is read, and the work beside the window, which can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QWidget

from core.words import tr
from gui.widgets import files
from gui.widgets.background import run_in_background
from gui.widgets.form import line_edit, push_button, row_of

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue


TELL_EVERY_S = 0.05
Tell = Callable[..., None]
"""Takes what has been reached; `urgent=False` where the next word will do as well. Raises Stopped."""
Work = Callable[["Catalogue", Tell], Any]


class Stopped(Exception):
    """The user does not want it any more. What works passes it on."""


class CatalogueJob(QObject):
    """One piece of work at a time. Signals arrive in the window's thread."""

    progressed = Signal(object)
    finished = Signal(object)
    """What the work came to."""
    cancelled = Signal()
    """It was stopped before its end."""
    failed = Signal(object)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._stop = Event()
        self.running = False

    def start(self, work: Work) -> None:
        """Begins; may be called again once it has ended."""
        self._stop, self.running = Event(), True
        reporter = _Reporter()
        reporter.reached.connect(self.progressed)
        tell = _Teller(reporter, self._stop)
        run_in_background(self, partial(_worked, self._data_dir, work, tell), self._end, self._fail)

    @Slot()
    def cancel(self) -> None:
        """Asks it to end; `cancelled` follows within a moment."""
        self._stop.set()

    def _end(self, answer: tuple[Any] | None) -> None:
        self.running = False
        if answer is None:
            self.cancelled.emit()
        else:
            self.finished.emit(answer[0])

    def _fail(self, error: Exception) -> None:
        self.running = False
        self.failed.emit(error)


class _Reporter(QObject):
    reached = Signal(object)


class _Teller:
    """Called on the other thread; it knows no widget."""

    def __init__(self, reporter: _Reporter, stop: Event) -> None:
        self._reporter, self._stop = reporter, stop
        self._last_s = 0.0

    def __call__(self, progress: object, *, urgent: bool = True) -> None:
        """Tells the window, not too often. Raises Stopped once the work is to end."""
        now = monotonic()
        if urgent or now - self._last_s > TELL_EVERY_S:
            self._last_s = now
            self._reporter.reached.emit(progress)
        if self._stop.is_set():
            raise Stopped


def _worked(data_dir: Path, work: Work, tell: Tell) -> tuple[Any] | None:
    """What the work came to; None when it was stopped."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(data_dir)) as catalogue:
        try:
            return (work(catalogue, tell),)
        except Stopped:
            return None


class SourceField(QWidget):
    """`changed` with each other path. Nothing is dropped on it while it is disabled."""

    changed = Signal()

    def __init__(self, dialog: QDialog, name: str, hint: str, titles: tuple[str, str], kinds: str) -> None:
        """`titles` are those of the dialogs for a file and for a folder, `kinds` the files that the first offers."""
        super().__init__(dialog)
        self._titles, self._kinds = titles, kinds
        self.path = line_edit(self, name, hint)
        self.file = push_button(self, tr("&File …"), self._choose_file)
        self.folder = push_button(self, tr("F&older …"), self._choose_folder)
        row_of((self.path, 1), self.file, self.folder, into=self)
        self.setFocusProxy(self.path)
        self.path.textChanged.connect(self.changed)
        dialog.setAcceptDrops(True)
        dialog.installEventFilter(self)

    def chosen(self) -> Path | None:
        """What is named, None while nothing is."""
        text = self.path.text().strip()
        return Path(text).expanduser() if text else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes what is dropped on the dialog."""
        if isinstance(event, QDragEnterEvent) and event.mimeData().hasUrls() and self.isEnabled():
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            event.acceptProposedAction()
            self.path.setText(event.mimeData().urls()[0].toLocalFile())
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _choose_file(self) -> None:
        path = files.file_to_open(self.window(), self._titles[0], Path.home(), self._kinds)
        if path is not None:
            self.path.setText(str(path))

    @Slot()
    def _choose_folder(self) -> None:
        path = files.folder_to_open(self.window(), self._titles[1], Path.home())
        if path is not None:
            self.path.setText(str(path))
