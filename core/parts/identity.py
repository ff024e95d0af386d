"""Whether a name that the world gives is a part of the catalogue: exactly, perhaps, or not at all.

The maker agrees, the words that tell variants apart agree in both directions, and no amount is another one. A name is
never taken for the part that it merely resembles: what lacks a word, or has one more, is similar and for a person to
choose; what has another word is another thing.

A card may be named by its chip alone, "4x RTX 3090": cards of one chip differ in cooler, size and clock.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from core.parts.compute import GpuSpec
from core.parts.likeness import Likeness, is_number, likeness
from core.parts.name_words import name_words, readings, rough_words, tokens
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category, GpuCooling

_MOST_TOKENS = 4
"""Of a part number, between separators."""
_MOST_SIMILAR = 20
_RAREST = 3
"""Words of a name, each of which may be of a remark, so that the part has it not."""
_MOST_UNSAID = 6
"""Words of a title, letters and numbers apart, that a name may lack and still be looked at."""

_FREE_NUMBERS = frozenset((Category.STORAGE, Category.CPU_COOLER))
"""Whose titles have numbers that a name may lack: 2000 GB are 2 TB, and turns a minute."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The name is this part's."""

    part: Part


@dataclass(frozen=True, slots=True)
class Similar:
    """The name may be any of these: it lacks a word that they have, or has one more, or several have it."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """No part is called so."""


Identity = Exact | Similar | Unknown


@dataclass(frozen=True, slots=True)
class PartName:
    """What a part can be recognised by."""

    id: str
    category: Category
    title: str
    part_numbers: tuple[str, ...] = ()


class Identities:
    """The parts of a catalogue by the words of their names. One name costs the few parts that share its rarest word."""

    def __init__(self, names: Iterable[PartName], part: Callable[[str], Part | None]) -> None:
        """`part` gives the part of an id."""
        self._part = part
        self._category: dict[str, Category] = {}
        self._by_number: dict[str, list[str]] = defaultdict(list)
        self._words: dict[str, frozenset[str]] = {}
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for one in names:
            self._category[one.id] = one.category
            self._words[one.id] = frozenset(rough_words(one.title))
            for word in self._words[one.id]:
                self._by_word[word].append(one.id)
            for number in one.part_numbers:
                self._by_number["".join(tokens(number))].append(one.id)

    @classmethod
    def of(cls, parts: Iterable[Part]) -> Identities:
        """Of parts at hand."""
        by_id = {part.id: part for part in parts}
        names = (PartName(one.id, one.category, one.title, one.part_numbers) for one in by_id.values())
        return cls(names, by_id.get)

    def part(self, part_id: str) -> Part | None:
        """The part with this id."""
        return self._part(part_id) if part_id in self._category else None

    def called(
        self, text: str, category: Category | None = None, possible: Callable[[Part], bool] = lambda _: True
    ) -> Identity:
        """What a name is, of one category or of any, and of parts that are possible by what else is known of it."""
        answers = [self._of_reading(reading, category, possible) for reading in readings(text)]
        return answers[0] if len(answers) == 1 else _of_several(answers)

    def numbered(self, number: str) -> Identity:
        """The part with a part number, letter by letter but for what stands between letters."""
        parts = self._parts(self._by_number.get("".join(tokens(number)), ()))
        return _decided([Likeness(part, exact=True, apart=0) for part in parts])

    def with_numbers(self, text: str, category: Category) -> list[Part]:
        """The parts of a category whose titles have all the numbers of a text."""
        numbers = [word for word in rough_words(text) if word.isdigit()]
        rarest = min((self._by_word.get(word, []) for word in numbers), key=len, default=[])
        return self._parts(
            one for one in rarest if self._category[one] is category and self._words[one].issuperset(numbers)
        )

    def _of_reading(self, text: str, category: Category | None, possible: Callable[[Part], bool]) -> Identity:
        """Parts that only resemble the name are looked for where it is none's, or an imported part's."""
        words = [word for word in rough_words(text) if word in self._by_word]
        seen: dict[str, None] = {}
        likes: list[Likeness] = []
        for candidates in (self._perhaps_exact, self._near):
            fresh = [one for one in candidates(text, words) if one not in seen and self._is_of(one, category)]
            seen |= dict.fromkeys(fresh)
            likes += [like for part in self._parts(fresh) if possible(part) and (like := likeness(text, part))]
            if any(like.exact and like.part.came_from is not Origin.IMPORTED for like in likes):
                break
        return _decided(likes)

    def _is_of(self, part_id: str, category: Category | None) -> bool:
        return category is None or self._category[part_id] is category

    def _parts(self, ids: Iterable[str]) -> list[Part]:
        return [part for one in ids if (part := self._part(one))]

    def _perhaps_exact(self, text: str, words: Sequence[str]) -> Iterable[str]:
        """Parts whose rarest word and whose numbers the name has, and those with a part number that stands in it."""
        present = frozenset(words)
        likely = (one for one in self._likely(present) if self._numbers.get(one, present) <= present)
        return dict.fromkeys((*self._with_number(text), *likely))

    def _near(self, text: str, words: Sequence[str]) -> Iterable[str]:
        """The nearest of those that lack a number, and of the parts with one of the rarest words of the name."""
        present = frozenset(words)
        rarest = (self._by_word[word] for word in heapq.nsmallest(_RAREST, words, key=self._rarity))
        near = (
            heapq.nsmallest(_MOST_SIMILAR, parts, key=lambda one: (len(present ^ self._words[one]), one))
            for parts in (self._likely(present), *rarest)
        )
        return dict.fromkeys((*self._perhaps_exact(text, words), *chain.from_iterable(near)))

    def _likely(self, present: frozenset[str]) -> Iterator[str]:
        own = (one for word in present for one in self._by_rarest.get(word, ()))
        return (one for one in own if len(self._words[one] - present) <= _MOST_UNSAID)

    @cached_property
    def _numbers(self) -> Mapping[str, frozenset[str]]:
        """Numbers of the titles without which a name is another part's: of RAM all, else of three digits and more."""
        return {
            part_id: frozenset(word for word in words if word.isdigit() and (category is Category.RAM or len(word) > 2))
            for part_id, words in self._words.items()
            if (category := self._category[part_id]) not in _FREE_NUMBERS
        }

    @cached_property
    def _by_rarest(self) -> Mapping[str, list[str]]:
        by_word: dict[str, list[str]] = defaultdict(list)
        for part_id, words in self._words.items():
            if words:
                by_word[min(words, key=self._rarity)].append(part_id)
        return by_word

    def _rarity(self, word: str) -> tuple[int, str]:
        return len(self._by_word[word]), word

    def _with_number(self, text: str) -> Iterator[str]:
        words = tokens(text)
        for first in range(len(words)):
            for last in range(first + 1, min(first + _MOST_TOKENS, len(words)) + 1):
                if is_number(number := "".join(words[first:last])):
                    yield from self._by_number.get(number, ())


def is_called(part: Part, text: str) -> Identity:
    """Whether a name is this part's, whatever else there is: Similar where only a person can tell."""
    likes = [likeness(reading, part) for reading in readings(text)]
    if all(like is not None and like.exact for like in likes):
        return Exact(part)
    return Similar((part,)) if any(likes) else Unknown()


def _decided(likes: Iterable[Likeness]) -> Identity:
    """The exact one before those that are similar; of several exact ones none, unless they are twins.

    An imported part without a year is none that ships with one: both may be meant.
    """
    inorder = sorted(likes, key=lambda like: (not like.exact, *like.order))
    if not inorder:
        return Unknown()
    first = inorder[0]
    if not first.exact:
        return Similar(tuple(like.part for like in inorder[:_MOST_SIMILAR]))
    if first.part.came_from is Origin.IMPORTED:
        dated = [like.part for like in inorder if like.year_unsaid and like.part.came_from is not Origin.IMPORTED]
        if dated:
            return Similar((*dated, first.part)[:_MOST_SIMILAR])
    equal = [like.part for like in inorder if like.exact and like.order[:2] == first.order[:2]]
    return Exact(first.part) if all(_twins(first.part, part) for part in equal) else Similar(tuple(equal))


def _of_several(answers: Sequence[Identity]) -> Identity:
    """A name that can be read in several ways is exact only where all of them say the same."""
    parts: dict[str, Part] = {}
    for answer in answers:
        match answer:
            case Exact(part):
                parts[part.id] = part
            case Similar(several):
                parts |= {part.id: part for part in several}
    if all(isinstance(answer, Exact) for answer in answers) and len(parts) == 1:
        return Exact(*parts.values())
    return Similar(tuple(parts.values())) if parts else Unknown()


def _twins(one: Part, other: Part) -> bool:
    """Whether a product stands in the catalogue twice: one name, and no figure is another in the other."""
    words, others = (frozenset(name_words(part.title, part.category).words) for part in (one, other))
    pairs = ((getattr(one.spec, field), getattr(other.spec, field, None)) for field in type(one.spec).model_fields)
    return words == others and all(this in (None, ()) or that in (None, ()) or this == that for this, that in pairs)


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
