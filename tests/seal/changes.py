"""Single changed bytes, in files and in the rows of a recording."""

import random
import sqlite3
import struct
from contextlib import closing
from math import isnan
from pathlib import Path
from typing import Any

TABLES = {
    table: tuple(columns.split())
    for table, columns in {
        "runs": "title profile build started_at machine simulated version simulate status ended_at boot_id",
        "devices": "position burned info",
        "stages": "kind title seconds status fraction started_s ended_s boot_id",
        "results": "status reason evidence",
        "events": "time_s at level kind message device_id",
        "verdicts": "outcome reasons",
        "chunks": "first_s last_s length data",
        "links": "kind subject digest detail link",
        "seals": "seal",
    }.items()
}
"""What a seal covers. Keys are left out where changing them may not be possible."""


def changed_byte(content: bytes, chance: random.Random) -> bytes:
    """The same length, one byte different."""
    altered = bytearray(content)
    altered[chance.randrange(len(altered))] ^= chance.randrange(1, 256)
    return bytes(altered)


def change_a_row(path: Path, chance: random.Random) -> tuple[str, str, Any, Any]:
    """Changes one byte of one value of a recording: table, column, before, after."""
    with closing(sqlite3.connect(path)) as db, db:
        while True:
            table = chance.choice(list(TABLES))
            column, key = chance.choice(TABLES[table]), _key(db, table)
            *place, before = chance.choice(db.execute(f"SELECT {', '.join(key)}, {column} FROM {table}").fetchall())
            after = _altered(before, chance)
            if after is not None and after != before:
                where = " AND ".join(f"{name} = ?" for name in key)
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (after, *place))
                return table, column, before, after


def _key(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})").fetchall() if row[5]]


def _altered(value: Any, chance: random.Random) -> Any:
    match value:
        case None | "" | b"":
            return None
        case str():
            at = chance.randrange(len(value))
            return value[:at] + chr(33 + (ord(value[at]) - 32 + chance.randrange(90)) % 92) + value[at + 1 :]
        case bytes():
            return changed_byte(value, chance)
        case int():
            return value ^ (1 << chance.randrange(8))
        case float():
            (altered,) = struct.unpack("<d", changed_byte(struct.pack("<d", value), chance))
            return None if isnan(altered) else altered
