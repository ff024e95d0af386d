"""A catalogue of the shipped parts, and builds of templates."""

from collections.abc import Callable, Iterator

import pytest

from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from tests.shipped import templates


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    """Of a folder of its own."""
    opened = Catalogue(tmp_path_factory.mktemp("data"))
    yield opened
    opened.close()


@pytest.fixture
def template() -> Callable[[str], Assessment]:
    """What is known of a shipped build."""
    return lambda name: Assessment(templates()[name])
