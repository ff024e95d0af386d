"""What models refuse is told in sentences, not in the words of their library."""

from datetime import date
from enum import StrEnum
from math import nan
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from core.words.refusal import first_refusal


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    level: Annotated[float, Field(gt=0, le=90)]


class Thing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: Annotated[int, Field(ge=1)] = 1
    share: Annotated[float, Field(lt=1)] = 0
    name: Annotated[str, Field(min_length=2, max_length=4, pattern="^[a-z]*$")] = "aa"
    colour: Colour = Colour.RED
    lanes: Literal[1, 2, 4] = 1
    here: bool = True
    day: date | None = None
    points: Annotated[tuple[Point, ...], Field(min_length=1)] = (Point(level=1),)
    even: int = 0

    @field_validator("even")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("An odd number is not even.")
        return value


@pytest.mark.parametrize(
    ("values", "place", "words"),
    [
        ({"count": 0}, "count", "0 is less than 1"),
        ({"count": 1.5}, "count", "1.5 is not a whole number"),
        ({"count": "two"}, "count", "'two' is not a whole number"),
        ({"share": 1}, "share", "1 is not less than 1"),
        ({"share": "x"}, "share", "'x' is not a number"),
        ({"name": 5}, "name", "5 is not text"),
        ({"name": "a"}, "name", "'a' has fewer characters than 2"),
        ({"name": "abcde"}, "name", "'abcde' has more characters than 4"),
        ({"name": "A1"}, "name", "'A1' does not have the form ^[a-z]*$"),
        ({"colour": "rde"}, "colour", "'rde' is not 'red' or 'blue'"),
        ({"lanes": 3}, "lanes", "3 is not 1, 2 or 4"),
        ({"here": "perhaps"}, "here", "'perhaps' is neither true nor false"),
        ({"day": "May"}, "day", "'May' is not a date such as 2026-05-31"),
        ({"points": "none"}, "points", "'none' is not a list"),
        ({"points": []}, "points", "the list has fewer entries than 1"),
        ({"points": [3]}, "points.0", "3 is not a table of fields"),
        ({"points": [{"level": 1}, {}]}, "points.1.level", "this is missing"),
        ({"points": [{"level": 0}]}, "points.0.level", "0 is not greater than 0"),
        ({"points": [{"level": 91}]}, "points.0.level", "91 is more than 90"),
        ({"points": [{"level": nan}]}, "points.0.level", "nan is not a number"),
        ({"cuont": 1}, "cuont", "there is no such field"),
        ({"even": 3}, "even", "An odd number is not even"),
    ],
)
def test_each_kind_of_refusal_names_the_place_the_value_and_what_is_expected(
    values: dict[str, Any], place: str, words: str
) -> None:
    assert first_refusal(_error(values)) == (place, words)


def test_a_long_text_is_shown_by_its_beginning() -> None:
    _, words = first_refusal(_error({"lanes": "9" * 1000}))
    assert words.startswith("'9999") and "..." in words
    assert len(words) < 100


def test_braces_in_what_was_given_are_shown_as_they_are() -> None:
    assert first_refusal(_error({"lanes": "{gt}"})) == ("lanes", "'{gt}' is not 1, 2 or 4")


def test_steps_that_name_a_choice_are_left_out_of_the_place() -> None:
    place, _ = first_refusal(_error({"points": [{}]}), without=("points",))
    assert place == "0.level"


def test_a_kind_without_words_of_its_own_keeps_those_of_the_library() -> None:
    class Address(BaseModel):
        text: bytes

    with pytest.raises(ValidationError) as caught:
        Address.model_validate({"text": 5})
    assert first_refusal(caught.value) == ("text", caught.value.errors()[0]["msg"])


def _error(values: dict[str, Any]) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Thing.model_validate(values)
    return caught.value
