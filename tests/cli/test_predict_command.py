"""Predictions in the terminal: room, circuit and limit as options, curves as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.errors import BadInput

BUILD = "digits-devbox"


def predicted(tmp_path: Path, *options: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["predict", BUILD, "--json", "--data-dir", str(tmp_path), *options])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


def test_a_warmer_room_makes_warmer_cards(tmp_path: Path) -> None:
    cool, warm = (predicted(tmp_path, "--room", room)["heat"]["cards"][0] for room in ("15", "35"))
    assert warm["inlet_c"]["expected"] > cool["inlet_c"]["expected"] + 15
    assert warm["kept_share"] <= cool["kept_share"]


def test_a_limit_saves_watts_and_a_tariff_gives_a_cost(tmp_path: Path) -> None:
    usual, less = predicted(tmp_path, "--tariff", "0.3"), predicted(tmp_path, "--limit", "180", "--tariff", "0.3")
    assert less["wall_w"]["training"]["expected"] < usual["wall_w"]["training"]["expected"] - 150
    assert less["energy"]["cost"]["day"]["expected"] < usual["energy"]["cost"]["day"]["expected"]


def test_a_region_changes_voltage_and_current(tmp_path: Path) -> None:
    america, europe = (predicted(tmp_path, "--region", region) for region in ("us-120v-15a", "eu-230v-16a"))
    assert america["current_a"]["training"]["expected"] > 1.8 * europe["current_a"]["training"]["expected"]


def test_a_room_throws_sound_back(tmp_path: Path) -> None:
    free, small = predicted(tmp_path), predicted(tmp_path, "--volume", "30")
    key = "noise_load_in_room_dba"
    assert small[key]["expected"] > free[key]["expected"] + 4


def test_the_limits_that_fit_are_told_with_their_cost(tmp_path: Path) -> None:
    [noise, temperature] = predicted(tmp_path, "--fit-noise", "42", "--fit-temperature", "75")["limits"]
    assert noise["after"] <= 42
    assert temperature["speed"]["expected"] < 1
    result = CliRunner().invoke(app, ["predict", BUILD, "--data-dir", str(tmp_path), "--fit-circuit", "--curves"])
    assert "Wall power in training" in result.output
    assert "All GPUs at" in result.output


def test_curves_are_data_for_plots(tmp_path: Path) -> None:
    told = predicted(tmp_path, "--curves")
    assert len(told["over_time"]) == 4
    assert [row["share"] for row in told["over_limits"]][-1] == 1.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--room", "90"], "outside -10 to 50 C"),
        (["--distance", "0"], "outside 0.1 to 20 m"),
        (["--region", "moon"], "Unknown region 'moon'"),
        (["--limit", "0"], "power limit is 1 to 5000 W"),
    ],
)
def test_impossible_conditions_end_in_a_sentence(tmp_path: Path, options: list[str], sentence: str) -> None:
    result = CliRunner().invoke(app, ["predict", BUILD, "--data-dir", str(tmp_path), *options])
    assert result.exit_code != 0
    assert sentence in f"{result.output} {result.exception}"


def test_what_is_not_predicted_is_said(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["predict", "nvidia-dgx-1", "--data-dir", str(tmp_path)])
    assert "Not predicted" in result.output
    assert "is a module: its temperature depends on the system that it sits in." in result.output


@pytest.mark.parametrize("option", ["--fit-noise", "--fit-temperature"])
def test_a_goal_that_is_no_number_is_refused(tmp_path: Path, option: str) -> None:
    result = CliRunner().invoke(app, ["predict", BUILD, "--data-dir", str(tmp_path), option, "nan"])
    assert isinstance(result.exception, BadInput)


def test_power_of_cards_that_heat_holds_back_says_that_it_is_the_upper_end(tmp_path: Path) -> None:
    assert any("heat holds back draw less" in words for words in predicted(tmp_path, "--room", "40")["assumptions"])
