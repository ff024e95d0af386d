"""What loads of several devices together found: figures between each two, and training on more and more of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.loads.evidence import Matrix
from core.loads.group.evidence import DataParallelEvidence, NetworkEvidence
from core.report.evidence_values import in_words, labelled_key

_TOLD_OF_A_NETWORK = ("images_per_s", "tokens_per_s", "efficiency_pct", "no_overlap_pct", "busbw_gbps")


def matrix_words(matrix: Matrix, key: str) -> str:
    """The least and the greatest figure of a matrix, with the places of the two devices: row from, column to."""
    unit = labelled_key(key)[1]
    cells = [(figure, start, end) for start, row in enumerate(matrix) for end, figure in enumerate(row)]
    figures = [(figure, start, end) for figure, start, end in cells if figure is not None]
    if not figures:
        return "none was measured"
    least, most = min(figures), max(figures)
    missing = sum(figure is None for figure, start, end in cells if start != end)
    words = f"{_pair(least, unit)} to {_pair(most, unit)}"
    return f"{words}; {missing} not measured" if missing else words


def size_lines(by_size: Mapping[str, DataParallelEvidence]) -> Iterator[str]:
    """A line for each number of devices that trained together: what each network reached."""
    for size, found in by_size.items():
        devices = "1 device" if str(size) == "1" else f"{size} devices"
        told = [_network(name, values) for name, values in (found.networks or {}).items()]
        if told:
            yield f"On {devices}: {'; '.join(told)}"


def _network(name: str, found: NetworkEvidence) -> str:
    told = [
        f"{'' if key.endswith('_per_s') else labelled_key(key)[0].lower() + ' '}{in_words(value, unit)}"
        for key in _TOLD_OF_A_NETWORK
        if (value := getattr(found, key)) is not None
        for unit in [labelled_key(key)[1]]
    ]
    if found.replicas_alike is not None:
        told.append("replicas alike" if found.replicas_alike else "REPLICAS DIFFER")
    return f"{name} {', '.join(told)}"


def _pair(figure: tuple[float, int, int], unit: str) -> str:
    value, start, end = figure
    return f"{in_words(value, unit)} (device {start} to {end})"
