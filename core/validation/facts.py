"""What the words of a measured case say in figures: how many cards, watts, fan speed, air, slots, room.

Words are written by anybody: a figure that makes no sense counts as not said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from core.parts.vocabulary import GpuCooling
from core.predict.band import Triple
from core.predict.components import GPU_TRAINING
from core.validation.cases import Measured
from core.validation.figures import NUMBER

_COUNT = re.compile(r"\b(\d{1,2})\s*x\s")
_OTHERS = re.compile(r"\b\d{1,2}-(?:card|slot) (?:machine|server)")
_BOARD_W = re.compile(rf"({NUMBER})\s*w board power")
_RANGE_W = re.compile(rf"~?({NUMBER})\s*-\s*({NUMBER})\s*w\b")
_ANY_W = re.compile(rf"~?({NUMBER})\s*w\b")
_FAN = re.compile(rf"fans?\s+({NUMBER})\s*%")
_RPM = re.compile(rf"({NUMBER})(?:/\d+)?\s*rpm")
_INLET = re.compile(rf"inlet\s*~?\s*({NUMBER})")
_ROOM = re.compile(rf"ambient\s*~?\s*({NUMBER})|\b({NUMBER})\+-\d c\b")
_COOLANT = re.compile(rf"(?:coolant|water)\s*~?\s*({NUMBER}) c\b|({NUMBER}) c (?:coolant|water)")
_SLOTS = re.compile(rf"\b({NUMBER})[ -]slot\b")
_BACKGROUND = re.compile(rf"background\s+({NUMBER})\s*dba")
_COOLING = (
    (GpuCooling.BLOWER, re.compile(r"blower|\bturbo\b|\bax0|a6000|6000 ada|max-q|reference cooler")),
    (GpuCooling.WATER_BLOCK, re.compile(r"water|waterblock|\bek\b")),
    (GpuCooling.PASSIVE, re.compile(r"passive")),
    (GpuCooling.OPEN_AIR, re.compile(r"open-air|axial|strix|gaming|trio|suprim|tuf|gamerock|fan cards?")),
)
_ADJACENT = re.compile(r"adjacent|stacked|directly on|side by side|no gap")
_GAP = re.compile(r"one slot gap|one free slot|slot gap")
_OPEN = re.compile(r"open bench|test bench|open frame|outside")
_SERVER = re.compile(r"server|rack")
_MAXED = re.compile(r"limits?(?: are)? (?:maxed|raised|at maximum)")

_GAMES = re.compile(r"\bgam(?:es?|ing)\b|metro|cyberpunk|witcher|\baverage\b")
GAMES: Triple = (0.78, 0.90, 1.0)
"""Board power over limit in games, and on the average of several: they leave a card idle now and then."""
MAXED: float = 1.2
"""Power over the own limit where a review raised it as far as it goes: 300 W on a GTX 1080 Ti of 250 W."""
PLAUSIBLE = {"watts": (1.0, 3000.0), "rpm": (100.0, 25_000.0), "air_c": (-10.0, 60.0), "slots": (0.8, 5.0)}


@dataclass(frozen=True)
class Facts:
    """Figures read from one case; None where the words do not say."""

    case: Measured

    @cached_property
    def count(self) -> int:
        """How many cards work."""
        found = _COUNT.search(self.case.configuration.lower())
        return max(1, int(found[1])) if found else 2 if " sli" in self.case.words else 1

    @property
    def among_others(self) -> bool:
        """Whether other cards sit in the same machine, working or not."""
        return self.count > 1 or bool(_OTHERS.search(self.case.words))

    @cached_property
    def watts(self) -> float | None:
        """What one card draws, W: stated as board power, else a range or a single figure of the condition."""
        condition = self.case.condition.lower()
        if found := _BOARD_W.search(self.case.words):
            return _plausible("watts", found[1])
        if found := _RANGE_W.search(condition):
            ends = [_plausible("watts", end) for end in found.groups()]
            return None if None in ends else sum(end or 0.0 for end in ends) / 2
        found = _ANY_W.search(condition)
        return _plausible("watts", found[1]) if found else None

    @property
    def power_share(self) -> Triple:
        """What a card draws of its limit: games leave it idle now and then, training hardly ever."""
        usual = GAMES if _GAMES.search(self.case.condition.lower()) else GPU_TRAINING
        low, expected, high = (share * (MAXED if self.limits_maxed else 1.0) for share in usual)
        return low, expected, high

    @property
    def limits_maxed(self) -> bool:
        """Whether power and temperature may go as high as the driver lets them."""
        return bool(_MAXED.search(self.case.condition.lower()))

    @cached_property
    def fan_share(self) -> float | None:
        """Share of full speed."""
        found = _FAN.search(self.case.condition.lower())
        share = float(found[1]) / 100 if found else None
        return share if share is not None and share <= 1 else None

    @cached_property
    def rpm(self) -> float | None:
        """Speed of a fan."""
        found = _RPM.search(self.case.condition.lower()) or _RPM.search(self.case.configuration.lower())
        return _plausible("rpm", found[1]) if found else None

    @cached_property
    def room_c(self) -> float | None:
        """Air of the room, C."""
        found = _ROOM.search(self.case.words)
        return _plausible("air_c", next(group for group in found.groups() if group)) if found else None

    @cached_property
    def inlet_c(self) -> float | None:
        """Air before the cards, C."""
        found = _INLET.search(self.case.words)
        return _plausible("air_c", found[1]) if found else None

    @cached_property
    def coolant_c(self) -> float | None:
        """Water at the card, C."""
        found = _COOLANT.search(self.case.words)
        return _plausible("air_c", next(group for group in found.groups() if group)) if found else None

    @cached_property
    def slots(self) -> float | None:
        """Width of the cooler."""
        found = _SLOTS.search(self.case.configuration.lower())
        return _plausible("slots", found[1]) if found else None

    @cached_property
    def background_dba(self) -> float | None:
        """The room without what was measured."""
        found = _BACKGROUND.search(self.case.condition.lower())
        return float(found[1]) if found and float(found[1]) <= 100 else None

    @cached_property
    def cooling(self) -> GpuCooling | None:
        """The kind of cooler that is named."""
        words = self.case.configuration.lower()
        return next((kind for kind, pattern in _COOLING if pattern.search(words)), None)

    @property
    def free_slots(self) -> int:
        """Between the cards: none where they are said to touch, else one."""
        return 0 if _ADJACENT.search(self.case.words) and not _GAP.search(self.case.words) else 1

    @property
    def in_the_open(self) -> bool:
        """No case around, or a chassis whose air is that of the room."""
        return bool(_OPEN.search(self.case.words) or _SERVER.search(self.case.words))


def _plausible(what: str, text: str) -> float | None:
    low, high = PLAUSIBLE[what]
    return value if low <= (value := float(text)) <= high else None
