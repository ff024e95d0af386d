"""The tables of runs.sqlite and their migrations."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("runs")

_FIRST_METRICS = """temperature_c memory_temperature_c margin_c power_w power_limit_w clock_mhz memory_clock_mhz
    utilisation_pct memory_used_mb fan_pct fan_rpm throttle_mask pcie_generation pcie_lanes throughput_tflops
    tokens_per_s loss checks errors"""
_COUNTERS_AND_HOST = """power_instant_w power_peak_w energy_j graphics_clock_mhz video_clock_mhz performance_state
    memory_utilisation_pct throttle_power_cap_s throttle_sw_thermal_s throttle_hw_thermal_s throttle_power_brake_s
    throttle_sync_boost_s throttle_board_limit_s throttle_reliability_s throttle_count pcie_replays pcie_recoveries
    pcie_sent_gbps pcie_received_gbps aer_correctable aer_nonfatal aer_fatal ecc_corrected ecc_uncorrected
    sram_uncorrected sram_worn remapped_corrected remapped_uncorrected remap_pending remap_failed retired_corrected
    retired_uncorrected retire_pending nvlink_active nvlink_replays nvlink_recoveries nvlink_crc nvlink_sent_gbps
    nvlink_received_gbps recovery_action tensor_pct fp64_pct fp32_pct fp16_pct memory_bandwidth_pct load_average
    swap_used_mb disk_free_mb disk_read_gbps disk_written_gbps disk_temperature_c case_fan_rpm voltage_12v voltage_5v
    voltage_3v3 machine_power_w sampler_cpu_pct sampler_ms"""
"""Columns of samples as they were when their migration was written: a migration never changes."""


@migrations()
def m001_first_schema(db: Database) -> None:
    """Runs, their devices, stages, results, samples, events, requests and verdicts.

    A sample is one wide row per device and tick. Later metrics are added by later migrations.
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
def m003_counters_and_the_host(db: Database) -> None:
    """Cumulative counters, errors of links and memories, sensors of the host, and what measuring costs."""
    for name in _COUNTERS_AND_HOST.split():
        db.execute(f"ALTER TABLE samples ADD COLUMN {name} REAL")
