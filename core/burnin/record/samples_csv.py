"""Writes all samples of a run as one table: a row per device and time, a column per metric that was measured at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.errors import BadInput, EnvironmentProblem
from core.language import english, tr
from core.os_reasons import reason_of
from core.spreadsheet import csv_text
from core.telemetry.metrics import BY_NAME, NAMES
from core.whole_file import write_whole

FIRST_COLUMNS = ("time_s", "device_id", "device")


def write_samples(store: RunReader, run_id: int, path: Path) -> int:
    """Writes CSV in UTF-8 with a mark that spreadsheets look for; a cell of what was not measured is empty.

    Times are in s since the start of the run, a column's name carries its unit. Returns the number of samples of each
    device. Raises BadInput for a run that does not exist or measured nothing, EnvironmentProblem when the file cannot
    be written.
    """
    store.run(run_id)
    blocks = [(row.device, store.samples(run_id, row.device.id)) for row in store.devices(run_id)]
    known = [np.isfinite(block[:, 1:]).any(axis=0) for _, block in blocks]
    measured = [1 + int(place) for place in np.flatnonzero(np.logical_or.reduce(known))] if known else []
    if not measured:
        raise BadInput(tr("Run {run} has no measurements to write.", run=run_id))
    names = [NAMES[place - 1] for place in measured]
    tables = (_rows((device.id, english(device.title)), names, block[:, [0, *measured]]) for device, block in blocks)
    try:
        write_whole(path.expanduser().absolute(), _encoded([[*FIRST_COLUMNS, *names]], *tables))
    except OSError as error:
        raise EnvironmentProblem(
            tr("{path} could not be written: {reason}. Choose another place.", path=path, reason=reason_of(error))
        ) from error
    return max(len(block) for _, block in blocks)


def _rows(of: tuple[str, str], names: list[str], block: NDArray[np.float64]) -> Iterator[list[str]]:
    decimals = [max(BY_NAME[name].decimals, 3) for name in names]
    for time_s, *values in block:
        cells = zip(values, decimals, strict=True)
        yield [f"{time_s:.3f}", *of, *(f"{value:.{places}f}" if np.isfinite(value) else "" for value, places in cells)]


def _encoded(*tables: list[list[str]] | Iterator[list[str]]) -> Iterator[bytes]:
    """A piece per table: a day of eight cards does not have to fit into memory twice."""
    yield b"\xef\xbb\xbf"
    for table in tables:
        yield csv_text(table, line_end="\r\n").encode()
