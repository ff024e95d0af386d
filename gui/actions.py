"""All actions of the window in one table: what they are called, their keys, icons and menus."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence

from gui.theme import theme

Key = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """`text` carries the mnemonic. `keys` is a standard key or a sequence; `icon` a name of the theme."""

    name: str
    menu: str
    text: str
    keys: Key | str | None = None
    icon: str | None = None
    tip: str = ""
    checkable: bool = False


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Marks a text for lupdate, which looks for this name; Qt's own has no type."""
    return text


MENUS: tuple[tuple[str, str], ...] = (
    ("file", QT_TRANSLATE_NOOP("Actions", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Actions", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Actions", "&View")),
    ("run", QT_TRANSLATE_NOOP("Actions", "&Burn-in")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
)

SEPARATOR = "-"

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("new", "file", QT_TRANSLATE_NOOP("Actions", "&New build"), Key.New, "new"),
    ActionSpec(
        "open",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        Key.Open,
        "open",
        QT_TRANSLATE_NOOP("Actions", "Open a build file"),
    ),
    ActionSpec("save", "file", QT_TRANSLATE_NOOP("Actions", "&Save"), Key.Save, "save"),
    ActionSpec("save_as", "file", QT_TRANSLATE_NOOP("Actions", "Save &as…"), "Ctrl+Shift+S"),
    ActionSpec(
        "export",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Export report…"),
        "Ctrl+E",
        "export",
        QT_TRANSLATE_NOOP("Actions", "Write the build's report as HTML, PDF or JSON"),
    ),
    ActionSpec("quit", "file", QT_TRANSLATE_NOOP("Actions", "&Quit"), "Ctrl+Q"),
    ActionSpec("find", "edit", QT_TRANSLATE_NOOP("Actions", "&Find part"), Key.Find, "find"),
    ActionSpec("next_page", "view", QT_TRANSLATE_NOOP("Actions", "Next page"), "Ctrl+PgDown"),
    ActionSpec("previous_page", "view", QT_TRANSLATE_NOOP("Actions", "Previous page"), "Ctrl+PgUp"),
    ActionSpec("theme_system", "view", QT_TRANSLATE_NOOP("Actions", "Colours of the &system"), checkable=True),
    ActionSpec("theme_light", "view", QT_TRANSLATE_NOOP("Actions", "&Light"), checkable=True),
    ActionSpec("theme_dark", "view", QT_TRANSLATE_NOOP("Actions", "&Dark"), checkable=True),
    ActionSpec("full_screen", "view", QT_TRANSLATE_NOOP("Actions", "&Full screen"), "F11", checkable=True),
    ActionSpec("data_folder", "help", QT_TRANSLATE_NOOP("Actions", "Open &data folder"), None, "open"),
    ActionSpec("about", "help", QT_TRANSLATE_NOOP("Actions", "&About Rigwright"), None, "info"),
)


def translated(text: str) -> str:
    """A text of the table in the user's language."""
    return QCoreApplication.translate("Actions", text)


def make_actions(parent: QObject) -> dict[str, QAction]:
    """One action per row, by name."""
    return {spec.name: _action(spec, parent) for spec in ACTIONS}


def colour_actions(actions: dict[str, QAction]) -> None:
    """Draws the icons in the colours of the present theme."""
    for spec in ACTIONS:
        if spec.icon:
            actions[spec.name].setIcon(theme().icon(spec.icon))


def _action(spec: ActionSpec, parent: QObject) -> QAction:
    action = QAction(translated(spec.text), parent)
    action.setObjectName(spec.name)
    action.setCheckable(spec.checkable)
    if isinstance(spec.keys, str):
        action.setShortcut(QKeySequence(spec.keys))
    elif spec.keys is not None:
        action.setShortcut(spec.keys)
    plain = translated(spec.tip or spec.text).replace("&", "").rstrip("…")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{plain} ({keys})" if keys else plain)
    return action
