"""Which riser each card is on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from core.parts.part import Part
from core.parts.specs import RiserSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Card, Line

RISER_READS = ("riser.lanes", "riser.generation", "riser.length_mm")
"""Figures that say which riser carries which card."""

CardKey = tuple[str, int]
"""A physical card: part id and its number within the line, from 1."""


def key_of(card: Card) -> CardKey:
    """Names a card independently of its slot."""
    return card.part.id, card.number


def risers_of(build: Build) -> dict[CardKey, Part]:
    """Risers by the card on them; a card on a riser that is not in the build is missing.

    The widest and fastest risers go to GPUs first, then by part id and number: a build does not say which is whose.
    """
    return assigned(build, (card for card in build.cards() if card.on_riser))


def assigned(build: Build, on_risers: Iterable[Card]) -> dict[CardKey, Part]:
    """The same for any choice of cards on risers."""
    cards = sorted(on_risers, key=lambda card: (card.part.category is not Category.GPU, key_of(card)))
    if not cards:
        return {}
    units = [line.part for line in sorted(build.of(Category.RISER), key=_rank) for _ in range(line.quantity)]
    return {key_of(card): riser for card, riser in zip(cards, units, strict=False)}


def spare_risers(build: Build, pinned: Collection[CardKey] = ()) -> Iterator[tuple[CardKey, ...]]:
    """Which cards the spare risers of the build could carry, one more each time: the widest first."""
    cards = build.cards()
    spare = build.count(Category.RISER) - sum(card.on_riser for card in cards)
    if spare <= 0:
        return
    on_board = [card for card in cards if not card.on_riser and key_of(card) not in pinned]
    widest = sorted(on_board, key=lambda card: (-(card.width_slots or 0), card.part.id, -card.number))
    for count in range(1, min(spare, len(widest)) + 1):
        yield tuple(key_of(card) for card in widest[:count])


def _rank(line: Line) -> tuple[int, int, float, str]:
    part = line.part
    assert isinstance(part.spec, RiserSpec)
    spec = part.spec
    return -(spec.lanes or 0), -(spec.generation or 0), spec.length_mm or 0, part.id
