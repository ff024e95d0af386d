"""What is predicted of language models holds against what was published of them."""

from collections.abc import Callable, Iterable, Sequence
from math import exp, log
from statistics import fmean
from typing import NamedTuple

import pytest

from core.predict.band import Band
from core.predict.llm.decode import GDDR, HBM, MemoryLaw, bytes_per_step, decode_rate
from core.predict.llm.gpus import ModelGpu, shared_out
from core.predict.llm.machine import ModelMachine
from core.predict.llm.memory import model_memory
from core.predict.llm.prefill import prefill_rate
from core.predict.llm.training import train_rate
from core.predict.llm.workload import Method
from tests.predict.llm.published import (
    A100,
    H100,
    LLAMA_CPP,
    OTHER_ENGINES,
    PEAKS,
    PLAIN_TRAINING,
    PROMPTS,
    TUNED_TRAINING,
    Peak,
    Rate,
)
from tests.shipped import parts_by_id

TO_HOST = (15.75, 25.0, 25.0)


def gpus_of(row: Rate) -> tuple[ModelGpu, ...]:
    """All of the row's cards, also where fewer would hold the model."""
    return shared_out([ModelGpu(parts_by_id()[row.part_id])] * row.count)


def generated(row: Rate) -> Band:
    """New tokens per second."""
    band = decode_rate(row.workload, gpus_of(row), row.ring)
    assert band is not None
    return band


def prompts(row: Rate) -> Band:
    """Tokens of prompts per second."""
    band = prefill_rate(row.workload, gpus_of(row))
    assert band is not None
    return band


def trained(row: Rate) -> Band:
    """Tokens per second of all cards."""
    gpus = gpus_of(row)
    band = train_rate(row.workload, gpus, ModelMachine(gpus, row.ring, TO_HOST))
    assert band is not None
    return band


def outside(rows: Iterable[Rate], band_of: Callable[[Rate], Band]) -> list[str]:
    """Rows that lie outside of their band, in words."""
    bands = [(row, band_of(row)) for row in rows]
    return [
        f"{row.count} x {row.part_id}, {row.workload.words}: {row.measured} outside {band.low:.0f} to {band.high:.0f}"
        for row, band in bands
        if not band.low <= row.measured <= band.high
    ]


def mean_error(rows: Sequence[Rate], band_of: Callable[[Rate], Band]) -> float:
    """Of the expected value, either way."""
    return fmean(abs(band_of(row).expected / row.measured - 1) for row in rows)


@pytest.mark.parametrize(
    ("rows", "band_of", "error"),
    (
        (LLAMA_CPP, generated, 0.06),
        (OTHER_ENGINES, generated, 0.18),
        (PROMPTS, prompts, 0.06),
        (PLAIN_TRAINING, trained, 0.11),
        (TUNED_TRAINING, trained, 0.13),
    ),
    ids=("llama.cpp", "other engines", "prompts", "plain training", "tuned training"),
)
def test_published_rates_lie_in_their_bands_and_near_what_is_expected(
    rows: Sequence[Rate], band_of: Callable[[Rate], Band], error: float
) -> None:
    assert outside(rows, band_of) == []
    assert mean_error(rows, band_of) < error


class Timed(NamedTuple):
    """A row of llama.cpp: what its time consists of by the law, and what it was."""

    part_id: str
    reading_s: float
    """At the whole bandwidth."""
    besides_s: float
    measured: float

    def error(self, reach: float) -> float:
        """Of the law's speed at this reach, over the measured one, as a logarithm."""
        return -log((self.reading_s / reach + self.besides_s) * self.measured)


def timed(law: MemoryLaw) -> list[Timed]:
    """The rows of cards with the law's memory."""
    rows = []
    for row in LLAMA_CPP:
        gpu = gpus_of(row)[0]
        if gpu.hbm == (law is HBM):
            besides = row.workload.model.layers * law.layer_s + (row.count - 1) * law.hop_s
            reading = sum(bytes_per_step(row.workload, 1)) / gpu.bandwidth_at(1)
            rows.append(Timed(row.part_id, reading, besides, row.measured))
    return rows


def fitted_reach(rows: Sequence[Timed]) -> float:
    """The share of the bandwidth at which the rows are missed least, by squares."""
    return min((step / 200 for step in range(80, 200)), key=lambda reach: sum(row.error(reach) ** 2 for row in rows))


@pytest.mark.parametrize(("law", "most", "worst"), ((GDDR, 0.06, 0.15), (HBM, 0.125, 0.32)), ids=("GDDR", "HBM"))
def test_a_card_that_the_law_was_not_fitted_to_is_predicted(law: MemoryLaw, most: float, worst: float) -> None:
    errors = []
    for card in {row.part_id for row in timed(law)}:
        reach = fitted_reach([row for row in timed(law) if row.part_id != card])
        errors += [abs(exp(row.error(reach)) - 1) for row in timed(law) if row.part_id == card]
    assert fmean(errors) < most
    assert max(errors) < worst


@pytest.mark.parametrize("law", (GDDR, HBM), ids=("GDDR", "HBM"))
def test_the_laws_reach_is_the_fitted_one(law: MemoryLaw) -> None:
    assert fitted_reach(timed(law)) == pytest.approx(law.reach, abs=0.011)


@pytest.mark.parametrize("peak", PEAKS, ids=lambda peak: peak.name)
def test_a_published_peak_lies_in_its_band(peak: Peak) -> None:
    needed = model_memory(peak.workload, None, peak.cards).needed
    assert needed.low <= peak.measured <= needed.high


def test_published_peaks_are_near_what_is_expected() -> None:
    errors = [model_memory(one.workload, None, one.cards).needed.expected / one.measured - 1 for one in PEAKS]
    assert fmean(map(abs, errors)) < 0.08
    assert abs(fmean(errors)) < 0.05


def test_training_on_a_few_cards_is_no_faster_than_their_products() -> None:
    for row in (*PLAIN_TRAINING, *TUNED_TRAINING):
        if row.part_id in (A100, H100) and row.workload.method is Method.FULL:
            products = sum(gpu.products_at(2) for gpu in gpus_of(row)) * 1e12
            assert trained(row).high * 6 * row.workload.model.active < products
