"""What ends loads before their time: limits of the user, a power cut, less time; and what is told before they begin."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.record.rows import Event, InterruptionKind, Outcome, Result, ResultStatus, RunStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from core.burnin.run.recovery import find_interrupted
from core.burnin.stages.loading import LoadStage, lack_of_time
from core.burnin.stages.registry import BY_KIND
from core.machine.telemetry.simulated.source import SimulatedSource
from core.present.report.document import KeyValues
from core.present.report.run_report import run_document
from tests.burnin import fast_run
from tests.burnin.processes import Start, WriteProfile, burned, finished, log_text, outcome
from tests.patience import wait_for


def events(store: RunStore, run_id: int, kind: str) -> list[Event]:
    return [event for event in store.events(run_id) if event.kind == kind]


def burn_fast(folder: Path, profile: str, simulate: str, **order: Any) -> None:
    """On a clock that jumps; its run is the first of the recording."""
    fast_run.burned(folder, BurnOrder(profile=profile, simulate=simulate, **order))


def test_a_limit_of_the_user_stops_the_load_and_the_others_go_on(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    limit = {"metric": "power_w", "above": 400, "for_s": 1}
    burn_fast(tmp_path, write_profile(("gemm", 6, {}), limits=[limit]), "1x3090,1x4090")
    smaller, larger = burned(store, 1)
    [breach] = events(store, 1, "guard")
    assert breach.device_id == larger
    assert "Power was above 400 W" in breach.message
    rates = store.samples(1, larger, breach.time_s + 1.0, names=("throughput_tflops",))[:, 1]
    assert np.isnan(rates).all(), "its load has ended"
    assert outcome(store, 1, larger) is Outcome.FAIL
    assert outcome(store, 1, smaller) is Outcome.PASS, store.verdicts(1)
    kinds = [event.kind for event in store.events(1)]
    assert kinds.index("power") < kinds.index("ready") < kinds.index("stage"), "told before anything burns"
    assert "800 W" in log_text(store, 1)


def test_a_hot_device_is_stopped_by_its_guard(store: RunStore, write_profile: WriteProfile, tmp_path: Path) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 30.0, {}), temperature_c=31, temperature_for_s=1)
    burn_fast(tmp_path, profile, "1x3090")
    assert outcome(store, 1) is Outcome.FAIL
    assert "Too hot" in log_text(store, 1)


def test_a_device_that_drops_out_of_the_samples_does_not_burn_on_unwatched(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, ticks = SimulatedSource.read, itertools.count()

    def forgetful(source: SimulatedSource) -> Any:
        samples = read(source)
        return dict(list(samples.items())[1:]) if next(ticks) > 3 else samples

    monkeypatch.setattr(SimulatedSource, "read", forgetful)
    burn_fast(tmp_path, write_profile(("gemm", 7.0, {}), telemetry_timeout_s=3), "2x3090")
    forgotten, watched = burned(store, 1)
    assert "No telemetry from this device" in log_text(store, 1)
    assert outcome(store, 1, forgotten) is Outcome.INCOMPLETE, store.verdicts(1)
    assert outcome(store, 1, watched) is Outcome.PASS


@pytest.mark.process
def test_a_power_cut_leaves_no_last_word_and_is_a_finding_of_the_run_that_goes_on(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    run_id = start(write_profile(("gemm", 4.0, {})), simulate="2x3090,fault=psu:3s")
    wait_for(lambda: find_interrupted(store, tmp_path), "the power cut")
    assert store.run(run_id).status is RunStatus.INTERRUPTED
    reset = events(store, run_id, "interruption")[0].message
    assert "The machine was reset during Verified GEMM" in reset
    assert "SIMULATED" in reset
    start_run(tmp_path, BurnOrder(resume=run_id, simulate="2x3090"))
    wait_for(lambda: finished(store, run_id), "the verdict")
    machine = store.verdicts(run_id)[0]
    assert machine.outcome is Outcome.FAIL
    assert machine.reasons[0].text == reset
    assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.PASS, store.verdicts(run_id)


LEFT_OUT = {"left_out": ["wave of 10 s", "step to 25 %"]}
FEWER = {"asked_for": 20, "products": {"float32": 20, "float64": 3}}


@pytest.mark.parametrize(
    ("evidence", "named"),
    [
        (LEFT_OUT, ["wave of 10 s, step to 25 %"]),
        (FEWER, ["float64"]),
        ({"left_out": [], "products": 800}, []),
        ({"asked_for": 2, "products": {"float32": 2}}, []),
    ],
    ids=["waves", "products", "a load with room for all", "as many as asked for"],
)
def test_what_had_no_time_is_read_from_the_evidence(evidence: dict[str, Any], named: list[str]) -> None:
    sentences = list(lack_of_time(evidence))
    assert len(sentences) == len(named)
    assert all(name in text for name, text in zip(named, sentences, strict=True))


def taken(evidence: dict[str, Any], status: ResultStatus, *, shortened: bool) -> list[str]:
    """The warnings with which a stage records the result of a load."""
    recorded: list[Result] = []
    context: Any = SimpleNamespace(
        run=SimpleNamespace(shortened=shortened), record=lambda _device_id, result: recorded.append(result)
    )
    stage = BY_KIND["transients"]
    assert isinstance(stage, LoadStage)
    stage.take(context, "GPU-1", (status, "", evidence))
    return list(recorded[0][2].get("warnings", []))


@pytest.mark.parametrize("shortened", [True, False])
def test_only_a_stage_with_all_its_time_warns_of_what_had_none(shortened: bool) -> None:
    assert len(taken(LEFT_OUT, ResultStatus.PASSED, shortened=shortened)) == (0 if shortened else 1)
    assert taken(LEFT_OUT | {"warnings": ["warm"]}, ResultStatus.PASSED, shortened=True) == ["warm"]
    assert taken(LEFT_OUT, ResultStatus.STOPPED, shortened=shortened) == []


@pytest.mark.parametrize("minutes", [0.1, None], ids=["shortened", "as planned"])
def test_a_shortened_run_can_pass_and_says_what_it_is(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, minutes: float | None
) -> None:
    """Without the minutes the profile is as short, and its author has left no room for a wave."""
    stages = (("preflight", 1.0, {}), ("transients", 20.0 if minutes else 4.0, {"steps_pct": "50"}))
    burn_fast(tmp_path, write_profile(*stages), "1x3090", minutes=minutes)
    run_id = 1
    assert [stage.status for stage in store.stages(run_id)] == [StageStatus.DONE] * 2
    [transients] = [result for result in store.results(run_id) if result.number == 1]
    assert transients.evidence["left_out"]
    messages = [one.message for one in store.interruptions(run_id) if one.kind is InterruptionKind.SHORTENED]
    facts = next(dict(block.rows) for block in run_document(store, run_id).blocks if isinstance(block, KeyValues))
    if minutes:
        reasons = [
            reason for one in store.verdicts(run_id) for reason in one.reasons if reason.outcome is not Outcome.PASS
        ]
        assert [reason.text for reason in reasons] == []
        assert len(messages) == 1
        assert messages[0] == store.shortened(run_id)
        assert facts["Shortened"] == messages[0]
    else:
        assert outcome(store, run_id) is Outcome.WARN
        assert (messages, "Shortened" in facts) == ([], False)


def test_only_less_time_than_the_stages_take_is_shorter() -> None:
    full = BurnOrder(profile="every-check").full_seconds
    for minutes, shorter in ((full / 60, False), (full / 60 + 1, False), (full / 60 - 1, True)):
        order = BurnOrder(profile="every-check", minutes=minutes)
        assert (order.full_seconds - order.wanted_profile().seconds > 1) is shorter
