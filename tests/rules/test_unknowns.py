"""The figures that would settle what is open, the most useful first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.build.build import Build
from core.rules.engine import check
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.unknowns import settling
from core.rules.words import figure_words
from tests.rules.machines import changed, good_build, part, with_line


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


def test_supplies_of_one_kind_whose_cables_have_no_length_are_one_question() -> None:
    build = good_build()
    build = build.with_lines(tuple(replace(line, risers=line.slots) for line in build.lines))
    for quantity in (1, 2):
        findings = check(with_line(build, part("psu"), quantity))
        assert len([finding for finding in findings if finding.rule == "cable-length"]) == 1


def test_an_empty_build_has_no_figure_to_know() -> None:
    finding = next(finding for finding in check(Build("empty")) if finding.rule == "unknown-figures")
    assert (finding.status, finding.message) == (Status.PASS, "No part has a deciding figure.")


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        (["gpu.width_slots"], "width in slots of Test GPU is unknown"),
        (["psu.cables"], "cables of Test PSU are incomplete"),
        (["gpu.width_slots", "psu.cables"], "width in slots of Test GPU; cables of Test PSU are unknown or incomplete"),
        ([], "a figure is unknown"),
    ],
)
def test_a_figure_that_is_there_in_part_is_called_incomplete(figures: list[str], words: str) -> None:
    assert figure_words(Machine(changed(good_build(), "gpu", width_slots=None)), figures) == words
