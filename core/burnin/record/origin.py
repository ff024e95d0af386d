"""What a run came from: the rules and the program that judge it, the run before it, and what its processes loaded; and
runs that are not here any more: numbers are never given again, and each run names the one before it.

A file beside the key is a second witness of the newest run, for a recording that was put back to an earlier state. It
is written after what it tells of, so that it can be late by one step and is never ahead.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from core.burnin.profile.profile import Profile, profile_digest
from core.burnin.record.chain import last_link
from core.loads.evidence import read
from core.platform.database import Database
from core.platform.libraries import Library, Package
from core.platform.whole_file import write_whole
from core.words import joined, tr

VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH")
"""What decides which libraries and modules the processes of a run load, beside the system's own settings."""

MOST = 20
"""Libraries, and packages, of one process that are kept."""
LONGEST = 1000
"""Letters of a path."""

_Value = TypeVar("_Value", Library, Package)


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest run of an installation, whether it is still here or not."""

    run_id: int
    digest: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Of one run, as its runner knew it before the first stage."""

    profile_digest: str = ""
    """Hexadecimal SHA-256 of all that the profile says."""
    program: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Those of `VARIABLES` that were set."""
    follows: int | None = None
    """Number of the newest run of the installation before it; None of the first."""
    follows_digest: str = ""
    """The last link of that run then, hexadecimal; "" of one without a chain."""

    @classmethod
    def now(cls, profile: Profile, program: str, follows: Newest | None) -> Origin:
        """Of a run that this process begins."""
        environment = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
        before = (follows.run_id, follows.digest) if follows else (None, "")
        return cls(profile_digest(profile), program, environment, *before)

    def as_json(self) -> str:
        """As it is recorded."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Origin:
        """As it was recorded."""
        return read(cls, json.loads(text))


@dataclass(frozen=True, slots=True)
class LoadedLibraries:
    """What one process of a run loaded to measure or to compute by."""

    role: str
    """"sampler" or "worker"."""
    device_id: str
    """Of a worker."""
    libraries: tuple[Library, ...]
    packages: tuple[Package, ...]

    @classmethod
    def from_message(cls, role: str, device_id: str, message: Mapping[str, Any]) -> LoadedLibraries:
        """As the process reported it. Whatever it says is held to its types and cut to a length."""
        return cls(
            role,
            device_id,
            tuple(_bounded(read(Library, one)) for one in _entries(message, "libraries")),
            tuple(_bounded(read(Package, one)) for one in _entries(message, "packages")),
        )

    def as_json(self) -> str:
        """What is recorded of it beside role and device."""
        return json.dumps(
            {"libraries": [asdict(one) for one in self.libraries], "packages": [asdict(one) for one in self.packages]},
            sort_keys=True,
        )

    @classmethod
    def from_json(cls, role: str, device_id: str, text: str) -> LoadedLibraries:
        """As it was recorded."""
        return cls.from_message(role, device_id, json.loads(text))


def _entries(message: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    entries = message.get(name)
    return [one for one in entries if isinstance(one, dict)][:MOST] if isinstance(entries, list) else []


def _bounded(value: _Value) -> _Value:
    return replace(value, **{one.name: getattr(value, one.name)[:LONGEST] for one in fields(value)})


WITNESS = "newest-run.json"
MOST_BYTES = 10_000
"""Of that file."""
MAX_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """What is left of a run that its user deleted. Times are UTC in ISO 8601."""

    run_id: int
    started_at: str
    deleted_at: str
    digest: str
    """The last link of its chain, hexadecimal; "" where it had none."""


@dataclass(frozen=True, slots=True)
class Predecessor:
    """A run that was named by a later one, and is not here as it was then."""

    run_id: int
    digest: str
    named_by: int | None
    """The run that followed it; None where the file beside the key names it."""
    here: bool
    """Whether there is a run of this number, which is another one then or an earlier state of it."""


_SHORT_DIGEST = 16
"""Letters of a digest that are shown of a deleted run; JSON has all of it."""


def absence_sentence(one: Predecessor) -> str:
    """Of a run that a later one names, and that is not here as it was then."""
    digest = one.digest or tr("unknown")
    text = tr("Run {run} with digest {digest} was recorded here.", run=one.run_id, digest=digest)
    if one.named_by is not None:
        fields = {"later": one.named_by, "run": one.run_id, "digest": digest}
        text = tr("Run {later} followed run {run} with digest {digest}.", **fields)
    if one.here:
        return joined([text, tr("Run {run} is different here.", run=one.run_id)])
    return joined([text, tr("Run {run} is missing here.", run=one.run_id)])


def deletion_words(deleted: DeletedRun) -> str:
    """When a run was deleted, and the beginning of its digest."""
    fields = {"time": deleted.deleted_at[:19], "digest": deleted.digest[:_SHORT_DIGEST] or "-"}
    return tr("deleted {time} UTC; digest {digest}", **fields)


def newest_run(db: Database) -> Newest | None:
    """Of those that are in the file or were deleted from it; within a transaction of the caller."""
    row = db.execute("SELECT max(id) FROM runs").fetchone()
    gone = db.execute("SELECT run_id, digest FROM deleted_runs ORDER BY run_id DESC LIMIT 1").fetchone()
    if gone is not None and (row[0] is None or gone[0] > row[0]):
        return Newest(*gone)
    return None if row[0] is None else Newest(row[0], _digest(db, row[0]))


def next_run(db: Database, witness: Newest | None) -> tuple[int, Newest | None]:
    """The number of a new run, and the run that it follows; within a transaction of the caller that writes.

    Higher than any that was ever given, as far as file and witness know.
    """
    newest = newest_run(db)
    if witness is not None and (newest is None or witness.run_id >= newest.run_id) and not _matches(db, witness):
        newest = witness
    (newest_number,) = db.execute("SELECT max(newest) FROM numbers").fetchone()
    number = max(newest_number or 0, newest.run_id if newest else 0) + 1
    if not newest_number:  # a file that has just been made begins where another one ended
        db.execute("UPDATE numbers SET counted_after = ?", (number - 1,))
    db.execute("UPDATE numbers SET newest = ?", (number,))
    return number, newest


def unmatched(db: Database, witness: Newest | None) -> list[Predecessor]:
    """What runs and witness name as the run before, and is not here so, and other numbers that were given.

    Within a transaction of the caller.
    """
    named = [
        Predecessor(newest.run_id, newest.digest, named_by, _is_here(db, newest.run_id))
        for named_by, newest in _named(db, witness)
        if not _matches(db, newest)
    ]
    return named + [Predecessor(run_id, "", None, here=False) for run_id in _gaps(db, {one.run_id for one in named})]


def keep_deleted(db: Database, run_id: int, deleted_at: str) -> None:
    """What is left of a run that is about to be deleted; within a transaction of the caller."""
    db.execute(
        "INSERT OR REPLACE INTO deleted_runs SELECT id, started_at, ?, ? FROM runs WHERE id = ?",
        (deleted_at, _digest(db, run_id), run_id),
    )


def keep_witness(db: Database, data_dir: Path) -> None:
    """Tells the file beside the key which run is the newest. A disk that refuses costs no run: the recording has it."""
    newest = newest_run(db)
    if newest is not None:
        with suppress(OSError):
            content = json.dumps({"run": newest.run_id, "digest": newest.digest}).encode()
            write_whole(data_dir / WITNESS, content, mode=0o600)


def read_witness(data_dir: Path) -> Newest | None:
    """What the file beside the key says; None where there is none that can be read."""
    try:
        with (data_dir / WITNESS).open("rb") as stream:
            witness = json.loads(stream.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    match witness:
        case {"run": int(run_id), "digest": str(digest)} if 0 < run_id < MAX_NUMBER:
            return Newest(run_id, digest)
    return None


def _named(db: Database, witness: Newest | None) -> Iterator[tuple[int | None, Newest]]:
    for run_id, text in db.execute("SELECT run_id, told FROM origins ORDER BY run_id DESC").fetchall():
        with suppress(ValueError, RecursionError, TypeError, AttributeError):  # one that is damaged names none
            origin = Origin.from_json(text)
            if origin.follows is not None:
                yield run_id, Newest(origin.follows, origin.follows_digest)
    if witness is not None:
        yield None, witness


def _gaps(db: Database, named: set[int]) -> list[int]:
    """Numbers that were given since they are counted, and are neither here nor deleted nor named."""
    rows = db.execute("SELECT newest, counted_after FROM numbers").fetchall()
    listed = db.execute("SELECT id FROM runs UNION SELECT run_id FROM deleted_runs").fetchall()
    accounted = named | {run_id for (run_id,) in listed}
    return [number for newest, after in rows for number in range(newest, after, -1) if number not in accounted]


def _matches(db: Database, newest: Newest) -> bool:
    """Whether the run has come by this link; one that was deleted since may have gone on after it."""
    if db.execute("SELECT 1 FROM deleted_runs WHERE run_id = ?", (newest.run_id,)).fetchone():
        return True
    if not newest.digest:
        return _is_here(db, newest.run_id)
    row = db.execute(
        "SELECT 1 FROM links WHERE run_id = ? AND lower(hex(link)) = ?", (newest.run_id, newest.digest)
    ).fetchone()
    return row is not None


def _is_here(db: Database, run_id: int) -> bool:
    return db.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone() is not None


def _digest(db: Database, run_id: int) -> str:
    last = last_link(db, run_id)
    return last[1].hex() if last else ""
