"""The command that says what a rule rests on."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.cli.options import AsJson, DataDir, console, print_json
from core.errors import BadInput
from core.parts.figures import field_words
from core.parts.vocabulary import Category
from core.rules.figure_names import category_words
from core.rules.registry import BY_ID, RULES
from core.rules.rule import Rule


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("explain")(explain)


def explain(
    rule: Annotated[str | None, typer.Argument(help="A rule, as a finding names it. Default: list all.")] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Explain a rule: what it compares, where that comes from, which figures it reads."""
    del folder  # the rules are part of the program
    found = RULES if rule is None else (rule_named(rule),)
    if as_json:
        rows = [_as_dict(one) for one in found]
        print_json(rows if rule is None else rows[0])
    elif rule is None:
        _print_all()
    else:
        _print_rule(found[0])


def rule_named(word: str) -> Rule[Any]:
    """The rule of this id. Raises BadInput that names those like it."""
    if word in BY_ID:
        return BY_ID[word]
    asked = word.lower().replace(" ", "-").replace("_", "-")
    close = (
        get_close_matches(asked, BY_ID, n=3, cutoff=0.75)
        or [rule_id for rule_id in BY_ID if asked and asked in rule_id][:3]
    )
    hint = f"Did you mean {' or '.join(close)}?" if close else "All are listed by: rigwright explain"
    raise BadInput(f"There is no rule {word!r}. {hint}")


def _group(rule: Rule[Any]) -> str:
    """What the rules of one file are about, in the words of the file."""
    module = inspect.getmodule(rule.judge)
    return inspect.cleandoc(module.__doc__ or "").partition("\n")[0] if module else ""


def _evidence(rule: Rule[Any]) -> str:
    return "confirmed" if rule.confirmed else "not confirmed: it never fails a build"


def _as_dict(rule: Rule[Any]) -> dict[str, Any]:
    told = {"rule": rule.id, "group": _group(rule), "title": rule.title, "basis": rule.basis, "source": rule.source}
    return told | {"confirmed": rule.confirmed, "reads": list(rule.reads)}


def _print_all() -> None:
    wide, wider = (max(len(getattr(rule, name)) for rule in RULES) + 2 for name in ("id", "title"))
    for group, rules in groupby(RULES, key=_group):
        console.print(f"[bold]{escape(group)}[/]")
        for rule in rules:
            unconfirmed = "" if rule.confirmed else "[dim]not confirmed[/]"
            console.print(f"  {rule.id:<{wide}}{escape(f'{rule.title:<{wider}}')}{unconfirmed}")
    console.print(f"\n{len(RULES)} rules. One of them in full: rigwright explain {RULES[0].id}")


def _print_rule(rule: Rule[Any]) -> None:
    console.print(f"[bold]{escape(rule.title)}[/]  [dim]{rule.id}[/]\n")
    reads = [f"{category_words(category)}: {words}" for category, words in _read_words(rule)]
    for name, text in (
        ("Basis", rule.basis),
        ("Source", f"{rule.source} ({_evidence(rule)})"),
        ("Needs", ", ".join(category_words(category) for category in rule.requires)),
        ("Reads", "; ".join(reads) or "no figure of a part"),
    ):
        if text:
            console.print(f"{name:<8}{escape(text)}")


def _read_words(rule: Rule[Any]) -> list[tuple[Category, str]]:
    pairs = sorted((name.split(".") for name in rule.reads), key=lambda pair: list(Category).index(Category(pair[0])))
    return [
        (Category(category), ", ".join(field_words(field) for _, field in group))
        for category, group in groupby(pairs, key=lambda pair: pair[0])
    ]
