"""Which figures of a part a source confirms."""

import pytest

from core.parts.figure import declared
from core.parts.part import About, Evidence, Source, leads_to_figure, place_of
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from tests.rules.machines import part

SHEET = Source(title="Data sheet", url="https://example.org/sheet")
HEARSAY = Source(title="General knowledge")


def only(source: Source, *fields: str) -> Source:
    return source.model_copy(update={"fields": fields})


@pytest.mark.parametrize(
    ("sources", "evidence"),
    [
        ((SHEET,), Evidence.CONFIRMED),
        ((HEARSAY,), Evidence.UNCONFIRMED),
        ((only(SHEET, "length_mm"),), Evidence.CONFIRMED),
        ((HEARSAY, only(SHEET, "length_mm")), Evidence.CONFIRMED),
        ((SHEET, only(HEARSAY, "length_mm")), Evidence.UNCONFIRMED),
        ((only(HEARSAY, "length_mm"), only(SHEET, "length_mm")), Evidence.CONFIRMED),
        ((only(SHEET, "height_mm"),), Evidence.UNCONFIRMED),
    ],
)
def test_the_sources_that_name_a_figure_decide_then_those_that_name_none(
    sources: tuple[Source, ...], evidence: Evidence
) -> None:
    assert part("gpu", sources=sources).evidence("length_mm") is evidence


def test_a_figure_that_is_not_there_is_unknown_whatever_the_sources_say() -> None:
    assert part("gpu", sources=(SHEET,), length_mm=None).evidence("length_mm") is Evidence.UNKNOWN


@pytest.mark.parametrize(
    ("about", "field", "evidence"),
    [
        (About.PART, "power_limit_w", Evidence.CONFIRMED),
        (About.CHIP, "memory_gb", Evidence.CONFIRMED),
        (About.CHIP, "power_limit_w", Evidence.UNCONFIRMED),
        (About.CHIP, "length_mm", Evidence.UNCONFIRMED),
        (About.PLATFORM, "memory_gb", Evidence.UNCONFIRMED),
        (About.SERIES, "memory_gb", Evidence.UNCONFIRMED),
    ],
)
def test_a_source_confirms_only_what_it_is_about(about: About, field: str, evidence: Evidence) -> None:
    """The chip's power is not that of a card with another cooler and limit; its memory is."""
    source = SHEET.model_copy(update={"about": about})
    for sources in ((only(source, field),), (only(HEARSAY, field), only(source, field))):
        judged = part("gpu", sources=sources)
        assert judged.evidence(field) is evidence
        assert judged.borrowed_from(field) is (None if evidence is Evidence.CONFIRMED else about)
        assert bool(judged.confirming_places(field)) is (evidence is Evidence.CONFIRMED)


def test_a_source_about_the_part_takes_the_mark_of_the_chip_away() -> None:
    chip = only(SHEET, "power_limit_w").model_copy(update={"about": About.CHIP})
    card = part("gpu", sources=(chip, only(SHEET, "power_limit_w")))
    assert card.evidence("power_limit_w") is Evidence.CONFIRMED
    assert card.borrowed_from("power_limit_w") is None


def test_only_cards_have_figures_of_a_chip() -> None:
    having = {one for one in Category if any(figure.of_chip for figure in declared(spec_model(one)).values())}
    assert having == {Category.GPU}


COMMIT = "136a77aec16a30ba81a7cc6b448a8bace9a25359"


@pytest.mark.parametrize(
    ("url", "leads"),
    [
        ("https://example.org/sheet.html", True),
        ("https://example.org/?p=12", True),
        ("https://example.org", False),
        ("https://example.org/", False),
        ("https://github.com/owner/cards", False),
        ("https://github.com/owner/cards/", False),
        ("https://github.com/owner/cards?tab=readme-ov-file", False),
        ("https://www.github.com/owner/cards#readme", False),
        ("https://gitlab.com/owner/cards", False),
        ("https://github.com/owner/cards/blob/main/data/gpu.csv", False),
        ("https://github.com/owner/cards/raw/3.8/data/gpu.csv", False),
        ("https://github.com/owner/cards/tree/gpu-data", False),
        ("https://raw.githubusercontent.com/owner/cards/main/gpu.csv", False),
        ("https://gitlab.com/owner/cards/-/blob/master/gpu.csv", False),
        ("https://huggingface.co/owner/cards/resolve/main/gpu.csv", False),
        (f"https://github.com/owner/cards/blob/{COMMIT}/data/gpu.csv", True),
        (f"https://github.com/owner/cards/blob/{COMMIT[:7]}/data/gpu.csv", True),
        (f"https://raw.githubusercontent.com/owner/cards/{COMMIT}/gpu.csv", True),
        (f"https://gitlab.com/owner/cards/-/blob/{COMMIT}/gpu.csv", True),
        ("https://github.com/owner/cards/issues/301", True),
        ("https://github.com/owner/cards/pull/12", True),
    ],
)
def test_an_address_confirms_only_where_it_leads_to_the_figure(url: str, leads: bool) -> None:
    """A branch and the page of a repository show something else tomorrow."""
    assert leads_to_figure(url) is leads
    source = Source(title="Data set", url=url)
    assert part("gpu", sources=(source,)).evidence("length_mm") is (
        Evidence.CONFIRMED if leads else Evidence.UNCONFIRMED
    )


def test_two_copies_of_one_site_are_one_place() -> None:
    copies = ("docyx/pc-part-dataset", "ricathsb/CaritasRig", "JonathanVusich/pcpartpicker-scraper")
    assert {place_of(f"https://github.com/{copy}/blob/{COMMIT}/gpu.json") for copy in copies} == {"pcpartpicker.com"}
    assert place_of(f"https://github.com/owner/cards/blob/{COMMIT}/gpu.csv") == "github.com/owner/cards"
    assert place_of("https://www.techpowerup.com/gpu-specs/x") == "www.techpowerup.com"
