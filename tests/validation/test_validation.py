"""Measured cases: their words are read, what cannot be predicted says why, and errors are counted honestly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.errors import BadInput
from core.parts.part import Part
from core.parts.shipped import shipped_parts
from core.parts.vocabulary import GpuCooling
from core.validation.cases import COLUMNS, Measured, read_cases
from core.validation.facts import Facts, card_of
from core.validation.outcome import NO_MODEL, NO_PART, predict_cases, scores

HEADER = ",".join(COLUMNS)


@pytest.fixture(scope="module")
def parts() -> Sequence[Part]:
    return list(shipped_parts())


def case(configuration: str, quantity: str, condition: str, value: float, **changes: object) -> Measured:
    given = {"unit": "C", "distance_m": None, "source": "a snapshot", "trust": "B"} | changes
    return Measured("X1", configuration, quantity, condition, value, **given)  # type: ignore[arg-type]


def test_words_are_read_as_figures() -> None:
    facts = Facts(
        case("3x RTX 3090 stacked directly on each other", "gpu_temp", "GPU1: 147 W board power, fan 30 %", 60)
    )
    assert (facts.count, facts.watts, facts.fan_share, facts.free_slots) == (3, 147, 0.30, 0)
    facts = Facts(case("Palit RTX 4090 GameRock, open bench, 25+-1 C", "gpu_temp", "average, 1252.6 rpm", 60))
    assert (facts.room_c, facts.rpm, facts.in_the_open, facts.cooling) == (25, 1252.6, True, GpuCooling.OPEN_AIR)
    assert Facts(case("GTX 980 SLI", "gpu_temp", "one slot gap", 80)).free_slots == 1


@pytest.mark.parametrize(
    ("configuration", "product"),
    [
        ("1x RTX 3090 training", "GeForce RTX 3090"),
        ("2x GTX 1080 Ti open-air", "GeForce GTX 1080 Ti"),
        ("GTX 1080 FE blower", "GeForce GTX 1080"),
        ("1x RTX A6000 blower workstation", "RTX A6000"),
        ("an unknown card", None),
    ],
)
def test_the_card_is_found_by_its_product(configuration: str, product: str | None, parts: Sequence[Part]) -> None:
    found = card_of(case(configuration, "gpu_temp", "", 0), parts)
    assert getattr(found.spec if found else None, "product", None) == product


MEASURED = [
    case("1x RTX 3090 training", "gpu_temp", "GPU0: 342 W board power, fan 58 %", 66),
    case("1x RTX A6000 blower workstation", "gpu_temp", "GPU0: 295 W board power, fan 71 %", 85),
    case("GTX 1080 Ti FE blower", "gpu_temp", "training", 84),
    case("a tower, three 120 mm fans", "noise", "single fans 26-27 / 26-27 / 25 dBA", 31, unit="dBA"),
    case("Tower PC", "noise", "closed (panels removed: 40.4 dBA)", 38.1, unit="dBA"),
    case("4x RTX 3090, training", "relative_performance", "power limit 280 W of 350 W", 0.95, unit="fraction"),
    case("1x RTX 3090, training", "relative_performance", "power limit 320 W, relative to 480 W", 0.95, unit=""),
    case("RTX 5090 FE (575 W)", "gpu_peak_power", "excursion duration 1-5 ms", 823.6, unit="W"),
    case("RTX 5090 FE (575 W)", "gpu_peak_power", "excursion duration 10-20 ms", 627.5, unit="W"),
    case("Corsair AX650 (80 PLUS Gold)", "psu_efficiency", "20 % load", 88.8, unit="%"),
    case("Corsair AX650 (80 PLUS Gold)", "psu_efficiency", "50 % load", 92.2, unit="%"),
]
"""Published by owners and reviewers: nvidia-smi snapshots, Silent PC Review, Tom's Hardware."""


def test_published_cases_come_out_inside_the_band(parts: Sequence[Part]) -> None:
    outcomes = predict_cases(MEASURED, parts)
    assert [outcome.case.configuration for outcome in outcomes if not outcome.inside] == []
    assert {score.quantity for score in scores(outcomes)} == {case.quantity for case in MEASURED}
    assert all(score.inside == 1 and score.mean_error_pct < 15 for score in scores(outcomes))


def test_a_case_that_cannot_be_predicted_says_why(parts: Sequence[Part]) -> None:
    smell, nobody = predict_cases(
        [case("1x RTX 3090", "smell", "", 3), case("1x Voodoo 5", "gpu_temp", "training", 70)], parts
    )
    assert (smell.reason, nobody.reason) == (NO_MODEL, NO_PART)
    assert smell.error is None
    assert scores([smell, nobody]) == []


def test_the_command_prints_errors_and_their_means(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    row = 'V1,"1x RTX 3090 training",gpu_temp,"GPU0: 342 W board power, fan 58 %",66,C,,somebody,C'
    file.write_text(f"{HEADER}\n{row}\n")
    result = CliRunner().invoke(app, ["validate", str(file), "--data-dir", str(tmp_path)])
    assert result.exit_code == 0
    assert "Mean error" in result.output
    assert (
        '"inside": true'
        in CliRunner().invoke(app, ["validate", str(file), "--data-dir", str(tmp_path), "--json"]).output
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "lacks the columns condition, configuration"),
        (f"{HEADER}\nV1,x,noise,y,loud,dBA,,z,A\n", "line 2: value is 'loud', which is no number"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "cases.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=sentence):
        read_cases(file)


@pytest.mark.parametrize(
    ("column", "text"), [("value", "nan"), ("value", "inf"), ("distance_m", "0"), ("distance_m", "-1")]
)
def test_figures_that_cannot_be_measured_are_refused_with_their_line(tmp_path: Path, column: str, text: str) -> None:
    row = dict.fromkeys(COLUMNS, "x") | {"value": "40", "distance_m": "1"} | {column: text}
    file = tmp_path / "cases.csv"
    file.write_text(f"{HEADER}\n{','.join(row[name] for name in COLUMNS)}\n")
    with pytest.raises(BadInput, match=f"line 2: {column}"):
        read_cases(file)
