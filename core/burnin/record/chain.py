"""The hash chain of a run: what is recorded is linked to all that was recorded before it.

A link is SHA-256 over the link before it, what it is about, and the digest of that. The last link stands for the whole
record, and is what a seal signs. Rows that change while a run goes on (a stage, a repeated result) get a new link; the
newest of a subject is the one that holds. Notes, requests, processes and signs of life are not in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from zlib import crc32

from core.database import Database

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
            found = db.execute(sql, (run_id,))
        else:
            found = db.execute(f"{sql} AND {self.subject} = ?", (run_id, subject))
        return ((row[0], row[1:]) for row in found.fetchall())


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
KEPT = (START, END, DEVICE, AS_BUILT, STAGE, RESULT, EVENT, INTERRUPTION, VERDICT)

SAMPLES = "samples"
"""Kind of the links of samples: the subject is the device, the detail is core.burnin.record.sample_links."""
STORED = "stored"
"""Kind of the links of a device's samples as they lie in the file, once the run has ended."""


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
    found = sha256(before)
    for part in (str(number).encode(), kind.encode(), subject.encode("utf-8", "surrogatepass"), digest, detail):
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.digest()


def row_digest(fields: Sequence[Any]) -> tuple[bytes, bytes]:
    """Digest of a row, and the check sums of its fields."""
    texts = [json.dumps(field).encode() for field in fields]
    return sha256(b"\0".join(texts)).digest(), b"".join(crc32(text).to_bytes(CHECK_BYTES, "big") for text in texts)


def changed_fields(kept: LinkedRows, link: Link, fields: Sequence[Any]) -> list[str]:
    """The names of the fields that are not what they were."""
    _, now = row_digest(fields)
    places = range(0, len(now), CHECK_BYTES)
    pairs = zip(kept.fields, places, strict=True)
    return [name for name, at in pairs if now[at : at + CHECK_BYTES] != link.detail[at : at + CHECK_BYTES]]


def add_link(db: Database, run_id: int, kind: str, subject: str, content: tuple[bytes, bytes]) -> None:
    """Lengthens the chain by digest and detail; within a transaction of the caller that has written already.

    Does nothing for a run that was begun by a program without chains: half a chain proves nothing.
    """
    last = last_link(db, run_id)
    if last is None and kind != START.kind:
        return
    number, before = (last[0] + 1, last[1]) if last else (0, b"")
    link = linked(before, number, kind, subject, *content)
    db.execute("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?)", (run_id, number, kind, subject, *content, link))


def keep(db: Database, run_id: int, kept: LinkedRows, subject: str = "") -> None:
    """Links a row as it stands now; within a transaction of the caller that has written already."""
    for _, fields in kept.rows(db, run_id, subject):
        add_link(db, run_id, kept.kind, subject, row_digest(fields))


def keep_all(db: Database, run_id: int, kept: LinkedRows) -> None:
    """Links all rows of a kind as they stand now."""
    for subject, fields in kept.rows(db, run_id):
        add_link(db, run_id, kept.kind, subject, row_digest(fields))


def last_link(db: Database, run_id: int) -> tuple[int, bytes] | None:
    """Number and hash of the newest link; None where the run has no chain."""
    row = db.execute(
        "SELECT number, link FROM links WHERE run_id = ? ORDER BY number DESC LIMIT 1", (run_id,)
    ).fetchone()
    return None if row is None else (int(row[0]), bytes(row[1]))


def read_links(db: Database, run_id: int) -> list[Link]:
    """The chain of a run, oldest link first; empty where it has none."""
    rows = db.execute(
        "SELECT number, kind, subject, digest, detail, link FROM links WHERE run_id = ? ORDER BY number", (run_id,)
    )
    return [Link(*row) for row in rows.fetchall()]
