import itertools
import math
import subprocess
import sys

import pytest
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QCheckBox, QLineEdit, QSpinBox

from gui.widgets.theme import DARK, DARK_SERIES, ICONS, LIGHT, LIGHT_SERIES, STATUS_NAMES, Mode, theme
from tests.patience import PATIENCE_S


def linear_rgb(name):
    values = QColor(name).getRgbF()[:3]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def lab(name):
    """CIE L*a*b* of a colour, D65."""
    linear = linear_rgb(name)
    matrix = ((0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0177, 0.1095, 0.8729))
    x, y, z = (sum(part * value for part, value in zip(row, linear, strict=True)) ** (1 / 3) for row in matrix)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("series", [LIGHT_SERIES, DARK_SERIES], ids=["light", "dark"])
def test_no_two_of_eight_curves_are_both_blue_or_both_brown(series):
    assert len(series) == 8
    apart = {math.dist(lab(one), lab(other)) for one, other in itertools.combinations(series, 2)}
    assert min(apart) > 25, "ten times what can just be told apart"


def test_sixty_four_devices_differ_in_colour_or_dash_and_eight_in_both(qtbot):
    pens = [theme().series_pen(n) for n in range(64)]
    assert len({(pen.color().name(), tuple(pen.dashPattern())) for pen in pens}) == 64
    assert len({pen.color().name() for pen in pens[:8]}) == 8
    assert len({tuple(pen.dashPattern()) for pen in pens[:8]}) == 8


def test_light_and_dark_have_the_same_names():
    assert LIGHT.keys() == DARK.keys()


def test_the_theme_follows_the_wish_and_says_so(qtbot):
    for mode in (Mode.DARK, Mode.LIGHT, Mode.SYSTEM):
        with qtbot.waitSignal(theme().changed):
            theme().set_mode(mode)
        if mode is not Mode.SYSTEM:
            assert theme().dark is (mode is Mode.DARK)
            assert theme().color("surface").name() == (DARK if theme().dark else LIGHT)["surface"]


def test_every_verdict_word_has_an_icon(qtbot):
    words = ("PASS", "WARN", "FAIL", "INCOMPLETE", "note", "unknown", *STATUS_NAMES)
    assert [word for word in words if theme().status_icon(word).isNull()] == []


def test_every_named_icon_exists(qtbot):
    for name in ICONS:
        drawn = theme().icon(name).pixmap(16, 16).toImage()
        pixels = [drawn.pixelColor(x, y) for x in range(16) for y in range(16)]
        assert max(pixel.alpha() for pixel in pixels) > 200, f"something of {name} is seen"
        assert {pixel.name() for pixel in pixels if pixel.alpha() == 255} <= {theme().color("text").name()}, name


def test_a_disabled_icon_is_paler(qtbot):
    drawn = theme().icon("start").pixmap(16, 16, QIcon.Mode.Disabled).toImage()
    solid = {
        drawn.pixelColor(x, y).name() for x in range(16) for y in range(16) if drawn.pixelColor(x, y).alpha() == 255
    }
    assert solid == {theme().color("border").name()}


def test_an_icon_starts_no_other_library(qtbot):
    """QtAwesome loads all its fonts and names of Qt: a third of the time until the window is painted."""
    code = (
        "import sys; from PySide6.QtWidgets import QApplication; from gui.widgets.theme import theme; "
        "app = QApplication([]); theme().icon('start').pixmap(16, 16); print('qtawesome' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stdout.strip() == "False"


def test_an_unknown_colour_is_an_error(qtbot):
    with pytest.raises(KeyError):
        theme().color("mauve")


@pytest.mark.parametrize("make", [QCheckBox, QLineEdit, QSpinBox])
def test_fields_have_an_outline_in_the_dark(qtbot, qapp, make):
    theme().apply(qapp)
    theme().set_mode(Mode.DARK)
    try:
        field = make()
        qtbot.addWidget(field)
        field.resize(80, 24)
        field.show()
        ground = theme().color("background")
        picture = field.grab().toImage()
        row = [picture.pixelColor(x, 12) for x in range(picture.width())]
        assert max(colour.lightness() for colour in row[:6]) > ground.lightness() + 30
    finally:
        theme().set_mode(Mode.LIGHT)
