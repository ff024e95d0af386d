"""Logs of other tools: what they say of each card is read in our metrics and units, and nothing is made up.

`tool_logs/corpus.csv` says of each where it comes from and what its last row holds.
"""

import csv
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from core.machine.telemetry.metrics import BY_NAME
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.machine.telemetry.tool_logs.value import IntervalNeeded, LoggedDevice, Tool, plain_bus_id
from core.platform.errors import BadInput

FOLDER = Path(__file__).parent / "tool_logs"
TABLE = {row["log"]: row for row in csv.DictReader((FOLDER / "corpus.csv").read_text(encoding="utf-8").splitlines())}


def described(logged: LoggedDevice) -> str:
    device = logged.device
    words = [device.label if device.name in ("GPU", "CPU") else device.name, device.bus_id or ""]
    words.append("" if device.id.startswith("LOG-") or device.id == "cpu" else device.id)
    return " ".join(filter(None, words))


def test_the_table_has_every_log() -> None:
    logs = sorted(path.name for path in FOLDER.iterdir() if path.name != "corpus.csv")
    assert sorted(TABLE) == logs
    assert len(TABLE) >= 15
    assert all(row["source"] for row in TABLE.values())


@pytest.mark.parametrize("name", TABLE)
def test_a_log_holds_what_its_last_row_says(name: str) -> None:
    log = read_tool_log(FOLDER / name)
    tool, rows, *devices = TABLE[name]["holds"].split("; ")
    assert (log.tool, f"{log.rows} rows") == (tool, rows)
    assert len(log.devices) == len(devices)
    for logged, expected in zip(log.devices, devices, strict=True):
        device_words, _, figures = expected.rpartition(": ")
        assert described(logged) == device_words
        for figure in figures.split():
            metric, _, value = figure.partition("=")
            assert logged.series[metric][-1] == pytest.approx(float(value)), metric
        assert set(logged.series) <= set(BY_NAME)
        assert (np.diff(logged.times_s) > 0).all()


def test_rows_a_second_are_assumed_where_a_log_has_no_times_and_that_is_said() -> None:
    log = read_tool_log(FOLDER / "dmon-plain.txt")
    assert log.started_at is None
    assert log.seconds == 8
    assert log.interval_assumed
    assert any("one row a second was assumed" in remark for remark in log.remarks)
    slower = read_tool_log(FOLDER / "dmon-plain.txt", interval_s=30)
    assert slower.seconds == 240
    assert not slower.remarks
    assert not slower.interval_assumed


def test_a_dated_log_tells_when_it_began() -> None:
    log = read_tool_log(FOLDER / "scrapes-with-times.prom")
    assert log.started_at.isoformat() == "2026-05-01T00:00:00+00:00"
    assert log.seconds == 15


def test_several_scrapes_without_times_need_their_interval(tmp_path: Path) -> None:
    once = (FOLDER / "dcgm-exporter-h100.prom").read_text(encoding="utf-8")
    several = tmp_path / "several.prom"
    several.write_text(once * 3, encoding="utf-8")
    with pytest.raises(BadInput, match="3 scrapes and no times"):
        read_tool_log(several)
    log = read_tool_log(several, interval_s=15)
    assert (log.rows, log.seconds) == (3, 30)


def test_a_query_without_heading_asks_for_its_fields(tmp_path: Path) -> None:
    text = (FOLDER / "smi-eight-columns.csv").read_text(encoding="utf-8").partition("\n")[2]
    headless = tmp_path / "bare.csv"
    headless.write_text(text.replace(" W", "").replace(" MHz", "").replace(" %", ""), encoding="utf-8")
    with pytest.raises(BadInput, match="--fields"):
        read_tool_log(headless)
    with pytest.raises(BadInput, match="3 fields"):
        read_tool_log(headless, fields=("timestamp", "index", "power.draw", "temperature.gpu"))
    fields = "timestamp,index,power.draw,temperature.gpu,clocks.sm,clocks.mem,utilization.gpu,utilization.memory"
    log = read_tool_log(headless, fields=fields.split(","))
    assert [float(logged.series["power_w"][-1]) for logged in log.devices] == [912.1, 905.3]


def rounds(form: str, count: int = 8) -> str:
    return "".join(form.format(second=5 * number, figure=60 + number) for number in range(count))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (rounds("10:00:{second:02d}\ntemperature.gpu, power.draw [W]\n{figure}, 200.5 W\n"), 35),
        (rounds("Sun Mar  1 10:00:{second:02d} UTC 2026\nindex, temperature.gpu, pstate\n0, {figure}, P2\n"), 35),
        (rounds("\n2026-03-01T10:00:{second:02d}+01:00\ntemperature.gpu\n{figure}\n"), 35),
        (rounds("temperature.gpu, power.draw [W]\n{figure}, 200.5 W\n"), None),
        ("index, temperature.gpu\n" + rounds("0, {figure}\n1, 40\n"), None),
    ],
    ids=["a clock", "date", "ISO", "no time", "one heading"],
)
def test_loops_around_a_query_are_read(tmp_path: Path, text: str, seconds: float | None) -> None:
    log = tmp_path / "loop.log"
    log.write_text(text, encoding="utf-8")
    if seconds is None:
        with pytest.raises(IntervalNeeded, match="--interval"):
            read_tool_log(log)
        seconds = 70
    read = read_tool_log(log, interval_s=10)
    assert read.seconds == seconds
    assert read.devices[0].series["temperature_c"].tolist() == [60 + number for number in range(8)]


IN_OTHER_UNITS = {
    "table": "timestamp, index, power.draw [kW], temperature.gpu [F], memory.used [GiB], clocks.sm [GHz], "
    "utilization.gpu [%], utilization.memory [apples]\n"
    + "".join(f"2026/03/07 00:20:3{second}.071, 0, 0.3, 140, 2, 1.7, 90, 5\n" for second in range(4)),
    "units in cells": "timestamp, index, power.draw, temperature.gpu, memory.used, clocks.sm, utilization.gpu, "
    "utilization.memory\n"
    + "".join(
        f"2026/03/07 00:20:3{second}.071, 0, 0.3 kW, 140 F, 2 GiB, 1.7 GHz, 90 %, 5 apples\n" for second in range(4)
    ),
    "rounds": "index, power.draw [kW], temperature.gpu [F], memory.used [GiB], clocks.sm [GHz], utilization.gpu [%], "
    "utilization.memory [apples]\n" + "0, 0.3, 140, 2, 1.7, 90, 5\n" * 4,
}


@pytest.mark.parametrize("form", IN_OTHER_UNITS)
def test_other_units_than_those_of_nvidia_smi_are_converted_or_said(tmp_path: Path, form: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(IN_OTHER_UNITS[form], encoding="utf-8")
    log = read_tool_log(path, interval_s=1)
    assert {metric: round(float(values[0]), 6) for metric, values in log.devices[0].series.items()} == {
        "power_w": 300, "temperature_c": 60, "memory_used_mb": 2048, "clock_mhz": 1700, "utilisation_pct": 90,
    }  # fmt: skip
    assert log.remarks == ("utilization.memory is left out: its unit (apples) cannot be converted.",)


@pytest.mark.parametrize(
    ("heading", "cell", "metric", "value"),
    [
        ("clocks.sm [Hz]", "1700000000", "clock_mhz", 1700),
        ("power.draw [mW]", "300000", "power_w", 300),
        ("power.draw (kW)", "0.3", "power_w", 300),
        ("temperature.gpu (°F)", "140", "temperature_c", 60),
        ("temperature.gpu [K]", "333.15", "temperature_c", 60),
        ("memory.used [bytes]", "1073741824", "memory_used_mb", 1024),
        ("memory.used [KiB]", "1048576", "memory_used_mb", 1024),
    ],
)
def test_a_unit_of_a_heading_is_converted(tmp_path: Path, heading: str, cell: str, metric: str, value: float) -> None:
    rows = "".join(f"2026/03/07 00:20:3{second}.071, 0, {cell}, 5\n" for second in range(4))
    path = tmp_path / "log.csv"
    path.write_text(f"timestamp, index, {heading}, utilization.memory\n{rows}", encoding="utf-8")
    log = read_tool_log(path)
    assert log.devices[0].series[metric].tolist() == pytest.approx([value] * 4)
    assert not log.remarks


HWINFO = 'Date,Time,"{0} [°C]","{1} [W]","{2} [MHz]",\n'


@pytest.mark.parametrize(
    "names",
    [
        ("GPU Temperature", "GPU Power", "GPU Clock"),
        ("GPU-Temperatur", "GPU Leistung", "GPU-Takt"),
        ("Température GPU", "Puissance GPU", "Fréquence GPU"),
        ("GPU温度", "GPU 功率", "GPU 频率"),
        ("GPU Temperature", "Total Graphics Power (TGP)", "GPU Clock"),
    ],
)
def test_headings_of_hwinfo_are_known_in_several_languages(tmp_path: Path, names: tuple[str, ...]) -> None:
    log = tmp_path / "log.csv"
    rows = "".join(f"1.3.2026,9:5:{second}.250,6{second}.5,300.1,1800,\n" for second in range(9))
    log.write_text(HWINFO.format(*names) + rows, encoding="utf-8")
    read = read_tool_log(log)
    assert (read.tool, read.rows, read.seconds) == (Tool.HWINFO, 9, 8)
    assert {name: float(values[-1]) for name, values in read.devices[0].series.items()} == {
        "temperature_c": 68.5, "power_w": 300.1, "clock_mhz": 1800
    }  # fmt: skip


def test_a_screen_of_dmon_as_csv_is_read(tmp_path: Path) -> None:
    log = tmp_path / "dmon.csv"
    rows = "".join(f"{card}, {250 + second}, 45, -\n" for second in range(4) for card in range(2))
    log.write_text(f"#gpu, pwr, gtemp, mtemp\n#Idx, W, C, C\n{rows}", encoding="utf-8")
    read = read_tool_log(log)
    assert [logged.series["power_w"].tolist() for logged in read.devices] == [[250, 251, 252, 253]] * 2
    assert "memory_temperature_c" not in read.devices[0].series


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_a_query_is_read_in_the_encodings_of_shells(tmp_path: Path, encoding: str) -> None:
    log = tmp_path / "log.csv"
    text = (FOLDER / "smi-eight-columns.csv").read_text(encoding="utf-8")
    log.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert [float(logged.series["power_w"][-1]) for logged in read_tool_log(log).devices] == [912.1, 905.3]


@pytest.mark.parametrize(
    "text",
    [
        "date,price\n2026-01-01 10:00:00,5\n2026-01-01 10:00:01,6\n",
        "2026-03-01 10:00:00,21.5,55\n2026-03-01 10:00:01,21.6,55\n2026-03-01 10:00:02,21.7,56\n",
        "time\n2026-03-01 10:00:00\n2026-03-01 10:00:01\n",
        "1,10.5\n2,10.6\n3,10.7\n",
        "01.03.2026 10:00:00;21,5\n01.03.2026 10:00:01;21,6\n01.03.2026 10:00:02;21,7\n",
        "2026/03/01 10:00:00\t21.5\n2026/03/01 10:00:01\t21.6\n2026/03/01 10:00:02\t21.7\n",
    ],
    ids=["prices", "no heading", "times alone", "two columns of numbers", "semicolons", "tabs"],
)
def test_what_is_no_log_of_a_gpu_is_refused(tmp_path: Path, text: str) -> None:
    no_log = tmp_path / "sales.csv"
    no_log.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="not a log that can be imported"):
        read_tool_log(no_log)


def test_power_of_the_chip_alone_is_reported() -> None:
    assert any("chip" in remark for remark in read_tool_log(FOLDER / "hwinfo-radeon.csv").remarks)


def test_bus_ids_are_written_as_the_kernel_does() -> None:
    assert plain_bus_id("00000000:41:00.0") == plain_bus_id("41:00.0") == "0000:41:00.0"
    assert plain_bus_id("[N/A]") == ""


def test_twenty_megabytes_are_read_in_bounded_memory(tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    with large.open("w", encoding="utf-8") as file:
        file.write("timestamp, index, power.draw [W], temperature.gpu, clocks.sm [MHz], utilization.gpu [%]\n")
        for second in range(36_000):
            moment = f"2026/03/01 {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.071"
            file.writelines(f"{moment}, {card}, {300 + second % 40}.25 W, 70, 1700 MHz, 99 %\n" for card in range(8))
    tracemalloc.start()
    log = read_tool_log(large)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(log.devices), log.rows) == (8, 36_000)
    assert peak < 300e6


def test_of_hundreds_of_columns_only_those_of_use_are_kept(tmp_path: Path) -> None:
    other_headings = [f"Core {core} VID [V]" for core in range(128)] + [
        f"Drive {drive} Temperature [°C]" for drive in range(40)
    ]
    cards = ["GPU Temperature [°C]", "GPU Power [W]", "GPU Core Load [%]"]
    large = tmp_path / "wide.csv"
    with large.open("w", encoding="cp1252") as file:
        file.write(",".join(["Date", "Time", *(f'"{name}"' for name in [*other_headings, *cards, *cards])]) + ",\n")
        for second in range(12_000):
            moment = f"28.1.2026,{second // 3600}:{second // 60 % 60}:{second % 60}.123"
            file.write(f"{moment},{','.join(['1.125'] * len(other_headings))},60.5,300.1,99,61.5,310.1,98,\n")
    tracemalloc.start()
    log = read_tool_log(large)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (log.rows, round(log.seconds)) == (12_000, 11_999)
    assert [float(logged.series["power_w"][-1]) for logged in log.devices] == [300.1, 310.1]
    assert not log.remarks
    assert peak < 150e6


def test_the_load_of_programs_is_not_taken_for_the_card_s(tmp_path: Path) -> None:
    """nvidia-smi pmon has a row for each program under the same heading of load."""
    log = tmp_path / "pmon.txt"
    log.write_text("# gpu  pid type sm mem command\n# Idx # C/G % % name\n 0 11 C 50 20 a\n 0 12 C 40 10 b\n")
    with pytest.raises(BadInput):
        read_tool_log(log)


@pytest.mark.parametrize("name", ["hwinfo-chinese.csv", "hwinfo-korean.csv", "hwinfo-japanese.csv"])
def test_a_hot_spot_that_is_left_out_is_said(name: str) -> None:
    assert any("hot spot is left out" in remark for remark in read_tool_log(FOLDER / name).remarks)


def test_load_and_memory_of_a_share_are_not_taken_for_the_card_s(tmp_path: Path) -> None:
    share = '{gpu="0",UUID="GPU-a",GPU_I_ID="%d"} %d\n'
    log = tmp_path / "mig.prom"
    log.write_text(
        "".join(
            "DCGM_FI_DEV_GPU_TEMP" + share % (card, celsius) + "DCGM_FI_DEV_FB_USED" + share % (card, 100 * card)
            for celsius in (60, 61)
            for card in (1, 2)
        )
    )
    (card,) = read_tool_log(log, interval_s=10).devices
    assert set(card.series) == {"temperature_c"}
    assert list(card.series["temperature_c"]) == [60, 61]
