"""The parts that ship: each has its own id and title, and says where its figures come from."""

from __future__ import annotations

from collections import Counter

from core.parts.figures import summary
from core.parts.part import Evidence
from core.parts.vocabulary import Category
from tests.shipped import every_part


def test_ids_are_unique() -> None:
    assert [part_id for part_id, count in Counter(part.id for part in every_part()).items() if count > 1] == []


def test_every_category_has_parts() -> None:
    assert set(Category) - {part.category for part in every_part()} == set()


def test_titles_are_unique_and_say_the_maker_once() -> None:
    assert [title for title, count in Counter(part.title for part in every_part()).items() if count > 1] == []
    assert [part.id for part in every_part() if part.name.lower().startswith(part.maker.lower())] == []


def test_a_maker_is_written_in_one_way() -> None:
    makers = {part.maker for part in every_part()}
    assert [maker for maker in makers if sum(maker.lower() == other.lower() for other in makers) > 1] == []


def test_every_part_has_a_summary() -> None:
    assert [part.id for part in every_part() if not summary(part)] == []


def test_a_part_number_belongs_to_one_part() -> None:
    numbers = Counter(number for part in every_part() for number in part.part_numbers)
    assert [number for number, count in numbers.items() if count > 1] == []


def test_a_figure_without_an_address_is_unconfirmed() -> None:
    """The evidence of every stated figure agrees with a second, independent reading of the sources."""
    for part in every_part():
        names = [(source, {*source.fields, *(source.says or ())}) for source in part.sources]
        addressed = {name for source, told in names if source.url for name in told}
        named = {name for _, told in names for name in told}
        general = any(source.url for source, told in names if not told)
        for field in type(part.spec).model_fields:
            if getattr(part.spec, field) is None:
                assert part.evidence(field) is Evidence.UNKNOWN
                continue
            confirmed = field in addressed or (field not in named and general)
            assert part.evidence(field) is (Evidence.CONFIRMED if confirmed else Evidence.UNCONFIRMED), (part.id, field)


def test_sources_cover_figures_that_are_there() -> None:
    lost = [
        (part.id, field)
        for part in every_part()
        for source in part.sources
        for field in source.covered
        if field in type(part.spec).model_fields and getattr(part.spec, field) is None
    ]
    assert lost == []


def test_every_stated_figure_has_a_source() -> None:
    lost = [
        (part.id, field)
        for part in every_part()
        for field in part.spec.model_fields_set - {"category"}
        if all(source.covered for source in part.sources)
        and not any(field in source.covered for source in part.sources)
    ]
    assert lost == []
