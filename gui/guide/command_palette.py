"""Every command of the menus by typing a few of its letters: Ctrl+K."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QMenu, QMenuBar, QStyle, QWidget

from core.words import tr, visible
from gui.widgets.actions import without_mnemonic
from gui.widgets.form import column_of
from gui.widgets.views import quiet_selection

WIDTH, HEIGHT = 560, 420
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


@dataclass(frozen=True, slots=True)
class Command:
    """An action with the way to it through the menus."""

    action: QAction
    menu: str
    text: str

    @property
    def keys(self) -> str:
        """Its shortcut as the system writes it; empty where it has none."""
        return self.action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    @property
    def words(self) -> str:
        """What is searched."""
        return f"{self.menu} {self.text} {self.action.toolTip()}".casefold()


def commands(bar: QMenuBar) -> list[Command]:
    """All actions of the menus and their submenus, in their order."""
    # By their own actions: QAction.menu() hands a menu over to Python, which deletes it (PySide 6.10).
    menus = {menu.menuAction(): menu for menu in bar.window().findChildren(QMenu)}
    by_action: dict[QAction, Command] = {}
    for top in bar.actions():
        if top in menus:
            for command in _of_menu(menus[top], _plain(top.text()), menus):
                by_action.setdefault(command.action, command)
    return list(by_action.values())


def _of_menu(menu: QMenu, way: str, menus: Mapping[QAction, QMenu]) -> Iterator[Command]:
    for action in menu.actions():
        if action in menus:
            yield from _of_menu(menus[action], f"{way} › {_plain(action.text())}", menus)
        elif not action.isSeparator() and action.text():
            yield Command(action, way, _plain(action.text()))


def _plain(text: str) -> str:
    """A menu's text without its mnemonic."""
    return visible(without_mnemonic(text)).rstrip("…")


def matching(commands: Sequence[Command], typed: str) -> list[Command]:
    """Those that have all the words; names that begin with what was typed come first."""
    words = typed.casefold().split()
    matches = [command for command in commands if all(word in command.words for word in words)]
    return sorted(matches, key=lambda command: not command.text.casefold().startswith(typed.strip().casefold()))


class CommandPalette(QDialog):
    """Enter runs the chosen command, once the palette is closed."""

    def __init__(self, bar: QMenuBar, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = [command for command in commands(bar) if command.action.isEnabled()]
        self.shown: list[Command] = []
        """The commands that match."""
        self.field = QLineEdit(self)
        self.list = QListWidget(self)
        room = QPixmap(self.list.style().pixelMetric(QStyle.PixelMetric.PM_SmallIconSize), 1)
        room.fill(Qt.GlobalColor.transparent)
        self._no_icon = QIcon(room)
        """So that the names stand under each other."""
        self.setWindowTitle(tr("Commands"))
        self.resize(WIDTH, HEIGHT)
        self.field.setPlaceholderText(tr("Type what you want to do"))
        self.field.setAccessibleName(tr("Command"))
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.list.setAccessibleName(tr("Matching commands"))
        self.list.setUniformItemSizes(True)
        quiet_selection(self.list)
        column_of(self.field, (self.list, 1), into=self, margins=None)
        self.field.textChanged.connect(self._narrow)
        self.field.returnPressed.connect(self._run)
        self.list.itemActivated.connect(self._run)
        self._narrow("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows move through the list while one goes on typing."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = STEPS.get(Qt.Key(event.key()))
            if step is not None and self.shown:
                row = min(max(self.list.currentRow() + step, 0), len(self.shown) - 1)
                self.list.setCurrentRow(row)
                return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _narrow(self, typed: str) -> None:
        self.shown = matching(self._commands, typed)
        self.list.clear()
        for command in self.shown:
            keys = f"    {command.keys}" if command.keys else ""
            icon = command.action.icon()
            item = QListWidgetItem(self._no_icon if icon.isNull() else icon, f"{command.text}    {command.menu}{keys}")
            item.setToolTip(command.action.toolTip())
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    @Slot()
    def _run(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self.shown):
            chosen = self.shown[row].action
            self.accept()
            chosen.trigger()
