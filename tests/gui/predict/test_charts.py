"""Charts: read by mouse and keyboard, in light and dark, with the words of points where there is room."""

import pytest
from PySide6.QtCore import Qt

from core.chart import Limit
from gui.predict.band_chart import BandChart
from gui.predict.chart_picture import BandCurve, ChartPicture
from gui.widgets.theme import Mode, theme

TWO = ChartPicture(
    (
        BandCurve.of("Card", (50.0, 75.0, 100.0), ((30, 40, 50), (40, 50, 60), (50, 60, 70))),
        BandCurve("Water", (50.0, 100.0), (30.0, 40.0), series=1, words=("fans 25 %", "fans 100 %")),
    ),
    "°C",
    "% of the limit",
    (Limit(65, "Target", "warn"),),
    mark=75.0,
)


@pytest.fixture
def bare_chart(qtbot):
    made = BandChart("Temperature")
    qtbot.addWidget(made)
    made.resize(500, 300)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def chart(bare_chart):
    bare_chart.show_picture(TWO)
    return bare_chart


def test_a_chart_without_figures_has_the_colours_of_the_theme(bare_chart):
    middle = bare_chart.grab().toImage().pixelColor(300, 150)
    assert middle == theme().color("surface")


@pytest.mark.parametrize(
    ("keys", "first_line"),
    [("R", "50"), ("RR", "75"), ("RRRRRR", "100"), ("E", "100"), ("EL", "75"), ("EH", "50"), ("L", "50"), ("RX", "")],
)
def test_the_keyboard_reads_point_after_point(qtbot, chart, keys, first_line):
    names = {
        "R": Qt.Key.Key_Right,
        "L": Qt.Key.Key_Left,
        "H": Qt.Key.Key_Home,
        "E": Qt.Key.Key_End,
        "X": Qt.Key.Key_Escape,
    }
    for key in keys:
        qtbot.keyClick(chart, names[key])
    assert chart.readout.split(" ")[0] == first_line
    assert chart.accessibleDescription() == (chart.readout or chart._about)


def test_the_readout_tells_all_curves_with_their_bands(qtbot, chart):
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert chart.readout == "50 % of the limit\nCard: 40 °C (30–50)\nWater: 30 °C, fans 25 %"
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.readout == "75 % of the limit\nCard: 50 °C (40–60)"


def test_the_mouse_reads_the_nearest_point(qtbot, chart):
    area = chart.view.sceneBoundingRect()
    chart._mouse_moved(area.center())
    assert chart.readout.startswith("75 ")
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert not chart.readout


def test_the_scale_holds_bands_and_limits(chart):
    low, high = chart.view.viewRange()[1]
    assert low <= 30
    assert high >= 70
    assert TWO.extremes == (30, 70)


@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK])
def test_it_is_drawn_in_light_and_dark_with_other_letters_too(qtbot, chart, mode):
    theme().set_mode(mode)
    font = chart.font()
    font.setPointSizeF(1.6 * font.pointSizeF())
    chart.setFont(font)
    picture = chart.grab().toImage()
    assert picture.pixelColor(picture.width() - 4, picture.height() // 2) == theme().color("surface")
    theme().set_mode(Mode.SYSTEM)


def test_an_empty_chart_says_why(qtbot, chart):
    chart.show_picture(ChartPicture((), "°C", "minutes", notice="not predicted"))
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert not chart.readout
    assert not chart.legend.isVisible()
    assert not chart.grab().isNull()
