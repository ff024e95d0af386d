"""Enums whose members carry their words."""

from __future__ import annotations

import importlib
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from core.words import Message, Worded, into, spoken, tr

ROOT = Path(__file__).resolve().parents[1]
NAMES = re.compile(r"\b(DDR|M\.2|MCIO|SlimSAS|OCuLink|Thunderbolt|NEMA|Schuko|BS|Molex|Flex|CRPS|NVMe|Mini|Micro)\b")


UNSAID = {"Limiter.NOTHING", "About.PART", "LinkLimit.SETTING", "Layer.MACHINE"}
"""Nothing shows these."""


class Answer(Worded):
    """With a further word."""

    badge: str

    RIGHT = "right", tr("It is right."), "R"
    WRONG = "wrong", "", "W"


def test_a_member_is_its_value_and_has_its_words() -> None:
    assert (Answer("right"), f"{Answer.RIGHT}", Answer.RIGHT.label, Answer.RIGHT.badge) == (
        Answer.RIGHT, "right", "It is right.", "R",
    )  # fmt: skip
    assert (Answer.WRONG.label, Answer.WRONG.badge) == ("wrong", "W")
    with spoken("pseudo"):
        assert into(Answer.RIGHT.label) == "⟦It is right.⟧"


def test_it_is_written_and_read_as_its_value() -> None:
    adapter = TypeAdapter(dict[Answer, Answer])
    assert json.dumps([Answer.RIGHT]) == '["right"]'
    assert adapter.validate_json(adapter.dump_json({Answer.RIGHT: Answer.WRONG})) == {Answer.RIGHT: Answer.WRONG}
    assert pickle.loads(pickle.dumps(Answer.WRONG)) is Answer.WRONG


@pytest.mark.parametrize("words", [(), ("W", "more")])
def test_each_member_has_all_words_and_no_more(words: tuple[str, ...]) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError)):

        class Lacking(Worded):
            badge: str

            WRONG = ("wrong", "", *words)


def declared() -> Iterator[type[Worded]]:
    for path in sorted((*(ROOT / "core").rglob("*.py"), *(ROOT / "gui").rglob("*.py"))):
        if "(Worded)" in (text := path.read_text(encoding="utf-8")):
            module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            yield from (getattr(module, name) for name in re.findall(r"class (\w+)\(Worded\)", text))


def test_words_of_one_list_can_all_be_said_in_another_language() -> None:
    lists = list(declared())
    assert len(lists) > 50
    english = {
        f"{one.__name__}.{member.name}"
        for one in lists
        if any(isinstance(member.label, Message) for member in one)
        for member in one
        if not isinstance(member.label, Message) and re.search(r"[a-z]{2}", NAMES.sub("", member.label))
    }
    assert english == UNSAID
