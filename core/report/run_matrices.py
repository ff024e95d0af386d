"""Tables of what was measured between each two devices: rows from, columns to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.report.document import Block, Column, Heading, table
from core.report.evidence import MATRICES
from core.report.evidence_values import labelled_key
from core.report.group_evidence import is_matrix
from core.report.recorded_run import RecordedRun
from core.units import quantity


def matrix_blocks(record: RecordedRun) -> Iterator[Block]:
    """One table for each matrix of a stage: all devices that did it together recorded the same."""
    for stage in record.stages:
        results = [result for (number, _), result in record.results.items() if number == stage.number]
        for key in MATRICES:
            found = next((result.evidence for result in results if is_matrix(result.evidence.get(key))), None)
            if found is not None:
                title, unit = labelled_key(key)
                yield Heading(f"{title}, {unit}: {stage.title}", 2)
                yield _table(record, found, found[key])


def _table(record: RecordedRun, evidence: Mapping[str, Any], matrix: Sequence[Sequence[float | None]]) -> Block:
    named = [record.label(device_id) for device_id in evidence.get("devices") or ()]
    names = named if len(named) == len(matrix) else ["" for _ in matrix]
    columns = (Column("From", 3.5), *(Column(f"to {place}", 1.0, numeric=True) for place in range(len(matrix))))
    rows = [
        (f"{place} {name}".strip(), *(quantity(value, "", missing="–") for value in row))
        for place, (name, row) in enumerate(zip(names, matrix, strict=True))
    ]
    return table(columns, rows)
