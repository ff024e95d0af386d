"""Someone at the keyboard of the real window: presses keys and types, and does nothing else to the program.

Works beside the window, in a thread, as a user does, also while a dialog waits for its answer. A key goes to whatever
window has the keyboard; what there is to see is read in the window's thread.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMenu, QMessageBox, QWidget

from core.words import current_language
from gui.guide.command_palette import CommandPalette
from gui.shell.main_window import MainWindow
from gui.widgets.actions import without_mnemonic
from tests.patience import PATIENCE_S

T = TypeVar("T")
MOST_TABS = 150


class Stuck(AssertionError):
    """The keyboard does not get there."""


class _Hands(QObject):
    """Does in the window's thread what comes from another, also while a dialog waits."""

    posted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.posted.connect(self._do, Qt.ConnectionType.QueuedConnection)

    @Slot(object)
    def _do(self, work: Callable[[], None]) -> None:
        work()


class User:
    """Presses keys, types and reads. `window` is there to be looked at, by `see` and `wait`."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window, self.folder = window, folder
        self.language = current_language()
        self.opened: list[Path] = []
        """Files that were given to the desktop to be shown."""
        self._hands = _Hands()

    # -- what is seen ---------------------------------------------------------------------------------------------

    def see(self, look: Callable[[], T]) -> T:
        """What there is to see now."""
        answer: Queue[tuple[bool, Any]] = Queue()

        def work() -> None:
            try:
                answer.put((True, look()))
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                answer.put((False, error))

        self._hands.posted.emit(work)
        good, result = answer.get(timeout=PATIENCE_S)
        if not good:
            raise result
        return result  # type: ignore[no-any-return]

    def wait(self, look: Callable[[], T], what: str) -> T:
        """The first true thing that is seen; `what` it should have been, for whoever waits in vain."""
        ends = time.monotonic() + PATIENCE_S / 2
        while time.monotonic() < ends:
            self.see(self._manage)
            if result := self.see(look):
                return result
            time.sleep(0.02)
        raise Stuck(f"waited in vain for {what}; the keyboard is at {self.place()}")

    def dialog(self, kind: type[QWidget]) -> Any:
        """The dialog of this class, once it has the keyboard."""

        def look() -> QWidget | None:
            active = QApplication.activeWindow()
            return active if isinstance(active, kind) else None

        return self.wait(look, kind.__name__)

    def back(self) -> None:
        """Waits until the main window has the keyboard again."""
        self.wait(lambda: QApplication.activeWindow() is self.window, "the main window")

    def place(self) -> str:
        """Where the keyboard is, in words."""

        def look() -> str:
            widget = QApplication.activePopupWidget() or QApplication.focusWidget()
            if widget is None:
                return "no widget"
            named = widget.accessibleName() or widget.objectName() or getattr(widget, "text", str)()
            return f"{type(widget).__name__} {named!r} of {type(widget.window()).__name__}"

        return self.see(look)

    def at(self, widget: QWidget) -> bool:
        """Whether the keyboard is in a widget."""

        def look() -> bool:
            focus = QApplication.focusWidget()
            return focus is not None and (focus is widget or widget.isAncestorOf(focus))

        return self.see(look)

    # -- what is done ---------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Keys as a manual writes them: "Ctrl+N", "Tab", "Alt+D"."""
        for name in keys:
            combination = QKeySequence(name)[0]
            self._send(combination.key(), combination.keyboardModifiers())

    def type(self, text: str) -> None:
        """Text; letters that no key has come from an input method, as Chinese does."""
        for letter in text:
            if letter.isascii() and not letter.isupper():
                self._send(Qt.Key(ord(letter.upper())), Qt.KeyboardModifier.NoModifier)
            else:
                self.see(partial(_commit, letter))

    def write(self, text: str) -> None:
        """Text in the place of what the field says."""
        self.press("Ctrl+A")
        self.type(text)

    def tab_to(self, widget: QWidget, key: str = "Tab") -> None:
        """Presses Tab until the keyboard is there."""
        passed: list[str] = []
        while not self.at(widget):
            if len(passed) > MOST_TABS:
                raise Stuck(f"Tab does not come to {type(widget).__name__}; it passed {passed[:40]}")
            passed.append(self.place())
            self.press(key)

    def push(self, button: QAbstractButton) -> None:
        """Tabs to a button and presses it."""
        self.tab_to(button)
        self.wait(button.isEnabled, "the button to be enabled")
        self.press("Space")

    def answer(self, words: str) -> None:
        """Chooses a button of the question that is asked, by its words."""
        box = self.dialog(QMessageBox)
        button = next(one for one in self.see(box.buttons) if without_mnemonic(self.see(one.text)) == words)
        self.push(button)

    def menu(self, *way: QMenu | QAction) -> None:
        """Through the menu bar by its marked letters and the arrows: the menus, and the action at their end."""
        title = self.see(way[0].title)  # type: ignore[union-attr]
        letter = title[title.index("&") + 1]
        self.press(f"Alt+{letter}")
        self.wait(lambda: QApplication.activePopupWidget() is way[0], f"the menu {title}")
        for step in way[1:]:
            self._walk(step)

    def wait_for_menu(self) -> Any:
        """The menu that opens."""
        return self.wait(QApplication.activePopupWidget, "a menu")

    def pick(self, action: QAction) -> None:
        """Chooses an action of the menu that is open."""
        self.wait_for_menu()
        self._walk(action)

    def command(self, action: QAction) -> None:
        """Runs an action by typing its name into the list of commands."""
        self.press("Ctrl+K")
        palette: CommandPalette = self.dialog(CommandPalette)
        self.type(self.see(lambda: without_mnemonic(action.text()).rstrip("…")))
        rows = self.see(lambda: [command.action for command in palette.shown])
        if action not in rows:
            raise Stuck(f"the list of commands does not find {action.objectName()} by its name")
        self.press(*["Down"] * rows.index(action), "Return")

    def choose(self, box: Any, data: Any) -> None:
        """Goes to an entry of a combo box that has the keyboard, with the arrows."""
        entry, now = self.see(lambda: (box.findData(data), box.currentIndex()))
        assert entry >= 0, f"there is no {data}"
        self.press(*["Down" if entry > now else "Up"] * abs(entry - now))
        self.wait(lambda: box.currentIndex() == entry, f"the entry {data}")

    def name_file(self, path: Path) -> None:
        """Types a path into the dialog that asks for a file."""
        self.dialog(QFileDialog)
        self.write(str(path))
        self.press("Return")

    def _walk(self, step: QMenu | QAction) -> None:
        """With the arrows of the open menu to an entry, and into it."""
        action = self.see(step.menuAction) if isinstance(step, QMenu) else step
        menu: Any = self.see(QApplication.activePopupWidget)
        for _ in range(len(self.see(menu.actions)) + 1):
            if self.see(menu.activeAction) == action:
                break
            self.press("Down")
        else:
            raise Stuck(f"the arrows do not come to {self.see(action.text)}")
        self.press("Right" if isinstance(step, QMenu) else "Return")
        if isinstance(step, QMenu):
            self.wait(lambda: QApplication.activePopupWidget() is step, "the menu beside it")

    def _send(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        """A key may open a dialog that waits: its end is not waited for, but the window answers again."""

        def work() -> None:
            popup = QApplication.activePopupWidget()
            target = popup.windowHandle() if popup is not None else QGuiApplication.focusWindow()
            if target is not None:
                QTest.keyClick(target, key, modifiers)
            if key is Qt.Key.Key_Menu and (focus := QApplication.focusWidget()) is not None:
                middle = focus.rect().center()  # the plug-ins of real screens make this event of the key
                reason = QContextMenuEvent.Reason.Keyboard
                QApplication.sendEvent(focus, QContextMenuEvent(reason, middle, focus.mapToGlobal(middle)))

        self.see(self._manage)
        self._hands.posted.emit(work)
        self.see(lambda: None)

    def _manage(self) -> None:
        """What the manager of windows does on a real screen: where one closed, the one below has the keyboard."""
        if QApplication.activeWindow() is None and QApplication.activePopupWidget() is None:
            (QApplication.activeModalWidget() or self.window).activateWindow()


def _commit(text: str) -> None:
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(QGuiApplication.focusObject(), event)
