"""A list of our own is read as what it was written from, in every language and format."""

from collections import Counter

import pytest

from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.plan.file import load_build
from core.plan.templates import Template, all_templates
from core.present.share.part_list import read_part_list
from core.present.share.part_text import TextFormat, build_text
from core.words import LANGUAGES, spoken

PASTED = (TextFormat.MARKDOWN, TextFormat.BBCODE, TextFormat.TEXT)


@pytest.mark.parametrize("template", all_templates(), ids=lambda template: template.name)
def test_a_list_of_our_own_gives_exactly_its_parts(catalogue: Catalogue, template: Template) -> None:
    assessment = Assessment(load_build(template.path, catalogue.part))
    parts = Counter({line.part.id: line.quantity for line in assessment.build.lines})
    for language in LANGUAGES:
        for form in PASTED:
            with spoken(language):
                text = build_text(assessment, form)
            read = read_part_list(text, catalogue)
            counts = Counter[str]()
            for line in read.recognised:
                assert line.part is not None
                counts[line.part.id] += line.count_of(line.part)
            assert (counts, read.others) == (parts, ()), (language, form)


@pytest.mark.parametrize(
    "title", ["Dell PowerEdge T640 with four Tesla V100", "System: Dark Hero", "NVIDIA DGX Station"]
)
def test_a_first_line_without_a_head_above_rows_with_heads_is_the_title(catalogue: Catalogue, title: str) -> None:
    rows = "CPU: AMD EPYC 7702P\nGPU: 4x NVIDIA RTX A6000\nPSU: Corsair AX1600i\n"
    assert read_part_list(f"{title}\n{rows}", catalogue).lines == read_part_list(rows, catalogue).lines


@pytest.mark.parametrize("first", ["NVIDIA RTX A4000 $900", "2x NVIDIA RTX A4000", "GPU: NVIDIA RTX A4000"])
def test_a_first_line_with_a_head_a_price_or_a_count_is_a_part(catalogue: Catalogue, first: str) -> None:
    rows = "CPU: AMD EPYC 7702P\nMB: ASRock Rack ROMED8-2T\nPSU: Corsair AX1600i\n"
    read = read_part_list(f"{first}\n{rows}", catalogue)
    assert read.lines[0].part is not None and read.lines[0].part.id == "nvidia-rtx-a4000"
