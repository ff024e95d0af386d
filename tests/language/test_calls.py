"""Every message is written out where it is said, with just the fields that it names."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from core.language.message import CONTROL

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = {"tr": 1, "trn": 2, "trc": 2}
FILES = sorted(path for folder in ("core", "gui") for path in (ROOT / folder).rglob("*.py"))


def problems(source: str) -> list[str]:
    """What is wrong with the messages of a file."""
    found = []
    for node in ast.walk(ast.parse(source)):
        count = ARGUMENTS.get(getattr(node.func, "id", "")) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or count is None:
            continue
        texts = [str(arg.value) for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if len(texts) != count or len(node.args) != count or any(word.arg is None for word in node.keywords):
            found.append(f"line {node.lineno}: not written out")
            continue
        templates = texts[1:] if getattr(node.func, "id", "") == "trc" else texts
        named = {name for text in templates for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        named -= set(filter(CONTROL.match, named))
        given = {str(word.arg) for word in node.keywords}
        if getattr(node.func, "id", "") == "trn":
            named.add("count")
        if named != given:
            found.append(f"line {node.lineno}: names {sorted(named)}, is given {sorted(given)}")
    return found


def test_messages_are_written_out_with_their_fields() -> None:
    wrong = [f"{path.relative_to(ROOT)}, {problem}" for path in FILES for problem in problems(path.read_text("utf-8"))]
    assert wrong == []


def test_a_word_that_is_counted_somewhere_has_a_context_where_it_stands_alone() -> None:
    """A catalogue has one entry for both: in Chinese it would carry the measure word of the counted one."""
    said: dict[str, set[str]] = {"tr": set(), "trn": set()}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and (name := getattr(node.func, "id", "")) in said:
                said[name] |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    assert said["tr"] & said["trn"] == set()


def test_core_names_what_commands_have_as_controls_that_the_window_can_name_otherwise() -> None:
    """Options of other programs stay as they are."""
    wrong = [
        argument.value
        for path in FILES
        if path.is_relative_to(ROOT / "core") and not path.is_relative_to(ROOT / "core" / "cli")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ARGUMENTS
        for argument in node.args
        if isinstance(argument, ast.Constant) and "docker" not in argument.value
        for literal, *_ in string.Formatter().parse(argument.value)
        if re.search(r"(?<![\w-])--[a-z]|rigwright [a-z]", literal)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "call",
    [
        'tr(f"made of {x}")',
        "tr(text)",
        'tr("{a}", b=1)',
        'tr("no field", a=1)',
        'trn("{count} card", "{count} cards")',
        'tr("a", **fields)',
    ],
)
def test_what_is_wrong_is_found(call: str) -> None:
    assert problems(call) != []


def test_what_is_right_passes() -> None:
    assert (
        problems('tr("Slot {slot:.0f}", slot=1); trn("a card", "{count} cards", count=2); trc("verb", "Check")') == []
    )
