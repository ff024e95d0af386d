"""Checking and predicting eight GPUs must not be felt while typing."""

import pytest

from core.plan.build import Build
from core.plan.line import Line
from core.predict.conditions import LoadCase
from core.predict.prediction import Prediction, predict
from core.predict.price import price_of
from core.rules.engine import check
from core.words import message
from tests.benchmarks.reference_work import quiet_seconds, reference_work, steps
from tests.rules.machines import good_build, part, slot, with_line

CHECK_S, CHECK_STEPS = 2e-3, 207_000
PREDICT_S, PREDICT_STEPS = 3e-3, 430_000
"""The byte codes that were done in these times on the quiet machine: 9.7 ns each in a check, 6.9 ns in a prediction."""


@pytest.fixture
def eight_gpus() -> Build:
    board = part("motherboard", slots=[slot(position) for position in range(1, 9)])
    build = with_line(with_line(good_build(), board), part("psu"), 2)
    gpus = tuple(
        Line(part("gpu", suffix=f"-{n}", width_slots=1, bracket_slots=1), 2, (2 * n - 1, 2 * n)) for n in range(1, 5)
    )
    others = tuple(line for line in build.lines if line.part.id != "gpu")
    return build.with_lines((*others, *gpus))


@pytest.fixture(autouse=True)
def english_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process of English: once another language was spoken, messages within messages are asked anew."""
    monkeypatch.setattr(message, "_OTHERS_SPOKEN", set())


@pytest.fixture
def timed(request: pytest.FixtureRequest) -> bool:
    """Whether nothing else runs on this machine, as in `make bench`."""
    return bool(request.config.getoption("benchmark_enable"))


def test_eight_gpus_are_checked_within_2_ms_of_a_quiet_machine(eight_gpus: Build, timed: bool) -> None:
    assert steps(lambda: check(eight_gpus)) <= CHECK_STEPS
    assert not timed or quiet_seconds(lambda: check(eight_gpus), CHECK_S) <= CHECK_S


def test_eight_gpus_are_predicted_within_3_ms_of_a_quiet_machine(eight_gpus: Build, timed: bool) -> None:
    """With all that the instruments show: what is not asked for is not worked out."""
    assert steps(lambda: _figures_of(predict(eight_gpus))) <= PREDICT_STEPS
    assert not timed or quiet_seconds(lambda: _figures_of(predict(eight_gpus)), PREDICT_S) <= PREDICT_S


def test_the_reference_work_is_a_fixed_amount() -> None:
    """A change of it would change every budget."""
    assert reference_work() == pytest.approx(reference_work()) == pytest.approx(27_621, abs=0.5)


def _figures_of(prediction: Prediction) -> tuple[object, ...]:
    """What the window's instruments, its findings and the list of assumptions read."""
    states = prediction.at(LoadCase.IDLE), prediction.at(LoadCase.TRAINING), prediction.worst_case
    noise = prediction.noise_idle, prediction.noise_load
    price = price_of(prediction.build)
    return (*states, prediction.throttled, *noise, prediction.excursions, price, prediction.assumptions)
