"""Nothing is decided by words: a run whose every message is noise gets the same verdict and causes as one in English.

Noise (tests/noise.py) is spoken as another language by who reads the run, and then in the place of English itself, by
all who record, judge and read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import Event, Outcome, Reason, ResultStatus
from core.burnin.record.store import RunStore
from core.burnin.run import supervision
from core.burnin.run.order import BurnOrder
from core.burnin.run.recovery import stopped_s
from core.burnin.simulated_plan import with_plan
from core.burnin.stages.soak import SoakParams, soak_evidence
from core.burnin.verdict.causes import causes_of, find_causes
from core.burnin.verdict.speed import speed_reasons
from core.burnin.verdict.states import error_counts, stage_states
from core.plan.file import dump_build
from core.words import Message, english, plain
from tests.burnin.fast_run import burned
from tests.burnin.processes import profile_in
from tests.burnin.test_verdict import GEMM, card, recorded, samples
from tests.noise import noise, noisy
from tests.shipped import templates

FAULTS = (
    "ecc@0:17s", "lost@1:20s", "throttle@2:15s", "brake@3:15s", "xid94@4:17s", "aer@5:17s", "slow30@6", "link4@7",
    "corrected@8:15s",
)  # fmt: skip
STOP_AT_S = 24.0
STAGES: tuple[tuple[str, float, dict[str, Any]], ...] = (
    ("preflight", 1, {}), ("idle", 11, {}), ("gemm", 30, {"dtypes": "float32"}), ("host-link", 8, {}),
    ("transformer", 10, {}),
)  # fmt: skip
PASS, WARN, FAIL, INCOMPLETE = Outcome.PASS, Outcome.WARN, Outcome.FAIL, Outcome.INCOMPLETE
PASSED = (PASS, *[PASS] * 10)
FAILED = (FAIL, *[FAIL] * 5, WARN, FAIL, FAIL, WARN, PASS)
STOPPED = (FAIL, FAIL, *[INCOMPLETE] * 9)


def codes(text: str) -> str:
    """Which sentence it is, whatever it says."""
    return text.parts[0] if isinstance(text, Message) else ""


def decided(folder: Path) -> dict[str, Any]:
    """All that is decided about the newest run of a folder, without a word of it."""
    with closing(RunStore(folder)) as store:
        run_id = store.runs()[0].id
        judged, stages, events = store.verdicts(run_id), store.stages(run_id), store.events(run_id)
        burned_ids = [row.device.id for row in store.devices(run_id) if row.burned]
        return {
            "verdicts": [
                (one.device_id, one.outcome, reason.outcome, reason.criterion, reason.about, reason.measured,
                 reason.limit, reason.stage, reason.time_s, codes(reason.text))
                for one in judged for reason in one.reasons
            ],
            "causes": [
                (one.kind, one.outcome, one.devices, one.time_s, one.stage, codes(one.text), codes(one.action),
                 [(effect.device_id, effect.reason.criterion, effect.reason.about) for effect in one.folded])
                for one in causes_of(store, run_id)
            ],
            "states": [one.as_dict() for one in stage_states(stages, store.results(run_id), events, burned_ids)],
            "results": [(one.number, one.device_id, one.status) for one in store.results(run_id)],
            "errors": {device_id: one.as_dict() for device_id, one in error_counts(store, run_id).items()},
            "events": [(one.kind, one.level, one.device_id) for one in events],
            "stopped": stopped_s(judged),
        }  # fmt: skip


def run(folder: Path, faults: tuple[str, ...], *, stopped: bool = False) -> None:
    """Burns the simulated cards of a plan in, with these faults; the user may stop it."""
    folder.mkdir()
    build = templates()["dell-dss-8440"]
    simulate = with_plan(",".join(["plan", *(f"fault={fault}" for fault in faults)]), build)
    order = BurnOrder(profile=profile_in(folder, *STAGES, stagger_s=0), simulate=simulate, build=dump_build(build))
    heed = supervision.Supervision._heed_requests

    def stop_or_heed(burn: Any) -> None:
        if stopped and burn.now() > STOP_AT_S and not burn.stopped:
            burn._store.request(burn._run.id, "stop")
        heed(burn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervision.Supervision, "_heed_requests", stop_or_heed)
        burned(folder, order)


@pytest.mark.parametrize(
    ("faults", "stopped", "outcomes", "kinds"),
    [
        ((), False, PASSED, set()),
        (FAULTS, False, FAILED, {"memory", "lost", "heat", "slow", "other", "link", "plan"}),
        (("ecc@0:17s",), True, STOPPED, {"memory", "stopped"}),
    ],
    ids=["passes", "fails", "is stopped"],
)
def test_a_burn_in_in_noise_gets_the_verdict_and_the_causes_of_one_in_english(
    tmp_path: Path, faults: tuple[str, ...], stopped: bool, outcomes: tuple[Outcome, ...], kinds: set[str]
) -> None:
    run(tmp_path / "english", faults, stopped=stopped)
    in_english = decided(tmp_path / "english")
    assert tuple({reason[0]: reason[1] for reason in in_english["verdicts"]}.values()) == outcomes
    assert {cause[0].value for cause in in_english["causes"]} == kinds
    with noisy(in_place_of_english=False):
        assert decided(tmp_path / "english") == in_english, "as one reads it whose language is noise"
    with noisy(in_place_of_english=True):
        run(tmp_path / "noise", faults, stopped=stopped)
        noise_all_over = decided(tmp_path / "noise")
        with closing(RunStore(tmp_path / "noise")) as store:
            assert not any("started" in event.message for event in store.events(1)), "it is noise"
    assert noise_all_over == in_english
    assert all(reason[3] for reason in in_english["verdicts"]), "every reason has a code"


def test_causes_need_no_word_and_no_unit_of_a_reason(tmp_path: Path) -> None:
    run(tmp_path / "run", FAULTS)
    with closing(RunStore(tmp_path / "run")) as store:
        of_run = (store.devices(1), store.stages(1), store.results(1))
        events, judged = store.events(1), store.verdicts(1)

    def causes(reason: Callable[[Reason], Reason], event: Callable[[Event], Event]) -> list[Any]:
        changed = [replace(one, reasons=tuple(map(reason, one.reasons))) for one in judged]
        return [
            (cause.kind, cause.outcome, cause.devices, cause.time_s, cause.stage, len(cause.folded))
            for cause in find_causes(*of_run, list(map(event, events)), changed)
        ]

    spoken = causes(lambda reason: reason, lambda event: event)
    assert {cause[0].value for cause in spoken} >= {"memory", "lost", "heat", "slow", "link", "plan"}
    speechless = causes(
        lambda reason: replace(reason, unit="?", source="", text=plain("{finding}", finding=noise(reason.text))),
        lambda event: replace(event, message=noise(event.message)),
    )
    assert speechless == spoken


@pytest.mark.parametrize(("bits", "expected"), [(0x4, Outcome.WARN), (0x5, Outcome.WARN), (0x24, Outcome.FAIL)])
def test_a_soak_that_was_held_back_by_its_power_limit_alone_is_known_in_noise(bits: int, expected: Outcome) -> None:
    block = samples(throttle_mask=float(bits))
    for in_place_of_english in (False, True):
        with noisy(in_place_of_english=in_place_of_english):
            evidence = soak_evidence(block, SoakParams())
            assert evidence is not None
            in_english = english({**asdict(evidence), "drift_pct": 50.0})
            reasons = speed_reasons(recorded(changed={(GEMM, "GPU-0"): (ResultStatus.PASSED, "", in_english)}), card())
            assert [reason.outcome for reason in reasons] == [expected]
