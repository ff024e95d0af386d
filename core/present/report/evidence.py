"""What a stage found on a device, from the recorded evidence into words.

A key that is a metric has that metric's title and unit; rates have the unit that was told with them; any other key
carries its unit in its name. Long lists and tables are told by their ranges: the JSON report has all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from core.loads.evidence import Matrix, Rated, for_programs, plain, read
from core.loads.group.contract import DataParallelEvidence, NetworkEvidence
from core.loads.products.contract import SegmentEvidence
from core.loads.table import LOADS
from core.loads.training.contract import ReplayedTraining
from core.loads.units.contract import UnitEvidence
from core.present.report.evidence_values import (
    alike,
    has_title,
    in_words,
    is_metric,
    labelled_key,
    range_words,
    unit_of,
)
from core.present.report.formatting import commas, named, semicolons, within
from core.words import clause, current_language, tr, trn
from core.words import plain as figures

_SEEN = "seen"
MATRICES = ("matrix_gbps", "duplex_gbps", "latency_us")
_FOR_PROGRAMS = for_programs(
    *(entry.evidence for entry in LOADS), NetworkEvidence, ReplayedTraining, SegmentEvidence, UnitEvidence
) | {"rate_unit", "held_back_codes"}
"""Said elsewhere in the report, or of use to programs alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Apart:
    """What has lines of its own, if it is of the type for them; else it is told as any other figure."""

    warnings: tuple[str, ...] | None = None
    self_test: Mapping[str, str] | None = None
    vouches_for: tuple[str, ...] | None = None
    by_size: Mapping[str, DataParallelEvidence] | None = None
    units: Mapping[str, UnitEvidence] | None = None
    matrix_gbps: Matrix | None = None
    duplex_gbps: Matrix | None = None
    latency_us: Matrix | None = None

    def holds(self, key: str, value: Any) -> bool:
        """Whether this is told apart: also where it is empty."""
        return key in _APART and (not value or getattr(self, key) is not None)


_STATUS = {"passed": tr("passed"), "failed": tr("failed"), "not_run": tr("NOT RUN")}
_APART = frozenset(one.name for one in fields(_Apart))
FEW = 3
"""As many entries of a table are told one by one."""


def evidence_lines(evidence: Mapping[str, Any]) -> Iterator[str]:
    """All figures in one line, then lines of their own for tables, the self-test, and each warning.

    What is empty is left out; what the load could not tell is named at the end of the figures.
    """
    apart, rate_unit = read(_Apart, evidence), read(Rated, evidence).rate_unit
    values = {key: value for key, value in evidence.items() if not apart.holds(key, value) and _is_told(key, value)}
    if apart.by_size:
        values.pop("rates", None)  # the same figures, of several units
    entries = [
        _entry(key, value, rate_unit if key == "rates" else None) for key, value in values.items() if value is not None
    ]
    unknown = [labelled_key(key)[0] for key, value in values.items() if value is None]
    if unknown:
        entries.append(tr("Unknown: {figures}", figures=commas(unknown)))
    if entries:
        yield semicolons(entries)
    yield from _lines_apart(apart)


def _lines_apart(apart: _Apart) -> Iterator[str]:
    for key in MATRICES:
        if matrix := getattr(apart, key):
            yield named(labelled_key(key)[0], matrix_words(matrix, key))
    yield from size_lines(apart.by_size or {})
    yield from (_unit_line(name, unit) for name, unit in (apart.units or {}).items())
    if apart.vouches_for:
        yield _vouching(apart.vouches_for)
    if apart.self_test:
        yield tr("Self-test: {found}", found=_self_test(apart.self_test))
    yield from (tr("Warning: {warning}", warning=text) for text in apart.warnings or ())


def _is_told(key: str, value: Any) -> bool:
    empty = isinstance(value, (list, Mapping, str)) and not value
    return not (empty or key in _FOR_PROGRAMS)


def _entry(key: str, value: Any, unit: str | None = None) -> str:
    title, named_unit = labelled_key(key)
    return named(title, _value_words(value, named_unit if unit is None else unit))


def _value_words(value: Any, unit: str) -> str:
    """A figure, a list, or what is under a key, however deep."""
    if isinstance(value, Mapping):
        rows = list(value.values())
        if len(rows) > FEW and _is_table(rows):
            return named(commas(map(str, value)), _ranges(rows))
        return _mapping(value, unit)
    if isinstance(value, list) and len(value) > FEW and _is_table(value):
        return tr("{count} entries: {ranges}", count=len(value), ranges=_ranges(value))
    if isinstance(value, list) and _is_table(value):
        return semicolons(_mapping(row, unit) for row in value)
    return in_words(value, unit)


def _mapping(value: Mapping[str, Any], unit: str) -> str:
    """ "float32 25 TFLOPS, float16 65 TFLOPS"; what several share is told once: "8192 for tf32, float16, int8"."""
    shared = alike(value)
    single = {key: item for key, item in value.items() if not any(key in keys for _, keys in shared)}
    words = [_inner(str(key), item, unit) for key, item in single.items() if key not in _FOR_PROGRAMS]
    for item, keys in shared:
        titles = commas(_inner_title(str(key)) for key in keys)
        words.append(tr("{figure} for {names}", figure=in_words(item, unit_of(keys, unit)), names=titles))
    return commas(words)


def _inner(name: str, item: Any, unit: str) -> str:
    title = _inner_title(name)
    if not isinstance(item, Mapping):
        return figures("{name} {figure}", name=title, figure=_value_words(item, unit or labelled_key(name)[1]))
    if not item:
        return tr("{name} none", name=title)
    return tr("{name} ({figures})", name=title, figures=_value_words(item, unit))


def _inner_title(name: str) -> str:
    """The title of a metric or of a key with a unit; the name itself of any other, such as a number format."""
    title, unit = labelled_key(name)
    if not unit and not is_metric(name) and (current_language() == "en" or not has_title(name)):
        return name.replace("_", " ")
    return within(title)


def _is_table(rows: Sequence[Any]) -> bool:
    """Whether there are rows that have the same columns."""
    return bool(rows) and all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows)


def _ranges(rows: Sequence[Mapping[str, Any]]) -> str:
    return commas(
        figures("{name} {figure}", name=_inner_title(key), figure=range_words([row[key] for row in rows], key))
        for key in rows[0]
    )


def _unit_line(name: str, unit: UnitEvidence) -> str:
    """ "Copy engines: passed; Checks: 80; ..."; one that was not run says why."""
    values = {key: value for key, value in plain(unit).items() if key not in ("status", "reason")}
    status = _STATUS.get(unit.status or "", unit.status or "")
    head = named(labelled_key(name)[0], commas((status, clause(unit.reason) if unit.reason else "")))
    return semicolons([head, *(_entry(key, value) for key, value in values.items())])


def _self_test(results: Mapping[str, str]) -> str:
    """ "saw bit flip, NaN"; what was not seen stands first."""
    seen = [kind for kind, word in results.items() if word == _SEEN]
    other = [named(kind, word) for kind, word in results.items() if word != _SEEN]
    return semicolons([*other, *([tr("saw {kinds}", kinds=commas(seen))] if seen else [])])


def _vouching(what: Sequence[str]) -> str:
    """What a training proves, and what it does not."""
    if list(what) == ["loss"]:
        return tr("Covers the loss only: a wrong bit that does not change the loss goes unnoticed here")
    return tr("Compared bit by bit: {what}", what=commas(what))


_TOLD_OF_A_NETWORK = ("images_per_s", "tokens_per_s", "efficiency_pct", "no_overlap_pct", "busbw_gbps")


def matrix_words(matrix: Matrix, key: str) -> str:
    """The least and the greatest figure of a matrix, with the places of the two devices: row from, column to."""
    unit = labelled_key(key)[1]
    cells = [(figure, start, end) for start, row in enumerate(matrix) for end, figure in enumerate(row)]
    figures = [(figure, start, end) for figure, start, end in cells if figure is not None]
    if not figures:
        return tr("none was measured")
    least, most = min(figures), max(figures)
    missing = sum(figure is None for figure, start, end in cells if start != end)
    words = tr("{low} to {high}", low=_pair(least, unit), high=_pair(most, unit))
    return semicolons((words, tr("{count} not measured", count=missing))) if missing else words


def size_lines(by_size: Mapping[str, DataParallelEvidence]) -> Iterator[str]:
    """A line for each number of devices that trained together: what each network reached."""
    for size, evidence in by_size.items():
        networks = semicolons(_network(name, values) for name, values in (evidence.networks or {}).items())
        if networks and str(size).isdigit():
            fields = {"count": int(size), "networks": networks}
            yield trn("On {count} device: {networks}", "On {count} devices: {networks}", **fields)


def _network(name: str, evidence: NetworkEvidence) -> str:
    words = []
    for key in _TOLD_OF_A_NETWORK:
        if (value := getattr(evidence, key)) is not None:
            title, unit = labelled_key(key)
            figure = in_words(value, unit)
            rate = key.endswith("_per_s")
            words.append(figure if rate else figures("{name} {figure}", name=within(title), figure=figure))
    if evidence.replicas_alike is not None:
        words.append(tr("replicas identical") if evidence.replicas_alike else tr("REPLICAS DIFFER"))
    return figures("{name} {figures}", name=name, figures=commas(words))


def _pair(figure: tuple[float, int, int], unit: str) -> str:
    value, start, end = figure
    return tr("{figure} (device {start} to {end})", figure=in_words(value, unit), start=start, end=end)
