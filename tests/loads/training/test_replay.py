"""The replay: the same bits every time, and every way of being different is seen."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, FaultKind, LoadStatus, StepReport
from core.loads.training import sizes
from core.loads.training.judging import fingerprint
from core.loads.training.resnet import ResnetTask
from core.loads.training.text import GptTask
from tests.loads.conftest import driven
from tests.patience import given_time

CPU = torch.device("cpu")
STEPS = 8


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = GptTask(layers=2, width=32, heads=2, context=16, batch=4, vocabulary=64)
    monkeypatch.setattr(sizes, "CPU_GPT", tiny)
    monkeypatch.setattr(
        sizes, "CPU_LSTM", replace(sizes.CPU_LSTM, width=16, layers=2, length=5, batch=2, vocabulary=32)
    )
    monkeypatch.setattr(sizes, "CPU_RESNET", ResnetTask(image=32, width=4, classes=10, batch=4))


def replayed(*, seconds: float = 60.0, runs: int = 2, **params: Any) -> tuple[Ending, list[StepReport]]:
    """Ends after as many runs as were asked for, or with the first fault."""
    load = make_load("replay", {"steps": STEPS, "runs": runs, **params}, device=CPU)
    reports = []
    for report in load.steps(seconds):
        reports.append(report)
        if load.finish().evidence.as_dict()["runs"] == runs:
            break
    return load.finish(), reports


@pytest.mark.parametrize("network", ["resnet", "lstm", "transformer"])
def test_the_same_training_gives_the_same_bits(network: str) -> None:
    ending, reports = replayed(network=network)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert f"2 runs of {STEPS} training steps were bit-identical" in ending.reason
    assert evidence["self_test"] == {"bit flip": "seen"}
    assert evidence["checks"] == sum(report.checks for report in reports) > 2
    assert sum(report.training_steps for report in reports) == 2 * STEPS
    replay = evidence["replay"]
    assert (replay["network"], replay["steps"], replay["torch"]) == (network, STEPS, torch.__version__)
    assert replay["device"]
    assert len(replay["loss_hash"]) == len(replay["weight_hash"]) == 33


def test_hashes_are_those_of_the_seed() -> None:
    def hashes(seed: int) -> tuple[str, str]:
        replay = replayed(seed=seed)[0].evidence.replay
        return replay.hashes

    first, again, other = hashes(1), hashes(1), hashes(2)
    assert first == again
    assert first[0] != other[0]
    assert first[1] != other[1]


@pytest.mark.parametrize("at", [2, STEPS + 3])
def test_one_flipped_bit_of_a_weight_is_seen(at: int) -> None:
    """In the first run, which the others are compared with, as well as in a later one."""
    ending, reports = replayed(inject="bitflip", inject_at=at)
    faults = [fault for report in reports for fault in report.faults]
    assert ending.status is LoadStatus.FAILED
    assert [fault.kind for fault in faults] == [FaultKind.MISMATCH]
    assert "diverged from the first at step" in ending.reason
    assert "on purpose" in ending.reason
    assert ending.evidence.as_dict()["injected_on_purpose"]["times"] == 1


def test_a_bit_that_flips_after_the_last_loss_shows_in_the_weights() -> None:
    ending, _ = replayed(inject="bitflip", inject_at=2 * STEPS - 1)
    assert ending.status is LoadStatus.FAILED
    assert f"matched the first one's losses up to step {STEPS}, but not its tokens.weight" in ending.reason


def test_a_nan_is_seen_in_the_first_run() -> None:
    ending, reports = replayed(inject="nan", inject_at=3)
    assert ending.status is LoadStatus.FAILED
    assert reports[-1].faults[0].kind is FaultKind.NAN


def test_a_card_that_always_errs_in_the_same_way_has_other_hashes() -> None:
    sound, deviant = (replayed(inject=kind)[0] for kind in ("", "deviant"))
    assert deviant.status is LoadStatus.PASSED
    assert deviant.evidence.replay.loss_hash != sound.evidence.replay.loss_hash
    assert deviant.evidence.replay.weight_hash != sound.evidence.replay.weight_hash


def test_too_little_time_is_not_run(channel: Any) -> None:
    def run(seconds: float) -> Ending:
        load = make_load("replay", {"steps": 100_000}, device=CPU)
        return driven(load, channel, seconds)

    ending = given_time(run, 0.02, lambda ending: "give the stage more time" in ending.reason)  # how long a run takes
    assert ending.status is LoadStatus.NOT_RUN
    assert "Only 0 of 2 runs" in ending.reason
    assert "give the stage more time" in ending.reason
    assert "replay" not in ending.evidence.as_dict()


def test_runs_go_on_while_there_is_time(channel: Any) -> None:
    def run(seconds: float) -> Ending:
        load = make_load("replay", {"steps": 2}, device=CPU)
        return driven(load, channel, seconds)

    ending = given_time(run, 0.1, lambda ending: ending.evidence.as_dict().get("runs", 0) > 2)
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["runs"] > 2


def test_training_that_cannot_repeat_is_not_blamed_on_the_device(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(trainer: Any) -> None:
        raise RuntimeError("pooling does not have a deterministic implementation, but you set ...")

    monkeypatch.setattr("core.loads.training.trainer.Trainer.step", refuse)
    ending = driven(make_load("replay", {}, device=CPU), channel, 2)
    assert ending.status is LoadStatus.NOT_RUN
    assert "cannot be repeated bit for bit" in ending.reason


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.uint8])
def test_a_fingerprint_sees_any_change(dtype: torch.dtype) -> None:
    tensors = [torch.arange(7).to(dtype), torch.ones(3, 2, dtype=dtype)]
    original = str(fingerprint(tensors))
    assert original == str(fingerprint([tensor.clone() for tensor in tensors]))
    changed = [tensor.clone() for tensor in tensors]
    changed[1].view(torch.uint8).view(-1)[-1] ^= 1
    assert str(fingerprint(changed)) != original
    assert str(fingerprint(reversed(tensors))) != original


def test_a_fingerprint_is_of_numbers_not_of_their_layout() -> None:
    image = torch.randn(2, 3, 4, 4)
    assert fingerprint([image]) == fingerprint([image.to(memory_format=torch.channels_last)])
