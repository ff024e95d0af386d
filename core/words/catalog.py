"""The translations of a language: assets/languages/<code>.po, compiled once and kept in the user's cache."""

from __future__ import annotations

import gettext
import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

from core.words.choice import FOLDER, PSEUDO

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
