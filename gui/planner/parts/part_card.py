"""Everything known about a part: its figures, how well each is supported, and where it was read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from pydantic import BaseModel
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QWidget

from core.parts.figure import YEARS
from core.parts.figures import field_words
from core.parts.money import AS_THEY_ARE, MoneyTerms
from core.parts.own import Correction
from core.parts.part import BESIDE, Evidence, Origin, Part, Price, Source
from core.parts.price_ageing import carried
from core.parts.price_today import full_words
from core.parts.specs import ConnectorCount
from core.words import Worded, joined, tr
from core.words.units import counted, unit_of
from gui.planner.parts.evidence import ATTRIBUTION, evidence_of, is_from_opendb, origin_words, support_words
from gui.planner.parts.figure_names import rounded
from gui.widgets.figures import DASH, UNKNOWN, price_of_one
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.text import escaped
from gui.widgets.theme import theme
from gui.widgets.units import measure, unit_here, value_here
from gui.widgets.views import open_at

COLOURS = {Evidence.CONFIRMED: "pass", Evidence.UNCONFIRMED: "warn", Evidence.UNKNOWN: "unknown"}
SIGNS = {Evidence.CONFIRMED: "✓", Evidence.UNCONFIRMED: "~", Evidence.UNKNOWN: UNKNOWN}
SHORT = 34
"""Characters of a source's title that are shown beside a figure; the whole title is given below."""


def shown(value: object) -> str:
    """A value as text, unknown as a question mark, nothing as a dash."""
    match value:
        case None:
            return UNKNOWN
        case Worded():
            return value.label
        case bool():
            return tr("yes") if value else tr("no")
        case int() | float():
            return rounded(value)
        case ConnectorCount():
            return f"{value.count} × {shown(value.kind)}"
        case BaseModel():
            return joined((_named(key, item) for key, item in value if item not in (None, (), False)), ", ")
        case tuple() | list():
            return joined(map(shown, value), "; ") or DASH
        case dict():
            return joined((f"{shown(key)} {shown(item)}" for key, item in value.items()), ", ")
    return str(value)


def _named(field: str, item: object) -> str:
    figure, unit = _here(field, item)
    name = field_words(field)
    return f"{name} {figure} {'' if unit == name else unit}".strip()


def _here(field: str, value: object) -> tuple[str, str]:
    """A value and its unit as the window shows them."""
    if not isinstance(value, (int, float)):
        return shown(value), ""
    unit = unit_of(field)
    if measure(unit):
        return shown(value_here(value, unit)), unit_here(unit)
    return shown(value), counted(value, unit) if unit else ""


class PartCard(QDialog):
    """A table of figures with their sources; unknown ones are listed too, because a gap is worth knowing."""

    correction_wanted = Signal(str)
    """The user knows a figure better; carries the part's id. The card has closed by then."""

    def __init__(
        self,
        part: Part,
        parent: QWidget | None = None,
        *,
        correction: Correction | None = None,
        terms: MoneyTerms = AS_THEY_ARE,
    ) -> None:
        super().__init__(parent)
        self._terms = terms
        self._part = part
        self._correction = correction
        self.setWindowTitle(part.title)
        open_at(self, 760, 600)
        self.text = QTextBrowser(self)
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(tr("Figures and sources of {part}", part=part.title))
        self.text.setHtml(self._html())
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        correct = buttons.addButton(tr("Correct …"), QDialogButtonBox.ButtonRole.ActionRole)
        correct.setAutoDefault(False)
        correct.clicked.connect(self._correct)
        column_of((self.text, 1), buttons, into=self, margins=8)

    @Slot()
    def _correct(self) -> None:
        self.accept()
        self.correction_wanted.emit(self._part.id)

    def _html(self) -> str:
        part = self._part
        left_out = ("category",) if part.used_price else ("category", "used_price")
        fields = [field for field in (*type(part.spec).model_fields, *BESIDE) if field not in left_out]
        headings = (tr("Figure"), tr("Value"), tr("Evidence"), tr("Source"))
        head = "".join(f"<th align='left'>{escaped(heading)}</th>" for heading in headings)
        rows = "".join(self._row(field) for field in fields)
        sources = "".join(
            f"<li value='{number}'>{_link(source, source.title)}{escaped(self._covered(source))}</li>"
            for number, source in enumerate(part.sources, start=1)
        )
        banners = "".join(f"<p>{escaped(sentence)}</p>" for sentence in self._banners())
        return (
            f"<h3>{escaped(part.title)}</h3><p>{escaped(self._counts())}</p>{banners}"
            f"<table cellspacing='0' style='margin-top: 8px' cellpadding='3' width='99%'><tr>{head}</tr>{rows}</table>"
            f"<h4>{escaped(tr('Sources'))}</h4><ol>{sources}</ol>"
        )

    def _counts(self) -> str:
        """The category, and how many figures there are of each support."""
        fields = [field for field in type(self._part.spec).model_fields if field != "category"]
        supported = [evidence_of(self._part, field) for field in fields]
        counts = (f"{supported.count(evidence)} {evidence.label}" for evidence in SIGNS)
        return " · ".join((self._part.category.label, *counts))

    def _banners(self) -> Iterator[str]:
        """Whose the part is, what it is to be credited to, and its note."""
        part = self._part
        if self._correction is not None:
            changed = joined(map(field_words, self._correction.spec), ", ") or tr("price or note")
            yield tr("You corrected this part: {figures}.", figures=changed)
        elif part.origin is Origin.USER:
            yield tr("This is a part of your own.")
        elif part.origin is Origin.IMPORTED:
            yield tr("{origin}. Its figures have not been checked.", origin=origin_words(part.origin))
        if part.origin is not Origin.IMPORTED and is_from_opendb(part):
            yield tr("Some of these figures are from {dataset}.", dataset=ATTRIBUTION)
        if part.note:
            yield part.note

    def _row(self, field: str) -> str:
        evidence = evidence_of(self._part, field)
        colour = theme().color(COLOURS[evidence]).name()
        support = f"{SIGNS[evidence]} {support_words(self._part, field)}"
        own = self._is_own(field)
        if own and evidence is not Evidence.UNKNOWN:
            support = tr("{support}, your figure", support=support)
        name = field_words(field)
        cells = (
            escaped(name[:1].upper() + name[1:]),
            escaped(self._value(field)),
            f"<font color='{colour}'>{escaped(support)}</font>",
            "" if evidence is Evidence.UNKNOWN or (field == "price" and own) else self._sources(field),
        )
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

    def _value(self, field: str) -> str:
        if field == "price":
            today = carried(self._part, date.today())
            listed = self._price(self._part.price) if self._part.price else UNKNOWN
            return joined((listed, tr("today about {price}", price=today.span())), "; ") if today else listed
        if field == "used_price":
            return self._price(self._part.used_price) if self._part.used_price else UNKNOWN
        if field == "year":
            return str(self._part.year or UNKNOWN)
        if field in BESIDE:
            return joined(self._part.part_numbers, ", ") or UNKNOWN
        if evidence_of(self._part, field) is Evidence.UNKNOWN:
            return UNKNOWN
        value = getattr(self._part.spec, field)
        if field in YEARS:
            return str(value)
        return " ".join(filter(None, _here(field, value)))

    def _price(self, listed: Price) -> str:
        shown = self._terms.shown(listed)
        if shown.currency == listed.currency:
            return full_words(shown)
        return tr("{price}; listed at {listed}", price=price_of_one(shown), listed=full_words(listed))

    def _is_own(self, field: str) -> bool:
        if field == "price":
            return self._part.price is not None and self._part.price.kind == "own"
        return self._correction is not None and field in self._correction.spec

    def _sources(self, field: str) -> str:
        """The sources of a figure by number and the beginning of their titles."""
        sources = list(self._part.sources)
        covering = ((sources.index(source) + 1, source) for source in self._part.sources_of(field))
        return "<br>".join(f"{number} · {_link(source, _shortened(source.title))}" for number, source in covering)

    def _covered(self, source: Source) -> str:
        named = joined(_stated_figures(source), ", ")
        return f" – {named}" if named else ""


def _stated_figures(source: Source) -> Iterator[str]:
    """The figures that a source covers, with what it says of them where that is noted."""
    for field in source.covered:
        value = (source.says or {}).get(field)
        words = " ".join(filter(None, _here(field, value)))
        yield field_words(field) if value is None else f"{field_words(field)} ({words})"


def _link(source: Source, text: str) -> str:
    return f'<a href="{escaped(source.url)}">{escaped(text)}</a>' if source.url else escaped(text)


def _shortened(title: str) -> str:
    return title if len(title) <= SHORT else f"{title[: SHORT - 1]}…"
