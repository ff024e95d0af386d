"""Figures named "part-id.field" in words, grouped by part."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from core.build.build import Build
from core.rules.words import field_words


def figures_by_part(build: Build, figures: Iterable[str]) -> list[tuple[str, str]]:
    """Title of each part and its figures: ("Maker X", "length, power limit")."""
    pairs = [figure.rpartition(".") for figure in sorted(set(figures))]
    return [
        (_title(build, part_id), ", ".join(field_words(field) for _, _, field in group))
        for part_id, group in groupby(pairs, key=lambda pair: pair[0])
    ]


def figure_phrase(build: Build, figures: Iterable[str]) -> str:
    """All in one phrase: "Maker X: length, power limit; Maker Y: height"."""
    return "; ".join(f"{title}: {fields}" for title, fields in figures_by_part(build, figures))


def _title(build: Build, part_id: str) -> str:
    line = build.line(part_id)
    return line.part.title if line else part_id
