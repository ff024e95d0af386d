"""Shares of a GPU (MIG) in a run: how they are chosen, what they cannot do, and that their card is guarded for them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.guards.rounds import Rounds
from core.burnin.planned import unplanned_cards
from core.burnin.profile.profile import Guards
from core.burnin.record.rows import Outcome, Reason, ResultStatus, RunDevice
from core.burnin.record.samples import Samples
from core.burnin.run.order import choose_devices
from core.burnin.stages.preflight import PreflightParams, look_before
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict import judge
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import NAMES
from core.plan.build import Build
from tests.burnin.test_criteria import COLUMN, run_of

WHOLE = Device("GPU-ab", DeviceKind.GPU, "H200", index=0)
CARD = Device("GPU-cd", DeviceKind.GPU, "H200", index=1, mig=True, temperature_slowdown_c=90.0)
ONE, TWO = (
    Device(f"MIG-{n}1", DeviceKind.GPU, "H200 MIG 1g.18gb", index=1 + n, parent=CARD.id, limited="a MIG instance")
    for n in (1, 2)
)
CPU = Device("cpu", DeviceKind.CPU, "Processor", index=4)
PRESENT = [WHOLE, CARD, ONE, TWO, CPU]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ((), [WHOLE, ONE, TWO]), (("MIG-1",), [ONE]), (("3",), [TWO]), (("GPU-cd",), [ONE, TWO]),
        (("1",), [ONE, TWO]), (("GPU-cd", "MIG-11"), [ONE, TWO]), (("GPU-ab", "MIG-21"), [WHOLE, TWO]),
    ],
)  # fmt: skip
def test_ids_of_both_kinds_choose_and_a_divided_card_stands_for_its_shares(
    words: tuple[str, ...], chosen: list[Device]
) -> None:
    assert choose_devices(PRESENT, words) == chosen


@pytest.mark.parametrize("kind", ["p2p", "collectives", "data-parallel"])
def test_shares_have_no_part_in_what_whole_cards_do_together(kind: str) -> None:
    stage, twin = BY_KIND[kind], Device("GPU-ef", DeviceKind.GPU, "H200")
    burned = [WHOLE, twin, ONE, TWO]
    assert stage.lacks(WHOLE, burned) is None
    for share in (ONE, TWO):
        lacking = stage.lacks(share, burned)
        assert lacking[0] is ResultStatus.NOT_RUN
    assert stage.lacks(WHOLE, [WHOLE, ONE, TWO]) is not None, "shares are no partners of a whole card"


@pytest.mark.parametrize("kind", ["gemm", "vram", "resnet", "soak"])
def test_shares_compute_like_any_gpu(kind: str) -> None:
    assert BY_KIND[kind].lacks(ONE, [ONE, TWO]) is None


def quiet(count: int = 5) -> Samples:
    block = np.full((count, 1 + len(NAMES)), np.nan)
    block[:, 0] = np.arange(count)
    return block


def test_preflight_refuses_a_card_that_mig_has_taken_apart_and_says_what_to_do() -> None:
    findings = look_before(CARD, quiet(), PreflightParams())
    assert findings.failures == []
    assert "nvidia-smi" in findings.refusals[0]
    assert findings.result("")[0] is ResultStatus.NOT_RUN


def test_a_healthy_share_passes_preflight_without_a_warning() -> None:
    findings = look_before(ONE, quiet(), PreflightParams())
    assert (findings.failures, findings.refusals, findings.warnings) == ([], [], [])


def test_shares_are_in_no_plan_and_no_strangers_to_it() -> None:
    assert unplanned_cards(Build("Plan", ()), [ONE, TWO, CPU]) == []


class Sensors:
    """Readings by device; `silent_s` by device, 0 where it is measured."""

    def __init__(self, readings: dict[str, dict[str, float]], silent_s: dict[str, float] | None = None) -> None:
        self._readings, self._silent_s = readings, silent_s or {}

    def fresh(self, device_id: str) -> dict[str, float]:
        return self._readings.get(device_id, {})

    def device_silent_s(self, device_id: str) -> float:
        return self._silent_s.get(device_id, 0.0)


def decided(sensors: Sensors, *, until_s: int = 12) -> tuple[list[ResultStatus], list[Reason]]:
    """How the guards end the load of a share, and why they stop the run."""
    ended: list[ResultStatus] = []
    stopped: list[Reason] = []
    loading: Any = SimpleNamespace(
        device=ONE, loading=True, heartbeat_s=0.0, group=frozenset(), metrics={},
        end=lambda status, _: ended.append(status),
    )  # fmt: skip
    rounds = Rounds(Guards(), {d.id: d for d in PRESENT}, {ONE.id, CARD.id}, event=lambda *_: None, stop=stopped.append)
    for now_s in range(until_s):
        loading.heartbeat_s = float(now_s)
        rounds.go(float(now_s), {ONE.id: loading}, sensors)  # type: ignore[arg-type]
    return ended, stopped


def test_a_card_that_grows_too_hot_ends_the_loads_of_its_shares() -> None:
    ended, stopped = decided(Sensors({CARD.id: {"temperature_c": 95.0}}))
    assert not ended and stopped
    assert all(CARD.title in reason.text for reason in stopped)
    assert decided(Sensors({CARD.id: {"temperature_c": 60.0}})) == ([], [])


def test_a_share_is_watched_by_what_is_measured_of_its_card() -> None:
    unread = decided(Sensors({}, {ONE.id: 60.0}))
    assert unread == ([], []), "the driver tells little of a share, and that is no blindness"
    ended, stopped = decided(Sensors({}, {CARD.id: 60.0}))
    assert set(ended) == {ResultStatus.STOPPED} and not stopped


@pytest.mark.parametrize(
    ("metric", "value", "expected"),
    [("ecc_uncorrected", np.arange(600.0), Outcome.FAIL), ("ecc_corrected", np.arange(600.0), Outcome.WARN),
     ("temperature_c", 93.0, Outcome.FAIL), ("temperature_c", 60.0, Outcome.PASS)],
)  # fmt: skip
def test_what_is_measured_of_a_divided_card_is_judged_for_the_machine(
    metric: str, value: Any, expected: Outcome
) -> None:
    share = run_of(device=ONE)
    samples = share.samples[ONE.id].copy()
    samples[:, COLUMN[metric]] = value
    whole = replace(share, devices=[*share.devices, RunDevice(CARD, 1, burned=False)],
                    samples={ONE.id: share.samples[ONE.id], CARD.id: samples})  # fmt: skip
    machine, of_share = judge(whole)
    assert machine.outcome is expected
    assert of_share.outcome is Outcome.PASS, "the driver tells none of it of the share"
    own = [one for one in machine.reasons if one.criterion != "device"]
    assert [one.outcome for one in own if one.outcome is not Outcome.PASS] == [expected] * (
        expected is not Outcome.PASS
    )
    assert all(one.text.startswith(f"{CARD.title}: ") for one in own)
