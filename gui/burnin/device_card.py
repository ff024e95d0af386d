"""The device cards beside the charts: legend of the curves, and their figures as text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.burnin.verdict.errors import ErrorCounts
from core.telemetry.metrics import BY_NAME
from gui.burnin.clock import clock
from gui.burnin.recording import DeviceRecord, LiveStatistics, Recording, abnormal
from gui.burnin.run_words import bus, error_words, figure, identity, model, translated_metric
from gui.theme import theme
from gui.widgets.text import ElidedLabel, Label, heading, tip

METRICS = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops")


class DeviceCard(QFrame):
    """Name, figures, errors and throttling of a device."""

    shown = Signal(int, bool)
    """The device's position, and whether its curves are wanted."""

    def __init__(self, record: DeviceRecord, parent: QWidget) -> None:
        super().__init__(parent)
        self.record = record
        self._swatch = Swatch(record.position, record.label, self)
        self._brief = _Brief(self)
        self._errors = Label(self)
        self._throttling = ElidedLabel("", self)
        self._expander = QToolButton(self)
        self._figures = FigureTable(self)
        self._arrange()
        self._swatch.toggled.connect(self._show_curves)
        self._expander.toggled.connect(self._expand)
        theme().changed.connect(self.refresh)
        self.refresh()

    def set_expanded(self, expanded: bool) -> None:
        """All statistics, or one line."""
        self._expander.setChecked(expanded)
        self._expand(expanded)

    def toggle_curves(self) -> None:
        """Shows or hides the curves."""
        self._swatch.toggle()

    @Slot()
    def refresh(self) -> None:
        """Takes over the newest figures."""
        self._brief.show_text(self._brief_text())
        if self._expander.isChecked():
            self._figures.show_figures({name: self.record.statistics(name) for name in METRICS})
        self._show_errors()
        limits = abnormal(self.record.now("throttle_mask"))
        self._throttling.setText(", ".join(reason.title for reason in limits))
        self._throttling.setToolTip("\n".join(f"{reason.title}: {reason.meaning}" for reason in limits))
        self._throttling.setVisible(bool(limits))
        if QAccessible.isActive():
            self.setAccessibleDescription(self.as_text())

    def as_text(self) -> str:
        """All figures in a paragraph."""
        lines = []
        for name in METRICS:
            found = self.record.statistics(name)
            title = translated_metric(name)
            if found.mean is None:
                lines.append(self.tr("{metric} not measured").format(metric=title))
                continue
            now, low, high, mean = (figure(value, name) for value in _columns(found))
            lines.append(
                self.tr("{metric} now {now}, minimum {low}, maximum {high}, mean {mean} {unit}").format(
                    metric=title, now=now, low=low, high=high, mean=mean, unit=BY_NAME[name].unit
                )
            )
        return f"{self.error_text()}; " + "; ".join(lines)

    def error_text(self) -> str:
        """What went wrong, by kind, and when it began."""
        errors = self.record.errors
        text, first_s = error_words(errors), errors.first_at_s
        return (
            text if first_s is None else self.tr("{errors}; first at {time}").format(errors=text, time=clock(first_s))
        )

    def _brief_text(self) -> str:
        parts = []
        for name in METRICS:
            now = self.record.now(name)
            if now is not None:
                unit = BY_NAME[name].unit
                parts.append(f"{now:.1f} {unit}" if name == "throughput_tflops" else f"{figure(now, name)} {unit}")
        return "  ".join(parts) or self.tr("no figures yet")

    def _show_errors(self) -> None:
        """A style is set only when it differs: each one is parsed, and laid out anew."""
        bad = bool(self.record.errors)
        self._errors.setText(self.error_text())
        colour, weight = theme().color("fail" if bad else "muted").name(), "bold" if bad else "normal"
        _restyle(self._errors, f"color: {colour}; font-weight: {weight}")
        _restyle(self._throttling, f"color: {theme().color('warn').name()}")

    @Slot(bool)
    def _show_curves(self, wanted: bool) -> None:
        self.shown.emit(self.record.position, wanted)

    @Slot(bool)
    def _expand(self, expanded: bool) -> None:
        self._expander.setArrowType(Qt.ArrowType.DownArrow if expanded else Qt.ArrowType.RightArrow)
        self._figures.setVisible(expanded)
        self._brief.setVisible(not expanded)
        self.refresh()

    def _arrange(self) -> None:
        device = self.record.device
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(f"{self.record.label} {device.title}")
        self.setToolTip(tip(identity(device)))
        self._expander.setCheckable(True)
        self._expander.setAutoRaise(True)
        self._expander.setAccessibleName(self.tr("All figures of {device}").format(device=self.record.label))
        self._expander.setToolTip(self.tr("Now, minimum, maximum and mean"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 4, 6)
        layout.setSpacing(2)
        layout.addLayout(self._header())
        layout.addWidget(self._brief)
        layout.addWidget(self._figures)
        layout.addWidget(self._throttling)
        state = QHBoxLayout()
        state.setSpacing(12)
        self._errors.setWordWrap(True)
        state.addWidget(self._errors, 1)
        if device.simulated:
            state.addWidget(SimulatedBadge(self), 0, Qt.AlignmentFlag.AlignBottom)
        layout.addLayout(state)

    def _header(self) -> QHBoxLayout:
        device = self.record.device
        name = heading(self.record.label, self)
        place = ElidedLabel(" @ ".join(part for part in (model(device), bus(device)) if part), self)
        header = QHBoxLayout()
        header.setSpacing(6)
        header.addWidget(self._swatch)
        header.addWidget(name)
        header.addWidget(place, 1)
        if not self.record.burned:
            header.addWidget(Label(self.tr("only watched"), self))
        header.addWidget(self._expander)
        return header


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
        self.setText(self.tr("SIMULATED"))
        self.setToolTip(self.tr("These figures are made up: no hardware is measured."))
        theme().changed.connect(self._recolour)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        colour = theme().color("unknown").name()
        self.setStyleSheet(f"color: {colour}; border: 1px solid {colour}; padding: 0 3px; font-size: 9pt;")


class FigureTable(QWidget):
    """A row per metric: now, minimum, maximum, mean. Figures keep their place and width."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._cells: dict[str, list[QLabel]] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(0, 1)
        heads = (self.tr("now"), self.tr("min"), self.tr("max"), self.tr("mean"))
        for column, head in enumerate(heads, start=1):
            grid.addWidget(self._cell(head, muted=True), 0, column)
        for row, name in enumerate(METRICS, start=1):
            grid.addWidget(ElidedLabel(f"{translated_metric(name)} {BY_NAME[name].unit}", self), row, 0)
            self._cells[name] = [self._cell("") for _ in heads]
            for column, cell in enumerate(self._cells[name], start=1):
                grid.addWidget(cell, row, column)

    def show_figures(self, figures: dict[str, LiveStatistics]) -> None:
        """Sets only the texts that changed."""
        for name, found in figures.items():
            for cell, value in zip(self._cells[name], _columns(found), strict=True):
                text = figure(value, name)
                if cell.text() != text:
                    cell.setText(text)
                    cell.setToolTip(self.tr("Not measured") if value is None else "")

    def _cell(self, text: str, *, muted: bool = False) -> QLabel:
        cell = Label(text, self)
        cell.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        cell.setMinimumWidth(self.fontMetrics().horizontalAdvance("0000"))
        if muted:
            cell.setForegroundRole(cell.palette().ColorRole.PlaceholderText)
        return cell


def _columns(found: LiveStatistics) -> tuple[float | None, ...]:
    return found.now, found.lowest, found.highest, found.mean


class Swatch(QAbstractButton):
    """Checked: the curves are shown."""

    def __init__(self, position: int, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._position = position
        self.setCheckable(True)
        self.setChecked(True)
        self.setAccessibleName(self.tr("Show curves of {device}").format(device=label))
        self.setToolTip(tip(self.tr("Show or hide the curves of {device}").format(device=label)))
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
            painter.setPen(QPen(colours.series(self._position), 2, colours.series_style(self._position)))
            middle = self.height() / 2
            painter.drawLine(QPointF(3, middle), QPointF(self.width() - 4, middle))
        painter.end()


EXPANDED_UP_TO = 4
"""With more devices under load than these, each card begins as a line; devices that are only watched always do."""


class DeviceCards(QWidget):
    """One card per device of the run."""

    shown = Signal(int, bool)
    """A device's position, and whether its curves are wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Devices"))
        self._recording: Recording | None = None
        self.cards: list[DeviceCard] = []
        self._total = ElidedLabel("", self)
        self._reset = QPushButton(self.tr("Reset min/max"), self)
        self._reset.setToolTip(self.tr("Begin minimum, maximum and mean anew. The recording is kept."))
        self._reset.clicked.connect(self._forget)
        self._column = QWidget(self)
        self._rows = QVBoxLayout(self._column)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self._rows.addStretch()
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._column)
        head = QHBoxLayout()
        head.addWidget(self._total, 1)
        head.addWidget(self._reset)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(scroll, 1)
        self.setMinimumWidth(324)

    def set_recording(self, recording: Recording | None) -> None:
        """Cards for the devices of another run."""
        for card in self.cards:
            self._rows.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._recording = recording
        self.cards = []
        records = recording.devices if recording else []
        few = sum(record.burned for record in records) <= EXPANDED_UP_TO
        for record in records:
            card = DeviceCard(record, self._column)
            card.set_expanded(few and record.burned)
            card.shown.connect(self.shown)
            self._rows.insertWidget(len(self.cards), card)
            self.cards.append(card)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Takes over the newest figures."""
        for card in self.cards:
            card.refresh()
        records = self._recording.devices if self._recording else []
        bad = [record for record in records if record.errors]
        kinds = error_words(ErrorCounts.together(record.errors for record in records))
        where = ", ".join(record.label for record in bad)
        self._total.setText(self.tr("Errors on {devices}").format(devices=where) if bad else kinds)
        self._total.setToolTip(tip("\n".join((self._total.text(), kinds))) if bad else "")
        _restyle(self._total, f"color: {theme().color('fail' if bad else 'muted').name()}; font-weight: bold")

    @Slot()
    def _forget(self) -> None:
        for record in self._recording.devices if self._recording else []:
            record.forget_extremes()
        self.refresh()


def _restyle(label: QLabel, style: str) -> None:
    if label.styleSheet() != style:
        label.setStyleSheet(style)
