"""What a machine tells of its run: each event and each minute once, from wherever somebody knows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.burnin.record.rows import EventLevel, RunStatus
from core.burnin.run.lock import take_runner_lock
from core.fleet.lines import Cursor, EventLine, Line, MachineLine, MinuteLine, StateLine, read_line
from core.fleet.stream import RunStream, this_machine
from core.platform.errors import BadInput
from tests.gui.burnin.fake_run import FakeRun


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Any]:
    lock = take_runner_lock(tmp_path)
    with closing(made_up(tmp_path)) as made:
        yield made
    lock.release()


def made_up(folder: Path) -> Any:
    """A recording that is written second by second."""
    return FakeRun(folder)


def of_type(lines: list[Line], kind: type[Any]) -> list[Any]:
    return [line for line in lines if isinstance(line, kind)]


def test_without_a_run_the_state_says_so(tmp_path: Path) -> None:
    (state,) = RunStream(tmp_path).poll()
    assert isinstance(state, StateLine)
    assert (state.run, state.status, state.cards) == (None, None, ())


def test_events_and_minutes_are_told_once(run: Any, tmp_path: Path) -> None:
    stream = RunStream(tmp_path)
    run.event(1.0, "first")
    run.ticks(range(150))
    lines = list(stream.poll())
    assert [line.message for line in of_type(lines, EventLine)] == ["first"]
    assert [line.minute for line in of_type(lines, MinuteLine)] == [0, 1], "the third one is not over"
    run.event(150.0, "second", EventLevel.WARN)
    run.ticks(range(150, 185))
    lines = list(stream.poll())
    assert [(line.message, line.level) for line in of_type(lines, EventLine)] == [("second", EventLevel.WARN)]
    assert [line.minute for line in of_type(lines, MinuteLine)] == [2]
    assert of_type(list(stream.poll()), MinuteLine) == []


def test_a_minute_is_the_mean_of_its_samples(run: Any, tmp_path: Path) -> None:
    run.ticks(range(120))
    (first, *_) = of_type(list(RunStream(tmp_path).poll()), MinuteLine)
    for device in run.devices:
        block = run.store.samples(run.id, device.id, names=("power_w",))
        assert first.cards[device.id]["power_w"] == pytest.approx(block[block[:, 0] < 60, 1].mean(), abs=1e-3)
        assert "tokens_per_s" not in first.cards[device.id], "nothing measured it"


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 400), max_size=4).map(sorted))
def test_cut_anywhere_nothing_is_lost_and_nothing_comes_twice(
    cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("cut")
    with take_runner_lock(place), closing(made_up(place)) as run:
        lines: list[Line] = []
        cursor, second = None, 0
        for until in [*cuts, 430]:
            for each in range(second, until):
                run.tick(float(each))
                if each % 37 == 0:
                    run.event(float(each), f"at {each}")
            second = max(second, until)
            stream = RunStream(place, cursor)
            lines += list(stream.poll())
            state = of_type(lines, StateLine)[-1]
            cursor = Cursor.parse(state.cursor)
    assert [line.message for line in of_type(lines, EventLine)] == [f"at {each}" for each in range(0, 430, 37)]
    assert [line.minute for line in of_type(lines, MinuteLine)] == list(range(430 // 60))


def test_errors_are_counted_the_same_from_any_cursor(run: Any, tmp_path: Path) -> None:
    run.load = 1.0
    live = RunStream(tmp_path)
    for second in range(140):
        run.errors[1] = second // 50
        run.tick(float(second))
        if second % 20 == 0:
            list(live.poll())
    attached = RunStream(tmp_path, Cursor(run=run.id, minutes=1))
    for stream in (live, attached):
        state = of_type(list(stream.poll()), StateLine)[-1]
        assert [sum(card.errors.values()) for card in state.cards] == [0, 2]


def test_figures_are_the_newest_that_were_measured(run: Any, tmp_path: Path) -> None:
    run.ticks(range(70))
    state = of_type(list(RunStream(tmp_path).poll()), StateLine)[-1]
    for device, card in zip(run.devices, state.cards, strict=True):
        block = run.store.samples(run.id, device.id, names=("temperature_c",))
        assert card.figures["temperature_c"] == block[-1, 1]
        assert not any(np.isnan(value) for value in card.figures.values())


def test_the_end_is_told_with_the_verdict_and_the_last_part_of_a_minute(run: Any, tmp_path: Path) -> None:
    run.play()
    stream = RunStream(tmp_path)
    before = of_type(list(stream.poll()), MinuteLine)
    run.finish()
    lines = list(stream.poll())
    state = of_type(lines, StateLine)[-1]
    assert (state.status, state.outcome, state.run_pct, state.remaining_s) == (RunStatus.FINISHED, "PASS", 100.0, 0.0)
    assert {card.outcome for card in state.cards} == {"PASS"}
    seconds = run.store.last_time_s(run.id)
    assert len(before) + len(of_type(lines, MinuteLine)) == int(seconds // 60) + 1


def test_lines_come_back_as_they_were(run: Any, tmp_path: Path) -> None:
    run.ticks(range(70))
    run.event(3.0, "an event")
    lines = [this_machine(tmp_path), *RunStream(tmp_path).poll()]
    assert [read_line(line.model_dump_json(exclude_none=True)) for line in lines] == lines
    assert {type(line) for line in lines} == {MachineLine, EventLine, MinuteLine, StateLine}


@pytest.mark.parametrize(
    "line", ["", "{}", "null", '{"type": "state"}', '{"type": "minute", "run": 1}', '{"type": "x"}', "[" * 5000]
)
def test_a_line_that_is_none_is_refused_in_a_sentence(line: str) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_line(line)


@pytest.mark.parametrize("text", ["", "7", "7.1", "7.1.2.3", "a.b.c", "0.1.1", "7.-1.0", "1e9.0.0", "9" * 40])
def test_a_cursor_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is no cursor"):
        Cursor.parse(text)


def test_a_machine_is_told_by_its_board(tmp_path: Path) -> None:
    dmi = tmp_path / "sys/class/dmi/id"
    dmi.mkdir(parents=True)
    (dmi / "board_serial").write_text("MB-123\n")
    (dmi / "product_serial").write_text("SYS-9\n")
    assert this_machine(tmp_path, root=tmp_path).identity == "MB-123"
    (dmi / "board_serial").write_text("To be filled by O.E.M.\n")
    assert this_machine(tmp_path, root=tmp_path).identity == "SYS-9"
