"""Language models in the terminal: on a build by `predict`, on the catalogue's cards by `gpus`."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.platform.errors import BadInput
from core.predict.llm.workload import USUAL_MODELS

BUILD = "four-used-rtx-3090"


@pytest.fixture(scope="module")
def folder(module_data_dir: Path) -> Path:
    return module_data_dir


def run(folder: Path, *words: str) -> str:
    """What a command prints, with plain spaces."""
    result = CliRunner().invoke(app, [*words, "--data-dir", str(folder)])
    assert result.exit_code == 0, result.output
    return result.output.replace("\N{NO-BREAK SPACE}", " ")


def refusal(folder: Path, *words: str) -> str:
    """The sentence of a command that does nothing."""
    result = CliRunner().invoke(app, [*words, "--data-dir", str(folder)])
    assert isinstance(result.exception, BadInput), result.output
    return str(result.exception)


def document(folder: Path, *words: str) -> dict[str, Any]:
    return json.loads(run(folder, *words, "--json"))


def test_every_prediction_tells_of_models_of_several_sizes(folder: Path) -> None:
    models = document(folder, "predict", BUILD)["language_models"]
    assert [one["workload"]["model"]["id"] for one in models] == list(USUAL_MODELS)
    fits = {one["workload"]["model"]["id"]: one["fits"] for one in models}
    assert fits["llama-3.1-8b"] == fits["llama-3.1-70b"] == "yes", "two 24 GB cards hold 70B in 4 bit"
    assert fits["deepseek-v3-671b"] == "no"
    printed = run(folder, "predict", BUILD)
    assert "Language models, predicted" in printed and "Llama 3.1 70B" in printed


def test_a_named_model_is_answered_alone_with_memory_speed_and_reasons(folder: Path) -> None:
    printed = run(folder, "predict", BUILD, "--model", "Llama 3.3 70B", "--users", "4")
    assert printed.startswith(
        "Language models, predicted\nLlama 3.1 70B, inference, 4 bit (GGUF Q4_K_M), 8192 tokens: "
    )
    for words in ("4 users at once", "K and V", "Each step reads", "Qwen3 32B"):
        assert words in printed
    assert "At the wall" not in printed


def test_users_at_once_are_faster_together_and_slower_each(folder: Path) -> None:
    alone, four = (
        document(folder, "predict", BUILD, "--model", "qwen3-32b", "--users", users)["language_model"]
        for users in ("1", "4")
    )
    assert alone["decode"]["expected"] < four["decode"]["expected"] < 4 * alone["decode"]["expected"]
    assert alone["memory"][0]["memory"]["cache"]["expected"] < four["memory"][0]["memory"]["cache"]["expected"]


def test_training_has_one_rate_and_no_cache(folder: Path) -> None:
    answer = document(folder, "predict", BUILD, "--model", "llama-3.1-8b", "--task", "qlora")["language_model"]
    assert answer["decode"] is None and answer["train"]["expected"] > 100
    assert answer["memory"][0]["memory"]["cache"]["high"] == 0
    printed = run(folder, "predict", BUILD, "--model", "llama-3.1-405b", "--task", "full", "--context", "2048")
    assert "does not fit" in printed and "GB more than it has" in printed


def test_a_model_of_ones_own_is_read_from_a_file(folder: Path, tmp_path: Path) -> None:
    models = tmp_path / "own.toml"
    models.write_text(
        '[[model]]\nid = "ours"\ntitle = "Ours 3B"\nparameters = 3.2e9\nlayers = 28\nwidth = 3072\ninner = 8192\n'
        'vocabulary = 128256\ntied = true\nlongest_context = 32768\nsource = "ourselves"\n'
        "attention = [{ layers = 28, queries = 3072, kv_heads = 8, kv_values = 2048 }]\n"
    )
    assert "Ours 3B, inference" in run(folder, "predict", BUILD, "--model", "ours", "--models", str(models))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--model", "llama-3.1-7b"), "There is no language model 'llama-3.1-7b'. Did you mean llama-3.1-"),
        (("--users", "4"), "--users is about a language model: name one with --model."),
        (("--model", "llama-3.1-8b", "--context", "1000000"), "tokens at most, not"),
        (("--model", "llama-3.1-8b", "--task", "qlora", "--weights", "q8_0"), "QLoRA keeps the weights as"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(folder: Path, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refusal(folder, "predict", BUILD, *words)


def test_gpus_that_hold_the_model_come_first_and_the_fastest_before_the_others(folder: Path) -> None:
    words = ("gpus", "--network", "llm", "--model", "llama-3.1-70b", "--limit", "1000")
    order = ["yes", "tight", "unknown", "no"]
    predictions = [row["prediction"] for row in document(folder, *words)["gpus"]]
    able = [one for one in predictions if not one["unfit"]]
    assert predictions[: len(able)] == able, "those that cannot run it come last"
    assert [one["fits"] for one in able] == sorted((one["fits"] for one in able), key=order.index)
    rates = [one["decode"]["expected"] for one in able if one["fits"] == "yes" and one["decode"]]
    assert rates == sorted(rates, reverse=True) and len(rates) > 10


def test_more_cards_hold_what_one_does_not(folder: Path) -> None:
    words = ("gpus", "--network", "llm", "--model", "llama-3.1-70b", "--limit", "1000")
    one, two = (
        {row["part"]: row["prediction"]["fits"] for row in document(folder, *words, "--cards", cards)["gpus"]}
        for cards in ("1", "2")
    )
    assert one.keys() == two.keys()
    held = {part for part in one if one[part] == "no" and two[part] == "yes"}
    assert any("3090" in part for part in held)


def test_a_language_model_has_its_own_kind_of_network(folder: Path) -> None:
    assert "Llama 3.1 8B" in run(folder, "gpus", "--network", "llm", "--limit", "3", "--by-price")
    words = ("gpus", "--network", "cnn", "--model", "llama-3.1-8b")
    assert "--model is for --network llm" in refusal(folder, *words)
