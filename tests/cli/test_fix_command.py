"""fix: shows what all fixes cost, and writes only where it is told to."""

import json
from pathlib import Path
from typing import Any

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.file import load_build, save_build
from tests.rules.machines import changed, good_build
from tests.shipped import parts_by_id

ATTEMPT = "six-rtx-3090-first-attempt"


def read(path: Path) -> Build:
    return load_build(path, parts_by_id().get)


def test_it_shows_each_step_and_the_sum_and_writes_nothing(rigwright: Any) -> None:
    ended = rigwright("fix", ATTEMPT)
    assert ended.returncode == 1, "one finding still fails"
    for words in ("1. ", "\nIn all\n", "To buy: ", "left", "Before: 5 fail", "After: 1 fail", "Nothing was written."):
        assert words in ended.stdout, words


def test_the_changed_build_is_written_on_demand(rigwright: Any, tmp_path: Path) -> None:
    weak, path = tmp_path / "weak.rig.json", tmp_path / "solved.rig.json"
    save_build(changed(good_build(), "psu", power_w=1000), weak)
    document = json.loads(rigwright("fix", str(weak), "-o", str(path), "--json").stdout)
    assert document["written"] == str(path)
    assert [step["title"] for step in document["steps"]]
    assert {one["status"] for one in document["unsolved"]} <= {"fail", "warn"}
    before, after = (json.loads(rigwright("check", str(one), "--json").stdout)["findings"] for one in (weak, path))
    assert [any(one["status"] == "fail" for one in findings) for findings in (before, after)] == [True, False]
    assert read(path).count(Category.GPU) == good_build().count(Category.GPU)


def test_what_is_well_already_stays(rigwright: Any) -> None:
    ended = rigwright("fix", "researcher-pc")
    assert ended.returncode == 0
    assert "Nothing was found to change." in ended.stdout
