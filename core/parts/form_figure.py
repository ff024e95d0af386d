"""What an editor must know of a figure, read from the models, and figures as one types them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from core.parts.figure import Range, bare_type, declared
from core.parts.figures import deciding, field_words
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import joined, plain, tr, translated
from core.words.measures import System, measure_of, read_figure, read_number
from core.words.refusal import first_refusal
from core.words.units import counted, unit_of


class FieldKind(StrEnum):
    """How a figure is typed."""

    NUMBER = "number"
    WHOLE = "whole number"
    YES_NO = "yes or no"
    TEXT = "text"
    CHOICE = "one of a list"
    CHOICES = "some of a list"
    WORDS = "several words"
    WIDTHS = "names with numbers"
    TABLE = "rows"


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A value of a closed list and its word for people."""

    value: str | int
    label: str


@dataclass(frozen=True, slots=True)
class FormFigure:
    """A field of a spec, or of a row within one. Values are as in a part file: plain, None is unknown."""

    name: str
    label: str
    unit: str
    kind: FieldKind
    default: Any
    """What no entry means: None is unknown."""
    needed: bool
    """Whether there is no part without it."""
    choices: tuple[FieldChoice, ...]
    columns: tuple[FormFigure, ...]
    """Of a table."""
    limits: Range | None
    """Outside of it no part was ever sold."""
    meaning: str
    adapter: TypeAdapter[Any]

    @property
    def can_be_unknown(self) -> bool:
        """Whether None is a value of it."""
        return self.default is None and not self.needed

    @property
    def heading(self) -> str:
        """The name with its unit."""
        if self.unit and self.unit not in self.label.lower():
            return f"{self.label}, {counted(2, self.unit)}"
        return self.label


@cache
def form_figures_of(category: Category) -> tuple[FormFigure, ...]:
    """All figures of a category; those that decide come first."""
    figures = {figure.name: figure for figure in _figures(spec_model(category))}
    first = deciding(category)
    return tuple(figures[name] for name in (*first, *(name for name in figures if name not in first)))


def decides(category: Category, name: str) -> bool:
    """Whether rules and predictions cannot do without the figure."""
    return name in deciding(category)


def _figures(model: type[BaseModel]) -> tuple[FormFigure, ...]:
    return tuple(_figure(name, model.model_fields[name], one.within) for name, one in declared(model).items())


def _figure(name: str, info: FieldInfo, limits: Range | None) -> FormFigure:
    kind, inner = _kind(info.annotation)
    words = field_words(name)
    whole: Any = info.annotation
    if info.metadata:
        whole = Annotated.__class_getitem__((whole, *info.metadata))  # type: ignore[attr-defined]
    adapter: TypeAdapter[Any] = TypeAdapter(whole)
    default = None if info.is_required() else adapter.dump_python(info.default, mode="json")
    return FormFigure(
        name=name,
        label=words[0].upper() + words[1:],
        unit="" if kind is FieldKind.TABLE else unit_of(name),
        kind=kind,
        default=default,
        needed=info.is_required(),
        choices=_choices(inner) if kind in (FieldKind.CHOICE, FieldKind.CHOICES) else (),
        columns=_figures(inner) if kind is FieldKind.TABLE else (),
        limits=limits,
        meaning=translated(" ".join(info.description.split())) if info.description else "",
        adapter=adapter,
    )


_PLAIN_KINDS = {bool: FieldKind.YES_NO, float: FieldKind.NUMBER, int: FieldKind.WHOLE, str: FieldKind.TEXT}


def _kind(annotation: Any) -> tuple[FieldKind, Any]:
    """How it is typed, and the type that says more: of the choices or of the rows."""
    bare = bare_type(annotation)
    origin = get_origin(bare)
    if origin is tuple:
        member = bare_type(get_args(bare)[0])
        if member is str:
            return FieldKind.WORDS, member
        return (FieldKind.TABLE if issubclass(member, BaseModel) else FieldKind.CHOICES), member
    if origin is dict:
        return FieldKind.WIDTHS, bare
    if origin is Literal or issubclass(bare, StrEnum):
        return FieldKind.CHOICE, bare
    return _PLAIN_KINDS[bare], bare


def _choices(inner: Any) -> tuple[FieldChoice, ...]:
    if get_origin(inner) is Literal:
        return tuple(FieldChoice(value, str(value)) for value in get_args(inner))
    return tuple(FieldChoice(one.value, one.label) for one in inner)


def amount_figure() -> FormFigure:
    """The amount of a price, typed like a figure."""
    return FormFigure(
        "amount", tr("Amount"), "", FieldKind.NUMBER, None, False, (), (), (0.01, 1e8), "", TypeAdapter(float | None)
    )


BETWEEN = ";"
MAX_TEXT = 400


def shown(figure: FormFigure, value: Any, system: System = System.METRIC) -> str:
    """A value for people; unknown is empty. Rows of tables stay metric."""
    if value is None:
        return ""
    match figure.kind:
        case FieldKind.NUMBER | FieldKind.WHOLE:
            measure = measure_of(figure.unit, system)
            return plain("{value:.10g}", value=round(measure.shown(value), 4) if measure else value)
        case FieldKind.YES_NO:
            return tr("yes") if value else tr("no")
        case FieldKind.CHOICE:
            return _label(figure, value)
        case FieldKind.CHOICES:
            return joined((_label(figure, one) for one in value), ", ")
        case FieldKind.WORDS:
            return f"{BETWEEN} ".join(value)
        case FieldKind.WIDTHS:
            return f"{BETWEEN} ".join(f"{name}={width}" for name, width in value.items())
        case FieldKind.TABLE:
            return f" {BETWEEN} ".join(row_text(figure, row) for row in value) or tr("none")
        case _:
            return str(value)


def row_text(figure: FormFigure, row: dict[str, Any]) -> str:
    """A row of a table in one line: what differs from its defaults."""
    cells = ((column, row.get(column.name)) for column in figure.columns)
    return " ".join(shown(column, value) for column, value in cells if value not in (None, (), [], False))


def typed(figure: FormFigure, text: str, system: System = System.METRIC) -> Any:
    """The value of a text, metric; an empty one is the default. Raises BadInput.

    A figure without a unit is of the system's; "12 in" is one of inches in any.
    """
    text = text.strip()
    if not text:
        if figure.needed:
            raise BadInput(tr("This is required."))
        return figure.default
    if len(text) > MAX_TEXT:
        raise BadInput(tr("At most {count} characters.", count=MAX_TEXT))
    match figure.kind:
        case FieldKind.NUMBER:
            return checked(figure, _number(figure, text, system))
        case FieldKind.WHOLE:
            return checked(figure, _whole(figure, text, system))
        case FieldKind.WORDS:
            return checked(figure, [word.strip() for word in text.split(BETWEEN) if word.strip()])
        case FieldKind.WIDTHS:
            return checked(figure, _widths(text))
        case FieldKind.YES_NO | FieldKind.CHOICE:
            return checked(figure, _chosen(figure, text))
        case _:
            return checked(figure, text)


def checked(figure: FormFigure, value: Any) -> Any:
    """The plain value, if the models take it and it is plausible. Raises BadInput."""
    _require_plausible(figure, value)
    try:
        return figure.adapter.dump_python(figure.adapter.validate_python(value), mode="json")
    except ValidationError as error:
        steps = error.errors()[0]["loc"]
        place = joined((str(step + 1) if isinstance(step, int) else str(step) for step in steps), ", ")
        sentence = f"{first_refusal(error)[1]}."
        raise BadInput(f"{place}: {sentence}" if place else sentence) from error


def _require_plausible(figure: FormFigure, value: Any) -> None:
    if figure.limits is None or not isinstance(value, (int, float)):
        return
    low, high = figure.limits
    if not low <= value <= high:
        raise BadInput(
            tr(
                "{value:.10g} cannot be right: it must be between {low:g} and {high}. Check the unit.",
                value=value,
                low=low,
                high=plain("{high:g} {unit}", high=high, unit=figure.unit)
                if figure.unit
                else plain("{high:g}", high=high),
            )
        )


def range_text(figure: FormFigure, system: System = System.METRIC) -> str:
    """The plausible range with the unit, or the unit alone."""
    measure = measure_of(figure.unit, system)
    unit = measure.unit if measure else figure.unit
    if figure.limits is None:
        return unit
    low, high = (float(f"{measure.shown(end):.4g}") if measure else end for end in figure.limits)
    return str(plain("{low:g} – {high:g} {unit}", low=low, high=high, unit=counted(high, unit))).strip()


def _label(figure: FormFigure, value: Any) -> str:
    return next((choice.label for choice in figure.choices if choice.value == value), str(value))


def _chosen(figure: FormFigure, text: str) -> Any:
    if figure.kind is FieldKind.YES_NO:
        answers: dict[str, bool] = {tr("yes"): True, tr("no"): False}
        if text.lower() not in answers:
            raise BadInput(tr("Write yes or no."))
        return answers[text.lower()]
    for choice in figure.choices:
        if _bare(text) in (_bare(choice.label), _bare(str(choice.value))):
            return choice.value
    choices = joined((choice.label for choice in figure.choices), ", ")
    raise BadInput(tr("{text} is none of: {known}.", text=text, known=choices))


def _bare(text: str) -> str:
    """A word however it is typed: "open-air", "open air", "open_air"."""
    return text.lower().replace("-", " ").replace("_", " ")


def _number(figure: FormFigure, text: str, system: System) -> float:
    value = read_figure(text, figure.unit, system)
    return round(value, 6) if measure_of(figure.unit, System.US) else value


def _whole(figure: FormFigure, text: str, system: System) -> int:
    value = read_figure(text, figure.unit, system)
    if measure_of(figure.unit, system) or not text.strip()[-1:].isdecimal():
        return round(value)  # of another unit: the nearest
    return _whole_number(value, text)


def _whole_number(value: float, text: str) -> int:
    if not value.is_integer():
        raise BadInput(tr("{text} is not a whole number.", text=text))
    return int(value)


def _widths(text: str) -> dict[str, int]:
    made = {}
    for term in text.split(BETWEEN):
        name, sign, value = term.rpartition("=")
        if not sign or not name.strip():
            raise BadInput(tr("Write a slot and its lanes, such as PCIE2=8; PCIE3=0."))
        made[name.strip()] = _whole_number(read_number(value), value)
    return made
