"""A card that is named by its chip alone: "4x RTX 3090". Cards of one chip differ in cooler, size and clock."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.parts.compute import GpuSpec
from core.parts.identity import Identities
from core.parts.name_words import name_words
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category, GpuCooling

CHIP_MAKERS = ("NVIDIA", "AMD", "Intel")
_FAMILIES = frozenset(["nvidia", "amd", "intel", "geforce", "radeon", "tesla", "instinct", "generation"])
"""Words that a chip is named with or without."""
_UNSAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<![\w-])(?={numbers})", re.IGNORECASE), f"{family} ")
    for numbers, family in (
        (r"(?:20[678]0|30[5-9]0|40[5-9]0|50[5-9]0)(?:\s?(?:ti|super|fe|d|s))*\b", "RTX"),
        (r"A(?:2000|4000|4500|5000|5500|6000)\b", "RTX"),
        (r"(?:10[5-8]0|16[56]0)(?:\s?(?:ti|super|fe))*\b", "GTX"),
        (r"(?:[67][6-9][05]0|90[67]0)\s?xtx?\b", "RX"),
    )
)
"""The family of a chip whose number says it, where it is not said."""
_FAMILY_SAID = re.compile(r"\b(?:rtx|gtx|rx|gt|quadro|tesla|titan|arc)\s?\d*", re.IGNORECASE)
_OTHER_CHIPS = re.compile(r"\b(?:[ablhpv]\d{1,3}s?|mi\d{2,3}x?|k80|t4)\b", re.IGNORECASE)
"""Chips of data centres, which are named without a family: A100, H200, L40S, P40, MI210."""
_CHIP_WORDS = _FAMILIES | frozenset(
    ["rtx", "gtx", "rx", "quadro", "titan", "pro", "ada", "blackwell", "v", "pcie", "sxm", "founders", "edition"]
)
_PLURAL = re.compile(r"\b(\d{4}(?:\s?ti)?)'?s\b", re.IGNORECASE)


def plainest(parts: Iterable[Part]) -> Part | None:
    """Of boards of one product, which differ in little but cooler: the chip maker's own, else the slowest in air."""
    return min(parts, key=_order, default=None)


def _order(part: Part) -> tuple[bool, bool, float, str]:
    spec = part.spec if isinstance(part.spec, GpuSpec) else None
    watered = spec is not None and spec.cooling in (GpuCooling.HYBRID, GpuCooling.WATER_BLOCK)
    return not is_makers_own(part), watered, (spec.boost_clock_mhz if spec else None) or float("inf"), part.id


def with_family(text: str) -> str:
    """A name with the family that its chip's number says: "3090 FE" is "RTX 3090 FE", and "3090s" is one of several."""
    text = _PLURAL.sub(r"\1", text)
    if _FAMILY_SAID.search(text):
        return text
    for pattern, family in _UNSAID:
        if pattern.search(text):
            return pattern.sub(family, text, count=1)
    return text


def is_bare_chip(text: str) -> bool:
    """Whether a name says a chip, and nothing of a card's maker or product line."""
    text = with_family(text)
    if not (_FAMILY_SAID.search(text) or _OTHER_CHIPS.search(text)):
        return False
    words = frozenset(name_words(text, Category.GPU).words) - _CHIP_WORDS
    return bool(words) and all(any(map(str.isdigit, word)) for word in words)


def is_makers_own(part: Part) -> bool:
    """Whether the maker of the chip sells the card: a Founders Edition, a reference card."""
    return part.maker in CHIP_MAKERS


def cards_of_chip(text: str, identities: Identities) -> tuple[Part, ...]:
    """A card for each kind with the chip that a name says, if it says nothing else; kinds differ in memory or form.

    What ships and what is one's own is chosen from before what was imported.
    """
    name = name_words(text, Category.GPU)
    words = frozenset(name.words) - _FAMILIES
    if not any(letter.isdigit() for word in words for letter in word):
        return ()
    with_chip = [
        part
        for part in identities.with_numbers(" ".join(name.words), Category.GPU)
        if isinstance(part.spec, GpuSpec)
        and frozenset(name_words(part.spec.product, Category.GPU).words) - _FAMILIES == words
        and all(part.spec.memory_gb == amount for amount in name.of("gb"))
    ]
    at_hand = [part for part in with_chip if part.origin is not Origin.IMPORTED] or with_chip
    kinds: dict[object, list[Part]] = {}
    for part in sorted(at_hand, key=lambda one: one.id):
        kinds.setdefault((getattr(part.spec, "memory_gb", None), getattr(part.spec, "form", None)), []).append(part)
    plain = [card for cards in kinds.values() if (card := plainest(cards))]
    return tuple(sorted(plain, key=_order))
