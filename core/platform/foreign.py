"""JSON and TOML of somebody else: never nested deeper, and no number longer, than what the program can handle."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import tomli

from core.platform.errors import BadInput
from core.words import tr

MAX_DEPTH = 60
"""Lists and tables within each other; no file of the program has more than ten."""
MAX_DIGITS = 300
"""Of a whole number: more do not fit a float."""
_TOO_LONG = 10**MAX_DIGITS
_WORDS = {
    "Expecting value": tr("a value is missing"),
    "Unterminated string": tr("the closing quotation mark of this text is missing"),
    "Expecting ',' delimiter": tr("a comma or a closing bracket is missing"),
    "Expecting ':' delimiter": tr("a colon is missing"),
    "Expecting property name": tr("a name in double quotation marks is missing"),
    "Illegal trailing comma": tr("there is an extra comma"),
    "Extra data": tr("there is more text after the end"),
    "Invalid control character": tr("a text has a line break or control character in it"),
    "Invalid \\": tr("a backslash precedes a character that needs none"),
    "Unexpected UTF-8 BOM": tr("it begins with an invisible mark (BOM)"),
}
"""By how the messages of Python's JSON begin; `test_foreign` makes each of them."""
_UNKNOWN_FAULT = tr("this is not JSON")


class Unreadable(ValueError):
    """Says in words, without a full stop, why a text cannot be read."""

    @property
    def reason(self) -> str:
        """Those words, still a message: `str` of an error keeps its text alone."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


def require_text(words: Iterable[str]) -> None:
    """Refuses arguments of a command that are not UTF-8: no note or name of them could be kept. Raises BadInput."""
    for place, word in enumerate(words, 1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise BadInput(
                tr(
                    "Argument {place} of the command is not UTF-8 text. Write it in UTF-8, or rename the file.",
                    place=place,
                )
            ) from error


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises Unreadable."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        # What a parser says, for somebody who has none in mind.
        fault = next((words for begin, words in _WORDS.items() if error.msg.startswith(begin)), _UNKNOWN_FAULT)
        raise Unreadable(
            tr("line {line}, column {column}: {fault}", line=error.lineno, column=error.colno, fault=fault)
        ) from error
    except (ValueError, RecursionError) as error:
        raise _beyond(error) from error
    return _bounded(value)


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises Unreadable."""
    try:
        tables = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise Unreadable(str(error).removesuffix(".")) from error
    except (ValueError, RecursionError, OverflowError) as error:
        raise _beyond(error) from error
    _bounded(tables)
    return tables


def _beyond(error: Exception) -> Unreadable:
    """Python reads numbers of at most 4300 digits, and as deep as its stack is."""
    return Unreadable(_too_deep() if isinstance(error, RecursionError) else _too_long())


def _too_deep() -> str:
    return tr("it is nested too deeply")


def _too_long() -> str:
    return tr("a number has more than {digits} digits", digits=MAX_DIGITS)


def _bounded(value: Any) -> Any:
    """The value as it is. Looks through it level by level, since a recursion would be what it is to prevent."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if any(isinstance(one, int) and not -_TOO_LONG < one < _TOO_LONG for one in level):
            raise Unreadable(_too_long())
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inner(one)]
        if not level:
            return value
    raise Unreadable(_too_deep())


def _inner(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value
