"""Curves and bands are drawn where their values are, with a gap where nothing was measured."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPen

from core.chart import Limit, Scenery
from core.machine.telemetry.metrics import BY_NAME
from gui.burnin.chart.layers import DeviceTrace
from gui.burnin.chart.metric_chart import MetricChart

INK = QColor("#ff0000")


@pytest.fixture
def chart(qtbot):
    made = MetricChart(BY_NAME["utilisation_pct"], 1, None)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.curves.set_pens([QPen(INK, 1)])
    made.show_span(0.0, 10.0, follows=False)
    return made


def inked(chart, trace):
    """The pixels of the view that carry the curve's colour, or a shade of it: columns and rows from its upper left."""
    chart.show_traces([trace], Scenery(), 0.0)
    view = chart.view
    picture = chart._plot.grab().toImage()
    area = view.sceneBoundingRect().toRect()
    return {
        (x, y)
        for x in range(area.width())
        for y in range(area.height())
        if (tone := picture.pixelColor(area.left() + x, area.top() + y)).red() > tone.blue() + 30
    }


def pixel(chart, x, y):
    point = chart.view.mapFromView(chart.view.childGroup.pos().__class__(x, y))
    return point.x(), point.y()


def test_a_level_curve_lies_at_its_value_and_is_broken_where_nothing_was_measured(chart):
    x = np.arange(11.0)
    y = np.where((x > 3) & (x < 7), np.nan, 50.0)
    pixels = inked(chart, DeviceTrace(x, y))
    columns, rows = {column for column, _ in pixels}, {row for _, row in pixels}
    assert max(rows) - min(rows) <= 1
    assert min(rows) == pytest.approx(pixel(chart, 0, 50)[1], abs=1.5)
    left, right = pixel(chart, 3, 0)[0], pixel(chart, 7, 0)[0]
    assert not any(left + 2 < column < right - 2 for column in columns)
    assert min(columns) <= 2
    assert max(columns) >= chart.view.width() - 3


def test_a_band_fills_what_lies_between_its_extremes(chart):
    x = np.arange(11.0)
    flat = np.full(11, 50.0)
    pixels = inked(chart, DeviceTrace(x, flat, flat - 20, flat + 20))
    rows = {row for _, row in pixels}
    assert min(rows) == pytest.approx(pixel(chart, 0, 70)[1], abs=1.5)
    assert max(rows) == pytest.approx(pixel(chart, 0, 30)[1], abs=1.5)


@pytest.mark.parametrize(("other", "named"), [(10.0, True), (55.0, False)])
def test_the_name_of_a_limit_is_left_out_where_another_line_would_cross_it(chart, other, named):
    """With 55 above and 45 below it, 50 has no room for its name on either side."""
    assert (picture(chart, "HHHH", other) != picture(chart, "", other)) == named


def picture(chart, name, other):
    lines = (Limit(50.0, name, "fail"), Limit(other, "", "fail"), Limit(45.0, "", "fail"))
    chart.show_traces([None], Scenery(limits=lines), 0.0)
    return chart._plot.grab().toImage()


def test_what_was_never_measured_draws_nothing(chart):
    assert not inked(chart, DeviceTrace(np.arange(11.0), np.full(11, np.nan)))
    assert not inked(chart, None)
