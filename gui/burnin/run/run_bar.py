"""Start, stop, skip, remark as actions with keys and as buttons; and how long the window has waited for devices."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from core.machine.telemetry.detect import TELL_AFTER_S, TELL_EVERY_S, waits_for_driver
from core.words import tr
from gui.widgets.theme import theme


class RunBar(QWidget):
    """The actions belong to the page, so that the main window can put them into its menus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.start = self._action(tr("Start"), "F5", tr("Starts the burn-in"))
        self.stop = self._action(tr("Stop"), "Shift+F5", tr("Ends the loads and judges what was recorded"))
        self.skip = self._action(tr("Skip stage"), "", tr("Continues with the next stage"))
        self.mark = self._action(tr("Remark…"), "Ctrl+M", tr("Adds a remark to the recording, with the time"))
        self._buttons: dict[QAction, QToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for action in self.all_actions():
            button = QToolButton(self)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._buttons[action] = button
            layout.addWidget(button)
        theme().changed.connect(self._recolour)
        self._recolour()
        self.show_state(active=False, startable=False)

    def all_actions(self) -> list[QAction]:
        """In the order of the buttons."""
        return [self.start, self.stop, self.skip, self.mark]

    def button(self, action: QAction) -> QToolButton:
        """Of one of the actions."""
        return self._buttons[action]

    def show_state(self, *, active: bool, startable: bool) -> None:
        """What can be asked for now; only what fits the state has a button."""
        self.start.setEnabled(startable and not active)
        for action in (self.stop, self.skip, self.mark):
            action.setEnabled(active)
        for action, button in self._buttons.items():
            button.setVisible(active is not (action is self.start))

    def _action(self, text: str, keys: str, tip: str) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setToolTip(f"{tip} ({keys})" if keys else tip)
        return action

    @Slot()
    def _recolour(self) -> None:
        self.start.setIcon(theme().icon("start", "pass"))
        self.stop.setIcon(theme().icon("stop", "fail"))
        self.skip.setIcon(theme().icon("skip"))
        self.mark.setIcon(theme().icon("mdi6.bookmark-plus-outline"))


class DriverWait(QObject):
    """Between `begin` and `end`; `message` has a sentence every second after the first five."""

    message = Signal(str)

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
        self.message.emit(text)
