"""Tables over time are read as instruments write them: what is around their rows, their dates, marks and gaps."""

from datetime import datetime
from pathlib import Path

import pytest

from core.machine.tables.time_table import TimeTable, read_time_table
from core.platform.errors import BadInput

pytestmark = pytest.mark.usefixtures("universal_time")

AT = 1_795_888_800.0 + 200
"""2026-11-28T18:03:20+00:00."""


def table(folder: Path, text: str, encoding: str = "utf-8", *, interval_s: float | None = None) -> TimeTable:
    path = folder / "a.csv"
    path.write_bytes(text.encode(encoding))
    return read_time_table(path, near=datetime(2026, 11, 29), interval_s=interval_s)


@pytest.mark.parametrize(
    "rows",
    [
        "time,dBA\n2026-11-28T18:03:20,44.1\n2026-11-28T18:03:21.5,44.2\n",
        "time,dBA\n2026-11-28T18:03:20Z,44.1\n2026-11-28T19:03:21.5+01:00,44.2\n",
        "2026-11-28 18:03:20;44,1\n2026-11-28 18:03:21,500;44,2\n",
        "Datum\tZeit\tLAeq\n28.11.2026\t18:03:20\t44,1\n28.11.2026\t18:03:21,5\t44,2\n",
        "Date,Time,dBA\n11/28/2026,6:03:20 PM,44.1\n11/28/2026,6:03:21.5 PM,44.2\n",
        "Date,Time,AM/PM,dBA\n11/28/2026,6:03:20,PM,44.1\n11/28/2026,6:03:21.5,PM,44.2\n",
        "2026-11-28 18:03:20 44.1\n2026-11-28 18:03:21.5  44.2\n",
        "Date,Time,dBA\n28/11/26,18:03:20,44.1\n28/11/26,18:03:21.5,44.2\n",
        "No.,Time,dBA\n1,28-Nov-2026 18:03:20,44.1\n2,28-Nov-2026 18:03:21.5,44.2\n",
        'When,dBA\n"Nov 28, 2026 6:03:20 PM",44.1\n"Nov 28, 2026 6:03:21.5 PM",44.2\n',
        "stamp|dBA\nSat Nov 28 18:03:20 2026|44.1\nSat Nov 28 18:03:21.5 2026|44.2\n",
        "18:03:20 28/11/2026,44.1\n18:03:21.5 28/11/2026,44.2\n",
        f"ts,dBA\n{AT:.0f},44.1\n{AT + 1.5},44.2\n",
        f"ts,dBA\n{AT * 1000:.0f},44.1\n{AT * 1000 + 1500:.0f},44.2\n",
        "Meter: X\nDate: 2026-11-28\n\nTime,dBA\n18:03:20,44.1\n18:03:21.5,44.2\n",
        "Start Time: 28.11.2026 18:03:20\nElapsed;dBA\n00:00:00;44,1\n00:00:01,5;44,2\n",
        "Start Date;28.11.2026\nStart Time;18:03:20\nt [ms];dBA\n0;44,1\n1500;44,2\n",
        "Start: 2026-11-28 18:03:20\nSampling interval: 1.5 s\nNo.,dBA\n1,44.1\n2,44.2\n",
    ],
)
def test_a_time_is_read_in_every_form_and_encoding(tmp_path: Path, rows: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"):
        read = table(tmp_path, rows, encoding)
        assert read.dated and not read.of_day and not read.left_out, encoding
        assert read.times_s.tolist() == pytest.approx([AT, AT + 1.5], abs=0.01), encoding
        assert read.columns[-1].numbers.tolist() == [44.1, 44.2], encoding
        assert read.columns[-1].texts == (), encoding


def test_a_line_end_of_any_system_ends_a_line(tmp_path: Path) -> None:
    for end in ("\r\n", "\r", "\n"):
        assert table(tmp_path, f"t,dBA{end}0,44.1{end}1,44.2{end}").columns[0].numbers.tolist() == [44.1, 44.2]


def test_the_heading_is_above_the_rows_whatever_stands_before(tmp_path: Path) -> None:
    read = table(
        tmp_path,
        "sep=;\nXL2 Sound Level Logging\nSerial number: 1234\nRange;20 - 120 dB;\n\n"
        "Date;Time;LAeq;T;Remark\n[YYYY-MM-DD];[hh:mm:ss];[dB];°C;\n"
        "2026-11-28;18:03:20;44.1;23;door\n2026-11-28;18:03:21;---;23;\n2026-11-28;18:03:22;44.3;23;\n",
    )
    assert dict(read.header) == {"Serial number": "1234", "Range": "20 - 120 dB"}
    assert [(column.name, column.unit) for column in read.columns] == [("LAeq", "dB"), ("T", "°C"), ("Remark", "")]
    assert str(read.columns[0].numbers.tolist()) == "[44.1, nan, 44.3]"
    assert read.columns[2].texts == ("door", "", "")
    assert read.lines.tolist() == [8, 9, 10]
    assert not read.left_out


@pytest.mark.parametrize(
    ("heading", "name", "unit"),
    [
        ("LAeq [dB]", "LAeq", "dB"), ("dB(A)", "dB(A)", ""), ("LAeq dB(A)", "LAeq dB(A)", ""),
        ("Level (dBA)", "Level", "dBA"), ("Level (dB(A))", "Level", "dB(A)"), ("power.draw [W]", "power.draw", "W"),
    ],
)  # fmt: skip
def test_a_heading_says_its_unit_in_brackets(tmp_path: Path, heading: str, name: str, unit: str) -> None:
    column = table(tmp_path, f"t,{heading}\n0,44.1\n1,44.2\n").columns[0]
    assert (column.name, column.unit) == (name, unit)


def test_a_cell_may_carry_its_unit(tmp_path: Path) -> None:
    """As nvidia-smi writes them, one row a card."""
    read = table(
        tmp_path,
        "timestamp, index, name, utilization.gpu [%], power.draw [W], fan\n"
        "2026/11/28 18:03:20.000, 0, NVIDIA A, 65 %, 300.12 W, [N/A]\n"
        "2026/11/28 18:03:20.001, 1, NVIDIA A, [N/A], 299.90 W, 30 %\n",
    )
    index, name, busy, power, _ = read.columns
    assert [(column.name, column.unit) for column in (index, name, busy, power)] == [
        ("index", ""), ("name", ""), ("utilization.gpu", "%"), ("power.draw", "W"),
    ]  # fmt: skip
    assert index.numbers.tolist() == [0, 1] and name.texts == ("NVIDIA A", "NVIDIA A")
    assert power.numbers.tolist() == [300.12, 299.9]
    assert read.times_s.tolist() == pytest.approx([AT, AT + 0.001], abs=1e-4)


def test_a_column_of_units_says_those_of_the_column_before(tmp_path: Path) -> None:
    read = table(tmp_path, "No.,Date,Time,Value,Unit\n1,2026/11/28,18:03:20,44.1,dBA\n2,2026/11/28,18:03:21,44.1,dBA\n")
    assert [(column.name, column.unit) for column in read.columns] == [("No.", ""), ("Value", "dBA")]


def test_a_cell_in_another_unit_of_the_same_kind_is_converted(tmp_path: Path) -> None:
    read = table(tmp_path, "t,power,size,other\n0,900 W,1 MiB,3 W\n1,1.2 kW,2 GiB,4 W\n2,950 W,3 MiB,5 V\n")
    power, size, mixed = read.columns
    assert [*power.numbers] == [900, 1200, 950]
    assert [*size.numbers] == [1, 2048, 3]
    assert str(mixed.numbers.tolist()) == "[3.0, 4.0, nan]"


def test_a_comma_that_parts_cells_parts_thousands_within_one(tmp_path: Path) -> None:
    assert [*table(tmp_path, 't,W\n0,"1,401"\n1,"1,402"\n').columns[0].numbers] == [1401, 1402]
    assert [*table(tmp_path, 't,W\n0,950\n1,"12,050"\n').columns[0].numbers] == [950, 12050]
    assert [*table(tmp_path, 't,W\n0,"45,123"\n1,"45,124"\n').columns[0].numbers] == [45.123, 45.124]
    assert [*table(tmp_path, "t;W\n0;1,401\n1;1,402\n").columns[0].numbers] == [1.401, 1.402]
    assert [*table(tmp_path, 't,W\n0,"401,5"\n1,"402,5"\n').columns[0].numbers] == [401.5, 402.5]


def test_large_figures_beside_the_time_are_no_times(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("time,clock [Hz]\n2026-03-01 10:00:00,1700000000\n2026-03-01 10:00:01,1710000000\n")
    [column] = read_time_table(path).columns
    assert column.numbers.tolist() == [1.7e9, 1.71e9]
    assert not column.texts


def test_a_row_that_is_none_is_left_out_and_listed(tmp_path: Path) -> None:
    read = table(tmp_path, "t,dBA\n0,44.1\noops,44\n2,44.3\n3,err\n4,44,7\n5,44.5\n")
    assert read.times_s.tolist() == [0, 2, 3, 5]
    assert [(row.line, row.text) for row in read.left_out] == [(3, "oops, 44"), (5, "err"), (6, "4, 44, 7")]


def test_a_heading_that_comes_again_and_a_blank_row_are_no_bad_rows(tmp_path: Path) -> None:
    read = table(tmp_path, "t,dBA\n0,44.1\n1,44.1\n\nt,dBA\n2,44.3\n,\n")
    assert read.times_s.tolist() == [0, 1, 2]
    assert not read.left_out


def test_a_file_of_mostly_bad_rows_is_refused_with_its_first(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"500 of 905 rows cannot be read, the first is line 407: 'x, y'"):
        table(tmp_path, "t,dBA\n" + "0,44.1\n" * 405 + "x,y\n" * 500)


@pytest.mark.parametrize("text", ["", "\n", "no table", "a,b\nc,d\n", "dBA\n44.1\n44.2\n", "\x00\x01\x02"])
def test_what_has_no_times_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="time"):
        table(tmp_path, text)


def test_rows_without_a_time_are_an_interval_apart_if_somebody_says_it(tmp_path: Path) -> None:
    read = table(tmp_path, "dBA,C\n44.1,20\n44.2,20\n", interval_s=2)
    assert read.times_s.tolist() == [0, 2] and not read.dated and not read.of_day


def test_a_clock_without_a_day_is_of_a_day_and_goes_past_midnight(tmp_path: Path) -> None:
    read = table(tmp_path, "Time,dBA\n23:59:59,44.1\n00:00:01,44.2\n")
    assert read.of_day and not read.dated
    assert read.times_s.tolist() == [86_399, 86_401]


def test_a_clock_that_begins_at_nought_is_of_seconds_that_passed(tmp_path: Path) -> None:
    read = table(tmp_path, "Time,dBA\n00:00:00,44.1\n01:00:01,44.2\n")
    assert not read.of_day and not read.dated
    assert read.times_s.tolist() == [0, 3601]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("05/06/2026 10:00:00", "05/06/2026 10:00:01"), datetime(2026, 6, 5, 10)),
        (("11/12/2026 10:00:00", "11/12/2026 10:00:01"), datetime(2026, 11, 12, 10)),
        (("05/06/2026 10:00:00", "13/06/2026 10:00:01"), datetime(2026, 6, 5, 10)),
        (("05/06/2026 10:00:00", "05/13/2026 10:00:01"), datetime(2026, 5, 6, 10)),
        (("05.06.2026 10:00:00", "05.06.2026 10:00:01"), datetime(2026, 6, 5, 10)),
        (("05/06/2026 10:00:00 AM", "05/06/2026 10:00:01 AM"), datetime(2026, 5, 6, 10)),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_whole_column(
    tmp_path: Path, rows: tuple[str, str], expected: datetime
) -> None:
    """11/12 was not yet there in its other order when the file was written."""
    read = table(tmp_path, "time;dBA\n" + "".join(f"{row};44,1\n" for row in rows))
    assert read.times_s[0] == expected.timestamp()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (("1,234.5", "900.0"), (1234.5, 900)), (("1.234,5", "900,0"), (1234.5, 900)),
        (("44,100", "44,250"), (44.1, 44.25)), (("1,234", "900.5"), (1234, 900.5)), (("−3.5", "+4"), (-3.5, 4)),
        (("1e3", "2"), (1000, 2)), (("12 °C", "13 °C"), (12, 13)),
    ],
)  # fmt: skip
def test_the_mark_of_decimals_is_that_of_the_column(
    tmp_path: Path, cells: tuple[str, str], values: tuple[float, float]
) -> None:
    assert table(tmp_path, f"t;x\n0;{cells[0]}\n1;{cells[1]}\n").columns[0].numbers.tolist() == list(values)


def test_commas_that_part_columns_and_decimals_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="commas separate both"):
        table(tmp_path, "Time,dBA\n28.11.2026 18:03:20,44,1\n28.11.2026 18:03:21,44,3\n")


@pytest.mark.parametrize(
    "cell",
    [
        "Nov 28 18:03:2{}", "Sat 28 Nov 2026 18:03:2{}", "Saturday, 28 November 2026 18:03:2{}",
        "November 28th 2026 18:03:2{}", "Nov-28-2026 18:03:2{}", "2026-Nov-28 18:03:2{}", "28NOV26:18:03:2{}",
        "28 novembre 2026 à 18:03:2{}", "28.11.2026 18:03:2{} Uhr", "28.11.2026 18.03.2{}",
        "28/Nov/2026:19:03:2{} +0100", "Sat Nov 28 19:03:2{} CET 2026", "Sat Nov 28 06:03:2{} PM UTC 2026",
        "2026-11-28 13:03:2{} EST", "2026-11-28 19:03:2{} UTC+1", "20261128T18032{}Z", "20261128 18032{}",
        "2026112818032{}", "2026-11-28T18-03-2{}", "2026年11月28日 18:03:2{}", "2026/11/28 下午 06:03:2{}",
        "2026. 11. 28. 오후 06:03:2{}", "18:03:2{} 28-Nov-26",
    ],
)  # fmt: skip
def test_a_time_in_words_or_in_a_rare_order_is_read(tmp_path: Path, cell: str) -> None:
    rows = "".join(f"{cell.format(second)};{40 + second},5\n" for second in range(4))
    read = table(tmp_path, "Time;dBA\n" + rows)
    assert read.dated
    assert [*read.times_s] == [AT, AT + 1, AT + 2, AT + 3]
    assert not read.left_out


@pytest.mark.parametrize(
    ("cells", "first_s"), [(("18.03.20", "18.03.21"), 18 * 3600 + 200.0), (("18.59.59", "19.00.00"), 19 * 3600 - 1.0)]
)
@pytest.mark.parametrize("heading", ["Zeit", "Ora", "Time"])
def test_a_clock_with_points_is_no_date(tmp_path: Path, heading: str, cells: tuple[str, str], first_s: float) -> None:
    read = table(tmp_path, f"{heading};LAeq\n" + "".join(f"{cell};44,{at}\n" for at, cell in enumerate(cells)))
    assert read.of_day
    assert [*read.times_s] == [first_s, first_s + 1]
    dated = table(
        tmp_path, f"Data;{heading};LAeq\n" + "".join(f"28/11/2026;{cell};44,{at}\n" for at, cell in enumerate(cells))
    )
    midnight_s = AT - (18 * 3600 + 200)
    assert [*dated.times_s] == [midnight_s + first_s, midnight_s + first_s + 1]


def test_a_date_of_which_nothing_tells_day_from_month_is_said_to_be_unsure(tmp_path: Path) -> None:
    assert not table(tmp_path, "time,dBA\n03/04/2025 10:00,44\n03/04/2025 10:01,45\n").day_sure
    assert table(tmp_path, "time,dBA\n28/11/2026 10:00,44\n28/11/2026 10:01,45\n").day_sure


def test_rows_of_two_days_tell_day_from_month(tmp_path: Path) -> None:
    """As months they would be thirty days apart."""
    read = table(tmp_path, "time,dBA\n03/04/2025 23:59:30,44\n04/04/2025 00:00:30,45\n")
    assert read.day_sure
    assert read.times_s[1] - read.times_s[0] == 60


def test_the_order_that_is_about_the_run_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,dBA\n03/04/2025 10:00,44\n03/04/2025 10:01,45\n")
    of_april = read_time_table(path, near=datetime(2025, 4, 4))
    of_march = read_time_table(path, near=datetime(2025, 3, 5))
    assert of_april.times_s[0] - of_march.times_s[0] == 30 * 86_400
    assert of_april.day_sure and of_march.day_sure


def test_a_steady_figure_in_front_is_no_time(tmp_path: Path) -> None:
    read = table(tmp_path, "121.10, 245.3, Mar-18-2026 10:00\n121.10, 246.3, Mar-18-2026 10:01\n")
    assert read.dated
    assert len(read.columns) == 2


@pytest.mark.parametrize(
    ("heading", "encoding"),
    [
        ("时间,噪声值(dBA)", "gbk"), ("시간,소음 (dBA)", "cp949"), ("時刻,騒音 (dBA)", "cp932"),
        ("Время,Уровень (dBA)", "cp1251"), ("Čas,Hluk (dBA)", "cp1250"), ("Zeit,Lärmpegel (dBA)", "cp1252"),
        ("Heure,Niveau équivalent (dBA)", "cp1252"),
    ],
)  # fmt: skip
def test_a_heading_in_a_code_page_of_windows_is_read(tmp_path: Path, heading: str, encoding: str) -> None:
    read = table(tmp_path, f"{heading}\n2026-11-28 18:03:20,44.1\n2026-11-28 18:03:21,44.2\n", encoding)
    assert f"{read.columns[0].name} ({read.columns[0].unit})" == heading.partition(",")[2].replace("值(", "值 (")
