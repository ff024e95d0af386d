"""A figure that the list can be narrowed by: a section that opens on choices and a range."""

from __future__ import annotations

from math import ceil, floor, log10

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPalette, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QGridLayout, QSizePolicy, QToolButton, QWidget

from core.parts.facets import PRICE_FIGURES, Facet, FacetChoice
from core.parts.query import Filter
from core.words import tr
from core.words.units import unit_of
from gui.planner.parts.figure_names import figure_name, figure_unit, heading, value_words
from gui.widgets.figures import DASH, number
from gui.widgets.flow import Columns
from gui.widgets.form import column_of
from gui.widgets.text import Label, tip
from gui.widgets.units import FigureSpin

FEW = 10
"""So many choices are shown at once; the rest on demand."""
MAX_NUMBERS = 24
"""More different numbers than this are only a range."""
COUNTABLE = 6
"""So few different numbers need no range."""
MAX_TEXT = 30
MAX_DECIMALS = 4


class FilterSection(QWidget):
    """`limited(Filter)` when the user chose; `unfolded(field, on)` when it was opened or closed."""

    limited = Signal(object)
    unfolded = Signal(str, bool)

    def __init__(self, field: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._facet: Facet | None = None
        self._limit: Filter | None = None
        self._currency = ""
        self._all = False
        self._shown: tuple[str | float, ...] = ()
        self.boxes: dict[str | float, QCheckBox] = {}
        self.heading = self._heading()
        self.range = RangeRow(field, self)
        self._choices = _Choices(self)
        self.more = QToolButton(self)
        self.more.setAutoRaise(True)
        self.more.clicked.connect(self._show_all)
        self.range.changed.connect(self._choose)
        self._body = QWidget(self)
        body = (self.range, self._choices, self.more)
        column_of(*body, into=self._body, margins=(20, 0, 8, 8), spacing=4)
        column_of(self.heading, self._body, into=self, spacing=0)
        self._body.hide()

    def show_facet(self, facet: Facet, limit: Filter | None, currency: str) -> None:
        """What there is now and what is set. A closed section is filled when it is opened."""
        self._facet, self._limit, self._currency = facet, limit, currency
        self.heading.setText(self._title())
        self._name_heading()
        words = tr("Known for {count} parts; a limit leaves out those without this figure", count=number(facet.parts))
        self.heading.setToolTip(words)
        if self.is_open:
            self._fill()

    @property
    def is_open(self) -> bool:
        """Whether its choices are shown."""
        return not self._body.isHidden()

    def unfold(self, on: bool) -> None:
        """Opens or closes it."""
        if on == self.is_open:
            return
        self.heading.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self._body.setVisible(on)
        self._name_heading()
        if on:
            self._fill()
        self.unfolded.emit(self.field, on)

    def tab_stops(self) -> list[QWidget]:
        """What the keyboard goes through, from the top."""
        if not self.is_open:
            return [self.heading]
        return [self.heading, self.range.low, self.range.high, *self.boxes.values(), self.more]

    def _heading(self) -> QToolButton:
        heading = QToolButton(self)
        heading.setAutoRaise(True)
        heading.setArrowType(Qt.ArrowType.RightArrow)
        heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        heading.clicked.connect(self._toggle)
        return heading

    def _title(self) -> str:
        title = heading(self.field, self._currency)
        return f"{title} •" if self._limit is not None else title

    def _name_heading(self) -> None:
        state = tr("open") if self.is_open else tr("closed")
        self.heading.setAccessibleName(f"{self._title()}, {state}")

    @Slot()
    def _toggle(self) -> None:
        self.unfold(not self.is_open)

    @Slot()
    def _show_all(self) -> None:
        self._all = True
        self._fill()
        if self.boxes:
            next(iter(self.boxes.values())).setFocus()

    @Slot()
    def _choose(self) -> None:
        values = tuple(value for value, box in self.boxes.items() if box.isChecked())
        low, high = self.range.ends() if not self.range.isHidden() else (None, None)
        self.limited.emit(Filter(self.field, values, low, high))

    def _fill(self) -> None:
        facet, limit = self._facet, self._limit
        if facet is None:
            return
        ranged = limit is not None and (limit.low is not None or limit.high is not None)
        countable = 0 < len(facet.choices) <= COUNTABLE and self.field not in PRICE_FIGURES
        has_range = facet.low is not None and (ranged or not countable)
        self.range.setVisible(has_range)
        if has_range:
            self.range.show_range(facet, limit, figure_unit(self.field, self._currency))
        offered = self._offered(facet)
        self._choices.setVisible(bool(offered))
        self._show_choices(offered)
        hidden = len(self._possible(facet)) - len(offered)
        self.more.setVisible(hidden > 0)
        self.more.setText(tr("Show {count} more", count=hidden))

    def _possible(self, facet: Facet) -> list[FacetChoice]:
        """What can be offered one by one, with what is chosen though no part has it now."""
        many = facet.low is not None and (self.field in PRICE_FIGURES or len(facet.choices) > MAX_NUMBERS)
        there = [] if many else list(facet.choices)
        chosen = self._limit.values if self._limit else ()
        by_value = {choice.value: choice for choice in facet.choices}
        listed = {choice.value for choice in there}
        return there + [by_value.get(value, FacetChoice(value, 0)) for value in chosen if value not in listed]

    def _offered(self, facet: Facet) -> list[FacetChoice]:
        possible = self._possible(facet)
        if self._all or len(possible) <= FEW + 2 or facet.low is not None:
            return possible
        chosen = self._limit.values if self._limit else ()
        common = sorted(possible, key=lambda choice: (choice.value not in chosen, -choice.count))[:FEW]
        return [choice for choice in possible if choice in common]

    def _show_choices(self, offered: list[FacetChoice]) -> None:
        values = tuple(choice.value for choice in offered)
        fresh = values != self._shown
        if fresh:
            self._shown = values
            self.boxes = {value: self._box() for value in values}
        chosen = self._limit.values if self._limit else ()
        for choice in offered:
            box, words = self.boxes[choice.value], value_words(self.field, choice.value)
            short = words if len(words) <= MAX_TEXT else f"{words[: MAX_TEXT - 1]}…"
            box.setText(f"{short} ({number(choice.count)})".replace("&", "&&"))
            box.setToolTip("" if short == words else tip(words))
            box.setAccessibleName(
                tr("{figure} {value}, {count} parts", figure=figure_name(self.field), value=words, count=choice.count)
            )
            box.setChecked(choice.value in chosen)
        if fresh:
            self._choices.set_cells(list(self.boxes.values()))

    def _box(self) -> QCheckBox:
        box = QCheckBox(self)
        box.clicked.connect(self._choose)
        return box


class _Choices(Columns):
    """Places its cells anew when a count has become wider."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)


class RangeRow(QWidget):
    """Two spin boxes; one at the end of its range is no limit. `changed` when the user moved one."""

    changed = Signal()

    def __init__(self, field: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = field
        self._following = False
        self._set: tuple[float | None, float | None] = (None, None)
        self.low = self._box(tr("{figure}, at least", figure=figure_name(field)))
        self.high = self._box(tr("{figure}, at most", figure=figure_name(field)))
        self.hint = Label(self)
        self.hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.low, 0, 0)
        grid.addWidget(Label(DASH, self), 0, 1)
        grid.addWidget(self.high, 0, 2)
        grid.addWidget(self.hint, 1, 0, 1, 3)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)

    def show_range(self, facet: Facet, limit: Filter | None, unit: str) -> None:
        """Shows what is possible and what is set, without telling it as a change."""
        assert facet.low is not None and facet.high is not None
        decimals = _decimals(facet)
        scale = 10**decimals
        low, high = floor(facet.low * scale) / scale, ceil(facet.high * scale) / scale
        self._set = set_low, set_high = (limit.low, limit.high) if limit else (None, None)
        ends = [low, high, *(end for end in (set_low, set_high) if end is not None)]
        lowest, highest = min(ends), max(ends)
        self._following = True
        for box, value in (
            (self.low, lowest if set_low is None else set_low),
            (self.high, highest if set_high is None else set_high),
        ):
            box.take(lowest, highest, unit_of(self._field) or unit, decimals=decimals)
            box.setValue(value)
        self._following = False
        span = f"{value_words(self._field, facet.low)}{DASH}{value_words(self._field, facet.high)} {unit}".strip()
        self.hint.setText(tr("range {span}", span=span))

    def ends(self) -> tuple[float | None, float | None]:
        """The limits as set; None at the ends of the range, unless a limit was set there before."""
        low, high = self.low.value(), self.high.value()
        set_low, set_high = self._set
        return (
            low if low > self.low.minimum() or low == set_low else None,
            high if high < self.high.maximum() or high == set_high else None,
        )

    def _box(self, name: str) -> FigureSpin:
        box = _CalmSpinBox(self)
        box.setKeyboardTracking(False)
        box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.setAccessibleName(name)
        box.valueChanged.connect(self._moved)
        return box

    @Slot()
    def _moved(self) -> None:
        if not self._following:
            self.changed.emit()


class _CalmSpinBox(FigureSpin):
    """The wheel scrolls the panel, unless the box is being edited. Zeros that say nothing are left out."""

    def textFromValue(self, value: float) -> str:
        text, point = super().textFromValue(value), self.locale().decimalPoint()
        return text.rstrip("0").removesuffix(point) if point in text else text

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def _decimals(facet: Facet) -> int:
    """None for whole numbers, else so many that three digits count at the lower end."""
    assert facet.low is not None and facet.high is not None
    values = [facet.low, facet.high, *(choice.value for choice in facet.choices)]
    if all(float(value).is_integer() for value in values):
        return 0
    smallest = abs(facet.low) or abs(facet.high) or 1.0
    return min(max(2 - floor(log10(smallest)), 0), MAX_DECIMALS)
