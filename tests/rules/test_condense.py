"""Empty answers are gathered: one line for rules that wait for the same figures, one for all that wait for parts."""

from dataclasses import replace
from random import Random

import pytest

from core.build.build import Build
from core.parts.vocabulary import Category
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.engine import COMPLETE, HINTS, MISSING, NOT_CHOSEN, answers, check, summary
from core.rules.figure_names import figure_words
from core.rules.finding import Finding, Status
from tests.rules.machines import changed, good_build, part, with_line, without
from tests.rules.random_builds import forgetful, random_build


def unknown(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.status is Status.UNKNOWN]


def checked(build: Build) -> tuple[Finding, ...]:
    return check(build, predict(build))


def test_rules_that_wait_for_one_figure_stand_on_one_line_that_names_them() -> None:
    build = changed(good_build(), "cpu", sustained_power_w=None)
    apart = {finding.rule for finding in unknown(answers(build, predict(build)))}
    [line] = unknown(checked(build))
    assert (line.rule, line.missing, set(line.waiting)) == (MISSING, ("cpu.sustained_power_w",), apart)
    words = "sustained power limit of Test CPU: enter it."
    assert line.message == f"{len(apart)} rules wait for {words}"
    assert len(apart) > 3


def test_figures_that_no_rule_needs_together_are_two_lines() -> None:
    build = changed(changed(good_build(), "gpu", memory_gb=None), "case", psu_mounts=None)
    lines = {finding.missing: finding.waiting for finding in unknown(checked(build))}
    assert set(lines) == {("gpu.memory_gb",), ("case.psu_mounts",)}


def test_what_only_a_hint_waits_for_is_no_question() -> None:
    build = changed(good_build(), "ram", speed_mts=None)
    assert unknown(checked(build)) == []
    assert [f.rule for f in checked(build) if not f.checked and f.missing] == ["ram-speed"]
    assert "ram-speed" in HINTS


@pytest.mark.parametrize("seed", range(20))
def test_every_rule_that_may_warn_and_lacks_a_figure_is_named_once(seed: int) -> None:
    build = forgetful(Random(seed), random_build(Random(seed)), 5)
    prediction = predict(build)
    apart = unknown(answers(build, prediction))
    lines = unknown(check(build, prediction))
    assert {finding.rule for finding in apart} - HINTS <= {rule for line in lines for rule in line.waiting}
    figures = [figure for line in lines for figure in line.missing]
    assert len(figures) == len(set(figures)), "one line a figure"
    assert {figure for f in apart if f.rule not in HINTS for figure in f.needed} <= set(figures)


def test_what_is_still_to_be_chosen_is_one_line() -> None:
    findings = checked(without(good_build(), Category.CASE, Category.PSU))
    [line] = [finding for finding in findings if finding.rule in (COMPLETE, NOT_CHOSEN)]
    assert (line.rule, line.status) == (COMPLETE, Status.UNKNOWN)
    assert line.message.startswith("Not in the build yet: ")
    assert all(name in line.message for name in ("case", "PSU"))
    assert {"psu-mounts", "mains-inlet"} <= set(line.waiting)
    assert sum(summary(findings).values()) == sum(finding.checked for finding in findings)


def test_nothing_to_choose_is_not_told() -> None:
    assert NOT_CHOSEN not in {finding.rule for finding in checked(good_build())}


def test_what_the_maker_of_a_complete_system_fitted_is_no_question() -> None:
    build = changed(changed(good_build(), "motherboard", power_inputs=None), "case", psu_mounts=None)
    assert {"motherboard.power_inputs", "case.psu_mounts"} <= {
        f for one in unknown(checked(build)) for f in one.missing
    }
    sold_with = [line.part.id for line in good_build().lines if line.part.category is not Category.CASE]
    complete = changed(build, "case", psu_mounts=None, kind="system", sold_with=sold_with)
    assert unknown(checked(complete)) == []
    settled = next(f for f in checked(complete) if f.rule == "psu-mounts")
    assert (settled.status, settled.checked) == (Status.PASS, False)
    assert "which is sold complete" in settled.message


def test_a_part_that_the_system_is_not_sold_with_is_asked_about() -> None:
    sold_with = [line.part.id for line in good_build().lines if line.part.category is not Category.GPU]
    build = changed(good_build(), "case", kind="system", sold_with=sold_with, gpu_max_length_mm=None)
    assert "case.gpu_max_length_mm" in {figure for one in unknown(checked(build)) for figure in one.missing}


def test_psus_of_one_kind_whose_cables_have_no_length_are_one_question() -> None:
    build = good_build()
    build = build.with_lines(tuple(replace(line, risers=line.slots) for line in build.lines))
    for quantity in (1, 2):
        findings = answers(with_line(build, part("psu"), quantity))
        assert len([finding for finding in findings if finding.rule == "cable-length"]) == 1


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
    assert figure_words(RuleContext(changed(good_build(), "gpu", width_slots=None)), figures) == words
