"""Simulated plans in seconds: the shortest runs that show their faults; test_planned_faults has all templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.build.file import dump_build
from core.burnin.record.rows import MACHINE, Outcome, Verdict
from core.burnin.run.order import BurnOrder
from core.burnin.simulated_plan import with_plan
from tests.burnin.fast_run import burned
from tests.shipped import templates

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


def verdicts(folder: Path, template: str, script: str = "", stages: str = PROFILE) -> dict[str, Verdict]:
    """Verdicts on the template's cards, the machine's among them, by device."""
    profile = folder / "two.toml"
    profile.write_text(stages, encoding="utf-8")
    build = templates()[template]
    simulate = with_plan(f"plan,{script}" if script else "plan", build)
    order = BurnOrder(profile=str(profile), simulate=simulate, build=dump_build(build))
    with pytest.MonkeyPatch.context() as patch:
        return burned(folder, order, patch)


def test_a_plan_as_simulated_passes(tmp_path: Path) -> None:
    found = verdicts(tmp_path, "digits-devbox")
    assert {verdict.outcome for verdict in found.values()} == {Outcome.PASS}, found


def test_faults_of_a_plan_fail_their_cards(tmp_path: Path) -> None:
    faults = ",".join(f"fault={fault.format(place)}" for place, fault in enumerate(FAULTS))
    found = verdicts(tmp_path, "dell-dss-8440", faults)
    assert found[MACHINE].outcome is Outcome.FAIL
    for place, fault in enumerate(FAULTS):
        [verdict] = [one for id_, one in found.items() if id_.startswith(f"SIM-{place}-")]
        assert verdict.outcome is Outcome.FAIL, (fault, verdict.reasons)


def test_bad_paste_fails_its_card(tmp_path: Path) -> None:
    found = verdicts(tmp_path, "digits-devbox", "fault=paste@2")
    others = {id_: one.outcome for id_, one in found.items() if id_ != MACHINE and one.outcome is not Outcome.PASS}
    assert list(others.values()) == [Outcome.FAIL]
    assert next(iter(others)).startswith("SIM-2-")
