"""A device beside the charts: legend of its curves, figures as text, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from core.burnin.verdict.states import Condition
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.metrics import BY_NAME, WALL
from core.words import joined, tr
from core.words.units import number
from gui.burnin.recording import DevicePlace, DeviceRecord, LiveStatistics, abnormal
from gui.burnin.words import clock, error_words, figure, identity, model, place_words, state_word
from gui.widgets.figures import describe
from gui.widgets.form import column_of, row_of
from gui.widgets.text import ElidedLabel, Label, heading, tip
from gui.widgets.theme import theme
from gui.widgets.units import unit_here

METRICS = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops")
METRICS_OF = {DeviceKind.GPU: METRICS, DeviceKind.CPU: METRICS, DeviceKind.WALL: (WALL,)}


class DeviceCard(QFrame):
    """Name, figures, errors and throttling of a device."""

    shown = Signal()
    """The user shows or hides the curves."""
    place_wanted = Signal(int)
    """Where the failed card at this position sits, and what to do."""
    solo_wanted = Signal(int)
    """The curves of the device at this position shall be seen alone, or with the others again."""

    def __init__(self, record: DeviceRecord, parent: QWidget, place: DevicePlace | None = None) -> None:
        super().__init__(parent)
        self.record = record
        self._place = place or DevicePlace()
        self._metrics = METRICS_OF[record.device.kind]
        self._swatch = Swatch(record.position, record.label, self)
        self._brief = _Brief(self)
        self._errors = Label(self)
        self._throttling = ElidedLabel("", self)
        self.state_button = QToolButton(self)
        """Says how the card failed, and opens where it sits."""
        self._solo = QToolButton(self)
        self._expander = QToolButton(self)
        self._figures = FigureTable(self._metrics, self)
        self._arrange()
        self._swatch.clicked.connect(self.shown)
        self._solo.clicked.connect(self._want_solo)
        self.state_button.clicked.connect(self._want_place)
        self._expander.toggled.connect(self._expand)
        theme().changed.connect(self._recolour)
        self._recolour()

    def set_expanded(self, expanded: bool) -> None:
        """All statistics, or one line."""
        self._expander.setChecked(expanded)
        self._expand(expanded)

    def toggle_curves(self) -> None:
        """Shows or hides the curves."""
        self._swatch.click()

    @property
    def curves_shown(self) -> bool:
        """Whether the curves are drawn."""
        return self._swatch.isChecked()

    def show_curves(self, shown: bool) -> None:
        """Shows or hides the curves without telling of it."""
        self._swatch.setChecked(shown)

    @Slot()
    def refresh(self) -> None:
        """Takes over the newest figures."""
        self._brief.show_text(self._brief_text())
        if self._expander.isChecked():
            self._figures.show_figures({name: self.record.statistics(name) for name in self._metrics})
        self._show_errors()
        self._show_state()
        limits = abnormal(self.record.now("throttle_mask"))
        self._throttling.setText(joined((reason.title for reason in limits), ", "))
        self._throttling.setToolTip("\n".join(f"{reason.title}: {reason.meaning}" for reason in limits))
        self._throttling.setVisible(bool(limits))
        describe(self, self.as_text)

    @Slot()
    def _recolour(self) -> None:
        self._solo.setIcon(theme().icon("solo"))
        self.refresh()

    def as_text(self) -> str:
        """All figures in a paragraph."""
        lines = []
        for name in self._metrics:
            statistics = self.record.statistics(name)
            title = BY_NAME[name].title
            if statistics.mean is None:
                lines.append(tr("{metric} not measured", metric=title))
                continue
            now, low, high, mean = (figure(value, name) for value in _columns(statistics))
            lines.append(
                tr(
                    "{metric} now {now}, minimum {low}, maximum {high}, mean {mean} {unit}",
                    metric=title,
                    now=now,
                    low=low,
                    high=high,
                    mean=mean,
                    unit=unit_here(BY_NAME[name].unit),
                )
            )
        return joined(filter(None, (state_word(self.record.state), self.error_text(), *lines)), "; ")

    def error_text(self) -> str:
        """What went wrong, by kind, and when it began."""
        errors = self.record.errors
        text, first_s = error_words(errors, imported=self.record.imported), errors.first_at_s
        return text if first_s is None else tr("{errors}; first at {time}", errors=text, time=clock(first_s))

    def _brief_text(self) -> str:
        parts = []
        for name in self._metrics:
            now = self.record.now(name)
            if now is not None:
                shown = number(now, 1) if name == "throughput_tflops" else figure(now, name)
                parts.append(f"{shown} {unit_here(BY_NAME[name].unit)}")
        if self.record.state is Condition.LOST:
            return tr("the driver no longer finds it")
        return "  ".join(parts) or tr("no figures yet")

    def _show_errors(self) -> None:
        bad = bool(self.record.errors)
        self._errors.setText(self.error_text())
        colour, weight = theme().color("fail" if bad else "muted").name(), "bold" if bad else "normal"
        restyle(self._errors, f"color: {colour}; font-weight: {weight}")
        restyle(self._throttling, f"color: {theme().color('warn').name()}")

    @Slot()
    def _want_place(self) -> None:
        self.place_wanted.emit(self.record.position)

    @Slot()
    def _want_solo(self) -> None:
        self.solo_wanted.emit(self.record.position)

    def _show_state(self) -> None:
        """A card that failed is red, and says how."""
        state = self.record.state
        colour = theme().color("fail").name()
        self.state_button.setText(state_word(state))
        self.state_button.setVisible(state is not Condition.SOUND)
        self.state_button.setToolTip(tr("Which card to pull, and what to do"))
        ground = theme().color("surface").name()
        restyle(self.state_button, f"border: none; background: {colour}; color: {ground}; padding: 0 4px")
        bad = f"QFrame#device {{ border: 2px solid {colour}; border-radius: 3px; }}"
        restyle(self, bad if state is not Condition.SOUND else "")

    @Slot(bool)
    def _expand(self, expanded: bool) -> None:
        self._expander.setArrowType(Qt.ArrowType.DownArrow if expanded else Qt.ArrowType.RightArrow)
        self._figures.setVisible(expanded)
        self._brief.setVisible(not expanded)
        self.refresh()

    def _arrange(self) -> None:
        device = self.record.device
        self.setObjectName("device")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(f"{self.record.label} {device.title}")
        self.setToolTip(tip(identity(device)))
        self._solo.setAutoRaise(True)
        self.state_button.setAccessibleName(tr("Where {device} sits", device=self.record.label))
        self._solo.setAccessibleName(tr("Only the curves of {device}", device=self.record.label))
        self._solo.setToolTip(tr("Show only these curves; again for all"))
        self._expander.setCheckable(True)
        self._expander.setAutoRaise(True)
        self._expander.setAccessibleName(tr("All figures of {device}", device=self.record.label))
        self._expander.setToolTip(tr("Now, minimum, maximum and mean"))
        self._errors.setWordWrap(True)
        head = (self._header(), self._place_row())
        rest = (self._brief, self._figures, self._throttling, self._errors)
        column_of(*head, *rest, into=self, margins=(8, 4, 4, 6), spacing=2)

    def _place_row(self) -> QHBoxLayout:
        """Where the card sits: what one looks for in front of the machine."""
        place = ElidedLabel(place_words(self.record.device, self._place), self)
        place.setForegroundRole(place.palette().ColorRole.PlaceholderText)
        place.setToolTip(tip(place.text()))
        badge = [SimulatedBadge(self)] if self.record.device.simulated else []
        return row_of((place, 1), *badge, spacing=6)

    def _header(self) -> QHBoxLayout:
        name = heading(self.record.label, self)
        name_of_card = ElidedLabel(model(self.record.device), self)
        remark = [] if self.record.burned else [Label(tr("only monitored"), self)]
        buttons = (self.state_button, self._solo, self._expander)
        return row_of(self._swatch, name, (name_of_card, 1), *remark, *buttons, spacing=6)


class _Brief(QWidget):
    """The newest figures in a line. They differ every second: a label would have all cards laid out anew each time."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        """Draws the line where it differs."""
        if text != self._text:
            self._text = text
            self.update()

    def sizeHint(self) -> QSize:
        """A line, as wide as there is room."""
        return QSize(0, self.fontMetrics().lineSpacing())

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draws what fits."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()


class SimulatedBadge(Label):
    """Says that no hardware is measured."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(tr("SIMULATED"))
        self.setToolTip(tr("These figures are made up: no hardware is measured."))
        theme().changed.connect(self._recolour)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        colour = theme().color("unknown").name()
        size = QApplication.font().pointSizeF() * 0.9
        self.setStyleSheet(f"color: {colour}; border: 1px solid {colour}; padding: 0 3px; font-size: {size:.1f}pt;")


class FigureTable(QWidget):
    """A row per metric: now, minimum, maximum, mean. Figures keep their place and width."""

    def __init__(self, metrics: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._cells: dict[str, list[QLabel]] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(0, 1)
        heads = (tr("now"), tr("min"), tr("max"), tr("mean"))
        for column, head in enumerate(heads, start=1):
            grid.addWidget(self._cell(head, muted=True), 0, column)
        for column in range(1, len(heads) + 1):
            grid.setColumnMinimumWidth(column, self.fontMetrics().horizontalAdvance("0000"))
        for row, name in enumerate(metrics, start=1):
            grid.addWidget(ElidedLabel(f"{BY_NAME[name].title} {unit_here(BY_NAME[name].unit)}", self), row, 0)
            self._cells[name] = [self._cell("") for _ in heads]
            for column, cell in enumerate(self._cells[name], start=1):
                grid.addWidget(cell, row, column)

    def show_figures(self, figures: dict[str, LiveStatistics]) -> None:
        """Sets only the texts that changed."""
        for name, statistics in figures.items():
            for cell, value in zip(self._cells[name], _columns(statistics), strict=True):
                text = figure(value, name)
                if cell.text() != text:
                    cell.setText(text)
                    cell.setToolTip(tr("Not measured") if value is None else "")

    def _cell(self, text: str, *, muted: bool = False) -> QLabel:
        cell = Label(text, self)
        cell.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if muted:
            cell.setForegroundRole(cell.palette().ColorRole.PlaceholderText)
        return cell


def _columns(statistics: LiveStatistics) -> tuple[float | None, ...]:
    return statistics.now, statistics.lowest, statistics.highest, statistics.mean


class Swatch(QAbstractButton):
    """Checked: the curves are shown."""

    def __init__(self, position: int, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._position = position
        self.setCheckable(True)
        self.setChecked(True)
        self.setAccessibleName(tr("Show curves of {device}", device=label))
        self.setToolTip(tip(tr("Show or hide the curves of {device}", device=label)))
        self.setFixedSize(36, 18)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        """As wide as the dash pattern needs."""
        return QSize(36, 18)

    def paintEvent(self, _: QPaintEvent) -> None:
        """A short piece of the curve; empty when hidden."""
        painter = QPainter(self)
        colours = theme()
        painter.setPen(colours.color("accent" if self.hasFocus() else "border"))
        painter.setBrush(colours.color("surface"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if self.isChecked():
            painter.setPen(colours.series_pen(self._position, 2))
            middle = self.height() / 2
            painter.drawLine(QPointF(3, middle), QPointF(self.width() - 4, middle))
        painter.end()


def restyle(label: QWidget, style: str) -> None:
    """Sets a style only when it differs: each one is parsed, and laid out anew."""
    if label.styleSheet() != style:
        label.setStyleSheet(style)
