"""Holds a recorded run against its hash chain: which row, which field, which sample is not what was recorded."""

from __future__ import annotations

import json
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import error

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.chain import (
    APPENDED,
    END,
    INTERRUPTION,
    KEPT,
    NEWEST,
    ORIGIN,
    SAMPLES,
    STAGE,
    STORED,
    LastLink,
    Link,
    LinkedRows,
    changed_fields,
    row_digest,
)
from core.burnin.record.rows import InterruptionKind, RunStatus, StageStatus
from core.burnin.record.sample_table import TIME, LinkChecks, all_samples, newest_head, piece_digest, stored_digest
from core.platform.database import Database

MOST_TOLD = 20
"""Changes that are listed of one device's samples."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is not as it was recorded. `kind` is that of its link; "link" is the chain itself."""

    kind: str
    subject: str = ""
    fields: tuple[str, ...] = ()
    """Names of the columns, or of the metrics, where they can be told."""
    times_s: tuple[float, ...] = ()
    """Of samples: since the start of the run, as they stand now."""
    missing: bool = False
    added: bool = False


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What holding a run against its chain found. `head` is the last link, which a seal signs."""

    head: bytes
    links: int
    changes: tuple[Change, ...]


def check_chain(
    db: Database, run_id: int, links: list[Link], *, last: LastLink | None = None, head: bytes = b""
) -> ChainCheck:
    """Reads every row and sample of the run; within a transaction of the caller.

    `last` is the end of the chain where the caller knows it, `head` the running hash of the newest samples.
    """
    changes = [*_broken(links, last)]
    older = None if any(link.kind == ORIGIN.kind for link in links) else OlderChain.of(db, run_id, links)
    for linked_rows in APPENDED:
        subjects = Counter(link.subject for link in links if link.kind == linked_rows.kind)
        changes += [Change(linked_rows.kind, subject, missing=True) for subject, count in subjects.items() if count > 1]
    for linked_rows in KEPT:
        changes += _rows(db, run_id, linked_rows, _holding(links, linked_rows.kind), older)
    pieces: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        if link.kind == SAMPLES:
            pieces[link.subject].append(link)
    stored = _holding(links, STORED)
    for (device_id,) in db.execute("SELECT device_id FROM devices WHERE run_id = ?", (run_id,)).fetchall():
        changes += _samples(db, (run_id, device_id), pieces.pop(device_id, []), stored.get(device_id))
    changes += [Change(SAMPLES, device_id, missing=True) for device_id in pieces]
    if newest_head(db, run_id) != head:
        changes.append(Change(NEWEST))
    return ChainCheck(links[-1].link if links else b"", len(links), tuple(changes))


def _broken(links: list[Link], last: LastLink | None) -> Iterator[Change]:
    before = b""
    for number, link in enumerate(links):
        if link.number != number or not link.follows(before):
            yield Change("link", str(number))
        before = link.link
    if last is not None and (len(links) - 1, before) != last:
        yield Change("link", str(last[0]))


def _holding(links: list[Link], kind: str) -> Mapping[str, Link]:
    """The newest link of each subject."""
    return {link.subject: link for link in links if link.kind == kind}


def _rows(
    db: Database, run_id: int, linked_rows: LinkedRows, holding: Mapping[str, Link], older: OlderChain | None
) -> Iterator[Change]:
    seen = set()
    for subject, fields in linked_rows.rows(db, run_id):
        seen.add(subject)
        link = holding.get(subject)
        if link is None:
            if not (older and older.could_not_link(linked_rows, fields)):
                yield Change(linked_rows.kind, subject, added=True)
        elif not fits(linked_rows, fields, link.digest) and (
            older is None or not older.could_not_link_again(linked_rows, fields, link)
        ):
            yield Change(linked_rows.kind, subject, tuple(changed_fields(linked_rows, link, fields)))
    for subject in holding.keys() - seen:
        yield Change(linked_rows.kind, subject, missing=True)


def fits(linked_rows: LinkedRows, fields: tuple[Any, ...], digest: bytes) -> bool:
    """Whether a row is what its link has the digest of.

    How far a stage is changes from second to second: while it runs it fits the link that was made at its start.
    """
    if row_digest(fields)[0] == digest:
        return True
    row = linked_rows.named(fields)
    if linked_rows is not STAGE or row["status"] != StageStatus.RUNNING:
        return False
    return row_digest(linked_rows.stored(row | {"fraction": 0}))[0] == digest


def _samples(db: Database, key: tuple[int, str], links: list[Link], stored: Link | None) -> list[Change]:
    """The bytes of the chunks first: where they are the ones that the end of the run linked, so are the values.

    A run that was resumed after it goes on to fill the same chunks.
    """
    device_id = key[1]
    if stored is not None and links and links[-1].number > stored.number:
        stored = None
    if stored is not None and stored_digest(db, key) == stored.digest:
        return []
    try:
        changes = list(_pieces(device_id, all_samples(db, key), links))
    except (ValueError, LookupError, error, struct.error):
        return [Change(SAMPLES, device_id)]  # cannot even be unpacked
    if not changes and stored is not None:
        return [Change(STORED, device_id)]
    return changes[:MOST_TOLD]


def _pieces(device_id: str, columns: Mapping[str, NDArray[np.float64]], links: list[Link]) -> Iterator[Change]:
    times = columns.get(TIME, np.empty(0))
    at = 0
    for link in links:
        piece = LinkChecks.unpacked(link.detail)
        part = slice(at, at + piece.rows)
        at += piece.rows
        others = [name for name in columns if name not in piece.names and not np.isnan(columns[name][part]).all()]
        block = np.array([columns.get(name, np.empty(0))[part] for name in piece.names])
        if block.shape != (len(piece.names), piece.rows):
            yield Change(SAMPLES, device_id, missing=True)
            return
        if others or piece_digest(piece.names, block) != link.digest:
            rows, names = piece.changed(block)
            listed_s = tuple(float(time_s) for time_s in times[part][rows][:MOST_TOLD])
            yield Change(SAMPLES, device_id, (*names, *others), listed_s)
    if at < len(times) and links:
        yield Change(SAMPLES, device_id, added=True)


_OF_A_REPETITION = frozenset(("status", "fraction", "started_s", "ended_s", "boot_id"))


@dataclass(frozen=True, slots=True)
class OlderChain:
    """A chain without a link of origin, and what the program that made it could not link, and nothing more.

    That program linked a stage when the stage had ended, and the end of a run with its verdict. So the chain of a run
    that it left in the midst of a stage lacks links of stages; and of a run that it resumed after its end, some links
    tell what was before that. `resumed` is the number of the link that tells of the last resumption.
    """

    resumed: int
    planned: Sequence[tuple[str, float]]
    """Kind and seconds of each stage by the profile, which such a chain does link."""

    @classmethod
    def of(cls, db: Database, run_id: int, links: Sequence[Link]) -> OlderChain:
        """Reads what its excuses rest on."""
        rows = db.execute(
            "SELECT CAST(id AS TEXT) FROM interruptions WHERE run_id = ? AND kind = ?",
            (run_id, InterruptionKind.RESUMED),
        ).fetchall()
        resumptions = {subject for (subject,) in rows}
        numbers = [link.number for link in links if link.kind == INTERRUPTION.kind and link.subject in resumptions]
        profile = db.execute("SELECT profile FROM runs WHERE id = ?", (run_id,)).fetchone()
        return cls(max(numbers, default=-1), _planned(profile[0]) if profile else ())

    def could_not_link(self, linked_rows: LinkedRows, fields: Sequence[Any]) -> bool:
        """Whether a row without a link is one that such a program left so."""
        row = linked_rows.named(fields)
        if linked_rows is END:
            return bool(row["status"] != RunStatus.FINISHED)
        return linked_rows is STAGE and _unfinished(row) and self._is_planned(row)

    def could_not_link_again(self, linked_rows: LinkedRows, fields: Sequence[Any], link: Link) -> bool:
        """Whether a row is not what its link says because the run was resumed since."""
        if link.number > self.resumed:
            return False
        row = linked_rows.named(fields)
        if linked_rows is END:
            return bool(row["status"] != RunStatus.FINISHED)
        return (
            linked_rows is STAGE
            and _unfinished(row)
            and _OF_A_REPETITION.issuperset(changed_fields(linked_rows, link, fields))
        )

    def _is_planned(self, stage: Mapping[str, Any]) -> bool:
        number = stage["number"]
        if not 0 <= number < len(self.planned):
            return False
        kind, seconds = self.planned[number]
        return bool(stage["kind"] == kind and stage["seconds"] == seconds)


def _unfinished(stage: Mapping[str, Any]) -> bool:
    """Waiting or running, as a run that goes on or was cut off has it."""
    begun = {StageStatus.PENDING.value: False, StageStatus.RUNNING.value: True}.get(stage["status"])
    return begun is not None and begun == (stage["started_s"] is not None) and stage["ended_s"] is None


def _planned(profile: str) -> Sequence[tuple[str, float]]:
    try:
        return [(stage["kind"], float(stage["seconds"])) for stage in json.loads(profile)["stages"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()
