"""The hash chain of a run: what is recorded is linked to all that was recorded before it.

A link is SHA-256 over the link before it, what it is about, and the digest of that. The last link stands for the whole
record, and is what a seal signs. A row is linked when it is made, from the values that were written and not from what
the file holds later; one that changes while a run goes on (a stage, a repeated result) gets a new link, and the newest
of a subject is the one that holds. Notes, requests, processes and signs of life are not in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from zlib import crc32

from core.platform.database import Database

CHECK_BYTES = 4
"""Of the check sum of a field: it only tells which field of a row was changed. That one was tells the digest."""


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """The rows of one kind that have links: their table, what tells them apart, and the fields that must not change."""

    kind: str
    table: str
    subject: str
    fields: tuple[str, ...]
    key: str = "run_id"

    def rows(self, db: Database, run_id: int, subject: str | None = None) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Subject and fields of each row, or of one."""
        sql = f"SELECT CAST({self.subject} AS TEXT), {', '.join(self.fields)} FROM {self.table} WHERE {self.key} = ?"
        if subject is None:
            cursor = db.execute(sql, (run_id,))
        else:
            cursor = db.execute(f"{sql} AND CAST({self.subject} AS TEXT) = ?", (run_id, subject))
        return ((row[0], row[1:]) for row in cursor.fetchall())

    def stored(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """The fields of a row as they are read back from its table; what is not in it is NULL there."""
        return tuple(_stored(name, row.get(name)) for name in self.fields)

    def named(self, fields: Sequence[Any]) -> dict[str, Any]:
        """The fields by their names."""
        return dict(zip(self.fields, fields, strict=True))


REALS = frozenset(("seconds", "fraction", "time_s", "started_s", "ended_s", "lasted_s"))
"""Columns that make a number a REAL."""


def _stored(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in REALS:
        return float(value)
    return int(value) if isinstance(value, bool) else value


START = LinkedRows(
    "start", "runs", "''",
    ("id", "title", "profile", "build", "started_at", "machine", "simulated", "version", "simulate"), "id",
)  # fmt: skip
END = LinkedRows("end", "runs", "''", ("status", "ended_at", "boot_id", "runner_pid", "cut_short"), "id")
DEVICE = LinkedRows("device", "devices", "device_id", ("device_id", "position", "burned", "info"))
STAGE = LinkedRows(
    "stage", "stages", "number",
    ("number", "kind", "title", "seconds", "status", "fraction", "started_s", "ended_s", "boot_id"),
)  # fmt: skip
RESULT = LinkedRows(
    "result", "results", "number || ' ' || device_id", ("number", "device_id", "status", "reason", "evidence")
)
EVENT = LinkedRows(
    "event", "events", "id", ("id", "time_s", "at", "device_id", "level", "kind", "message", "incident")
)  # fmt: skip
INTERRUPTION = LinkedRows(
    "interruption", "interruptions", "id", ("id", "kind", "time_s", "at", "lasted_s", "stage", "message")
)
VERDICT = LinkedRows("verdict", "verdicts", "device_id", ("device_id", "outcome", "reasons"))
AS_BUILT = LinkedRows("as-built", "as_built", "''", ("told",))
ORIGIN = LinkedRows("origin", "origins", "''", ("told",))
"""What the run came from (core.burnin.record.origin): the second link of a chain. A program that made none linked
stages only when they ended, and the end of a run only with its verdict."""
LIBRARIES = LinkedRows("libraries", "libraries", "id", ("id", "time_s", "role", "device_id", "told"))
APPENDED = (EVENT, INTERRUPTION, LIBRARIES)
"""Rows that never change. The file gives the number of one that was deleted to the next: two links of one subject tell
of that."""
KEPT = (START, ORIGIN, END, DEVICE, AS_BUILT, LIBRARIES, STAGE, RESULT, EVENT, INTERRUPTION, VERDICT)

SAMPLES = "samples"
"""Kind of the links of samples: the subject is the device, the detail is core.burnin.record.sample_table."""
STORED = "stored"
"""Kind of the links of a device's samples as they lie in the file, once the run has ended."""

NEWEST = "newest"
"""Of samples that are not folded yet: they have a running hash instead of links."""
LastLink = tuple[int, bytes]
"""Number and hash of the newest link of a chain."""


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a chain, as it is stored. `detail` tells what was changed where the digest does not fit any more."""

    number: int
    kind: str
    subject: str
    digest: bytes
    detail: bytes
    link: bytes

    def follows(self, before: bytes) -> bool:
        """Whether it is the link that comes after one with this hash."""
        return self.link == linked(before, self.number, self.kind, self.subject, self.digest, self.detail)


def linked(before: bytes, number: int, kind: str, subject: str, digest: bytes, detail: bytes) -> bytes:
    """The hash of a link, 32 bytes. Each part is written with its length, so that none can pass for another."""
    hasher = sha256(before)
    for part in (str(number).encode(), kind.encode(), subject.encode("utf-8", "surrogatepass"), digest, detail):
        hasher.update(len(part).to_bytes(8, "big"))
        hasher.update(part)
    return hasher.digest()


def row_digest(fields: Sequence[Any]) -> tuple[bytes, bytes]:
    """Digest of a row, and the check sums of its fields."""
    texts = [json.dumps(field).encode() for field in fields]
    return sha256(b"\0".join(texts)).digest(), b"".join(crc32(text).to_bytes(CHECK_BYTES, "big") for text in texts)


def changed_fields(linked_rows: LinkedRows, link: Link, fields: Sequence[Any]) -> list[str]:
    """The names of the fields that are not what they were."""
    _, now = row_digest(fields)
    places = range(0, len(now), CHECK_BYTES)
    pairs = zip(linked_rows.fields, places, strict=True)
    return [name for name, at in pairs if now[at : at + CHECK_BYTES] != link.detail[at : at + CHECK_BYTES]]


def add_link(
    db: Database, run_id: int, last: LastLink | None, kind: str, subject: str, content: tuple[bytes, bytes]
) -> LastLink | None:
    """Lengthens the chain that ends with `last` by digest and detail, and returns its new end.

    Within a transaction of the caller that has written already. Does nothing for a run that was begun by a program
    without chains: half a chain proves nothing. What somebody else put in the place of the link gives way.
    """
    if last is None and kind != START.kind:
        return None
    number, before = (last[0] + 1, last[1]) if last else (0, b"")
    link = linked(before, number, kind, subject, *content)
    db.execute(
        "INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?, ?, ?)", (run_id, number, kind, subject, *content, link)
    )
    return number, link


def last_link(db: Database, run_id: int) -> LastLink | None:
    """Number and hash of the newest link; None where the run has no chain."""
    row = db.execute(
        "SELECT number, link FROM links WHERE run_id = ? ORDER BY number DESC LIMIT 1", (run_id,)
    ).fetchone()
    return None if row is None else (int(row[0]), bytes(row[1]))


def read_links(db: Database, run_id: int) -> list[Link]:
    """The chain of a run, oldest link first; empty where it has none."""
    columns = "number, kind, subject, digest, detail, link"
    rows = db.execute(f"SELECT {columns} FROM links WHERE run_id = ? ORDER BY number", (run_id,))
    return [Link(*row) for row in rows.fetchall()]
