"""catalogue.sqlite: shipped, imported and the user's own parts, found by id or by words.

All SQL about parts is here. Shipped rows are rebuilt when the shipped files change; the others stay. Where several rows
share an id, the user's holds before the shipped one, and that before an imported one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core import __version__
from core.database import explained, open_database, writing
from core.errors import BadInput
from core.parts.part import Origin, Part, Price
from core.parts.schema import migrations
from core.parts.search import match_expressions, number_words, spec_words, title_words
from core.parts.shipped import CATALOGUE, fingerprint, shipped_parts
from core.parts.summary import summary
from core.parts.vocabulary import Category

FILE = "catalogue.sqlite"
_PRECEDENCE = {Origin.USER: 0, Origin.SHIPPED: 1, Origin.IMPORTED: 2}
_COLUMNS = (
    *("id", "origin", "precedence", "category", "maker", "name", "part_numbers", "year"),
    *("title", "summary", "price", "part", "title_words", "number_words", "words"),
)
_INSERT = f"INSERT INTO parts ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_HIT = "id, category, title, summary, price, origin"
_BY_TITLE = "ORDER BY title COLLATE NOCASE LIMIT :limit"
_ALL = f"SELECT {_HIT} FROM current_parts {_BY_TITLE}"
_ALL_OF_CATEGORY = f"SELECT {_HIT} FROM current_parts WHERE category = :category {_BY_TITLE}"
# Weights: title, part numbers, other words. Rounded, because a shorter text alone is no better an answer.
_MATCH = f"""SELECT {_HIT} FROM part_words JOIN current_parts ON number = part_words.rowid
    WHERE part_words MATCH :match AND :category IN ('', category)
    ORDER BY round(bm25(part_words, 8.0, 8.0, 1.0)), title COLLATE NOCASE LIMIT :limit"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A part in a list: enough to choose by, without its whole spec."""

    id: str
    category: Category
    title: str
    summary: str
    price: Price | None
    origin: Origin


class Catalogue:
    """One connection to the parts; use one per thread. Methods raise EnvironmentProblem in words."""

    def __init__(self, data_dir: Path, *, shipped: Path = CATALOGUE) -> None:
        """Opens or makes the catalogue; `shipped` is the folder of shipped part files.

        Raises BadInput when a shipped file is wrong, EnvironmentProblem when the database cannot be used.
        """
        self.path = data_dir / FILE
        self._db = open_database(self.path, migrations)
        self._parts: dict[str, Part] = {}
        try:
            self._version = self._data_version()
            self._follow_shipped(shipped)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

    # -- reading --------------------------------------------------------------------------------------------------

    def part(self, part_id: str) -> Part | None:
        """The part with this id, None if there is none. Raises BadInput when a stored one cannot be read any more."""
        self._forget_if_changed_elsewhere()
        if part_id not in self._parts:
            rows = self._rows("SELECT part, origin FROM current_parts WHERE id = ?", (part_id,))
            if not rows:
                return None
            self._parts[part_id] = _restored(part_id, *rows[0])
        return self._parts[part_id]

    def require(self, part_id: str) -> Part:
        """The part with this id. Raises BadInput, naming ids that look like it, if there is none."""
        found = self.part(part_id)
        if found is None:
            known = [row[0] for row in self._rows("SELECT DISTINCT id FROM parts")]
            close = get_close_matches(part_id.lower(), known, n=3)
            hint = f"Did you mean {' or '.join(close)}?" if close else "Find parts with: rigwright parts search."
            raise BadInput(f"The catalogue has no part {part_id!r}. {hint}")
        return found

    def search(self, text: str = "", category: Category | None = None, limit: int = 200) -> list[Hit]:
        """Parts that have all these words, the best first and then by title; without a word all, by title.

        The last word may be unfinished. No text is wrong: what is not a word is ignored.
        """
        asked = {"category": category or "", "limit": limit}
        expressions = match_expressions(text)
        if not expressions:
            return [_hit(row) for row in self._rows(_ALL_OF_CATEGORY if category else _ALL, asked)]
        for expression in expressions:
            rows = self._rows(_MATCH, asked | {"match": expression})
            if rows:
                return [_hit(row) for row in rows]
        return []

    def counts(self) -> dict[Category, int]:
        """How many parts each category has, zero included."""
        found = dict(self._rows("SELECT category, count(*) FROM current_parts GROUP BY category"))
        return {category: found.get(category, 0) for category in Category}

    # -- writing --------------------------------------------------------------------------------------------------

    def save_user_part(self, part: Part) -> None:
        """Keeps the user's own or corrected part; one with the id of a shipped part hides that one."""
        part = part.model_copy(update={"origin": Origin.USER})
        with writing(self._db, self.path):
            self._db.execute("DELETE FROM parts WHERE id = ? AND origin = ?", (part.id, Origin.USER))
            self._db.execute(_INSERT, _row(part))
        self._parts.pop(part.id, None)

    def delete_user_part(self, part_id: str) -> None:
        """Forgets the user's part; a shipped one with this id shows again. Raises BadInput if there is none."""
        with writing(self._db, self.path):
            gone = self._db.execute("DELETE FROM parts WHERE id = ? AND origin = ?", (part_id, Origin.USER)).rowcount
        if not gone:
            raise BadInput(f"There is no part {part_id!r} of your own; shipped and imported parts stay.")
        self._parts.pop(part_id, None)

    def replace_imported_parts(self, parts: Iterable[Part]) -> None:
        """Puts an import in the place of the one before, in one transaction; the user's corrections still hold."""
        self._replace(Origin.IMPORTED, [part.model_copy(update={"origin": Origin.IMPORTED}) for part in parts])

    def _follow_shipped(self, folder: Path) -> None:
        token = f"{fingerprint(folder)} {_program()}"
        if self._rows("SELECT 1 FROM facts WHERE name = 'shipped' AND value = ?", (token,)):
            return
        self._replace(Origin.SHIPPED, list(shipped_parts(folder)), token)

    def _replace(self, origin: Origin, parts: list[Part], token: str | None = None) -> None:
        with writing(self._db, self.path):
            self._db.execute("DELETE FROM parts WHERE origin = ?", (origin,))
            self._db.conn.executemany(_INSERT, map(_row, parts))
            if token is not None:
                self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (origin, token))
        self._parts.clear()

    # -- connection -----------------------------------------------------------------------------------------------

    def _forget_if_changed_elsewhere(self) -> None:
        version = self._data_version()
        if version != self._version:
            self._version = version
            self._parts.clear()

    def _data_version(self) -> int:
        """SQLite's counter of commits by other connections."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def _rows(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        with explained(self.path):
            return list(self._db.execute(sql, values).fetchall())


def _program() -> str:
    """Changes with the program, since stored parts and words follow its models.

    While the sources lie beside this file their text counts as well: a developer's version number stays for long.
    """
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _row(part: Part) -> tuple[Any, ...]:
    """The columns of a part, in the order of `_COLUMNS`."""
    return (
        *(part.id, part.origin, _PRECEDENCE[part.origin], part.category, part.maker, part.name),
        *(json.dumps(part.part_numbers), part.year, part.title, summary(part)),
        *(part.price.model_dump_json() if part.price else None, part.model_dump_json(exclude_none=True)),
        *(title_words(part), number_words(part), spec_words(part)),
    )


def _restored(part_id: str, stored: str, origin: str) -> Part:
    try:
        return Part.model_validate_json(stored)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise BadInput(
            f"The {origin} part {part_id!r} does not fit this version of Rigwright ({field}: {first['msg']}). "
            f"Save it anew, or remove it from your catalogue."
        ) from error


def _hit(row: tuple[Any, ...]) -> Hit:
    part_id, category, title, line, price, origin = row
    shown = Price.model_validate_json(price) if price else None
    return Hit(part_id, Category(category), title, line, shown, Origin(origin))
