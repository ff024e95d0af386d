"""What a stage found on a device, from the recorded evidence into words.

Loads choose their own keys. A key that is a metric has that metric's title and unit; "rates" has the unit that stands
under "rate_unit"; any other key carries its unit in its name. Long lists and tables are told by their ranges: the JSON
report has all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.report.evidence_values import alike, in_words, is_metric, labelled_key, range_words, unit_of
from core.report.group_evidence import are_sizes, is_matrix, matrix_words, size_lines
from core.units import as_printed

_WARNINGS = "warnings"
_SELF_TEST = "self_test"
_VOUCHES_FOR = "vouches_for"
_BY_SIZE = "by_size"
_UNITS = "units"
_UNIT = "_unit"
_SEEN = "seen"
MATRICES = ("matrix_gbps", "duplex_gbps", "latency_us")
_FOR_MACHINES = frozenset({"simulated", "seed", "periods", "devices", "shape", "sizes_tried", "threads"})
"""Said elsewhere in the report, or of use to programs alone."""
FEW = 3
"""As many entries of a table are told one by one."""


def evidence_lines(evidence: Mapping[str, Any]) -> Iterator[str]:
    """All figures in one line, then lines of their own for tables, the self-test, and each warning.

    What is empty is left out; what the load could not tell is named at the end of the figures.
    """
    recorded = {key: value for key, value in evidence.items() if _is_unit(key, value)}
    units = {key.removesuffix(_UNIT) + "s": as_printed(value) for key, value in recorded.items()}
    apart = {key: value for key, value in evidence.items() if key in _APART and (not value or _APART[key](value))}
    told = {key: value for key, value in evidence.items() if key not in apart and _is_told(key, value)}
    if apart.get(_BY_SIZE):
        told.pop("rates", None)  # the same figures, of several units
    entries = [_entry(key, value, units.get(key)) for key, value in told.items() if value is not None]
    unknown = [labelled_key(key)[0] for key, value in told.items() if value is None]
    if unknown:
        entries.append(f"Unknown: {', '.join(unknown)}")
    if entries:
        yield "; ".join(entries)
    yield from (f"{labelled_key(key)[0]}: {matrix_words(apart[key], key)}" for key in MATRICES if apart.get(key))
    yield from size_lines(apart.get(_BY_SIZE) or {})
    yield from (_unit_line(name, entry) for name, entry in (apart.get(_UNITS) or {}).items())
    if vouched := apart.get(_VOUCHES_FOR):
        yield _vouching(vouched)
    if self_test := apart.get(_SELF_TEST):
        yield f"Self-test: {_self_test(self_test)}"
    warnings = apart.get(_WARNINGS) or ()
    yield from (f"Warning: {text}" for text in ([warnings] if isinstance(warnings, str) else warnings))


def _is_told(key: str, value: Any) -> bool:
    empty = isinstance(value, (list, Mapping, str)) and not value
    return not (empty or _is_unit(key, value) or key in _FOR_MACHINES)


def _is_unit(key: str, value: Any) -> bool:
    return key.endswith(_UNIT) and isinstance(value, str)


def _entry(key: str, value: Any, unit: str | None = None) -> str:
    title, named_unit = labelled_key(key)
    return f"{title}: {_told(value, named_unit if unit is None else unit)}"


def _told(value: Any, unit: str) -> str:
    """A figure, a list, or what is under a key, however deep."""
    if isinstance(value, Mapping):
        rows = list(value.values())
        if len(rows) > FEW and _is_table(rows):
            return f"{', '.join(map(str, value))}: {_ranges(rows)}"
        return _mapping(value, unit)
    if isinstance(value, list) and len(value) > FEW and _is_table(value):
        return f"{len(value)} entries: {_ranges(value)}"
    if isinstance(value, list) and _is_table(value):
        return "; ".join(_mapping(row, unit) for row in value)
    return in_words(value, unit)


def _mapping(value: Mapping[str, Any], unit: str) -> str:
    """ "float32 25 TFLOPS, float16 65 TFLOPS"; what several share is told once: "8192 for tf32, float16, int8"."""
    shared = alike(value)
    single = {key: item for key, item in value.items() if not any(key in keys for _, keys in shared)}
    words = [_inner(str(key), item, unit) for key, item in single.items() if key not in _FOR_MACHINES]
    for item, keys in shared:
        titles = ", ".join(_inner_title(str(key)) for key in keys)
        words.append(f"{in_words(item, unit_of(keys, unit))} for {titles}")
    return ", ".join(words)


def _inner(name: str, item: Any, unit: str) -> str:
    if isinstance(item, Mapping):
        return f"{_inner_title(name)} ({_told(item, unit)})" if item else f"{_inner_title(name)} none"
    return f"{_inner_title(name)} {_told(item, unit or labelled_key(name)[1])}"


def _inner_title(name: str) -> str:
    """The title of a metric or of a key with a unit; the name itself of any other, such as a number format."""
    title, unit = labelled_key(name)
    if not unit and not is_metric(name):
        return name.replace("_", " ")
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _is_table(rows: Sequence[Any]) -> bool:
    """Whether there are rows that have the same columns."""
    return bool(rows) and all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows)


def _ranges(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{_inner_title(key)} {range_words([row[key] for row in rows], key)}" for key in rows[0])


def _unit_line(name: str, entry: Mapping[str, Any]) -> str:
    """ "Copy engines: passed; Checks: 80; ..."; one that was not run says why."""
    figures = [_entry(key, value) for key, value in entry.items() if key not in ("status", "reason")]
    status = "NOT RUN" if entry["status"] == "not_run" else _told(entry["status"], "")
    why = [_told(entry["reason"], "").rstrip(".")] if entry.get("reason") else []
    return "; ".join([f"{name[:1].upper()}{name[1:]}: {', '.join([status, *why])}", *figures])


def _are_units(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(one, Mapping) and "status" in one for one in value.values())


def _self_test(found: Any) -> str:
    """ "saw bit flip, NaN"; what was not seen stands first."""
    if not isinstance(found, Mapping) or not all(isinstance(word, str) for word in found.values()):
        return _told(found, "")
    seen = [kind for kind, word in found.items() if word == _SEEN]
    other = [f"{kind}: {word}" for kind, word in found.items() if word != _SEEN]
    return "; ".join([*other, *([f"saw {', '.join(seen)}"] if seen else [])])


def _vouching(what: Sequence[str]) -> str:
    """What a training proves, and what it does not."""
    if list(what) == ["loss"]:
        return "Vouches for the loss only: a wrong bit that does not move the loss is not seen here"
    return f"Compared bit by bit: {', '.join(what)}"


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _are_sentences(value: Any) -> bool:
    return isinstance(value, str) or _are_words(value)


_APART: dict[str, Callable[[Any], bool]] = {
    _WARNINGS: _are_sentences,
    _SELF_TEST: bool,
    _VOUCHES_FOR: _are_words,
    _BY_SIZE: are_sizes,
    _UNITS: _are_units,
    **dict.fromkeys(MATRICES, is_matrix),
}
"""What has lines of its own, if it has the shape for them; else it is told as any other figure."""
