"""The loop that drives every load: heartbeats, faults, stops, errors and short memory."""

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from core.loads.evidence import RunEvidence
from core.loads.load import Ending, Fault, FaultKind, LoadStatus, StepReport
from core.loads.loop import HEARTBEAT_S, Loop, Totals
from core.platform.errors import EnvironmentProblem

STEP = StepReport(flop=2e9, busy_s=0.001, checks=1, tokens=10, loss=1.5, moved_bytes=3_000_000)
TRAINED = StepReport(
    flop=2e9, busy_s=0.004, images=8, training_steps=2, loss=1.5, accuracy_pct=25.0, peak_tflops=5.0, checks=1
)


class ScriptedLoad:
    """Takes the steps of a generator; judges as told."""

    def __init__(self, steps: Callable[[float], Iterator[StepReport]], *, smaller_sizes: int = 0) -> None:
        self.steps = steps
        self.smaller_sizes = smaller_sizes
        self.ending = Ending(LoadStatus.PASSED, "All well.", RunEvidence(checks=7))

    def finish(self) -> Ending:
        return self.ending

    def shrink(self) -> bool:
        self.smaller_sizes -= 1
        return self.smaller_sizes >= 0


def run(load: Any, channel: Any, *, seconds: float = 1.0, totals: Totals | None = None) -> Ending:
    return Loop(load, channel, seconds=seconds, totals=totals or Totals()).run()


def busy(seconds: float) -> Iterator[StepReport]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield STEP


def raising(error: BaseException) -> Callable[[float], Iterator[StepReport]]:
    def steps(seconds: float) -> Iterator[StepReport]:
        yield STEP
        raise error

    return steps


def test_heartbeats_come_in_time_and_carry_what_was_measured(channel: Any) -> None:
    ending = run(ScriptedLoad(busy), channel, seconds=1.6)
    beats = [at for at, message in channel.sent if message["type"] == "progress"]
    assert ending.status is LoadStatus.PASSED
    assert max(later - earlier for earlier, later in itertools.pairwise(beats)) < 2 * HEARTBEAT_S
    metrics = channel.of("progress")[1]["metrics"]
    assert metrics["throughput_tflops"] == pytest.approx(2.0)
    assert metrics["tokens_per_s"] == pytest.approx(10_000)
    assert metrics["bandwidth_gbps"] == pytest.approx(3.0)
    assert metrics["loss"] == 1.5


def test_training_is_reported_in_figures_of_its_own(channel: Any) -> None:
    run(ScriptedLoad(lambda seconds: iter([TRAINED, TRAINED])), channel)
    metrics = channel.of("progress")[-1]["metrics"]
    assert metrics == {
        "throughput_tflops": pytest.approx(0.5), "share_of_peak_pct": pytest.approx(10.0),
        "images_per_s": pytest.approx(2000), "step_ms": pytest.approx(2.0), "loss": 1.5, "accuracy_pct": 25.0,
        "checks": 2, "errors": 0,
    }  # fmt: skip


def test_the_fraction_rises_to_one(channel: Any) -> None:
    run(ScriptedLoad(busy), channel, seconds=0.8)
    fractions = [message["fraction"] for message in channel.of("progress")]
    assert fractions == sorted(fractions)
    assert fractions[0] < 0.1
    assert fractions[-1] == 1.0


def test_a_load_that_hangs_sends_no_heartbeat(channel: Any) -> None:
    """Heartbeats are a sign of the device's life, not of the process's."""

    def hang(seconds: float) -> Iterator[StepReport]:
        yield STEP
        time.sleep(2 * HEARTBEAT_S)

    run(ScriptedLoad(hang), channel)
    beats = [at for at, message in channel.sent if message["type"] == "progress"]
    assert len(beats) == 2, "the first and the last"


def test_nothing_is_reported_that_was_not_measured(channel: Any) -> None:
    run(ScriptedLoad(lambda seconds: iter([StepReport(checks=1, loss=float("nan"))])), channel)
    assert channel.of("progress")[-1]["metrics"] == {"checks": 1, "errors": 0}


@pytest.mark.parametrize(("command", "status"), [("stop", LoadStatus.STOPPED), ("conclude", LoadStatus.PASSED)])
def test_a_stop_ends_the_load_and_is_no_pass_and_one_concluded_early_is_judged_by_what_it_did(
    channel: Any, command: str, status: LoadStatus
) -> None:
    steps: list[float] = []

    def endless(seconds: float) -> Iterator[StepReport]:
        while True:
            steps.append(seconds)
            yield STEP

    channel.later(200, command)
    ending = run(ScriptedLoad(endless), channel, seconds=30)
    assert len(steps) == 200, "not one more"
    assert (ending.status, ending.evidence.as_dict()) == (status, {"checks": 7})


def test_other_commands_do_not_end_a_load(channel: Any) -> None:
    channel.commands.put({"type": "start", "load": "gemm"})
    assert run(ScriptedLoad(busy), channel, seconds=0.1).status is LoadStatus.PASSED


def test_a_fault_found_before_a_stop_still_fails(channel: Any) -> None:
    def steps(seconds: float) -> Iterator[StepReport]:
        yield StepReport(checks=1, faults=(Fault(FaultKind.MISMATCH, "Wrong."),))
        channel.commands.put({"type": "stop"})
        yield STEP

    ending = run(ScriptedLoad(steps), channel)
    assert (ending.status, ending.reason) == (LoadStatus.FAILED, "Wrong.")


def test_a_flood_of_faults_is_gathered_and_counted_in_full(channel: Any) -> None:
    fault = Fault(FaultKind.MISMATCH, "Wrong.", count=3)
    totals = Totals(checks=5, errors=1)
    run(ScriptedLoad(lambda seconds: iter([StepReport(checks=1, faults=(fault,))] * 1000)), channel, totals=totals)
    faults = channel.of("fault")
    assert len(faults) < 10
    assert sum(message["count"] for message in faults) == 3000
    assert (totals.checks, totals.errors) == (1005, 3001)


def test_kinds_of_faults_are_told_apart(channel: Any) -> None:
    faults = (Fault(FaultKind.NAN, "NaN."), Fault(FaultKind.MISMATCH, "Bits."), Fault(FaultKind.NAN, "More."))
    run(ScriptedLoad(lambda seconds: iter([StepReport(faults=faults)])), channel)
    assert [(message["kind"], message["count"]) for message in channel.of("fault")] == [("nan", 2), ("mismatch", 1)]


def test_an_error_of_the_framework_is_a_fault_with_its_sentence(channel: Any) -> None:
    error = RuntimeError("CUDA error: an illegal memory access was encountered\nCompile with TORCH_USE_CUDA_DSA")
    ending = run(ScriptedLoad(raising(error)), channel)
    sentence = "The load ended with an error: CUDA error: an illegal memory access was encountered"
    assert (ending.status, ending.reason, ending.spent) == (LoadStatus.FAILED, sentence, True)
    assert channel.of("fault") == [{"type": "fault", "kind": "error", "message": sentence, "count": 1}]
    assert channel.of("progress")[-1]["metrics"]["errors"] == 1


@pytest.mark.parametrize(
    ("text", "reason", "spent"),
    [
        ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "nvidia-smi -c 0", False),
        ("CUDA error: no kernel image is available for execution on the device", "Install a PyTorch build", False),
        ("mat1 and mat2 shapes cannot be multiplied", "not blamed on any card", False),
        ("CUDA error: unknown error", "not blamed on any card", True),
    ],
)
def test_what_is_not_the_devices_doing_is_not_run(channel: Any, text: str, reason: str, spent: bool) -> None:
    ending = run(ScriptedLoad(raising(RuntimeError(text))), channel)
    assert (ending.status, ending.evidence.as_dict(), ending.spent) == (LoadStatus.NOT_RUN, {"checks": 7}, spent)
    assert reason in ending.reason
    assert channel.of("fault") == []
    assert channel.of("progress")[-1]["metrics"]["errors"] == 0


@pytest.mark.parametrize(
    "error", [RuntimeError("CUDA error: all CUDA-capable devices are busy or unavailable"), MemoryError()], ids=repr
)
def test_a_wrong_result_is_not_forgotten_when_environment_or_memory_fails(channel: Any, error: Exception) -> None:
    def steps(seconds: float) -> Iterator[StepReport]:
        yield StepReport(checks=1, faults=(Fault(FaultKind.MISMATCH, "Wrong."),))
        raise error

    ending = run(ScriptedLoad(steps, smaller_sizes=2), channel)
    assert (ending.status, ending.reason) == (LoadStatus.FAILED, "Wrong.")


def test_a_load_that_cannot_even_tell_what_it_counted_still_ends_in_order(
    channel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = ScriptedLoad(raising(RuntimeError("CUDA error: unspecified launch failure")))
    monkeypatch.setattr(load, "finish", lambda: torch.mm(torch.ones(2, 3), torch.ones(2, 3)))
    ending = run(load, channel)
    assert (ending.status, ending.evidence.as_dict(), ending.spent) == (LoadStatus.FAILED, {}, True)


def test_a_refusal_over_a_sticky_error_spends_the_process(channel: Any) -> None:
    """The user's own module asserts on the device: the module is at fault, but CUDA does nothing more."""

    def steps(seconds: float) -> Iterator[StepReport]:
        yield STEP
        raise EnvironmentProblem("The module failed.") from RuntimeError("CUDA error: device-side assert triggered")

    ending = run(ScriptedLoad(steps), channel)
    assert (ending.status, ending.spent) == (LoadStatus.NOT_RUN, True)


def test_a_defect_of_our_own_is_not_blamed_on_the_device(channel: Any) -> None:
    with pytest.raises(TypeError):
        run(ScriptedLoad(raising(TypeError("a bug"))), channel)


def test_what_the_device_cannot_run_is_not_run_with_the_reason(channel: Any) -> None:
    ending = run(ScriptedLoad(raising(EnvironmentProblem("No bfloat16 here."))), channel)
    assert (ending.status, ending.reason) == (LoadStatus.NOT_RUN, "No bfloat16 here.")
    assert channel.of("fault") == []


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError('NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":1165'),
    ],
    ids=repr,
)
def test_short_memory_however_it_is_said_is_retried_smaller_and_warned_about(channel: Any, error: Exception) -> None:
    attempts: list[float] = []

    def steps(seconds: float) -> Iterator[StepReport]:
        attempts.append(seconds)
        if len(attempts) < 3:
            raise error
        yield STEP

    ending = run(ScriptedLoad(steps, smaller_sizes=5), channel)
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["shrunk"] == 2
    assert "reduced 2 times" in ending.evidence.as_dict()["warnings"][0]
    assert attempts == sorted(attempts, reverse=True), "only the time that is left"
    assert channel.of("fault") == []


def test_memory_that_never_suffices_is_not_run(channel: Any) -> None:
    ending = run(ScriptedLoad(raising(MemoryError()), smaller_sizes=2), channel)
    assert ending.status is LoadStatus.NOT_RUN
    assert "memory" in ending.reason
