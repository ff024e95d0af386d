"""Single values of recorded evidence in words: figures with units, sizes in bytes, lists, ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.machine.telemetry.metrics import BY_NAME, Metric
from core.present.report.formatting import commas, labelled, plain
from core.words import plain as figures
from core.words import tr, trc
from core.words.units import UNKNOWN, number

BYTES = "bytes"
MOST_LISTED = 12
SHOWN_OF_MORE = 4
SHARED_BY = 3
"""Keys that must have the same value before it is told once for all of them."""

_ALIASES: dict[str, Metric] = {"tflops": BY_NAME["throughput_tflops"]}
TITLES = {
    "power_held_pct": tr("Share of time held back"),
    "algbw_gbps": tr("Algorithm bandwidth"),
    "busbw_gbps": tr("Bus bandwidth"),
    "p50_ms": tr("Median time"),
    "p99_ms": tr("99th percentile"),
    "p2p": tr("Direct access between GPUs allowed"),
    "matrix_gbps": tr("Transfers between the GPUs"),
    "duplex_gbps": tr("Each way, both ways at once"),
    "latency_us": tr("Latency between the GPUs"),
    "no_overlap_pct": tr("Expected without overlap"),
    "efficiency_pct": tr("Scaling efficiency"),
    "check_every": tr("Results per check"),
    "compared_pct": tr("Results compared"),
    "coverage_pct": tr("Memory tested"),
    "coverage_of_free_pct": tr("Free memory tested"),
    "free_bytes": tr("Free memory"),
    "total_bytes": trc("of a card", "Memory"),
    "cache_bytes": tr("Cache size"),
    "peak_gbps": tr("Peak bandwidth"),
    "peak_tflops": tr("Peak throughput"),
    "wrong_bits": tr("Wrong bits"),
    "injected_on_purpose": tr("Injected on purpose"),
    "shrunk": tr("Shrunk"),
    "shapes": tr("Shapes"),
    "products": tr("Products"),
    "asked_for": tr("Requested"),
    "rows_computed_on_the_host": tr("Rows computed on the host"),
    "checksums": tr("Checksums"),
    "not_available": tr("Not available"),
    "wrong_words": tr("Wrong words"),
    "analysed_words": tr("Analysed words"),
    "right_when_read_again": tr("Correct on re-read"),
    "set_to_cleared": tr("Set to cleared"),
    "cleared_to_set": tr("Cleared to set"),
    "wrong_bits_by_place": tr("Wrong bits by position"),
    "wrong_by_block": tr("Wrong by block"),
    "wrong_by_stride": tr("Wrong by stride"),
    "errors_point_to": tr("Errors point to"),
    "first_wrong": tr("First wrong"),
    "headroom_bytes": tr("Headroom"),
    "tested_bytes": tr("Tested"),
    "reached_bytes": tr("Reached"),
    "coverage_means": tr("Coverage means"),
    "blocks": tr("Blocks"),
    "largest_block_bytes": tr("Largest block"),
    "passes": tr("Passes"),
    "patterns": tr("Patterns"),
    "left_out": tr("Left out"),
    "faded_s": tr("Retention time"),
    "rates": tr("Rates"),
    "buffer_bytes": tr("Buffer"),
    "buffers": tr("Buffers"),
    "pinned": tr("Pinned"),
    "near_processors": tr("Near processors"),
    "rounds": tr("Rounds"),
    "transfers": tr("Transfers"),
    "elements": tr("Elements"),
    "sizes": tr("Sizes"),
    "results_in_memory": tr("Results in memory"),
    "known_answers": tr("Known answers"),
    "beside_memory_tflops": tr("With memory load"),
    "verification_pct": tr("Verification"),
    "format": tr("Format"),
    "segments": tr("Segments"),
    "items_per_s": tr("Items"),
    "variation_pct": tr("Variation"),
    "windows": tr("Windows"),
    "network": trc("neural", "Network"),
    "parameters": trc("of a network", "Parameters"),
    "precision": tr("Precision"),
    "steps": tr("Steps"),
    "first_loss": tr("First loss"),
    "last_loss": tr("Last loss"),
    "starts": tr("Starts"),
    "requests": tr("Requests at once"),
    "prompt_tokens": tr("Prompt tokens"),
    "generated_tokens": tr("Generated tokens"),
    "answers": tr("Answers compared"),
    "step_bytes": tr("Read per decoded token"),
    "decode_gbps": tr("Decode bandwidth"),
    "share_of_bandwidth_pct": tr("Share of peak bandwidth"),
    "prefill_tflops": tr("Prefill throughput"),
    "host_difference_pct": tr("Difference from the host"),
    "path_difference_pct": tr("Difference from one pass"),
    "prefill": tr("Prefill"),
    "decode": tr("Decode"),
    "replays_identical": tr("Replays identical"),
    "replay": tr("Replay"),
    "runs": tr("Runs"),
    "states_compared": tr("States compared"),
    "ranks": tr("Ranks"),
    "backend": tr("Backend"),
    "retry_with": tr("Retry with"),
    "bytes": tr("Size"),
    "transport": tr("Transport"),
    "all_reduce": tr("All reduce"),
    "sustained": tr("Sustained"),
    "reduced": tr("Reduced"),
    "broadcast": tr("Broadcast"),
    "all_gather": tr("All gather"),
    "networks": tr("Networks"),
    "replicas_alike": tr("Replicas identical"),
    "parts": tr("Parts"),
    "processors": tr("Processors"),
    "wrong_by_processor": tr("Wrong by processor"),
    "memory": trc("of a board", "Memory"),
    "disk": tr("Disk"),
    "compared": tr("Compared"),
    "loss_spread_pct": tr("Loss spread"),
    "alone_step_ms": tr("Single-device step"),
    "gradient_bytes": tr("Gradient"),
    "gradient_ms": tr("Gradient"),
    "period_s": tr("Period"),
    "asked_duty_pct": tr("Requested duty"),
    "duty_pct": tr("Duty"),
    "cycles": tr("Cycles"),
    "missed_cycles": tr("Missed cycles"),
    "median_phase_error_ms": tr("Median phase error"),
    "largest_phase_error_ms": tr("Largest phase error"),
    "size": tr("Size"),
    "times": tr("Times"),
    "where": tr("Where"),
    "found_by": tr("Found by"),
    "folder": tr("Folder"),
    "file_system": tr("File system"),
    "file_bytes": tr("File"),
    "written_bytes": tr("Written"),
    "read_bytes": tr("Read"),
    "write_gbps": tr("Write"),
    "read_gbps": tr("Read"),
    "cache_dropped": tr("Cache dropped"),
    "moved_bytes": tr("Transferred"),
    "count": tr("Count"),
    "hashed_bytes": tr("Hashed"),
    "pattern": tr("Pattern"),
    "sweep": tr("Sweep"),
    "block": tr("Block"),
    "byte": tr("Byte"),
    "expected": tr("Expected"),
    "found": tr("Found"),
    "mask": tr("Mask"),
    "bits": tr("Bits"),
    "measured": tr("Measured"),
    "not_measured": tr("Not measured"),
    "counters_before": tr("Counters before"),
    "counters_gained": tr("Counters risen by"),
    "facts": tr("Facts"),
    "first_c": tr("At first"),
    "last_c": tr("At last"),
    "power_before_w": tr("Power before"),
    "special functions": tr("Special functions"),
    "atomics and shared memory": tr("Atomics and shared memory"),
    "video encoder and decoder": tr("Video encoder and decoder"),
    "copy engines": tr("Copy engines"),
}
"""What keys are called: those whose names are too short to be read, and all that other languages name."""
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
    return TITLES.get(key, title), "" if key in _COUNTS else unit


def has_title(key: str) -> bool:
    """Whether a key is named in every language."""
    return key in TITLES


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
        if unit == BYTES:
            return _size(value)
        return figures("{value} {unit}", value=number(value), unit=unit) if unit else number(value)
    if isinstance(value, str) and value in BY_NAME:
        return BY_NAME[value].title
    return plain(value)


def range_words(values: Sequence[Any], key: str) -> str:
    """ "5.2 to 7.5 GB/s"; the value alone where all are the same, all of them where they are no figures."""
    unit = labelled_key(key)[1]
    measured = [value for value in values if value is not None]
    if not measured:
        return UNKNOWN
    if all(value == measured[0] for value in measured):
        return in_words(measured[0], unit)
    if not all(isinstance(value, (int, float)) for value in measured):
        return in_words(measured, unit)
    low, high = min(measured), max(measured)
    return tr("{low} to {high}", low=in_words(low, unit if unit == BYTES else ""), high=in_words(high, unit))


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
        return commas(words)
    return tr("{items} and {count} more", items=commas(words[:SHOWN_OF_MORE]), count=len(words) - SHOWN_OF_MORE)


def _size(count: float) -> str:
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= factor:
            return figures("{count} {unit}", count=number(count / factor), unit=unit)
    return tr("{count} bytes", count=number(count))
