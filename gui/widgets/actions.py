"""All menus and actions of the window in one table: what they are called, their keys, icons and tips."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from core.words import tr
from gui.widgets.theme import theme

Key = QKeySequence.StandardKey
_ADDED_MNEMONIC = re.compile(r" ?\(&\w\)")
SEPARATOR = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu of the bar; what follows in the table stands in it."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Action:
    """`text` carries the mnemonic. `keys` is a standard key or a sequence; `icon` a name of the theme."""

    name: str
    text: str
    tip: str = ""
    keys: Key | str | None = None
    icon: str | None = None
    checkable: bool = False


MENUS: tuple[Menu | Action | str, ...] = (
    Menu("file", tr("&File")),
    Action("new", tr("&New build"), keys=Key.New, icon="new"),
    Action(
        "from_machine",
        tr("New build from this &machine"),
        tr("Detects this machine's parts, as far as it reports them"),
    ),
    Action(
        "from_texts",
        tr("New build from another machine's te&xts…"),
        tr(
            "From texts of dmidecode, lspci, nvidia-smi and others, saved on that machine, or a file of as-built --save"
        ),
    ),
    Action("open", tr("&Open…"), tr("Open a build file"), keys=Key.Open, icon="open"),
    "recent",
    "templates",
    SEPARATOR,
    Action("save", tr("&Save"), keys=Key.Save, icon="save"),
    Action("save_as", tr("Save &as…"), keys="Ctrl+Shift+S"),
    Action(
        "duplicate", tr("&Duplicate build"), tr("Continue with a copy of the build, under another name"), keys="Ctrl+D"
    ),
    SEPARATOR,
    Action(
        "compare",
        tr("&Compare builds…"),
        tr("Up to four builds in columns, with their differences"),
        keys="Ctrl+Shift+B",
    ),
    SEPARATOR,
    Action(
        "export",
        tr("&Export report…"),
        tr("Write the build's report as HTML, PDF or JSON"),
        keys="Ctrl+E",
        icon="export",
    ),
    Action("one_page", tr("Export one &page…"), tr("One page as PDF or HTML: parts and total first")),
    Action(
        "purchasing",
        tr("Export purchasing &list…"),
        tr("A line for each part with number, quantity, price and source, as CSV"),
    ),
    SEPARATOR,
    Action("quit", tr("&Quit"), keys="Ctrl+Q"),
    Menu("edit", tr("&Edit")),
    "undo",
    "redo",
    SEPARATOR,
    Action(
        "copy_markdown",
        tr("Copy build as &Markdown"),
        tr("The parts, price, watts and noise as a list for a forum or chat"),
        keys="Ctrl+Shift+M",
        icon="copy",
    ),
    Action("copy_bbcode", tr("Copy build as &BBCode")),
    Action("copy_text", tr("Copy build as &text")),
    Action("copy_table", tr("Copy build as t&able")),
    Action(
        "paste_list",
        tr("Paste part &list…"),
        tr("Make a build from a list: PCPartPicker, BuildCores or your own"),
        keys="Ctrl+Shift+V",
    ),
    SEPARATOR,
    Action("find", tr("&Find part"), keys=Key.Find, icon="find"),
    SEPARATOR,
    Action(
        "arrange",
        tr("&Arrange cards…"),
        tr("Find the best slots for all cards, with the reasons"),
        keys="Ctrl+Shift+A",
        icon="gpu",
    ),
    Action(
        "site",
        tr("&Build settings…"),
        tr("New, used or owned parts, the mains circuits, and what is assumed because it was not measured"),
        keys="Ctrl+Shift+C",
        icon="settings",
    ),
    Action("budget", tr("&Budget…"), tr("What all parts of the build may cost together")),
    Action(
        "calibrate",
        tr("Ca&librate predictions…"),
        tr("Fit the predictions to a recorded run or to your own measurements"),
    ),
    SEPARATOR,
    Action(
        "preferences",
        tr("&Preferences…"),
        tr("Theme, text size, language, mains of new builds, currency, and what opens at startup"),
        keys="Ctrl+,",
    ),
    Menu("view", tr("&View")),
    Action(
        "predictions",
        tr("&Predictions"),
        tr("Power, temperature, noise, cost and speed of the build, and the room"),
        keys="Ctrl+Shift+P",
        icon="chart",
    ),
    Action(
        "machine",
        tr("Picture of the &machine"),
        tr("The whole machine to scale, with heat, air and cables, instead of the board"),
        keys="F8",
        icon="machine",
    ),
    SEPARATOR,
    Action("next_page", tr("Next page"), keys="Ctrl+PgDown"),
    Action("previous_page", tr("Previous page"), keys="Ctrl+PgUp"),
    SEPARATOR,
    Action("theme_system", tr("&System theme"), checkable=True),
    Action("theme_light", tr("&Light"), checkable=True),
    Action("theme_dark", tr("&Dark"), checkable=True),
    SEPARATOR,
    Action("larger", tr("La&rger text"), keys=Key.ZoomIn),
    Action("smaller", tr("S&maller text"), keys=Key.ZoomOut),
    Action("usual_size", tr("Defa&ult text size"), keys="Ctrl+0"),
    SEPARATOR,
    Action("full_screen", tr("&Full screen"), keys="F11", checkable=True),
    Menu("parts", tr("&Parts")),
    Action(
        "new_part", tr("&New part…"), tr("Add a part that the catalogue does not have"), keys="Ctrl+Shift+N", icon="add"
    ),
    Action(
        "correct_part",
        tr("&Correct part…"),
        tr("Correct figures of the chosen part; the correction survives upgrades and imports"),
        keys="Ctrl+Shift+K",
    ),
    Action(
        "remove_own",
        tr("&Remove my figures…"),
        tr("Remove your correction of the chosen part, or the part itself if it is yours"),
    ),
    Action("own_parts", tr("&My parts and corrections…")),
    Action(
        "refresh_plan",
        tr("&Update the plan's parts"),
        tr("Bring the parts of the open plan up to date with the catalogue"),
    ),
    SEPARATOR,
    Action(
        "import_parts",
        tr("&Import parts data set…"),
        tr("Add the public data set BuildCores OpenDB to the catalogue"),
        icon="open",
    ),
    Action("left_out", tr("&What the import skipped…")),
    Action("forget_import", tr("Remove im&ported parts…")),
    SEPARATOR,
    Action("export_own", tr("&Export my parts…"), tr("Write your own parts and corrected parts to a file")),
    Action("import_own", tr("Import my p&arts…"), tr("Import parts from such a file")),
    SEPARATOR,
    Action(
        "update_prices",
        tr("Up&date prices…"),
        tr("Take prices from a price list or a folder of them; your own prices stay"),
    ),
    Action(
        "import_prices",
        tr("Import my price li&st…"),
        tr("Import prices that you pay from a list with prices and parts"),
    ),
    Action("export_prices", tr("Export price &list (CSV)…")),
    Action(
        "money", tr("Curre&ncy and VAT…"), tr("In which currency prices are shown, at which rates, with or without VAT")
    ),
    SEPARATOR,
    Action(
        "coverage",
        tr("Catalogue co&verage…"),
        tr("How many of the deciding figures are known and confirmed"),
        icon="chart",
    ),
    Menu("run", tr("&Burn-in")),
    Menu("help", tr("&Help")),
    Action(
        "manual",
        tr("&Manual"),
        tr("The page about what you are doing; works offline"),
        keys=Key.HelpContents,
        icon="unknown",
    ),
    Action(
        "tour",
        tr("&Try a burn-in with a failing card"),
        tr("Two minutes, simulated: nothing is loaded, and one of four cards fails"),
        icon="burnin",
    ),
    Action(
        "palette", tr("&Commands…"), tr("Find any command by typing a few of its letters"), keys="Ctrl+K", icon="find"
    ),
    Action(
        "kernel_log",
        tr("&Read a kernel log…"),
        tr("Which part last night's crash, or a customer's log, blames; works for any Linux machine"),
    ),
    Action("shortcuts", tr("&Keyboard shortcuts…"), keys="Ctrl+/"),
    Action("data_folder", tr("Open &data folder"), icon="open"),
    Action("about", tr("&About Rigwright"), icon="info"),
)
"""A word stands for what the menus make themselves: undo and redo, the lists of recent files and of templates."""
ACTIONS = tuple(entry for entry in MENUS if isinstance(entry, Action))


def make_actions(parent: QObject) -> dict[str, QAction]:
    """One for each row, by name."""
    return {row.name: _action(row, parent) for row in ACTIONS}


def colour_actions(actions: dict[str, QAction]) -> None:
    """Draws the icons in the colours of the present theme."""
    for row in ACTIONS:
        if row.icon:
            actions[row.name].setIcon(theme().icon(row.icon))


def without_mnemonic(text: str) -> str:
    """A menu's text without its marked letter, which Chinese adds in brackets: "&File", "文件(&F)"."""
    return _ADDED_MNEMONIC.sub("", text).replace("&&", "\0").replace("&", "").replace("\0", "&")


def _action(row: Action, parent: QObject) -> QAction:
    action = QAction(row.text, parent)
    action.setObjectName(row.name)
    action.setCheckable(row.checkable)
    if row.keys is not None:
        action.setShortcut(QKeySequence(row.keys))
    words = without_mnemonic(row.tip or row.text).rstrip("…")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{words} ({keys})" if keys else words)
    return action
