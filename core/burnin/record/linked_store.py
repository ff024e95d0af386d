"""How the recording is written so that it can be checked: each row with its link, by what the writer knows.

The process that records a run remembers what it has written: the end of the chain, the stages, the results. What
somebody else writes into the file meanwhile changes none of that, and so does not fit any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.burnin.record import chain
from core.burnin.record.chain_check import ChainCheck, check_chain, fits
from core.burnin.record.origin import keep_witness
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import EventLevel, InterruptionKind, Outcome
from core.burnin.record.sample_table import fold, newest_head, stored_digest
from core.burnin.record.sentences import in_english
from core.platform.database import explained, writing
from core.words import english, joined, tr, trc

_KIND_WORDS = {
    "start": trc("record", "start"),
    "origin": trc("of a run", "origin"),
    "end": trc("of a run", "status"),
    "device": tr("device"),
    "as-built": tr("machine as built"),
    "libraries": tr("libraries"),
    "stage": trc("of a run", "stage"),
    "result": tr("result"),
    "event": tr("event"),
    "interruption": tr("interruption"),
    "verdict": tr("verdict"),
    chain.SAMPLES: tr("samples"),
    chain.STORED: tr("samples"),
    chain.NEWEST: tr("newest samples"),
    "link": trc("hash chain", "link"),
}
"""What is linked, each kind in words."""


INTERRUPTION = "interruption"
"""Kind of the events that tell interruptions."""
Row = Mapping[str, Any]

_REMEMBERED = (chain.END, chain.STAGE, chain.RESULT)
"""Rows that change while a run goes on."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the process that records a run knows of it, whatever the file says meanwhile."""

    last: chain.LastLink | None = None
    head: bytes = b""
    """The running hash of the newest samples."""
    rows: Mapping[tuple[str, str], Row] = field(default_factory=lambda: MappingProxyType({}))
    """By kind and subject."""


def utc_now() -> str:
    """The time as stamps carry it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class LinkedStore(RunReader):
    """A connection that writes rows and their links."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self._memory: dict[int, _Memory] = {}
        """Of the runs that this process records."""
        self._has_new_end = False
        """Whether some run has begun or ended in this commit."""

    @contextmanager
    def one_commit(self) -> Iterator[None]:
        """What is written inside is committed together, or not at all; what was not is not remembered."""
        before, outermost = dict(self._memory), not self._db.conn.in_transaction
        try:
            with writing(self._db, self.path):
                yield
        except BaseException:
            self._memory = before
            raise
        if outermost and self._has_new_end:
            self._has_new_end = False
            with explained(self.path):
                keep_witness(self._db, self.path.parent)

    def check_chain(self, run_id: int) -> ChainCheck | None:
        """The whole record of a run held against its hash chain; None of a run that was recorded without one."""
        memory = self._memory.get(run_id)
        with explained(self.path), self._db.atomic():
            links = chain.read_links(self._db, run_id)
            end = memory.last if memory else None
            if not links and end is None:
                return None
            return check_chain(self._db, run_id, links, last=end, head=self._head(run_id))

    # -- what happened --------------------------------------------------------------------------------------------

    def add_event(
        self, run_id: int, time_s: float, level: EventLevel, kind: str, message: str, *, device_id: str | None = None
    ) -> None:
        """Records what happened, at once."""
        row = {"time_s": time_s, "device_id": device_id, "level": level, "kind": kind, "message": message}
        self._add_event(run_id, row)

    def _add_event(self, run_id: int, row: Row) -> None:
        with self.one_commit():
            self._add_row(run_id, chain.EVENT, in_english(self._db, run_id, {**row, "at": utc_now()}))

    def add_interruption(
        self,
        run_id: int,
        kind: InterruptionKind,
        time_s: float,
        message: str,
        *,
        lasted_s: float | None = None,
        stage: int | None = None,
    ) -> None:
        """Keeps for good what interrupted a run, and tells it as an event."""
        outcome = kind.outcome
        level = {Outcome.PASS: EventLevel.INFO, Outcome.FAIL: EventLevel.ERROR}.get(outcome, EventLevel.WARN)
        with self.one_commit():
            row = {"kind": kind, "time_s": time_s, "at": utc_now(), "lasted_s": lasted_s, "stage": stage}
            self._add_row(run_id, chain.INTERRUPTION, row | {"message": english(message)})
            self.add_event(run_id, time_s, level, INTERRUPTION, message)

    # -- rows and their links -------------------------------------------------------------------------------------

    def _link(self, run_id: int, kind: str, subject: str, content: tuple[bytes, bytes]) -> None:
        memory = self._memory.get(run_id)
        last = memory.last if memory else chain.last_link(self._db, run_id)
        last = chain.add_link(self._db, run_id, last, kind, subject, content)
        if memory:
            self._memory[run_id] = replace(memory, last=last)

    def _link_row(self, run_id: int, linked_rows: chain.LinkedRows, row: Row, subject: str = "") -> None:
        self._link(run_id, linked_rows.kind, subject, chain.row_digest(linked_rows.stored(row)))
        memory = self._memory.get(run_id)
        if memory and linked_rows in _REMEMBERED:
            self._memory[run_id] = replace(memory, rows={**memory.rows, (linked_rows.kind, subject): dict(row)})

    def _row(self, run_id: int, linked_rows: chain.LinkedRows, subject: str = "") -> Row | None:
        """As this process has written it; of a run that another one records, as it stands in the file."""
        if run_id in self._memory:
            return self._memory[run_id].rows.get((linked_rows.kind, subject))
        in_file = next(linked_rows.rows(self._db, run_id, subject), None)
        return None if in_file is None else linked_rows.named(in_file[1])

    def _put(self, table: str, row: Row) -> int:
        places = ", ".join("?" * len(row))
        sql = f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({places})"
        return int(self._db.execute(sql, tuple(row.values())).lastrowid or 0)

    def _add_row(self, run_id: int, linked_rows: chain.LinkedRows, row: Row, subject: str | None = None) -> None:
        """Writes a row and links it; without `subject` one that gets a number, which is its subject."""
        if linked_rows in _REMEMBERED and subject is not None:
            self._tell_if_edited(run_id, linked_rows, subject)
        number = self._put(linked_rows.table, {"run_id": run_id, **row})
        if subject is None:
            self._link_row(run_id, linked_rows, {"id": number, **row}, str(number))
        else:
            self._link_row(run_id, linked_rows, row, subject)

    def _change(self, run_id: int, linked_rows: chain.LinkedRows, subject: str, **changes: Any) -> None:
        """Changes some fields of a row, which is linked as it then is by what this process knows of it."""
        row = self._row(run_id, linked_rows, subject)
        if row is None:
            return
        self._tell_if_edited(run_id, linked_rows, subject)
        self._db.execute(
            f"UPDATE {linked_rows.table} SET {', '.join(f'{name} = ?' for name in changes)}"
            f" WHERE {linked_rows.key} = ? AND CAST({linked_rows.subject} AS TEXT) = ?",
            (*changes.values(), run_id, subject),
        )
        self._link_row(run_id, linked_rows, {**row, **changes}, subject)

    def _tell_if_edited(self, run_id: int, linked_rows: chain.LinkedRows, subject: str) -> None:
        """Before this process writes over a row: whatever somebody else has put there must not pass unseen."""
        if run_id not in self._memory:
            return
        row, in_file = self._row(run_id, linked_rows, subject), next(linked_rows.rows(self._db, run_id, subject), None)
        if row is None or in_file is None:
            edited = row is not None or in_file is not None
        else:
            edited = not fits(linked_rows, in_file[1], chain.row_digest(linked_rows.stored(row))[0])
        if edited:
            self._tell_changed(run_id, [linked_rows.kind])

    def _change_end(self, run_id: int, **changes: Any) -> None:
        """Status and end of a run: how far it has come becomes part of the chain, and the installation's newest."""
        self._change(run_id, chain.END, "", **changes)
        self._has_new_end = True

    # -- memory ---------------------------------------------------------------------------------------------------

    def _begin(self, run_id: int) -> None:
        """From now on this process records the run, which is new."""
        self._memory[run_id] = _Memory()

    def _take_over(self, run_id: int, titles: Iterable[str]) -> None:
        """From now on this process records the run: it knows what the record says, which was checked before."""
        rows = {
            (linked_rows.kind, subject): linked_rows.named(fields)
            for linked_rows in _REMEMBERED
            for subject, fields in linked_rows.rows(self._db, run_id)
        }
        self._link_what_was_not(run_id, titles)
        self._memory[run_id] = _Memory(chain.last_link(self._db, run_id), b"", rows)

    def _link_what_was_not(self, run_id: int, titles: Iterable[str] = ()) -> None:
        """Links the stages of a run that an older program began: it did so only when they had ended.

        Titles are those of the profile where they are known: they were in no link until then.
        """
        if run_id in self._memory or next(chain.ORIGIN.rows(self._db, run_id), None) is not None:
            return
        planned = dict(enumerate(titles))
        for subject, fields in chain.STAGE.rows(self._db, run_id):
            row = chain.STAGE.named(fields)
            self._link_row(run_id, chain.STAGE, row | {"title": planned.get(row["number"], row["title"])}, subject)

    def _let_go(self, run_id: int) -> None:
        self._memory.pop(run_id, None)

    # -- samples --------------------------------------------------------------------------------------------------

    def _head(self, run_id: int) -> bytes:
        """The running hash of the newest samples, as this process or the last runner of the run left it."""
        return self._memory[run_id].head if run_id in self._memory else super()._head(run_id)

    def _keep_head(self, run_id: int, head: bytes) -> None:
        if memory := self._memory.get(run_id):
            self._memory[run_id] = replace(memory, head=head)

    def _fold(self, run_id: int, recorded: bytes) -> bool:
        """Moves the newest samples into chunks and links them. Where they are not those with the hash `recorded`, that
        is told, as `note_changes` does: from here on the chain knows them as they are."""
        changed = newest_head(self._db, run_id) != recorded and chain.last_link(self._db, run_id) is not None
        for device_id, content in fold(self._db, run_id):
            self._link(run_id, chain.SAMPLES, device_id, content)
        self._db.execute("UPDATE beats SET head = x'' WHERE run_id = ?", (run_id,))
        self._keep_head(run_id, b"")
        return changed and self._tell_changed(run_id, [chain.NEWEST])

    def _link_stored(self, run_id: int) -> None:
        """The chunks of each device as they lie in the file at the end of a run."""
        for (device_id,) in self._of(run_id, "devices", "device_id", "device_id"):
            self._link(run_id, chain.STORED, device_id, (stored_digest(self._db, (run_id, device_id)), b""))

    # -- what was changed -----------------------------------------------------------------------------------------

    def note_changes(self, run_id: int) -> bool:
        """Tells for good what of the record was changed since it was written; whether that was not told before.

        What is told is an interruption, so that a verdict speaks of it, and whatever is sealed after it.
        """
        with self.one_commit():
            changed = self._fold(run_id, self._head(run_id))
            checked = self.check_chain(run_id)
            kinds = [change.kind for change in checked.changes] if checked else []
            return self._tell_changed(run_id, kinds) or changed

    def _tell_changed(self, run_id: int, kinds: Iterable[str]) -> bool:
        what = sorted({_KIND_WORDS[kind] for kind in kinds})
        if not what:
            return False
        text = tr(
            "The recording ({what}) was changed in the file after it was written, during the run.",
            what=joined(what, ", "),
        )
        earlier = self._of(run_id, "interruptions", "kind, message")
        if (InterruptionKind.CHANGED.value, english(text)) in earlier:
            return False
        self.add_interruption(run_id, InterruptionKind.CHANGED, self.last_time_s(run_id), text)
        return True
