"""Which part of the catalogue a row of somebody else's list means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from core.parts.part import Origin
from core.parts.price_table import PriceRow

_BETWEEN = re.compile(r"[^\w+]+")


@dataclass(frozen=True, slots=True)
class PartIdentity:
    """What a part can be recognised by."""

    id: str
    origin: Origin
    title: str
    part_numbers: tuple[str, ...]


class PartFinder:
    """Finds by id, else by part number, else by maker and name letter for letter, whatever stands between words.

    An imported part counts only where no other is meant: a data set lists much of what ships once more.
    """

    def __init__(self, parts: Iterable[PartIdentity]) -> None:
        self._ids: set[str] = set()
        self._numbers: dict[str, dict[str, Origin]] = defaultdict(dict)
        self._titles: dict[str, dict[str, Origin]] = defaultdict(dict)
        for part in parts:
            self._ids.add(part.id)
            self._titles[_plain(part.title)][part.id] = part.origin
            for number in part.part_numbers:
                self._numbers[_plain(number)][part.id] = part.origin

    def find(self, row: PriceRow) -> tuple[str, ...]:
        """Ids of the parts that it may mean: none, one or several."""
        if row.id in self._ids:
            return (row.id,)
        if row.part_number and (found := _first_hand(self._numbers.get(_plain(row.part_number), {}))):
            return found
        name = _plain(row.name)
        wanted = (_plain(f"{row.maker} {row.name}"), name) if name else ()
        return next((found for title in wanted if (found := _first_hand(self._titles.get(title, {})))), ())


def _first_hand(found: dict[str, Origin]) -> tuple[str, ...]:
    return tuple(part_id for part_id, origin in found.items() if origin is not Origin.IMPORTED) or tuple(found)


def _plain(text: str) -> str:
    return _BETWEEN.sub(" ", text.casefold()).strip()
