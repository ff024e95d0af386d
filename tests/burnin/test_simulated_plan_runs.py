"""Runs of simulated plans in processes of their own; test_planned_faults has all templates and faults."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from core.build.build import Build
from core.build.file import dump_build, load_build
from core.burnin.record.rows import MACHINE, Outcome, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, start_run
from core.burnin.simulated_plan import with_plan
from core.paths import ASSETS
from tests.shipped import parts_by_id

pytestmark = pytest.mark.process
PARTS = parts_by_id()
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
FAULTS = ("ecc@{}:17s", "lost@{}:17s", "xid79@{}:17s", "brake@{}:17s", "throttle@{}:17s", "slow30@{}", "paste@{}")
"""Those that a run of seconds can show."""
ENDS_WITHIN_S = 120.0


def plan(template: str) -> Build:
    return load_build(ASSETS / "templates" / f"{template}.rig.json", PARTS.get)


def burned(folder: Path, template: str, script: str = "") -> dict[str, Verdict]:
    """Verdicts by device, the machine's among them."""
    profile = folder / "two.toml"
    profile.write_text(PROFILE, encoding="utf-8")
    build = plan(template)
    simulate = with_plan(f"plan,{script}" if script else "plan", build)
    order = BurnOrder(profile=str(profile), simulate=simulate, build=dump_build(build))
    run_id = start_run(folder, order)
    deadline = time.monotonic() + ENDS_WITHIN_S
    with closing(RunStore(folder)) as store:
        while store.run(run_id).status is RunStatus.RUNNING and time.monotonic() < deadline:
            time.sleep(0.2)
        assert store.run(run_id).status is RunStatus.FINISHED
        return {verdict.device_id: verdict for verdict in store.verdicts(run_id)}


def check_clean(folder: Path, template: str) -> None:
    found = burned(folder, template)
    told = [reason.text for verdict in found.values() for reason in verdict.reasons if reason.outcome is Outcome.FAIL]
    assert told == []
    assert found[MACHINE].outcome in (Outcome.PASS, Outcome.WARN)


def check_faults(folder: Path, template: str, faults: tuple[str, ...]) -> None:
    script = ",".join(f"fault={fault.format(place)}" for place, fault in enumerate(faults))
    found = burned(folder, template, script)
    assert found[MACHINE].outcome is Outcome.FAIL
    for place, fault in enumerate(faults):
        [verdict] = [one for id_, one in found.items() if id_.startswith(f"SIM-{place}-")]
        assert verdict.outcome is Outcome.FAIL, (fault, verdict.reasons)


def test_a_plan_as_simulated_passes(tmp_path: Path) -> None:
    check_clean(tmp_path, "digits-devbox")


def test_faults_of_a_plan_fail_their_cards(tmp_path: Path) -> None:
    check_faults(tmp_path, "dell-dss-8440", FAULTS)
