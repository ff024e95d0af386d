"""The cells of one column of a table as figures, whatever mark parts their decimals and whatever unit they carry."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.machine.tables.written_times import TimeKind, kind_of
from core.platform.spreadsheet import csv_text

_NOTHING = re.compile(
    r"[\W_]*|n/a|#n/a|na|nan|null|none|nil|not available|\[?(n/a|not supported|not found|not available|unknown error|"
    r"gpu is lost|gpu requires reset|requested functionality has been deprecated|"
    r"insufficient permissions)\]?",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"([-+−]?)(\d[\d.,' \u00a0\u202f]*|[.,]\d+)([eE][-+]?\d+)?\s*([^\d\s].{0,15})?")
_GROUPS = re.compile(r"(\d{1,3})([.,' \u00a0\u202f]\d{3})+")
_UNIT = re.compile(r"[%°A-Za-zµΩ][\w/().,²³%° -]*")
_IN_BRACKETS = re.compile(r"(.*\S)\s*(?:\[([^\[\]]+)\]|\(([^()]*(?:\([^()]*\))?[^()]*)\))")
_OF_LOGGER = re.compile(r"(.*\S), ([%°A-Za-zµΩ]{1,4})(?: ?\((?:LGR|SEN)[^()]*\))")
"""As HOBO writes it: "Active Power, W (LGR S/N: 1234)"."""
_LEVEL = re.compile(r"db|l[aczplmeqfsi]+", re.IGNORECASE)


@dataclass(slots=True)
class ColumnCells:
    """The cells of a column, taken block by block. One of numbers keeps no text."""

    of_numbers: bool
    decimal: str
    unit: str = ""
    present: bool = False
    """Whether any cell has something."""
    _numbers: list[NDArray[np.float64]] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _number_by_cell: dict[str, float] = field(default_factory=dict)
    _shared_texts: dict[str, str] = field(default_factory=dict)
    """One text for all that are equal."""

    @classmethod
    def of(cls, sample: Sequence[str], *, commas_part_cells: bool = False) -> ColumnCells:
        """A column that begins with some cells. Where commas part the cells, a quoted 1,401 has one of thousands."""
        cells = [cell for cell in map(str.strip, sample) if not is_nothing(cell)]
        figures = sum(is_figure(cell) and kind_of([cell]) in (None, TimeKind.EPOCH) for cell in cells)
        numbers = bool(cells) and figures >= 0.7 * len(cells)
        return cls(numbers, _decimal(cells, commas_part_cells=commas_part_cells))

    def take(self, cells: Sequence[str]) -> list[tuple[int, str]]:
        """Adds cells; which of a column of numbers are none, by place and text."""
        bad: list[tuple[int, str]] = []
        try:
            plain = [cell.replace(",", ".") for cell in cells] if self.decimal == "," else cells
            numbers = np.array(list(map(float, plain)), dtype=np.float64)
        except ValueError:
            numbers = np.array([self._number(cell) for cell in cells], dtype=np.float64)
            if self.of_numbers:
                missing = np.flatnonzero(np.isnan(numbers)).tolist()
                bad = [(at, cells[at].strip()) for at in missing if not is_nothing(cells[at].strip())]
        numbers[~np.isfinite(numbers)] = math.nan
        self._numbers.append(numbers)
        if not self.of_numbers:
            self._texts += [self._shared_texts.setdefault(cell, cell) for cell in map(str.strip, cells)]
        self.present = self.present or any(cells)
        return bad

    def numbers(self) -> NDArray[np.float64]:
        """All cells as numbers."""
        return np.concatenate(self._numbers) if self._numbers else np.empty(0)

    def texts(self) -> tuple[str, ...]:
        """All cells as texts, of a column that is none of numbers."""
        return tuple(self._texts)

    def _number(self, cell: str) -> float:
        value = self._number_by_cell.get(cell)
        if value is None:
            value, unit = figure(cell.strip(), self.decimal)
            if unit and not math.isnan(value):
                self.unit = self.unit or unit
                value *= ratio(unit, self.unit)
            if len(self._number_by_cell) < 100_000:
                self._number_by_cell[cell] = value
        return value


def figure(cell: str, decimal: str = ".") -> tuple[float, str]:
    """The number and the unit of a cell; NaN for what is none, or two."""
    match = _FIGURE.fullmatch(cell)
    if match is None or (match[4] and not _UNIT.fullmatch(match[4].strip())):
        return math.nan, ""
    digits = match[2].strip().rstrip(",")
    try:
        value = float(_plain(digits, decimal) + (match[3] or ""))
    except ValueError:
        return math.nan, ""
    return (-value if match[1] in ("-", "−") else value), (match[4] or "").strip()


@lru_cache(maxsize=4096)
def is_figure(cell: str) -> bool:
    """Whether a cell is a number, with or without a unit, or a time."""
    number = cell[:1].isdigit() or cell[:1] in tuple("-+−.,")
    return (number and not math.isnan(figure(cell)[0])) or kind_of([cell]) is not None


def is_nothing(cell: str) -> bool:
    """Whether a cell says that there is nothing."""
    return _NOTHING.fullmatch(cell) is not None


def name_and_unit(heading: str) -> tuple[str, str]:
    """LAeq [dB] is LAeq in dB; the brackets of dB(A) are its own."""
    if logged := _OF_LOGGER.fullmatch(heading):
        return logged[1], logged[2]
    match = _IN_BRACKETS.fullmatch(heading)
    if match is None or (
        match[3] is not None and heading[len(match[1])] == "(" and _LEVEL.fullmatch(match[1].split()[-1])
    ):
        return heading, ""
    return match[1].rstrip(" ,:"), (match[2] or match[3] or "").strip()


def _plain(digits: str, decimal: str) -> str:
    """Digits with a point before the decimals. Two different marks tell which is which: the last parts the decimals."""
    marks = [mark for mark in ".," if mark in digits]
    if len(marks) == 2:
        decimal = max(marks, key=digits.rfind)
    elif marks and (digits.count(marks[0]) > 1 or (marks[0] != decimal and _GROUPS.fullmatch(digits))):
        decimal = ""
    elif marks:
        decimal = marks[0]
    if decimal and digits.count(decimal) > 1:
        raise ValueError(digits)
    whole, _, part = digits.partition(decimal) if decimal else (digits, "", "")
    for mark in ".,' \u00a0\u202f":
        if mark in whole and not _GROUPS.fullmatch(whole):
            raise ValueError(digits)
        whole = whole.replace(mark, "")
    return f"{whole or 0}.{part or 0}"


def _decimal(cells: Sequence[str], *, commas_part_cells: bool) -> str:
    """The mark that parts decimals in a column: a comma where figures have it and no point."""
    commas = [cell for cell in cells if "," in cell]
    if any("." in cell for cell in cells) or not commas:
        return "."
    if not commas_part_cells or not all(_THOUSANDS.match(cell) for cell in commas):
        return ","
    whole = len(commas) < len(cells)  # 950 beside 1,050; decimals would be 950,000
    return "." if whole or all(cell.partition(",")[0].strip("+-") in _ONE_DIGIT for cell in commas) else ","


_ONE_DIGIT = frozenset("123456789")
"""Thousands: with three decimals people write larger figures."""


_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(?!\d)")
_PREFIXED = re.compile(r"(?P<prefix>[kKMGmµu]?)(?P<base>Wh|W|VA|V|A|Hz|J|Watts?|w|wh)|(?P<binary>[KMG])iB")
_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "m": 1e-3, "µ": 1e-6, "u": 1e-6}
_BINARY = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30}


def ratio(unit: str, usual: str) -> float:
    """What a figure in one unit is multiplied by to be in the one of its column; NaN where they are of another kind."""
    if unit == usual:
        return 1.0
    from_unit, to_unit = _PREFIXED.fullmatch(unit), _PREFIXED.fullmatch(usual)
    if from_unit is None or to_unit is None:
        return math.nan
    if from_unit["binary"] and to_unit["binary"]:
        return _BINARY[from_unit["binary"]] / _BINARY[to_unit["binary"]]
    if not from_unit["base"] or not to_unit["base"] or _base(from_unit["base"]) != _base(to_unit["base"]):
        return math.nan
    return _PREFIXES[from_unit["prefix"]] / _PREFIXES[to_unit["prefix"]]


def _base(unit: str) -> str:
    return "W" if unit.startswith("Watt") else unit.upper()


# Meters that write several lines a record, brought into a table of one row each.
#
#     // Profile 1, A, FAST
#     // SLM results, profile 1, TIME, PEAK, MAX, MIN, SPL, LEQ, SEL, OVL
#     // Record No, 1
#     DT, 11/01/2015, 20:43:25
#     P1, 1, 56.0, 42.7, 39.6, 42.7, 41.5, 41.5, 0
#
# Known from the manual of Svantek's SV 200A.

_PROFILE = re.compile(r"^// ?Profile (?P<number>\d+), (?P<weighting>\w+), (?P<detector>\w+)", re.MULTILINE)
_RESULTS = re.compile(r"^// ?SLM results, profile (?P<number>\d+), (?P<names>.+)$", re.MULTILINE)
_STATISTICS = re.compile(r"^// ?Statistical levels, (?P<levels>[\d, ]+)$", re.MULTILINE)
_MARK = re.compile(rb"^DT, ?[^,\r\n]+, ?[^,\r\n]+\r?\nP1,", re.MULTILINE)
_HEAD_BYTES = 16 * 1024


def in_rows(content: bytes, encoding: str) -> bytes:
    """The same figures as CSV with a heading; unchanged what has no such records."""
    if not _MARK.search(content[:_HEAD_BYTES]):
        return content
    text = content.decode(encoding, errors="replace").replace("\r\n", "\n")
    headings = {match["number"]: list(_headings(match, text)) for match in _RESULTS.finditer(text)}
    table = [["Date", "Time", *(heading for profile in headings.values() for heading in profile)]]
    for record in text.split("\nDT,")[1:]:
        moment, *lines = record.split("\n")
        cells = {line.partition(",")[0]: line.split(",")[1:] for line in lines if line.startswith("P")}
        row = [cell for number, names in headings.items() for cell in _padded(cells.get(f"P{number}", ()), len(names))]
        table.append([*moment.split(","), *row])
    return csv_text(table).encode(encoding, "replace")


def _headings(results: re.Match[str], text: str) -> Iterator[str]:
    """As other meters call them: LAeq, LAF, LAFmax, LA90."""
    profile = next((one for one in _PROFILE.finditer(text) if one["number"] == results["number"]), None)
    statistics = _STATISTICS.search(text)
    weighting = profile["weighting"] if profile else ""
    detector = profile["detector"][:1] if profile else ""
    level, own = f"L{weighting}", f"L{weighting}{detector}"
    usual = {"LEQ": f"{level}eq", "SPL": own, "MAX": f"{own}max", "MIN": f"{own}min", "PEAK": f"{level}peak"}
    for name in results["names"].split(", "):
        if name == "Lnn":
            yield from (f"{level}{part.strip()}" for part in (statistics["levels"] if statistics else "").split(","))
        else:
            of_profile = "" if name in usual else f"profile {results['number']} "
            yield usual.get(name, f"{of_profile}{name}")


def _padded(cells: Sequence[str], count: int) -> list[str]:
    return [cell.strip() for cell in [*cells, *[""] * count][:count]]
