"""Which figures of a part a source confirms."""

from __future__ import annotations

import pytest

from core.parts.part import Evidence, Source
from tests.rules.machines import part

SHEET = Source(title="Data sheet", url="https://example.org/sheet")
HEARSAY = Source(title="General knowledge")


def only(source: Source, *fields: str) -> Source:
    return source.model_copy(update={"fields": fields})


@pytest.mark.parametrize(
    ("sources", "wanted"),
    [
        ((SHEET,), Evidence.CONFIRMED),
        ((HEARSAY,), Evidence.UNCONFIRMED),
        ((HEARSAY, only(SHEET, "length_mm")), Evidence.CONFIRMED),
        ((SHEET, only(HEARSAY, "length_mm")), Evidence.UNCONFIRMED),
        ((only(HEARSAY, "length_mm"), only(SHEET, "length_mm")), Evidence.CONFIRMED),
        ((only(SHEET, "height_mm"),), Evidence.UNCONFIRMED),
    ],
)
def test_the_sources_that_name_a_figure_decide_then_those_that_name_none(
    sources: tuple[Source, ...], wanted: Evidence
) -> None:
    assert part("gpu", sources=sources).evidence("length_mm") is wanted


def test_a_figure_that_is_not_there_is_unknown_whatever_the_sources_say() -> None:
    assert part("gpu", sources=(SHEET,), length_mm=None).evidence("length_mm") is Evidence.UNKNOWN
