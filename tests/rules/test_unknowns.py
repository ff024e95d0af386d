"""The figures that would settle what is open, the most useful first."""

from __future__ import annotations

from core.rules.engine import check
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.unknowns import settling
from tests.rules.machines import changed, good_build


def missing_figures() -> Machine:
    build = changed(changed(good_build(), "gpu", length_mm=None, memory_gb=None), "storage", active_power_w=None)
    machine = Machine(build)
    machine.waiting["gpu.length_mm"] = {"card-length"}
    machine.waiting["gpu.memory_gb"] = {"vram-need", "ram-for-gpus"}
    return machine


def test_the_figure_that_most_rules_wait_for_comes_first_and_one_for_predictions_last() -> None:
    assert settling(missing_figures()) == [("gpu.memory_gb", 2), ("gpu.length_mm", 1), ("storage.active_power_w", 0)]


def test_a_machine_that_knows_everything_waits_for_nothing() -> None:
    assert settling(Machine(good_build())) == []


def test_every_figure_that_a_rule_could_not_answer_without_is_in_the_list() -> None:
    findings = check(missing_figures().build)
    listed = next(finding for finding in findings if finding.rule == "unknown-figures")
    assert listed.status is Status.UNKNOWN
    waited = {f for finding in findings if finding.status is Status.UNKNOWN for f in finding.missing}
    assert waited <= set(listed.missing)
    assert "would let" in listed.message
