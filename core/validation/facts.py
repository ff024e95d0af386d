"""What the words of a measured case say in figures: the card meant, how many, watts, fan speed, room."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from core.parts.part import Part
from core.parts.specs import GpuSpec, PsuSpec, RadiatorSpec
from core.parts.vocabulary import GpuCooling
from core.predict.components import GPU_TRAINING
from core.predict.thermal.spread import Triple
from core.validation.cases import Measured

_COUNT = re.compile(r"\b(\d{1,2})\s*x\s")
_BOARD_W = re.compile(r"(\d{2,4})(?:\.\d+)?\s*w board power")
_RANGE_W = re.compile(r"~?(\d{2,4})\s*-\s*(\d{2,4})\s*w\b")
_ANY_W = re.compile(r"~?(\d{2,4}(?:\.\d+)?)\s*w\b")
_FAN = re.compile(r"fans?\s+(\d{1,3})\s*%")
_RPM = re.compile(r"(\d{3,5}(?:\.\d+)?)(?:/\d+)?\s*rpm")
_ROOM = re.compile(r"(?:ambient|inlet)\s*~?\s*(\d{1,2}(?:\.\d)?)|\b(\d{2})\+-\d c\b")
_COOLING = (
    (GpuCooling.BLOWER, re.compile(r"blower|\bturbo\b|\bax0|a6000|6000 ada|reference cooler")),
    (GpuCooling.WATER_BLOCK, re.compile(r"water|waterblock|\bek\b")),
    (GpuCooling.PASSIVE, re.compile(r"passive")),
    (GpuCooling.OPEN_AIR, re.compile(r"open-air|axial|strix|gaming|trio|suprim|tuf|gamerock|fan cards?")),
)
_ADJACENT = re.compile(r"adjacent|stacked|directly on|side by side|no gap")
_GAP = re.compile(r"one slot gap|one free slot|slot gap")
_OPEN = re.compile(r"open bench|test bench|open frame|outside")
_SERVER = re.compile(r"server|rack")


_GAMES = re.compile(r"\bgam(?:es?|ing)\b|metro|cyberpunk|witcher")
GAMES: Triple = (0.78, 0.90, 1.0)
"""Board power over limit in games: 384 of 450 W as the average of many on an RTX 4090."""
_USUAL = (GpuCooling.OPEN_AIR, GpuCooling.FLOW_THROUGH)
"""Cooling of cards that nobody says more of."""


@dataclass(frozen=True)
class Facts:
    """Figures read from one case; None where the words do not say."""

    case: Measured

    @cached_property
    def count(self) -> int:
        """How many cards work."""
        found = _COUNT.search(self.case.configuration.lower())
        return int(found[1]) if found else 2 if " sli" in self.case.words else 1

    @cached_property
    def watts(self) -> float | None:
        """What one card draws, W: stated as board power, else a range or a single figure of the condition."""
        condition = self.case.condition.lower()
        if found := _BOARD_W.search(self.case.words):
            return float(found[1])
        if found := _RANGE_W.search(condition):
            return (float(found[1]) + float(found[2])) / 2
        found = _ANY_W.search(condition)
        return float(found[1]) if found else None

    @property
    def power_share(self) -> Triple:
        """What a card draws of its limit: games leave it idle now and then, training hardly ever."""
        return GAMES if _GAMES.search(self.case.condition.lower()) else GPU_TRAINING

    @cached_property
    def fan_share(self) -> float | None:
        """Share of full speed."""
        found = _FAN.search(self.case.condition.lower())
        return float(found[1]) / 100 if found else None

    @cached_property
    def rpm(self) -> float | None:
        """Speed of a fan."""
        found = _RPM.search(self.case.condition.lower())
        return float(found[1]) if found else None

    @cached_property
    def room_c(self) -> float | None:
        """Air before the machine or card, C."""
        found = _ROOM.search(self.case.words)
        return float(next(group for group in found.groups() if group)) if found else None

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


def card_of(case: Measured, parts: Iterable[Part]) -> Part | None:
    """The catalogue's part that the configuration means: its product is named; maker, name and cooling agree best."""
    words = _words(case.configuration)
    cooling = Facts(case).cooling
    found = []
    for part in parts:
        spec = part.spec
        if isinstance(spec, GpuSpec) and (product := _product_words(spec.product)) and _follow(product, words):
            named = len(set(words) & set(_words(part.title)))
            usual = cooling is None and spec.cooling in _USUAL
            known = spec.power_limit_w is not None
            found.append(((len(product), spec.cooling is cooling or usual, known, named), part.id, part))
    return max(found, key=lambda row: (row[0], row[1]))[2] if found else None


def supply_of(case: Measured, parts: Iterable[Part]) -> Part | None:
    """The power supply that the configuration names."""
    return _named(case, parts, PsuSpec)


def radiator_of(case: Measured, parts: Iterable[Part]) -> Part | None:
    """The radiator that the configuration names."""
    return _named(case, parts, RadiatorSpec)


def _named(case: Measured, parts: Iterable[Part], kind: type[PsuSpec | RadiatorSpec]) -> Part | None:
    """The part of a kind whose whole name stands in the configuration."""
    words = set(_words(case.configuration))
    found = [
        (len(words & set(_words(part.title))), part.id, part)
        for part in parts
        if isinstance(part.spec, kind) and set(_words(part.name)) - {"atx", "v2"} <= words
    ]
    return max(found)[2] if found else None


_FAMILIES = ("geforce", "nvidia", "quadro", "tesla", "gtx", "rtx", "generation")


def _product_words(product: str) -> list[str]:
    return [word for word in _words(product) if word not in _FAMILIES]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+\d+[a-z]*|\d+[a-z]*|[a-z]+", text.lower())


def _follow(wanted: list[str], words: list[str]) -> bool:
    """Whether the words stand in the text one after the other, and no suffix makes another product of them."""
    for start in range(len(words) - len(wanted) + 1):
        if words[start : start + len(wanted)] == wanted:
            after = words[start + len(wanted)] if start + len(wanted) < len(words) else ""
            return after not in ("ti", "super", "ada", "d", "xtx")
    return False
