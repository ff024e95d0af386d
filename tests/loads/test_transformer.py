"""The training load: the loss falls, a NaN is found, and the same seed gives the same course."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.errors import BadInput
from core.loads import transformer
from core.loads.gpt import Gpt, Shape, parameter_count
from core.loads.load import Ending, Status
from core.loads.loop import Loop, Totals
from core.loads.params import TransformerParams
from core.loads.transformer import GPU_SHAPE, TransformerLoad

CPU = torch.device("cpu")
TINY: dict[str, Any] = {"layers": 2, "width": 32, "heads": 2, "context": 16, "batch": 4, "vocabulary": 64}


@pytest.fixture(autouse=True, scope="module")
def _woken() -> None:
    """As when a worker starts: the first optimiser imports 800 modules."""
    torch.optim.AdamW([torch.zeros(1, requires_grad=True)])


def train(until: Callable[[dict[str, Any]], bool], **params: Any) -> Ending:
    """Trains until the evidence says so, however slow the machine is."""
    load = TransformerLoad(TransformerParams(**{**TINY, **params}), CPU)
    for _ in load.steps(60):
        if until(load.finish().evidence):
            break
    return load.finish()


def run(channel: Any, *, seconds: float = 1.0, **params: Any) -> Ending:
    load = TransformerLoad(TransformerParams(**{**TINY, **params}), CPU)
    return Loop(load, channel, seconds=seconds, totals=Totals()).run()


def test_the_loss_falls_on_a_fixed_batch() -> None:
    ending = train(lambda evidence: evidence["steps"] >= 60)
    evidence = ending.evidence
    assert ending.status is Status.PASSED, ending.reason
    assert evidence["last_loss"] < 0.9 * evidence["first_loss"]
    assert evidence["steps"] >= 20
    assert evidence["tokens_per_s"] > 0
    assert evidence["rates"] == {"training": evidence["tokens_per_s"]}


def test_speed_and_loss_are_reported_while_it_trains(channel: Any) -> None:
    run(channel, seconds=0.8)
    metrics = channel.of("progress")[1]["metrics"]
    assert {"throughput_tflops", "tokens_per_s", "loss", "checks", "errors"} == set(metrics)


def test_a_loss_that_does_not_fall_fails() -> None:
    ending = train(lambda evidence: evidence["last_loss"] is not None, learning_rate=0)
    assert ending.status is Status.FAILED
    assert "did not fall" in ending.reason


def test_too_few_steps_are_not_run(channel: Any) -> None:
    ending = run(channel, seconds=0.001)
    assert ending.status is Status.NOT_RUN
    assert "20 are needed" in ending.reason


def test_an_injected_nan_is_found_and_recorded(channel: Any) -> None:
    ending = run(channel, seconds=0.5, inject="nan", inject_at=2)
    fault = channel.of("fault")[0]
    assert ending.status is Status.FAILED
    assert (fault["kind"], fault["count"]) == ("nan", 1)
    assert "on purpose" in fault["message"]
    assert ending.evidence["injected_on_purpose"] == {"kind": "nan", "from_iteration": 2, "times": 1}


def test_starting_over_gives_the_same_losses_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "RESTART_STEPS", 30)
    ending = train(lambda evidence: evidence["starts"] > 3)
    assert ending.evidence["replays_identical"] is True
    assert "warnings" not in ending.evidence


def test_a_replay_that_differs_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "RESTART_STEPS", 30)
    drawn = iter(range(10**6))
    monkeypatch.setattr(torch, "manual_seed", lambda seed: torch.default_generator.manual_seed(next(drawn)))
    ending = train(lambda evidence: evidence["starts"] > 2)
    assert ending.evidence["replays_identical"] is False
    assert "other losses" in ending.evidence["warnings"][0]


def test_the_course_depends_on_the_seed_alone() -> None:
    first, again, other = (
        train(lambda evidence: evidence["steps"] > 0, seed=seed).evidence["first_loss"] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_short_memory_halves_the_batch() -> None:
    load = TransformerLoad(TransformerParams(**TINY), CPU)
    assert load.shrink()
    assert load.finish().evidence["shape"]["batch"] == 2
    assert load.shrink()
    assert not load.shrink()


def test_heads_must_share_the_width_evenly() -> None:
    with pytest.raises(BadInput, match="33 cannot be shared by 2 heads"):
        TransformerLoad(TransformerParams(**{**TINY, "width": 33}), CPU)


def test_a_prediction_knows_only_what_came_before() -> None:
    torch.manual_seed(1)
    model = Gpt(Shape(**TINY))
    text = torch.randint(64, (1, 16))
    changed = text.clone()
    changed[0, 10] = (changed[0, 10] + 1) % 64
    hidden = [block_output(model, tokens) for tokens in (text, changed)]
    torch.testing.assert_close(hidden[0][:, :10], hidden[1][:, :10])
    assert not torch.allclose(hidden[0][:, 10:], hidden[1][:, 10:])


def block_output(model: Gpt, text: torch.Tensor) -> torch.Tensor:
    x = model.tokens(text) + model.places(torch.arange(text.shape[1]))
    for block in model.blocks:
        x = block(x)
    return x.detach()


def test_an_untrained_network_is_as_good_as_guessing() -> None:
    torch.manual_seed(1)
    shape = Shape(**TINY)
    text = torch.randint(shape.vocabulary, (4, 16))
    guess = torch.log(torch.tensor(float(shape.vocabulary)))
    with torch.no_grad():
        loss = float(Gpt(shape)(text, text.roll(1)))
    assert loss == pytest.approx(float(guess), rel=0.05)


def test_parameters_are_counted_by_the_formula() -> None:
    shape = Shape(layers=3, width=48, heads=4, context=20, batch=1, vocabulary=100)
    width = shape.width
    block = 12 * width**2 + 13 * width
    assert parameter_count(Gpt(shape)) == 3 * block + (100 + 20) * width + 2 * width


def test_the_network_for_gpus_learns_too() -> None:
    """Its width and depth at a batch that a CPU manages: a dozen steps."""
    torch.manual_seed(1)
    shape = Shape(GPU_SHAPE.layers, GPU_SHAPE.width, GPU_SHAPE.heads, context=16, batch=1, vocabulary=512)
    model = Gpt(shape)
    optimiser = torch.optim.AdamW(model.parameters(), lr=TransformerParams().learning_rate)
    text = torch.randint(shape.vocabulary, (1, 17))
    losses = []
    for _ in range(6):
        optimiser.zero_grad()
        loss = model(text[:, :-1], text[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.9 * losses[0]
