"""Commands that advise: suggested fixes, which parts would do, what a rule rests on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.rules.registry import RULES

ATTEMPT = "six-rtx-3090-first-attempt"


def test_a_check_in_json_has_all_findings_and_tries_no_fixes_unasked(rigwright: Any) -> None:
    told = json.loads(rigwright("check", ATTEMPT, "--json").stdout)
    spoken = {rule for finding in told["findings"] for rule in (finding["waiting"] or [finding["rule"]])}
    assert spoken == {rule.id for rule in RULES}
    assert not [finding for finding in told["findings"] if "fixes" in finding]


def test_a_check_in_json_has_suggested_fixes_on_demand(rigwright: Any) -> None:
    told = json.loads(rigwright("check", ATTEMPT, "--fixes", "--json").stdout)
    spoken = {rule for finding in told["findings"] for rule in (finding["waiting"] or [finding["rule"]])}
    assert spoken == {rule.id for rule in RULES}
    power = next(finding for finding in told["findings"] if finding["rule"] == "psu-power")
    assert power["status"] == "fail"
    assert power["fixes"]
    assert all(fix["title"] and set(fix["brings"]) <= set(fix["remains"]) for fix in power["fixes"])
    assert not [finding for finding in told["findings"] if finding["status"] == "pass" and finding["fixes"]]


def test_fixes_are_printed_on_demand(rigwright: Any) -> None:
    plain, fixed = rigwright("check", ATTEMPT), rigwright("check", ATTEMPT, "--fixes")
    assert (plain.returncode, fixed.returncode) == (1, 1)
    assert "fix: " not in plain.stdout
    assert "fix: " in fixed.stdout


def test_what_fits_is_told_with_the_rule_that_would_fail(rigwright: Any) -> None:
    told = json.loads(rigwright("parts", "fits", "digits-devbox", "psu", "--json", "--limit", "1000").stdout)
    assert told["parts"] == len(told["answers"])
    assert told["fit"] == sum(row["fits"] for row in told["answers"])
    assert 0 < told["fit"] < told["parts"]
    known = {rule.id for rule in RULES}
    assert all(row["rule"] in known and row["sentence"] for row in told["answers"] if not row["fits"])


def test_only_what_fits_is_told_on_demand(rigwright: Any) -> None:
    every = json.loads(rigwright("parts", "fits", "digits-devbox", "psu", "corsair", "--json").stdout)
    only = json.loads(rigwright("parts", "fits", "digits-devbox", "psu", "corsair", "--only-fitting", "--json").stdout)
    assert [row for row in every["answers"] if row["fits"]] == only["answers"]
    assert every["parts"] == only["parts"] < 100


def test_what_fits_is_printed(rigwright: Any) -> None:
    ended = rigwright("parts", "fits", ATTEMPT, "psu")
    assert ended.returncode == 0
    assert "parts fit" in ended.stdout


@pytest.mark.parametrize("rule", [rule.id for rule in RULES][::9])
def test_a_rule_is_explained_in_words_and_in_json(rigwright: Any, rule: str) -> None:
    text, told = rigwright("explain", rule), json.loads(rigwright("explain", rule, "--json").stdout)
    meant = next(one for one in RULES if one.id == rule)
    assert meant.basis in text.stdout
    assert meant.source in text.stdout
    assert (told["basis"], told["confirmed"], told["reads"]) == (meant.basis, meant.confirmed, list(meant.reads))


def test_all_rules_are_listed(rigwright: Any) -> None:
    text, told = rigwright("explain").stdout, json.loads(rigwright("explain", "--json").stdout)
    assert [row["rule"] for row in told] == [rule.id for rule in RULES]
    assert all(row["group"] for row in told)
    assert [rule.id for rule in RULES if f"  {rule.id} " not in text] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("explain", "slots-overlap"), "Did you mean slot-overlap?"),
        (("explain", "qqqq"), "All are listed by: rigwright explain"),
        (("explain", ""), "All are listed by: rigwright explain"),
        (("parts", "fits", ATTEMPT, "gpus"), "There is no category 'gpus'"),
        (("parts", "fits", "nowhere", "gpu"), "cannot be opened"),
    ],
)
def test_what_is_typed_wrong_is_one_sentence(rigwright: Any, words: tuple[str, ...], sentence: str) -> None:
    ended = rigwright(*words)
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr
    assert "Traceback" not in ended.stderr
