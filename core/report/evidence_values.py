"""Single values of recorded evidence in words: figures with units, sizes in bytes, lists, ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.report.formatting import labelled, plain
from core.telemetry.metrics import BY_NAME, Metric
from core.units import UNKNOWN, number

BYTES = "bytes"
MOST_LISTED = 12
SHOWN_OF_MORE = 4
SHARED_BY = 3
"""Keys that must have the same value before it is told once for all of them."""

_ALIASES: dict[str, Metric] = {"tflops": BY_NAME["throughput_tflops"]}
_TITLES = {
    "power_held_pct": "Time in which that held",
    "algbw_gbps": "Algorithm bandwidth",
    "busbw_gbps": "Bus bandwidth",
    "p50_ms": "Median time",
    "p99_ms": "99th percentile",
    "p2p": "Direct access between GPUs allowed",
    "matrix_gbps": "Transfers between the GPUs",
    "duplex_gbps": "Each way, both ways at once",
    "latency_us": "Latency between the GPUs",
    "no_overlap_pct": "Expected without overlap",
    "efficiency_pct": "Scaling efficiency",
    "check_every": "One check in so many results",
    "compared_pct": "Results compared",
    "coverage_pct": "Memory tested",
    "coverage_of_free_pct": "Free memory tested",
    "free_bytes": "Free memory",
    "total_bytes": "Memory",
    "cache_bytes": "Cache before the memory",
    "peak_gbps": "Peak bandwidth",
    "peak_tflops": "Peak throughput",
    "wrong_bits": "Wrong bits",
}
"""Keys whose names are too short to be read."""
_COUNTS = ("wrong_bits",)
"""Keys that end as a unit does, and have none."""


def labelled_key(key: str) -> tuple[str, str]:
    """Title and unit of a key."""
    metric = BY_NAME.get(key) or _ALIASES.get(key)
    if metric:
        return metric.title, metric.unit
    title, unit = labelled(key)
    if key == BYTES or key.endswith(f"_{BYTES}"):
        title, unit = labelled(key.removesuffix(BYTES).rstrip("_") or "size")[0], BYTES
    return _TITLES.get(key, title), "" if key in _COUNTS else unit


def is_metric(key: str) -> bool:
    """Whether a key names something that is also recorded as samples."""
    return key in BY_NAME or key in _ALIASES


def unit_of(keys: Sequence[str], unit: str) -> str:
    """The given unit, or that of the keys where all have the same."""
    own = {labelled_key(str(key))[1] for key in keys}
    return unit or (own.pop() if len(own) == 1 else "")


def in_words(value: Any, unit: str) -> str:
    """A figure with its unit, a list with commas, a metric by its title."""
    if isinstance(value, (list, tuple)):
        return _listed([in_words(item, unit) for item in value])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _size(value) if unit == BYTES else f"{number(value)} {unit}".strip()
    if isinstance(value, str) and value in BY_NAME:
        return BY_NAME[value].title
    return plain(value)


def range_words(values: Sequence[Any], key: str) -> str:
    """ "5.2 to 7.5 GB/s"; the value alone where all are the same, all of them where they are no figures."""
    unit = labelled_key(key)[1]
    known = [value for value in values if value is not None]
    if not known:
        return UNKNOWN
    if all(value == known[0] for value in known):
        return in_words(known[0], unit)
    if not all(isinstance(value, (int, float)) for value in known):
        return in_words(known, unit)
    low, high = min(known), max(known)
    return f"{in_words(low, unit if unit == BYTES else '')} to {in_words(high, unit)}"


def alike(value: Mapping[str, Any]) -> list[tuple[Any, list[str]]]:
    """The values that several keys share, each with its keys."""
    groups: list[tuple[Any, list[str]]] = []
    for key, item in value.items():
        if isinstance(item, Mapping):
            continue
        same = next((keys for other, keys in groups if other == item and type(other) is type(item)), None)
        if same is None:
            groups.append((item, [key]))
        else:
            same.append(key)
    return [(item, keys) for item, keys in groups if len(keys) >= SHARED_BY]


def _listed(words: list[str]) -> str:
    if len(words) <= MOST_LISTED:
        return ", ".join(words)
    return f"{', '.join(words[:SHOWN_OF_MORE])} and {len(words) - SHOWN_OF_MORE} more"


def _size(count: float) -> str:
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= factor:
            return f"{number(count / factor)} {unit}"
    return f"{number(count)} {BYTES}"
