"""How the loads of a stage begin, end together and end early, and what the runner adds to their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from core.burnin.profile.profile import Guards
from core.burnin.record.rows import Result, ResultStatus
from core.burnin.stages.loading import (
    FINISH_GRACE_S,
    MOST_RESTARTS,
    LoadStage,
    LoadTask,
    RunningLoads,
    injected_params,
    stated_peak_tflops,
)
from core.burnin.stages.registry import BY_KIND
from core.loads.load import StopCause
from core.machine.telemetry.device import Device, DeviceKind

TURN_S = 0.1


def test_a_load_that_was_ended_with_the_run_or_the_stage_says_why() -> None:
    context: Any = Clockwork(cut_at_s=0.0, why_cut="No telemetry for 11 s.")
    for cause, says in ((StopCause.REQUESTED, "No telemetry for 11 s."), (None, "It was lost.")):
        card = Card(context, "GPU-0", stop_cause=cause)
        card.result = (ResultStatus.STOPPED, "It was lost.", {})
        context.devices = {card.id: card}
        loads = RunningLoads(context, {card.id: LoadTask("gemm", {}, 5.0)})
        assert loads.run(lambda: None, lambda _id, _result: None)[card.id][:2] == (ResultStatus.STOPPED, says)


@dataclass
class Card:
    """A device whose load ends when it should, `late_s` after it, or never when `late_s` is None."""

    context: Any
    id: str
    late_s: float | None = 0.0
    began_s: float | None = None
    ends_s: float | None = None
    result: Result | None = None
    ended_by: str = ""
    starting: bool = False
    stop_cause: StopCause | None = None
    interrupted: bool = False
    ran_s: float = 0.0
    freezes: list[float] = field(default_factory=list)
    """After so many seconds of each piece of its load it is interrupted."""
    asked_s: list[float] = field(default_factory=list)
    """How long each piece was to run."""

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=self.id)

    @property
    def loading(self) -> bool:
        return self.began_s is not None and self.result is None and self.ended_by == ""

    def start_load(self, now_s: float, load: str, seconds: float, params: Any, *, group: Any = None) -> None:
        self.asked_s.append(seconds)
        self.began_s, self.interrupted, self.ran_s = now_s, False, seconds
        self.ends_s = None if self.late_s is None else now_s + seconds + self.late_s

    def refuse_load(self, status: ResultStatus, reason: str) -> None:
        self.result = (status, reason, {})

    def stop_load(self, now_s: float) -> None:
        if self.loading:
            self.ended_by = "stop"

    def conclude_load(self) -> None:
        if self.loading:
            self.ended_by = "conclude"

    def take_result(self) -> Result | None:
        if self.freezes and self.loading and self.began_s is not None:
            ran_s = self.context.now() - self.began_s
            if ran_s >= self.freezes[0]:
                self.ran_s, self.interrupted = self.freezes.pop(0), True
                return ResultStatus.STOPPED, "It stood alone.", {"checks": round(ran_s)}
        over = self.ends_s is not None and self.context.now() >= self.ends_s
        if self.result is None and (over or self.ended_by):
            status = ResultStatus.STOPPED if self.ended_by == "stop" else ResultStatus.PASSED
            self.result = (status, self.ended_by, {"checks": round(self.ran_s), "rates": {"fp32": len(self.asked_s)}})
        return self.result


@dataclass
class Clockwork:
    """A stage and its run in one, over in no time."""

    cut_at_s: float = 1e9
    now_s: float = 100.0
    why_cut: str | None = None
    devices: dict[str, Card] = field(default_factory=dict)
    began_s: dict[str, float] = field(default_factory=dict)
    event_kinds: list[str] = field(default_factory=list)
    sensors: Any = field(default_factory=lambda: SimpleNamespace(tell_activity=lambda _device, _load: None))

    @property
    def live(self) -> Clockwork:
        return self

    def now(self) -> float:
        return self.now_s

    @property
    def cut(self) -> bool:
        return self.now_s >= self.cut_at_s

    def event(self, _level: Any, kind: str, _text: str, _device_id: str) -> None:
        self.event_kinds.append(kind)

    def turn(self) -> None:
        self.now_s += TURN_S

    def wait_until_ready(self, devices: list[Card]) -> None:
        self.now_s += 20.0
        for card in devices:
            card.starting = False


def stage(cards: int, *, apart_s: float, **clockwork: Any) -> tuple[Clockwork, RunningLoads]:
    context: Any = Clockwork(**clockwork)
    context.devices = {f"GPU-{n}": Card(context, f"GPU-{n}") for n in range(cards)}
    tasks = {device_id: LoadTask("gemm", {}, 60.0) for device_id in context.devices}
    return context, RunningLoads(context, tasks, apart_s=apart_s)


def run(loads: RunningLoads, each_turn: Any = lambda: None) -> dict[str, ResultStatus]:
    return {device_id: result[0] for device_id, result in loads.run(each_turn, lambda *_: None).items()}


def test_loads_begin_one_after_another_and_end_together() -> None:
    context, loads = stage(4, apart_s=1.0)
    assert set(run(loads).values()) == {ResultStatus.PASSED}
    cards = list(context.devices.values())
    assert [card.began_s for card in cards] == pytest.approx([100, 101, 102, 103], abs=2 * TURN_S)
    assert [card.ends_s for card in cards] == pytest.approx([160] * 4, abs=2 * TURN_S)


def test_a_stage_that_is_cut_stops_what_runs_and_does_not_begin_the_rest() -> None:
    context, loads = stage(4, apart_s=1.0, cut_at_s=101.5)
    assert set(run(loads).values()) == {ResultStatus.STOPPED}
    assert [card.began_s is not None for card in context.devices.values()] == [True, True, False, False]
    assert context.now_s < 102


def test_a_load_that_does_not_end_is_stopped_after_its_grace() -> None:
    context, loads = stage(2, apart_s=0.0)
    context.devices["GPU-1"].late_s = None
    assert run(loads) == {"GPU-0": ResultStatus.PASSED, "GPU-1": ResultStatus.STOPPED}
    assert context.now_s == pytest.approx(160 + FINISH_GRACE_S, abs=3 * TURN_S)


def test_a_worker_that_was_replaced_gets_ready_before_the_time_begins() -> None:
    context, loads = stage(2, apart_s=0.0)
    context.devices["GPU-1"].starting = True
    assert set(run(loads).values()) == {ResultStatus.PASSED}
    assert [card.began_s for card in context.devices.values()] == pytest.approx([120, 120], abs=2 * TURN_S)


def test_loads_that_are_concluded_judge_what_they_have_done() -> None:
    context, loads = stage(2, apart_s=0.0)
    assert set(run(loads, lambda: loads.conclude() if context.now_s > 110 else None).values()) == {ResultStatus.PASSED}
    assert context.now_s < 111


@pytest.mark.parametrize(
    ("kind", "seconds", "loads", "apart_s"),
    [("gemm", 600, 8, 1.0), ("gemm", 600, 2, 0.0), ("gemm", 4, 8, 0.05), ("transients", 600, 8, 0.0)],
    ids=["a second apart", "two at once", "a tenth of a short stage", "transients together"],
)
def test_only_many_loads_begin_apart_and_a_tenth_of_the_time_is_spent_on_it(
    kind: str, seconds: float, loads: int, apart_s: float
) -> None:
    chosen = BY_KIND[kind]
    assert isinstance(chosen, LoadStage)
    context: Any = SimpleNamespace(
        settings=SimpleNamespace(seconds=seconds),
        run=SimpleNamespace(profile=SimpleNamespace(guards=Guards(stagger_s=1))),
    )
    assert chosen.apart_s(context, loads) == pytest.approx(apart_s)


def test_a_fault_can_be_made_on_one_device_alone() -> None:
    gemm = BY_KIND["gemm"]
    assert isinstance(gemm, LoadStage)
    params = {"inject": "bitflip", "inject_on": "1", "size": 128}
    on = [gemm.params_on(SimpleNamespace(id=f"GPU-{n}", index=n), params) for n in range(2)]  # type: ignore[arg-type]
    assert on == [{"size": 128}, {"inject": "bitflip", "size": 128}]


def test_a_fault_that_is_meant_for_no_device_of_the_stage_is_not_run() -> None:
    """Ordered for a card that is not there, or for one that has no part in the stage: nobody would inject it."""
    gemm = BY_KIND["gemm"]
    assert isinstance(gemm, LoadStage)
    cards: Any = [SimpleNamespace(id=f"GPU-{number}", index=number) for number in range(2)]
    for able, place in ((cards, "7"), ([], "1")):
        result = gemm._stray_drill({"inject": "bitflip", "inject_on": place}, able)
        assert result[0] is ResultStatus.NOT_RUN
        assert result[1] == "The fault to inject (bitflip) concerns no device of this stage. Check inject_on."
        assert "needs" not in result[2]
    assert gemm._stray_drill({"inject": "bitflip", "inject_on": "1"}, cards) is None
    assert gemm._stray_drill({"size": 128}, []) is None


def test_a_fault_of_the_products_strikes_no_cpu_under_the_whole_system() -> None:
    """Its load is another one, with faults of its own: the drill passed and had struck nothing."""
    stage, cpu = BY_KIND["whole-system"], Device("cpu", DeviceKind.CPU, "CPU")
    card = Device("GPU-0", DeviceKind.GPU, "Card", index=0)
    assert isinstance(stage, LoadStage)
    assert stage._stray_drill({"inject": "bitflip"}, [cpu]) is not None
    assert stage._stray_drill({"inject": "bitflip", "inject_on": "cpu"}, [card, cpu]) is not None
    assert stage._stray_drill({"inject": "bitflip"}, [card, cpu]) is None
    assert stage._stray_drill({"machine": {"inject": "disk"}}, [cpu]) is None


# -- interrupted by what befell our own processes --------------------------------------------------------------------


def interrupted(*after_s: float) -> tuple[Clockwork, RunningLoads, Card]:
    context, loads = stage(2, apart_s=0.0)
    card = context.devices["GPU-1"]
    card.freezes = list(after_s)
    return context, loads, card


def test_a_load_that_was_interrupted_is_started_again_for_the_rest_of_its_time_and_that_is_a_warning() -> None:
    context, loads, card = interrupted(20.0, 35.0)
    results = loads.run(lambda: None, lambda *_: None)
    status, _, evidence = results["GPU-1"]
    assert status is ResultStatus.PASSED
    assert card.asked_s == pytest.approx([60.0, 40.0, 5.0], abs=1.0)
    assert sum([20.0, 35.0, card.asked_s[-1]]) >= 60.0, "all of the planned time was run"
    assert evidence["checks"] == pytest.approx(60, abs=2)
    assert evidence["warnings"] == ["The load was interrupted 2 times and started again for the rest of its time."]
    assert results["GPU-0"][2].get("warnings") is None
    assert context.event_kinds == ["again"] * 2


def test_the_evidence_is_that_of_the_longest_piece_and_the_load_began_then() -> None:
    context, loads, _card = interrupted(20.0)
    results = loads.run(lambda: None, lambda *_: None)
    assert results["GPU-1"][2]["rates"] == {"fp32": 2}
    assert context.began_s["GPU-1"] == pytest.approx(120.0, abs=3 * TURN_S)
    context, loads, _card = interrupted(59.5)
    assert loads.run(lambda: None, lambda *_: None)["GPU-1"][0] is ResultStatus.PASSED
    assert context.began_s["GPU-1"] == pytest.approx(100.0, abs=3 * TURN_S)


@pytest.mark.parametrize("times", range(6))
def test_a_load_is_started_again_a_few_times_at_most(times: int) -> None:
    context, loads, _card = interrupted(*[2.0] * times)
    status = loads.run(lambda: None, lambda *_: None)["GPU-1"][0]
    assert status is (ResultStatus.PASSED if times <= MOST_RESTARTS else ResultStatus.STOPPED)
    assert len(context.event_kinds) == min(times, MOST_RESTARTS)


def test_what_is_interrupted_when_the_stage_is_cut_is_not_started_again() -> None:
    context, loads, card = interrupted(20.0)
    context.cut_at_s = 120.0
    assert loads.run(lambda: None, lambda *_: None)["GPU-1"][0] is ResultStatus.STOPPED
    assert len(card.asked_s) == 1


def test_a_load_in_which_a_fault_was_found_is_not_started_again() -> None:
    _context, loads, card = interrupted(20.0)
    take = card.take_result

    def failed() -> Result | None:
        result = take()
        return (ResultStatus.FAILED, "wrong", {}) if card.interrupted else result

    card.take_result = failed  # type: ignore[method-assign]
    assert loads.run(lambda: None, lambda *_: None)["GPU-1"][0] is ResultStatus.FAILED
    assert len(card.asked_s) == 1


RTX_3090 = Device(
    id="GPU-a", kind=DeviceKind.GPU, name="NVIDIA GeForce RTX 3090", memory_mb=24_576, compute_capability="8.6"
)
HOST = Device(id="cpu", kind=DeviceKind.CPU, name="Some processor")


@pytest.mark.parametrize(
    ("params", "peak"), [({"precision": "fp32"}, 35.6), ({}, 71.2), ({"precision": "amp-fp16"}, 71.2)]
)
def test_a_training_load_gets_the_peak_of_its_precision(params: dict[str, Any], peak: float) -> None:
    assert injected_params("resnet", RTX_3090, params)["peak_tflops"] == pytest.approx(peak, rel=0.02)


@pytest.mark.parametrize(
    ("device", "precision"),
    [
        (HOST, "fp32"),
        (replace(RTX_3090, name="NVIDIA Unheard-of 9000"), "fp32"),
        (replace(RTX_3090, compute_capability=None), None),
        (RTX_3090, "fp4"),
    ],
)
def test_an_unknown_peak_is_not_made_up(device: Device, precision: str | None) -> None:
    assert stated_peak_tflops(device, precision) is None


def test_a_parameter_that_was_set_stays() -> None:
    assert injected_params("lstm", RTX_3090, {"peak_tflops": 5.0}) == {}


@pytest.mark.parametrize("load", ["gemm", "vram", "collectives"])
def test_loads_get_only_parameters_that_they_take(load: str) -> None:
    assert injected_params(load, replace(RTX_3090, p2p={"GPU-b": {"read": "ok"}}), {}) == {}


def test_pairs_get_what_the_driver_reports_of_them() -> None:
    access = {"GPU-b": {"read": "ok", "write": "ok", "pci": "ok"}, "GPU-c": {"read": "not supported by the GPU"}}
    card = replace(RTX_3090, p2p=access, topology={"GPU-b": "a PCIe switch"})
    assert injected_params("p2p", card, {}) == {
        "transport": "to GPU-b over a PCIe switch: read ok, write ok; to GPU-c: read not supported by the GPU"
    }
    assert injected_params("p2p", RTX_3090, {}) == {}
