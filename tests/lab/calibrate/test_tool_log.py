"""A log of another tool calibrates a build by the steady end of its load, which its own figures tell."""

import json
import math
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from core.burnin.measured.run import LoadPeriod, last_load, load_of_all, measured_run
from core.burnin.record.sample_files import import_log
from core.burnin.record.store import RunStore
from core.cli.app import app
from core.lab.calibrate.measurements import Measurements
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.plan.file import save_build
from core.platform.errors import BadInput, ExitCode
from tests.lab.calibrate.benches import machine

PRODUCT = {"product": "GeForce RTX 3090"}
STEP_S = 5
REST_S, LOAD_S = 300, 3000
NOTHING = np.full(100, np.nan)
TIMES = np.arange(100.0) * 10


def write_log(
    path: Path, *, warming_s: float = 300, utilisation: bool = True, name: str = "NVIDIA GeForce RTX 3090"
) -> Path:
    """Two cards of one kind: at rest, under load for 50 minutes, at rest again."""
    begin = datetime(2026, 3, 1, 10)
    lines = [
        "timestamp, index, name, temperature.gpu, power.draw [W], fan.speed [%]" + ", utilization.gpu [%]" * utilisation
    ]
    for second in range(0, 2 * REST_S + LOAD_S, STEP_S):
        for card in range(2):
            passed = second - REST_S
            busy = 0 <= passed < LOAD_S
            heat = 1 - math.exp(-max(min(passed, LOAD_S), 0) / warming_s)
            temperature = 40 + (30 + card) * heat - (20 if passed >= LOAD_S else 0)
            cells = [f"{begin + timedelta(seconds=second):%Y/%m/%d %H:%M:%S}.071", str(card), name]
            cells += [f"{temperature:.2f}", f"{200 + 7 * card if busy else 20}.00 W", f"{60 if busy else 30} %"]
            cells += [f"{99 if busy else 0} %"] if utilisation else []
            lines.append(", ".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def measured(folder: Path, log: Path, *, window_s: float = 600.0) -> Measurements:
    run_id = import_log(folder, log, read_tool_log(log))
    with closing(RunStore(folder)) as store:
        return measured_run(store, run_id, machine((1, 3), **PRODUCT), window_s=window_s)


@pytest.mark.parametrize("utilisation", [True, False])
def test_the_means_are_those_of_the_last_minutes_under_load(tmp_path: Path, *, utilisation: bool) -> None:
    measurements = measured(tmp_path, write_log(tmp_path / "log.csv", utilisation=utilisation))
    assert measurements.minutes == pytest.approx(LOAD_S / 60, abs=0.2)
    assert [card.power_w for card in measurements.cards] == [200, 207]
    assert [card.temperature_c for card in measurements.cards] == pytest.approx([70, 71], abs=0.05)
    assert [card.fan_share for card in measurements.cards] == [0.6, 0.6]
    assert all(abs(card.drift_k) < 0.1 for card in measurements.cards)
    assert measurements.on == "2026-03-01"


def test_a_shorter_window_takes_fewer_minutes(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.csv", warming_s=3000)
    ten, five = measured(tmp_path, log), measured(tmp_path, log, window_s=300)
    assert five.cards[0].temperature_c > ten.cards[0].temperature_c + 0.5


@pytest.mark.parametrize(
    ("warming_s", "ends"), [(300, ExitCode.PASS), (3000, ExitCode.INCOMPLETE)], ids=["steady", "still warming"]
)
def test_a_log_calibrates_from_the_command_line_or_is_refused_with_its_figure(
    tmp_path: Path, data_dir: Path, warming_s: float, ends: ExitCode
) -> None:
    plan = tmp_path / "plan.rig.json"
    save_build(machine((1, 3), **PRODUCT), plan)
    log = write_log(tmp_path / "log.csv", warming_s=warming_s)
    words = ["calibrate", str(plan), "--log", str(log), "--room", "24", "--data-dir", str(data_dir), "--json"]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == ends, ended.output
    answer = json.loads(ended.output)
    of_time = [text for text in answer["refusals"] if "50 minutes under load" in text and "K in the last ten" in text]
    assert answer["calibration"] if ends is ExitCode.PASS else of_time


@pytest.mark.parametrize(
    ("figures", "seconds", "sentence"),
    [
        ("40, 25.00 W, 0 %", 1200, "no time in which all GPUs worked"),
        ("70, 300.00 W, 99 %", 240, r"went on for 4\.0 minutes"),
    ],
    ids=["without a load", "shorter than the window"],
)
def test_a_log_without_a_load_as_long_as_the_window_is_refused(
    tmp_path: Path, figures: str, seconds: int, sentence: str
) -> None:
    log = tmp_path / "log.csv"
    rows = (f"2026/03/01 10:{second // 60:02d}:{second % 60:02d}.000, 0, {figures}" for second in range(seconds))
    heading = "timestamp, index, temperature.gpu, power.draw [W], utilization.gpu [%]"
    log.write_text("\n".join((heading, *rows)) + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=sentence):
        measured(tmp_path, log)


def test_cards_of_another_name_are_not_taken_for_the_builds(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be matched by name"):
        measured(tmp_path, write_log(tmp_path / "log.csv", name="NVIDIA GeForce RTX 4090"))


@pytest.mark.parametrize(
    ("busy", "expected"),
    [
        ([(20, 90)], LoadPeriod(200, 890)), ([(5, 40), (60, 90)], LoadPeriod(600, 890)),
        ([(20, 50), (54, 90)], LoadPeriod(200, 890)), ([], None),
    ],
    ids=["one", "the last of two", "with a short pause", "none"],
)  # fmt: skip
def test_a_load_is_where_the_card_was_busy(busy: list[tuple[int, int]], expected: LoadPeriod | None) -> None:
    utilisation = np.zeros(100)
    for first, last in busy:
        utilisation[first:last] = 99
    assert last_load(TIMES, utilisation, NOTHING) == expected
    if busy:
        assert last_load(TIMES, NOTHING, 30 + 3 * utilisation) == expected


def test_power_tells_nothing_where_it_never_changes_much() -> None:
    assert last_load(TIMES, NOTHING, np.full(100, 30.0)) is None
    assert last_load(TIMES, NOTHING, NOTHING) is None


def test_all_cards_must_have_worked_at_once() -> None:
    assert load_of_all([LoadPeriod(0, 100), LoadPeriod(20, 90)]) == LoadPeriod(20, 90)
    assert load_of_all([LoadPeriod(0, 100), LoadPeriod(200, 300)]) is None
    assert load_of_all([LoadPeriod(0, 100), None]) is None
