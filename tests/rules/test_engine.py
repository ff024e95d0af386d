"""What the engine promises for every rule: no silent pass, no order, no unfounded fail; empty answers are gathered."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.figures import field_words
from core.parts.specs import PsuSpec, Spec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.engine import COMPLETE, HINTS, MISSING, NOT_CHOSEN, answers, check, not_checked, run, summary
from core.rules.finding import SEVERITY, Finding, Status, figure_words
from core.rules.registry import RULES
from core.rules.rule import Answer, Reader, Rule
from tests.rules.machines import HEARSAY, SOURCE, SPECS, changed, good_build, part, with_line, without
from tests.rules.random_builds import forgetful, random_build

SPEC_TYPES = get_args(get_args(Spec)[0])
UNREADABLE = ("category", "product")
FIELDS = [
    (line.part.category.value, field)
    for line in good_build().lines
    for field in SPECS[line.part.category.value]
    if field not in UNREADABLE and type(line.part.spec).model_fields[field].default is None
]


def crowded() -> Build:
    """Cards that overlap, a weak PSU, one card too many: much to complain about."""
    build = with_line(good_build(), part("gpu", width_slots=2.7, cooling="open_air"), 4, (1, 2, 5))
    build = with_line(build, part("nic", suffix="-2"), 1, (6,))
    shared = [{"filled": ["M2_1"], "widths": {"S5": 8}}]
    return changed(changed(build, "psu", power_w=1000), "motherboard", lane_cases=shared)


def nulled(build: Build, category: str, field: str) -> Build:
    """The build in which one figure is unknown."""
    part_ = next(line.part for line in build.lines if line.part.category.value == category)
    value = type(part_.spec).model_fields[field].default
    return with_line(build, part_.model_copy(update={"spec": part_.spec.model_copy(update={field: value})}))


@given(st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(random: Any) -> None:
    build = crowded()
    lines = list(build.lines)
    random.shuffle(lines)
    assert check(build.with_lines(tuple(lines))) == check(build)


@pytest.mark.parametrize("base", [good_build, crowded])
def test_a_finding_that_changes_with_an_unknown_figure_names_that_figure(base: Callable[[], Build]) -> None:
    build, changes = base(), 0
    before = set(map(_comparable, check(build)))
    silent = []
    for category, field in FIELDS:
        changed_findings = set(map(_comparable, check(nulled(build, category, field)))) - before
        changes += len(changed_findings)
        figure = f"{category.replace('_', '-')}.{field}"
        silent += [(figure, finding) for finding in changed_findings if figure not in finding.missing]
    assert silent == []
    assert changes > len(FIELDS) / 4


def _comparable(finding: Finding) -> Finding:
    return finding._replace(unconfirmed=())


@given(st.sets(st.sampled_from(FIELDS), max_size=8))
def test_unknown_means_missing_figures_and_only_predictions_go_on_without(unknown: set[tuple[str, str]]) -> None:
    build = good_build()
    for category, field in unknown:
        build = nulled(build, category, field)
    for finding in check(build):
        if finding.status is Status.UNKNOWN:
            assert finding.missing
        for figure in finding.missing:
            part_id, field = figure.rsplit(".", 1)
            line = build.line(part_id)
            assert not getattr(line.part.spec, field), figure


@given(st.sets(st.sampled_from(FIELDS), max_size=6))
def test_every_rule_speaks_whatever_is_unknown(unknown: set[tuple[str, str]]) -> None:
    build = good_build()
    for category, field in unknown:
        build = nulled(build, category, field)
    assert {finding.rule for finding in answers(build)} == {rule.id for rule in RULES}


def test_findings_come_by_urgency() -> None:
    ranks = [SEVERITY[finding.status] for finding in check(crowded())]
    assert ranks == sorted(ranks)
    assert ranks[0] == SEVERITY[Status.FAIL]


def test_the_summary_counts_every_answer_by_status() -> None:
    findings = check(crowded())
    counts = summary(findings)
    assert sum(counts.values()) == sum(finding.checked for finding in findings)
    assert counts[Status.PASS] == sum(f.checked and f.status is Status.PASS for f in findings)
    assert list(counts) == list(SEVERITY)


def test_what_was_not_checked_is_listed() -> None:
    build = nulled(good_build(), "gpu", "length_mm")
    left = not_checked(check(build, predict(build)))
    assert all("gpu.length_mm" in finding.missing for finding in left)
    assert "card-length" in {rule for finding in left for rule in finding.waiting}


def test_a_rule_without_a_subject_neither_informs_nor_counts_as_unchecked() -> None:
    findings = check(good_build(), predict(good_build()))
    idle = {finding.rule: finding for finding in findings if not finding.checked}
    assert {"ups", "nvlink-bridge", "water-block"} <= set(idle)
    assert {finding.status for finding in idle.values()} == {Status.PASS}
    assert not {"ups", "nvlink-bridge"} & {finding.rule for finding in not_checked(findings)}


SHORTHAND = re.compile(r"\b(max|min|\d+v|mts|mhz|gbps|rpm|mm|gb|tdp|atx|ram|cpu|psu|gpu|pcie|nvlink|[acvw])\b|_|\d \d")


def test_every_figure_has_a_name_in_words() -> None:
    words = {name: field_words(name) for spec in SPEC_TYPES for name in spec.model_fields}
    assert {name: phrase for name, phrase in words.items() if not phrase or SHORTHAND.search(phrase)} == {}
    assert len(words) > 150


def test_what_is_missing_reads_as_words() -> None:
    messages = {finding.rule: finding.message for finding in answers(without(good_build(), Category.MOTHERBOARD))}
    assert "until there is a motherboard" in messages["cpu-socket"]
    messages = {finding.rule: finding.message for finding in answers(without(good_build(), Category.CPU_COOLER))}
    assert "until there is a CPU cooler" in messages["cooler-socket"]


def test_a_rule_without_a_confirmed_source_only_warns() -> None:
    hearsay = _failing(confirmed=False)
    assert [finding.status for finding in run(hearsay, RuleContext(good_build()))] == [Status.WARN]
    assert [finding.status for finding in run(_failing(confirmed=True), RuleContext(good_build()))] == [Status.FAIL]


def _failing(*, confirmed: bool) -> Rule[RuleContext]:
    def judge(read: Reader, machine: RuleContext) -> Answer:
        return Answer(Status.FAIL, "It is broken.")

    return Rule("broken", "Broken", "none", "none", judge, confirmed=confirmed)


def test_a_rule_that_reads_an_unknown_figure_cannot_pass() -> None:
    def judge(read: Reader, machine: RuleContext) -> Answer:
        for line, _ in machine.build.psus():
            read(line.part, "current_12v_a")
        return Answer(Status.PASS, "Enough.")

    [finding] = run(Rule("amps", "Amps", "none", "none", judge), RuleContext(good_build()))
    assert (finding.status, finding.missing) == (Status.UNKNOWN, ("psu.current_12v_a",))
    assert isinstance(part("psu").spec, PsuSpec)


def test_figures_without_a_source_are_named() -> None:
    sources = (HEARSAY.model_copy(update={"fields": ("length_mm",)}), SOURCE)
    findings = check(with_line(good_build(), part("gpu", sources=sources)))
    by_rule = {finding.rule: finding for finding in findings}
    assert by_rule["card-length"].unconfirmed == ("gpu.length_mm",)
    assert by_rule["plug-capacity"].unconfirmed == ()


@given(st.sampled_from([line.part.id for line in crowded().lines]))
def test_taking_a_part_out_never_makes_an_overlap(part_id: str) -> None:
    build = crowded()
    fewer = build.with_lines(tuple(line for line in build.lines if line.part.id != part_id))
    assert _overlaps(fewer) <= _overlaps(build)


def _overlaps(build: Build) -> set[tuple[int, ...]]:
    return {
        finding.slots for finding in check(build) if finding.rule == "slot-overlap" and finding.status is Status.FAIL
    }


def test_one_part_alone_can_be_checked() -> None:
    for category in Category:
        alone = without(good_build(), *(other for other in Category if other is not category))
        assert not [finding for finding in check(alone) if finding.status is Status.FAIL], category


def test_two_boards_are_failed_and_nothing_is_compared_with_either() -> None:
    findings = answers(with_line(good_build(), part("motherboard", suffix="-2")))
    by_rule = {finding.rule: finding for finding in findings}
    assert by_rule["one-of-each"].status is Status.FAIL
    assert not by_rule["cpu-socket"].checked


def test_findings_become_json() -> None:
    for finding in check(crowded()):
        assert json.loads(json.dumps(finding.as_dict()))["rule"] == finding.rule


def test_rules_have_unique_ids_and_say_their_basis_and_source() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.title and rule.basis and rule.source for rule in RULES)


def test_temperatures_and_noise_are_judged_with_the_prediction_and_else_named_as_not_checked() -> None:
    predicted = {rule.id for rule in RULES if rule.predicted}
    assert predicted >= {"noise-training", "noise-idle", "card-temperature"}
    build = good_build()
    [without_it] = [f for f in check(build) if f.rule == NOT_CHOSEN]
    assert (without_it.status, without_it.checked, set(without_it.waiting)) == (Status.NOTE, False, predicted)
    assert all(f.checked for f in check(build, predict(build)) if f.rule in predicted)


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
