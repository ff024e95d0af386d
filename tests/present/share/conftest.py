"""A catalogue of the shipped parts, and builds of templates."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from tests.shipped import templates


@pytest.fixture(scope="module")
def catalogue(module_data_dir: Path) -> Iterator[Catalogue]:
    with closing(Catalogue(module_data_dir)) as opened:
        yield opened


@pytest.fixture
def template() -> Callable[[str], Assessment]:
    """What is known of a shipped build."""
    return lambda name: Assessment(templates()[name])
