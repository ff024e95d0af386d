"""Power at the wall on the command line: a file alone, a file attached to a run, and what is asked for."""

import json
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.burnin.record.store import RunStore
from core.platform.errors import ExitCode
from tests.burnin.metered_run import metered_run
from tests.burnin.test_wall_meter_verdict import meter_file, steps
from tests.cli.conftest import Run
from tests.present.report.recorded import record_run


def recorded(folder: Path) -> datetime:
    with closing(RunStore(folder)) as store:
        return datetime.fromisoformat(store.run(metered_run(store, steps())).started_at).astimezone()


def alone(folder: Path) -> Path:
    path = folder / "alone.csv"
    path.write_text("seconds,Power (W)\n" + "".join(f"{s},{95 if s < 300 else 480}\n" for s in range(900)))
    return path


def test_a_file_alone_tells_its_phases_and_says_so(rigwright: Run, data_dir: Path) -> None:
    answer = rigwright("wall", "--import", str(alone(data_dir)), "--build", "quiet-desk-two-cards")
    assert answer.returncode == ExitCode.PASS, answer.stderr
    idle, load, note = answer.stdout.strip().splitlines()
    assert idle.startswith("At the wall when idle: 95\N{NO-BREAK SPACE}W")
    assert load.startswith("At the wall in training: 480\N{NO-BREAK SPACE}W")
    assert "W predicted (alone.csv, Power (W))" in idle
    assert note == "Idle and load are the lowest and highest steady phase of the file itself, not of a run."


def test_a_file_is_attached_to_a_run_and_shown_beside_what_the_run_read(rigwright: Run, data_dir: Path) -> None:
    path = meter_file(data_dir, recorded(data_dir), 90.0, 400.0)
    answer = json.loads(rigwright("wall", "1", "--import", str(path), "--json").stdout)
    assert [(wall["attached"], wall["measured_w"]) for wall in answer["wall"][2:]] == [(True, 90.0), (True, 400.0)]
    assert answer["wall"][2]["file_sha256"]
    assert "plug.csv, Power (W)" in rigwright("wall", "1").stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Name the meter's file"),
        (("1", "--column", "Power"), "Name the meter's file"),
        (("1", "--import", "alone.csv", "--build", "quiet-desk-two-cards"), "compared with its own plan"),
        (("1", "--import", "none.csv"), "none.csv"),
        (("7", "--import", "alone.csv"), "There is no run 7"),
        (("1", "--import", "alone.csv", "--offset", "later"), "'later' is no time"),
        (("1", "--import", "alone.csv", "--column", "Watts"), "has no column 'Watts'"),
        (("--import", "two.csv"), "several columns of power: a (W) and b (W). Choose one with --column"),
    ],
)
def test_what_cannot_be_read_is_said(rigwright: Run, data_dir: Path, words: tuple[str, ...], why: str) -> None:
    recorded(data_dir)
    alone(data_dir)
    (data_dir / "two.csv").write_text("seconds,a (W),b (W)\n0,1,2\n1,2,3\n2,3,4\n")
    arguments = [str(data_dir / word) if word.endswith(".csv") else word for word in words]
    answer = rigwright("wall", *arguments)
    assert (answer.returncode, why in " ".join(answer.stderr.split())) == (ExitCode.USAGE, True), answer.stderr


def test_a_run_without_a_meter_is_not_run_and_a_simulated_one_takes_no_file(rigwright: Run, data_dir: Path) -> None:
    with closing(RunStore(data_dir)) as store:
        record_run(store, simulated=True)
    assert rigwright("wall", "1").stdout.startswith("NOT RUN")
    assert "is simulated" in rigwright("wall", "1", "--import", str(alone(data_dir))).stderr


def test_calibrate_shows_the_wall_before_and_after(rigwright: Run, data_dir: Path) -> None:
    answer = rigwright("calibrate", "quiet-desk-two-cards", "--wall", str(alone(data_dir)), "--json")
    assert answer.returncode == ExitCode.INCOMPLETE, answer.stderr
    document = json.loads(answer.stdout)
    assert [(quantity["title"], quantity["measured"]) for quantity in document["quantities"]] == [
        ("Power at the wall, when idle", 95.0), ("Power at the wall, in training", 480.0),
    ]  # fmt: skip
    assert any("Nothing is fitted to the power at the wall" in sentence for sentence in document["refusals"])


def test_calibrate_shifts_the_times_of_the_meter(rigwright: Run, data_dir: Path) -> None:
    path = meter_file(data_dir, recorded(data_dir) - timedelta(hours=1), 90.0, 400.0)
    words = ("calibrate", "six-rtx-3090-quiet", "--run", "1", "--wall", str(path), "--json")
    refused = rigwright(*words)
    assert "they do not meet" in refused.stderr
    assert "they do not meet" not in rigwright(*words, "--offset", "1h").stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [(("--offset", "1h"), "--offset goes with --wall"), (("--wall", "a.csv", "--offset", "x"), "no time")],
)
def test_calibrate_says_what_an_offset_is_for(rigwright: Run, words: tuple[str, ...], why: str) -> None:
    answer = rigwright("calibrate", "quiet-desk-two-cards", *words)
    assert answer.returncode == 2
    assert why in answer.stderr
