"""A file of measured cases: CSV in UTF-8 with a header row.

Columns: `id`, `configuration` (what was measured, in words: number, maker and product of the cards, room or case),
`quantity` (one of `outcome.MODELS`), `condition` (in words), `value` (a number, a range, or about a number), `unit`,
`distance_m` (of a microphone, may be empty), `source`, `trust` (A measured with its method told, B measured, C a
snapshot or claim, D unverified), and the columns of `Facts`, which say the same as the words in figures. A file without
any of these is read by its words (`described`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from core.errors import BadInput
from core.language import joined, tr
from core.text_file import read_text
from core.validation.described import described
from core.validation.facts import FACT_COLUMNS, UNSAID, Facts, NotAFigure, figure, read_facts

COLUMNS = ("id", "configuration", "quantity", "condition", "value", "unit", "distance_m", "source", "trust")
TRUSTED = ("A", "B")


@dataclass(frozen=True, slots=True)
class Measured:
    """One row."""

    id: str
    configuration: str
    quantity: str
    condition: str
    value: float
    unit: str
    distance_m: float | None
    source: str
    trust: str
    facts: Facts = UNSAID
    unread: str = ""
    """Why the row cannot be read; then `value` is 0 and means nothing."""

    @property
    def trusted(self) -> bool:
        """Whether it counts for the share inside the band."""
        return self.trust in TRUSTED


def read_cases(path: Path) -> list[Measured]:
    """All rows, those that cannot be read with the reason. Raises BadInput for a file that is no table of cases."""
    rows = csv.DictReader(StringIO(read_text(path)))
    try:
        missing = sorted(set(COLUMNS) - set(rows.fieldnames or ()))
        if missing:
            raise BadInput(
                tr(
                    "{path} is not a file of measured cases: it lacks the columns {missing}.",
                    path=path,
                    missing=", ".join(missing),
                )
            )
        return list(_rows(rows))
    except csv.Error as error:
        raise BadInput(
            tr(
                "{path}, line {line}: the table cannot be read ({reason}).",
                path=path,
                line=rows.line_num,
                reason=str(error),
            )
        ) from error


def _rows(rows: csv.DictReader[str]) -> Iterator[Measured]:
    before, told = "", [name for name in FACT_COLUMNS if name in (rows.fieldnames or ())]
    for row in rows:
        texts = {name: (row[name] or "").strip() for name in COLUMNS}
        before = texts["configuration"] = _spelt_out(texts["configuration"], before)
        value, unread = 0.0, ""
        distance_m, facts = None, UNSAID
        try:
            value = _figure("value", texts["value"], texts["unit"])
            distance_m = _distance_m(texts["distance_m"])
            cells = {name: (row[name] or "").strip() for name in told}
            facts = read_facts(cells) if told else described(texts["configuration"], texts["condition"])
        except NotAFigure as error:
            unread = tr("line {line}: {reason}", line=rows.line_num, reason=error.args[0])
        yield Measured(
            texts["id"],
            texts["configuration"],
            texts["quantity"],
            texts["condition"],
            value,
            texts["unit"],
            distance_m,
            texts["source"],
            texts["trust"].upper(),
            facts,
            unread,
        )


def _spelt_out(configuration: str, before: str) -> str:
    """ "Maker X, same" means what the row before said of Maker X."""
    name, comma, rest = configuration.partition(",")
    return before if comma and rest.strip().lower() == "same" and before.startswith(name) else configuration


def _figure(column: str, text: str, unit: str) -> float:
    try:
        return figure(text, unit)
    except NotAFigure as error:
        raise NotAFigure(joined([column, error.args[0]])) from error


def _distance_m(text: str) -> float | None:
    if not text:
        return None
    distance_m = _figure("distance_m", text, "m")
    if not 0.01 <= distance_m <= 1000:
        raise NotAFigure(tr("distance_m is {text!r}, where no microphone can be", text=text))
    return distance_m
