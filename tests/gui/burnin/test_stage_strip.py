"""The stages of a run, few or very many, with the current one in sight."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from core.burnin.record.rows import Event, EventLevel, ResultStatus, StageResult, StageRow, StageStatus
from gui.burnin.run.stage_strip import LEAST_WIDTH, StageStrip
from tests.gui.pointer import turn_of_wheel


def stage(number, status=StageStatus.PENDING):
    return StageRow(number, "gemm", f"Verified GEMM, round {number}", 60.0, status, 0.5, None, None, None)


def recording(count, current=None, results=()):
    rows = [stage(number, StageStatus.RUNNING if number == current else StageStatus.PENDING) for number in range(count)]
    return SimpleNamespace(stages=rows, results=list(results), running=True, last_s=10.0, devices=[], errors=[])


def ended(*, results=(), errors=()):
    """One stage that is over on GPU-a and GPU-b, both of which passed unless it is said otherwise."""
    passed = [StageResult(0, device, ResultStatus.PASSED, "") for device in ("GPU-a", "GPU-b")]
    by_device = {result.device_id: result for result in (*passed, *results)}
    run = recording(1, results=by_device.values())
    run.devices = [SimpleNamespace(device=SimpleNamespace(id=device), burned=True) for device in by_device]
    run.stages = [replace(stage(0, StageStatus.DONE), started_s=0.0, ended_s=60.0)]
    run.errors, run.running = list(errors), False
    return run


@pytest.mark.parametrize(
    ("run", "words", "tone"),
    [
        (ended(), "passed", "pass"),
        (ended(results=[StageResult(0, "GPU-b", ResultStatus.FAILED, "")]), "1 of 2 passed, 1 FAILED", "fail"),
        (ended(results=[StageResult(0, "GPU-b", ResultStatus.NOT_RUN, "")]), "1 of 2 passed, 1 NOT RUN", "unknown"),
        (ended(errors=[Event(1, 10.0, "", "GPU-b", EventLevel.ERROR, "ecc", "x")]), "1 of 2 passed, 1 FAILED", "fail"),
        (ended(errors=[Event(1, 10.0, "", "GPU-b", EventLevel.ERROR, "lost", "x")]), "1 of 2 passed, 1 LOST", "fail"),
    ],
)
def test_a_stage_in_which_one_card_failed_is_not_green(bar, run, words, tone):
    bar.set_recording(run)
    (item,) = bar.items
    assert item.accessibleName() == f"Verified GEMM, round 0: {words}, round 0"
    assert item.piece.colour == tone


@pytest.fixture
def bar(qtbot):
    bar = StageStrip()
    qtbot.addWidget(bar)
    bar.resize(900, 60)
    bar.show()
    return bar


def in_sight(bar, place):
    return bar.items[place].isVisible()


def test_a_few_stages_share_the_width_without_the_line_of_all(bar, qtbot):
    bar.set_recording(recording(5))
    qtbot.waitUntil(lambda: all(item.isVisible() and item.height() > 20 for item in bar.items))
    assert bar.overview.isHidden()


def test_of_a_hundred_stages_the_current_one_is_in_sight_when_it_begins(bar, qtbot):
    bar.set_recording(recording(120, current=0))
    assert not bar.overview.isHidden()
    bar._recording = recording(120, current=77)
    bar.refresh()
    qtbot.waitUntil(lambda: in_sight(bar, 77))
    assert not in_sight(bar, 0)
    assert "stage 78 of 120" in bar.times.text()


@pytest.mark.parametrize("width", [1424, 1008, 640, 420, 300])
@pytest.mark.parametrize("current", [0, 9, 17])
def test_of_eighteen_stages_those_in_sight_are_whole_and_the_current_is_among_them(bar, qtbot, width, current):
    bar.resize(width, 60)
    bar.set_recording(recording(18, current=current))
    qtbot.wait(10)
    seen = [item for item in bar.items if item.isVisible()]
    edges = [(item.mapTo(bar, QPoint(0, 0)).x(), item.mapTo(bar, QPoint(item.width(), 0)).x()) for item in seen]
    assert all(left >= 0 and right <= bar.times.x() for left, right in edges)
    widths = {right - left for left, right in edges}
    assert max(widths) - min(widths) <= 1, "evenly wide"
    assert min(widths) >= LEAST_WIDTH or len(seen) == 1
    assert in_sight(bar, current)
    assert not bar.overview.isHidden()


def test_the_wheel_moves_by_whole_stages_to_the_last_and_back(bar, qtbot):
    bar.set_recording(recording(18, current=0))
    qtbot.waitUntil(lambda: in_sight(bar, 0))
    for _ in range(20):
        QApplication.sendEvent(bar._row, turn_of_wheel(bar._row, -120))
    assert in_sight(bar, 17)
    assert not in_sight(bar, 0)
    QApplication.sendEvent(bar._row, turn_of_wheel(bar._row, 120))
    assert not in_sight(bar, 17)


def test_a_press_on_the_line_of_all_brings_that_stage_into_sight(bar, qtbot):
    bar.set_recording(recording(120, current=0))
    place = bar.overview.place_at(bar.overview.width() * 0.5)
    assert place == pytest.approx(60, abs=1)
    bar.overview.chosen.emit(place)
    qtbot.waitUntil(lambda: in_sight(bar, place))


def test_the_tooltip_says_what_a_stage_finds_and_how_it_ended(bar):
    ended = recording(1, results=[StageResult(0, "GPU-a", ResultStatus.NOT_RUN, "It needs two GPUs.")])
    ended.stages = [stage(0, StageStatus.DONE)]
    bar.set_recording(ended)
    tip = bar.items[0].toolTip()
    assert "wrong results of the arithmetic units" in tip
    assert "GPU-a: not run. It needs two GPUs." in tip
