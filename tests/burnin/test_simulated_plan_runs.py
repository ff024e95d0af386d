"""Runs of simulated plans in processes of their own; test_planned_faults has all templates and faults."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from core.build.file import dump_build
from core.burnin.record.rows import MACHINE, Outcome, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, start_run
from core.burnin.simulated_plan import with_plan
from tests.shipped import templates

pytestmark = pytest.mark.process
PROFILE = """
name = "two"
title = "Idle and products"
[[stages]]
kind = "preflight"
seconds = 1
[[stages]]
kind = "idle"
seconds = 11
[[stages]]
kind = "gemm"
seconds = 14
[stages.params]
dtypes = "float32"
[guards]
stagger_s = 0
"""
FAULTS = ("ecc@{}:17s", "lost@{}:17s", "xid79@{}:17s", "brake@{}:17s", "throttle@{}:17s", "slow30@{}")
"""Those that a run of seconds can show beside others; paste is judged by a steady load after a rest, see below."""
ENDS_WITHIN_S = 120.0


def begin(folder: Path, template: str, script: str = "") -> int:
    """Starts a run of the template's cards."""
    profile = folder / "two.toml"
    profile.write_text(PROFILE, encoding="utf-8")
    build = templates()[template]
    simulate = with_plan(f"plan,{script}" if script else "plan", build)
    return start_run(folder, BurnOrder(profile=str(profile), simulate=simulate, build=dump_build(build)))


def verdicts(folder: Path, run_id: int) -> dict[str, Verdict]:
    """Verdicts by device, the machine's among them, once the run has ended."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    with closing(RunStore(folder)) as store:
        while store.run(run_id).status is RunStatus.RUNNING and time.monotonic() < deadline:
            time.sleep(0.2)
        assert store.run(run_id).status is RunStatus.FINISHED
        return {verdict.device_id: verdict for verdict in store.verdicts(run_id)}


@pytest.fixture(scope="module")
def burned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Verdict]]:
    """The verdicts of both runs, which go on at the same time."""
    faults = ",".join(f"fault={fault.format(place)}" for place, fault in enumerate(FAULTS))
    folders = {name: tmp_path_factory.mktemp(name) for name in ("clean", "faulty")}
    begun = {
        "clean": begin(folders["clean"], "digits-devbox"),
        "faulty": begin(folders["faulty"], "dell-dss-8440", faults),
    }
    return {name: verdicts(folders[name], run_id) for name, run_id in begun.items()}


def test_a_plan_as_simulated_passes(burned: dict[str, dict[str, Verdict]]) -> None:
    found = burned["clean"]
    told = [reason.text for verdict in found.values() for reason in verdict.reasons if reason.outcome is Outcome.FAIL]
    assert told == []
    assert found[MACHINE].outcome in (Outcome.PASS, Outcome.WARN)


def test_faults_of_a_plan_fail_their_cards(burned: dict[str, dict[str, Verdict]]) -> None:
    found = burned["faulty"]
    assert found[MACHINE].outcome is Outcome.FAIL
    for place, fault in enumerate(FAULTS):
        [verdict] = [one for id_, one in found.items() if id_.startswith(f"SIM-{place}-")]
        assert verdict.outcome is Outcome.FAIL, (fault, verdict.reasons)


@pytest.mark.prompt
def test_bad_paste_fails_its_card_in_a_run_of_its_own(tmp_path: Path) -> None:
    """Where a machine does other work, too, a load may be too unsteady to tell."""
    found = verdicts(tmp_path, begin(tmp_path, "digits-devbox", "fault=paste@2"))
    others = {id_: one.outcome for id_, one in found.items() if id_ != MACHINE and one.outcome is not Outcome.PASS}
    assert list(others.values()) == [Outcome.FAIL]
    assert next(iter(others)).startswith("SIM-2-")
