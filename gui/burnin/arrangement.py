"""How the charts of a run are arranged: all cards in one chart, a chart for each card, or strips of heat. Qt-free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

COLUMNS = 2
MOST_COLUMNS = 4


class Arrangement(StrEnum):
    """What the user asked for."""

    TOGETHER = "together"
    """A chart per metric, a curve per device."""
    EACH = "each"
    """A chart per device, of one metric, all over the same range."""
    HEAT = "heat"
    """A strip of one metric, a row per device, coloured by its distance from the median."""


@dataclass(frozen=True, slots=True)
class ChartCell:
    """A chart in the grid; `position` is that of its only device, None for all of them."""

    metric: str
    position: int | None
    row: int
    column: int
    columns: int


def columns_of(arrangement: Arrangement, devices: int) -> int:
    """How many charts stand side by side."""
    match arrangement:
        case Arrangement.TOGETHER:
            return COLUMNS
        case Arrangement.EACH:
            return next((count for count in (1, 2, 3) if devices <= count * count), MOST_COLUMNS)
        case Arrangement.HEAT:
            return 1


def cells(arrangement: Arrangement, metrics: Sequence[str], metric: str, positions: Sequence[int]) -> list[ChartCell]:
    """Row by row; a last chart that stands alone is as wide as the grid."""
    wanted: list[tuple[str, int | None]]
    match arrangement:
        case Arrangement.TOGETHER:
            wanted = [(name, None) for name in metrics]
        case Arrangement.EACH:
            wanted = [(metric, position) for position in positions]
        case Arrangement.HEAT:
            wanted = [(metric, None)]
    across = columns_of(arrangement, len(positions))
    alone = len(wanted) - 1 if len(wanted) % across == 1 and arrangement is Arrangement.TOGETHER else None
    return [
        ChartCell(name, position, place // across, place % across, across if place == alone else 1)
        for place, (name, position) in enumerate(wanted)
    ]
