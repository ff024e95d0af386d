"""What a line of a pasted list means: a part of the catalogue, one of several for a person to choose, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import cache

from core.parts.compute import RamSpec
from core.parts.identity import Exact, Identities, Identity, Similar, cards_of_chip, is_makers_own, with_family
from core.parts.name_words import tokens
from core.parts.part import Condition, Origin, Part, Price
from core.parts.vocabulary import Category
from core.plan.line import IN_SYSTEM
from core.present.report.formatting import commas
from core.present.share.list_entries import Entry, split_head
from core.present.share.list_heads import Categories, Head, categories_in, leading_head
from core.present.share.list_names import Reading, StatedPrice, apart, name_readings
from core.present.share.list_ram import fitting_kits, names_a_maker
from core.present.share.part_text import limited
from core.words import LANGUAGES, into, tr
from core.words.units import UNKNOWN, number

NAMED = 3
"""Parts named where several could be meant."""
MOST_CANDIDATES = 20
MOST_PIECES = 20
MOST_PRICE = 1e9
MOST_WORDS = 14
"""Of a line that names a part and has no head; longer ones are what a person says."""
_SEPARATOR = re.compile(r"\s*(?:,(?!\d{3}\b)|[;|·•])\s*|\s+[+/&]\s+|\s+and\s+|\s+with\s+|\s+w/\s*")
_DASH = re.compile(r"\s[-–—]\s")
_UNKNOWN_HEAD = re.compile(r"[^:]{2,40}:\s")
"""Before what is no part: "Last updated: 2025-11-02"."""
_SENTENCES = re.compile(r"[a-z]{2}[.!?]\s+[A-Z]|\b(?:I|[Ww]e)\s[a-z]{2,}\b")
_SOFTWARE = re.compile(
    r"(?:ubuntu|debian|windows|win ?1[01]|proxmox|arch|fedora|linux|mac ?os|unraid|truenas|cuda|driver)\b",
    re.IGNORECASE,
)
_NUMBER_ASIDE = re.compile(r"[(\[]\s*([A-Z0-9][A-Z0-9./#-]{4,30})\s*[)\]]", re.IGNORECASE)
"""What shops write behind a name: the maker's part number."""
_NAME_ENDS = re.compile(r"[,;(\[]")
_VARIANT = re.compile(
    r"\b(?:ti|super|pro|plus|max|mini|lite|slim|shift|xl|xtx?|i{2,3}|iv|v\d|evo|ultra|lcd|a?rgb|oc|se|founders|turbo|gaming)\b",
    re.IGNORECASE,
)
_REGION = re.compile(r"-?[A-Z]{2}$", re.IGNORECASE)
"""Of a part number, where it is sold."""
_ASIDES = re.compile(r"\s*[(\[].*|\s+(?:[-–—+]|or|with|w/)\s.*|,\s.*")
_OPENING, _CLOSING = "([", ")]"


class State(StrEnum):
    """How surely a line is a part."""

    EXACT = "exact"
    CHOSEN = "chosen"
    """A chip without a card's name: the plainest card with it was taken."""
    SIMILAR = "similar"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line of a list, and what it is taken for."""

    text: str
    state: State
    count: int = 1
    part: Part | None = None
    """What goes into a build: recognised, or chosen by a person."""
    price: Price | None = None
    """Of one."""
    price_assumed: bool = False
    """Whether the list does not say of how many its price is, and it was taken as that of all."""
    candidates: tuple[Part, ...] = ()
    """What a person may choose from, the likeliest first."""
    modules: int | None = None
    """Of RAM that is named by figures alone, all of them."""

    @property
    def near(self) -> tuple[str, ...]:
        """Titles of the likeliest candidates."""
        return tuple(part.title for part in self.candidates[:NAMED])

    @property
    def sentence(self) -> str:
        """What stands there, and what it is taken for or may mean."""
        if self.part and self.state is State.CHOSEN:
            return tr("{line}: only the chip is named; taken as {part}.", line=self.text, part=self.part.title)
        if self.part:
            return tr("{line}: {part}", line=self.text, part=self.part.title)
        if self.near:
            return tr("{line}: similar parts: {parts}.", line=self.text, parts=commas(self.near))
        return tr("{line}: nothing like it in the catalogue.", line=self.text)

    @property
    def price_words(self) -> str:
        """What one costs by the list, and on which assumption; empty where the list says nothing."""
        if self.price is None:
            return ""
        price = f"{number(self.price.amount, 2)}\N{NO-BREAK SPACE}{self.price.currency}"
        if self.price_assumed:
            return tr("{price} each, if the list's price is that of all {count}", price=price, count=self.count)
        return tr("{price} each", price=price) if self.count > 1 else price

    def chosen(self, part: Part | None) -> ListLine:
        """The line with the part that a person chose from the candidates; None leaves it out."""
        return replace(self, part=part)

    def count_of(self, part: Part) -> int:
        """How many of a part the line says: eight modules are four kits of two."""
        if self.modules and isinstance(part.spec, RamSpec) and part.spec.modules:
            return self.modules // part.spec.modules
        return self.count


@dataclass(frozen=True, slots=True)
class LineReader:
    """Recognises entries among the parts of a catalogue."""

    identities: Identities
    dollars: str
    today: date
    _answers: dict[tuple[str, Category | None], Identity] = field(default_factory=dict)
    """Names are asked for again: without what stands in brackets, piece by piece."""

    def _called(self, name: str, category: Category | None) -> Identity:
        key = (name, category)
        if key not in self._answers:
            self._answers[key] = self.identities.called(name, category)
        return self._answers[key]

    def lines(self, entry: Entry) -> tuple[ListLine, ...]:
        """What an entry says; several lines where it names several parts, none where it names none."""
        if entry.lead and not entry.headed:
            return self._lead(entry, entry.lead)
        label = _UNKNOWN_HEAD.match(entry.text)
        if label and not entry.headed and (lines := self._labelled(replace(entry, text=entry.text[label.end() :]))):
            return lines
        pieces = _pieces(entry.text)
        if len(pieces) > 1 and not entry.headed and (several := self._several(entry, pieces, 2)):
            return several
        whole = self._line(entry)
        if whole.part is None and len(pieces) > 1 and entry.headed and (several := self._several(entry, pieces, 1)):
            return several
        if (
            whole.state is State.UNKNOWN
            and len(pieces) > 1
            and whole.price is None
            and (several := self._several(entry, pieces, 2, sure=False))
        ):
            return several
        lost = whole.part is None and not entry.headed and _is_prose(entry.text, whole)
        return () if lost or (entry.custom and whole.state is State.UNKNOWN) else (whole,)

    def _lead(self, entry: Entry, head: Head) -> tuple[ListLine, ...]:
        """What the whole says, or where that is no part, what it says behind its first words."""
        whole = self.lines(replace(entry, lead=None))
        if any(line.part for line in whole):
            return whole
        if not head.says_category:
            return tuple(line for line in whole if line.candidates)
        rest = leading_head(entry.text)[1]
        behind = self.lines(replace(entry, text=rest, lead=None, categories=head.categories, headed=True))
        return behind if any(line.part or line.candidates for line in behind) else whole

    def _labelled(self, entry: Entry) -> tuple[ListLine, ...]:
        """What stands behind a label that is no head: a rig of several parts, or one part in doubt."""
        pieces = _pieces(entry.text)
        if len(pieces) > 1 and (several := self._several(entry, pieces, 2)):
            return several
        line = self._line(entry)
        if line.part:
            return (replace(line, state=State.SIMILAR, part=None, candidates=line.candidates or (line.part,)),)
        return ()

    def _several(self, entry: Entry, pieces: Sequence[str], least: int, *, sure: bool = True) -> tuple[ListLine, ...]:
        """A line for each piece, if so many may be parts and one of them surely is, or two are of different kinds."""
        lines = [(piece, self._line(self._piece(entry, piece))) for piece in pieces]
        meant = [part for _, line in lines if (part := line.part or next(iter(line.candidates), None))]
        surely = any(line.part for _, line in lines) if sure else len({part.category for part in meant}) > 1
        if not surely or len(meant) < least:
            return ()
        return tuple(line for piece, line in lines if line.candidates or line.part or not _is_prose(piece, line))

    def _piece(self, entry: Entry, piece: str) -> Entry:
        head, rest = split_head(piece)
        if head and head.says_category and rest:
            return Entry(rest, head.categories, True, head.count)
        return replace(entry, text=piece, price=None)

    def _line(self, entry: Entry) -> ListLine:
        text, price = apart(_own_remarks().sub("", entry.text), self.dollars)
        price = entry.price or price
        best: ListLine | None = None
        for reading in name_readings(text or entry.text):
            count = reading.count if reading.counted or entry.count is None else entry.count
            line = self._recognised(reading, entry.categories)
            line = self._priced(replace(line, count=max(count, 1)), price)
            if line.part:
                return line
            if best is None or (line.candidates and not best.candidates):
                best = line
        assert best is not None, "a name has at least one reading"
        return self._without_aside(best, entry)

    def _without_aside(self, line: ListLine, entry: Entry) -> ListLine:
        """What a name may be without what stands in brackets or behind a dash, which may tell variants apart.

        A part number in brackets tells none apart of a part whose number is not known.
        """
        bare = next(name_readings(_NUMBER_ASIDE.sub("", line.text))).name
        if bare != line.text:
            without_number = self._recognised(Reading(bare, line.count, True), entry.categories)
            if without_number.state is State.EXACT and without_number.part and not without_number.part.part_numbers:
                return replace(line, state=State.EXACT, part=without_number.part, candidates=())
        short = _ASIDES.sub("", line.text)
        if line.candidates or Category.RAM in entry.categories or len(short) < 4 or short == line.text:
            return line
        shortened = self._recognised(Reading(short, line.count, True), entry.categories)
        parts = (shortened.part, *shortened.candidates) if shortened.part else shortened.candidates
        unique = tuple({part.id: part for part in parts}.values())
        return replace(line, state=State.SIMILAR, candidates=unique) if unique else line

    def _priced(self, line: ListLine, stated: StatedPrice | None) -> ListLine:
        """The line with the price of one."""
        if stated is None or not 0 < stated.amount / line.count <= MOST_PRICE:
            return line
        amount = stated.amount if stated.of_one else stated.amount / line.count
        amount = round(amount, 2) or stated.amount
        price = Price(amount=amount, currency=stated.currency, as_of=self.today, kind="own")
        return replace(line, price=price, price_assumed=stated.assumed and not stated.of_one and line.count > 1)

    def _recognised(self, reading: Reading, categories: Categories) -> ListLine:
        """Exact in just one category, else the card with a chip that is named alone, else what may be meant."""
        name = reading.name
        bound: tuple[Category | None, ...] = categories or categories_in(name) or (None,)
        exact: dict[str, Part] = {}
        similar: dict[str, Part] = {}
        for category in bound:
            match self._called(name, category):
                case Exact(part):
                    exact[part.id] = part
                case Similar(parts):
                    similar |= {part.id: part for part in parts}
        surely = next(iter(exact.values())) if len(exact) == 1 else self._numbered(name, bound)
        if surely and not _is_imported_card(surely):
            return ListLine(name, State.EXACT, part=surely)
        near = {**exact, **similar}
        if all(map(_is_imported_card, exact.values())) and (Category.GPU in bound or None in bound):
            card = self._card(with_family(name))
            if card.part:
                return replace(card, text=name)
            near |= {part.id: part for part in card.candidates}
        if Category.RAM in bound and not exact and (not near or not names_a_maker(name)):
            modules, kits = fitting_kits(name, reading.count, self.identities)
            if kits:
                return ListLine(name, State.SIMILAR, candidates=kits[:MOST_CANDIDATES], modules=modules)
        parts = tuple(near.values())[:MOST_CANDIDATES]
        return ListLine(name, State.SIMILAR if parts else State.UNKNOWN, candidates=parts)

    def _numbered(self, name: str, bound: Sequence[Category | None]) -> Part | None:
        """The part with a number that stands in brackets, if the name before them is its name too.

        What stands between says figures, as shops do; a word that tells variants apart makes it another part.
        """
        first, *others = _NAME_ENDS.split(name, maxsplit=1)
        codes = [aside[1] for aside in _NUMBER_ASIDE.finditer(name)]
        for code in (*codes, *(_REGION.sub("", code) for code in codes)):
            answer = self.identities.numbered(code)
            if isinstance(answer, Exact) and (None in bound or answer.part.category in bound):
                words = frozenset(tokens(answer.part.title))
                unsaid = (word[0].casefold() for rest in others for word in _VARIANT.finditer(rest))
                if self._called(first, answer.part.category) == answer and words.issuperset(unsaid):
                    return answer.part
        return None

    def _card(self, name: str) -> ListLine:
        """A part of this name; a chip that is named alone is a card that ships before one that was taken in."""
        answer = self._called(name, Category.GPU)
        surely = answer.part if isinstance(answer, Exact) else None
        if surely and surely.origin is not Origin.IMPORTED:
            return ListLine(name, State.EXACT, part=surely)
        cards = cards_of_chip(name, self.identities)
        others = answer.parts if isinstance(answer, Similar) else ()
        candidates = tuple({part.id: part for part in (*cards, *others)}.values())[:MOST_CANDIDATES]
        imported = all(card.origin is Origin.IMPORTED for card in cards)
        doubtful = imported and any(part.origin is not Origin.IMPORTED for part in others)
        own = [card for card in cards if is_makers_own(card)]
        if len(own) == 1 and not doubtful and not (imported and surely):
            return ListLine(name, State.CHOSEN, part=own[0], candidates=candidates)
        if surely:
            return ListLine(name, State.EXACT, part=surely)
        return ListLine(name, State.SIMILAR if candidates else State.UNKNOWN, candidates=candidates)


def _is_imported_card(part: Part) -> bool:
    return part.origin is Origin.IMPORTED and part.category is Category.GPU


def _pieces(text: str) -> list[str]:
    """What stands between commas and the like, outside brackets."""
    pieces: list[str] = []
    depth, at = 0, 0
    ends = {match.start(): match.end() for match in _SEPARATOR.finditer(text)}
    for index, letter in enumerate(text):
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if index in ends and index >= at and depth <= 0:
            pieces.append(text[at:index])
            at = ends[index]
    pieces.append(text[at:])
    if len(pieces) == 1 and len(dashed := _DASH.split(text)) > 2:
        pieces = dashed
    return [piece.strip() for piece in pieces if any(map(str.isalpha, piece)) or len(piece.strip()) > 2][:MOST_PIECES]


@cache
def _own_remarks() -> re.Pattern[str]:
    """What our own lists say behind a part, in each language: its power limit, condition, that no price is known."""
    limits = [into(limited("", "\1"), language).strip() for language in LANGUAGES]
    unknown = [f"({into(UNKNOWN, language)})" for language in LANGUAGES]
    free = (*(condition.label for condition in Condition), IN_SYSTEM)
    conditions = [f"({into(words, language)})" for words in free for language in LANGUAGES]
    return re.compile("|".join(re.escape(text).replace("\1", "[^()]*") for text in (*limits, *unknown, *conditions)))


def _is_prose(text: str, line: ListLine) -> bool:
    """Whether a line without a head is what a person says: long, a sentence, or nothing with a number."""
    words = text.split()
    sentence = text.rstrip().endswith((".", "!", "?", ":")) and len(words) > 4
    if not line.candidates and line.text.rstrip().endswith("?"):
        return True
    if not line.candidates and len(words) > 8 and _SENTENCES.search(text):
        return True
    if line.price or line.count > 1:
        return False
    question = not line.candidates and (
        bool(_SOFTWARE.match(text)) or bool(_UNKNOWN_HEAD.match(text)) or not any(map(str.isdigit, text))
    )
    return len(words) > MOST_WORDS or sentence or question
