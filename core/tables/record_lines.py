"""Meters that write several lines a record, brought into a table of one row each.

    // Profile 1, A, FAST
    // SLM results, profile 1, TIME, PEAK, MAX, MIN, SPL, LEQ, SEL, OVL
    // Record No, 1
    DT, 11/01/2015, 20:43:25
    P1, 1, 56.0, 42.7, 39.6, 42.7, 41.5, 41.5, 0

Known from the manual of Svantek's SV 200A.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.spreadsheet import csv_text

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
        figures = [
            cell for number, names in headings.items() for cell in _padded(cells.get(f"P{number}", ()), len(names))
        ]
        table.append([*moment.split(","), *figures])
    return csv_text(table).encode(encoding, "replace")


def _headings(results: re.Match[str], text: str) -> Iterator[str]:
    """As other meters call them: LAeq, LAF, LAFmax, LA90."""
    profile = next(
        (candidate for candidate in _PROFILE.finditer(text) if candidate["number"] == results["number"]), None
    )
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
