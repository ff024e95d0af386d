"""cost: what a build costs over years, in words and as data; refusals name what to change."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli.app import app

BUILD = "two-rtx-5090-desktop"


@pytest.fixture(scope="module")
def folder(module_data_dir: Path) -> Path:
    return module_data_dir


def written(folder: Path, *options: str) -> str:
    result = CliRunner().invoke(app, ["cost", BUILD, "--data-dir", str(folder), *options])
    assert result.exit_code == 0, result.output
    return result.output.replace("\N{NO-BREAK SPACE}", " ")


def reckoned(folder: Path, *options: str) -> dict[str, Any]:
    return json.loads(written(folder, "--json", *options))


def test_twice_the_tariff_is_twice_the_energy_and_the_same_parts(folder: Path) -> None:
    one, two = (reckoned(folder, "--tariff", tariff) for tariff in ("0.2", "0.4"))
    assert two["energy"]["expected"] == pytest.approx(2 * one["energy"]["expected"], rel=1e-4)
    assert two["purchase"] == one["purchase"]
    assert one["sold"]["cards"] == 2


def test_a_language_model_beside_a_rented_card_that_is_named(folder: Path) -> None:
    options = (
        "--tariff",
        "0.3",
        "--model",
        "llama-3.1-8b",
        "--rented",
        "2.49",
        "--rented-gpu",
        "nvidia-h100-sxm5-80gb",
    )
    one = reckoned(folder, *options)
    assert one["work"]["rented_title"] == "NVIDIA H100 SXM5 80GB"
    assert one["rented"]["per_million"]["expected"] == pytest.approx(
        2.49e6 / 3600 / one["work"]["rented"]["expected"], rel=1e-3
    )
    words = written(folder, *options)
    assert "NVIDIA H100 SXM5 80GB: 2.49 USD an hour." in words
    assert "The machine is cheaper after" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tariff", "0.3", "--years", "30"), "years: 30 is more than 20"),
        (("--tariff", "0.3", "--rented-gpu", "nvidia-h100-sxm5-80gb"), "say with --rented what an hour costs"),
        (("--tariff", "0.3", "--network", "cnn", "--model", "llama-3.1-8b"), "give one of them"),
        ((), "--tariff"),
    ],
)
def test_what_cannot_be_reckoned_is_refused_in_a_sentence(rigwright: Any, options: tuple[str, ...], words: str) -> None:
    ended = rigwright("cost", BUILD, *options)
    assert ended.returncode == 2
    assert words in ended.stderr
