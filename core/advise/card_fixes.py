"""Fixes that move cards, put them on risers, drop them, or add one for the display."""

from __future__ import annotations

from collections.abc import Iterator

from core.advise.fix import PartSource
from core.advise.suitability import has_room_for_risers, is_suitable
from core.advise.trial import Trial
from core.build.build import Build
from core.build.card_edits import PlaceAll, PutOnRisers, SetRole
from core.build.edits import AddPart, Edit, PlaceCards, RemovePart, SetQuantity, Several
from core.build.line import Line, is_card
from core.build.role import SLOT_FED_GB, SLOT_FED_W, Role
from core.language import tr
from core.parts.part import Part
from core.parts.query import Filter, Query
from core.parts.vocabulary import Category, GpuCooling
from core.placement.best import best_placement, placed_by_hand
from core.placement.risers import key_of

RISERS_TRIED = 4
MOST_DROPPED = 1 / 3
"""Of the cards, at most: going without more of them is no fix but another machine."""


def arrange(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Other slots for the cards of the finding, then for all."""
    build = trial.build
    there = {slot.position for slot in build.board_slots()}
    stays = {line.part.id for line in build.lines if set(line.slots) <= there} - set(trial.finding.parts)
    others = [key_of(card) for card in build.cards() if card.part.id in stays and card.slot is not None]
    for pinned in (others, []) if others else ([],):
        placement = best_placement(build, pinned=pinned)
        if placement is not None and _seated(placement.edit.apply(build)) >= _seated(build):
            yield _as_moved(build, placement.edit)


def _seated(build: Build) -> int:
    return sum(card.slot is not None for card in build.cards())


def _as_moved(build: Build, edit: PlaceAll) -> Edit:
    """The same as the edit of one line, if it changes only one."""
    after = edit.apply(build)
    changed = [(old, new) for old, new in zip(build.lines, after.lines, strict=True) if new != old]
    if len(changed) != 1 or changed[0][0].hosts != changed[0][1].hosts:
        return edit
    moved = changed[0][1]
    alone = PlaceCards(moved.part.id, moved.slots)
    return alone if alone.apply(build) == after else edit


def off_risers(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The finding's cards in their slots instead of on risers."""
    for line in _card_lines(trial):
        if line.risers:
            yield PutOnRisers(line.part.id, ())


def put_on_riser(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """One of the finding's cards on a riser of the catalogue, where a card can stand away from its slot."""
    if not has_room_for_risers(trial.build):
        return
    hits = catalogue.find(Query(category=Category.RISER, sort="generation", descending=True))
    found = [riser for hit in hits if (riser := catalogue.part(hit.id)) and is_suitable(trial.build, riser)]
    for line in _card_lines(trial):
        for slot in _slots_meant(trial, line):
            for riser in found[:RISERS_TRIED]:
                title = tr(
                    "Put {card} in slot {slot} on the riser {riser}", card=line.part.title, slot=slot, riser=riser.title
                )
                yield Several(title, (AddPart(riser), PutOnRisers(line.part.id, (*line.risers, slot))))


def display_card(trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """A small card that its slot alone feeds, the least of them first, in the slot that Arrange would give it."""
    small = (
        Filter("power_limit_w", high=SLOT_FED_W),
        Filter("memory_gb", high=SLOT_FED_GB),
        Filter("cooling", (GpuCooling.OPEN_AIR, GpuCooling.BLOWER)),
    )
    hits = catalogue.find(Query("", Category.GPU, small, sort="memory_gb"))
    for part in (part for hit in hits if (part := catalogue.part(hit.id))):
        if is_card(part) and trial.build.line(part.id) is None and is_suitable(trial.build, part):
            title = tr("Add {card} for the display", card=part.title)
            added = (AddPart(part), SetRole(part.id, Role.DISPLAY))
            slots = _slots_as_arranged(Several(title, added).apply(trial.build), part)
            if slots:
                yield Several(title, (*added, PlaceCards(part.id, slots)))


def _slots_as_arranged(build: Build, part: Part) -> tuple[int, ...]:
    """Where Arrange puts the cards of one part while all others stay; empty where no slot is left."""
    others = [key for key in placed_by_hand(build) if key[0] != part.id]
    placement = best_placement(build, pinned=others)
    line = placement.edit.apply(build).line(part.id) if placement else None
    return line.slots if line else ()


def fewer_cards(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """One card of the finding's fewer, then two, and so on; most of the cards stay, and a machine keeps one GPU."""
    lines = _card_lines(trial)
    for line in lines:
        for slot in _slots_meant(trial, line):
            if line.quantity > 1 and slot != line.slots[-1]:
                yield _taken_out(line, slot)
    for dropped in range(1, max((line.quantity for line in lines), default=0)):
        for line in lines:
            if line.quantity > dropped and _most_stay(trial.build, line, dropped):
                fewer = SetQuantity(line.part.id, line.quantity - dropped)
                title = tr(
                    "Remove {number} of {quantity} {card}", number=dropped, quantity=line.quantity, card=line.part.title
                )
                yield Several(title, (fewer,))
    for line in lines:
        others = trial.build.count(line.part.category) > line.quantity
        if line.part.category is not Category.GPU or (others and _most_stay(trial.build, line, line.quantity)):
            yield RemovePart(line.part.id)


def _most_stay(build: Build, line: Line, dropped: int) -> bool:
    return dropped == 1 or dropped <= MOST_DROPPED * build.count(line.part.category)


def _taken_out(line: Line, slot: int) -> Edit:
    """The quantity counts from the end, so this card goes there first."""
    last = (*(other for other in line.slots if other != slot), slot)
    edits = (PlaceCards(line.part.id, last), SetQuantity(line.part.id, line.quantity - 1))
    return Several(tr("Remove {card} from slot {slot}", card=line.part.title, slot=slot), edits)


def _card_lines(trial: Trial) -> list[Line]:
    cards = [line for line in trial.build.lines if is_card(line.part)]
    return [line for line in cards if line.part.id in trial.finding.parts] or cards


def _slots_meant(trial: Trial, line: Line) -> list[int]:
    """The line's slots that the finding names, else all; without those on risers."""
    standing = [slot for slot in line.slots if slot not in line.risers]
    return [slot for slot in standing if slot in trial.finding.slots] or standing
