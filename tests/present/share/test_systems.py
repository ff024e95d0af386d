"""A system in a list brings what it contains, once."""

from collections import Counter

import pytest

from core.advise.add_or_replace import add_or_replace
from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.plan.build import Build
from core.present.share.part_list import build_from, read_part_list
from core.present.share.part_text import TextFormat, build_text

SPARK, DGX, BAREBONE = "nvidia-dgx-spark-4tb", "nvidia-dgx-1-v100-16gb", "dell-poweredge-t640"


def _planned(part_id: str, catalogue: Catalogue) -> Build:
    part = catalogue.part(part_id)
    assert part
    return add_or_replace(Build(), part, None, 1, catalogue.part).apply(Build())


def _counts(build: Build) -> Counter[str]:
    return Counter({line.part.id: line.quantity for line in build.lines})


def test_a_list_that_names_a_system_brings_what_it_contains(catalogue: Catalogue) -> None:
    part = catalogue.part(DGX)
    assert part
    part_list = read_part_list(f"{part.title}\nCrucial MX500 2 TB", catalogue)
    pasted, left = build_from(part_list.lines, "Pasted", catalogue.part)
    assert _counts(pasted) == _counts(_planned(DGX, catalogue)) + Counter({"crucial-mx500-2tb": 1})
    assert left == ()


@pytest.mark.parametrize("form", [TextFormat.MARKDOWN, TextFormat.TEXT, TextFormat.CSV])
@pytest.mark.parametrize("system", [DGX, BAREBONE, SPARK])
def test_a_shared_system_comes_back_as_it_was(system: str, form: TextFormat, catalogue: Catalogue) -> None:
    build = _planned(system, catalogue)
    part_list = read_part_list(build_text(Assessment(build), form), catalogue)
    pasted, _ = build_from(part_list.lines, "Pasted", catalogue.part)
    assert _counts(pasted) == _counts(build)
