"""Sentences for findings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from core.parts.figures import field_words
from core.plan.build import Build
from core.rules.context import RuleContext
from core.words import clauses, english, enumerated, listed, tr, trn


def figure_words(machine: RuleContext, figures: Iterable[str]) -> str:
    """Names unknown figures by part: "length and height of ASUS X are unknown"."""
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    if not pairs:
        return tr("a figure is unknown")
    many = len(pairs) > 1 or _is_plural(pairs[0][1])
    stated = [_is_stated(machine, *pair) for pair in pairs]
    names, count = figures_listed(machine, figures), 2 if many else 1
    if all(stated):
        return trn("{figures} is incomplete", "{figures} are incomplete", figures=names, count=count)
    if any(stated):
        fields = {"figures": names, "count": count}
        return trn("{figures} is unknown or incomplete", "{figures} are unknown or incomplete", **fields)
    return trn("{figures} is unknown", "{figures} are unknown", figures=names, count=count)


def _is_plural(field: str) -> bool:
    """Whether English names a figure in the plural: "power inputs", "fans of the case"."""
    words = str(english(field_words(field))).removesuffix(" in slots")
    return bool(re.search(r"s( of|$)", words))


def figures_listed(machine: RuleContext, figures: Iterable[str]) -> str:
    """Figures ("part-id.field") by part: "length and height of ASUS X; inlet of Corsair Y"."""
    phrases = []
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    for part_id, group in groupby(pairs, key=lambda pair: pair[0]):
        line = machine.build.line(part_id)
        fields = [field_words(field) for _, field in group]
        phrases.append(tr("{figures} of {part}", figures=listed(fields), part=line.part.title if line else part_id))
    return clauses(phrases)


def _is_stated(machine: RuleContext, part_id: str, field: str) -> bool:
    """Whether the part has the figure, and only a row or a piece of it is lacking."""
    line = machine.build.line(part_id)
    return line is not None and getattr(line.part.spec, field, None) is not None


def figures_by_part(build: Build, figures: Iterable[str]) -> list[tuple[str, str]]:
    """Title of each part and its figures ("part-id.field"): ("Maker X", "length, power limit")."""
    pairs = [figure.rpartition(".") for figure in sorted(set(figures))]
    titles = {line.part.id: line.part.title for line in build.lines}
    return [
        (titles.get(part_id, part_id), enumerated([field_words(field) for _, _, field in group]))
        for part_id, group in groupby(pairs, key=lambda pair: pair[0])
    ]


def figure_phrase(build: Build, figures: Iterable[str]) -> str:
    """All in one phrase: "Maker X: length, power limit; Maker Y: height"."""
    return clauses([tr("{part}: {figures}", part=title, figures=of) for title, of in figures_by_part(build, figures)])
