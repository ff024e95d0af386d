"""The law of decoding, held to cards that it was not fitted to; engines and bands, held to what was measured."""

from collections.abc import Sequence
from math import fsum
from pathlib import Path

import numpy as np
import pytest

from core.lab.validation.rate_outcome import RateOutcome, predict_rates, rate_aims, rate_scores, workload_of
from core.lab.validation.rates import Task, read_rates
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.predict.llm import decode
from core.predict.llm.prediction import predict_card
from tests.shipped import parts_by_id, shipped_of

FILE = Path(__file__).parents[3] / "assets/measurements/language_models.csv"
ONE_BUILD = "XiongjieDai"
"""Whose rows are of one build of llama.cpp on many cards: the law says how cards differ, not how builds do."""
OLDEST = 7.0
"""Compute capability, below which cards lack the instructions that unpack quantised weights at the rate of memory."""


@pytest.fixture(scope="module")
def shipped() -> list[RateOutcome]:
    """The file that comes with the program, predicted."""
    return predict_rates(read_rates(FILE), shipped_of(Category.GPU))


def spec_of(row: RateOutcome) -> GpuSpec:
    spec = parts_by_id()[row.part_ids[0]].spec
    assert isinstance(spec, GpuSpec)
    return spec


def capability(row: RateOutcome) -> float:
    """Compute capability; 0 of what is not NVIDIA's."""
    return float(spec_of(row).compute_capability or 0)


def cards_used(row: RateOutcome) -> int:
    """Of the cards of a row, those that Rigwright would use: where few hold the model, few are used."""
    return predict_card(parts_by_id()[row.part_ids[0]], workload_of(row.rate), row.rate.count).cards


def rows_of_the_law(shipped: Sequence[RateOutcome], kind: str) -> list[RateOutcome]:
    """llama.cpp with CUDA at one request, on as many cards as were measured."""
    of_kind = [row for row in shipped if row.counts and row.memory_kind == kind and row.group.endswith("with CUDA")]
    return [row for row in of_kind if cards_used(row) == row.rate.count]


def fitted(rows: Sequence[RateOutcome]) -> decode.MemoryLaw:
    """Least squares of the relative error in seconds: reading, pauses of layers, hops between cards."""
    features = []
    for row in rows:
        workload, spec = workload_of(row.rate), spec_of(row)
        assert spec.memory_bandwidth_gbps
        reading_s = sum(decode.bytes_per_step(workload, 1)) / (spec.memory_bandwidth_gbps * 1e9)
        seconds = (reading_s, workload.model.layers, row.rate.count - 1)
        features.append([each * row.rate.tokens_per_s for each in seconds])
    (inverse_reach, layer_s, hop_s), *_ = np.linalg.lstsq(np.array(features), np.ones(len(rows)), rcond=None)
    return decode.MemoryLaw(1 / float(inverse_reach), float(layer_s), max(0.0, float(hop_s)))


def left_out_errors_pct(
    monkeypatch: pytest.MonkeyPatch, rows: Sequence[RateOutcome], kind: str, parts: Sequence[Part]
) -> list[float]:
    """Of every row, predicted by the law that is fitted to all other cards."""
    errors = []
    for cards in sorted({row.rate.cards for row in rows}):
        law = fitted([row for row in rows if row.rate.cards != cards])
        monkeypatch.setattr(decode, kind, law)
        again = predict_rates([row.rate for row in rows if row.rate.cards == cards], parts)
        errors += [abs(row.error_pct) for row in again]
    return errors


@pytest.mark.parametrize(("kind", "most_pct"), [("GDDR", 6.0), ("HBM", 12.0)])
def test_the_law_predicts_cards_that_it_was_not_fitted_to(
    monkeypatch: pytest.MonkeyPatch, shipped: list[RateOutcome], kind: str, most_pct: float
) -> None:
    rows = [row for row in rows_of_the_law(shipped, kind) if capability(row) >= OLDEST]
    if kind == "GDDR":
        rows = [row for row in rows if row.rate.source.startswith(ONE_BUILD)]
    errors = left_out_errors_pct(monkeypatch, rows, kind, shipped_of(Category.GPU))
    assert len({row.rate.cards for row in rows}) >= 8 and len(errors) == len(rows) >= 20
    assert fsum(errors) / len(errors) <= most_pct


@pytest.mark.parametrize("kind", ["GDDR", "HBM"])
def test_the_law_as_it_ships_is_as_near(shipped: list[RateOutcome], kind: str) -> None:
    """To the rows of one build, those on more cards than Rigwright would use among them."""
    errors = [
        abs(row.error_pct)
        for row in shipped
        if row.memory_kind == kind and row.rate.task is Task.DECODE and row.rate.source.startswith(ONE_BUILD)
    ]
    assert fsum(errors) / len(errors) <= {"GDDR": 6.0, "HBM": 13.0}[kind]


def test_bands_hold_on_cards_whose_figures_are_stated(shipped: list[RateOutcome]) -> None:
    """NVIDIA states what its tensor cores do; of Radeon, Instinct and Arc the rate of matrix units is not in the
    catalogue, so that prompts are read faster than predicted there."""
    rows = [row for row in shipped if row.counts and capability(row)]
    *_, engines, rest, _ = rate_aims(rows)
    assert engines.cases >= 80 and (engines.found or 0.0) >= 80
    assert rest.cases >= 140 and rest.met
    # Vulkan and later builds of llama.cpp answer up to 1.5 times faster than the builds its constants come from, and
    # its band is as narrow as theirs.
    others = [row for row in rows if row.group == "decode, one request, others"]
    assert sum(bool(row.inside) for row in others) >= 0.7 * len(others)


def test_no_kind_of_training_is_off_its_band(shipped: list[RateOutcome]) -> None:
    for score in rate_scores(shipped):
        if score.group in (Task.FULL, Task.LORA, Task.QLORA):
            assert score.inside >= 0.9, score
