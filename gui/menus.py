"""Builds the menu bar from the table of actions, with the submenus of recent files and templates."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QUndoGroup
from PySide6.QtWidgets import QMainWindow, QMenu

from core.build.templates import Template, all_templates
from core.language import tr
from core.shown import visible
from gui.actions import MENUS, colour_actions, make_actions
from gui.settings import TEXT_STEP, USUAL_TEXT, Settings
from gui.theme import Mode, theme
from gui.widgets.text import tip

PARTS = (
    ("new_part", "correct_part", "remove_own", "own_parts", "refresh_plan"),
    ("import_parts", "left_out", "forget_import"),
    ("export_own", "import_own"),
    ("update_prices", "import_prices", "export_prices", "money"),
    ("coverage",),
)
"""The menu of the catalogue, with lines between the groups."""
HELP = ("manual", "tour", "palette", "kernel_log", "shortcuts", "data_folder", "about")


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
        self.menus: dict[str, QMenu] = {name: window.menuBar().addMenu(text) for name, text in MENUS}
        self.recent = QMenu(tr("Open &recent"), window)
        self.templates = QMenu(tr("&Templates"), window)
        for template in all_templates():
            action = QAction(template.title, self.templates)
            action.setToolTip(template.purpose)
            action.triggered.connect(partial(self._open_template, template))
            self.templates.addAction(action)
        self.templates.setToolTipsVisible(True)
        self._theme_group()
        self.actions["larger"].triggered.connect(self._enlarge)
        self.actions["smaller"].triggered.connect(self._reduce)
        self.actions["usual_size"].triggered.connect(self._reset_text_size)
        self.refresh_recent()
        self._fill()
        self.recolour()
        theme().changed.connect(self.recolour)

    @Slot()
    def recolour(self) -> None:
        """Draws the icons in the present colours."""
        colour_actions(self.actions)
        for name in ("undo", "redo"):
            self.actions[name].setIcon(theme().icon(name))

    def _fill(self) -> None:
        """Puts the actions where they belong."""
        act, file, edit = self.actions, self.menus["file"], self.menus["edit"]
        act["undo"].setShortcut(QKeySequence.StandardKey.Undo)
        act["redo"].setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        file.addActions([act["new"], act["from_machine"], act["from_texts"], act["open"]])
        file.addMenu(self.recent)
        file.addMenu(self.templates)
        file.addSeparator()
        file.addActions([act["save"], act["save_as"], act["duplicate"]])
        file.addSeparator()
        file.addAction(act["compare"])
        file.addSeparator()
        file.addActions([act["export"], act["one_page"], act["purchasing"]])
        file.addSeparator()
        file.addAction(act["quit"])
        edit.addActions([act["undo"], act["redo"]])
        edit.addSeparator()
        edit.addActions([act[name] for name in ("copy_markdown", "copy_bbcode", "copy_text", "copy_table")])
        edit.addAction(act["paste_list"])
        edit.addSeparator()
        edit.addAction(act["find"])
        edit.addSeparator()
        edit.addActions([act["arrange"], act["site"], act["budget"], act["calibrate"]])
        edit.addSeparator()
        edit.addAction(act["preferences"])
        view = self.menus["view"]
        view.addActions([act["predictions"], act["machine"]])
        view.addSeparator()
        view.addActions([act["next_page"], act["previous_page"]])
        view.addSeparator()
        view.addActions([act["theme_system"], act["theme_light"], act["theme_dark"]])
        view.addSeparator()
        view.addActions([act["larger"], act["smaller"], act["usual_size"]])
        view.addSeparator()
        view.addAction(act["full_screen"])
        for number, group in enumerate(PARTS):
            if number:
                self.menus["parts"].addSeparator()
            self.menus["parts"].addActions([act[name] for name in group])
        self.menus["help"].addActions([act[name] for name in HELP])

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

    @Slot()
    def _enlarge(self) -> None:
        """Text of a larger size."""
        self._set_text_size(self._settings.text_percent + TEXT_STEP)

    @Slot()
    def _reduce(self) -> None:
        """Text of a smaller size."""
        self._set_text_size(self._settings.text_percent - TEXT_STEP)

    @Slot()
    def _reset_text_size(self) -> None:
        """Text of the system's size."""
        self._set_text_size(USUAL_TEXT)

    def _set_text_size(self, percent: int) -> None:
        self._settings.text_percent = percent
        theme().set_text_size(self._settings.text_percent)
