"""Sliders of limit, fans and room: every instrument moves, the build does not until it is kept."""

import pytest

from core.parts.vocabulary import Category
from gui.planner.gauges import gauges
from tests.gui.conftest import QUIET


@pytest.fixture
def what_if(document, page):
    document.open(QUIET)
    return page.what_if


def read(what_if):
    return [dial.gauge.value for dial in what_if.dials]


def read_of(document):
    return [gauge.value for gauge in gauges(document.assessment)]


def test_a_slider_moves_every_gauge_and_no_build(document, page, what_if):
    before, build = read(what_if), document.build
    what_if.limit.slider.setValue(70)
    what_if.fans.slider.setValue(100)
    what_if.room.slider.setValue(31)
    what_if.show_now()
    after = read(what_if)
    moved = {place for place, (new, old) in enumerate(zip(after, before, strict=True)) if new != old}
    assert moved == {1, 2, 3, 5}, "training at the wall, PSU load, hottest GPU and noise in training"
    assert after != read_of(document), "what holds is another"
    assert document.build == build
    assert not document.dirty


def test_what_is_kept_is_one_edit_that_undo_takes_back(qtbot, document, what_if):
    build, room_c = document.build, document.conditions.room_c
    what_if.limit.slider.setValue(80)
    what_if.fans.slider.setValue(60)
    what_if.room.slider.setValue(31)
    what_if.show_now()
    tried = read(what_if)
    what_if.keep.click()
    qtbot.waitUntil(lambda: document.assessment.prediction.conditions.room_c == 31)
    assert document.build.fan_share == 0.6
    for line in document.build.of(Category.GPU):
        assert line.power_limit_w == pytest.approx(0.8 * line.part.spec.power_limit_w)
    qtbot.waitUntil(lambda: read(what_if) == tried)
    assert not what_if.keep.isEnabled()
    document.undo_stack.undo()
    assert document.build == build
    assert room_c != 31


def test_as_before_puts_everything_back(what_if):
    before = read(what_if)
    what_if.limit.slider.setValue(50)
    what_if.show_now()
    assert read(what_if) != before
    assert what_if.keep.isEnabled()
    what_if.back.click()
    assert read(what_if) == before
    assert not what_if.keep.isEnabled()
