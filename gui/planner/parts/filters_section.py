"""One figure that the list can be narrowed by: a heading that opens on choices and a range."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from core.parts.facets import Choice, Facet
from core.parts.figures import PRICE_FIGURES
from core.parts.query import Filter
from gui.planner.figures import number
from gui.planner.parts.figure_names import figure_name, figure_unit, heading, value_words
from gui.planner.parts.filters_range import RangeRow
from gui.widgets.columns import Columns
from gui.widgets.text import tip

FEW = 10
"""So many choices are shown at once; the rest on demand."""
MAX_NUMBERS = 24
"""More different numbers than this are only a range."""
COUNTABLE = 6
"""So few different numbers need no range."""
MAX_TEXT = 30


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
        body = QVBoxLayout(self._body)
        body.setContentsMargins(20, 0, 8, 8)
        body.setSpacing(4)
        for widget in (self.range, self._choices, self.more):
            body.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self._body)
        self._body.hide()

    def show_facet(self, facet: Facet, limit: Filter | None, currency: str) -> None:
        """What there is now and what is set. A closed section is filled when it is opened."""
        self._facet, self._limit, self._currency = facet, limit, currency
        self.heading.setText(self._title())
        self._name_heading()
        self.heading.setToolTip(
            self.tr("Known of {count} parts; those of which it is unknown do not pass a limit").format(
                count=number(facet.parts)
            )
        )
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
        state = self.tr("open") if self.is_open else self.tr("closed")
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
        self.more.setText(self.tr("Show {count} more").format(count=hidden))

    def _possible(self, facet: Facet) -> list[Choice]:
        """What can be offered one by one, with what is chosen though no part has it now."""
        many = facet.low is not None and (self.field in PRICE_FIGURES or len(facet.choices) > MAX_NUMBERS)
        there = [] if many else list(facet.choices)
        chosen = self._limit.values if self._limit else ()
        known = {choice.value: choice for choice in facet.choices}
        listed = {choice.value for choice in there}
        return there + [known.get(value, Choice(value, 0)) for value in chosen if value not in listed]

    def _offered(self, facet: Facet) -> list[Choice]:
        possible = self._possible(facet)
        if self._all or len(possible) <= FEW + 2 or facet.low is not None:
            return possible
        chosen = self._limit.values if self._limit else ()
        common = sorted(possible, key=lambda choice: (choice.value not in chosen, -choice.count))[:FEW]
        return [choice for choice in possible if choice in common]

    def _show_choices(self, offered: list[Choice]) -> None:
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
                self.tr("{figure} {value}, {count} parts").format(
                    figure=figure_name(self.field), value=words, count=choice.count
                )
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
