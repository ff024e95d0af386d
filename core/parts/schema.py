"""The tables of catalogue.sqlite and their migrations."""

from __future__ import annotations

from core.parts.former_names import FORMER_NAMES, with_present_names
from core.platform.database import Database, Migrations

migrations = Migrations("catalogue")


@migrations()
def m001_first_schema(db: Database) -> None:
    """Parts by id and origin, their full-text index, and facts about the shipped data.

    A part can stand in several rows, one per origin; the row of lowest precedence is the one that holds.
    """
    for statement in (
        "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        """CREATE TABLE parts (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL, origin TEXT NOT NULL, precedence INTEGER NOT NULL,
            category TEXT NOT NULL, maker TEXT NOT NULL, name TEXT NOT NULL, part_numbers TEXT NOT NULL, year INTEGER,
            title TEXT NOT NULL, summary TEXT NOT NULL, price TEXT, part TEXT NOT NULL,
            title_words TEXT NOT NULL, number_words TEXT NOT NULL, words TEXT NOT NULL,
            UNIQUE (id, precedence)
        ) STRICT""",
        "CREATE INDEX parts_by_title ON parts (title COLLATE NOCASE)",
        "CREATE INDEX parts_by_category ON parts (category, title COLLATE NOCASE)",
        """CREATE VIEW current_parts AS SELECT * FROM parts WHERE NOT EXISTS (
            SELECT 1 FROM parts AS better WHERE better.id = parts.id AND better.precedence < parts.precedence
        )""",
        """CREATE VIRTUAL TABLE part_words USING fts5 (
            title_words, number_words, words, content = 'parts', content_rowid = 'number',
            tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
        )""",
        """CREATE TRIGGER parts_added AFTER INSERT ON parts BEGIN
            INSERT INTO part_words (rowid, title_words, number_words, words)
            VALUES (new.number, new.title_words, new.number_words, new.words);
        END""",
        """CREATE TRIGGER parts_removed AFTER DELETE ON parts BEGIN
            INSERT INTO part_words (part_words, rowid, title_words, number_words, words)
            VALUES ('delete', old.number, old.title_words, old.number_words, old.words);
        END""",
    ):
        db.execute(statement)


@migrations()
def m002_fifty_thousand_parts(db: Database) -> None:
    """What a search over an imported data set needs: figures to filter by, and an index of the rows that hold.

    `holds` marks the row that counts among those of one id, so that a search need not ask; only such rows stand in
    the full-text index, which also knows the category (as one word, so that it narrows the search by itself).
    `figures` has one row per searchable figure of a part. `quarantine` keeps what an import did not take, `corrections`
    what the user knows better about a part that is not theirs.
    The rows that are there get their words and figures anew when the catalogue is opened.
    """
    for statement in (
        "DROP VIEW current_parts",
        "DROP TRIGGER parts_added",
        "DROP TRIGGER parts_removed",
        "DROP TABLE part_words",
        "DROP INDEX parts_by_title",
        "DROP INDEX parts_by_category",
        "ALTER TABLE parts ADD COLUMN holds INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE parts ADD COLUMN category_word TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX held_by_title ON parts (title COLLATE NOCASE) WHERE holds",
        "CREATE INDEX held_by_category ON parts (category, title COLLATE NOCASE) WHERE holds",
        "CREATE INDEX hidden ON parts (id) WHERE NOT holds",
        """CREATE TABLE figures (
            category TEXT NOT NULL, field TEXT NOT NULL, value ANY NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (category, field, value, number)
        ) STRICT, WITHOUT ROWID""",
        """CREATE VIRTUAL TABLE part_words USING fts5 (
            title_words, number_words, words, category_word, content = 'parts', content_rowid = 'number',
            tokenize = 'unicode61 remove_diacritics 2'
        )""",
        # Weights of a word in title, part numbers, other words, category.
        "INSERT INTO part_words (part_words, rank) VALUES ('rank', 'bm25(8.0, 8.0, 1.0, 0.0)')",
        "CREATE TABLE corrections (id TEXT PRIMARY KEY, correction TEXT NOT NULL) STRICT, WITHOUT ROWID",
        """CREATE TABLE quarantine (
            number INTEGER PRIMARY KEY, category TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
            field TEXT NOT NULL, value TEXT NOT NULL, reason TEXT NOT NULL
        ) STRICT""",
        "DELETE FROM facts",
    ):
        db.execute(statement)


@migrations()
def m003_present_names(db: Database) -> None:
    """Figures by the names of today, in the user's own and imported parts and in corrections."""
    for former, present in FORMER_NAMES.items():
        for table, column in (("parts", "part"), ("corrections", "correction")):
            db.execute(
                f"UPDATE {table} SET {column} = replace({column}, ?1, ?2) WHERE instr({column}, ?1)",
                (f'"{former}"', f'"{present}"'),
            )


@migrations()
def m004_prices_before(db: Database) -> None:
    """What the last update of prices put in the place of what, by the id of the part: the way back."""
    db.execute("""CREATE TABLE prices_before (
        id TEXT PRIMARY KEY, before TEXT NOT NULL, price TEXT NOT NULL) STRICT, WITHOUT ROWID""")


@migrations()
def m005_plugs_among_cables(db: Database) -> None:
    """Plugs that were counted are rows of the cables."""
    for table, key, column in (("parts", "number", "part"), ("corrections", "id", "correction")):
        stored = db.execute(
            f"SELECT {key}, {column} FROM {table} WHERE instr({column}, ?)", ('"connectors"',)
        ).fetchall()
        for row_id, text in stored:
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (with_present_names(text), row_id))


@migrations()
def m006_order_of_equal_hits(db: Database) -> None:
    """What puts equally good answers in order: the chip, and how many deciding figures a part lacks.

    Both are written with its words when the catalogue is opened.
    """
    db.execute("ALTER TABLE parts ADD COLUMN product TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE parts ADD COLUMN lacking INTEGER NOT NULL DEFAULT 0")
