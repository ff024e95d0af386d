"""What is worth looking at first: what is sold today, then what is known."""

from datetime import date

import pytest

from core.advise.fits import RANK_FIELDS, SEEN_IN_SHOPS, part_ranks
from core.parts.catalogue import Catalogue
from core.parts.figures import must_have
from core.parts.vocabulary import Category

TODAY = date(2026, 6, 1)


@pytest.mark.parametrize("category", Category)
def test_the_standing_of_every_part_is_that_of_its_own_figures(catalogue: Catalogue, category: Category) -> None:
    columns = catalogue.columns(category, RANK_FIELDS[category])
    found = part_ranks(category, columns, TODAY)
    for part_id, kind in zip(columns.ids, columns.kinds, strict=True):
        part = catalogue.require(part_id)
        assert found[kind][1] == sum(getattr(part.spec, field) is None for field in must_have(part)), part_id
        seen = part.price.as_of.year if part.price and part.price.kind in SEEN_IN_SHOPS else None
        latest = max(part.year or 0, seen or 0)
        ended = (part.spec.discontinued or TODAY.year + 1) <= TODAY.year
        assert found[kind][0] == (2 if ended else 0 if latest >= 2021 else 2 if latest else 1), part_id
