"""Which language the program speaks, and its translations: assets/languages/<code>.po, compiled once."""

from __future__ import annotations

import gettext
import hashlib
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

FOLDER = Path(__file__).resolve().parent.parent.parent / "assets" / "languages"
_OWN_NAME = re.compile(r'^"Language-Team: ([^<\\\n]*)', re.MULTILINE)
_HEADER_BYTES = 2000


def _own_name(catalogue: Path) -> str:
    """How a language is called in itself: the Language-Team of its header; else its code."""
    with catalogue.open("rb") as file:
        match = _OWN_NAME.search(file.read(_HEADER_BYTES).decode(errors="replace"))
    return (match[1].strip() if match else "") or catalogue.stem


def languages(folder: Path) -> dict[str, str]:
    """The languages of a folder of catalogues by code, and English, each named in itself."""
    return {"en": "English"} | {path.stem: _own_name(path) for path in sorted(folder.glob("*.po"))}


LANGUAGES = languages(FOLDER)
"""By code, each named in itself. Another language is a file in assets/languages, and nothing else."""
VARIABLE = "RIGWRIGHT_LANGUAGE"
"""Of the environment: decides over the choice that is kept."""
PSEUDO = "pseudo"
"""A language of the tests: every message stands in ⟦brackets⟧, so what has none was never translatable."""
_SYSTEM = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_TRADITIONAL = ("tw", "hk", "mo", "hant")
_MAX_BYTES = 100


def chosen_language() -> str:
    """The code of the language of this process, one of `LANGUAGES`."""
    name = os.environ.get(VARIABLE, "")
    if name == PSEUDO:
        return PSEUDO
    return known_language(name) or kept_language() or _of_the_system() or "en"


def kept_language() -> str | None:
    """What the user chose for good; None follows the system."""
    try:
        with _file().open(encoding="utf-8") as file:
            return known_language(file.read(_MAX_BYTES).strip())
    except (OSError, UnicodeDecodeError):
        return None


def keep_language(code: str | None) -> None:
    """Keeps a choice, from the next start on; None follows the system again.

    Raises ValueError for a code that is none of `LANGUAGES`, OSError where the file cannot be written.
    """
    if code is None:
        _file().unlink(missing_ok=True)
        return
    if code not in LANGUAGES:
        raise ValueError(code)
    _file().parent.mkdir(parents=True, exist_ok=True)
    _file().write_text(f"{code}\n", encoding="utf-8")


def _file() -> Path:
    return Path(platformdirs.user_config_dir("rigwright")) / "language"


def _of_the_system() -> str | None:
    """What the locale asks for, as gettext reads it: the first variable that is set decides."""
    for variable in _SYSTEM:
        for name in os.environ.get(variable, "").split(":"):
            if name:
                return known_language(name) or "en"
    return None


def known_language(locale: str) -> str | None:
    """The code for a locale's name: de_AT.UTF-8 is German, zh-Hant traditional Chinese."""
    parts = locale.partition(".")[0].replace("-", "_").lower().split("_")
    if parts[0] == "zh":
        return "zh_TW" if any(part in _TRADITIONAL for part in parts[1:]) else "zh_CN"
    return parts[0] if parts[0] in LANGUAGES else None


GROUPED = 10_000
"""From here on thousands are set apart."""


class Pseudo(gettext.NullTranslations):
    """The language of tests: what is translated stands in brackets."""

    def pgettext(self, context: str, message: str) -> str:
        return f"⟦{super().pgettext(context, message)}⟧"

    def npgettext(self, context: str, singular: str, plural: str, n: int) -> str:
        return f"⟦{super().npgettext(context, singular, plural, n)}⟧"

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return f"⟦{super().ngettext(singular, plural, n)}⟧"


@cache
def translations(language: str) -> gettext.NullTranslations:
    """What a language makes of messages; English, and a language whose file is gone, leave them as they are."""
    if language == PSEUDO:
        return Pseudo()
    source = FOLDER / f"{language}.po"
    if language == "en" or not source.is_file():
        return gettext.NullTranslations()
    content = source.read_bytes()
    compiled = Path(platformdirs.user_cache_dir("rigwright")) / f"{language}-{hashlib.sha256(content).hexdigest()}.mo"
    try:
        with compiled.open("rb") as file:
            return gettext.GNUTranslations(file)
    except (OSError, ValueError, UnicodeDecodeError):
        return _compiled(source, compiled)


@cache
def decimal_mark(language: str) -> str:
    """What a language writes before decimals by the locale data of Unicode; a point where they lack it."""
    if language in ("en", PSEUDO):
        return "."
    from babel.core import UnknownLocaleError
    from babel.numbers import get_decimal_symbol

    try:
        return get_decimal_symbol(language)
    except (UnknownLocaleError, ValueError):
        return "."


def written(value: float, spec: str, language: str) -> str:
    """A figure by a format specification, with the decimal mark of a language.

    Where the specification groups thousands (","), they are apart from five digits on, by a thin space in every
    language: a comma or point means another thing elsewhere, and what is shown can be typed again.
    """
    text = format(value, spec)
    if "," in spec:
        text = text.replace(",", "\N{NARROW NO-BREAK SPACE}" if abs(value) >= GROUPED else "")
    mark = decimal_mark(language)
    return text if mark == "." else text.replace(".", mark)


def _compiled(source: Path, compiled: Path) -> gettext.GNUTranslations:
    """Compiles a file and keeps the outcome where that can be: several programs may do so at once."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with source.open("rb") as text, tempfile.TemporaryFile() as made:
        write_mo(made, read_po(text, locale=source.stem))
        made.seek(0)
        content = made.read()
        made.seek(0)
        loaded = gettext.GNUTranslations(made)
    try:
        compiled.parent.mkdir(parents=True, exist_ok=True)
        part = compiled.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.replace(compiled)
        for old in compiled.parent.glob(f"{source.stem}-*.mo"):
            if old != compiled:
                old.unlink(missing_ok=True)
    except OSError:
        pass  # without a cache it is compiled again at the next start
    return loaded
