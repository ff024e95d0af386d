"""New, used or owned: what a line says goes before the build, and a part no longer sold is bought used."""

import json
from datetime import date
from typing import Any

import pytest

from core.parts.part import Condition
from core.plan.build import Build
from core.plan.edits import AddPart, SetQuantity, SwapPart
from core.plan.file import VERSION, dump_build, parse_build
from core.plan.line import Line
from core.plan.price_edits import SetBuildCondition, SetCondition
from core.platform.errors import BadInput
from tests.rules.machines import part
from tests.shipped import templates

TODAY = date(2026, 11, 29)
NEW, USED, OWNED = Condition


@pytest.mark.parametrize("ended", [None, 2030])
@pytest.mark.parametrize("of_build", Condition)
@pytest.mark.parametrize("of_line", [None, *Condition])
def test_the_line_goes_before_the_build(of_line: Condition | None, of_build: Condition, ended: int | None) -> None:
    line = Line(part("gpu", discontinued=ended), condition=of_line)
    assert Build(lines=(line,), condition=of_build).condition_of(line, TODAY) is (of_line or of_build)


@pytest.mark.parametrize(
    ("of_line", "of_build", "expected"),
    [(None, NEW, USED), (NEW, NEW, NEW), (None, OWNED, OWNED), (OWNED, NEW, OWNED), (None, USED, USED)],
)
def test_what_is_no_longer_sold_is_used_where_nobody_says_otherwise(
    of_line: Condition | None, of_build: Condition, expected: Condition
) -> None:
    line = Line(part("gpu", discontinued=2024), condition=of_line)
    assert Build(lines=(line,), condition=of_build).condition_of(line, TODAY) is expected


def test_a_part_in_place_of_an_owned_one_is_bought(parts: Any) -> None:
    build = Build("Rig", (Line(parts.board, condition=OWNED), Line(parts.one_slot, condition=USED)))
    swapped = SwapPart("board", parts.small_board).apply(build)
    assert swapped.lines[0].condition is None
    assert SwapPart("one-slot", parts.two_slots).apply(build).lines[1].condition is USED
    assert SetQuantity("one-slot", 3).apply(build).lines[1].condition is USED
    assert AddPart(parts.one_slot, 1).apply(build).lines[1].condition is USED


def test_edits_say_what_they_do() -> None:
    assert [SetCondition("gpu", one).title for one in (NEW, USED, OWNED, None)] == [
        "Buy gpu new",
        "Buy gpu used",
        "Mark gpu as owned",
        "Buy gpu like the rest of the build",
    ]
    assert [SetBuildCondition(one).title for one in Condition] == [
        "Buy parts new",
        "Buy parts used",
        "Mark all parts as owned",
    ]
    with pytest.raises(BadInput):
        SetCondition("nothing", USED).apply(Build())


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_file_without_conditions_is_of_new_parts(version: int, parts: Any) -> None:
    text = f'{{"format": "rigwright-build", "version": {version}, "name": "Rig", "lines": [{{"part": "psu"}}]}}'
    build = parse_build(text, {"psu": parts.psu}.get)
    assert (build.condition, build.lines[0].condition) == (NEW, None)
    assert "condition" not in dump_build(build)


def test_a_file_says_what_is_used_and_owned(parts: Any) -> None:
    build = Build("Rig", (Line(parts.psu, condition=OWNED), Line(parts.board)), condition=USED)
    document = json.loads(dump_build(build))
    assert (document["condition"], [line.get("condition") for line in document["lines"]]) == ("used", ["owned", None])
    assert parse_build(dump_build(build), {}.get) == build


@pytest.mark.parametrize("text", ['"condition": "broken"', '"lines": [{"part": "psu", "condition": "old"}]'])
def test_another_condition_is_refused_with_those_there_are(text: str) -> None:
    with pytest.raises(BadInput, match="'new', 'used' or 'owned'"):
        parse_build(f'{{"format": "rigwright-build", "version": {VERSION}, "name": "Rig", {text}}}', {}.get)


def test_templates_of_used_parts_say_so() -> None:
    used = {
        name
        for name, build in templates().items()
        if build.condition is USED or any(line.condition is USED for line in build.lines)
    }
    assert {"four-used-rtx-3090", "nvidia-dgx-1", "dell-dss-8440", "seven-rtx-3090-open-frame"} <= used
    assert "two-rtx-5090-desktop" not in used
