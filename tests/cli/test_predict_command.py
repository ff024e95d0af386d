"""Predictions in the terminal: room, circuit and limit as options, curves as data."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.plan.templates import TEMPLATES

BUILD = "digits-devbox"
LOADS = ("idle", "training", "all-core", "everything")


@pytest.fixture(scope="module")
def folder(module_data_dir: Path) -> Path:
    return module_data_dir


def predicted(folder: Path, *options: str, build: str = BUILD) -> dict[str, Any]:
    return json.loads(written(folder, "--json", *options, build=build))


def written(folder: Path, *options: str, build: str = BUILD) -> str:
    """The words of the terminal, with plain spaces."""
    result = CliRunner().invoke(app, ["predict", build, "--data-dir", str(folder), *options])
    assert result.exit_code == 0, result.output
    return result.output.replace("\N{NO-BREAK SPACE}", " ")


def test_a_warmer_room_makes_warmer_cards(folder: Path) -> None:
    cool, warm = (predicted(folder, "--room", room)["heat"]["cards"][0] for room in ("15", "35"))
    assert warm["inlet_c"]["expected"] > cool["inlet_c"]["expected"] + 15
    assert warm["kept_share"] <= cool["kept_share"]


def test_a_limit_saves_watts_and_a_tariff_gives_a_cost(folder: Path) -> None:
    usual, less = predicted(folder, "--tariff", "0.3"), predicted(folder, "--limit", "180", "--tariff", "0.3")
    assert less["wall_w"]["training"]["expected"] < usual["wall_w"]["training"]["expected"] - 80
    assert less["energy"]["cost"]["day"]["expected"] < usual["energy"]["cost"]["day"]["expected"]


def test_a_region_changes_voltage_and_current(folder: Path) -> None:
    america, europe = (predicted(folder, "--region", region) for region in ("us-120v-15a", "eu-230v-16a"))
    assert america["current_a"]["training"]["expected"] > 1.8 * europe["current_a"]["training"]["expected"]
    assert "US 120 V 15 A has 1440 W left for the machine" in written(folder, "--region", "us-120v-15a")
    assert "EU 230 V 16 A has 3680 W left for the machine" in written(folder, "--region", "eu-230v-16a")


def test_the_load_that_is_asked_for_decides_on_energy_cost_and_circuit(folder: Path) -> None:
    by_load = {load: predicted(folder, "--load", load, "--tariff", "0.3", "--fit-circuit") for load in LOADS}
    for load, one in by_load.items():
        assert one["load"] == load
        day, wall_w = one["energy"]["kwh"]["day"]["expected"], one["wall_w"][load]["expected"]
        assert day == pytest.approx(0.024 * wall_w, rel=1e-3)
        assert one["energy"]["cost"]["day"]["expected"] == pytest.approx(0.3 * day, rel=1e-2)
        assert one["limits"][0]["before"] == pytest.approx(one["at_limits"]["wall_w"][load]["high"], rel=1e-3)
    assert "Idle, 24/7: " in written(folder, "--load", "idle")


def test_peaks_stand_in_five_windows_beside_psu_capability(folder: Path) -> None:
    peaks = predicted(folder)["excursions"]
    assert [row["window_ms"] for row in peaks["windows"]] == [0.1, 1, 10, 100, None]
    for row in peaks["windows"]:
        assert row["share"]["expected"] == pytest.approx(row["demand_w"]["expected"] / row["allowed_w"], abs=0.01)
    assert peaks["coincidence"] == 0.7
    assert peaks["psus"][0]["part"]
    text = written(folder)
    for row in peaks["windows"]:
        assert f"{100 * row['share']['expected']:.0f} % (" in text
    assert "Peaks against PSU capability" in text
    assert "70 % coincide" in text


def test_what_was_asked_for_stands_in_the_document(folder: Path) -> None:
    options = {"room": "30", "distance": "2", "altitude": "800", "region": "uk-230v-13a", "tariff": "0.2"}
    words = (word for name, value in options.items() for word in (f"--{name}", value))
    document = predicted(folder, "--limit", "200", *words)
    assert (document["room_c"], document["distance_m"], document["altitude_m"]) == (30, 2, 800)
    assert (document["tariff_per_kwh"], document["circuit"]["id"]) == (0.2, "uk-230v-13a")
    assert set(document["limits_w"].values()) == {200}


def test_every_option_is_explained() -> None:
    text = CliRunner().invoke(app, ["predict", "--help"]).output
    for option in ("--room", "--distance", "--region", "--tariff", "--load", "--limit", "--curves", "--altitude"):
        assert option in text
    assert "jp-100v-15a" in text


def test_a_room_throws_sound_back(folder: Path) -> None:
    free, small = predicted(folder), predicted(folder, "--volume", "30")
    key = "noise_load_in_room_dba"
    assert small[key]["expected"] > free[key]["expected"] + 4


def test_the_limits_that_fit_are_reported_with_their_cost(folder: Path) -> None:
    [noise, temperature] = predicted(folder, "--fit-noise", "42", "--fit-temperature", "75")["limits"]
    assert noise["after"] <= 42
    assert temperature["speed"]["expected"] < 1
    text = written(folder, "--fit-circuit", "--curves")
    assert "Wall power in training" in text
    assert "Of default limit" in text


def test_curves_are_data_for_plots(folder: Path) -> None:
    document = predicted(folder, "--curves")
    assert len(document["over_time"]) == 4
    assert [row["share"] for row in document["over_limits"]][-1] == 1.0
    for curve in document["over_time"]:
        assert len(curve["minutes"]) == len(curve["low_c"]) == len(curve["expected_c"]) == len(curve["high_c"]) == 61
        assert curve["expected_c"][0] == 25
    assert document["over_time"][0]["expected_c"][-1] > 50
    for key in ("wall_w", "noise_dba", "hottest_c"):
        assert all(row[key][0] <= row[key][1] <= row[key][2] for row in document["over_limits"])
    speeds = [row["speed"]["cnn"][1] for row in document["over_limits"]]
    assert [row["share"] for row in document["over_fans"]][-1] == 1.0
    assert document["over_fans"][0]["case_m3h"][1] < document["over_fans"][-1]["case_m3h"][1]
    assert set(document["over_limits"][0]["speed"]) == {"cnn", "lstm", "transformer"}
    assert speeds[0] < speeds[-1]
    text = written(folder, "--curves")
    assert "Minutes after the start" in text
    assert "Speed, CNN" in text
    assert "Case fans at" in text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--room", "90"], "outside -10 to 50 °C"),
        (["--distance", "0"], "outside 0.1 to 20 m"),
        (["--region", "moon"], "Unknown region 'moon'"),
        (["--limit", "0"], "does not accept a power limit of 0 W"),
        (["--limit", "5000"], "does not accept a power limit of 5000 W"),
        (["--limit", "nan"], "does not accept a power limit of nan W"),
        (["--altitude", "inf"], "outside -500 to 6000 m"),
        (["--tariff", "-1"], "outside 0 to 1e6"),
        (["--fit-noise", "1e9"], "is not a possible goal"),
        (["--fit-noise", "nan"], "is not a possible goal"),
        (["--fit-temperature", "nan"], "is not a possible goal"),
        (["--load", "asleep"], "'asleep' is not one of"),
    ],
)
def test_impossible_conditions_end_in_a_sentence(folder: Path, options: list[str], sentence: str) -> None:
    result = CliRunner().invoke(app, ["predict", BUILD, "--data-dir", str(folder), *options])
    assert result.exit_code != 0
    assert sentence in f"{result.output} {result.exception}"


def test_what_is_not_predicted_is_said(folder: Path) -> None:
    text = written(folder, build="nvidia-dgx-1")
    assert "Not predicted" in text
    assert "is a module: its temperature depends on the system that it is built into." in text


def test_cards_that_heat_holds_back_draw_less_at_the_wall_too(folder: Path) -> None:
    document = predicted(folder, "--room", "40")
    drawn = sum(card["power_w"]["expected"] for card in document["heat"]["cards"])
    parts_w = sum(
        part["dc_w"]["training"]["expected"]
        for part in document["components"]
        if part["part"] == document["throttled"][0]["part"]
    )
    assert parts_w == pytest.approx(drawn, rel=1e-3)
    assert document["wall_w"]["training"]["expected"] < document["at_limits"]["wall_w"]["training"]["expected"] - 50
    assert " W cards run at " in document["throttled"][0]["sentence"]


def test_a_limit_needs_a_card(folder: Path) -> None:
    (folder / "bare.rig.json").write_text('{"format": "rigwright-build", "version": 2, "name": "Bare"}')
    words = ["predict", str(folder / "bare.rig.json"), "--limit", "200", "--data-dir", str(folder)]
    assert "has no GPU" in str(CliRunner().invoke(app, words).exception)


def test_an_empty_name_is_reported() -> None:
    assert "The name of the build is empty" in str(CliRunner().invoke(app, ["predict", ""]).exception)


def test_speed_is_reported_with_its_reasons_and_the_memory(folder: Path) -> None:
    text = written(folder, "--limit", "150", build="researcher-pc")
    for words in ("fits", "tight", "CNN: 2 cards reach", "MB of gradients per step take"):
        assert words in text
    assert "Per 1000 USD" not in text, "what its maker asked for a card no longer sold is no price"
    assert text.count("Power limits and heat hold") == 1, "what holds for all kinds of network stands once"
    network = predicted(folder, "--limit", "150", build="researcher-pc")["speed"]["networks"][0]
    assert network["memory"]["rule_of_thumb_16_bit_parameters"] == 2 * network["memory"]["rule_of_thumb_parameters"]


def test_speed_is_reported_for_the_price_of_cards_that_are_sold(folder: Path) -> None:
    assert "Per 1000 USD of GPUs" in written(folder, build="quiet-desk-two-cards")
    network = predicted(folder, build="quiet-desk-two-cards")["speed"]["networks"][0]
    assert network["per_price"]["gpus_per_1000"]["expected"] > 0


@pytest.mark.parametrize(
    ("build", "all_words"),
    [
        (
            "six-rtx-3090-first-attempt",
            (
                *("Current", "Unthrottled training", "GPU at its limit", "Electrical worst case"),
                *("350 W cards run at", "Closest to PSU capability: 100 µs.", "of the time"),
                *("Intake ", "Exhaust ", "Through the case", "CPU, in training", "CPU, with CPUs and GPUs busy"),
            ),
        ),
        (
            "six-rtx-3090-quiet",
            (
                *("Idle", "Training", "CPUs alone", "CPUs and GPUs", "Apparent power", "PSU load", "Coolant"),
                *("Radiators outside the case", "In words, training", "Various D5 pump, PWM     ", "a pump hums"),
                *("Heat given off to the room", "Exchange", "Memory of one card", "Estimated parts"),
            ),
        ),
    ],
)
def test_everything_predicted_is_printed(folder: Path, build: str, all_words: tuple[str, ...]) -> None:
    text = written(folder, build=build)
    assert [words for words in all_words if words not in text] == []
    peaks = "Power peaks: 70 % coincide"
    assert text.count(peaks) == 1, "what peaks rest on stands with them alone"
    assert text.index(peaks) < text.index("What the predictions assume")


def changed(folder: Path, name: str, **changes: Any) -> str:
    """The file of a template with other values at the top."""
    template = json.loads((TEMPLATES / f"{name}.rig.json").read_text("utf-8"))
    path = folder / "changed.rig.json"
    path.write_text(json.dumps(template | changes), "utf-8")
    return str(path)


@pytest.mark.parametrize("command", ["check", "predict"])
def test_the_prices_that_decide_about_the_budget_stand_under_it(folder: Path, command: str) -> None:
    build = changed(folder, "six-rtx-3090-quiet", budget={"amount": 12_000, "currency": "USD"})
    text = CliRunner().invoke(app, [command, build, "--data-dir", str(folder)]).output
    lines = [line.strip() for line in text.splitlines()]
    [at] = [at for at, line in enumerate(lines) if line.startswith("It depends on the price of ")]
    assert lines[at - 1].startswith("Budget ")
    assert "rigwright parts set rtx-3090-reference-single-slot-block --price=..." in lines


def test_how_many_gpus_work_stands_before_what_they_draw(folder: Path) -> None:
    lines = [{"part": "nvidia-gtx-titan-x-maxwell"}, {"part": "nvidia-gtx-1080-ti-founders-edition", "role": "spare"}]
    build = changed(folder, BUILD, lines=lines)
    text = written(folder, build=build)
    assert text.startswith("GPUs: 1 worker + 1 spare\n\nPower, predicted\n")
    assert text.count("GPUs: ") == 1
