"""What the user prefers in general: how the window looks, what a new build begins with, what opens at the start."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.build.mains import BY_ID, DEFAULT_REGION
from core.language import keep_language, kept_language
from core.measures import System
from gui.settings import USUAL_TEXT, Settings
from gui.theme import Mode, theme

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


def use_preferences(settings: Settings, wanted: Preferences) -> None:
    """Stores them and shows the window so, touching only what differs. Raises OSError where a language is not kept."""
    before = read_preferences(settings)
    settings.theme, settings.text_percent = wanted.theme, wanted.text_percent
    settings.units = wanted.units
    settings.set_text(REGION, wanted.region)
    settings.set_text(AT_START, wanted.at_start)
    if wanted.theme is not before.theme:
        theme().set_mode(wanted.theme)
    if wanted.text_percent != before.text_percent:
        theme().set_text_size(wanted.text_percent)
    if wanted.language != before.language:
        keep_language(wanted.language)
