"""What a part says about its figures."""

import pytest
from pydantic import ValidationError

from core.parts.part import Evidence, Part, Source
from core.parts.specs import GpuSpec

PAGE = "https://example.org/page"


def card(*sources: Source) -> Part:
    return Part(id="card", maker="Maker", name="Card", spec=GpuSpec(product="Card", length_mm=267), sources=sources)


@pytest.mark.parametrize(
    ("sources", "evidence"),
    [
        ((Source(title="Page", url=PAGE),), Evidence.CONFIRMED),
        ((Source(title="General knowledge"),), Evidence.UNCONFIRMED),
        ((Source(title="Page", url=PAGE, fields=("length_mm",)),), Evidence.CONFIRMED),
        ((Source(title="Page", url=PAGE, fields=("mass_g",)),), Evidence.UNCONFIRMED),
        ((Source(title="Page", url=PAGE), Source(title="Hearsay", fields=("length_mm",))), Evidence.UNCONFIRMED),
        ((Source(title="Hearsay"), Source(title="Page", url=PAGE, fields=("length_mm",))), Evidence.CONFIRMED),
    ],
)
def test_a_figure_is_as_good_as_the_source_that_covers_it(sources: tuple[Source, ...], evidence: Evidence) -> None:
    assert card(*sources).evidence("length_mm") is evidence


def test_a_missing_figure_is_unknown_whatever_the_sources_say() -> None:
    assert card(Source(title="Page", url=PAGE, fields=("mass_g",))).evidence("mass_g") is Evidence.UNKNOWN


def test_a_part_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        card(Source(title="Page")).name = "Other"  # type: ignore[misc]


def test_a_part_without_a_source_is_refused() -> None:
    with pytest.raises(ValidationError, match="sources"):
        card()
