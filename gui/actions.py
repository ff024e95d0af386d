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
    ("parts", QT_TRANSLATE_NOOP("Actions", "&Parts")),
    ("run", QT_TRANSLATE_NOOP("Actions", "&Burn-in")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
)

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("new", "file", QT_TRANSLATE_NOOP("Actions", "&New build"), Key.New, "new"),
    ActionSpec(
        "from_machine",
        "file",
        QT_TRANSLATE_NOOP("Actions", "New build from this &machine"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Reads the parts that this machine has, as far as it tells them"),
    ),
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
    ActionSpec(
        "duplicate",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Duplicate build"),
        "Ctrl+D",
        None,
        QT_TRANSLATE_NOOP("Actions", "Go on with a copy of the build, under another name"),
    ),
    ActionSpec(
        "compare",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Compare builds…"),
        "Ctrl+Shift+B",
        None,
        QT_TRANSLATE_NOOP("Actions", "Up to four builds in columns, with their differences"),
    ),
    ActionSpec(
        "one_page",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Export one &page…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "One page as PDF or HTML: parts and total first"),
    ),
    ActionSpec(
        "purchasing",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Export purchasing &list…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "A line for each part with number, quantity, price and source, as CSV"),
    ),
    ActionSpec("quit", "file", QT_TRANSLATE_NOOP("Actions", "&Quit"), "Ctrl+Q"),
    ActionSpec(
        "copy_markdown",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Copy build as &Markdown"),
        "Ctrl+Shift+M",
        "copy",
        QT_TRANSLATE_NOOP("Actions", "The parts, price, watts and noise as a list for a forum or chat"),
    ),
    ActionSpec("copy_bbcode", "edit", QT_TRANSLATE_NOOP("Actions", "Copy build as &BBCode")),
    ActionSpec("copy_text", "edit", QT_TRANSLATE_NOOP("Actions", "Copy build as &text")),
    ActionSpec("copy_table", "edit", QT_TRANSLATE_NOOP("Actions", "Copy build as t&able")),
    ActionSpec(
        "paste_list",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Paste part &list…"),
        "Ctrl+Shift+V",
        None,
        QT_TRANSLATE_NOOP("Actions", "A build of a list from PCPartPicker, BuildCores or written by hand"),
    ),
    ActionSpec("find", "edit", QT_TRANSLATE_NOOP("Actions", "&Find part"), Key.Find, "find"),
    ActionSpec(
        "arrange",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Arrange cards…"),
        "Ctrl+Shift+A",
        "gpu",
        QT_TRANSLATE_NOOP("Actions", "Find the best slots for all cards, with the reasons"),
    ),
    ActionSpec(
        "site",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Circuits and assumptions…"),
        "Ctrl+Shift+C",
        "settings",
        QT_TRANSLATE_NOOP("Actions", "The mains circuits, and what is assumed because nobody measured it"),
    ),
    ActionSpec(
        "calibrate",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Ca&librate predictions…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Fit the predictions to a recorded run or to your own measurements"),
    ),
    ActionSpec(
        "preferences",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Preferences…"),
        "Ctrl+,",
        None,
        QT_TRANSLATE_NOOP("Actions", "Theme, text size, mains of new builds, currency, and what opens at the start"),
    ),
    ActionSpec(
        "predictions",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Predictions"),
        "Ctrl+Shift+P",
        "chart",
        QT_TRANSLATE_NOOP("Actions", "Power, temperature, noise, cost and speed of the build, and the room"),
    ),
    ActionSpec(
        "machine",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Picture of the &machine"),
        "F8",
        "machine",
        QT_TRANSLATE_NOOP("Actions", "The whole machine to scale, with heat, air and cables, in the board's place"),
    ),
    ActionSpec("next_page", "view", QT_TRANSLATE_NOOP("Actions", "Next page"), "Ctrl+PgDown"),
    ActionSpec("previous_page", "view", QT_TRANSLATE_NOOP("Actions", "Previous page"), "Ctrl+PgUp"),
    ActionSpec("theme_system", "view", QT_TRANSLATE_NOOP("Actions", "&System theme"), checkable=True),
    ActionSpec("theme_light", "view", QT_TRANSLATE_NOOP("Actions", "&Light"), checkable=True),
    ActionSpec("theme_dark", "view", QT_TRANSLATE_NOOP("Actions", "&Dark"), checkable=True),
    ActionSpec("larger", "view", QT_TRANSLATE_NOOP("Actions", "La&rger text"), Key.ZoomIn),
    ActionSpec("smaller", "view", QT_TRANSLATE_NOOP("Actions", "S&maller text"), Key.ZoomOut),
    ActionSpec("usual_size", "view", QT_TRANSLATE_NOOP("Actions", "&Usual text size"), "Ctrl+0"),
    ActionSpec("full_screen", "view", QT_TRANSLATE_NOOP("Actions", "&Full screen"), "F11", checkable=True),
    ActionSpec(
        "new_part",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&New part…"),
        "Ctrl+Shift+N",
        "add",
        QT_TRANSLATE_NOOP("Actions", "Add a part that the catalogue does not have"),
    ),
    ActionSpec(
        "correct_part",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&Correct part…"),
        "Ctrl+Shift+K",
        None,
        QT_TRANSLATE_NOOP(
            "Actions", "Correct figures of the chosen part; the correction survives upgrades and imports"
        ),
    ),
    ActionSpec(
        "remove_own",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&Remove my figures…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Take back your correction of the chosen part, or remove it if it is your own"),
    ),
    ActionSpec(
        "own_parts",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&My parts and corrections…"),
        None,
        None,
    ),
    ActionSpec(
        "refresh_plan",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&Update the plan's parts"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Bring the parts of the open plan up to date with the catalogue"),
    ),
    ActionSpec(
        "import_parts",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&Import parts data set…"),
        None,
        "open",
        QT_TRANSLATE_NOOP("Actions", "Add the public data set BuildCores OpenDB to the catalogue"),
    ),
    ActionSpec(
        "left_out",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&What the import skipped…"),
        None,
        None,
    ),
    ActionSpec(
        "forget_import",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Remove im&ported parts…"),
        None,
        None,
    ),
    ActionSpec(
        "export_own",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "&Export my parts…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Write your own parts and corrected parts to a file"),
    ),
    ActionSpec(
        "import_own",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Import my p&arts…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Take parts from such a file"),
    ),
    ActionSpec(
        "export_prices",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Export price &list (CSV)…"),
        None,
        None,
    ),
    ActionSpec(
        "import_prices",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Import my price li&st…"),
        None,
        None,
        QT_TRANSLATE_NOOP(
            "Actions", "Take prices from a list with the columns amount, currency, and id or part_number"
        ),
    ),
    ActionSpec(
        "import_price_set",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Import price &data set…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "Take the prices of a public data set (CSV, JSON); your own prices stay"),
    ),
    ActionSpec(
        "money",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Curre&ncy and VAT…"),
        None,
        None,
        QT_TRANSLATE_NOOP("Actions", "In which currency prices are shown, at which rates, with or without VAT"),
    ),
    ActionSpec(
        "coverage",
        "parts",
        QT_TRANSLATE_NOOP("Actions", "Catalogue co&verage…"),
        None,
        "chart",
        QT_TRANSLATE_NOOP("Actions", "How many of the deciding figures are known and confirmed"),
    ),
    ActionSpec(
        "manual",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Manual"),
        Key.HelpContents,
        "unknown",
        QT_TRANSLATE_NOOP("Actions", "The page about what you are at; it needs no network"),
    ),
    ActionSpec(
        "tour",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Try a burn-in with a failing card"),
        None,
        "burnin",
        QT_TRANSLATE_NOOP("Actions", "Two minutes, simulated: nothing is loaded, and one of four cards fails"),
    ),
    ActionSpec(
        "palette",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Commands…"),
        "Ctrl+K",
        "find",
        QT_TRANSLATE_NOOP("Actions", "Every command by typing a few of its letters"),
    ),
    ActionSpec("shortcuts", "help", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts…"), "Ctrl+/"),
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
