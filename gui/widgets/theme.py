"""The one theme: colours, icons and dashes, after the system's light or dark scheme or the user's wish.

Verdict hues are spread so that the common colour vision deficiencies tell them apart; text colours keep a contrast of
at least 4.5 : 1 on `surface`, also where it is tinted as a selection (WCAG 2.1, 1.4.3), curves and icons at least
3 : 1 (1.4.11).
In the dark the surfaces of fields and lists lie deeper than the window: Fusion draws outlines darker than the window.
Series are the Okabe-Ito set (Okabe and Ito 2008, "Color Universal Design"), darkened or lightened for the background.
Icons are letters of the font that QtAwesome brings: without its start, which loads every font it has.
"""

from __future__ import annotations

import importlib.util
import json
from enum import StrEnum
from functools import cache
from pathlib import Path

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QApplication

LIGHT: dict[str, str] = {
    "background": "#f3f4f6",
    "surface": "#ffffff",
    "border": "#cfd4da",
    "text": "#1a1e23",
    "muted": "#59636e",
    "accent": "#0b65a8",
    "accent_text": "#ffffff",
    "grid": "#e4e7eb",
    "pass": "#00745a",
    "note": "#0b65a8",
    "warn": "#905500",
    "fail": "#b8321a",
    "unknown": "#7d4b8f",
}

DARK: dict[str, str] = {
    "background": "#272b30",
    "surface": "#1b1e22",
    "border": "#434b54",
    "text": "#e7eaed",
    "muted": "#9fa9b4",
    "accent": "#5cabe6",
    "accent_text": "#10151a",
    "grid": "#2c3238",
    "pass": "#3fc79c",
    "note": "#5cabe6",
    "warn": "#e8a528",
    "fail": "#ff8163",
    "unknown": "#c79ad6",
}

LIGHT_SERIES = ("#00599c", "#d9480f", "#008a63", "#b8468f", "#1a1e23", "#1c92c8", "#ad8400", "#5c7a00")
DARK_SERIES = ("#3d8fd9", "#f0722e", "#2fc296", "#d98cba", "#e7eaed", "#93d2f7", "#e6a519", "#f0e442")

ICONS: dict[str, str] = {
    "new": "mdi6.file-outline",
    "open": "mdi6.folder-open-outline",
    "recent": "mdi6.history",
    "template": "mdi6.clipboard-list-outline",
    "save": "mdi6.content-save-outline",
    "export": "mdi6.file-export-outline",
    "undo": "mdi6.undo",
    "redo": "mdi6.redo",
    "find": "mdi6.magnify",
    "add": "mdi6.plus",
    "remove": "mdi6.trash-can-outline",
    "swap": "mdi6.swap-horizontal",
    "fix": "mdi6.wrench-outline",
    "plan": "mdi6.clipboard-check-outline",
    "burnin": "mdi6.fire",
    "runs": "mdi6.format-list-bulleted",
    "start": "mdi6.play",
    "stop": "mdi6.stop",
    "pause": "mdi6.pause",
    "skip": "mdi6.skip-next",
    "record": "mdi6.record-circle",
    "settings": "mdi6.cog-outline",
    "filter": "mdi6.filter-outline",
    "expand": "mdi6.chevron-down",
    "collapse": "mdi6.chevron-right",
    "gpu": "mdi6.expansion-card",
    "machine": "mdi6.desktop-tower",
    "solo": "mdi6.image-filter-center-focus",
    "chart": "mdi6.chart-line",
    "compare": "mdi6.compare",
    "delete": "mdi6.trash-can-outline",
    "live": "mdi6.fast-forward",
    "copy": "mdi6.content-copy",
    "info": "mdi6.information-outline",
    "pass": "mdi6.check-circle-outline",
    "note": "mdi6.information-outline",
    "warn": "mdi6.alert-outline",
    "fail": "mdi6.close-octagon-outline",
    "unknown": "mdi6.help-circle-outline",
}
"""Our name of an icon and its name in the package; a name with a dot is taken as it is."""

STATUS_NAMES: dict[str, str] = {
    "passed": "pass",
    "warning": "warn",
    "failed": "fail",
    "died": "fail",
    "error": "fail",
    "info": "note",
    "incomplete": "unknown",
    "not_run": "unknown",
    "stopped": "unknown",
    "skipped": "unknown",
}
"""Words of verdicts, results and events beside the five colours they are shown in."""


SET, FONT = "mdi6.", "materialdesignicons6-webfont"
"""What names of the set begin with, and its files."""
SHARE = 0.875
"""Height of a letter, of the icon's."""


def letter_icon(name: str, colour: QColor, disabled: QColor) -> QIcon:
    """The icon "mdi6.play" in a colour, and in another one where it is disabled. KeyError for an unknown name."""
    return QIcon(_LetterEngine(chr(int(_letters()[name.removeprefix(SET)], 16)), colour, disabled))


class _LetterEngine(QIconEngine):
    """Drawn anew in each size; the font is loaded when the first one is painted."""

    def __init__(self, letter: str, colour: QColor, disabled: QColor) -> None:
        super().__init__()
        self._letter, self._colour, self._disabled = letter, colour, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        font = QFont(_family())
        font.setPixelSize(max(round(SHARE * rect.height()), 1))
        painter.save()
        painter.setFont(font)
        painter.setPen(self._disabled if mode is QIcon.Mode.Disabled else self._colour)
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), self._letter)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(picture.rect()), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return _LetterEngine(self._letter, self._colour, self._disabled)


@cache
def _letters() -> dict[str, str]:
    """Code points by name."""
    charmap: dict[str, str] = json.loads(_file("charmap-*.json").read_text(encoding="utf-8"))
    return charmap


@cache
def _family() -> str:
    number = QFontDatabase.addApplicationFont(str(_file("*.ttf")))
    return QFontDatabase.applicationFontFamilies(number)[0]


def _file(ending: str) -> Path:
    """Of the package, which is found without being imported."""
    package = importlib.util.find_spec("qtawesome")
    places = package.submodule_search_locations if package is not None else None
    assert places, "it is among the libraries of the program"
    return next(file for place in places for file in (Path(place) / "fonts").glob(f"{FONT}-{ending}"))


GOOD_STYLES = ("macos", "windows11", "breeze")
"""Platform styles that are kept, with their own palette; elsewhere Fusion looks and measures better."""

DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (8, 4),
    (2, 3),
    (8, 3, 2, 3),
    (16, 4),
    (4, 3),
    (8, 3, 2, 3, 2, 3),
    (4, 3, 4, 6),
)
"""Lengths of line and gap in widths of the pen; () is a line without gaps."""


class Mode(StrEnum):
    """What the user asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """Colours by name. `changed` is emitted after the palette has been set."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._usual_font: QFont | None = None
        self._mode = Mode.SYSTEM
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._dark = self._system_is_dark()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def dark(self) -> bool:
        """Whether the dark colours are in use."""
        return self._dark

    @property
    def mode(self) -> Mode:
        """What the user asked for."""
        return self._mode

    def set_mode(self, mode: Mode) -> None:
        """Light, dark, or after the system."""
        self._mode = mode
        hints = QGuiApplication.styleHints()
        match mode:
            case Mode.SYSTEM:
                hints.unsetColorScheme()
            case Mode.LIGHT:
                hints.setColorScheme(Qt.ColorScheme.Light)
            case Mode.DARK:
                hints.setColorScheme(Qt.ColorScheme.Dark)
        self._refresh()

    def color(self, name: str) -> QColor:
        """The colour of a role; KeyError names one that does not exist."""
        return QColor((DARK if self._dark else LIGHT)[STATUS_NAMES.get(name, name)])

    def series(self, n: int) -> QColor:
        """The colour of the n-th device, the same hue in light and dark; repeats after eight."""
        colours = DARK_SERIES if self._dark else LIGHT_SERIES
        return QColor(colours[n % len(colours)])

    def series_pen(self, n: int, width: float = 1.0) -> QPen:
        """Colour and dash of the n-th device: sixty-four differ, and of eight neighbours both."""
        pen = QPen(self.series(n), width)
        pen.setCosmetic(True)
        dash = DASHES[(n + n // len(DASHES)) % len(DASHES)]
        if dash:
            pen.setDashPattern(list(dash))
        return pen

    def icon(self, name: str, colour: str = "text") -> QIcon:
        """A drawn icon in a colour of this theme. Loaded when first asked for."""
        key = (name, self.color(colour).name())
        if key not in self._icons:
            self._icons[key] = letter_icon(ICONS.get(name, name), self.color(colour), self.color("border"))
        return self._icons[key]

    def status_icon(self, word: str) -> QIcon:
        """The icon of a finding or verdict, in its colour; `word` in any case ("PASS", "fail", "not_run")."""
        name = STATUS_NAMES.get(word.lower(), word.lower())
        return self.icon(name, name)

    def apply(self, app: QApplication) -> None:
        """Sets style, palette and figures of equal width on the application."""
        if app.style().objectName().lower() not in GOOD_STYLES:
            app.setStyle("Fusion")
            self._paint(app)
        self._usual_font = tabular(app.font())
        app.setFont(self._usual_font)

    def set_text_size(self, percent: int) -> None:
        """All text at this size, of the system's."""
        app = QApplication.instance()
        if self._usual_font is None or not isinstance(app, QApplication):
            return
        font = QFont(self._usual_font)
        font.setPointSizeF(self._usual_font.pointSizeF() * percent / 100)
        app.setFont(font)
        self.changed.emit()

    @Slot()
    def _follow_system(self) -> None:
        if self._mode is Mode.SYSTEM:
            self._refresh()

    def _refresh(self) -> None:
        self._dark = self._mode is Mode.DARK or (self._mode is Mode.SYSTEM and self._system_is_dark())
        app = QApplication.instance()
        if isinstance(app, QApplication) and app.style().objectName().lower() not in GOOD_STYLES:
            self._paint(app)
        self.changed.emit()

    def _system_is_dark(self) -> bool:
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark

    def _paint(self, app: QApplication) -> None:
        """Fusion draws outlines darker than the window, where a dark window shows none: fields get a lighter one."""
        palette = self._palette()
        app.setPalette(palette)
        if self._dark:
            palette.setColor(QPalette.ColorRole.Window, self.color("muted"))
            for kind in ("QCheckBox", "QRadioButton", "QLineEdit", "QAbstractSpinBox"):
                app.setPalette(palette, kind)  # type: ignore[arg-type]  # takes str, the stub says bytes

    def _palette(self) -> QPalette:
        palette = QPalette()
        for role, name in _ROLES.items():
            palette.setColor(role, self.color(name))
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
            faded = self.color("muted")
            faded.setAlphaF(0.6)
            palette.setColor(QPalette.ColorGroup.Disabled, role, faded)
        return palette


_ROLES = {
    QPalette.ColorRole.Window: "background",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "background",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Button: "background",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "fail",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "accent_text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "unknown",
    QPalette.ColorRole.ToolTipBase: "surface",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Midlight: "grid",
    QPalette.ColorRole.Light: "border",
    QPalette.ColorRole.Dark: "border",
    QPalette.ColorRole.Shadow: "border",
}


def tabular(font: QFont) -> QFont:
    """The same font with figures of equal width, where it has them: numbers that change keep their place."""
    even = QFont(font)
    even.setFeature(QFont.Tag("tnum"), 1)
    return even


def theme() -> Theme:
    """The application's theme, made on first use. Needs a QApplication."""
    app = QApplication.instance()
    assert app is not None, "the theme belongs to an application"
    present = app.findChild(Theme, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return present if present is not None else Theme(app)
