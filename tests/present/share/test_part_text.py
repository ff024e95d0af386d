"""Lists for forums, tables and purchasing, and the page for whoever decides."""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.assessment import Assessment
from core.parts.part import Part
from core.plan.build import Build
from core.plan.line import Line
from core.present.report.write import write_report
from core.present.share.one_page import one_page
from core.present.share.part_text import TextFormat, build_text

Template = Callable[[str], Assessment]
DESK = "two-rtx-5090-desktop"


@pytest.mark.parametrize("form", TextFormat)
def test_every_format_names_every_part_once(template: Template, form: TextFormat) -> None:
    assessment = template(DESK)
    text = build_text(assessment, form).replace("\\", "")
    for line in assessment.build.lines:
        assert text.count(line.part.name) == 1, line.part.name


def test_the_list_says_price_watts_noise_and_findings(template: Template) -> None:
    text = build_text(template(DESK), TextFormat.TEXT)
    for fact in ("Price: ", "At the wall, training: ", "Noise, training: ", "Check: "):
        assert f"\n{fact}" in text


def test_purchasing_has_a_line_for_each_part_with_number_price_and_source(template: Template) -> None:
    assessment = template(DESK)
    rows = list(csv.DictReader(io.StringIO(build_text(assessment, TextFormat.CSV))))
    assert len(rows) == len(assessment.build.lines)
    gpu = rows[0]
    assert (gpu["quantity"], gpu["price_each"], gpu["sum"], gpu["currency"]) == ("2", "1999.00", "3998.00", "USD")
    assert gpu["price_date"] and gpu["source"].startswith("launch, http")


def _named(assessment: Assessment, name: str) -> Assessment:
    """The build with another name for its first part."""
    line = assessment.build.lines[0]
    part: Part = line.part.model_copy(update={"name": name})
    return Assessment(replace(assessment.build, lines=(Line(part, line.quantity),)))


def test_a_name_with_signs_of_a_format_means_nothing_there(template: Template) -> None:
    assessment = _named(template(DESK), "RTX | [b]*5090*[/b] <script>")
    row = next(line for line in build_text(assessment, TextFormat.MARKDOWN).splitlines() if "script" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    assert "<script>" not in row.replace("\\<", "")
    bb = build_text(assessment, TextFormat.BBCODE)
    assert bb.count("[b]") == bb.count("[/b]") == 5  # the name of the build and four facts


def test_a_name_that_begins_like_a_formula_stays_text_in_a_spreadsheet(template: Template) -> None:
    rows = list(csv.DictReader(io.StringIO(build_text(_named(template(DESK), "=1+1"), TextFormat.CSV))))
    assert rows[0]["part"] == "'=1+1"


def test_an_empty_build_is_shared_without_a_row() -> None:
    text = build_text(Assessment(Build()), TextFormat.MARKDOWN)
    assert "| Type | Part | Price |" in text and "unknown" in text


@pytest.mark.parametrize("name", [DESK, "six-rtx-3090-quiet", "nvidia-dgx-1v"])
def test_the_page_for_whoever_decides_is_one_page(template: Template, name: str, tmp_path: Path) -> None:
    content = write_report(one_page(template(name)), tmp_path / "page.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", content)) == 1
