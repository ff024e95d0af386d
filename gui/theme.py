"""The one theme: colours, icons and dashes, after the system's light or dark scheme or the user's wish."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette, QPen
from PySide6.QtWidgets import QApplication

from gui.icons import letter_icon
from gui.palette import DARK, DARK_SERIES, ICONS, LIGHT, LIGHT_SERIES, STATUS_NAMES

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
    found = app.findChild(Theme, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return found if found is not None else Theme(app)
