"""Figures as people write them down: "38,7", "~45", "26-27", a minus sign that is no hyphen."""

from __future__ import annotations

import re

NUMBER = r"\d{1,7}(?:\.\d{1,6})?"
"""A plain figure within a sentence; longer rows of digits are no figure that anybody measured."""
_ONE = r"[+-]?\d{1,12}(?:[.,]\d{1,9})?"
_PLAIN = re.compile(rf"({_ONE})(?:\s*(?:-|to|\.\.)\s*({_ONE}))?")
_ABOUT = re.compile(r"^(?:~|≈|about|ca\.?|approx\.?)\s*", re.IGNORECASE)
_BOUND = re.compile(r"^(?:<|>|≤|≥|below|above|up to|at least|at most)", re.IGNORECASE)
_DASHES = str.maketrans({"−": "-", "–": "-", "—": "-", "\N{NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " "})
_THOUSANDS = re.compile(r"[+-]?\d{1,3},\d{3}")


class NotAFigure(ValueError):
    """The sentence says why not."""


def figure(text: str, unit: str = "") -> float:
    """The figure that a cell states, `unit` behind it or not; the middle of a range.

    Raises NotAFigure for everything else, bounds and ambiguous commas among it.
    """
    plain = text.translate(_DASHES).strip()
    if not plain:
        raise NotAFigure("is empty")
    if _BOUND.match(plain):
        raise NotAFigure(f"is {text!r}, which is a bound and no figure")
    plain = _ABOUT.sub("", plain)
    if unit and plain.lower().endswith(unit.lower()):
        plain = plain[: -len(unit)].rstrip()
    found = _PLAIN.fullmatch(plain)
    if found is None:
        raise NotAFigure(f"is {text!r}, which is no number")
    ends = [end for end in found.groups() if end]
    if any(_THOUSANDS.fullmatch(end) for end in ends):
        raise NotAFigure(f"is {text!r}, whose comma may part thousands or decimals; write a point or no comma")
    values = [float(end.replace(",", ".")) for end in ends]
    return sum(values) / len(values)
