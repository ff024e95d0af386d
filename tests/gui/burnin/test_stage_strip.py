"""The stages of a run, few or very many, with the current one in sight."""

from types import SimpleNamespace

import pytest

from core.burnin.record.rows import ResultStatus, StageResult, StageRow, StageStatus
from gui.burnin.stage_strip import StageStrip


def stage(number, status=StageStatus.PENDING):
    return StageRow(number, "gemm", f"Verified GEMM, round {number}", 60.0, status, 0.5, None, None, None)


def recording(count, current=None, results=()):
    rows = [stage(number, StageStatus.RUNNING if number == current else StageStatus.PENDING) for number in range(count)]
    return SimpleNamespace(stages=rows, results=list(results), running=True, last_s=10.0)


@pytest.fixture
def bar(qtbot):
    bar = StageStrip()
    qtbot.addWidget(bar)
    bar.resize(900, 60)
    bar.show()
    return bar


def in_sight(bar, place):
    left = bar.items[place].mapTo(bar, bar.items[place].rect().topLeft()).x()
    return 0 <= left < bar.width() - bar.times.width()


def test_a_few_stages_share_the_width_without_the_line_of_all(bar):
    bar.set_recording(recording(5))
    assert bar.strip.isHidden()
    assert all(item.height() > 20 for item in bar.items)


def test_of_a_hundred_stages_the_current_one_is_in_sight_when_it_begins(bar, qtbot):
    bar.set_recording(recording(120, current=0))
    assert not bar.strip.isHidden()
    bar._recording = recording(120, current=77)
    bar.refresh()
    qtbot.waitUntil(lambda: in_sight(bar, 77))
    assert not in_sight(bar, 0)
    assert "stage 78 of 120" in bar.times.text()


def test_a_press_on_the_line_of_all_brings_that_stage_into_sight(bar, qtbot):
    bar.set_recording(recording(120, current=0))
    place = bar.strip.place_at(bar.strip.width() * 0.5)
    assert place == pytest.approx(60, abs=1)
    bar.strip.chosen.emit(place)
    qtbot.waitUntil(lambda: in_sight(bar, place))


def test_the_tooltip_says_what_a_stage_finds_and_how_it_ended(bar):
    ended = recording(1, results=[StageResult(0, "GPU-a", ResultStatus.NOT_RUN, "It needs two GPUs.")])
    ended.stages = [stage(0, StageStatus.DONE)]
    bar.set_recording(ended)
    tip = bar.items[0].toolTip()
    assert "wrong results of the arithmetic units" in tip
    assert "GPU-a: not run. It needs two GPUs." in tip
