"""How shipped parts have a structured figure, for the user to go by."""

from __future__ import annotations

from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from gui.parts.entered import plain_figures
from gui.parts.figure import Figure
from gui.parts.table_dialog import Example


class Examples:
    """Reads the shipped parts of a category once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._parts: dict[Category, list[Part]] = {}

    def of(self, category: Category, figure: Figure) -> Example | None:
        """The shipped part with the most rows of it, within reason; None if no part has any."""
        if category not in self._parts:
            self._parts[category] = list(self._catalogue.parts(origin=Origin.SHIPPED, category=category))
        having = [part for part in self._parts[category] if getattr(part.spec, figure.name)]
        if not having:
            return None
        best = max(having, key=lambda part: len(getattr(part.spec, figure.name)))
        return Example(best.title, plain_figures(best)[figure.name])
