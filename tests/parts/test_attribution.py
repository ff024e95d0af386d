"""Sources used in bulk: none is left out, each states its terms, and README names them all."""

from collections import defaultdict
from pathlib import Path

from core.parts.attribution import Attribution, Terms, attribution_of, attributions, due_for, place_of, shares
from core.parts.part import Part, Source
from tests.shipped import every_part, parts_by_id

README = Path(__file__).parents[2] / "README.md"


def _site(source: Source) -> str:
    """Its web site, at GitHub its repository."""
    place = place_of(source).split("/")
    return "/".join(place[:3]) if place[0] == "github.com" else place[0]


def test_every_source_used_in_bulk_is_listed() -> None:
    """A site with figures of sixty parts or more that is on no list: add it to assets/attribution.toml."""
    unlisted: dict[str, set[str]] = defaultdict(set)
    for part in every_part():
        for source in part.sources:
            if source.url and attribution_of(source) is None:
                unlisted[_site(source)].add(part.id)
    assert {site: len(ids) for site, ids in unlisted.items() if len(ids) >= 60} == {}


def test_no_listed_source_is_unused_but_for_the_exchange_rates() -> None:
    all_shares = shares(every_part())
    assert [share.attribution.title for share in all_shares if not share.parts] == ["Rates By Exchange Rate API"]
    assert all(share.figures >= share.parts for share in all_shares)


def test_no_place_is_of_two_sources() -> None:
    places = [place for one in attributions() for place in one.places]
    assert len(places) == len(set(places))


def test_a_copy_is_of_the_source_that_it_copies() -> None:
    copy = Source(title="x y", url="https://github.com/docyx/pc-part-dataset/blob/b1d05f6/data/json/ups.json")
    other = Source(title="x y", url="https://github.com/docyx/pc-part-dataset-2")
    attribution = attribution_of(copy)
    assert attribution is not None and attribution.title.startswith("PCPartPicker")
    assert attribution_of(other) is None
    assert attribution_of(Source(title="General knowledge")) is None


def test_what_asks_to_be_named_is_named_with_a_part() -> None:
    part = next(part for part in every_part() if any("buildcores" in (source.url or "") for source in part.sources))
    assert "BuildCores OpenDB" in [one.title for one in due_for((part,))]
    assert all(one.terms in (Terms.OPEN, Terms.CONDITIONS) for one in due_for(every_part()))
    assert due_for(()) == []


def _line(one: Attribution) -> str:
    licence = f"[{one.licence}]({one.licence_url})" if one.licence_url else one.licence
    return f"- [{one.title}]({one.url}): {one.taken}. Licence: {licence}."


def test_the_readme_lists_the_same_sources_in_the_same_words() -> None:
    chapter = README.read_text(encoding="utf-8").partition("## Licence\n")[2]
    assert [line for line in chapter.splitlines() if line.startswith("- ")] == list(map(_line, attributions()))
    assert all(one.notice in chapter for one in attributions())


def test_counts_are_of_parts_and_of_figures() -> None:
    part: Part = parts_by_id()["asus-turbo-rtx-3090-24g"]
    twice = [part, part.model_copy(update={"id": "other"})]
    by_title = {share.attribution.title: share for share in shares(twice)}
    of_one = {share.attribution.title: share for share in shares([part])}
    used = [title for title, share in of_one.items() if share.parts]
    assert used
    for title in used:
        assert (by_title[title].parts, by_title[title].figures) == (2, 2 * of_one[title].figures)
