"""What a person meant whose words no part has: the nearest words that parts do have, and how many are wanted."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import log
from typing import Protocol

from core.parts.search import joined, pieces, tells_nothing, typed_words
from core.parts.vocabulary import Category
from core.words import either, listed, plain, tr
from core.words import joined as sentences

_COUNTED = re.compile(r"\s*([1-9]\d?)\s*(?:[x×*]\s+|[×*])(?=\S)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_OF_THE_PART = re.compile(r"\d+[\s-]*(gb|tb|pin|slots?|mm|w)\b|lanes?\b", re.IGNORECASE)
"""What the number belongs to, if it stands behind it: "2x 16 GB" is a kit and no order for two."""
_DIGITS = re.compile(r"\d+")
_MIN_LETTERS, _LONG = 4, 8
"""From so many letters on one typing error is looked for, and two."""
_MIN_PIECE = 3
_MAX_NUMBERS = 2
"""A word with more numbers in it is a part number, of which the nearest is another part's."""


class Index(Protocol):
    """The words that parts have."""

    def has_word(self, word: str, *, unfinished: bool) -> bool:
        """Whether any part has the word or, unfinished, one that begins with it."""
        ...

    def having(self, word: str, category: Category | None, *, unfinished: bool) -> frozenset[int]:
        """The numbers of all parts, of a category or of all, that have the word."""
        ...

    def terms(self, letter: str, digits: tuple[str, ...]) -> Iterable[tuple[str, int]]:
        """Words with this first letter and these numbers in them, none but these, and how many parts have each."""
        ...


@dataclass(frozen=True, slots=True)
class Meant:
    """Words that are searched in the place of those typed."""

    text: str
    unknown: tuple[str, ...]
    """Words typed that no part has."""
    left_out: tuple[str, ...] = ()
    """Words typed that no part has together with the others."""


def counted(text: str) -> tuple[int | None, str]:
    """How many are wanted, and the words without it: "4x 4090" is four of "4090"; None where no number is said."""
    match = _COUNTED.match(text)
    if match is None or _OF_THE_PART.match(match["rest"]) or not typed_words(match["rest"]):
        return None, text
    return int(match[1]), match["rest"]


def meant(text: str, index: Index, category: Category | None = None) -> Meant | None:
    """The words of which a part of the category, or of any, has as many as can be; None if that does not help.

    A word that no part has is replaced by the nearest one. At least half of the words that tell something stay, and
    more than half if only one does.
    """
    words = typed_words(text)
    searched: list[tuple[str, str]] = []
    unknown = []
    for place, word in enumerate(words, start=1):
        unfinished = place == len(words)
        if index.has_word(word, unfinished=unfinished):
            searched.append((word, word))
            continue
        unknown.append(word)
        if instead := _nearest(word, index, unfinished=unfinished) or _known_piece(word, index):
            searched.append((word, instead))
    together = _together([instead for _, instead in searched], index, category)
    stay = [pair for pair, stays in zip(searched, together, strict=True) if stays]
    if not stay or not _tells_enough(words, [word for word, _ in stay]):
        return None
    going = (word for (word, _), stays in zip(searched, together, strict=True) if not stays)
    left_out = tuple(word for word in going if word not in unknown)
    return Meant(" ".join(instead for _, instead in stay), tuple(unknown), left_out) if unknown or left_out else None


def _together(words: list[str], index: Index, category: Category | None) -> list[bool]:
    """Which of the words stay: those of the part that has the most of them, where a rare word counts more."""
    having = [index.having(word, category, unfinished=place == len(words)) for place, word in enumerate(words, start=1)]
    total = max(len(frozenset().union(*having)), 1)
    weights: defaultdict[int, float] = defaultdict(float)
    for parts in having:
        weight = 1 + log(total / max(len(parts), 1))
        for part in parts:
            weights[part] += weight
    best = max(weights, key=lambda part: (weights[part], -part), default=None)
    return [best in parts for parts in having]


def _tells_enough(words: list[str], stay: list[str]) -> bool:
    telling = [word for word in words if not tells_nothing(word)]
    staying = sum(not tells_nothing(word) for word in stay)
    return not telling or 2 * staying > len(telling) or (2 * staying == len(telling) and len(stay) > 1)


def unknown_words(unknown: tuple[str, ...], searched: str, left_out: tuple[str, ...] = ()) -> str:
    """What to tell: 'Nothing matches "treadripper"; shown: "threadripper".'"""
    if not left_out:
        return tr('Nothing matches {named}; shown: "{searched}".', named=either(_quoted(unknown)), searched=searched)
    return tr(
        'No part has all these words. Left out: {named}; shown: "{searched}".',
        named=listed(_quoted((*unknown, *left_out))),
        searched=searched,
    )


def _quoted(words: tuple[str, ...]) -> list[str]:
    return [plain('"{word}"', word=word) for word in words]


def no_such_part(part_id: str, ids: Sequence[str]) -> str:
    """Says so, with the ids that look like it."""
    missing = tr("The catalogue has no part {part_id!r}.", part_id=part_id)
    close = get_close_matches(part_id.lower(), ids, n=3)
    if not close:
        return sentences([missing, tr("Find parts with: {rigwright parts search}.")])
    return sentences([missing, tr("Did you mean {close}?", close=either(close))])


def distance(one: str, other: str, *, unfinished: bool = False) -> int:
    """Letters to add, leave out, change or swap with the next to get from one word to the other.

    Each letter is changed once at most (optimal string alignment: the restricted distance of Damerau and Levenshtein).
    `unfinished`: to get to any beginning of the other word.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        this = [row]
        for column, against in enumerate(other, start=1):
            cost = min(last[column] + 1, this[-1] + 1, last[column - 1] + (letter != against))
            if row > 1 < column and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            this.append(cost)
        before, last = last, this
    return min(last) if unfinished else last[-1]


def _nearest(word: str, index: Index, *, unfinished: bool) -> str:
    """A number is never taken for another: only letters are typed wrongly here."""
    plain = _folded(joined(word))
    most = 0 if len(plain) < _MIN_LETTERS else 1 if len(plain) < _LONG else 2
    digits = tuple(_DIGITS.findall(plain))
    letters = sum(character.isalpha() for character in plain)
    if not most or not plain[0].isalnum() or len(digits) > _MAX_NUMBERS or (digits and letters < _MIN_PIECE):
        return ""
    begun = unfinished and not digits
    near = (
        (distance(plain, term, unfinished=begun), abs(len(term) - len(plain)), -parts, term)
        for term, parts in index.terms(plain[0], digits)
        if -most <= len(term) - len(plain) and (begun or len(term) - len(plain) <= most)
    )
    return min((candidate for candidate in near if candidate[0] <= most), default=("",))[-1]


def _known_piece(word: str, index: Index) -> str:
    """The longest piece of a word of letters and digits that parts have: "4090" of "4090ti", none of a part number."""
    occurring = [one for one in pieces(word) if len(one) >= _MIN_PIECE and index.has_word(one, unfinished=False)]
    return max(occurring, key=len, default="") if word.isalnum() else ""


def _folded(word: str) -> str:
    """As the index has its words: small letters, no accents."""
    apart = unicodedata.normalize("NFKD", word.lower())
    return "".join(character for character in apart if not unicodedata.combining(character))
