"""What a measured case says of its set-up, a column each: cards, watts, fans, air, room, PSU, parts of the machine.

An empty cell means that nobody said. Ranges keep out figures that make no sense.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from core.parts.vocabulary import Category, EfficiencyLevel, GpuCooling
from core.predict.band import Triple
from core.predict.components import GPU_TRAINING
from core.predict.conditions import LoadCase
from core.predict.speed.networks import ComputePrecision, Network
from core.words import joined, tr

_ONE = r"[+-]?\d{1,12}(?:[.,]\d{1,9})?"
_PLAIN = re.compile(rf"({_ONE})(?:\s*(?:-|to|\.\.)\s*({_ONE}))?")
_ABOUT = re.compile(r"^(?:~|≈|about|ca\.?|approx\.?)\s*", re.IGNORECASE)
_BOUND = re.compile(r"^(?:<|>|≤|≥|below|above|up to|at least|at most)", re.IGNORECASE)
_DASHES = str.maketrans({"−": "-", "–": "-", "—": "-", "\N{NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " "})
_THOUSANDS = re.compile(r"[+-]?\d{1,3},\d{3}")


class NotAFigure(ValueError):
    """The sentence says why not."""


def figure(text: str, unit: str = "") -> float:
    """The figure that a cell states, `unit` behind it or not; the middle of a range.

    Raises NotAFigure for everything else, bounds and ambiguous commas among it.
    """
    plain = text.translate(_DASHES).strip()
    if not plain:
        raise NotAFigure(tr("is empty"))
    if _BOUND.match(plain):
        raise NotAFigure(tr("is {text!r}, which is a bound, not a figure", text=text))
    plain = _ABOUT.sub("", plain)
    if unit and plain.lower().endswith(unit.lower()):
        plain = plain[: -len(unit)].rstrip()
    match = _PLAIN.fullmatch(plain)
    if match is None:
        raise NotAFigure(tr("is {text!r}, which is not a number", text=text))
    ends = [end for end in match.groups() if end]
    if any(_THOUSANDS.fullmatch(end) for end in ends):
        raise NotAFigure(
            tr("is {text!r}, whose comma may separate thousands or decimals; write a point or no comma", text=text)
        )
    values = [float(end.replace(",", ".")) for end in ends]
    return sum(values) / len(values)


GAMES: Triple = (0.78, 0.90, 1.0)
"""Board power over limit in games, and on the average of several: they leave a card idle now and then."""
MAXED: float = 1.2
"""Power over the own limit where a review raised it as far as it goes: 300 W on a GTX 1080 Ti of 250 W."""
WATTS, AIR_C, DBA = (1.0, 3000.0), (-10.0, 60.0), (0.0, 100.0)
YES = "yes"


class Sounding(StrEnum):
    """What makes the noise of a case, where it is neither a card nor fans of which each level is told."""

    PSU_FAN = "psu_fan"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A GPU or CPU of a machine with its watts, "gpu:4:350" in a cell."""

    category: Category
    count: int
    watts: float


def _unsaid(low: float, high: float) -> Any:
    return field(default=None, metadata={"range": (low, high)})


@dataclass(frozen=True, slots=True)
class Facts:
    """Columns of a case. Temperatures in C, watts of one card or of the machine, speeds in rpm, levels in dBA."""

    cards: int = field(default=1, metadata={"range": (1, 99)})
    """Cards at work."""
    other_cards: bool = False
    """Whether others sit in the same machine."""
    card: str = ""
    """The product that was measured, where the machine has several."""
    cooling: GpuCooling | None = None
    cooler_slots: float | None = _unsaid(0.8, 5.0)
    free_slots: int = field(default=1, metadata={"range": (0, 9)})
    """Between the cards."""
    in_the_open: bool = False
    """No case around, or a chassis whose air is that of the room."""
    load: LoadCase = LoadCase.TRAINING
    games: bool = False
    limits_maxed: bool = False
    """Whether power and temperature may go as high as the driver lets them."""
    card_w: float | None = _unsaid(*WATTS)
    """What one card draws."""
    limit_w: float | None = _unsaid(0.0, 3000.0)
    """Power limit of a card whose speed was measured, and that which it is compared with."""
    base_limit_w: float | None = _unsaid(0.0, 3000.0)
    window_ms: float | None = _unsaid(0.0, 1e6)
    """Duration of a peak."""
    fan_pct: float | None = _unsaid(0.0, 100.0)
    rpm: float | None = _unsaid(100.0, 25_000.0)
    room_c: float | None = _unsaid(*AIR_C)
    inlet_c: float | None = _unsaid(*AIR_C)
    """Air before the cards."""
    coolant_c: float | None = _unsaid(*AIR_C)
    background_dba: float | None = _unsaid(*DBA)
    """The room without what was measured."""
    sounding: Sounding | None = None
    fan_levels_dba: tuple[float, ...] | None = None
    """Of each fan alone, "26.5/27"; empty where they cannot be read."""
    open_panels_dba: float | None = _unsaid(*DBA)
    """The same machine without its panels."""
    network: Network | None = None
    precision: ComputePrecision | None = None
    dc_w: float | None = _unsaid(0.0, 1e9)
    psu_load_pct: float | None = _unsaid(0.0, 1e6)
    psu_w: float | None = _unsaid(0.0, 1e6)
    """Rating of a PSU that the catalogue lacks."""
    psu_level: EfficiencyLevel | None = None
    mains_v: float | None = _unsaid(90.0, 300.0)
    radiator_fan_mm: float | None = _unsaid(40.0, 200.0)
    radiator_fans: int | None = _unsaid(1, 9)
    parts: tuple[NamedPart, ...] = ()
    ram_modules: int | None = _unsaid(0, 99)
    server: bool = False
    """Whether its board has a BMC."""
    board_power_told: bool = False
    """Whether the cards' watts are what they draw, not their limit."""
    cards_alone: bool = False
    """Whether CPUs and memory are at rest under the load."""

    @property
    def among_others(self) -> bool:
        """Whether other cards sit in the same machine, working or not."""
        return self.cards > 1 or self.other_cards

    @property
    def power_share(self) -> Triple:
        """What a card draws of its limit: games leave it idle now and then, training hardly ever."""
        low, expected, high = (
            share * (MAXED if self.limits_maxed else 1.0) for share in (GAMES if self.games else GPU_TRAINING)
        )
        return low, expected, high

    @property
    def fan_share(self) -> float | None:
        """Share of full speed."""
        return None if self.fan_pct is None else self.fan_pct / 100


UNSAID = Facts()
FACT_COLUMNS = tuple(one.name for one in fields(Facts))
_RANGES = {one.name: one.metadata["range"] for one in fields(Facts) if "range" in one.metadata}


def read_facts(cells: Mapping[str, str]) -> Facts:
    """From the cells of a row by column. Raises NotAFigure with the column's name."""
    values = {}
    for name, text in cells.items():
        if text:
            try:
                values[name] = _READ.get(name, figure)(text)
                low, high = _RANGES.get(name, (None, None))
                if low is not None and not low <= values[name] <= high:
                    raise NotAFigure(
                        tr("is {text!r}, which is not between {low:g} and {high:g}", text=text, low=low, high=high)
                    )
            except ValueError as error:
                why = tr("is {text!r}, which is not valid there", text=text)
                if isinstance(error, NotAFigure):
                    why = error.args[0]
                raise NotAFigure(joined([name, why])) from error
    return Facts(**values)


def _whole(text: str) -> int:
    return int(text) if text.isascii() else int("x")


def _yes(text: str) -> bool:
    if text.lower() not in (YES, "no"):
        raise NotAFigure(tr("is {text!r}: write {yes}, or leave it empty", text=text, yes=YES))
    return text.lower() == YES


def _part(text: str) -> NamedPart:
    category, *figures = text.split(":")
    if category not in (Category.GPU, Category.CPU) or len(figures) != 2:
        raise NotAFigure(tr("is {text!r}, which is not a list of parts such as gpu:4:350", text=text))
    named = NamedPart(Category(category), _whole(figures[0]), figure(figures[1]))
    low, high = WATTS
    if not (1 <= named.count <= 99 and low <= named.watts <= high):
        raise NotAFigure(tr("has a part of {quantity} x {watts:g} W", quantity=named.count, watts=named.watts))
    return named


_READ: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("cards", "free_slots", "radiator_fans", "ram_modules"), _whole),
    **dict.fromkeys(
        ("other_cards", "in_the_open", "games", "limits_maxed", "server", "board_power_told", "cards_alone"), _yes
    ),
    "card": str,
    "cooling": GpuCooling,
    "load": LoadCase,
    "sounding": Sounding,
    "network": Network,
    "precision": ComputePrecision,
    "psu_level": EfficiencyLevel,
    "fan_levels_dba": lambda text: tuple(figure(one) for one in text.split("/")),
    "parts": lambda text: tuple(_part(one) for one in text.split()),
}
