"""What is known of one device, as text: the legend of its curves and the textual equivalent of the charts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from core.telemetry.metrics import BY_NAME
from gui.burnin.clock import clock
from gui.burnin.elided import ElidedLabel
from gui.burnin.recording import DeviceRecord, Statistics
from gui.burnin.swatch import Swatch
from gui.burnin.throttle import abnormal
from gui.burnin.words import bus, figure, identity, model, translated_metric
from gui.theme import theme
from gui.widgets.labels import heading
from gui.widgets.text import Label, tip

METRICS = ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops")


class DeviceCard(QFrame):
    """Name, figures, errors and throttling of a device."""

    shown = Signal(int, bool)
    """The device's position, and whether its curves are wanted."""

    def __init__(self, record: DeviceRecord, parent: QWidget) -> None:
        super().__init__(parent)
        self.record = record
        self._swatch = Swatch(record.position, record.label, self)
        self._brief = ElidedLabel("", self)
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
        self._brief.setText(self._brief_text())
        if self._expander.isChecked():
            self._figures.show_figures({name: self.record.statistics(name) for name in METRICS})
        self._show_errors()
        limits = abnormal(self.record.now("throttle_mask"))
        self._throttling.setText(", ".join(reason.title for reason in limits))
        self._throttling.setToolTip("\n".join(f"{reason.title}: {reason.meaning}" for reason in limits))
        self._throttling.setVisible(bool(limits))
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
        """The number of wrong results and when they began."""
        text = self.tr("Errors: {count}").format(count=self.record.errors)
        first_s = self.record.first_error_s
        return (
            text if first_s is None else self.tr("{errors}, first at {time}").format(errors=text, time=clock(first_s))
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
        bad = self.record.errors > 0 or self.record.first_error_s is not None
        self._errors.setText(self.error_text())
        self._errors.setStyleSheet(f"color: {theme().color('fail' if bad else 'muted').name()}")
        weight = self._errors.font()
        weight.setBold(bad)
        self._errors.setFont(weight)
        warn = theme().color("warn").name()
        self._throttling.setStyleSheet(f"color: {warn}")

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
        state = QHBoxLayout()
        state.setSpacing(12)
        state.addWidget(self._errors)
        state.addWidget(self._throttling, 1)
        state.addStretch()
        if device.simulated:
            state.addWidget(SimulatedBadge(self))
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

    def show_figures(self, figures: dict[str, Statistics]) -> None:
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


def _columns(found: Statistics) -> tuple[float | None, ...]:
    return found.now, found.lowest, found.highest, found.mean
