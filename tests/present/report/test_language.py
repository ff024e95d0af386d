"""A report is in one language as a whole; its JSON stays English."""

import pytest

from core.assessment import Assessment
from core.present.picture.svg import cut, letters
from core.present.report.build_report import build_document
from core.present.report.chart import Bar, draw_bars
from core.present.report.document import Heading, Illustration
from core.present.report.values import as_values
from core.present.report.write import html_bytes, json_bytes
from core.words import spoken
from tests.present.report.recorded import planned


@pytest.fixture(scope="module")
def assessment() -> Assessment:
    return Assessment(planned())


@pytest.mark.parametrize(("language", "tag"), [("en", "en"), ("de", "de"), ("zh_CN", "zh-CN"), ("zh_TW", "zh-TW")])
def test_a_page_tells_its_language(assessment: Assessment, language: str, tag: str) -> None:
    with spoken(language):
        page = html_bytes(build_document(assessment)).decode()
    assert f'<html lang="{tag}">' in page


def test_headings_and_heads_of_columns_are_messages(assessment: Assessment) -> None:
    """Also those that were worded when their module was loaded, and what was assessed in another language."""
    document = build_document(assessment)
    with spoken("pseudo"):
        blocks = as_values(document)["blocks"]
    titles = [block["text"] for block in blocks if block["type"] == "heading"]
    titles += [column["title"] for block in blocks if block["type"] == "table" for column in block["columns"]]
    titles += [name for block in blocks if block["type"] == "facts" for name, _ in block["rows"]]
    assert len(titles) > 50
    assert {text for text in titles if text and "⟦" not in text} <= {"PSU", "GPUs"}


def test_a_chart_is_in_the_language_in_which_it_is_drawn(assessment: Assessment) -> None:
    figures = [block for block in build_document(assessment).blocks if isinstance(block, Illustration)]
    with spoken("pseudo"):
        drawn = [figure.draw() for figure in figures]
    assert drawn
    assert all("⟦" in svg for svg in drawn)


def test_the_axes_of_a_german_chart_have_a_comma_before_decimals() -> None:
    bars = [Bar("a", 1.25, 1.0, 1.5)]
    with spoken("de"):
        german = draw_bars(bars, axis_title="", unit="W")
    assert ">0,4<" in german
    assert ">0.4<" in draw_bars(bars, axis_title="", unit="W")


def test_json_stays_english(assessment: Assessment) -> None:
    with spoken("pseudo"):
        document = build_document(assessment)
        assert any("⟦" in block.text for block in document.blocks if isinstance(block, Heading))
        content = json_bytes(document).decode()
    assert "⟦" not in content


def test_chinese_signs_count_as_wide_as_they_are() -> None:
    assert letters("显卡") > letters("GPU")
    assert cut("GeForce RTX 3090", 16) == "GeForce RTX 3090"
    assert cut("显卡功耗上限", 6) == "显卡…"
