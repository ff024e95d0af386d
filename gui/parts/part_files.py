"""Files of parts and of prices, written and read beside the window with a catalogue of their own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.parts.own import correction
from core.parts.own_file import write_parts
from core.parts.part import Origin, Part
from core.parts.price_list import BadLine, Priced, read_price_list, write_price_list

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

T = TypeVar("T")


def with_catalogue(data_dir: Path, work: Callable[[Catalogue], T]) -> T:
    """Does something with a connection of its own, as another thread must."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(data_dir)) as catalogue:
        return work(catalogue)


def export_own(data_dir: Path, path: Path) -> int:
    """Writes the user's parts and corrected parts; how many. Raises BadInput."""
    return with_catalogue(data_dir, lambda catalogue: write_parts(path, catalogue.parts(origin=Origin.USER)))


def take_own(data_dir: Path, parts: list[Part]) -> list[str]:
    """Keeps parts of a file as the user's own; their ids."""
    with_catalogue(data_dir, lambda catalogue: catalogue.save_user_parts(parts))
    return [part.id for part in parts]


def export_prices(data_dir: Path, path: Path) -> int:
    """Writes all parts with their prices; how many. Raises BadInput."""
    return with_catalogue(data_dir, lambda catalogue: write_price_list(path, catalogue.parts()))


def take_prices(data_dir: Path, path: Path, today: date) -> tuple[list[Priced], list[BadLine]]:
    """Lays the prices of a list upon the parts; which, and the lines that were not taken. Raises BadInput."""

    def take(catalogue: Catalogue) -> tuple[list[Priced], list[BadLine]]:
        priced, bad = read_price_list(path, catalogue.id_of, today)
        catalogue.correct({row.part_id: correction({}, price=row.price) for row in priced})
        return priced, bad

    return with_catalogue(data_dir, take)


def forget_import(data_dir: Path) -> int:
    """Takes out all imported parts; how many."""
    return with_catalogue(data_dir, lambda catalogue: catalogue.forget_import())
