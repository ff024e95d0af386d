"""The words of the library that reads the command line, in the language of the program; it speaks English alone."""

from __future__ import annotations

import re
from typing import Any

import typer
import typer.core

from core.words import Message, current_language, english, into, tr

_WORDS = (
    tr("Arguments"),
    tr("Options"),
    tr("Commands"),
    tr("required"),
    tr("Missing command."),
    tr("Show this message and exit."),
    tr("Input should be a valid number, unable to parse string as a number"),
    tr("Input should be a valid integer, unable to parse string as an integer"),
)
_SHAPES = (
    tr("default: {default}", default="\0default\0"),
    tr("env var: {var}", var="\0var\0"),
    tr("Input should be greater than or equal to {limit}", limit="\0limit\0"),
    tr("Input should be less than or equal to {limit}", limit="\0limit\0"),
    tr("Usage: {words}", words="\0words\0"),
    tr("Try '{command}' for help.", command="\0command\0"),
    tr("Error: Missing argument {name}.", name="\0name\0"),
    tr("Error: Missing option {name}.", name="\0name\0"),
    tr("Error: No such command {name}. Did you mean {near}?", name="\0name\0", near="\0near\0"),
    tr("Error: No such command {name}.", name="\0name\0"),
    tr("Error: No such option: {name} (Possible options: {near})", name="\0name\0", near="\0near\0"),
    tr("Error: No such option: {name}", name="\0name\0"),
    tr("Error: Option {name} requires an argument.", name="\0name\0"),
    tr("Error: Option {name} does not take a value.", name="\0name\0"),
    tr("Error: Got unexpected extra argument(s) ({words})", words="\0words\0"),
    tr("Error: Invalid value for {name}: {value} is not one of {choices}.", name="\0name\0", value="\0value\0",
       choices="\0choices\0"),
    tr("Error: Invalid value for {name}: {reason}", name="\0name\0", reason="\0reason\0"),
    tr("Error: {sentence}", sentence="\0sentence\0"),
)  # fmt: skip
"""Sentences of the library; what stands in their places is taken over. The first that matches is meant."""
_PLACE = re.compile(r"\0(\w+)\0")
_PATTERNS = [(re.compile(_PLACE.sub(r"(?P<\1>.*)", re.escape(english(shape))), re.DOTALL), shape) for shape in _SHAPES]
_BY_ENGLISH = {str(english(word)): word for word in _WORDS}


def in_our_language(line: str) -> str:
    """What the library says, in the language spoken; what is not known of it as it is."""
    if line in _BY_ENGLISH:
        return str(into(_BY_ENGLISH[line]))
    for pattern, shape in _PATTERNS:
        if (match := pattern.fullmatch(line)) is not None:
            return _filled(shape, match)
    return line


def teach_the_library() -> None:
    """Makes help and usage speak the language of the program; nothing is to be done for English."""
    if current_language() == "en":
        return
    base: Any = typer.Context.__base__
    usual: Any = base.formatter_class

    class Spoken(usual):  # type: ignore[misc]
        """Writes the pages of help; only two of its words are not asked for in `typer.core`."""

        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, in_our_language("Usage: ") if prefix is None else prefix)

        def write_dl(self, rows: Any, *args: Any, **settings: Any) -> None:
            super().write_dl([(name, in_our_language(text)) for name, text in rows], *args, **settings)

    base.formatter_class = Spoken
    library: Any = typer.core
    library._ = _library_word


def _library_word(text: str) -> str:
    """For the library's own look-up, which fills the places itself."""
    for shape in _SHAPES:
        if _PLACE.sub(r"{\1}", english(shape)) == text:
            return _PLACE.sub(r"{\1}", into(shape))
    return in_our_language(text)


def _filled(shape: Message, match: re.Match[str]) -> str:
    """A reason is a sentence of the library again."""
    return _PLACE.sub(
        lambda place: in_our_language(match[place[1]]) if place[1] == "reason" else match[place[1]], into(shape)
    )
