"""Figures as one types them, and back. What cannot be is refused in a sentence."""

from __future__ import annotations

import math
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QCoreApplication

from core.errors import BadInput
from core.refusal import first_refusal
from gui.parts.figure import Figure, Kind

BETWEEN = ";"
MAX_TEXT = 400


def shown(figure: Figure, value: Any) -> str:
    """A value for people; unknown is empty."""
    if value is None:
        return ""
    match figure.kind:
        case Kind.NUMBER | Kind.WHOLE:
            return f"{value:.10g}"
        case Kind.YES_NO:
            return _translate("yes") if value else _translate("no")
        case Kind.CHOICE:
            return _label(figure, value)
        case Kind.CHOICES:
            return ", ".join(_label(figure, one) for one in value)
        case Kind.WORDS:
            return f"{BETWEEN} ".join(value)
        case Kind.WIDTHS:
            return f"{BETWEEN} ".join(f"{name}={width}" for name, width in value.items())
        case Kind.TABLE:
            return f" {BETWEEN} ".join(row_text(figure, row) for row in value) or _translate("none")
        case _:
            return str(value)


def row_text(figure: Figure, row: dict[str, Any]) -> str:
    """A row of a table in one line: what differs from its defaults."""
    told = ((column, row.get(column.name)) for column in figure.columns)
    return " ".join(shown(column, value) for column, value in told if value not in (None, (), [], False))


def typed(figure: Figure, text: str) -> Any:
    """The value of a text; an empty one is the default. Raises BadInput."""
    text = text.strip()
    if not text:
        if figure.needed:
            raise BadInput(_translate("This is needed."))
        return figure.default
    if len(text) > MAX_TEXT:
        raise BadInput(_translate("At most {count} characters.").format(count=MAX_TEXT))
    match figure.kind:
        case Kind.NUMBER:
            return checked(figure, _number(text))
        case Kind.WHOLE:
            return checked(figure, _whole(text))
        case Kind.WORDS:
            return checked(figure, [word.strip() for word in text.split(BETWEEN) if word.strip()])
        case Kind.WIDTHS:
            return checked(figure, _widths(text))
        case Kind.YES_NO | Kind.CHOICE:
            return checked(figure, _chosen(figure, text))
        case _:
            return checked(figure, text)


def checked(figure: Figure, value: Any) -> Any:
    """The plain value, if the models take it and it is plausible. Raises BadInput."""
    _require_plausible(figure, value)
    try:
        return figure.adapter.dump_python(figure.adapter.validate_python(value), mode="json")
    except ValidationError as error:
        steps = error.errors()[0]["loc"]
        place = ", ".join(str(step + 1) if isinstance(step, int) else str(step) for step in steps)
        sentence = f"{first_refusal(error)[1]}."
        raise BadInput(f"{place}: {sentence}" if place else sentence) from error


def _require_plausible(figure: Figure, value: Any) -> None:
    if figure.limits is None or not isinstance(value, (int, float)):
        return
    low, high = figure.limits
    if not low <= value <= high:
        raise BadInput(
            _translate("{value} cannot be right: it lies between {low} and {high} {unit}. Check the unit.")
            .format(value=f"{value:.10g}", low=f"{low:g}", high=f"{high:g}", unit=figure.unit)
            .replace(" .", ".")
        )


def range_text(figure: Figure) -> str:
    """The plausible range with the unit, or the unit alone."""
    if figure.limits is None:
        return figure.unit
    low, high = figure.limits
    return f"{low:g} – {high:g} {figure.unit}".strip()


def _label(figure: Figure, value: Any) -> str:
    return next((choice.label for choice in figure.choices if choice.value == value), str(value))


def _chosen(figure: Figure, text: str) -> Any:
    if figure.kind is Kind.YES_NO:
        answers = {_translate("yes"): True, _translate("no"): False}
        if text.lower() not in answers:
            raise BadInput(_translate("Write yes or no."))
        return answers[text.lower()]
    for choice in figure.choices:
        if _bare(text) in (_bare(choice.label), _bare(str(choice.value))):
            return choice.value
    known = ", ".join(choice.label for choice in figure.choices)
    raise BadInput(_translate("{text} is none of: {known}.").format(text=text, known=known))


def _bare(text: str) -> str:
    """A word however it is typed: "open-air", "open air", "open_air"."""
    return text.lower().replace("-", " ").replace("_", " ")


def _number(text: str) -> float:
    bare = "".join(text.split())
    if "," in bare:
        raise BadInput(_translate("Write a point before decimals and no mark between thousands, such as 1600 or 2.7."))
    try:
        value = float(bare)
    except ValueError as error:
        raise BadInput(_translate("{text} is no number.").format(text=text)) from error
    if not math.isfinite(value):
        raise BadInput(_translate("{text} is no number.").format(text=text))
    return value


def _whole(text: str) -> int:
    value = _number(text)
    if not value.is_integer():
        raise BadInput(_translate("{text} is no whole number.").format(text=text))
    return int(value)


def _widths(text: str) -> dict[str, int]:
    made = {}
    for term in text.split(BETWEEN):
        name, sign, value = term.rpartition("=")
        if not sign or not name.strip():
            raise BadInput(_translate("Write a slot and its lanes, such as PCIE2=8; PCIE3=0."))
        made[name.strip()] = _whole(value)
    return made


def _translate(text: str) -> str:
    return QCoreApplication.translate("Figures", text)
