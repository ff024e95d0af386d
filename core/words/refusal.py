"""What a model refuses, in the words of the program: where it stands, what was given, and what would do."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from core.platform.errors import BadInput
from core.words import tr


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
            return tr("a number of thousands of digits")


_ALTERNATIVES = ("constrained-int", "constrained-str")
"""Names that pydantic gives to the alternatives of a field which takes a number or a text."""
SHOWN = 60
"""Characters of what was given."""
_REPR = _Beginning()
_MEMBER = re.compile(r"<\w+\.\w+: ('[^']*')>")
"""How pydantic shows one member of an enum that may be given: only its value can be written."""

Telling = Callable[[str, Mapping[str, Any]], str]
"""Says what is wrong: of what was given, and of the bounds that pydantic names with its kind of error."""


def _no_number(value: str, _: Mapping[str, Any]) -> str:
    return tr("{given} is not a number", given=value)


def _no_whole_number(value: str, _: Mapping[str, Any]) -> str:
    return tr("{given} is not a whole number", given=value)


def _no_answer(value: str, _: Mapping[str, Any]) -> str:
    return tr("{given} is neither true nor false", given=value)


def _no_choice(value: str, of: Mapping[str, Any]) -> str:
    return tr("{given} is not {expected}", given=value, expected=_MEMBER.sub(r"\1", of["expected"]))


def _no_date(value: str, _: Mapping[str, Any]) -> str:
    return tr("{given} is not a date such as 2026-05-31", given=value)


def _no_list(value: str, _: Mapping[str, Any]) -> str:
    return tr("{given} is not a list", given=value)


def _no_field(_: str, __: Mapping[str, Any]) -> str:
    return tr("there is no such field")


def _no_table(value: str, _: Mapping[str, Any]) -> str:
    return tr("{given} is not a table of fields", given=value)


def _own_words(_: str, of: Mapping[str, Any]) -> str:
    """Those of a check of the program."""
    error = of["error"]
    words: str = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return words.removesuffix(".") if words.endswith(".") else words


_TELLING: dict[str, Telling] = {
    "missing": lambda _, __: tr("this is missing"),
    "extra_forbidden": _no_field,
    "unexpected_keyword_argument": _no_field,
    "greater_than": lambda value, of: tr("{given} is not greater than {limit:.12g}", given=value, limit=of["gt"]),
    "greater_than_equal": lambda value, of: tr("{given} is less than {limit:.12g}", given=value, limit=of["ge"]),
    "less_than": lambda value, of: tr("{given} is not less than {limit:.12g}", given=value, limit=of["lt"]),
    "less_than_equal": lambda value, of: tr("{given} is more than {limit:.12g}", given=value, limit=of["le"]),
    "float_type": _no_number,
    "float_parsing": _no_number,
    "finite_number": _no_number,
    "int_type": _no_whole_number,
    "int_parsing": _no_whole_number,
    "int_from_float": _no_whole_number,
    "bool_type": _no_answer,
    "bool_parsing": _no_answer,
    "enum": _no_choice,
    "literal_error": _no_choice,
    "string_type": lambda value, _: tr("{given} is not text", given=value),
    "string_too_short": lambda value, of: tr(
        "{given} has fewer characters than {limit}", given=value, limit=of["min_length"]
    ),
    "string_too_long": lambda value, of: tr(
        "{given} has more characters than {limit}", given=value, limit=of["max_length"]
    ),
    "string_pattern_mismatch": lambda value, of: tr(
        "{given} does not have the form {pattern}", given=value, pattern=of["pattern"]
    ),
    "date_type": _no_date,
    "date_parsing": _no_date,
    "date_from_datetime_parsing": _no_date,
    "date_from_datetime_inexact": _no_date,
    "tuple_type": _no_list,
    "list_type": _no_list,
    "too_short": lambda _, of: tr("the list has fewer entries than {limit}", limit=of["min_length"]),
    "too_long": lambda _, of: tr("the list has more entries than {limit}", limit=of["max_length"]),
    "dict_type": _no_table,
    "model_type": _no_table,
    "dataclass_type": _no_table,
    "value_error": _own_words,
}
"""By pydantic's kinds of errors; another kind keeps pydantic's words."""


@contextmanager
def refused_as(sentence: Callable[..., str], *, whole: str = "", without: Container[object] = ()) -> Iterator[None]:
    """What a model refuses within becomes BadInput: `sentence` of its `place`, or `whole` where it has none, and its
    `reason`, as `first_refusal` tells them."""
    try:
        yield
    except ValidationError as error:
        place, reason = first_refusal(error, without=without)
        raise BadInput(sentence(place=place or whole, reason=reason)) from error


def first_refusal(error: ValidationError, *, without: Container[object] = ()) -> tuple[str, str]:
    """The place of the first thing refused, such as noise.0.level_dba, and what is wrong with it, without a full stop.

    The place is empty where it is the whole; steps `without` are left out of it: they name a choice, no field.
    """
    return _place_and_reason(error.errors(include_url=False)[0], without)


def refusals(error: ValidationError, *, without: Container[object] = ()) -> list[tuple[str, str]]:
    """All that is refused, as `first_refusal` tells the first."""
    return [_place_and_reason(one, without) for one in error.errors(include_url=False)]


def _place_and_reason(refused: ErrorDetails, without: Container[object]) -> tuple[str, str]:
    steps = (step for step in refused["loc"] if step not in without and step not in _ALTERNATIVES)
    return ".".join(map(str, steps)), _reason(refused)


def _reason(refused: ErrorDetails) -> str:
    telling = _TELLING.get(refused["type"])
    return telling(_shown(refused["input"]), refused.get("ctx", {})) if telling else refused["msg"]


def _shown(value: object) -> str:
    shown = f"{value:.12g}" if isinstance(value, float) else _REPR.repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."
