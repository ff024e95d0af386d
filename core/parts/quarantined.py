"""What an import left out of the catalogue, and why: kept so that the reason can be read in any language."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Self

from core.parts.vocabulary import Category
from core.words import from_json, to_json

if TYPE_CHECKING:
    from core.platform.database import Database


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A figure, or a whole row where `field` is empty, that an import did not take."""

    source: str
    """The file within the data set."""
    title: str
    field: str
    value: str
    reason: str

    @property
    def stored(self) -> dict[str, str]:
        """As the catalogue keeps it: the reason as the JSON of its message."""
        return asdict(self) | {"reason": json.dumps(to_json(self.reason), ensure_ascii=False)}

    @classmethod
    def restored(cls, source: str, title: str, field: str, value: str, reason: str) -> Self:
        """From what is kept; versions before languages kept the English sentence itself."""
        try:
            return cls(source, title, field, value, from_json(json.loads(reason)) or reason)
        except ValueError:
            return cls(source, title, field, value, reason)


def replace_quarantined(db: Database, category: Category, quarantined: Iterable[Quarantined]) -> None:
    """Puts these in the place of what an import left out before. Called within a transaction."""
    db.table("quarantine").delete_where("category = ?", [category])
    db.table("quarantine").insert_all({"category": str(category), **row.stored} for row in quarantined)
