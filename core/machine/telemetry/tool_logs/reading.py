"""Recognises what tool wrote a log, and reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from itertools import islice
from pathlib import Path

from core.machine.tables.time_table import TimeTable, read_time_table
from core.machine.telemetry.tool_logs.dmon import is_dmon, read_dmon
from core.machine.telemetry.tool_logs.fields import TIMESTAMP
from core.machine.telemetry.tool_logs.scrape import is_scrape, read_scrapes
from core.machine.telemetry.tool_logs.sensor_table import SENSOR_ROW, is_of_use, read_sensors, sensor_tool
from core.machine.telemetry.tool_logs.smi_table import (
    has_no_heading,
    heading_of,
    is_query,
    is_query_row,
    read_blocks,
    read_query,
    with_fields,
)
from core.machine.telemetry.tool_logs.value import FieldsNeeded, Tool, ToolLog
from core.platform.errors import BadInput, reason_of
from core.platform.foreign import encoding_of, open_file
from core.words import tr, trn

_FIRST_LINES = 2000
_FIRST_BYTES = 64 * 1024


def read_tool_log(path: Path, *, interval_s: float | None = None, fields: Sequence[str] = ()) -> ToolLog:
    """The log of another tool. Raises BadInput for what is none, or has no figure of a GPU.

    `interval_s` is the time between two rows where the log has no times; `fields` are those of the query where a CSV of
    nvidia-smi has no heading.
    """
    log = _read(path, interval_s, fields)
    if not log.devices:
        raise BadInput(
            tr(
                "{file} ({tool}) has no figure of a GPU that could be read. Log temperature and power of the GPU.",
                file=path.name,
                tool=log.tool.value,
            )
        )
    return log


def _read(path: Path, interval_s: float | None, fields: Sequence[str]) -> ToolLog:
    tool, in_blocks = (None, False) if fields else _tool_of_lines(path)
    if in_blocks:
        needs = tr("The log has no times. Give the seconds between two rounds with {--interval}.")
        with _opened(path) as lines:
            return read_blocks(lines, needs, interval_s)
    if tool in (Tool.DMON, Tool.DCGMI):
        with _opened(path) as lines:
            return read_dmon(lines, tool, interval_s)
    if tool in (Tool.DCGM_EXPORTER, Tool.GPU_EXPORTER):
        with _opened(path) as lines:
            return read_scrapes(lines, tool, interval_s)
    table = read_time_table(path, interval_s=interval_s, only=is_of_use)
    remarks = list(_remarks(table))
    if fields:
        table = with_fields(table, fields)
    if is_query([column.name for column in table.columns]):
        return read_query(table, remarks)
    if (sensors := sensor_tool(table)) is not None:
        return read_sensors(table, sensors, path, remarks)
    if has_no_heading(table) and _has_query_rows(path):
        raise FieldsNeeded(
            tr(
                "{file} has no heading. Name its columns with {--fields}, as in the query: "
                "{--fields} timestamp,index,temperature.gpu,power.draw",
                file=path.name,
            )
        )
    raise BadInput(
        tr(
            "{file} is not a log that can be imported. Known: nvidia-smi (CSV, dmon), dcgmi dmon, dcgm-exporter, "
            "nvidia_gpu_exporter, HWiNFO, GPU-Z.",
            file=path.name,
        )
    )


def _tool_of_lines(path: Path) -> tuple[Tool | None, bool]:
    """The tool whose text it is, and whether it is a query of nvidia-smi whose rows have no time of their own."""
    with _opened(path) as lines:
        for line in islice(lines, _FIRST_LINES):
            if (tool := is_dmon(line.strip()) or is_scrape(line.strip())) is not None:
                return tool, False
            if (heading := heading_of(line)) is not None:
                return None, TIMESTAMP not in heading
    return None, False


def _has_query_rows(path: Path) -> bool:
    with _opened(path) as lines:
        return any(map(is_query_row, islice(lines, _FIRST_LINES)))


@contextmanager
def _opened(path: Path) -> Iterator[TextIOWrapper]:
    """Its lines. Raises BadInput where it cannot be opened."""
    try:
        with open_file(path) as file:
            encoding = encoding_of(file.read(_FIRST_BYTES))
            file.seek(0)
            with TextIOWrapper(file, encoding=encoding, errors="replace") as lines:
                yield lines
    except OSError as error:
        raise BadInput(tr("{path} cannot be read: {reason}.", path=path, reason=reason_of(error))) from error


def _remarks(table: TimeTable) -> Iterator[str]:
    unreadable = sum(SENSOR_ROW not in row.text for row in table.left_out)
    if unreadable:
        yield trn(
            "{count} row or cell could not be read and was left out.",
            "{count} rows or cells could not be read and were left out.",
            count=unreadable,
        )
    if not table.dated:
        yield tr("The log has times without a date.")
    if not table.day_sure:
        yield tr("Day and month of its dates cannot be told apart: {date} was assumed.",
                 date=datetime.fromtimestamp(float(table.times_s.min())).date())  # fmt: skip
