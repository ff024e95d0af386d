"""Writes what the code says of itself into the manual: python packaging/manual.py.

Between the markers of assets/manual/terminal.md stand all commands with their options, between those of burn-in.md all
stages with their parameters. What is outside of them is written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

import typer.main

from core.burnin.stages.registry import GROUPS, STAGES
from core.cli.app import app
from core.loads.table import load_entry
from core.words import duration, english, spoken

MANUAL = Path(__file__).resolve().parent.parent / "assets" / "manual"
START, END = "<!-- packaging/manual.py writes from here -->\n", "<!-- to here -->\n"
OF_EVERY_COMMAND = {"--data-dir", "--json"}
TYPED = re.compile(r"(?P<name>.*?)(?: <(?:list\[)?(?P<type>.*?)(?: range)?\]?>)?")
MEANING = re.compile(r"(?P<words>.*?)(?:\s*\[(?:default: (?P<default>[^;\]]*))?[^\[]*\])?", re.DOTALL)
"""Of `--help`: "-n, --quantity <int range>" and "How many.  [default: 1; x>=1]"."""
VALUES = {"str": "TEXT", "path": "PATH", "Path": "PATH", "int": "N", "float": "NUMBER", "%Y-%m-%d": "YYYY-MM-DD"}
MOST_CHOICES = 6
GREATEST_RUN = 2**31 - 1
MACHINE = "machine"
"""The parameter that holds those of the load of this name."""

Row = tuple[str, ...]


def pages() -> dict[Path, str]:
    """Each page with markers, and how it should read."""
    with spoken("en"):
        parts = {MANUAL / "terminal.md": _commands(), MANUAL / "burn-in.md": _stages()}
        return {page: _with(page.read_text(encoding="utf-8"), "\n\n".join(part)) for page, part in parts.items()}


def _with(page: str, part: str) -> str:
    before, _, rest = page.partition(START)
    return f"{before}{START}\n{part}\n\n{END}{rest.partition(END)[2]}"


def _commands() -> Iterator[str]:
    for words, command in _leaves("rigwright", typer.main.get_command(app)):
        context = typer.Context(command, info_name=words)
        params = [param for param in command.params if not OF_EVERY_COMMAND.intersection(param.opts)]
        rows = [_param(param, context) for param in params]
        usage = [_in_usage(param, name) for param, (name, _, _) in zip(params, rows, strict=True)]
        yield f"### {_plain(' '.join(filter(None, (words, *usage))))}"
        yield from map(_plain, english(command.help or "").split("\n\n"))
        if described := [(_code(name), *more) for name, *more in rows if any(more)]:
            yield _table(("argument or option", "meaning", "default"), described)


def _in_usage(param: Any, name: str) -> str:
    """Arguments, and options that every call needs, in their first form."""
    if param.param_type_name == "argument":
        return name if param.required else f"[{name}]"
    return f"{param.opts[0]} {name.rpartition(' ')[2]}" if param.required else ""


def _leaves(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Every command that does something itself, with the words that call it."""
    inner = getattr(command, "commands", {})
    if not inner or command.invoke_without_command:
        yield words, command
    for name in inner:
        yield from _leaves(f"{words} {name}", inner[name])


def _param(param: Any, context: typer.Context) -> tuple[str, str, str]:
    """How an argument or option is typed, what it means, and its default."""
    in_english = copy(param)
    in_english.help = english(param.help or "")
    name, meaning = in_english.get_help_record(context)
    typed, described = TYPED.fullmatch(name), MEANING.fullmatch(meaning)
    assert typed is not None
    assert described is not None
    name, value = typed["name"], VALUES.get(typed["type"] or "", typed["type"] or "")
    limits = "" if param.max == GREATEST_RUN else _limits(param.min, param.max)
    if (choices := value.split("|"))[1:]:
        value, limits = param.name.upper(), ", ".join(choices) if len(choices) <= MOST_CHOICES else ""
    words = " ".join(filter(None, (_plain(described["words"]), f"({limits})" if limits else "")))
    shown = name.upper() if param.param_type_name == "argument" else f"{name} {value}".strip()
    return shown, words, described["default"] or ""


def _limits(least: Any, most: Any) -> str:
    if least is None or most is None:
        return f"at least {least}" if least is not None else f"at most {most}" if most is not None else ""
    return f"{least} to {most}"


def _stages() -> Iterator[str]:
    """The stages, then each of their parameters once, with all stages that take it."""
    yield _table(
        ("stage", "name", "group", "time", "finds"),
        [
            (_code(stage.kind), english(stage.title), GROUPS[stage.kind], duration(stage.seconds), english(stage.finds))
            for stage in STAGES
        ],
    )
    takers: dict[Row, list[str]] = {}
    for stage in STAGES:
        schema = stage.params.model_json_schema()
        params = schema["properties"]
        if params.pop(MACHINE, None):
            inner = load_entry(MACHINE).params.model_json_schema()["properties"]
            params |= {f"{MACHINE}.{name}": param for name, param in inner.items() if name not in params}
        for name, param in params.items():
            values, default = _values(param, schema.get("$defs", {})), _default(param)
            row = (_code(name), _plain(param.get("description", "")), values, default)
            takers.setdefault(row, []).append(stage.kind)
    of_loads = [stage.kind for stage in STAGES if stage.load]
    yield _table(
        ("parameter", "of", "meaning", "values", "default"),
        [
            (name, "every stage with a load" if kinds == of_loads else ", ".join(kinds), *rest)
            for (name, *rest), kinds in sorted(takers.items(), key=lambda item: item[1] != of_loads)
        ],
    )


def _values(param: dict[str, Any], named: dict[str, Any]) -> str:
    """What a parameter may be."""
    forms = [form for form in param.get("anyOf", [param]) if form.get("type") != "null"]
    form = forms[0] if forms else {}
    form = named[form["$ref"].rpartition("/")[2]] if "$ref" in form else form
    if "enum" in form:
        return ", ".join(form["enum"])
    match form.get("type"):
        case "integer" | "number":
            above = form.get("exclusiveMinimum")
            limits = _limits(form.get("minimum"), form.get("maximum", form.get("exclusiveMaximum", 1) - 1 or None))
            steps = f", multiples of {form['multipleOf']}" if "multipleOf" in form else ""
            return f"above {above}" + (f", {limits}" if limits else "") if above is not None else limits + steps
        case "boolean":
            return "true or false"
        case "array":
            return f"a list of numbers, {_values(form['items'], named)}"
        case "string":
            return "text"
    return ""


def _default(param: dict[str, Any]) -> str:
    default = param.get("default")
    return "" if default in (None, "", []) else _code(default if isinstance(default, str) else json.dumps(default))


def _table(heads: Row, rows: Iterable[Row]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(text: str) -> str:
    """Names as they are typed; Qt would show the sign that must stand before a bar in a table."""
    return f"`{text}`".replace("|", "` or `")


def _plain(text: str) -> str:
    """A text in which Markdown sees no signs of its own, without line breaks."""
    return re.sub(r"([*<|\[\]])", r"\\\1", " ".join(text.split()))


def main() -> None:
    """Writes the pages."""
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
