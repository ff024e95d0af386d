"""The parts that a search found, with or without those that would not do in the build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gui.planner.figures import number
from gui.planner.fitting import Fitting
from gui.planner.parts_search import LIMIT

if TYPE_CHECKING:
    from core.parts.catalogue import Hit

TYPED_MOST, MOST = 700, 8000
"""Parts to look through for those that fit: fewer while somebody types."""
FIRST_ROWS = 60
"""Marks are wanted for the categories of these: a list of all categories would ask for every one of them."""


class FitList:
    """`only` leaves out what does not fit."""

    def __init__(self, fitting: Fitting) -> None:
        self._fitting = fitting
        self._fit = 0
        self.hits: list[Hit] = []
        self.only = False

    def most(self, words: str) -> int:
        """How many parts a search is to find: of many that do not fit, few are listed."""
        if not self.only:
            return LIMIT
        return TYPED_MOST if words.strip() else MOST

    def take(self, hits: list[Hit]) -> None:
        """What a search found."""
        self.hits = hits
        looked_at = hits if self.only else hits[:FIRST_ROWS]
        self._fitting.want(hit.category for hit in looked_at)

    def shown(self) -> list[Hit]:
        """What is to be listed, as far as is known which fit."""
        fitting = [hit for hit in self.hits if not (self.only and self._fitting.obstacle(hit.category, hit.id))]
        self._fit = len(fitting)
        return fitting[:LIMIT]

    def words(self, found: str) -> str:
        """How many were found, and how many of them fit."""
        if not self.only:
            return found
        translate = QCoreApplication.translate
        if self._fitting.busy:
            return translate("FitList", "{found}, trying which fit …").format(found=found)
        return translate("FitList", "{found}, {count} fit").format(found=found, count=number(self._fit))
