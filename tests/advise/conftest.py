"""A catalogue of shipped parts, and of imported ones that know less and say other things."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part, Source
from core.parts.vocabulary import Category
from tests.shipped import shipped_of

IMPORTED = 40
"""Of each category."""


def imported(random: Random, category: Category, number: int) -> Part:
    """A part whose figures come from several shipped ones, some of them unknown."""
    shipped = shipped_of(category)
    like = random.choice(shipped)
    figures: dict[str, Any] = {}
    for name, info in type(like.spec).model_fields.items():
        other = getattr(random.choice(shipped).spec, name)
        if random.random() < 0.3 and (other is not None or not info.is_required()):
            figures[name] = other
        if random.random() < 0.15 and not info.is_required() and name != "category":
            figures[name] = info.default
    return Part(
        id=f"opendb-{category.replace('_', '-')}-{number}",
        maker="Imported",
        name=f"{category.label} {number}",
        spec=like.spec.model_copy(update=figures),
        sources=(Source(title="A data set", read=False),),
        origin=Origin.IMPORTED,
    )


@pytest.fixture(scope="session")
def catalogue(filled_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    opened = Catalogue(shutil.copytree(filled_folder, tmp_path_factory.mktemp("many") / "data"))
    random = Random(7)
    for category in Category:
        opened.replace_imported_parts(category, [imported(random, category, number) for number in range(IMPORTED)])
    yield opened
    opened.close()
