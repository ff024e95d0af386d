"""catalogue.sqlite: shipped, imported and the user's own parts, found by id or by words.

The SQL about parts lies here and in rows, query and corrections. Shipped rows are rebuilt when the shipped files
change, the others stay. Where several rows share an id, the user's holds before the shipped one, that before an
imported one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.parts import corrections, rows
from core.parts.facets import Facet, facets
from core.parts.figures import SpecColumns, columns, columns_sql
from core.parts.identity import Identities, PartName
from core.parts.money import COMPARED, MoneyTerms, keep_home_currency, read_terms
from core.parts.own import Correction, corrected
from core.parts.part import Origin, Part
from core.parts.quarantined import Quarantined, replace_quarantined
from core.parts.query import FoundParts, Hit, Query, Statement, best_first, candidates, hit_columns, hit_of, hits
from core.parts.search import within, word_match
from core.parts.shipped import CATALOGUE, fingerprint, program, shipped_parts
from core.parts.spelling import counted, meant, no_such_part
from core.parts.vocabulary import Category
from core.platform.database import explained, one_at_a_time, open_database, writing
from core.platform.errors import BadInput, EnvironmentProblem
from core.words import tr

FILE = "catalogue.sqlite"
MONEY = "money"
"""The fact that says in which terms prices are filed."""
_DIGITS = re.compile(r"\d+")


class Catalogue:
    """One connection to the parts; use one per thread. Methods raise EnvironmentProblem in words."""

    def __init__(self, data_dir: Path, *, shipped: Path = CATALOGUE) -> None:
        """Opens or makes the catalogue; `shipped` is the folder of shipped part files.

        Raises BadInput when a shipped file is wrong, EnvironmentProblem when the database cannot be used.
        """
        from core.parts.schema import migrations

        self.path = data_dir / FILE
        self._db = open_database(self.path, migrations)
        self._parts: dict[str, Part] = {}
        self._columns: dict[tuple[Category, tuple[str, ...]], SpecColumns] = {}
        self._terms: dict[tuple[str, tuple[str, ...]], list[tuple[str, int]]] = {}
        self._identities: Identities | None = None
        self._money: MoneyTerms | None = None
        try:
            self._version = self._data_version()
            self._follow_shipped(shipped)
            self.follow_money()
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
        return self._read_part(part_id)

    def _read_part(self, part_id: str) -> Part | None:
        if part_id not in self._parts:
            stored = self._rows("SELECT part, origin FROM parts WHERE holds AND id = ?", (part_id,))
            if not stored:
                return None
            self._parts[part_id] = rows.restored(part_id, *stored[0])
        return self._parts[part_id]

    def require(self, part_id: str) -> Part:
        """The part with this id. Raises BadInput, naming ids that look like it, if there is none."""
        part = self.part(part_id)
        if part is None:
            ids = [row[0] for row in self._rows("SELECT DISTINCT id FROM parts")]
            raise BadInput(no_such_part(part_id, ids))
        return part

    def identities(self) -> Identities:
        """What all parts that hold can be recognised by; read once as long as the catalogue does not change."""
        self._forget_if_changed_elsewhere()
        if self._identities is None:
            stored = self._rows("SELECT id, category, title, part_numbers FROM parts WHERE holds ORDER BY id")
            names = (PartName(id_, Category(kind), title, tuple(json.loads(own))) for id_, kind, title, own in stored)
            self._identities = Identities(names, self._read_part)
        return self._identities

    def search(self, text: str = "", category: Category | None = None, limit: int = 200) -> list[Hit]:
        """Parts that have all these words, the best first and then by title; without a word all, by title.

        The last word may be unfinished. No text is wrong: what is not a word is ignored.
        """
        return self.find(Query(text, category, limit=limit))

    def find(self, query: Query) -> list[Hit]:
        """The parts that a question admits, in its order. A filter on a figure that no part has finds nothing."""
        columns, terms = hit_columns(), self.money
        shown = terms.compared if query.in_order_of_prices else terms
        for reading in hits(query, columns, terms.common):
            if stored := self._rows(reading.sql, reading.values):
                in_order = best_first(stored, query) if reading.ranked else stored
                return [hit_of(row, columns, shown) for row in in_order]
        return []

    def answer(self, query: Query) -> FoundParts:
        """As `find` for words that a person typed: with a number in front, with typing errors, and with words too many.

        Other or fewer words are searched only where the typed ones find nothing.
        """
        quantity, text = counted(query.text)
        uncounted = replace(query, text=text)
        if hits := self.find(uncounted):
            return FoundParts(hits, uncounted, quantity=quantity)
        words = meant(text, self, query.category)
        instead = replace(query, text=words.text) if words else uncounted
        if words and (hits := self.find(instead)):
            return FoundParts(hits, instead, words.unknown, quantity, words.left_out)
        return FoundParts([], uncounted, quantity=quantity)

    @property
    def money(self) -> MoneyTerms:
        """How prices are shown; in their currency lists are sorted and limited, in dollars where none is set."""
        self._forget_if_changed_elsewhere()
        if self._money is None:
            stored = self._facts().get(MONEY)
            self._money = MoneyTerms.model_validate_json(stored) if stored else COMPARED
        return self._money

    def has_word(self, word: str, *, unfinished: bool) -> bool:
        """Whether any part has the word or, unfinished, one that begins with it."""
        sql = "SELECT 1 FROM part_words WHERE part_words MATCH ? LIMIT 1"
        return bool(self._rows(sql, (word_match(word, unfinished=unfinished),)))

    def having(self, word: str, category: Category | None, *, unfinished: bool) -> frozenset[int]:
        """The numbers of all parts, of a category or of all, that have the word."""
        match = within(word_match(word, unfinished=unfinished), category)
        stored = self._rows("SELECT rowid FROM part_words WHERE part_words MATCH ?", (match,))
        return frozenset(number for (number,) in stored)

    def terms(self, letter: str, digits: tuple[str, ...]) -> list[tuple[str, int]]:
        """Words of the index with this first letter and these numbers, none but these, and the parts of each.

        Read once as long as the catalogue does not change.
        """
        self._forget_if_changed_elsewhere()
        key = (letter, digits)
        if key not in self._terms:
            self._terms[key] = self._read_terms(letter, digits)
        return self._terms[key]

    def _read_terms(self, letter: str, digits: tuple[str, ...]) -> list[tuple[str, int]]:
        self._rows("CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, part_words, row)")
        numbers, like = ("GLOB", f"*{'*'.join(digits)}*") if digits else ("NOT GLOB", "*[0-9]*")
        sql = f"SELECT term, doc FROM temp.terms WHERE term >= ? AND term < ? AND term {numbers} ?"
        stored = self._rows(sql, (letter, chr(ord(letter) + 1), like))
        return [(term, parts) for term, parts in stored if tuple(_DIGITS.findall(term)) == digits]

    def count(self, query: Query) -> int:
        """How many parts a question admits, whatever its limit."""
        counts = (int(self._rows(f"SELECT count(*) FROM ({one.sql})", one.values)[0][0]) for one in candidates(query))
        return next(filter(None, counts), 0)

    def facets(self, query: Query) -> tuple[Facet, ...]:
        """What the parts that a question admits can be narrowed by: choices with counts, and ranges.

        A figure that is limited already shows what there would be without its own limit.
        """
        by_field = {facet.field: facet for facet in self._facets(query)}
        for limited in query.filters:
            wider = {facet.field: facet for facet in self._facets(query.without(limited.field))}
            if limited.field in wider:
                by_field[limited.field] = wider[limited.field]
        return tuple(by_field[field] for field in sorted(by_field))

    def fields(self, category: Category | None = None) -> tuple[str, ...]:
        """The names of all figures that a search can use, of one category or of all."""
        sql = "SELECT DISTINCT field FROM figures WHERE ?1 IS NULL OR category = ?1 ORDER BY field"
        return tuple(row[0] for row in self._rows(sql, (category,)))

    def parts(
        self, *, origin: Origin | None = None, category: Category | None = None, priced: bool = False
    ) -> Iterator[Part]:
        """All parts that hold, by id; of one origin or category, or priced. Raises BadInput at an unreadable one."""
        restrictions = [("origin", origin), ("category", category)]
        clauses = ["holds", *(f"{column} = ?" for column, value in restrictions if value is not None)]
        clauses += ["price IS NOT NULL"] if priced else []
        values = tuple(value for _, value in restrictions if value is not None)
        sql = f"SELECT id, part, origin FROM parts WHERE {' AND '.join(clauses)} ORDER BY id"
        for part_id, stored, whose in self._rows(sql, values):
            yield rows.restored(part_id, stored, whose)

    def columns(self, category: Category, fields: tuple[str, ...]) -> SpecColumns:
        """These figures of all parts of a category; read once as long as the catalogue does not change."""
        self._forget_if_changed_elsewhere()
        key = (category, fields)
        if key not in self._columns:
            self._columns[key] = columns(category, fields, self._rows(columns_sql(fields), (category,)))
        return self._columns[key]

    def counts(self, text: str = "") -> dict[Category, int]:
        """How many parts with these words each category has, zero included; without words, how many parts."""
        readings = candidates(Query(text)) if text.strip() else [Statement("SELECT number FROM parts WHERE holds", {})]
        for reading in readings:
            sql = f"SELECT category, count(*) FROM parts WHERE number IN ({reading.sql}) GROUP BY category"
            if counts := dict(self._rows(sql, reading.values)):
                return {category: counts.get(category, 0) for category in Category}
        return dict.fromkeys(Category, 0)

    # -- writing --------------------------------------------------------------------------------------------------

    def save_user_part(self, part: Part) -> None:
        """Keeps the user's own or corrected part; one with the id of a shipped part hides that one."""
        self.save_user_parts((part,))

    def save_user_parts(self, parts: Iterable[Part]) -> None:
        """Keeps all of them or, when something goes wrong, none."""
        own = list(parts)
        with self._changing():
            corrections.forget(self._db, (part.id for part in own))
            corrections.replace_own(self._db, own)

    def correct(self, changes: Mapping[str, Correction]) -> None:
        """Changes figures, price or note of parts by id, all or none; earlier corrections stay beneath.

        The part under a correction may be upgraded or imported anew: what was not corrected follows it. Raises BadInput
        when a part is not there or would not be valid.
        """
        holding = {part_id: self.require(part_id) for part_id in changes}
        with self._changing():
            corrections.lay(self._db, holding, changes)

    def update_prices(self, changes: Mapping[str, Correction], *, further: bool = False) -> None:
        """As `correct` of prices alone, with a way back, `undo_prices`: of this update and those that are `further`."""
        holding = {part_id: self.require(part_id) for part_id in changes}
        with self._changing():
            corrections.note_update(self._db, holding, changes, further=further)
            corrections.lay(self._db, holding, changes)

    def undo_prices(self) -> list[str]:
        """Puts back the prices of before the last update; the ids of the parts. What was entered since then stays."""
        with self._changing():
            return corrections.undo(self._db)

    def updated_prices(self) -> int:
        """How many prices `undo_prices` may put back."""
        return int(self._rows("SELECT count(*) FROM prices_before")[0][0])

    def corrections(self) -> dict[str, Correction]:
        """What the user corrected, by the id of the shipped or imported part."""
        with explained(self.path):
            return corrections.all_corrections(self._db)

    def replace_correction(self, part_id: str, change: Correction) -> Part:
        """Puts a correction in the place of all earlier ones of this part; the part as it is then.

        What it does not name is again as shipped or imported. Raises BadInput when there is no part to correct.
        """
        under = self.beneath(part_id)
        if under is None:
            raise BadInput(tr("There is no shipped or imported part {part_id!r} to correct.", part_id=part_id))
        part = corrected(under, change)
        with self._changing():
            corrections.note(self._db, {part_id: change})
            corrections.replace_own(self._db, (part,))
        return part

    def beneath(self, part_id: str) -> Part | None:
        """The shipped or imported part that a correction lies upon, whether there is a correction or not."""
        with explained(self.path):
            return corrections.beneath(self._db, part_id)

    def delete_user_part(self, part_id: str) -> None:
        """Forgets the user's part or correction; the part beneath shows again. Raises BadInput if there is none."""
        with self._changing():
            corrections.forget(self._db, (part_id,))
            gone = rows.remove(self._db, "id = ? AND origin = ?", (part_id, Origin.USER))
        if not gone:
            raise BadInput(
                tr(
                    "You have no part {part_id!r} of your own; shipped and imported parts cannot be removed.",
                    part_id=part_id,
                )
            )

    def replace_imported_parts(
        self, category: Category, parts: Iterable[Part], quarantined: Iterable[Quarantined] = ()
    ) -> None:
        """Puts an import of a category in the place of the one before, in one transaction; corrections still hold."""
        imported = [
            part if part.origin is Origin.IMPORTED else part.model_copy(update={"origin": Origin.IMPORTED})
            for part in parts
        ]
        with self._changing():
            # A part may have changed its category since the data set before. Each way to find rows has an index.
            ids = json.dumps([part.id for part in imported])
            before = """origin = ? AND number IN (
                SELECT number FROM parts WHERE holds AND category = ?
                UNION SELECT number FROM parts WHERE NOT holds AND category = ?
                UNION SELECT number FROM parts WHERE id IN (SELECT value FROM json_each(?)))"""
            rows.replace(self._db, before, (Origin.IMPORTED, category, category, ids), imported)
            corrections.lay_anew(self._db)
            replace_quarantined(self._db, category, quarantined)

    def replace_quarantine(self, category: Category, quarantined: Iterable[Quarantined]) -> None:
        """Notes what an import left out of a category of which it could take nothing: the parts there are stay."""
        with writing(self._db, self.path):
            replace_quarantined(self._db, category, quarantined)

    def forget_import(self) -> int:
        """Takes out all imported parts and what was left out of them; how many. Corrections of them stay the user's."""
        with self._changing():
            gone = rows.remove(self._db, "origin = ?", (Origin.IMPORTED.value,))
            self._db.execute("DELETE FROM quarantine")
        return gone

    def quarantine(self, category: Category | None = None) -> list[Quarantined]:
        """What the last imports did not take, and why."""
        sql = "SELECT source, title, field, value, reason FROM quarantine WHERE ?1 IS NULL OR category = ?1"
        return [Quarantined.restored(*row) for row in self._rows(f"{sql} ORDER BY number", (category,))]

    def _follow_shipped(self, folder: Path) -> None:
        """Writes what has changed with the program: the shipped parts, and how all parts are indexed."""
        due = {"shipped": f"{fingerprint(folder)} {program()}", "index": rows.INDEX_VERSION}
        if due.items() <= self._facts().items():
            return
        with one_at_a_time(self.path):
            facts = self._facts()
            if not due.items() <= facts.items():  # nobody else has done it meanwhile
                self._take_in(list(shipped_parts(folder)), due, anew=facts.get("index") != due["index"])

    def follow_money(self) -> None:
        """Files prices as the data folder says they are shown. What it says badly is told where prices are shown."""
        with suppress(BadInput, EnvironmentProblem):
            keep_home_currency(self.path.parent)
            terms = read_terms(self.path.parent)
            if terms != self.money:
                with self._changing(terms):
                    self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (MONEY, terms.model_dump_json()))

    def _take_in(self, shipped: list[Part], due: Mapping[str, str], *, anew: bool) -> None:
        """Puts these in the place of the shipped parts of before; with `anew` all parts are indexed again."""
        with self._changing():
            if anew:
                rows.rebuild(self._db)
            rows.remove(self._db, "origin = ?", (Origin.SHIPPED,))
            rows.add(self._db, shipped)
            corrections.lay_anew(self._db)
            self._db.conn.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", due.items())

    def _facts(self) -> dict[str, str]:
        return dict(self._rows("SELECT name, value FROM facts"))

    # -- connection -----------------------------------------------------------------------------------------------

    @contextmanager
    def _changing(self, money: MoneyTerms | None = None) -> Iterator[None]:
        """A transaction after which prices are filed in these terms, or those of before, and all is read anew."""
        with writing(self._db, self.path):
            yield
            rows.file_prices(self._db, (money or self.money).compared)
        self._forget()

    def _forget(self) -> None:
        """What was read is no longer what is stored."""
        self._parts.clear()
        self._columns.clear()
        self._terms.clear()
        self._identities = None
        self._money = None

    def _forget_if_changed_elsewhere(self) -> None:
        version = self._data_version()
        if version != self._version:
            self._version = version
            self._forget()

    def _data_version(self) -> int:
        """SQLite's counter of commits by other connections."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def _facets(self, query: Query) -> tuple[Facet, ...]:
        for reading in candidates(query):
            among = "category = :category AND" if query.category else ""
            sql = f"SELECT field, value, count(*) FROM figures WHERE {among} number IN ({reading.sql}) GROUP BY 1, 2"
            if stored := self._rows(sql, reading.values):
                return facets(stored)
        return ()

    def _rows(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        with explained(self.path):
            try:
                return list(self._db.execute(sql, values).fetchall())
            except UnicodeEncodeError:  # half a character, typed in another encoding: nothing stored has one
                return []
