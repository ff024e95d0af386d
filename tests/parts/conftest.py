"""A small shipped catalogue, and parts of one's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.part import Part, Source
from core.parts.specs import GpuSpec, Spec

BLOWER = """
[[part]]
id = "asus-turbo-3090"
maker = "ASUS"
name = "TURBO-RTX3090-24G"
part_numbers = ["90YV0F94-M0NM00"]
price = { amount = 1600, currency = "USD", as_of = 2020-10-01 }
spec = { product = "GeForce RTX 3090", cooling = "blower", width_slots = 2, memory_gb = 24, power_limit_w = 350 }
sources = [{ title = "Maker's page", url = "https://example.org/turbo" }]
"""
OPEN_AIR = """
[[part]]
id = "msi-trio-3090-ti"
maker = "MSI"
name = "Suprim X RTX 3090 Ti"
spec = { product = "GeForce RTX 3090 Ti", cooling = "open_air", width_slots = 3.5, memory_gb = 24, length_mm = 338 }
sources = [{ title = "Maker's page", url = "https://example.org/trio" }]
"""
PSU = """
[[part]]
id = "corsair-ax1600i"
maker = "Corsair"
name = "AX1600i"
spec = { power_w = 1600 }
sources = [{ title = "Maker's page", url = "https://example.org/ax" }]
"""


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """A small folder of shipped parts."""
    folder = tmp_path / "shipped"
    for name, text in (("gpu/cards", BLOWER + OPEN_AIR), ("psu/psus", PSU)):
        path = folder / f"{name}.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return folder


@pytest.fixture
def catalogue(tmp_path: Path, shipped: Path) -> Iterator[Catalogue]:
    opened = Catalogue(tmp_path, shipped=shipped)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def own_part() -> Callable[..., Part]:
    """Makes parts as a user would enter them."""
    return _own_part


def _own_part(part_id: str = "own-card", *, maker: str = "Own", name: str = "Card", spec: Spec | None = None) -> Part:
    return Part(
        id=part_id,
        maker=maker,
        name=name,
        spec=spec or GpuSpec(product="GeForce RTX 4090", length_mm=300),
        sources=(Source(title="Measured myself"),),
    )
