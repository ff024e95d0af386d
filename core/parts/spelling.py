"""What a person meant whose words no part has: the nearest words that parts do have, and how many are wanted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol

from core.language import joined as sentences
from core.language import plain, tr
from core.parts.search import joined, pieces, typed_words
from core.phrasing import either

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

    def terms(self, letter: str, digits: tuple[str, ...]) -> Iterable[tuple[str, int]]:
        """Words with this first letter and these numbers in them, none but these, and how many parts have each."""
        ...


@dataclass(frozen=True, slots=True)
class Meant:
    """Words that are searched in the place of those typed."""

    text: str
    unknown: tuple[str, ...]
    """Words typed that no part has."""


def counted(text: str) -> tuple[int | None, str]:
    """How many are wanted, and the words without it: "4x 4090" is four of "4090"; None where no number is said."""
    found = _COUNTED.match(text)
    if found is None or _OF_THE_PART.match(found["rest"]) or not typed_words(found["rest"]):
        return None, text
    return int(found[1]), found["rest"]


def meant(text: str, index: Index) -> Meant | None:
    """The text with each word that no part has replaced by the nearest one; None if that does not help.

    A word without a near one is left out, so long as more words stay than go.
    """
    words = typed_words(text)
    searched, unknown, left_out = [], [], 0
    for place, word in enumerate(words, start=1):
        unfinished = place == len(words)
        if index.has_word(word, unfinished=unfinished):
            searched.append(word)
            continue
        unknown.append(word)
        instead = _nearest(word, index, unfinished=unfinished) or _known_piece(word, index)
        if instead:
            searched.append(instead)
        else:
            left_out += 1
        if 2 * left_out >= len(words):
            return None
    return Meant(" ".join(searched), tuple(unknown)) if unknown else None


def unknown_words(unknown: tuple[str, ...], searched: str) -> str:
    """What to tell: 'Nothing has "treadripper"; shown: "threadripper".'"""
    named = either([plain('"{word}"', word=word) for word in unknown])
    return tr('Nothing matches {named}; shown: "{searched}".', named=named, searched=searched)


def no_such_part(part_id: str, known: Sequence[str]) -> str:
    """Says so, with the ids that look like it."""
    missing = tr("The catalogue has no part {part_id!r}.", part_id=part_id)
    close = get_close_matches(part_id.lower(), known, n=3)
    if not close:
        return sentences([missing, tr("Find parts with: rigwright parts search.")])
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
    if not most or not plain[0].isalnum() or len(digits) > _MAX_NUMBERS:
        return ""
    begun = unfinished and not digits
    near = (
        (distance(plain, term, unfinished=begun), abs(len(term) - len(plain)), -parts, term)
        for term, parts in index.terms(plain[0], digits)
        if -most <= len(term) - len(plain) and (begun or len(term) - len(plain) <= most)
    )
    return min((found for found in near if found[0] <= most), default=("",))[-1]


def _known_piece(word: str, index: Index) -> str:
    """The longest piece of a word of letters and digits that parts have: "4090" of "4090ti", none of a part number."""
    known = [piece for piece in pieces(word) if len(piece) >= _MIN_PIECE and index.has_word(piece, unfinished=False)]
    return max(known, key=len, default="") if word.isalnum() else ""


def _folded(word: str) -> str:
    """As the index has its words: small letters, no accents."""
    apart = unicodedata.normalize("NFKD", word.lower())
    return "".join(character for character in apart if not unicodedata.combining(character))
