"""The parts that ship: each has its own id and title, and says where its figures come from."""

from collections import Counter

from core.parts.figures import summary
from core.parts.part import Evidence, leads_to_figure
from core.parts.vocabulary import Category
from tests.shipped import every_part


def test_every_category_has_parts() -> None:
    assert set(Category) - {part.category for part in every_part()} == set()


def test_titles_are_unique_and_say_the_maker_once() -> None:
    assert [title for title, count in Counter(part.title for part in every_part()).items() if count > 1] == []
    assert [part.id for part in every_part() if part.name.lower().startswith(part.maker.lower())] == []


def test_a_maker_is_written_in_one_way() -> None:
    makers = {part.maker for part in every_part()}
    assert [same for same, count in Counter(map(_letters, makers)).items() if count > 1] == []


def test_a_part_number_stands_in_a_row_once() -> None:
    """However it is hyphenated: identity compares letters and digits alone."""
    numbers = Counter((part.id, _letters(number)) for part in every_part() for number in part.part_numbers)
    assert [one for one, count in numbers.items() if count > 1] == []


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def test_every_part_has_a_summary() -> None:
    assert [part.id for part in every_part() if not summary(part)] == []


def test_a_part_number_belongs_to_one_part() -> None:
    numbers = Counter(number for part in every_part() for number in part.part_numbers)
    assert [number for number, count in numbers.items() if count > 1] == []


GPU_CHIP = {
    *("product", "chip", "architecture", "compute_capability", "pcie_generation", "pcie_lanes", "memory_gb", "ecc"),
    *("memory_type", "memory_bus_bits", "memory_bandwidth_gbps", "bar1", "cores", "tensor_cores", "sm_count"),
    *("nvlink_generation", "nvlink_links", "nvlink_gbps", "p2p"),
}
"""What is the same on all cards of a chip, whoever makes them."""


def test_every_address_leads_to_what_was_read_there() -> None:
    lost = [
        (part.id, source.url)
        for part in every_part()
        for source in part.sources
        if source.url and source.read and not leads_to_figure(source.url)
    ]
    assert lost == []


def test_a_figure_without_an_address_is_unconfirmed() -> None:
    """The evidence of every stated figure agrees with a second, independent reading of the sources."""
    for part in every_part():
        names = [(source, {*source.fields, *(source.says or ())}) for source in part.sources]
        named = {name for _, fields in names for name in fields}
        confirming = [(source, fields) for source, fields in names if source.url and source.read]
        addressed = {
            name
            for source, fields in confirming
            for name in fields
            if source.about == "part" or (source.about == "chip" and name in GPU_CHIP)
        }
        general = any(source.about == "part" for source, fields in confirming if not fields)
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
