"""Tables over time of up to 20 MB are read in under 2 s and 300 MB: shown on a part of one, for that grows evenly."""

import tracemalloc
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.machine.tables.time_table import read_time_table
from tests.benchmarks.reference_work import steps

LARGEST_MB, MOST_MB = 20, 300
MEMORY_MB = 2
MOST_STEPS = 150
"""Byte codes a row and its time, beyond those of each cell: 20 MB of the shortest rows were read with them in 1.1 s of
a quiet machine."""
STEPS_A_CELL = 40
ROWS = (600, 1200)
START = datetime(2026, 11, 28, 18, 3, 20)
Row = Callable[[int, datetime], str]


def meter(number: int, at: datetime) -> str:
    return f"{at.isoformat(timespec='milliseconds')},{44 + number % 70 / 10}\n"


def german_logger(number: int, at: datetime) -> str:
    level = f"{44 + number % 70 / 10}".replace(".", ",")
    return f"{at:%d.%m.%Y};{at:%H:%M:%S},{number % 1000:03d};{level};23,5\n"


def cards(number: int, at: datetime) -> str:
    """As nvidia-smi writes them, a row a card."""
    name = f"NVIDIA GeForce RTX 4090, GPU-abcdef0{number % 4}"
    return (
        f"{at:%Y/%m/%d %H:%M:%S}.{number % 1000:03d}, {number % 4}, {name}, {number % 100} %, {300 + number % 99} W\n"
    )


def sensors(number: int, at: datetime) -> str:
    """Sixty sensors in a row."""
    return f"{at:%d.%m.%Y},{at:%H:%M:%S}," + ",".join(f"{number * one % 997 / 9:.3f}" for one in range(60)) + "\n"


TABLES: dict[str, tuple[str, Row]] = {
    "meter": ("time,dBA\n", meter),
    "german logger": ("Datum;Zeit;LAeq;T\n", german_logger),
    "cards": ("timestamp, index, name, uuid, utilization.gpu [%], power.draw [W]\n", cards),
    "sensors": ("Date,Time," + ",".join(f"Sensor {one} [W]" for one in range(60)) + "\n", sensors),
}


def write_table(path: Path, kind: str, rows: int) -> None:
    heading, row = TABLES[kind]
    step = timedelta(milliseconds=125)
    path.write_text(heading + "".join(row(number, START + number * step) for number in range(rows)), "utf-8")


@pytest.mark.parametrize("kind", TABLES)
def test_reading_a_table_takes_little_memory(tmp_path: Path, kind: str) -> None:
    rows = int(MEMORY_MB * 1e6 / len(TABLES[kind][1](10, START)))
    write_table(tmp_path / "a.csv", kind, rows)
    tracemalloc.start()
    try:
        read = read_time_table(tmp_path / "a.csv")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(read.times_s), read.left_out) == (rows, ())
    assert peak * LARGEST_MB / MEMORY_MB <= MOST_MB * 1e6


@pytest.mark.parametrize("kind", TABLES)
def test_reading_a_row_takes_few_steps(tmp_path: Path, kind: str) -> None:
    """What is done once a file is taken off: the same table twice as long."""
    cells = len(TABLES[kind][1](1, START).replace(";", ",").split(","))
    counts = []
    for rows in ROWS:
        write_table(tmp_path / "a.csv", kind, rows)
        counts.append(steps(lambda: read_time_table(tmp_path / "a.csv")))
    assert (counts[1] - counts[0]) / (ROWS[1] - ROWS[0]) <= MOST_STEPS + STEPS_A_CELL * cells
