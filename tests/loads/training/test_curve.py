"""A training curve is judged: fallen, not a number, run away, repeated."""

from __future__ import annotations

import math

import pytest
import torch

from core.loads.load import FaultKind
from core.loads.training.curve import ENOUGH_STEPS, Curve


def curve_of(*starts: list[float]) -> Curve:
    """Losses after steps 1, 2, ... of each start."""
    curve = Curve()
    for losses in starts:
        curve.start()
        for step, loss in enumerate(losses, start=1):
            assert curve.add(step, loss) is None
    return curve


def falling(steps: int) -> list[float]:
    return [6.0 * 0.95**step for step in range(steps)]


@pytest.mark.parametrize(
    ("losses", "fell"), [(falling(40), True), ([6.0] * 40, False), ([6.0 - 0.0001 * step for step in range(40)], False)]
)
def test_the_loss_must_have_fallen_after_enough_steps(losses: list[float], fell: bool) -> None:
    assert curve_of(losses).fell_always is fell


def test_too_few_steps_say_nothing() -> None:
    curve = curve_of(falling(ENOUGH_STEPS - 1))
    assert curve.last_loss is None
    assert curve.judged_steps == 0


def test_an_unfinished_last_start_does_not_hide_the_loss_that_counts() -> None:
    curve = curve_of(falling(50), falling(3))
    assert curve.last_loss == falling(50)[-1]
    assert curve.judged_steps == 50


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_is_a_fault(loss: float) -> None:
    fault = Curve().add(1, loss)
    assert fault is not None
    assert fault.kind is FaultKind.NAN


def test_a_loss_that_doubles_has_run_away() -> None:
    curve = curve_of([6.0])
    fault = curve.add(2, 12.1)
    assert fault is not None
    assert fault.kind is FaultKind.DIVERGED


def test_replays_are_compared_to_the_last_bit() -> None:
    assert curve_of(falling(30)).replays_identical is None
    assert curve_of(falling(30), falling(30)).replays_identical is True
    other = falling(30)
    other[7] = math.nextafter(other[7], 1.0)
    curve = curve_of(falling(30), other, falling(30))
    assert curve.replays_identical is False
    assert curve.differing_replays == 1


@pytest.mark.parametrize(("place", "loss"), [(0, math.nan), (3, math.inf), (-1, math.nan)])
def test_every_loss_of_a_lap_must_be_a_number(place: int, loss: float) -> None:
    losses = torch.tensor(falling(10))
    assert Curve().take(1, losses) is None
    losses[place] = loss
    fault = Curve().take(1, losses)
    assert fault is not None
    assert f"after {place % 10 + 1} training steps" in fault.message


def test_a_lap_that_begins_at_the_first_step_is_a_start() -> None:
    curve, losses = Curve(), torch.tensor(falling(30))
    for first, part in [(1, losses[:7]), (8, losses[7:]), (1, losses[:7]), (8, losses[7:])]:
        assert curve.take(first, part) is None
    assert curve.starts == 2
    assert curve.replays_identical is True
    assert str(curve) == f"6.000 at first, {float(losses[-1]):.3f} after 30 steps"
