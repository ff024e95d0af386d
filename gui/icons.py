"""Icons as letters of the font that QtAwesome brings: without its start, which loads every font it has."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

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
    found: dict[str, str] = json.loads(_file("charmap-*.json").read_text(encoding="utf-8"))
    return found


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
