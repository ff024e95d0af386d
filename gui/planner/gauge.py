"""What one gauge under the plan shows, and what all of them are called."""

from __future__ import annotations

from dataclasses import dataclass

from core.language import tr

WALL_IDLE, WALL_TRAINING = tr("Idle, at the wall"), tr("Training, at the wall")
PSU_LOAD = tr("PSU load, unthrottled")
HOTTEST_GPU = tr("Hottest GPU")
NOISE_IDLE, NOISE_TRAINING = tr("Noise, idle"), tr("Noise, training")
PRICE = tr("Price")
TITLES = (WALL_IDLE, WALL_TRAINING, PSU_LOAD, HOTTEST_GPU, NOISE_IDLE, NOISE_TRAINING, PRICE)
"""In the order in which they stand."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """`low`, `expected` and `high` are shares of the scale; `limit` is the share at which the mark is drawn.

    `tone` names a colour of the theme. Shares are None where there is nothing to draw. `section` of the predictions
    tells more.
    """

    title: str
    value: str
    unit: str = ""
    foot: str = ""
    short: str = ""
    """In the place of the foot where that has no room."""
    tone: str = "muted"
    low: float | None = None
    expected: float | None = None
    high: float | None = None
    limit: float | None = None
    details: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Unknown figures, part id and field."""
    lacking: str = ""
    """Those, in a sentence."""
    section: str = ""
