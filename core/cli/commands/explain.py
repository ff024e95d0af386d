"""The command that says what a rule rests on."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from itertools import groupby
from typing import Annotated, Any

import typer

from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.figures import field_words
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.present.report.document import Block, Heading, KeyValues, table
from core.present.report.terminal import print_blocks
from core.rules.registry import BY_ID, RULES
from core.rules.rule import Rule
from core.words import joined, plain, tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("explain", help=tr("Explain a rule: what it compares, where that comes from, which figures it reads."))(
        explain
    )


def explain(
    rule: Annotated[str | None, typer.Argument(help=tr("A rule, as a finding names it. Default: list all."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    del folder  # the rules are part of the program
    chosen = RULES if rule is None else (rule_named(rule),)
    if as_json:
        rows = [_as_dict(one) for one in chosen]
        print_json(rows if rule is None else rows[0])
    elif rule is None:
        _print_all()
    else:
        _print_rule(chosen[0])


def rule_named(word: str) -> Rule[Any]:
    """The rule of this id. Raises BadInput that names those like it."""
    if word in BY_ID:
        return BY_ID[word]
    slug = word.lower().replace(" ", "-").replace("_", "-")
    close = (
        get_close_matches(slug, BY_ID, n=3, cutoff=0.75)
        or [rule_id for rule_id in BY_ID if slug and slug in rule_id][:3]
    )
    hint = tr("Did you mean {rules}?", rules=_either(close)) if close else tr("List all with: rigwright explain")
    raise BadInput(joined([tr("There is no rule {word!r}.", word=word), hint]))


def _either(items: list[str]) -> str:
    """a or b or c."""
    first = items[0]
    for item in items[1:]:
        first = tr("{items} or {item}", items=first, item=item)
    return first


def _group(rule: Rule[Any]) -> str:
    """What the rules of one file are about, in the words of the file."""
    module = inspect.getmodule(rule.judge)
    return inspect.cleandoc(module.__doc__ or "").partition("\n")[0] if module else ""


def _evidence(rule: Rule[Any]) -> str:
    return tr("confirmed") if rule.confirmed else tr("not confirmed: it never fails a build")


def _as_dict(rule: Rule[Any]) -> dict[str, Any]:
    fields = {"rule": rule.id, "group": _group(rule), "title": rule.title, "basis": rule.basis, "source": rule.source}
    return fields | {"confirmed": rule.confirmed, "reads": list(rule.reads)}


def _print_all() -> None:
    blocks: list[Block] = []
    for group, rules in groupby(RULES, key=_group):
        rows = ((rule.id, rule.title, "" if rule.confirmed else tr("not confirmed")) for rule in rules)
        blocks += (Heading(group), table(("", "", ""), rows))
    print_blocks(console, blocks)
    console.print(
        "\n" + tr("{number} rules. One of them in full: rigwright explain {rule}", number=len(RULES), rule=RULES[0].id)
    )


def _print_rule(rule: Rule[Any]) -> None:
    title = plain("{title}  ({rule})", title=rule.title, rule=rule.id)
    reads = [
        plain("{category}: {figures}", category=category.phrase, figures=words) for category, words in _read_words(rule)
    ]
    rows = (
        (tr("Basis"), rule.basis),
        (tr("Source"), f"{rule.source} ({_evidence(rule)})"),
        (tr("Needs"), joined((category.phrase for category in rule.requires), ", ")),
        (tr("Reads"), joined(reads, "; ") if reads else tr("no figure of a part")),
    )
    print_blocks(console, [Heading(title), KeyValues(tuple(row for row in rows if row[1]))])


def _read_words(rule: Rule[Any]) -> list[tuple[Category, str]]:
    pairs = sorted((name.split(".") for name in rule.reads), key=lambda pair: list(Category).index(Category(pair[0])))
    return [
        (Category(category), joined((field_words(field) for _, field in group), ", "))
        for category, group in groupby(pairs, key=lambda pair: pair[0])
    ]
