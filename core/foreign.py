"""JSON and TOML of somebody else: never nested deeper, and no number longer, than what the program can handle."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from typing import Any

from core.errors import BadInput

MAX_DEPTH = 60
"""Lists and tables within each other; no file of the program has more than ten."""
MAX_DIGITS = 300
"""Of a whole number: more do not fit a float."""
_TOO_LONG = 10**MAX_DIGITS
_WORDS = {
    "Expecting value": "a value is missing",
    "Unterminated string": "the quotation mark that ends this text is missing",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name": "a name in double quotation marks is missing",
    "Illegal trailing comma": "there is a comma too many",
    "Extra data": "something follows after the end",
    "Invalid control character": "a text has a line break or control character in it",
    "Invalid \\": "a backslash stands before a character that needs none",
    "Unexpected UTF-8 BOM": "it begins with an invisible mark (BOM)",
}
"""By how the messages of Python's JSON begin; `test_foreign` makes each of them."""
_UNKNOWN_FAULT = "this is no JSON"


class Unreadable(ValueError):
    """Says in words, without a full stop, why a text cannot be read."""


def require_text(words: Iterable[str]) -> None:
    """Refuses arguments of a command that are not UTF-8: no note or name of them could be kept. Raises BadInput."""
    for place, word in enumerate(words, 1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise BadInput(
                f"Argument {place} of the command is not UTF-8 text. Write it in UTF-8, or rename the file."
            ) from error


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises Unreadable."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"line {error.lineno}, column {error.colno}: {_in_words(error.msg)}") from error
    except (ValueError, RecursionError) as error:
        raise _beyond(error) from error
    return _bounded(value)


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises Unreadable."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error).removesuffix(".")) from error
    except (ValueError, RecursionError, OverflowError) as error:
        raise _beyond(error) from error
    _bounded(tables)
    return tables


def _in_words(message: str) -> str:
    """What a parser says, for somebody who has none in mind."""
    return next((words for begin, words in _WORDS.items() if message.startswith(begin)), _UNKNOWN_FAULT)


def _beyond(error: Exception) -> Unreadable:
    """Python reads numbers of at most 4300 digits, and as deep as its stack is."""
    nested = isinstance(error, RecursionError)
    return Unreadable("it is nested too deeply" if nested else f"a number has more than {MAX_DIGITS} digits")


def _bounded(value: Any) -> Any:
    """The value as it is. Looks through it level by level, since a recursion would be what it is to prevent."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if any(isinstance(one, int) and not -_TOO_LONG < one < _TOO_LONG for one in level):
            raise Unreadable(f"a number has more than {MAX_DIGITS} digits")
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inner(one)]
        if not level:
            return value
    raise Unreadable("it is nested too deeply")


def _inner(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value
