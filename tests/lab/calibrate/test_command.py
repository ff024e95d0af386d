"""`rigwright calibrate`: shows before and after, saves when asked, refuses in sentences."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from core.cli.app import app
from core.plan.file import load_build, save_build
from core.platform.errors import BadInput, ExitCode
from tests.lab.calibrate.benches import machine, measured, truth

SOUND = ("--sound", "60", "--distance", "0.5", "--background", "30")


@pytest.fixture
def folder(tmp_path: Path, data_dir: Path) -> Path:
    """With a catalogue in `data`, a build and a file of what was measured on it."""
    build = machine()
    save_build(build, tmp_path / "mine.rig.json")
    measurements = measured(build, truth(1.15, 2.0, 0.6, 1.2))
    cards = [
        {"slot": card.slot, "temperature_c": card.temperature_c, "power_w": card.power_w, "drift_k": 0.1}
        | {"fan_share": card.fan_share}
        for card in measurements.cards
    ]
    content = {"format": "rigwright-measurements", "version": 1, "minutes": 45, "cards": cards, "on": "2026-03-01"}
    (tmp_path / "seen.json").write_text(
        json.dumps(content | {"room_c": measurements.room_c, "case_air_c": measurements.case_air_c})
    )
    return tmp_path


def call(folder: Path, *words: str) -> Result:
    place = ["--data-dir", str(folder / "data")]
    return CliRunner().invoke(app, ["calibrate", str(folder / "mine.rig.json"), *words, *place])


def test_before_and_after_and_every_parameter_are_shown_and_nothing_is_saved_unasked(folder: Path) -> None:
    before = (folder / "mine.rig.json").read_text()
    result = call(folder, "--measurements", str(folder / "seen.json"), *SOUND)
    assert result.exit_code == 0, result.output
    for words in ("Measured", "Before", "After", "Resistance of Test GPU", "Standard error", "Level in training"):
        assert words in result.output
    assert "Nothing was saved" in result.output
    assert (folder / "mine.rig.json").read_text() == before


def test_the_calibrated_build_is_saved_and_read_again(folder: Path) -> None:
    out = folder / "calibrated.rig.json"
    result = call(folder, "--measurements", str(folder / "seen.json"), "-o", str(out), "--json")
    assert result.exit_code == 0, result.output
    output: dict[str, Any] = json.loads(result.output)
    stored = json.loads(out.read_text())["calibration"]
    assert output["calibration"] == stored
    assert output["saved"] == str(out)
    assert {"old", "fitted", "error", "new"} <= set(output["parameters"][0])
    again = load_build(out, lambda _: None).calibration
    assert (again.run, again.on) == ("seen.json", "2026-03-01")
    assert again.coupling is not None
    assert again.flow_case == "case"


def calibrated(folder: Path, *words: str) -> dict[str, Any]:
    """`mine.rig.json` with its calibration, and what was said of it."""
    result = call(folder, *words, "-o", str(folder / "mine.rig.json"), "--json")
    assert result.exit_code == 0, result.output
    output: dict[str, Any] = json.loads(result.output)
    return output


def test_height_and_room_are_kept_with_the_calibration(folder: Path) -> None:
    output = calibrated(folder, "--measurements", str(folder / "seen.json"), "--altitude", "900", "--room", "22")
    assert (output["altitude_m"], output["room_c"]) == (900, 22)
    again = load_build(folder / "mine.rig.json", lambda _: None).calibration
    assert (again.altitude_m, again.room_c, again.replaces) == (900, 22, "")
    assert "2026-03-01, at 900 m, in a room at 22 °C" in call(
        folder, "--measurements", str(folder / "seen.json"), "--altitude", "900", "--room", "22"
    ).output  # fmt: skip


def test_what_a_new_calibration_takes_the_place_of_is_said_and_kept(folder: Path) -> None:
    output = calibrated(folder, "--measurements", str(folder / "seen.json"), *SOUND)
    assert output["replaces"] is None
    result = call(folder, "--measurements", str(folder / "seen.json"))
    assert "It replaces the calibration by seen.json of 2026-03-01, at sea level, in a room at 24 °C" in result.output
    assert "No longer corrected: level in training." in result.output
    output = calibrated(folder, *SOUND)
    assert output["replaces"]["source"] == "seen.json of 2026-03-01"
    assert output["replaces"]["on"] == "2026-03-01"
    assert "resistance of Test GPU" in output["replaces"]["lost"]
    assert "heating between adjacent cards" in output["replaces"]["lost"]
    assert load_build(folder / "mine.rig.json", lambda _: None).calibration.replaces == "seen.json of 2026-03-01"


def test_a_run_that_tells_nothing_ends_incomplete_and_saves_nothing(folder: Path) -> None:
    out = folder / "calibrated.rig.json"
    result = call(folder, "-o", str(out))
    assert result.exit_code == ExitCode.INCOMPLETE
    assert "no card was measured" in result.output
    assert "nothing saved" in result.output
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--sound", "40"), "needs all three"),
        (("--run", "1", "--measurements", "seen.json"), "one of --run, --measurements and --log"),
        (("--run", "1", "--log", "a.csv"), "one of --run, --measurements and --log"),
        (("--run", "7"), "There is no run 7"),
        (("--run", "1", "--slots", "one,two"), "not a list of slots"),
        (("--run", "1", "--slots", "0"), "not a list of slots"),
        (("--run", "1", "--slots", ""), "not a list of slots"),
        (("--slots", "1,3", *SOUND), "give it with --run"),
        (("--altitude", "nan", *SOUND), "altitude_m of nan is not possible"),
        (("--coolant", "-300", *SOUND), "coolant_c of -300 is not possible"),
        (("--measurements", "nowhere.json"), "nowhere.json cannot be read"),
        (("--room", "200", *SOUND), "room_c of 200 is not possible"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(folder: Path, words: tuple[str, ...], sentence: str) -> None:
    result = call(folder, *words)
    assert isinstance(result.exception, BadInput)
    assert sentence in str(result.exception)
