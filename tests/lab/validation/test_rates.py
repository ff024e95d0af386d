"""Measured rates of language models: rows and words are read, bad ones refused by line, errors counted honestly."""

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.lab.validation.rate_outcome import (
    NO_FORMAT,
    RateOutcome,
    model_of,
    predict_rates,
    rate_aims,
    rate_scores,
    workload_of,
    worst,
)
from core.lab.validation.rates import RATE_COLUMNS, MeasuredRate, Task, are_rates, read_rates
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.predict.band import Band
from core.predict.llm.workload import Offload, Optimiser, Split, WeightFormat
from tests.shipped import shipped_of

FILE = Path(__file__).parents[3] / "assets/measurements/language_models.csv"
ROW = {
    "source": "llama-bench of somebody",
    "date": "2024-05",
    "cards": "GeForce RTX 3090",
    "count": "1",
    "model": "Llama 3 8B Q4_K_M",
    "parameters_b": "8.03",
    "quant_bits": "4.9",
    "task": "decode",
    "batch": "1",
    "context": "1024",
    "tokens_per_s": "111.7",
    "notes": "",
}


def rates_file(folder: Path, *changes: Mapping[str, str]) -> Path:
    """A file with a row for each set of changes to `ROW`."""
    path = folder / "rates.csv"
    rows = [ROW | dict(change) for change in changes]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
    return path


def row(folder: Path, **changes: str) -> MeasuredRate:
    """One row as it is read."""
    return read_rates(rates_file(folder, changes))[0]


@pytest.fixture(scope="module")
def cards() -> Sequence[Part]:
    return shipped_of(Category.GPU)


@pytest.fixture(scope="module")
def shipped(cards: Sequence[Part]) -> list[RateOutcome]:
    """The file that comes with the program, predicted."""
    return predict_rates(read_rates(FILE), cards)


def test_a_file_of_rates_is_recognised_by_its_columns(tmp_path: Path) -> None:
    assert are_rates(rates_file(tmp_path, {}))
    assert not are_rates(FILE.with_name("cases.csv"))
    lacking = tmp_path / "lacking.csv"
    lacking.write_text(",".join(RATE_COLUMNS[1:]) + "\n", encoding="utf-8")
    assert not are_rates(lacking)


@pytest.mark.parametrize(
    ("column", "text", "reason"),
    [
        ("tokens_per_s", "", "tokens_per_s is empty"),
        ("tokens_per_s", "fast", "tokens_per_s is 'fast', which is not a number"),
        ("tokens_per_s", "-3", "which is not between 0 and"),
        ("tokens_per_s", "nan", "which is not a number"),
        ("count", "1.5", "count is '1.5', which is not valid there"),
        ("count", "5000", "which is not between 0 and 1024"),
        ("task", "dream", "task is 'dream', which is not valid there"),
        ("parameters_b", "many", "parameters_b is 'many'"),
        ("batch", "70000", "batch is '70000'"),
        ("split", "by hand", "split is 'by hand'"),
        ("format", "q17", "format is 'q17'"),
        ("optimiser", "luck", "optimiser is 'luck'"),
        ("memory_gb", "all", "memory_gb is 'all'"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused_with_its_line(
    tmp_path: Path, cards: Sequence[Part], column: str, text: str, reason: str
) -> None:
    good, bad = predict_rates(read_rates(rates_file(tmp_path, {}, {column: text})), cards)
    assert good.predicted and not good.reason
    assert bad.predicted is None and bad.reason.startswith("line 3: ") and reason in bad.reason


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    path = rates_file(tmp_path, {})
    path.write_text(path.read_text(encoding="utf-8") + "x" * 200_000, encoding="utf-8")
    with pytest.raises(BadInput, match="line 2: the table cannot be read"):
        read_rates(path)


def test_what_has_no_column_is_read_in_the_words(tmp_path: Path) -> None:
    one = row(tmp_path)
    assert (one.engine, one.split, one.weights, one.suspicious) == (
        "llama.cpp",
        Split.LAYERS,
        WeightFormat.Q4_K_M,
        False,
    )
    shared = row(tmp_path, count="4", source="a page", notes="vLLM 0.19, tensor parallel 4")
    assert (shared.engine, shared.split) == ("vLLM", Split.TENSOR)
    several = row(tmp_path, count="4", notes="tg 1024")
    assert several.split is Split.LAYERS
    trained = row(
        tmp_path, task="train-full", quant_bits="16", count="8", notes="peak 18.9 GiB; optimiser offloaded to CPU; FSDP"
    )
    assert (trained.memory_gb, trained.offload, trained.split) == (18.9, Offload.OPTIMISER, Split.ZERO_3)
    paged = row(tmp_path, task="train-full", notes="peak 7 GB; suspicious: 8-bit/paged optimiser in backward")
    assert (paged.memory_gb, paged.suspicious) == (7.0, True)
    assert (paged.optimiser, paged.split) == (Optimiser.ADAM_8BIT_IN_BACKWARD, Split.DATA)
    mixed = row(tmp_path, model="Qwen3.5-397B-A17B NVFP4", parameters_b="397")
    assert (mixed.active_b, mixed.weights) == (17.0, WeightFormat.NVFP4)


def test_columns_go_before_words(tmp_path: Path) -> None:
    columns = {"engine": "exllama", "split": "tensor", "format": "int4", "memory_gb": "3", "suspicious": "yes"}
    one = row(tmp_path, **columns, count="2", notes="llama.cpp, layer split, peak 9 GB")
    assert (one.engine, one.split, one.weights) == ("exllama", Split.TENSOR, WeightFormat.INT4)
    assert (one.memory_gb, one.suspicious) == (3.0, True)


@pytest.mark.parametrize(
    ("name", "bits", "task", "weights"),
    [
        ("Llama 2 7B", "4.5", "decode", WeightFormat.INT4),
        ("Llama 2 7B", "4.9", "decode", WeightFormat.Q4_K_M),
        ("Llama 2 7B", "16", "decode", WeightFormat.BF16),
        ("Llama 2 7B", "8", "decode", WeightFormat.FP8),
        ("Llama 2 7B", "2.5", "decode", None),
        ("Llama 2 7B F16", "16", "prefill", WeightFormat.BF16),
        ("Llama 2 7B Q8_0", "8.5", "decode", WeightFormat.Q8_0),
        ("Llama 2 7B EXL2", "4", "decode", WeightFormat.INT4),
        ("Llama 2 7B", "4", "qlora", WeightFormat.NF4),
        ("Llama 2 7B", "16", "lora", WeightFormat.BF16),
    ],
)
def test_the_format_is_named_or_follows_from_bits(
    tmp_path: Path, name: str, bits: str, task: str, weights: WeightFormat | None
) -> None:
    assert row(tmp_path, model=name, quant_bits=bits, task=task).weights is weights


def test_weights_in_no_format_are_not_predicted(tmp_path: Path, cards: Sequence[Part]) -> None:
    (one,) = predict_rates([row(tmp_path, model="Llama 2 7B", quant_bits="2.5")], cards)
    assert one.reason == NO_FORMAT


def test_a_model_is_taken_by_its_name_where_it_has_that_size() -> None:
    named = MeasuredRate(2, "", "", "Llama 3 8B Q4_K_M", parameters_b=8.03)
    assert model_of(named).id == "llama-3.1-8b"
    of_that_size = MeasuredRate(2, "", "", "Llama 3 8B Q4_K_M", parameters_b=20)
    assert model_of(of_that_size).parameters == pytest.approx(20e9, rel=0.05)
    mixture = MeasuredRate(2, "", "", "Nobody's mixture", parameters_b=30, active_b=3)
    assert model_of(mixture).is_mixture and model_of(mixture).active == 3e9
    with pytest.raises(BadInput, match="no language model of a size"):
        model_of(MeasuredRate(2, "", "", "a word list", parameters_b=0.001))


def test_a_workload_is_what_the_row_says(tmp_path: Path) -> None:
    trained = row(tmp_path, task="train-full", quant_bits="16", batch="6", context="2048", recompute="no", count="8")
    workload = workload_of(trained)
    assert (workload.requests, workload.context, workload.recompute) == (6, 2048, False)
    assert workload.split is Split.ZERO_3


def test_a_name_that_several_cards_have_may_mean_any_of_them(tmp_path: Path, cards: Sequence[Part]) -> None:
    path = rates_file(tmp_path, {"cards": "A100 80GB"}, {"cards": "A100 80GB", "part": "nvidia-a100-sxm4-80gb"})
    either, one = predict_rates(read_rates(path), cards)
    assert either.part_ids == ("nvidia-a100-pcie-80gb", "nvidia-a100-sxm4-80gb")
    assert one.part_ids == ("nvidia-a100-sxm4-80gb",)
    assert either.predicted and one.predicted
    assert either.predicted.low < one.predicted.low and either.predicted.high == one.predicted.high


def test_a_card_that_the_catalogue_lacks_is_not_predicted(tmp_path: Path, cards: Sequence[Part]) -> None:
    (one,) = predict_rates([row(tmp_path, cards="Voodoo 2")], cards)
    assert one.predicted is None and one.reason == "it names no part of the catalogue"


def outcome(line: int, measured: float, **changes: object) -> RateOutcome:
    """Of a prediction of 50 to 200, expected 100."""
    rate = MeasuredRate(line, "", "A", "M", tokens_per_s=measured, engine="llama.cpp", **changes)  # type: ignore[arg-type]
    return RateOutcome(rate, ("a",), "GDDR", Band(50, 100, 200, "tokens/s"))


def test_errors_are_counted_over_what_was_measured() -> None:
    outcomes = [*(outcome(line, 100) for line in range(2, 10)), outcome(10, 80), outcome(11, 400)]
    outcomes += [outcome(12, 1, suspicious=True), outcome(13, 125, task=Task.PREFILL)]
    decode, prefill = rate_scores(outcomes)
    assert (decode.group, decode.memory, decode.rows) == ("decode, one request, llama.cpp with CUDA", "GDDR", 10)
    assert decode.mean_pct == pytest.approx((25 + 75) / 10)
    assert (decode.ninth_tenth_pct, decode.worst_pct) == (pytest.approx(25), pytest.approx(75))
    assert decode.inside == 0.9
    assert (prefill.group, prefill.mean_pct) == ("prefill", pytest.approx(20))
    assert [one.rate.line for one in worst(outcomes)][:3] == [11, 10, 13]


def test_aims_count_the_rows_that_bear_on_them() -> None:
    law, others = outcome(2, 80), outcome(3, 140)
    others = RateOutcome(MeasuredRate(3, "", "A", "M", tokens_per_s=140, engine="vLLM"), ("a",), "GDDR", law.predicted)
    batch = outcome(4, 300, batch=8)
    gddr, hbm, engines, rest, peaks = rate_aims([law, others, batch])
    assert (gddr.found, gddr.cases, gddr.met) == (pytest.approx(25), 1, False)
    assert (hbm.found, hbm.met) == (None, None)
    assert (engines.found, engines.cases) == (0, 1)
    assert (rest.found, rest.cases, peaks.cases) == (0, 1, 0)


def test_the_command_prints_groups_and_the_worst_rows(tmp_path: Path) -> None:
    path = rates_file(tmp_path, {}, {"tokens_per_s": "1"}, {"cards": "Voodoo 2"}, {"notes": "suspicious"})
    shown = CliRunner().invoke(app, ["validate", str(path), "--data-dir", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    for words in ("decode, one request", "GDDR", "Nine of ten within", "Voodoo 2", "1 suspicious row is not judged."):
        assert words in shown.output
    as_json = CliRunner().invoke(app, ["validate", str(path), "--json", "--data-dir", str(tmp_path)])
    answer = json.loads(as_json.output)
    assert [one["line"] for one in answer["rates"]] == [2, 3, 4, 5]
    assert answer["worst_lines"] == [3, 2]
    assert answer["groups"][0]["rows"] == 2 and len(answer["aims"]) == 5
    assert answer["rates"][2]["not_applicable"] == "it names no part of the catalogue"


def test_the_shipped_rates_are_read_and_their_cards_are_in_the_catalogue(shipped: list[RateOutcome]) -> None:
    assert [one.reason for one in shipped if one.rate.unread] == []
    assert [one.rate.cards for one in shipped if not one.part_ids] == []
    assert len(shipped) >= 300 and len({one.rate.cards for one in shipped}) >= 30
    assert all(one.rate.source for one in shipped)
    tasks = Counter(one.rate.task for one in shipped)
    assert all(tasks[task] >= 10 for task in Task)
