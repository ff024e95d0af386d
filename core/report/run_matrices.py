"""Tables of what was measured between each two devices: rows from, columns to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.loads.evidence import Matrix
from core.loads.group.evidence import P2pEvidence
from core.report.document import Block, Column, Heading, table
from core.report.evidence import MATRICES
from core.report.evidence_values import labelled_key
from core.report.recorded_run import RecordedRun
from core.units import quantity


def matrix_blocks(record: RecordedRun) -> Iterator[Block]:
    """One table for each matrix of a stage: all devices that did it together recorded the same."""
    for stage in record.stages:
        results = [result for (number, _), result in record.results.items() if number == stage.number]
        told = [result.told(P2pEvidence) for result in results]
        for key in MATRICES:
            found = next((one for one in told if _is_square(getattr(one, key))), None)
            if found is not None:
                title, unit = labelled_key(key)
                yield Heading(f"{title}, {unit}: {stage.title}", 2)
                yield _table(record, found.devices, getattr(found, key))


def _is_square(matrix: Matrix | None) -> bool:
    return bool(matrix) and all(len(row) == len(matrix or ()) for row in matrix or ())


def _table(record: RecordedRun, devices: Sequence[str], matrix: Matrix) -> Block:
    named = [record.label(device_id) for device_id in devices]
    names = named if len(named) == len(matrix) else ["" for _ in matrix]
    columns = (Column("From", 3.5), *(Column(f"to {place}", 1.0, numeric=True) for place in range(len(matrix))))
    rows = [
        (f"{place} {name}".strip(), *(quantity(value, "", missing="–") for value in row))
        for place, (name, row) in enumerate(zip(names, matrix, strict=True))
    ]
    return table(columns, rows)
