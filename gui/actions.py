"""All actions of the window in one table: what they are called, their keys, icons and menus."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from core.language import tr
from gui.theme import theme

Key = QKeySequence.StandardKey
_ADDED_MNEMONIC = re.compile(r" ?\(&\w\)")


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


MENUS: tuple[tuple[str, str], ...] = (
    ("file", tr("&File")),
    ("edit", tr("&Edit")),
    ("view", tr("&View")),
    ("parts", tr("&Parts")),
    ("run", tr("&Burn-in")),
    ("help", tr("&Help")),
)


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("new", "file", tr("&New build"), Key.New, "new"),
    ActionSpec(
        "from_machine",
        "file",
        tr("New build from this &machine"),
        None,
        None,
        tr("Detects this machine's parts, as far as it reports them"),
    ),
    ActionSpec(
        "from_texts",
        "file",
        tr("New build from another machine's te&xts…"),
        None,
        None,
        tr(
            "From texts of dmidecode, lspci, nvidia-smi and others, saved on that machine, or a file of as-built --save"
        ),
    ),
    ActionSpec("open", "file", tr("&Open…"), Key.Open, "open", tr("Open a build file")),
    ActionSpec("save", "file", tr("&Save"), Key.Save, "save"),
    ActionSpec("save_as", "file", tr("Save &as…"), "Ctrl+Shift+S"),
    ActionSpec(
        "export", "file", tr("&Export report…"), "Ctrl+E", "export", tr("Write the build's report as HTML, PDF or JSON")
    ),
    ActionSpec(
        "duplicate",
        "file",
        tr("&Duplicate build"),
        "Ctrl+D",
        None,
        tr("Continue with a copy of the build, under another name"),
    ),
    ActionSpec(
        "compare",
        "file",
        tr("&Compare builds…"),
        "Ctrl+Shift+B",
        None,
        tr("Up to four builds in columns, with their differences"),
    ),
    ActionSpec(
        "one_page", "file", tr("Export one &page…"), None, None, tr("One page as PDF or HTML: parts and total first")
    ),
    ActionSpec(
        "purchasing",
        "file",
        tr("Export purchasing &list…"),
        None,
        None,
        tr("A line for each part with number, quantity, price and source, as CSV"),
    ),
    ActionSpec("quit", "file", tr("&Quit"), "Ctrl+Q"),
    ActionSpec(
        "copy_markdown",
        "edit",
        tr("Copy build as &Markdown"),
        "Ctrl+Shift+M",
        "copy",
        tr("The parts, price, watts and noise as a list for a forum or chat"),
    ),
    ActionSpec("copy_bbcode", "edit", tr("Copy build as &BBCode")),
    ActionSpec("copy_text", "edit", tr("Copy build as &text")),
    ActionSpec("copy_table", "edit", tr("Copy build as t&able")),
    ActionSpec(
        "paste_list",
        "edit",
        tr("Paste part &list…"),
        "Ctrl+Shift+V",
        None,
        tr("Make a build from a list: PCPartPicker, BuildCores or your own"),
    ),
    ActionSpec("find", "edit", tr("&Find part"), Key.Find, "find"),
    ActionSpec(
        "arrange",
        "edit",
        tr("&Arrange cards…"),
        "Ctrl+Shift+A",
        "gpu",
        tr("Find the best slots for all cards, with the reasons"),
    ),
    ActionSpec(
        "site",
        "edit",
        tr("&Build settings…"),
        "Ctrl+Shift+C",
        "settings",
        tr("New, used or owned parts, the mains circuits, and what is assumed because it was not measured"),
    ),
    ActionSpec("budget", "edit", tr("&Budget…"), None, None, tr("What all parts of the build may cost together")),
    ActionSpec(
        "calibrate",
        "edit",
        tr("Ca&librate predictions…"),
        None,
        None,
        tr("Fit the predictions to a recorded run or to your own measurements"),
    ),
    ActionSpec(
        "preferences",
        "edit",
        tr("&Preferences…"),
        "Ctrl+,",
        None,
        tr("Theme, text size, language, mains of new builds, currency, and what opens at startup"),
    ),
    ActionSpec(
        "predictions",
        "view",
        tr("&Predictions"),
        "Ctrl+Shift+P",
        "chart",
        tr("Power, temperature, noise, cost and speed of the build, and the room"),
    ),
    ActionSpec(
        "machine",
        "view",
        tr("Picture of the &machine"),
        "F8",
        "machine",
        tr("The whole machine to scale, with heat, air and cables, instead of the board"),
    ),
    ActionSpec("next_page", "view", tr("Next page"), "Ctrl+PgDown"),
    ActionSpec("previous_page", "view", tr("Previous page"), "Ctrl+PgUp"),
    ActionSpec("theme_system", "view", tr("&System theme"), checkable=True),
    ActionSpec("theme_light", "view", tr("&Light"), checkable=True),
    ActionSpec("theme_dark", "view", tr("&Dark"), checkable=True),
    ActionSpec("larger", "view", tr("La&rger text"), Key.ZoomIn),
    ActionSpec("smaller", "view", tr("S&maller text"), Key.ZoomOut),
    ActionSpec("usual_size", "view", tr("Defa&ult text size"), "Ctrl+0"),
    ActionSpec("full_screen", "view", tr("&Full screen"), "F11", checkable=True),
    ActionSpec(
        "new_part", "parts", tr("&New part…"), "Ctrl+Shift+N", "add", tr("Add a part that the catalogue does not have")
    ),
    ActionSpec(
        "correct_part",
        "parts",
        tr("&Correct part…"),
        "Ctrl+Shift+K",
        None,
        tr("Correct figures of the chosen part; the correction survives upgrades and imports"),
    ),
    ActionSpec(
        "remove_own",
        "parts",
        tr("&Remove my figures…"),
        None,
        None,
        tr("Remove your correction of the chosen part, or the part itself if it is yours"),
    ),
    ActionSpec("own_parts", "parts", tr("&My parts and corrections…"), None, None),
    ActionSpec(
        "refresh_plan",
        "parts",
        tr("&Update the plan's parts"),
        None,
        None,
        tr("Bring the parts of the open plan up to date with the catalogue"),
    ),
    ActionSpec(
        "import_parts",
        "parts",
        tr("&Import parts data set…"),
        None,
        "open",
        tr("Add the public data set BuildCores OpenDB to the catalogue"),
    ),
    ActionSpec("left_out", "parts", tr("&What the import skipped…"), None, None),
    ActionSpec("forget_import", "parts", tr("Remove im&ported parts…"), None, None),
    ActionSpec(
        "export_own",
        "parts",
        tr("&Export my parts…"),
        None,
        None,
        tr("Write your own parts and corrected parts to a file"),
    ),
    ActionSpec("import_own", "parts", tr("Import my p&arts…"), None, None, tr("Import parts from such a file")),
    ActionSpec("export_prices", "parts", tr("Export price &list (CSV)…"), None, None),
    ActionSpec(
        "import_prices",
        "parts",
        tr("Import my price li&st…"),
        None,
        None,
        tr("Import prices that you pay from a list with prices and parts"),
    ),
    ActionSpec(
        "update_prices",
        "parts",
        tr("Up&date prices…"),
        None,
        None,
        tr("Take prices from a price list or a folder of them; your own prices stay"),
    ),
    ActionSpec(
        "money",
        "parts",
        tr("Curre&ncy and VAT…"),
        None,
        None,
        tr("In which currency prices are shown, at which rates, with or without VAT"),
    ),
    ActionSpec(
        "coverage",
        "parts",
        tr("Catalogue co&verage…"),
        None,
        "chart",
        tr("How many of the deciding figures are known and confirmed"),
    ),
    ActionSpec(
        "manual",
        "help",
        tr("&Manual"),
        Key.HelpContents,
        "unknown",
        tr("The page about what you are doing; works offline"),
    ),
    ActionSpec(
        "tour",
        "help",
        tr("&Try a burn-in with a failing card"),
        None,
        "burnin",
        tr("Two minutes, simulated: nothing is loaded, and one of four cards fails"),
    ),
    ActionSpec(
        "palette", "help", tr("&Commands…"), "Ctrl+K", "find", tr("Find any command by typing a few of its letters")
    ),
    ActionSpec(
        "kernel_log",
        "help",
        tr("&Read a kernel log…"),
        None,
        None,
        tr("Which part last night's crash, or a customer's log, blames; works for any Linux machine"),
    ),
    ActionSpec("shortcuts", "help", tr("&Keyboard shortcuts…"), "Ctrl+/"),
    ActionSpec("data_folder", "help", tr("Open &data folder"), None, "open"),
    ActionSpec("about", "help", tr("&About Rigwright"), None, "info"),
)


def make_actions(parent: QObject) -> dict[str, QAction]:
    """One action per row, by name."""
    return {spec.name: _action(spec, parent) for spec in ACTIONS}


def colour_actions(actions: dict[str, QAction]) -> None:
    """Draws the icons in the colours of the present theme."""
    for spec in ACTIONS:
        if spec.icon:
            actions[spec.name].setIcon(theme().icon(spec.icon))


def without_mnemonic(text: str) -> str:
    """A menu's text without its marked letter, which Chinese adds in brackets: "&File", "文件(&F)"."""
    return _ADDED_MNEMONIC.sub("", text).replace("&&", "\0").replace("&", "").replace("\0", "&")


def _action(spec: ActionSpec, parent: QObject) -> QAction:
    action = QAction(spec.text, parent)
    action.setObjectName(spec.name)
    action.setCheckable(spec.checkable)
    if isinstance(spec.keys, str):
        action.setShortcut(QKeySequence(spec.keys))
    elif spec.keys is not None:
        action.setShortcut(spec.keys)
    words = without_mnemonic(spec.tip or spec.text).rstrip("…")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{words} ({keys})" if keys else words)
    return action
