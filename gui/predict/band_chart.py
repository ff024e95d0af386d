"""A chart of predicted curves with shaded bands; the mouse or the arrow keys read the figures at a point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsLineItem, QWidget

from core.chart import Scenery
from core.words import tr
from gui.burnin.chart.axes import Scale, fitting, recolour
from gui.burnin.chart.layers import Backdrop, DeviceCurves, DeviceTrace
from gui.predict.chart_parts import FigureAxis, Legend, NumberAxis, PointWords, StillView
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.widgets.form import column_of
from gui.widgets.text import Label, Markup
from gui.widgets.theme import theme
from gui.widgets.units import unit_here

KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class BandChart(QWidget):
    """Its figures stand in a table nearby, too: a plot cannot be read aloud."""

    def __init__(self, title: str, parent: QWidget | None = None, *, lines: int = 15) -> None:
        """`lines` of letters high, at least."""
        super().__init__(parent)
        self._name = title
        self._lines = lines
        self.picture = ChartPicture((), "", "")
        """What is shown."""
        self._place: int | None = None
        self.view = StillView()
        self._left, self._below = FigureAxis(), NumberAxis()
        self._plot = pg.PlotWidget(self, viewBox=self.view, axisItems={"left": self._left, "bottom": self._below})
        self._curves = DeviceCurves(self.view, smooth=True)
        self._backdrop = Backdrop(self.view, self._left, self._below)
        self._words = PointWords(self.view)
        self._cursor = QGraphicsLineItem(self.view)
        self._mark = QGraphicsLineItem(self.view)
        self._title = Markup(self)
        self._x_title = Label(self)
        self._readout = Label(self._plot)
        self.legend = Legend(self)
        self._lay_out()
        self._fit_letters()
        theme().changed.connect(self._draw)
        self._draw()

    @property
    def readout(self) -> str:
        """The figures at the cursor; empty without one."""
        return self._readout.text() if self._place is not None else ""

    def show_picture(self, picture: ChartPicture) -> None:
        """Replaces everything."""
        if picture != self.picture:
            self.picture = picture
            self._place = None
            self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right read the next point, Home and End the first and last, Escape none."""
        places = len(self.picture.places)
        step = KEYS.get(Qt.Key(event.key()))
        if places and step is not None:
            self._read(min(max((self._place if self._place is not None else -step) + step, 0), places - 1))
        elif places and event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._read(0 if event.key() == Qt.Key.Key_Home else places - 1)
        elif event.key() == Qt.Key.Key_Escape and self._place is not None:
            self._read(None)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows a frame."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hides frame and cursor."""
        super().focusOutEvent(event)
        self._read(None)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse left: so does the cursor."""
        super().leaveEvent(event)
        if not self.hasFocus():
            self._read(None)

    def changeEvent(self, event: QEvent) -> None:
        """Other letters need other axes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "legend"):
            self._fit_letters()

    def resizeEvent(self, event: Any) -> None:
        """The cursor keeps its point."""
        super().resizeEvent(event)
        self._read(self._place)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A frame while the keyboard is here."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(theme().color("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()

    @Slot()
    def _draw(self) -> None:
        colours, picture = theme(), self.picture
        self._plot.setBackground(colours.color("surface"))
        for axis in (self._left, self._below):
            recolour(axis)
        self._curves.set_pens([colours.series_pen(curve.series, 1.5) for curve in picture.curves])
        self._curves.show_traces([_trace(curve) for curve in picture.curves])
        self._words.show_curves(picture.curves)
        self._cursor.setPen(QPen(colours.color("muted"), 1))
        self._mark.setPen(QPen(colours.color("accent"), 1, Qt.PenStyle.DashLine))
        self._backdrop.show_scenery(Scenery(limits=picture.lines, notice="" if picture.curves else picture.notice), 0.0)
        self._backdrop.update()
        muted, surface, border = (colours.color(name).name() for name in ("muted", "surface", "border"))
        self._title.setText(f'<b>{self._name}</b> <span style="color:{muted}">{unit_here(picture.unit)}</span>')
        self._x_title.setText(picture.x_unit)
        self._readout.setStyleSheet(f"background: {surface}; border: 1px solid {border}; padding: 2px 4px;")
        self.legend.show_curves(picture.curves)
        self._left.unit = picture.unit
        self._set_ranges()
        self._read(self._place)

    def _set_ranges(self) -> None:
        places, extremes = self.picture.places, self.picture.extremes
        self._left.blank = self._below.blank = extremes is None
        if extremes is None:
            return
        low, high = places[0], places[-1]
        edge = 0.06 * (high - low) if any(curve.words for curve in self.picture.curves) else 0.0
        self.view.setXRange(low - edge, max(high, low + 1e-6) + edge, padding=0)
        scale = Scale(from_zero=self.picture.from_zero, least_span=1.0)
        self.view.setYRange(*fitting(scale, extremes, None), padding=0)
        self._place_line(self._mark, self.picture.mark)

    def _place_line(self, line: QGraphicsLineItem, x: float | None) -> None:
        line.setVisible(x is not None)
        if x is not None:
            pixel = self.view.mapFromView(QPointF(x, 0)).x()
            line.setLine(pixel, 0, pixel, self.view.height())

    def _read(self, place: int | None) -> None:
        """Shows the figures of the n-th point, at the side where its line is not."""
        self._place = place
        places = self.picture.places
        x = places[place] if place is not None and place < len(places) else None
        self._place_line(self._cursor, x)
        self._place_line(self._mark, self.picture.mark)
        self._readout.setVisible(x is not None)
        self._readout.setText("" if x is None else self.picture.words_at(x))
        self.setAccessibleDescription(self._readout.text() or self._about)
        if x is None:
            return
        self._readout.adjustSize()
        area = self.view.mapRectToScene(self.view.rect())
        left = self._cursor.line().x1() > area.width() / 2
        at = area.left() + 6 if left else area.right() - 6 - self._readout.width()
        self._readout.move(int(at), int(area.top()) + 4)

    @Slot(object)
    def _mouse_moved(self, place: Any) -> None:
        places = self.picture.places
        if places and self.view.sceneBoundingRect().contains(place):
            x = self.view.mapSceneToView(place).x()
            self._read(min(range(len(places)), key=lambda number: abs(places[number] - x)))

    def _fit_letters(self) -> None:
        metrics = self.fontMetrics()
        self._left.fit(metrics)
        self._below.fit(metrics)
        self._plot.getPlotItem().setContentsMargins(0, metrics.height() / 2, 16, 0)
        self.setMinimumHeight(self._lines * metrics.height())

    def _lay_out(self) -> None:
        self._about = tr("Left and right read out the figures of the curves; a table lists them, too.")
        self.setAccessibleName(tr("{title} chart", title=self._name))
        self.setAccessibleDescription(self._about)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(200)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        self._plot.hideButtons()
        self._plot.scene().sigMouseMoved.connect(self._mouse_moved)
        self._cursor.setZValue(5)
        self._mark.setZValue(4)
        self._readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._x_title.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._x_title.setForegroundRole(self._x_title.palette().ColorRole.PlaceholderText)
        self._x_title.setContentsMargins(0, 0, 16, 0)
        self._title.setContentsMargins(8, 0, 0, 0)
        self.legend.setContentsMargins(8, 0, 0, 0)
        pieces = (self._title, self.legend, (self._plot, 1), self._x_title)
        column_of(*pieces, into=self, margins=(1, 3, 1, 3), spacing=2)


def _trace(curve: BandCurve) -> DeviceTrace:
    x, mean, low, high = (np.array(figures) for figures in (curve.x, curve.expected, curve.low, curve.high))
    return DeviceTrace(x, mean, low, high) if curve.low else DeviceTrace(x, mean)
