"""Sentences for findings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from core.build.build import Build
from core.parts.figures import field_words
from core.parts.vocabulary import Category
from core.phrasing import count_of, listed, slots_words, verb
from core.rules.context import RuleContext

__all__ = [
    "category_words",
    "count_of",
    "figure_phrase",
    "figure_words",
    "figures_by_part",
    "figures_listed",
    "listed",
    "slots_words",
    "verb",
]


def figure_words(machine: RuleContext, figures: Iterable[str]) -> str:
    """Names unknown figures by part: "length and height of ASUS X are unknown"."""
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    if not pairs:
        return "a figure is unknown"
    many = len(pairs) > 1 or bool(re.search(r"s( of|$)", field_words(pairs[0][1]).removesuffix(" in slots")))
    stated = [_is_stated(machine, *pair) for pair in pairs]
    state = "incomplete" if all(stated) else "unknown or incomplete" if any(stated) else "unknown"
    return f"{figures_listed(machine, figures)} {'are' if many else 'is'} {state}"


def figures_listed(machine: RuleContext, figures: Iterable[str]) -> str:
    """Figures ("part-id.field") by part: "length and height of ASUS X; inlet of Corsair Y"."""
    phrases = []
    pairs = [figure.rsplit(".", 1) for figure in sorted(figures)]
    for part_id, group in groupby(pairs, key=lambda pair: pair[0]):
        line = machine.build.line(part_id)
        fields = [field_words(field) for _, field in group]
        phrases.append(f"{listed(fields)} of {line.part.title if line else part_id}")
    return "; ".join(phrases)


def _is_stated(machine: RuleContext, part_id: str, field: str) -> bool:
    """Whether the part has the figure, and only a row or a piece of it is lacking."""
    line = machine.build.line(part_id)
    return line is not None and getattr(line.part.spec, field, None) is not None


def figures_by_part(build: Build, figures: Iterable[str]) -> list[tuple[str, str]]:
    """Title of each part and its figures ("part-id.field"): ("Maker X", "length, power limit")."""
    pairs = [figure.rpartition(".") for figure in sorted(set(figures))]
    titles = {line.part.id: line.part.title for line in build.lines}
    return [
        (titles.get(part_id, part_id), ", ".join(field_words(field) for _, _, field in group))
        for part_id, group in groupby(pairs, key=lambda pair: pair[0])
    ]


def figure_phrase(build: Build, figures: Iterable[str]) -> str:
    """All in one phrase: "Maker X: length, power limit; Maker Y: height"."""
    return "; ".join(f"{title}: {fields}" for title, fields in figures_by_part(build, figures))


def category_words(category: Category) -> str:
    """A category within a sentence: "motherboard", but "CPU cooler"."""
    label = category.label
    return label if label[1].isupper() else label[0].lower() + label[1:]
