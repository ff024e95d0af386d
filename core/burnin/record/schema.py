"""The tables of runs.sqlite and their migrations."""

from __future__ import annotations

import json
import re

from core.burnin.record.sample_table import fold_rows
from core.platform.database import Database, Migrations

migrations = Migrations("runs")

_FIRST_METRICS = """temperature_c memory_temperature_c margin_c power_w power_limit_w clock_mhz memory_clock_mhz
    utilisation_pct memory_used_mb fan_pct fan_rpm throttle_mask pcie_generation pcie_lanes throughput_tflops
    tokens_per_s loss checks errors"""
"""Columns of samples as they were when their migration was written: a migration never changes."""


@migrations()
def m001_first_schema(db: Database) -> None:
    """Runs, their devices, stages, results, samples, events, requests and verdicts.

    A sample is one wide row per device and tick.
    """
    metrics = ",\n".join(f"{name} REAL" for name in _FIRST_METRICS.split())
    for statement in (
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, profile TEXT NOT NULL,
            build TEXT, started_at TEXT NOT NULL, ended_at TEXT, boot_id TEXT NOT NULL, runner_pid INTEGER,
            machine TEXT NOT NULL, simulated INTEGER NOT NULL, version TEXT NOT NULL, note TEXT NOT NULL DEFAULT ''
        ) STRICT""",
        """CREATE TABLE devices (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, device_id TEXT NOT NULL,
            position INTEGER NOT NULL, burned INTEGER NOT NULL, info TEXT NOT NULL,
            PRIMARY KEY (run_id, device_id)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE stages (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, number INTEGER NOT NULL,
            kind TEXT NOT NULL, title TEXT NOT NULL, seconds REAL NOT NULL, status TEXT NOT NULL,
            fraction REAL NOT NULL DEFAULT 0, started_s REAL, ended_s REAL, boot_id TEXT,
            PRIMARY KEY (run_id, number)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE results (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, number INTEGER NOT NULL,
            device_id TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, evidence TEXT NOT NULL,
            PRIMARY KEY (run_id, number, device_id)
        ) STRICT, WITHOUT ROWID""",
        f"""CREATE TABLE samples (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, device_id TEXT NOT NULL, time_s REAL NOT NULL,
            {metrics},
            PRIMARY KEY (run_id, device_id, time_s)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE events (
            id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
            time_s REAL NOT NULL, at TEXT NOT NULL, device_id TEXT, level TEXT NOT NULL, kind TEXT NOT NULL,
            message TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX events_by_run ON events (run_id, id)",
        """CREATE TABLE requests (
            id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
            kind TEXT NOT NULL, argument TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, answered_at TEXT, answer TEXT
        ) STRICT""",
        """CREATE TABLE verdicts (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, device_id TEXT NOT NULL,
            outcome TEXT NOT NULL, reasons TEXT NOT NULL,
            PRIMARY KEY (run_id, device_id)
        ) STRICT, WITHOUT ROWID""",
    ):
        db.execute(statement)


@migrations()
def m002_why_a_run_was_cut_short(db: Database) -> None:
    """A runner that gives up, for instance on a full disk, says why."""
    db.execute("ALTER TABLE runs ADD COLUMN cut_short TEXT")


@migrations()
def m003_samples_in_chunks(db: Database) -> None:
    """Any metric without a column of its own: rows hold JSON, and are folded into a chunk for each metric.

    What was recorded before is folded.
    """
    db.execute("ALTER TABLE samples RENAME TO wide_samples")
    db.execute(
        """CREATE TABLE samples (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, device_id TEXT NOT NULL, time_s REAL NOT NULL,
            metrics TEXT NOT NULL,
            PRIMARY KEY (run_id, device_id, time_s)
        ) STRICT, WITHOUT ROWID"""
    )
    db.execute(
        """CREATE TABLE chunks (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, device_id TEXT NOT NULL, metric TEXT NOT NULL,
            first_s REAL NOT NULL, last_s REAL NOT NULL, length INTEGER NOT NULL, data BLOB NOT NULL,
            PRIMARY KEY (run_id, device_id, metric, first_s)
        ) STRICT, WITHOUT ROWID"""
    )
    names = _FIRST_METRICS.split()
    for key in db.execute("SELECT DISTINCT run_id, device_id FROM wide_samples").fetchall():
        rows = db.execute(
            f"SELECT time_s, {', '.join(names)} FROM wide_samples WHERE run_id = ? AND device_id = ? ORDER BY time_s",
            key,
        ).fetchall()
        fold_rows(db, key, [(row[0], dict(zip(names, row[1:], strict=True))) for row in rows])
    db.execute("DROP TABLE wide_samples")


@migrations()
def m004_interruptions(db: Database) -> None:
    """What interrupted a run stays on record, and so do the processes of its runner and the signs of their life.

    `beats.monotonic_s` is the machine's monotonic clock: only a viewer of the same boot can tell the silence from it.
    """
    db.execute("ALTER TABLE runs ADD COLUMN simulate TEXT")
    db.execute(
        """CREATE TABLE interruptions (
            id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, kind TEXT NOT NULL,
            time_s REAL NOT NULL, at TEXT NOT NULL, lasted_s REAL, stage INTEGER, message TEXT NOT NULL
        ) STRICT"""
    )
    db.execute("CREATE INDEX interruptions_by_run ON interruptions (run_id, id)")
    db.execute(
        """CREATE TABLE processes (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, pid INTEGER NOT NULL, started TEXT NOT NULL,
            role TEXT NOT NULL,
            PRIMARY KEY (run_id, pid, started)
        ) STRICT, WITHOUT ROWID"""
    )
    db.execute(
        """CREATE TABLE beats (
            run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, monotonic_s REAL NOT NULL
        ) STRICT"""
    )


@migrations()
def m005_incidents(db: Database) -> None:
    """What driver and kernel told is kept in fields beside the sentence, as the sampler reported it.

    Of what was recorded before, the fields are read out of the sentences, here alone and for the last time.
    """
    db.execute("ALTER TABLE events ADD COLUMN incident TEXT")
    rows = db.execute("SELECT id, device_id, level, kind, message FROM events WHERE kind IN ('xid', 'aer', 'mce')")
    for event_id, device_id, level, kind, message in rows.fetchall():
        fields = _told_in(kind, level, message)
        if fields is not None:
            incident = {"type": kind, **fields, **({"device": device_id} if device_id else {})}
            db.execute("UPDATE events SET incident = ? WHERE id = ?", (json.dumps(incident), event_id))


@migrations()
def m006_as_built(db: Database) -> None:
    """The machine as it was found before the run, beside its plan."""
    db.execute(
        """CREATE TABLE as_built (
            run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, told TEXT NOT NULL
        ) STRICT"""
    )


@migrations()
def m007_seal(db: Database) -> None:
    """The hash chain of a run (core.burnin.record.chain), its seal, and what the user told about it.

    A run that was recorded before has no chain, and so never gets a seal.
    """
    db.execute("ALTER TABLE beats ADD COLUMN head BLOB")
    db.execute(
        """CREATE TABLE links (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, number INTEGER NOT NULL, kind TEXT NOT NULL,
            subject TEXT NOT NULL, digest BLOB NOT NULL, detail BLOB NOT NULL, link BLOB NOT NULL,
            PRIMARY KEY (run_id, number)
        ) STRICT, WITHOUT ROWID"""
    )
    db.execute(
        """CREATE TABLE seals (
            run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, seal TEXT NOT NULL
        ) STRICT"""
    )
    db.execute(
        """CREATE TABLE facts (
            id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, at TEXT NOT NULL,
            name TEXT NOT NULL, value TEXT NOT NULL
        ) STRICT"""
    )
    db.execute("CREATE INDEX facts_by_run ON facts (run_id, id)")


@migrations()
def m008_sentences(db: Database) -> None:
    """Beside each recorded sentence the message that it was made of (core.burnin.record.sentences).

    A run that was recorded before has none, and is read in English.
    """
    db.execute(
        """CREATE TABLE sentences (
            run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, text TEXT NOT NULL, message TEXT NOT NULL,
            PRIMARY KEY (run_id, text)
        ) STRICT, WITHOUT ROWID"""
    )


@migrations()
def m009_origin(db: Database) -> None:
    """What a run came from and by which libraries it was measured; numbers that are never given again, and what is left
    of a run that was deleted.

    A run that was recorded before has no origin, which tells how its stages were linked.
    """
    db.execute(
        """CREATE TABLE origins (
            run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, told TEXT NOT NULL
        ) STRICT"""
    )
    db.execute(
        """CREATE TABLE libraries (
            id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, time_s REAL NOT NULL,
            role TEXT NOT NULL, device_id TEXT NOT NULL, told TEXT NOT NULL
        ) STRICT"""
    )
    db.execute("CREATE INDEX libraries_by_run ON libraries (run_id, id)")
    db.execute(
        """CREATE TABLE deleted_runs (
            run_id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, deleted_at TEXT NOT NULL, digest TEXT NOT NULL
        ) STRICT"""
    )
    db.execute("CREATE TABLE numbers (newest INTEGER NOT NULL, counted_after INTEGER NOT NULL) STRICT")
    db.execute("INSERT INTO numbers SELECT coalesce(max(id), 0), coalesce(max(id), 0) FROM runs")


@migrations()
def m010_fleet_ids(db: Database) -> None:
    """The name by which a fleet ordered a run: ordered twice, it is started once."""
    db.execute(
        """CREATE TABLE fleet_ids (
            fleet_id TEXT PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID"""
    )


def _told_in(kind: str, level: str, message: str) -> dict[str, str | int] | None:
    """As these events were worded up to version 0.1."""
    if kind == "xid":
        number = re.search(r"\bXid\b[^:]*?(\d{1,9})", message)
        return {"xid": int(number[1]), "text": message} if number else None
    if kind == "aer":
        weight = {"severity": "correctable"} if level == "warn" else {}
        return {**weight, "text": message.removeprefix("PCIe error: ")}
    weight = {"severity": "fatal" if level == "error" else "correctable"}
    return {**weight, "text": message.removeprefix("Machine check: ")}
