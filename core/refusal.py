"""What a model refuses, in the words of the program: where it stands, what was given, and what would do."""

from __future__ import annotations

import reprlib
from collections.abc import Container

from pydantic import ValidationError
from pydantic_core import ErrorDetails


class _Beginning(reprlib.Repr):
    """Shows the beginning of any value, however long or deeply nested it is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxlong, self.maxother = 4, 200, 200

    def repr1(self, x: object, level: int) -> str:
        """A text from its beginning on; a number of more digits than Python writes as what it is."""
        if isinstance(x, str):
            return repr(x[:SHOWN])
        try:
            return super().repr1(x, level)
        except ValueError:
            return "a number of thousands of digits"


SHOWN = 60
"""Characters of what was given."""
_REPR = _Beginning()

_NO_NUMBER = "{given} is no number"
_NO_WHOLE = "{given} is no whole number"
_NO_CHOICE = "{given} is not {expected}"
_NO_DATE = "{given} is no date such as 2026-05-31"
_NO_LIST = "{given} is no list"
_NO_TABLE = "{given} is no table of fields"
_NO_ANSWER = "{given} is neither true nor false"
_WORDS = {
    "missing": "this is missing",
    "extra_forbidden": "there is no such field",
    "greater_than": "{given} is not greater than {gt:.12g}",
    "greater_than_equal": "{given} is less than {ge:.12g}",
    "less_than": "{given} is not less than {lt:.12g}",
    "less_than_equal": "{given} is more than {le:.12g}",
    "float_type": _NO_NUMBER,
    "float_parsing": _NO_NUMBER,
    "finite_number": _NO_NUMBER,
    "int_type": _NO_WHOLE,
    "int_parsing": _NO_WHOLE,
    "int_from_float": _NO_WHOLE,
    "bool_type": _NO_ANSWER,
    "bool_parsing": _NO_ANSWER,
    "enum": _NO_CHOICE,
    "literal_error": _NO_CHOICE,
    "string_type": "{given} is no text",
    "string_too_short": "{given} has fewer characters than {min_length}",
    "string_too_long": "{given} has more characters than {max_length}",
    "string_pattern_mismatch": "{given} does not have the form {pattern}",
    "date_type": _NO_DATE,
    "date_parsing": _NO_DATE,
    "date_from_datetime_parsing": _NO_DATE,
    "date_from_datetime_inexact": _NO_DATE,
    "tuple_type": _NO_LIST,
    "list_type": _NO_LIST,
    "too_short": "the list has fewer entries than {min_length}",
    "too_long": "the list has more entries than {max_length}",
    "dict_type": _NO_TABLE,
    "model_type": _NO_TABLE,
    "value_error": "{error}",
}
"""By pydantic's kinds of errors; another kind keeps pydantic's words."""


def first_refusal(error: ValidationError, *, without: Container[object] = ()) -> tuple[str, str]:
    """The place of the first thing refused, such as noise.0.level_dba, and what is wrong with it, without a full stop.

    The place is empty where it is the whole; steps `without` are left out of it: they name a choice, no field.
    """
    return _place_and_reason(error.errors(include_url=False)[0], without)


def refusals(error: ValidationError, *, without: Container[object] = ()) -> list[tuple[str, str]]:
    """All that is refused, as `first_refusal` tells the first."""
    return [_place_and_reason(one, without) for one in error.errors(include_url=False)]


def _place_and_reason(refused: ErrorDetails, without: Container[object]) -> tuple[str, str]:
    return ".".join(str(step) for step in refused["loc"] if step not in without), _reason(refused)


def _reason(refused: ErrorDetails) -> str:
    words = _WORDS.get(refused["type"])
    if words is None:
        return refused["msg"]
    return words.format(given=_given(refused["input"]), **refused.get("ctx", {})).removesuffix(".")


def _given(value: object) -> str:
    shown = f"{value:.12g}" if isinstance(value, float) else _REPR.repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."
