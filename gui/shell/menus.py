"""The bars of the window: the menus, from the table of actions, and the status line with the state of the run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QUndoGroup
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar, QStatusBar, QWidget

from core.plan.templates import Template, all_templates
from core.words import tr, visible
from gui.settings import TEXT_STEP, USUAL_TEXT, Settings
from gui.widgets.actions import MENUS, Action, Menu, colour_actions, make_actions
from gui.widgets.text import Label, tip
from gui.widgets.theme import Mode, theme


class Menus(QObject):
    """All menus of a window; `actions` by name. `undo_group` is given the stack that undo and redo act on."""

    template_wanted = Signal(object)
    build_wanted = Signal(object)
    """The path of a build that was open before."""

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        super().__init__(window)
        self._settings = settings
        self.undo_group = QUndoGroup(window)
        self.actions: dict[str, QAction] = make_actions(window)
        self.actions["undo"] = self.undo_group.createUndoAction(window, tr("&Undo"))
        self.actions["redo"] = self.undo_group.createRedoAction(window, tr("&Redo"))
        self.menus: dict[str, QMenu] = {}
        self.recent = QMenu(tr("Open &recent"), window)
        self.templates = QMenu(tr("&Templates"), window)
        for template in all_templates():
            action = QAction(template.title, self.templates)
            action.setToolTip(template.purpose)
            action.triggered.connect(partial(self._open_template, template))
            self.templates.addAction(action)
        self.templates.setToolTipsVisible(True)
        self._theme_group()
        self.actions["larger"].triggered.connect(partial(self._step_text_size, TEXT_STEP))
        self.actions["smaller"].triggered.connect(partial(self._step_text_size, -TEXT_STEP))
        self.actions["usual_size"].triggered.connect(partial(self._set_text_size, USUAL_TEXT))
        self.refresh_recent()
        self._fill(window.menuBar())
        self.recolour()
        theme().changed.connect(self.recolour)

    @Slot()
    def recolour(self) -> None:
        """Draws the icons in the present colours."""
        colour_actions(self.actions)
        for name in ("undo", "redo"):
            self.actions[name].setIcon(theme().icon(name))

    def _fill(self, bar: QMenuBar) -> None:
        """Makes the menus of the table, in its order."""
        self.actions["undo"].setShortcut(QKeySequence.StandardKey.Undo)
        self.actions["redo"].setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        submenus = {"recent": self.recent, "templates": self.templates}
        menu = QMenu()
        for entry in MENUS:
            if isinstance(entry, Menu):
                menu = self.menus[entry.name] = bar.addMenu(entry.title)
            elif isinstance(entry, Action):
                menu.addAction(self.actions[entry.name])
            elif entry in submenus:
                menu.addMenu(submenus[entry])
            elif entry:
                menu.addAction(self.actions[entry])
            else:
                menu.addSeparator()

    @Slot()
    def refresh_recent(self) -> None:
        """Lists the files opened last."""
        self.recent.clear()
        for path in self._settings.recent_files():
            action = QAction(visible(path.name).replace("&", "&&"), self.recent)
            action.setToolTip(tip(str(path)))
            action.triggered.connect(partial(self._open_recent, path))
            self.recent.addAction(action)
        self.recent.setToolTipsVisible(True)
        self.recent.setEnabled(not self.recent.isEmpty())

    def _open_template(self, template: Template, _checked: bool = False) -> None:
        self.template_wanted.emit(template)

    def _open_recent(self, path: Path, _checked: bool = False) -> None:
        self.build_wanted.emit(path)

    def _theme_group(self) -> None:
        group = QActionGroup(self)
        for mode in Mode:
            action = self.actions[f"theme_{mode.value}"]
            group.addAction(action)
            action.setData(mode.value)
            action.setChecked(mode is self._settings.theme)
        group.triggered.connect(self._choose_theme)
        theme().changed.connect(self._mark_theme)

    @Slot()
    def _mark_theme(self) -> None:
        """The preferences set it too."""
        self.actions[f"theme_{theme().mode.value}"].setChecked(True)

    @Slot(QAction)
    def _choose_theme(self, action: QAction) -> None:
        mode = Mode(action.data())
        self._settings.theme = mode
        theme().set_mode(mode)

    def _step_text_size(self, by: int, _checked: bool = False) -> None:
        self._set_text_size(self._settings.text_percent + by)

    def _set_text_size(self, percent: int, _checked: bool = False) -> None:
        self._settings.text_percent = percent
        theme().set_text_size(self._settings.text_percent)


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
