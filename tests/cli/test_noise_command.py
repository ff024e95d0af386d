"""Noise on the command line: readings of a meter, and the microphone."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.store import RunStore
from core.errors import ExitCode
from tests.cli.conftest import Run
from tests.report.recorded import record_run
from tests.sound.generated import fake_recorder, pcm, sine


def recorded(folder: Path, *, simulated: bool = False) -> None:
    with closing(RunStore(folder)) as store:
        record_run(store, simulated=simulated)


def test_readings_are_told_and_shown(rigwright: Run, data_dir: Path) -> None:
    recorded(data_dir)
    assert "NOT RUN" in rigwright("noise", "1").stdout
    told = rigwright("noise", "1", "--idle", "31.5", "--load", "44.2", "--distance", "0.5", "--json")
    levels = [(one["load"], one["measured_dba"], one["distance_m"]) for one in json.loads(told.stdout)["noise"]]
    assert levels == [("idle", 31.5, 0.5), ("training", 44.2, 0.5)]
    assert "Noise in training: 44.2\N{NO-BREAK SPACE}dBA at 0.5" in rigwright("noise", "1").stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Name the run"),
        (("1", "--load", "400"), "level under load cannot be saved"),
        (("1", "--load", "44", "--import", "meter.csv"), "not both"),
        (("1", "--import", "meter.csv"), "meter.csv cannot be read"),
        (("7", "--load", "44"), "There is no run 7"),
        (("--listen",), "is not calibrated"),
    ],
)
def test_what_cannot_be_told_is_said(rigwright: Run, data_dir: Path, words: tuple[str, ...], why: str) -> None:
    recorded(data_dir)
    answer = rigwright("noise", *words)
    assert (answer.returncode, why in answer.stderr) == (ExitCode.USAGE, True), answer.stderr


def test_a_simulated_run_takes_no_readings(rigwright: Run, data_dir: Path) -> None:
    recorded(data_dir, simulated=True)
    assert "is simulated" in rigwright("noise", "1", "--load", "44").stderr


def test_a_calibrated_microphone_shows_what_the_meter_showed(
    rigwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = fake_recorder(tmp_path / "bin", pcm(sine(1000, 0.01, 12.0)))
    monkeypatch.setenv("PATH", f"{sound}{os.pathsep}{os.environ['PATH']}")
    assert rigwright("noise", "--calibrate", "52.3").returncode == ExitCode.PASS
    heard = json.loads(rigwright("noise", "--listen", "--json").stdout)["levels_dba"]
    assert heard == [pytest.approx(52.3, abs=0.1)] * 10


def test_a_run_is_not_begun_with_a_microphone_that_tells_no_level(rigwright: Run) -> None:
    assert "is not calibrated" in rigwright("burn", "--noise", "microphone", "--minutes", "0.1").stderr
    simulated = rigwright("burn", "--noise", "microphone", "--simulate", "3090", "--minutes", "0.1")
    assert "makes no noise" in simulated.stderr
