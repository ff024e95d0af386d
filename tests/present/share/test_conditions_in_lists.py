"""Lists say what is used and owned, in each format, and our own lists are read again with them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.parts.part import Condition
from core.present.share.part_list import read_part_list
from core.present.share.part_text import TextFormat, build_text

Template = Callable[[str], Assessment]


@pytest.mark.parametrize("form", TextFormat)
@pytest.mark.parametrize("condition", [Condition.USED, Condition.OWNED])
def test_every_format_says_it(template: Template, form: TextFormat, condition: Condition) -> None:
    assessment = template("two-rtx-5090-desktop")
    parts = len(assessment.build.lines)
    plain = build_text(assessment, form)
    text = build_text(Assessment(replace(assessment.build, condition=condition), guide=assessment.guide), form)
    assert text.count(condition.label) - plain.count(condition.label) >= parts


@pytest.mark.parametrize("condition", Condition)
def test_a_list_in_text_is_read_again(template: Template, catalogue: Catalogue, condition: Condition) -> None:
    assessment = template("two-rtx-5090-desktop")
    changed = Assessment(replace(assessment.build, condition=condition), guide=assessment.guide)
    text = build_text(changed, TextFormat.TEXT)
    read = read_part_list(text, catalogue)
    assert read.others == ()
    assert {line.part.id for line in read.recognised if line.part} == {line.part.id for line in assessment.build.lines}
