"""How a list says whether parts fit."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from core.advise.verdict import State, Verdict
from core.parts.vocabulary import Category
from gui.planner.figures import number

translate = QCoreApplication.translate
ICONS = {State.WARNS: "warn", State.UNKNOWN: "unknown", State.DOES_NOT: "fail"}
"""The status whose icon marks a part."""


def state_words(state: State) -> str:
    """Of one part."""
    match state:
        case State.FITS:
            return translate("Fit", "fits")
        case State.WARNS:
            return translate("Fit", "fits with warnings")
        case State.UNKNOWN:
            return translate("Fit", "cannot be told")
        case State.DOES_NOT:
            return translate("Fit", "does not fit")


def count_words(counts: Mapping[State, int]) -> str:
    """Of several parts: "12 fit · 4 with warnings · 20 cannot be told · 3 do not fit"; of what none is, only the first
    is said."""
    words = {
        State.FITS: translate("Fit", "{count} fit"),
        State.WARNS: translate("Fit", "{count} with warnings"),
        State.UNKNOWN: translate("Fit", "{count} cannot be told"),
        State.DOES_NOT: translate("Fit", "{count} do not fit"),
    }
    told = (state for state in State if counts[state] or state is State.FITS)
    return " · ".join(words[state].format(count=number(counts[state])) for state in told)


def figures_of(verdict: Verdict, category: Category) -> str:
    """The figures that decide; empty if there are none."""
    return verdict.reason.figures(category) if verdict.reason else ""


def sentence_of(verdict: Verdict, title: str) -> str:
    """What check would say first; empty where there is nothing to say."""
    return verdict.reason.sentence(title) if verdict.reason else ""
