"""Every message is written out where it is said, with just the fields that it names."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from core.words.message import CONTROL

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = {"tr": 1, "trn": 2, "trc": 2}
FILES = sorted(path for folder in ("core", "gui") for path in (ROOT / folder).rglob("*.py"))


def shared_fields(function: ast.AST) -> dict[str, set[str]]:
    """The keys of dictionaries that a function writes out, by the names under which it hands them to messages."""
    keys: dict[str, set[str]] = {}
    for node in ast.walk(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(name) | ast.Tuple([*_, ast.Name(name)])], value=ast.Dict() as fields)
                | ast.Assign(targets=[ast.Tuple([*_, ast.Name(name)])], value=ast.Tuple([*_, ast.Dict() as fields]))
                | ast.AnnAssign(target=ast.Name(name), value=ast.Dict() as fields)
                | ast.AugAssign(target=ast.Name(name), op=ast.BitOr(), value=ast.Dict() as fields)
            ):
                written = {key.value for key in fields.keys if isinstance(key, ast.Constant)}
                keys.setdefault(name, set()).update(map(str, written))
    return keys


def problems(source: str) -> list[str]:
    """What is wrong with the messages of a file."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    shared = {call: shared_fields(one) for one in functions for call in ast.walk(one) if isinstance(call, ast.Call)}
    places = []
    for node in ast.walk(tree):
        count = ARGUMENTS.get(getattr(node.func, "id", "")) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or count is None:
            continue
        texts = [str(arg.value) for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        in_common = [word.value for word in node.keywords if word.arg is None]
        fields = [shared.get(node, {}).get(one.id) for one in in_common if isinstance(one, ast.Name)]
        if len(texts) != count or len(node.args) != count or len(fields) < len(in_common) or None in fields:
            places.append(f"line {node.lineno}: not written out")
            continue
        templates = texts[1:] if getattr(node.func, "id", "") == "trc" else texts
        named = {name for text in templates for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        named -= set(filter(CONTROL.match, named))
        if getattr(node.func, "id", "") == "trn":
            named.add("count")
        own, common = {str(word.arg) for word in node.keywords if word.arg}, set().union(*filter(None, fields))
        supplied = own | (named & common)  # what messages have in common need not be in each
        if own & common:
            places.append(f"line {node.lineno}: is given {sorted(own & common)} twice")
        if named != supplied:
            places.append(f"line {node.lineno}: names {sorted(named)}, is given {sorted(supplied)}")
    return places


def test_messages_are_written_out_with_their_fields() -> None:
    wrong = [f"{path.relative_to(ROOT)}, {problem}" for path in FILES for problem in problems(path.read_text("utf-8"))]
    assert wrong == []


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ('tr("{a} {b}", **fields)', ""),
        ('tr("{a}", **fields)', ""),
        ('tr("{a} {c}", c=1, **fields)', ""),
        ('tr("{a} {c}", **fields)', "names ['a', 'c'], is given ['a']"),
        ('tr("{a} {b}", a=1, **fields)', "is given ['a'] twice"),
        ('tr("{a}", **others)', "not written out"),
    ],
)
def test_fields_that_messages_have_in_common_are_written_out_in_their_function(call: str, problem: str) -> None:
    function = f'def f(others):\n    fields = {{"a": 1}}\n    fields |= {{"b": 2}}\n    return {call}\n'
    assert problems(function) == ([f"line 4: {problem}"] if problem else [])


def test_a_word_that_is_counted_somewhere_has_a_context_where_it_stands_alone() -> None:
    """A catalogue has one entry for both: in Chinese it would carry the measure word of the counted one."""
    by_call: dict[str, set[str]] = {"tr": set(), "trn": set()}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and (name := getattr(node.func, "id", "")) in by_call:
                by_call[name] |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    assert by_call["tr"] & by_call["trn"] == set()


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
    calls = 'tr("Slot {slot:.0f}", slot=1); trn("a card", "{count} cards", count=2); trc("verb", "Check")'
    assert problems(calls) == []
