"""Commands that advise: suggested fixes, which parts would do, what a rule rests on."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.plan.edits import SetDetails
from core.plan.file import save_build
from core.rules.registry import RULES
from tests.rules.machines import good_build

ATTEMPT = "six-rtx-3090-first-attempt"


def test_a_check_in_json_has_all_findings_and_fixes_on_demand_alone(rigwright: Any) -> None:
    plain, fixed = (json.loads(rigwright("check", ATTEMPT, *words, "--json").stdout) for words in ((), ("--fixes",)))
    for findings in (plain["findings"], fixed["findings"]):
        rules = {rule for finding in findings for rule in (finding["waiting"] or [finding["rule"]])}
        assert rules == {rule.id for rule in RULES}
    assert not [finding for finding in plain["findings"] if "fixes" in finding]
    power = next(finding for finding in fixed["findings"] if finding["rule"] == "psu-power")
    assert power["status"] == "fail"
    assert power["fixes"]
    assert all(fix["title"] and set(fix["brings"]) <= set(fix["remains"]) for fix in power["fixes"])
    assert not [finding for finding in fixed["findings"] if finding["status"] == "pass" and finding["fixes"]]


def test_fixes_are_printed_on_demand(rigwright: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "weak.rig.json")
    save_build(SetDetails(region="us-120v-15a").apply(good_build()), Path(path))
    plain, fixed = rigwright("check", path), rigwright("check", path, "--fixes")
    assert (plain.returncode, fixed.returncode) == (1, 1)
    assert "fix: " not in plain.stdout
    assert "fix: " in fixed.stdout


def fits(rigwright: Any, *words: str) -> Any:
    return json.loads(rigwright("parts", "fits", *words, "--json", "--limit", "1000").stdout)


def test_what_fits_is_reported_with_the_figures_that_decide(rigwright: Any) -> None:
    document = fits(rigwright, "digits-devbox", "psu")
    assert (document["way"], document["replaced"]) == ("replace", "evga-supernova-1600-p2")
    assert document["parts"] == len(document["answers"]) == sum(document["states"].values())
    assert 0 < document["fit"] == sum(row["fits"] for row in document["answers"]) < document["parts"]
    weak = next(row for row in document["answers"] if row["id"] == "corsair-rm850x-2021")
    assert (weak["state"], weak["rule"], weak["limit"], weak["unit"]) == ("does_not_fit", "psu-power", 850, "W")
    assert weak["figures"] == f"850 < {weak['measured']:.0f} W"
    assert all(row["reasons"][0]["sentence"] for row in document["answers"] if row["state"] != "fits")


def test_what_fits_comes_first_and_is_all_that_is_reported_on_demand(rigwright: Any) -> None:
    every, only = fits(rigwright, "digits-devbox", "psu"), fits(rigwright, "digits-devbox", "psu", "--only-fitting")
    order = list(every["states"])
    places = [order.index(row["state"]) for row in every["answers"]]
    assert places == sorted(places)
    assert [row for row in every["answers"] if row["fits"]] == only["answers"]
    assert every["parts"] == only["parts"]


def test_a_part_is_added_or_takes_the_place_of_another_as_the_user_says(rigwright: Any) -> None:
    usual = rigwright("parts", "fits", ATTEMPT, "psu").stdout
    added = rigwright("parts", "fits", ATTEMPT, "psu", "--add").stdout
    assert usual.startswith("Replacing Corsair RM850x (2021) in ")
    assert added.startswith("Adding a PSU to ")
    assert fits(rigwright, ATTEMPT, "storage")["way"] == "add"
    drives = fits(rigwright, ATTEMPT, "storage", "--replace", "samsung-980-pro-2tb")
    assert (drives["way"], drives["replaced"]) == ("replace", "samsung-980-pro-2tb")


@pytest.mark.parametrize("rule", [rule.id for rule in RULES][::9])
def test_a_rule_is_explained_in_words_and_in_json(rigwright: Any, rule: str) -> None:
    text, row = rigwright("explain", rule), json.loads(rigwright("explain", rule, "--json").stdout)
    meant = next(one for one in RULES if one.id == rule)
    assert meant.basis in text.stdout
    assert meant.source in text.stdout
    assert (row["basis"], row["confirmed"], row["reads"]) == (meant.basis, meant.confirmed, list(meant.reads))


def test_all_rules_are_listed(rigwright: Any) -> None:
    text, document = rigwright("explain").stdout, json.loads(rigwright("explain", "--json").stdout)
    assert [row["rule"] for row in document] == [rule.id for rule in RULES]
    assert all(row["group"] for row in document)
    assert [rule.id for rule in RULES if f"\n{rule.id} " not in text] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("explain", "slots-overlap"), "Did you mean slot-overlap?"),
        (("explain", "qqqq"), "List all with: rigwright explain"),
        (("explain", ""), "List all with: rigwright explain"),
        (("parts", "fits", ATTEMPT, "gpus"), "There is no category 'gpus'"),
        (("parts", "fits", "nowhere", "gpu"), "cannot be opened"),
        (("parts", "fits", ATTEMPT, "psu", "--replace", "nothing"), "The build has no PSU 'nothing' to replace."),
        (("parts", "fits", ATTEMPT, "psu", "--add", "--replace", "x"), "--add and --replace exclude each other"),
        (("parts", "fits", ATTEMPT, "case", "--add"), "A machine has one case"),
    ],
)
def test_what_is_typed_wrong_is_one_sentence(rigwright: Any, words: tuple[str, ...], sentence: str) -> None:
    ended = rigwright(*words)
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr
    assert "Traceback" not in ended.stderr
