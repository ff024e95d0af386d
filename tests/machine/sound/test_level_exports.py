"""Exports of real meters and apps: the level over time is taken, and nothing else is ever taken for it.

`exports/SOURCES.md` says where each form comes from.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from core.burnin.measured.level_columns import Weighting, level_columns
from core.machine.tables.time_table import read_time_table

pytestmark = pytest.mark.usefixtures("universal_time")

EXPORTS = Path(__file__).parent / "exports"
A, UNSAID = Weighting.A, Weighting.UNSAID


@dataclass(frozen=True)
class Expected:
    """What is to be read."""

    likely: tuple[str, ...]
    weighting: Weighting = A
    levels: tuple[float, ...] = ()
    first: str | float | None = None
    """UTC, or seconds."""
    other: tuple[str, ...] = ()


EXPECTED = {
    "nti-xl2-broadband.txt": Expected(
        ("LAeq_dt [dB]", "LAeq [dB]", 'LAeq5" [dB]'), A, (94.0, 94.0, 93.9), "2026-02-06T10:13:13", ("LCeq_dt [dB]",)
    ),
    "nti-xl2-bands.txt": Expected((), first="2026-02-06T10:13:13"),
    "svantek-971-totals.csv": Expected(("LAeq (TH) [dB]",), A, (41.13, 41.66), "2026-03-02T16:15:00"),
    "svantek-971-unweighted.csv": Expected((), first="2026-03-02T16:15:00", other=("LZeq (TH) [dB]",)),
    "svantek-200a-records.csv": Expected(("LAF", "LAeq"), A, (42.7, 45.4), "2015-", ("LCF", "LCeq")),
    "noise-sentry.csv": Expected(("LEQ dB-A",), A, (44.9, 44.8), "2026-03-02T16:22:30"),
    "city-monitor.csv": Expected(("LEQ dB -A",), A, (44.085907, 44.285907), "2025-03-22T00:00:00"),
    "city-monitor-bands.csv": Expected((), first="2021-10-20T00:00:00"),
    "survey-logger.csv": Expected(("Leq A",), A, (64.9, 68.5), "2024-01-16T12:30:00"),
    "norsonic-145-profile.csv": Expected(
        ("LAeq [dB]",), A, (101.9, 102.1, 101.3), "2026-06-08T10:20:15.246", ("LCeq [dB]", "LZeq [dB]")
    ),
    "decibel-10th.csv": Expected(("Recorded values [dB]",), UNSAID, (53.7, 52.6, 55.9), "2017-01-03T10:50:16.920"),
    "neighbourhood-station.csv": Expected(("dBA",), A, (44.1, 44.4), "2018-02-01T18:03:20", ("dBC",)),
    "phone-analyser.csv": Expected(("LAeq",), A, (41.2, 41.3), 0.0, ("LCeq", "LZeq")),
    "lutron-sd-card.csv": Expected(("Value [dBA]",), A, (44.1, 44.1), "2026-11-28T18:03:20"),
    "card-logger-by-turns.csv": Expected(("Value",), A, (44.1, float("nan"), 44.3), "2026-11-28T18:03:20"),
    "climate-first.csv": Expected(("dBA",), A, (44.1, 44.3), "2026-11-28T18:03:20"),
    "phyphox-amplitude.csv": Expected(("Sound pressure level [dB]",), UNSAID, (44.1, 44.25), 0.0),
    "headed-block-german.txt": Expected(("Pegel [dB]",), A, (44.1, float("nan"), 44.3), "2026-11-28T18:03:20"),
    "weighted-c.csv": Expected((), first="2026-11-28T18:03:20", other=("Leq",)),
    "with-units-in-cells.tsv": Expected(("SPL [dBA]",), A, (44.1, 44.2), 65_000.0),
}

NEVER = """
temp_C; Temperature; Humidity [%RH]; Battery; LAFmax; LASmin [dB]; LCpeak; LA90; LAF10; Max dBA;
Min (dBA); Dose %; TWA; SEL; LAE; Lden; dBA Max; Speed [m/s]; L10 dB-A; 63 Hz; Overload""".replace("\n", " ").split(";")

A_WEIGHTED = """
dBA; dB(A); LAeq; LAF; LAS; LAeq,1s; LAeq,T=1s [dB]; LAeq 15min; L_Aeq; LpA; LAFp; sound_dba; Leq (dBA);
SPL dB A; Pegel dB(A); A-weighted level; noise_LAeq; LA [dB]; Leq A; level_dBA; LAI""".replace("\n", " ").split(";")


def test_every_export_has_an_expectation() -> None:
    files = {path.name for path in EXPORTS.iterdir()} - {"SOURCES.md"}
    assert files == EXPECTED.keys()
    sources = (EXPORTS / "SOURCES.md").read_text("utf-8")
    assert [name for name in files if name not in sources] == []


@pytest.mark.parametrize("name", EXPECTED)
def test_the_level_of_an_export_is_found(name: str) -> None:
    table = read_time_table(EXPORTS / name, near=datetime(2026, 11, 29))
    columns, expected = level_columns(table), EXPECTED[name]
    assert tuple(level.name for level in columns.likely) == expected.likely
    assert {level.name for level in columns.not_a_weighted} >= set(expected.other)
    assert {level.weighting for level in columns.likely} <= {expected.weighting}
    if expected.likely:
        read = columns.likely[0].column.numbers[: len(expected.levels)]
        assert np.allclose(read, expected.levels, equal_nan=True)
    first = float(table.times_s[0])
    assert table.dated == isinstance(expected.first, str)
    at = datetime.fromtimestamp(first, UTC).isoformat(timespec="milliseconds") if table.dated else first
    assert str(at).startswith(str(expected.first))


def test_a_bad_cell_is_reported_and_an_absent_one_is_not() -> None:
    table = read_time_table(EXPORTS / "headed-block-german.txt")
    assert [(row.line, row.text) for row in table.left_out] == [(11, "Störung")]


@pytest.mark.parametrize("heading", NEVER)
def test_what_is_no_level_over_time_is_never_taken_for_it(tmp_path: Path, heading: str) -> None:
    heading = heading.strip()
    (tmp_path / "a.csv").write_text(f"t,{heading}\n" + "".join(f"{s},44.1\n" for s in range(9)), "utf-8")
    columns = level_columns(read_time_table(tmp_path / "a.csv"))
    assert (columns.likely, columns.possible) == ((), ())


@pytest.mark.parametrize("heading", A_WEIGHTED)
def test_what_says_that_it_is_a_weighted_is(tmp_path: Path, heading: str) -> None:
    heading = heading.strip()
    rows = "".join(f"{s};44,1;52,0\n" for s in range(9))
    (tmp_path / "a.csv").write_text(f"t;{heading};LCeq\n{rows}", "utf-8")
    columns = level_columns(read_time_table(tmp_path / "a.csv"))
    assert [level.weighting for level in columns.likely] == [A]
    assert [level.name for level in columns.not_a_weighted] == ["LCeq"]


@pytest.mark.parametrize(
    "heading", ["LZeq", "LCF", "dBC", "dB(Z)", "dB(C)", "LZ [dB]", "dBFS", "unweighted level", "SPL C"]
)
def test_another_weighting_is_reported_and_not_taken(tmp_path: Path, heading: str) -> None:
    heading = heading.strip()
    (tmp_path / "a.csv").write_text(f"t,{heading}\n" + "".join(f"{s},44.1\n" for s in range(9)), "utf-8")
    columns = level_columns(read_time_table(tmp_path / "a.csv"))
    assert (columns.likely, len(columns.not_a_weighted)) == ((), 1)
