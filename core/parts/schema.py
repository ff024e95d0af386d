"""The tables of catalogue.sqlite and their migrations."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("catalogue")


@migrations()
def m001_first_schema(db: Database) -> None:
    """Parts by id and origin, their full-text index, and facts about the shipped data.

    A part can stand in several rows, one per origin; the row of lowest precedence is the one that holds.
    The index has no text of its own: triggers keep it in step with the three columns it covers.
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
