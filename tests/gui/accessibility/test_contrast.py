"""Words stand out 4.5 to 1 from every ground they are drawn on, curves and icons 3 to 1 (WCAG 2.1, 1.4.3, 1.4.11)."""

from itertools import product

import pytest
from PySide6.QtGui import QColor

from core.present.picture.scene import Paint
from core.present.picture.svg import CLEAR
from core.present.picture.svg import DARK as PICTURE_DARK
from core.present.picture.svg import LIGHT as PICTURE_LIGHT
from core.present.picture.svg import mixed as blended
from gui.widgets.theme import DARK, DARK_SERIES, LIGHT, LIGHT_SERIES
from gui.widgets.views import TINT, mixed

WORDS, MARKS = 4.5, 3.0
STATUSES = ("pass", "note", "warn", "fail", "unknown")
SHADES = [share / 10 for share in range(11)]
both = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
both_pictures = pytest.mark.parametrize("colours", [PICTURE_LIGHT, PICTURE_DARK], ids=["light", "dark"])


def luminance(name):
    def linear(value):
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    parts = (int(name[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return sum(weight * linear(part) for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one, other):
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def tinted(colours, tone, share=TINT):
    return mixed(QColor(colours["surface"]), QColor(colours[tone]), share).name()


def test_black_on_white_is_the_most_there_is():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@both
@pytest.mark.parametrize("name", ["text", "muted", "accent", *STATUSES])
def test_words_can_be_read_on_every_ground_and_in_a_chosen_row(colours, name):
    for ground in (colours["surface"], colours["background"], tinted(colours, "accent")):
        assert contrast(colours[name], ground) >= WORDS, ground


@both
@pytest.mark.parametrize("name", ["text", "muted", "fail"])
def test_words_can_be_read_on_a_card_of_the_board_that_does_not_fit(colours, name):
    assert contrast(colours[name], tinted(colours, "fail")) >= WORDS


@both
def test_words_can_be_read_on_filled_labels_and_menus(colours):
    assert contrast(colours["accent_text"], colours["accent"]) >= WORDS, "chosen text"
    assert contrast(colours["surface"], colours["fail"]) >= WORDS, "the state of a card"
    assert contrast(colours["text"], tinted(colours, "pass", 0.24)) >= WORDS, "NVLink between two cards"
    notice = mixed(QColor(colours["background"]), QColor(colours["warn"]), 0.14).name()
    assert contrast(colours["text"], notice) >= WORDS, "a notice"


@both
def test_icons_bars_and_lines_stand_out(colours):
    for name, ground in product(["text", "muted", "accent", *STATUSES], ["surface", "background", "grid"]):
        assert contrast(colours[name], colours[ground]) >= MARKS, (name, ground)


@pytest.mark.parametrize(("colours", "series"), [(LIGHT, LIGHT_SERIES), (DARK, DARK_SERIES)], ids=["light", "dark"])
def test_curves_and_their_bars_in_the_legend_stand_out(colours, series):
    assert min(contrast(colour, colours[ground]) for colour in series for ground in ("surface", "background")) >= MARKS


def grounds_of_words(colours):
    """Every kind of words in the picture of the machine with the grounds that it is drawn on."""
    heat = [blended(colours.cool, colours.hot, share) for share in SHADES]
    fills = (Paint.BOARD, Paint.CHIP, Paint.PANEL, Paint.CARD, Paint.UNPLACED, Paint.PSU, Paint.RADIATOR, Paint.CASE)
    return {
        Paint.INK: [colours.sheet, *(colours.fill[paint] for paint in fills), *heat],
        Paint.QUIET: [colours.sheet, *(colours.fill[paint] for paint in (Paint.CASE, Paint.PSU))],
        Paint.INTAKE: [colours.sheet],
        Paint.EXHAUST: [colours.sheet],
    }


@both_pictures
@pytest.mark.parametrize("kind", [Paint.INK, Paint.QUIET, Paint.INTAKE, Paint.EXHAUST])
def test_words_of_the_machine_can_be_read_on_every_tint(colours, kind):
    assert min(contrast(colours.words[kind], ground) for ground in grounds_of_words(colours)[kind]) >= WORDS


@both_pictures
@pytest.mark.parametrize("paint", [Paint.LINK, Paint.BOTTLENECK, Paint.CABLE])
@pytest.mark.parametrize("ground", [Paint.CASE, Paint.BOARD, Paint.CARD])
def test_links_and_cables_of_the_machine_stand_out(colours, paint, ground):
    below = colours.fill[ground]
    assert contrast(blended(below, colours.fill[paint], CLEAR), below) >= MARKS


@both_pictures
def test_arrows_loads_and_outlines_of_the_machine_stand_out(colours):
    for paint in (Paint.INTAKE, Paint.EXHAUST):
        assert contrast(colours.fill[paint], colours.fill[Paint.CASE]) >= MARKS
        assert contrast(colours.fill[paint], colours.sheet) >= MARKS
    for paint in (Paint.LOAD, Paint.OVERLOAD):
        assert contrast(colours.fill[paint], colours.fill[Paint.GAUGE]) >= MARKS
    for ground in (Paint.CASE, Paint.BOARD):
        assert contrast(colours.chosen, colours.fill[ground]) >= MARKS
    assert contrast(colours.edge[Paint.CASE], colours.sheet) >= MARKS
