"""The training loads: the loss falls, a NaN is found, and the same seed gives the same course."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, FaultKind, Load, LoadStatus
from core.loads.training import training_loop
from core.loads.training.trainer import Trainer
from core.platform.errors import BadInput, EnvironmentProblem
from tests.loads.conftest import driven

CPU = torch.device("cpu")
ALL = ("resnet", "lstm", "transformer")


def made(tiny: dict[str, Any], name: str, **params: Any) -> Load:
    return make_load(name, {**tiny[name], **params}, device=CPU)


def train(load: Load, until: Callable[[dict[str, Any]], bool]) -> Ending:
    """Trains until the evidence says so, however slow the machine is."""
    for _ in load.steps(60):
        if until(load.finish().evidence.as_dict()):
            break
    return load.finish()


@pytest.mark.parametrize("name", ALL)
def test_the_loss_falls_on_a_fixed_batch(tiny: dict[str, Any], name: str) -> None:
    ending = train(made(tiny, name), lambda evidence: evidence["steps"] >= 24)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert evidence["last_loss"] < 0.95 * evidence["first_loss"]
    assert evidence["accuracy_pct"] > 0
    unit = "images" if name == "resnet" else "tokens"
    assert evidence[f"{unit}_per_s"] > 0
    assert evidence["rates"] == {"training": evidence[f"{unit}_per_s"]}
    assert evidence["rate_unit"] == f"{unit}/s"
    assert evidence["tflops"] > 0
    assert evidence["step_ms"] > 0


@pytest.mark.parametrize("name", ALL)
def test_speed_loss_and_accuracy_are_reported_while_it_trains(channel: Any, tiny: dict[str, Any], name: str) -> None:
    driven(made(tiny, name, peak_tflops=1.0), channel, 0.02)
    metrics = {metric for message in channel.of("progress") for metric in message["metrics"]}
    amount = "images_per_s" if name == "resnet" else "tokens_per_s"
    own = {"throughput_tflops", "share_of_peak_pct", "step_ms", "loss", "accuracy_pct", amount}
    assert metrics == {*own, "checks", "errors"}


def test_the_share_of_the_peak_is_reported_where_the_peak_is_known(tiny: dict[str, Any]) -> None:
    figures = train(made(tiny, "lstm", peak_tflops=2.0), lambda evidence: evidence["steps"] > 3).evidence.as_dict()
    assert figures["share_of_peak_pct"] == pytest.approx(100 * figures["tflops"] / 2.0, abs=0.02)
    assert made(tiny, "lstm").finish().evidence.as_dict()["share_of_peak_pct"] is None


@pytest.mark.parametrize("name", ALL)
def test_a_loss_that_does_not_fall_fails(tiny: dict[str, Any], name: str) -> None:
    ending = train(made(tiny, name, learning_rate=0), lambda evidence: evidence["last_loss"] is not None)
    assert ending.status is LoadStatus.FAILED
    assert "did not fall" in ending.reason


def test_too_few_steps_are_not_run(channel: Any, tiny: dict[str, Any]) -> None:
    ending = driven(made(tiny, "transformer"), channel, 0.001)
    assert ending.status is LoadStatus.NOT_RUN
    assert "20 are needed" in ending.reason


@pytest.mark.parametrize("name", ALL)
def test_an_injected_nan_is_found_and_recorded(tiny: dict[str, Any], name: str) -> None:
    load = made(tiny, name, inject="nan", inject_at=2)
    fault = next(report.faults[0] for report in load.steps(60) if report.faults)
    assert (fault.kind, fault.count) == (FaultKind.NAN, 1)
    assert "on purpose" in fault.message
    injected = load.finish().evidence.as_dict()["injected_on_purpose"]
    assert (injected["kind"], injected["from_iteration"], injected["times"]) == ("nan", 2, 1)
    assert injected["where"] == "the weights after training step 3"
    assert injected["found_by"].startswith("The loss is nan after")


@pytest.mark.parametrize("name", ALL)
def test_starting_over_gives_the_same_losses_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, tiny: dict[str, Any], name: str
) -> None:
    monkeypatch.setattr(training_loop, "RESTART_STEPS", 12)
    ending = train(made(tiny, name), lambda evidence: evidence["starts"] > 1 and evidence["steps"] > 20)
    assert ending.evidence.as_dict()["replays_identical"] is True
    assert "warnings" not in ending.evidence.as_dict()


def test_a_replay_that_differs_is_warned_about(monkeypatch: pytest.MonkeyPatch, tiny: dict[str, Any]) -> None:
    monkeypatch.setattr(training_loop, "RESTART_STEPS", 22)
    start_over = Trainer.start_over

    def start_over_wrongly(trainer: Trainer) -> None:
        start_over(trainer)
        with torch.no_grad():
            trainer.state()[0].view(-1)[0] += 1e-3

    monkeypatch.setattr(Trainer, "start_over", start_over_wrongly)
    ending = train(made(tiny, "transformer"), lambda evidence: evidence["starts"] > 1 and evidence["steps"] > 40)
    assert ending.evidence.as_dict()["replays_identical"] is False
    assert "different losses in 1 of 1" in ending.evidence.as_dict()["warnings"][0]


def test_the_course_depends_on_the_seed_alone(tiny: dict[str, Any]) -> None:
    def first_loss(seed: int) -> float:
        torch.manual_seed(seed + 7)  # what others draw does not matter
        loss: float = train(
            made(tiny, "transformer", seed=seed), lambda evidence: evidence["steps"] > 0
        ).evidence.as_dict()["first_loss"]
        return loss

    assert first_loss(1) == first_loss(1)
    assert first_loss(1) != first_loss(2)


def test_signs_of_life_come_while_the_weights_are_drawn(tiny: dict[str, Any]) -> None:
    load = made(tiny, "transformer")
    reports = [report for report, _ in zip(load.steps(60), range(20), strict=False)]
    assert all(report.flop == 0 for report in reports[:10])
    assert reports[-1].flop == 0 or load.finish().evidence.as_dict()["steps"] > 0


@pytest.mark.parametrize(
    ("name", "params", "error", "reason"),
    [
        ("transformer", {"width": 33}, BadInput, "33 cannot be divided among 2 heads"),
        ("resnet", {"batch": 1}, BadInput, "two images"),
        ("resnet", {"precision": "fp8"}, BadInput, "precision"),
        ("lstm", {"precision": "tf32"}, EnvironmentProblem, "tf32 is not run on CPUs. Choose fp32 or amp-bf16."),
        ("lstm", {"precision": "amp-fp16"}, EnvironmentProblem, "amp-fp16"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_words(
    tiny: dict[str, Any], name: str, params: dict[str, Any], error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        made(tiny, name, **params)


def runs_lstm_bf16() -> bool:
    """Whether PyTorch computes LSTM layers in BF16 on this CPU."""
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            torch.nn.LSTM(8, 8)(torch.zeros(2, 1, 8, requires_grad=True))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("name", ALL)
def test_sixteen_bits_train_as_well_or_are_refused_in_words(tiny: dict[str, Any], name: str) -> None:
    load = made(tiny, name, precision="amp-bf16")
    if name == "lstm" and not runs_lstm_bf16():
        with pytest.raises(EnvironmentProblem, match=r"This CPU runs no LSTM layers in amp-bf16. Choose fp32."):
            train(load, lambda evidence: evidence["last_loss"] is not None)
        return
    ending = train(load, lambda evidence: evidence["last_loss"] is not None)
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert ending.evidence.as_dict()["precision"] == "amp-bf16"
    assert ending.evidence.as_dict()["vouches_for"] == ["loss"], "no wrong bit that leaves the loss as it is"


def test_arithmetic_settings_are_left_as_they_were(tiny: dict[str, Any]) -> None:
    before = torch.backends.cudnn.allow_tf32, torch.get_float32_matmul_precision()
    steps = made(tiny, "lstm").steps(60)
    next(steps)
    assert not torch.backends.cudnn.allow_tf32
    steps.close()  # type: ignore[attr-defined]
    assert (torch.backends.cudnn.allow_tf32, torch.get_float32_matmul_precision()) == before
