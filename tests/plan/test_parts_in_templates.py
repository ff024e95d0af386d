"""All shipped parts in all shipped machines: checked and predicted without a figure that breaks either."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import zip_longest

import pytest

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.edits import AddPart
from core.predict.prediction import predict
from core.rules.engine import check
from tests.rotation import turn
from tests.shipped import every_part, templates

NAMES = tuple(templates())


ALONE = (Category.MOTHERBOARD, Category.CASE)
"""With two kinds of these most rules wait."""


def try_in(name: str, groups: Iterable[tuple[Part, ...]]) -> None:
    for parts in groups:
        changed = templates()[name]
        for part in parts:
            changed = changed if changed.line(part.id) else AddPart(part).apply(changed)
        prediction = predict(changed)
        assert check(changed, prediction)
        assert prediction.noise_load.high >= 0


def one_of_each(parts: Iterable[Part]) -> list[tuple[Part, ...]]:
    """All of them in groups with at most one part of a category, boards and cases by themselves."""
    by_category = defaultdict[Category, list[Part]](list)
    for part in parts:
        by_category[part.category].append(part)
    alone = [(part,) for category in ALONE for part in by_category.pop(category, [])]
    return alone + [tuple(part for part in row if part) for row in zip_longest(*by_category.values())]


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_every_shipped_part_can_be_checked_and_predicted_in_a_template(place: int) -> None:
    """Each in one, the next part in the next one, and at the next commit in others, beside parts of other categories;
    `make soak` tries them all, each by itself."""
    parts = [part for n, part in enumerate(every_part()) if (place - n - turn()) % len(NAMES) == 0]
    groups = one_of_each(parts)
    assert sum(map(len, groups)) == len(parts)
    try_in(NAMES[place], groups)


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_part_can_be_checked_and_predicted_in_every_template(name: str) -> None:
    try_in(name, ((part,) for part in every_part()))
