"""The sensor logs of HWiNFO and GPU-Z: one row a time, a column for each sensor, its unit in brackets.

HWiNFO names its columns in the language of Windows, writes the names of the second card's sensors as it wrote those of
the first, and ends a log with the heading once more and a row that says of which device each column is.
"""

from __future__ import annotations

import csv
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.machine.tables.time_table import TimeColumn, TimeTable
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.tool_logs.fields import AS_IT_IS, CELSIUS, FAHRENHEIT, conversion
from core.machine.telemetry.tool_logs.value import CardIdentity, Numbers, Tool, ToolLog, tool_log
from core.platform.foreign import encoding_of, open_file
from core.words import shown, tr

_WATTS, _CELSIUS, _MHZ, _SHARE, _RPM, _MB = "w", "°c", "mhz", "%", "rpm", "mb"
_TEMPERATURE = r"temp[ée]rature?|temperatura|temperatur|teplota|温度|溫度|온도|температура"
_POWER = r"power|leistung|puissance|potenza|potencia|moc|功率|功耗|電力|电力|전력|мощность"
_CLOCK = r"clock|takt|fréquence|frequenza|frecuencia|zegar|频率|时钟|時脈|クロック|클[럭록]|주파수|частота"
_LOAD = (
    r"(?:core )?load|utilization|usage|kernauslastung|auslastung|utilisation|utilizzo|uso"
    r"|(?:核心|コア)?[ -]?(?:使用率|负载|負荷|占用率)|(?:코어 )?(?:사용률|로드|부하|점유율)|загрузка"
)
_FAN = r"(?:fan|lüfter|ventilateur|ventola|ventilador|风扇|風扇|ファン|팬|вентилятор) ?\d?"


def _of_gpu(word: str) -> str:
    """The word with GPU before or after it, as languages have it."""
    return rf"(?:gpu|гп)[ -]?(?:{word})|(?:{word}) (?:du |de la |della |de )?(?:gpu|гп)"


Rule = tuple[str, str, str]
HWINFO_GPU: tuple[Rule, ...] = (
    ("temperature_c", _CELSIUS, _of_gpu(_TEMPERATURE)),
    ("memory_temperature_c", _CELSIUS,
     r"gpu[ -]?(?:memory junction temperature|memory temperature|speichertemperatur"
     r"|显存(?:结|结点)?温度|显存结温|메모리 (?:정션 )?온도|メモリー?(?:ジャンクション)?温度)"),
    ("power_w", _WATTS, r"total board power.*|gesamte grafikkartenleistung.*"),
    ("power_w", _WATTS, r"total graphics power.*|gesamte grafikleistung.*"),
    ("power_w", _WATTS, _of_gpu(_POWER)),
    ("power_w", _WATTS, r"gpu asic power"),
    ("clock_mhz", _MHZ, _of_gpu(_CLOCK)),
    ("memory_clock_mhz", _MHZ, r"gpu[ -]?(?:memory clock|speichertakt"
     r"|显存(?:频率|时钟)|메모리 클[럭록]|メモリー?クロック)"),
    ("utilisation_pct", _SHARE, _of_gpu(_LOAD)),
    ("utilisation_pct", _SHARE, r"gpu[ -]?d3d[ -]?(?:usage|auslastung)"),
    ("memory_utilisation_pct", _SHARE, r"gpu[ -]?(?:memory controller (?:load|utilization)|speichercontroller\w*)"),
    ("fan_rpm", _RPM, _of_gpu(_FAN)),
    ("fan_pct", _SHARE, _of_gpu(_FAN) + r"|gpu fan speed"),
    ("memory_used_mb", _MB, r"gpu[ -]?(?:memory (?:usage|allocated|used)|d3d memory dedicated|speicherbelegung)"),
)  # fmt: skip
"""Metric, unit, name; of several that a log has the first rule holds."""
HWINFO_CPU: tuple[Rule, ...] = (
    ("temperature_c", _CELSIUS, r"cpu \(tctl/tdie\)|cpu package|cpu[ -]gehäuse|cpu (?:gesamt|entire|total)"),
    ("power_w", _WATTS, r"cpu package power(?: \(smu\))?|cpu-gesamt-?leistungsaufnahme|cpu-gehäuse-leistung"),
    ("utilisation_pct", _SHARE, r"total cpu usage|cpu-?gesamtauslastung|gesamte cpu-auslastung"),
)
_ALL_HWINFO = (*HWINFO_GPU, *HWINFO_CPU)
GPU_Z_GPU: tuple[Rule, ...] = (
    ("temperature_c", _CELSIUS, r"gpu temperature"),
    ("memory_temperature_c", _CELSIUS, r"memory temperature"),
    ("power_w", _WATTS, r"board power draw"),
    ("power_w", _WATTS, r"gpu power"),
    ("clock_mhz", _MHZ, r"gpu (?:core )?clock"),
    ("memory_clock_mhz", _MHZ, r"(?:gpu )?memory clock"),
    ("utilisation_pct", _SHARE, r"gpu load"),
    ("memory_utilisation_pct", _SHARE, r"memory controller load"),
    ("fan_pct", _SHARE, r"fan (?:1 )?speed(?: \(%\))?"),
    ("fan_rpm", _RPM, r"fan (?:1 )?speed(?: \(rpm\))?"),
    ("memory_used_mb", _MB, r"memory used(?: \(dedicated\))?"),
)
GPU_Z_CPU: tuple[Rule, ...] = (("temperature_c", _CELSIUS, r"cpu temperature"),)
_HOT_SPOT = re.compile(r"hot ?-?spot|热点|熱點|ホットスポット|핫\s?스팟|hotspot|горяч", re.IGNORECASE)
_CHIP_ONLY = re.compile(r"gpu asic power", re.IGNORECASE)
_GPU_Z = re.compile(r"memory controller load|gpu load|perfcap reason", re.IGNORECASE)
_WITH_UNITS = 0.5
_MOST_OF_GPU_Z = 80
"""Columns; HWiNFO has more."""
_SENSOR = re.compile(r"(?:d?gpu|igpu) \[#(?P<index>\d+)\]: *(?P<name>[^:]+)", re.IGNORECASE)
SENSOR_ROW = "[#"
"""In the last row of a log of HWiNFO, which has no time: it is read for the names of the cards."""
_TAIL = 256 * 1024
_RAW_UNIT = re.compile(r"\s*\[(?P<unit>[^\[\]]*)\]\s*$")


_USELESS = re.compile(r"^(?:core|drive|dimm|p-core|e-core|thread|vr|read|write|total|ram|spd|battery)\b", re.IGNORECASE)


def is_of_use(heading: str) -> bool:
    """False for the hundreds of columns of HWiNFO about cores, drives and modules, which are not read at all."""
    name = _RAW_UNIT.sub("", heading).strip().casefold()
    return _USELESS.match(name) is None or any(re.fullmatch(pattern, name) for _, _, pattern in _ALL_HWINFO)


def sensor_tool(table: TimeTable) -> Tool | None:
    """By its columns."""
    if any(_GPU_Z.fullmatch(column.name) for column in table.columns) and len(table.columns) < _MOST_OF_GPU_Z:
        return Tool.GPU_Z
    with_gpu = any(_metric(HWINFO_GPU, column) for column in table.columns)
    with_units = sum(bool(column.unit) for column in table.columns)
    return Tool.HWINFO if with_gpu and with_units >= _WITH_UNITS * len(table.columns) else None


def read_sensors(table: TimeTable, tool: Tool, path: Path, remarks: Sequence[str] = ()) -> ToolLog:
    """Every GPU with a sensor that we know, and the CPU."""
    hwinfo = tool is Tool.HWINFO
    gpus = _by_card(table.columns, HWINFO_GPU if hwinfo else GPU_Z_GPU)
    names = _card_names(path) if hwinfo else {}
    all_remarks = [*remarks, *_doubts(gpus), *_no_hot_spot(table.columns)]
    devices = [
        (CardIdentity(index, names.get(index, "")), table.times_s, _series(columns))
        for index, columns in sorted(gpus.items())
    ]
    cpu = _by_card(table.columns, HWINFO_CPU if hwinfo else GPU_Z_CPU).get(0)
    if cpu:
        devices.append((CardIdentity(None, "CPU", kind=DeviceKind.CPU), table.times_s, _series(cpu)))
    return tool_log(tool, devices, dated=table.dated, remarks=all_remarks)


_RankedColumns = dict[str, dict[int, TimeColumn]]
"""Of one card: by metric the columns by the rank of their rule."""


def _by_card(columns: Sequence[TimeColumn], rules: Sequence[Rule]) -> dict[int, _RankedColumns]:
    """The second column of a name is the second card's."""
    cards: dict[int, _RankedColumns] = defaultdict(lambda: defaultdict(dict))
    occurrences: dict[str, int] = defaultdict(int)
    for column in columns:
        rank_and_metric = _metric(rules, column)
        if rank_and_metric is None or column.texts:
            continue
        rank, metric = rank_and_metric
        heading = f"{column.name.casefold()} [{column.unit.casefold()}]"
        card, occurrences[heading] = occurrences[heading], occurrences[heading] + 1
        cards[card][metric].setdefault(rank, column)
    return cards


def _metric(rules: Sequence[Rule], column: TimeColumn) -> tuple[int, str] | None:
    name, unit = column.name.casefold().strip(), column.unit.casefold().replace("\ufffd", "°")
    unit = _CELSIUS if unit in CELSIUS | FAHRENHEIT else unit  # _series converts
    for rank, (metric, of_unit, pattern) in enumerate(rules):
        if unit == of_unit and re.fullmatch(pattern, name):
            return rank, metric
    return None


def _series(columns_by_metric: Mapping[str, Mapping[int, TimeColumn]]) -> dict[str, Numbers]:
    return {metric: _in_our_unit(metric, columns[min(columns)]) for metric, columns in columns_by_metric.items()}


def _in_our_unit(metric: str, column: TimeColumn) -> Numbers:
    converted = conversion(metric, column.unit) or AS_IT_IS
    return column.numbers * converted.factor + converted.offset


def _no_hot_spot(columns: Sequence[TimeColumn]) -> Iterator[str]:
    names = [column.name for column in columns if _HOT_SPOT.search(column.name) and not column.texts]
    if names:
        yield tr("The GPU's hot spot is left out, only its usual temperature is imported: {columns}.",
                 columns=", ".join(dict.fromkeys(map(shown, names))))  # fmt: skip


def _doubts(gpus: Mapping[int, Mapping[str, Mapping[int, TimeColumn]]]) -> Iterator[str]:
    for columns in (card.get("power_w") for card in gpus.values()):
        if columns and _CHIP_ONLY.fullmatch(columns[min(columns)].name):
            yield tr("Power is that of the GPU chip, not of the whole card: the log has no other.")
            return


def _card_names(path: Path) -> dict[int, str]:
    """From the last row of the log, by the position of each card among the columns; {} where it broke off before."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_TAIL)
        file.seek(max(size - _TAIL, 0))
        lines = [line for line in file.read().splitlines() if line.strip()]
    if len(lines) < 2:
        return {}
    encoding = encoding_of(head)
    rows = list(csv.reader(line.decode(encoding, errors="replace") for line in lines[-2:]))
    heading, sensors = rows
    names: dict[int, str] = {}
    occurrences: dict[str, int] = defaultdict(int)
    for title, sensor in zip(heading, sensors, strict=False):
        match = _SENSOR.search(sensor)
        unit = _RAW_UNIT.search(title)
        if match is None or unit is None:
            continue
        column = _RAW_UNIT.sub("", title).strip().casefold()
        is_of_gpu = any(re.fullmatch(pattern, column) for _, _, pattern in HWINFO_GPU)
        if is_of_gpu:
            key = f"{column} [{unit['unit'].casefold()}]"
            names.setdefault(occurrences[key], match["name"].strip())
            occurrences[key] += 1
    return names
