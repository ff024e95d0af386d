"""Noise on the command line: readings of a meter, and the microphone."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.store import RunStore
from core.platform.errors import ExitCode
from tests.burnin.test_noise import quiet_run
from tests.cli.conftest import Run
from tests.machine.sound.generated import fake_recorder, pcm, sine
from tests.present.report.recorded import record_run


def recorded(folder: Path, *, simulated: bool = False) -> None:
    with closing(RunStore(folder)) as store:
        record_run(store, simulated=simulated)


def test_readings_are_entered_and_shown(rigwright: Run, data_dir: Path) -> None:
    recorded(data_dir)
    assert "NOT RUN" in rigwright("noise", "1").stdout
    ended = rigwright("noise", "1", "--idle", "31.5", "--load", "44.2", "--distance", "0.5", "--json")
    levels = [(one["load"], one["measured_dba"], one["distance_m"]) for one in json.loads(ended.stdout)["noise"]]
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
        (("1", "--column", "LAF"), "--column goes with --import"),
        (("--listen",), "is not calibrated"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    rigwright: Run, data_dir: Path, words: tuple[str, ...], why: str
) -> None:
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


HEADER = "Meter;X\nSerial;1\n\ntime;temp_C;LAF;LAS;LCpeak\n"


def idle_levels(first: float, second: float) -> str:
    """A row a second of the idle stage of the recorded run and of what comes after."""
    return "".join(f"{at};23,5;{first};{second};70\n".replace(".", ",") for at in range(120))


def test_of_several_levels_of_a_meters_file_one_is_named(rigwright: Run, data_dir: Path, tmp_path: Path) -> None:
    with closing(RunStore(data_dir)) as store:
        quiet_run(store, noise=False)
    file = tmp_path / "meter.csv"
    file.write_text(HEADER + idle_levels(33.5, 35.5) + "oops;1\n", "utf-8")
    unsaid = rigwright("noise", "1", "--import", str(file))
    assert unsaid.returncode == ExitCode.USAGE
    assert "meter.csv has several levels: LAF, LAS. Choose one with --column" in unsaid.stderr
    wrong = rigwright("noise", "1", "--import", str(file), "--column", "temp")
    assert (wrong.returncode, "no level called temp. It has: LAF, LAS" in wrong.stderr) == (ExitCode.USAGE, True)
    peak = rigwright("noise", "1", "--import", str(file), "--column", "LCpeak")
    assert peak.returncode == ExitCode.USAGE
    taken = rigwright("noise", "1", "--import", str(file), "--column", "las", "--json")
    answer = json.loads(taken.stdout)
    assert (answer["column"], answer["noise"][0]["measured_dba"]) == ("LAS", 35.5)
    assert "1 row left out, line 125: oops, 1" in answer["notes"]


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("time;temp_C;humidity;LCeq;x", "LCeq is not A-weighted"),
        ("time;temp_C;humidity;battery;LAFmax", "no column that says it is a level in dBA"),
    ],
)
def test_a_meters_file_without_a_level_in_dba_is_refused(
    rigwright: Run, data_dir: Path, tmp_path: Path, heading: str, why: str
) -> None:
    with closing(RunStore(data_dir)) as store:
        quiet_run(store, noise=False)
    (tmp_path / "meter.csv").write_text(heading + "\n" + idle_levels(33.5, 35.5), "utf-8")
    answer = rigwright("noise", "1", "--import", str(tmp_path / "meter.csv"))
    assert (answer.returncode, why in answer.stderr) == (ExitCode.USAGE, True), answer.stderr
