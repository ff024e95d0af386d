"""A catalogue of the shipped parts, and builds of templates."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.plan.file import load_build
from core.platform.paths import ASSETS


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    """Of a folder of its own."""
    opened = Catalogue(tmp_path_factory.mktemp("data"))
    yield opened
    opened.close()


@pytest.fixture
def template(catalogue: Catalogue) -> Callable[[str], Assessment]:
    """What is known of a shipped build."""

    def read(name: str) -> Assessment:
        path: Path = ASSETS / "templates" / f"{name}.rig.json"
        return Assessment(load_build(path, catalogue.part))

    return read
