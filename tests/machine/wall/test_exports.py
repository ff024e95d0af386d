"""Files of metering plugs, PDUs and UPSes as they are: which column is taken, in which unit, and what is refused.

| file | where its rows stand |
| --- | --- |
| hs110-milliwatts.csv, hs110-cpu-wattage.csv | github.com/colingit93/TP-Link-HS110, data.csv and loggin_data.csv |
| tuya-plug-idle.csv | github.com/lucianoinso/smartplug-monitor, logs/2025-08-20.csv, its first rows |
| upslog-smart-1400.log | a FreeNAS user's notes on NUT with an APC Smart-UPS 1400 (ups.log) |
| upslog-mge-750.log | a tutorial on NUT with an MGE 750: `upslog -l -`, on battery for a minute |
| meterman.csv | kd.iw.mk/aamcrae/MeterMan, csv/config.md |
| sdge-hourly.csv | github.com/corruptbear/my_sdge, issue 1 |
| edl-quarter-hours.csv | support.mst.ch, edl documentation: values of 15 minutes without a heading |
| home-assistant-*.csv | tests of four programs that read Home Assistant's history export |
| iot-plug-counter.csv | sample in the documentation of an IoT power monitor |
| kasa-without-heading.csv | github.com/banaya7/My_Various_Projects: what its program for a Kasa plug writes |
| influx-*.csv, long-with-units.csv, grafana-kilowatts.csv | forms of InfluxDB's and Grafana's documents |
| shelly-em-minutes.csv | form of Shelly's documents: EMData CSV, Wh a minute |
| apcupsd-table.csv, pdu-outlets.csv, hobo-plug.csv | forms of the manuals of apcupsd, Raritan and HOBOware |
| home-assistant-statistics.csv | form of Home Assistant's statistics export |
| loxone.csv | test of a reader of Loxone statistics |

Forms below without a file are known from makers' documents and apps alone.
"""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from core.machine.tables.wall_columns import WallForm
from core.machine.tables.wall_table import is_ups_log, read_wall_table
from core.platform.errors import BadInput

EXPORTS = Path(__file__).parent / "exports"


@pytest.mark.parametrize(
    ("file", "options", "column", "form", "watts"),
    [
        ("hs110-milliwatts.csv", {}, "m.W. (mW)", WallForm.POWER, [18.69, 18.128, 15.075]),
        ("upslog-mge-750.log", {"rated_w": 500.0}, "ups.load (%)", WallForm.LOAD, [65.0, 65.0, 160.0]),
        ("sdge-hourly.csv", {}, "Consumed", WallForm.INTERVALS, [340.0, 350.0, 350.0]),
        ("home-assistant-washer.csv", {}, "sensor.washer_power", WallForm.POWER, [1800.0, 400.0, 0.0]),
        ("home-assistant-zigbee.csv", {}, "sensor.zigbee_power", WallForm.POWER, [759.59, 562.78]),
        ("home-assistant-two-entities.csv", {}, "sensor.pv_power", WallForm.POWER, [1234.5, 1500.0, 800.0]),
        (
            "home-assistant-outlets.csv", {"column": "sensor.consumption_power"}, "sensor.consumption_power",
            WallForm.POWER, [200.0, 200.0],
        ),
        ("iot-plug-counter.csv", {}, "power", WallForm.POWER, [534.7, 538.4, 1038.8]),
        ("iot-plug-counter.csv", {"column": "energy"}, "energy", WallForm.COUNTER, [3600.0, 10800.0]),
        ("loxone.csv", {}, "Leistung (kW)", WallForm.POWER, [30.0, 40.0]),
        ("edl-quarter-hours.csv", {"column": "1"}, "1", WallForm.POWER, [0.15, 0.14]),
        ("kasa-without-heading.csv", {}, "2 (W)", WallForm.POWER, [245.32, 246.32, 247.32]),
        ("influx-annotated.csv", {}, "power W (W)", WallForm.POWER, [401.5, 402.6]),
        ("influx-terminal.csv", {}, "W entity_id=plug_power (W)", WallForm.POWER, [401.5, 402.5, 403.5]),
        ("long-with-units.csv", {}, "power (W)", WallForm.POWER, [401.5, 402.5]),
        ("shelly-em-minutes.csv", {}, "total_act_energy", WallForm.INTERVALS, [369.0, 375.0, 370.8]),
        ("apcupsd-table.csv", {"rated_w": 1000.0}, "LOADPCT (Percent)", WallForm.LOAD, [450.0, 460.0, 470.0]),
        ("hobo-plug.csv", {}, "Active Power (W)", WallForm.POWER, [401.2, 402.2, 403.2]),
        ("home-assistant-statistics.csv", {}, "sensor.plug_power (W)", WallForm.POWER, [401.0, 402.0, 403.0]),
        ("grafana-kilowatts.csv", {}, "Plug power (W)", WallForm.POWER, [401.0, 402.0, 1010.0]),
    ],
)  # fmt: skip
def test_a_real_export_is_read(
    file: str, options: dict[str, object], column: str, form: WallForm, watts: list[float]
) -> None:
    table = read_wall_table(EXPORTS / file, **options)  # type: ignore[arg-type]
    assert (table.column, table.form) == (column, form)
    assert table.watts[: len(watts)] == pytest.approx(np.array(watts))


@pytest.mark.parametrize(
    ("file", "options", "says"),
    [
        ("hs110-cpu-wattage.csv", {}, "no column that tells watts.*It has: CPU Wattage"),
        ("tuya-plug-idle.csv", {}, "is never above 0 W"),
        ("upslog-smart-1400.log", {}, "per cent of the watts that the UPS is rated for: give those with --rated"),
        ("upslog-smart-1400.log", {"column": "input.voltage"}, "is in V, which is neither watts nor energy"),
        ("meterman.csv", {}, "no column that tells watts"),
        ("edl-quarter-hours.csv", {}, "no column that tells watts.*It has: 1"),
        (
            "home-assistant-outlets.csv",
            {},
            "several columns of power: sensor.consumption_power and sensor.outlet_micro",
        ),
        ("pdu-outlets.csv", {}, r"several columns of power: Outlet 1 Active Power \(W\), Outlet 2"),
        ("home-assistant-washer.csv", {"column": "sensor.dryer_power"}, "has no column 'sensor.dryer_power'. It has"),
    ],
)
def test_what_a_real_export_does_not_tell_is_refused(file: str, options: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_wall_table(EXPORTS / file, **options)  # type: ignore[arg-type]


ROWS = ("2026-01-01 10:00:00", "2026-01-01 10:01:00", "2026-01-01 10:02:00", "2026-01-01 10:03:00")


def written(tmp_path: Path, heading: str, *cells: str) -> Path:
    path = tmp_path / "meter.csv"
    path.write_text("\n".join([heading, *(f"{time},{rest}" for time, rest in zip(ROWS, cells, strict=True))]) + "\n")
    return path


@pytest.mark.parametrize(
    ("heading", "cells", "column", "form", "watts"),
    [
        ("Time,Power (W),Energy (kWh)", ("100,1.0", "110,1.1", "120,1.2", "130,1.3"), "Power (W)", "power", 115.0),
        ("time,apower,voltage,current", ("100,230,1", "110,230,1", "120,230,1", "130,230,1"), "apower", "power", 115.0),
        ("Date,Current Power(W)", ("100", "110", "120", "130"), "Current Power (W)", "power", 115.0),
        ("time,power_mw", ("100000", "110000", "120000", "130000"), "power_mw", "power", 115.0),
        ("time,power_kw", ("0.1", "0.11", "0.12", "0.13"), "power_kw", "power", 115.0),
        (
            "Time,Power,ApparentPower,ReactivePower,Factor", ("100,120,60,0.8",) * 3 + ("160,180,60,0.9",), "Power",
            "power", 115.0,
        ),
        ("time,Plug-GPU (kWatts)", ("0.1", "0.11", "0.12", "0.13"), "Plug-GPU (kWatts)", "power", 115.0),
        ("time,Watts,Volts,Amps,WattHrs", ("100,120,1,0.1",) * 3 + ("160,120,1,0.1",), "Watts (Watts)", "power", 115.0),
        (
            "time,total_act_power,a_act_power,b_act_power,c_act_power,total_aprt_power", ("115,40,40,35,130",) * 4,
            "total_act_power", "power", 115.0,
        ),
        (
            "time,Verbrauchswert,Verbrauchswert in kWh,Kosten in EUR",
            ("0,0.001,0", "0,0.001,0", "0,0.003,0", "0,0.003,0"),
            "Verbrauchswert in kWh", "intervals", 120.0,
        ),
        ("time,pdu_power,gpu_power", ("100,60", "110,60", "120,60", "130,60"), "pdu_power", "power", 115.0),
        ("time,ups_power,load", ("100,20", "110,22", "120,24", "130,26"), "ups_power", "power", 115.0),
        ("time,Server-Mains (kWhs)", ("0.002",) * 4, "Server-Mains (kWhs)", "intervals", 120.0),
        ("time,Leistung in W", ("100", "110", "120", "130"), "Leistung in W", "power", 115.0),
        ("time,功率", ("100", "110", "120", "130"), "功率", "power", 115.0),
        ("time,Total Energy (kWh)", ("5.000", "5.002", "5.004", "5.006"), "Total Energy (kWh)", "counter", 120.0),
        ("time,total_wh", ("5000", "5002", "5004", "5006"), "total_wh", "counter", 120.0),
        ("time,Consumption (Wh)", ("2", "1", "2", "3"), "Consumption (Wh)", "intervals", 120.0),
        (
            "time,Voltage (V),Current (A),Power Factor", ("230,1,0.5", "230,1,0.5", "230,1,0.5", "230,1,0.5"),
            "Current (A)", "amperes", 115.0,
        ),
        ("time,Voltage,Current (mA)", ("230,500", "230,500", "230,500", "230,500"), "Current (mA)", "apparent", 115.0),
    ],
)  # fmt: skip
def test_the_form_of_a_maker_is_read(
    tmp_path: Path, heading: str, cells: tuple[str, ...], column: str, form: str, watts: float
) -> None:
    table = read_wall_table(written(tmp_path, heading, *cells))
    assert (table.column, table.form.value) == (column, form)
    assert table.mean_w(*table.span_s, 0.9) == pytest.approx(watts)


@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("time,Apparent Power (VA)", "only apparent power in VA"),
        ("time,Power (VA)", "only apparent power in VA"),
        ("time,Reactive Power (var)", "no column that tells watts"),
        ("time,Power (MW)", "no column that tells watts"),
        ("time,Temperature (C)", "no column that tells watts"),
        ("time,Current (A)", "no column that tells watts"),
        ("time,GPU Power (W)", "no column that tells watts"),
        ("time,Power Limit (W)", "no column that tells watts"),
    ],
)
def test_what_is_no_watts_is_not_taken_for_watts(tmp_path: Path, heading: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_wall_table(written(tmp_path, heading, "100", "110", "120", "130"))


def test_outlets_of_a_pdu_are_told_apart_by_the_user_and_a_sum_is_taken(tmp_path: Path) -> None:
    three = written(tmp_path, "time,Outlet 1 (W),Outlet 2 (W),Outlet 3 (W)", *("100,5,6",) * 4)
    with pytest.raises(BadInput, match=r"Outlet 1 \(W\), Outlet 2 \(W\) and Outlet 3 \(W\). Choose one with --column"):
        read_wall_table(three)
    for name in ("Outlet 1", "outlet 1 (w)"):
        assert read_wall_table(three, name).watts[0] == 100.0
    total = written(tmp_path, "time,Phase A (W),Phase B (W),Total (W)", *("100,5,105",) * 4)
    assert read_wall_table(total).column == "Total (W)"


def test_apparent_power_is_refused_even_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, "time,Power (W),Apparent Power (VA)", *("100,120",) * 4)
    with pytest.raises(BadInput, match="is apparent power, which is not watts"):
        read_wall_table(path, "Apparent Power")


def test_a_figure_that_no_machine_draws_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no machine draws that"):
        read_wall_table(written(tmp_path, "time,Power (kW)", "100", "110", "120", "130"))


def test_a_gap_is_not_filled_but_what_tells_changes_alone_holds(tmp_path: Path) -> None:
    gap = tmp_path / "gap.csv"
    gap.write_text("time,W\n" + "".join(f"{s},100\n" for s in (*range(60), *range(3600, 3660))))
    table = read_wall_table(gap)
    assert table.mean_w(1000.0, 3000.0, 0.1) is None
    changes = tmp_path / "changes.csv"
    stamps = ("10:00:00", "10:00:05", "10:00:10", "11:00:00")
    changes.write_text(
        "entity_id,state,last_changed\n" + "".join(f"sensor.plug_power,100,2026-01-01T{s}.000Z\n" for s in stamps)
    )
    table = read_wall_table(changes)
    start = table.span_s[0]
    assert table.mean_w(start + 1000, start + 3000, 0.9) == pytest.approx(100.0)


def test_energy_that_rises_where_a_load_sets_in_is_no_counter_and_a_new_counter_is_one(tmp_path: Path) -> None:
    path = tmp_path / "meter.csv"
    for name, cells, form in (
        ("Wh", [20] * 6 + [50, 60, 60, 60], WallForm.INTERVALS),
        ("Wh", [index * 10 for index in range(10)], WallForm.COUNTER),
        ("Wh", [9000, 9000, 9010, 9010, 9020], WallForm.COUNTER),
        ("Energy Today (kWh)", [0, 0, 0.01, 0.01, 0.02], WallForm.COUNTER),
    ):
        stamps = [f"2026-01-01 {10 + at // 4}:{15 * (at % 4):02d}:00" for at in range(len(cells))]
        path.write_text(f"Time,{name}\n" + "".join(f"{s},{c}\n" for s, c in zip(stamps, cells, strict=True)))
        assert read_wall_table(path).form is form, (name, cells)


def test_a_counter_that_begins_anew_tells_nothing_of_that_step(tmp_path: Path) -> None:
    path = written(tmp_path, "time,Total Energy (Wh)", "5000", "5002", "1", "3")
    assert list(read_wall_table(path).watts) == pytest.approx([120.0, 120.0])


def test_only_a_log_of_upslog_is_taken_for_one(tmp_path: Path) -> None:
    assert is_ups_log(EXPORTS / "upslog-mge-750.log")
    assert not is_ups_log(EXPORTS / "hs110-milliwatts.csv")
    assert not is_ups_log(tmp_path / "none.log")
    own = tmp_path / "own.log"
    own.write_text("1700000000 512\n1700000030 600\nnonsense\n1700000060 610\n")
    table = read_wall_table(own, "1")
    assert (list(table.watts), table.left_out) == ([512.0, 600.0, 610.0], 1)


@pytest.mark.parametrize("in_turns", [True, False], ids=["in turns", "one after the other"])
def test_rows_of_several_plugs_are_never_put_together(tmp_path: Path, in_turns: bool) -> None:
    path = tmp_path / "plugs.csv"
    rows = [(at, name, watts) for at in range(9) for name, watts in (("a", 9), ("b", 400))]
    if not in_turns:
        rows.sort(key=lambda row: row[1])
    lines = (f"2026-01-01 10:00:{at:02d},{name},{watts}\n" for at, name, watts in rows)
    path.write_text("time,alias,power\n" + "".join(lines))
    with pytest.raises(BadInput, match="several columns of power: a power and b power"):
        read_wall_table(path)
    assert set(read_wall_table(path, "b power").watts) == {400.0}


def test_what_a_ups_is_rated_for_is_no_reading(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column that tells watts"):
        read_wall_table(written(tmp_path, "time,NOMPOWER", *["865"] * 4))


def test_dates_of_which_nothing_tells_the_order_are_not_sure(tmp_path: Path) -> None:
    path = tmp_path / "meter.csv"
    path.write_text("time,W\n" + "".join(f"03/04/2025 10:0{at},{400 + at}\n" for at in range(5)))
    assert not read_wall_table(path).day_sure
    assert read_wall_table(path, near=datetime(2025, 4, 4)).day_sure


def test_a_remark_on_some_rows_parts_no_column(tmp_path: Path) -> None:
    cells = ["100,", "110,start", "120,", "130,"]
    assert read_wall_table(written(tmp_path, "time,power,event", *cells)).column == "power"
