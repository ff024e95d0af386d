"""The tables of runs.sqlite and their migrations."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from core.telemetry.metrics import NAMES

migrations = Migrations("runs")


@migrations()
def m001_first_schema(db: Database) -> None:
    """Runs, their devices, stages, results, samples, events, requests and verdicts.

    A sample is one wide row per device and tick. Later metrics are added by later migrations.
    """
    metrics = ",\n".join(f"{name} REAL" for name in NAMES)
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
