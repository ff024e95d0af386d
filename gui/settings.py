"""What the window remembers between two starts, an ini file in the data folder, and what of it the user prefers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

from core.plan.mains import BY_ID, DEFAULT_REGION
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_json
from core.platform.whole_file import set_aside
from core.predict.conditions import Conditions
from core.words import keep_language, kept_language, tr
from core.words.measures import System
from gui.widgets.theme import Mode, theme

FILE_NAME = "window.ini"
MAX_BYTES = 4_000_000
MAX_RECENT = 8
USUAL_TEXT, SMALLEST_TEXT, LARGEST_TEXT, TEXT_STEP = 100, 80, 200, 10
"""Size of all text, % of the system's."""
MAX_CHARACTERS = 100_000
"""Of a stored value."""


class Settings:
    """Geometry, splitters, theme, the room and recent files. Two instances of one folder agree."""

    def __init__(self, data_dir: Path) -> None:
        path = data_dir / FILE_NAME
        self._ini = QSettings(str(path), QSettings.Format.IniFormat)
        self.damage = ""
        """What became of a file that could not be read, in a sentence; empty where all is well."""
        if not self._readable(path):
            self.damage = set_aside(path, tr("The window's settings"), tr("It starts with the defaults"))
            self._ini = QSettings(str(path), QSettings.Format.IniFormat)

    def _readable(self, path: Path) -> bool:
        """Whether there is no file, or a small one whose lines and values are as they are written here."""
        try:
            content = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
            if content is None or b"\0" in content:
                return False
            content.decode()
        except FileNotFoundError:
            return True
        except (OSError, UnicodeDecodeError):
            return False
        self._ini.allKeys()  # else the lines are not looked at yet
        if self._ini.status() is not QSettings.Status.NoError:
            return False
        return all(not self.text(name, "") or self._json(name) is not None for name in ("recent", "room"))

    @property
    def theme(self) -> Mode:
        """The wished theme; the system's if nothing valid is stored."""
        stored = self.text("theme", Mode.SYSTEM)
        return Mode(stored) if stored in set(Mode) else Mode.SYSTEM

    @theme.setter
    def theme(self, mode: Mode) -> None:
        self.set_text("theme", mode.value)

    @property
    def text_percent(self) -> int:
        """Size of all text, of the system's; 100 if nothing valid is stored."""
        stored = self.text("text", str(USUAL_TEXT))
        percent = int(stored) if stored.isascii() and stored.isdecimal() and len(stored) < 5 else USUAL_TEXT
        return min(max(percent, SMALLEST_TEXT), LARGEST_TEXT)

    @text_percent.setter
    def text_percent(self, percent: int) -> None:
        self.set_text("text", str(min(max(percent, SMALLEST_TEXT), LARGEST_TEXT)))

    @property
    def units(self) -> System | None:
        """What figures are shown in; None is what the system's locale measures in."""
        stored = self.text("units", "")
        return System(stored) if stored in set(System) else None

    @units.setter
    def units(self, system: System | None) -> None:
        self.set_text("units", system.value if system else "")

    def recent_files(self) -> list[Path]:
        """Build files opened last, newest first, those that are gone left out."""
        stored = self._json("recent")
        names = [name for name in stored if isinstance(name, str)] if isinstance(stored, list) else []
        return [Path(name) for name in names[:MAX_RECENT] if _is_file(name)]

    def add_recent(self, path: Path) -> None:
        """Puts a file at the front of the list."""
        others = [other for other in self.recent_files() if other != path]
        self.set_text("recent", json.dumps([str(path), *map(str, others)][:MAX_RECENT]))

    @property
    def conditions(self) -> Conditions:
        """The room that machines are predicted in; the usual one if nothing valid is stored."""
        from pydantic import TypeAdapter, ValidationError  # here, since the window is painted without

        try:
            return TypeAdapter(Conditions).validate_python(self._json("room") or {})
        except (ValidationError, BadInput):
            return Conditions()

    @conditions.setter
    def conditions(self, conditions: Conditions) -> None:
        self.set_text("room", json.dumps(asdict(conditions)))

    def layout(self, name: str) -> QByteArray:
        """The stored state of a window, splitter or header; empty if there is none."""
        stored = self._ini.value(f"layout/{name}")
        return stored if isinstance(stored, QByteArray) else QByteArray()

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Keeps what `saveGeometry`, `saveState` and the like returned."""
        self._ini.setValue(f"layout/{name}", state)

    def flag(self, name: str, default: bool) -> bool:
        """A yes or no of a view."""
        return self.text(f"flag/{name}", str(default)) == "True"

    def set_flag(self, name: str, value: bool) -> None:
        """Keeps a yes or no."""
        self.set_text(f"flag/{name}", str(value))

    def text(self, name: str, default: str) -> str:
        """A stored word."""
        stored = self._ini.value(name)
        return stored if isinstance(stored, str) else default

    def _json(self, name: str) -> Any:
        """A stored value; None where there is none that can be read: whatever lies there, the window opens."""
        stored = self.text(name, "")
        try:
            return read_json(stored) if len(stored) <= MAX_CHARACTERS else None
        except Unreadable:
            return None

    def set_text(self, name: str, value: str) -> None:
        """Keeps a word."""
        self._ini.setValue(name, value)

    def flush(self) -> None:
        """Writes to the disk now instead of in a moment."""
        self._ini.sync()


def _is_file(name: str) -> bool:
    """Also a name that no file system takes is none."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


REGION, AT_START = "region", "at_start"


class AtStart(StrEnum):
    """What the window opens with."""

    EMPTY = "empty"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Preferences:
    """All of them, as one value: a dialog shows it, and puts the one before back."""

    theme: Mode = Mode.SYSTEM
    text_percent: int = USUAL_TEXT
    """Size of all text, of the system's."""
    region: str = DEFAULT_REGION
    """Id of the mains circuit of new builds."""
    at_start: AtStart = AtStart.EMPTY
    units: System | None = None
    """What figures are shown in, from the next start on; None is what the system's locale measures in."""
    language: str | None = None
    """Code of the language from the next start on; None follows the system. Kept for all data folders alike."""


def read_preferences(settings: Settings) -> Preferences:
    """What is stored; the usual where nothing valid is."""
    region, at_start = settings.text(REGION, DEFAULT_REGION), settings.text(AT_START, AtStart.EMPTY)
    return Preferences(
        settings.theme,
        settings.text_percent,
        region if region in BY_ID else DEFAULT_REGION,
        AtStart(at_start) if at_start in set(AtStart) else AtStart.EMPTY,
        settings.units,
        kept_language(),
    )


def preferred_file(settings: Settings) -> Path | None:
    """The build that the window opens with where none is asked for; None for an empty one."""
    recent = settings.recent_files()
    return recent[0] if recent and read_preferences(settings).at_start is AtStart.LAST else None


def use_preferences(settings: Settings, preferences: Preferences) -> None:
    """Stores them and shows the window so, touching only what differs. Raises OSError where a language is not kept."""
    before = read_preferences(settings)
    settings.theme, settings.text_percent = preferences.theme, preferences.text_percent
    settings.units = preferences.units
    settings.set_text(REGION, preferences.region)
    settings.set_text(AT_START, preferences.at_start)
    if preferences.theme is not before.theme:
        theme().set_mode(preferences.theme)
    if preferences.text_percent != before.text_percent:
        theme().set_text_size(preferences.text_percent)
    if preferences.language != before.language:
        keep_language(preferences.language)
