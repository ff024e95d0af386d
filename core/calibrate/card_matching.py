"""Which measured card is which of the build: by slot, or all of one kind together where nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.build.build import Build
from core.build.line import Card
from core.calibrate.measurements import MeasuredCard
from core.errors import BadInput
from core.language import tr
from core.parts.specs import GpuSpec
from core.predict.thermal.bodies import gpu_cards

PINNED_K = 1.0
"""A card this near to its target, or above it, is held there by its driver."""


@dataclass(frozen=True, slots=True)
class CardGroup:
    """One card, or all cards of a line that cannot be told apart: their means."""

    part_id: str
    title: str
    indices: tuple[int, ...]
    """Among the build's GPUs in the order of the predictions."""
    temperature_c: float
    power_w: float
    fan_share: float | None
    target_c: float | None

    @property
    def alone(self) -> bool:
        """Whether its place is known."""
        return len(self.indices) == 1


def groups_of(build: Build, measured: Sequence[MeasuredCard]) -> tuple[CardGroup, ...]:
    """Every GPU of the build, measured. Raises BadInput for cards that the build lacks, and for unmeasured ones."""
    cards = gpu_cards(build)
    by_part: dict[str, list[MeasuredCard]] = {card.part.id: [] for card in cards}
    for one in measured:
        by_part[_part_of(one, cards)].append(one)
    found: list[CardGroup] = []
    for part_id, ours in by_part.items():
        places = [index for index, card in enumerate(cards) if card.part.id == part_id]
        if len(ours) != len(places):
            raise BadInput(
                tr(
                    "The build has {number} x {part}, but {measured} were measured. Measure all "
                    "GPUs in one run, since each warms the others, or correct the build.",
                    number=len(places),
                    part=cards[places[0]].part.title,
                    measured=len(ours),
                )
            )
        found += _groups(cards, places, ours)
    return tuple(found)


def _part_of(one: MeasuredCard, cards: Sequence[Card]) -> str:
    at_slot = {card.slot: card.part.id for card in cards if card.slot is not None}
    parts = {card.part.id for card in cards}
    if one.slot is not None and one.slot not in at_slot:
        raise BadInput(
            tr(
                "A card was measured in slot {slot}, where the build has no GPU. Place one there, or correct the slot.",
                slot=one.slot,
            )
        )
    known = at_slot[one.slot] if one.slot is not None else next(iter(parts)) if len(parts) == 1 else None
    if one.part_id is None and known is None:
        raise BadInput(
            tr("A measured card names neither its part nor its slot, and the build has several kinds of GPU.")
        )
    if known is not None and one.part_id not in (None, known):
        raise BadInput(
            tr(
                "{part_id} was measured, but the build has {known}. Correct the measurements or the build.",
                part_id=one.part_id,
                known=known,
            )
            if one.slot is None
            else tr(
                "{part_id} was measured, but slot {slot} has {known}. Correct the measurements or the build.",
                part_id=one.part_id,
                slot=one.slot,
                known=known,
            )
        )
    if one.part_id is not None and one.part_id not in parts:
        raise BadInput(tr("{part_id} was measured, but the build has no such GPU.", part_id=one.part_id))
    return one.part_id or known or ""


def _groups(cards: Sequence[Card], places: Sequence[int], ours: Sequence[MeasuredCard]) -> list[CardGroup]:
    slots = [cards[index].slot for index in places]
    given = [one.slot for one in ours]
    twice = [slot for slot, count in Counter(given).items() if slot is not None and count > 1]
    if twice:
        raise BadInput(tr("Two cards were measured in slot {slot}. Correct the slots.", slot=twice[0]))
    if len(places) > 1 and (None in given or None in slots):
        return [_together(cards[places[0]], places, ours)]
    by_slot = dict(zip(given, ours, strict=True)) if len(places) > 1 else {slots[0]: ours[0]}
    return [_together(cards[index], (index,), (by_slot[cards[index].slot],)) for index in places]


def _together(card: Card, places: Sequence[int], ours: Sequence[MeasuredCard]) -> CardGroup:
    title = card.part.title
    if len(places) > 1:
        title = tr("{number} x {part}, mean", number=len(places), part=title)
    elif card.slot is not None:
        title = tr("{part}, slot {slot}", part=title, slot=card.slot)
    targets = [one.target_c for one in ours if one.target_c is not None]
    return CardGroup(
        part_id=card.part.id,
        title=title,
        indices=tuple(places),
        temperature_c=_mean([one.temperature_c for one in ours]),
        power_w=_mean([one.power_w for one in ours]),
        fan_share=_share(card, ours),
        target_c=min(targets, default=None),
    )


def _share(card: Card, ours: Sequence[MeasuredCard]) -> float | None:
    """Of full speed; rpm tell it where the card's highest speed is known."""
    assert isinstance(card.part.spec, GpuSpec)
    fastest = card.part.spec.fan_max_rpm
    shares: list[float] = []
    for one in ours:
        if one.fan_share is not None:
            shares.append(one.fan_share)
        elif one.fan_rpm is not None and fastest is not None:
            shares.append(min(one.fan_rpm / fastest, 1.0))
    return _mean(shares) if len(shares) == len(ours) else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
