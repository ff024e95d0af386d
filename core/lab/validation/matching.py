"""Which part of the catalogue a measured case is about, and what of it may predict that case.

A figure that comes from the very measurement would predict itself: it is left out. So are another maker's level and
resistance where a card only stands in for the one that was measured.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mode
from typing import Any

from core.lab.validation.cases import Measured
from core.parts.part import Part
from core.parts.specs import GpuSpec, PsuSpec, RadiatorSpec
from core.parts.vocabulary import GpuCooling

_FAMILIES = ("geforce", "nvidia", "quadro", "tesla", "gtx", "rtx", "generation")
_OTHERS = ("ti", "super", "ada", "d", "xtx")
"""Behind a product's name they make another product of it."""
_MEMORY = re.compile(r"[a-z]?\d+gb?")
_SCHEME = re.compile(r"https?://(?:www\d?\.)?")
_PAGE = re.compile(r"(?:\?.*|/\d{1,2})?/?$")
_OF_THE_CARD: dict[str, Any] = {"noise": (), "thermal_resistance_k_per_w": None}
"""Blank for what one maker's card has and another's does not."""
_MEASURED: dict[str, Any] = {
    **_OF_THE_CARD,
    "temperature_target_c": None,
    "excursions": (),
    "fan_speeds": (),
    "efficiency": (),
    "points": (),
}


@dataclass(frozen=True, slots=True)
class MatchedCard:
    """The card of a case; `others` could be meant as well, where only the chip is named."""

    part: Part
    spec: GpuSpec
    others: tuple[GpuSpec, ...] = ()


def card_of(case: Measured, parts: Iterable[Part]) -> MatchedCard | None:
    """The card that the words mean, without what was read off this case; its product is named.

    Of several maker, name and cooling agree best. Where none is named, any of the product may be meant that has its
    usual power limit; each lends its size only.
    """
    cards = [part for part in parts if isinstance(part.spec, GpuSpec)]
    matches = _cards(_words(case.facts.card), case, cards) if case.facts.card else []
    matches = matches or _cards(_words(case.configuration), case, cards)
    own = [without_itself(part, case) for part in matches]
    return MatchedCard(own[0], _gpu(own[0]), tuple(_gpu(part) for part in own[1:])) if own else None


def psu_of(case: Measured, parts: Iterable[Part]) -> Part | None:
    """The PSU that the configuration names."""
    return _named(case, parts, PsuSpec)


def radiator_of(case: Measured, parts: Iterable[Part]) -> Part | None:
    """The radiator that the configuration names."""
    return _named(case, parts, RadiatorSpec)


def without_itself(part: Part, case: Measured) -> Part:
    """The part without the figures that come from the source of the case."""
    covered = {field for source in part.sources if _is_of(source.url, case.source) for field in source.covered}
    return _blank(part, {field: empty for field, empty in _MEASURED.items() if field in covered})


def _cards(words: list[str], case: Measured, cards: Sequence[Part]) -> list[Part]:
    """The one that is named, or those that may stand in for it; the first of them in the middle of their widths."""
    if "fe" in words:
        words = [*words, "founders", "edition"]
    cooling = case.facts.cooling or GpuCooling.OPEN_AIR
    ranked = []
    for part in cards:
        product = [word for word in _words(_gpu(part).product) if word not in _FAMILIES]
        if product and _follow(product, words):
            shared = len(set(words) & set(_words(part.title)))
            rank = (len(product), _matches(part, product, words), _gpu(part).cooling is cooling, shared)
            ranked.append((rank, part))
    if not ranked:
        return []
    best = max(rank for rank, _ in ranked)
    limit_w = _usual_limit_w(part for rank, part in ranked if rank[0] == best[0])
    equals = [_with_limit(part, limit_w) for rank, part in ranked if rank == best]
    if best[1]:
        return equals[:1]
    usual = (
        sorted(
            (part for part in equals if _gpu(part).power_limit_w == limit_w or len(equals) == 1),
            key=lambda part: (_gpu(part).width_slots or 0.0, part.id),
        )
        or equals
    )
    middle = usual.pop(len(usual) // 2)
    alike = (part for part in usual if _gpu(part).cooling is _gpu(middle).cooling)
    return [_standing_in(part, case) for part in (middle, *alike)]


def _gpu(part: Part) -> GpuSpec:
    assert isinstance(part.spec, GpuSpec)
    return part.spec


def _usual_limit_w(parts: Iterable[Part]) -> float | None:
    limits = [limit for part in parts if (limit := _gpu(part).power_limit_w)]
    return mode(limits) if limits else None


def _with_limit(part: Part, limit_w: float | None) -> Part:
    """With the usual limit of its product where its own is unknown."""
    return part if _gpu(part).power_limit_w is not None else _blank(part, {"power_limit_w": limit_w})


def _matches(part: Part, product: list[str], words: list[str]) -> bool:
    """Whether every word of the card's name is said, and its maker; NVIDIA's own cards are known by their names."""
    own = {word for word in _words(part.name) if word not in (*product, *_FAMILIES) and not _MEMORY.fullmatch(word)}
    maker = set(_words(part.maker))
    by_nvidia = maker == {"nvidia"} and ("founders" in own or not part.title.startswith("NVIDIA GeForce"))
    return own <= set(words) and (by_nvidia or maker <= set(words))


def _standing_in(part: Part, case: Measured) -> Part:
    slots = case.facts.cooler_slots
    return _blank(part, _OF_THE_CARD | ({"width_slots": slots} if slots else {}))


def _named(case: Measured, parts: Iterable[Part], kind: type[PsuSpec | RadiatorSpec]) -> Part | None:
    """The part of a kind whose whole name stands in the configuration."""
    words = set(_words(case.configuration))
    matches = [
        (len(words & set(_words(part.title))), part.id, part)
        for part in parts
        if isinstance(part.spec, kind) and set(_words(part.name)) - {"atx", "v2"} <= words
    ]
    return without_itself(max(matches)[2], case) if matches else None


def _blank(part: Part, changes: dict[str, Any]) -> Part:
    own = {field: value for field, value in changes.items() if field in type(part.spec).model_fields}
    return part.model_copy(update={"spec": part.spec.model_copy(update=own)}) if own else part


def _is_of(url: str | None, source: str) -> bool:
    """Whether an address stands in what a case names as its source; pages of one article count as one."""
    article = _PAGE.sub("", _SCHEME.sub("", (url or "").lower()))
    return bool(article) and article in _SCHEME.sub("", source.lower())


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+\d+[a-z]*|\d+[a-z]*|[a-z]+", text.lower())


def _follow(product: list[str], words: list[str]) -> bool:
    """Whether the words stand in the text one after the other, and no suffix makes another product of them."""
    for start in range(len(words) - len(product) + 1):
        if words[start : start + len(product)] == product:
            after = words[start + len(product)] if start + len(product) < len(words) else ""
            return after not in _OTHERS
    return False
