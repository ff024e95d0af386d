"""Fixes that move, hang, limit or drop cards."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

from core.advise.fix import Shelf
from core.advise.trial import Trial
from core.build.build import Build, Line, is_card
from core.build.card_edits import HangOnRisers, PlaceAll, SetPowerLimit
from core.build.edits import AddPart, Edit, PlaceCards, RemovePart, SetQuantity
from core.build.several import Several
from core.parts.query import Query
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.placement.best import best_placement
from core.placement.risers import key_of
from core.rules.words import listed

STEP_W = 5.0
LEAST_SHARE = 0.5
"""Of its own limit, for a card whose least limit is unknown."""
RISERS_TRIED = 6


def arrange(trial: Trial, _: Shelf) -> Iterator[Edit]:
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
    moved = [new for new, old in zip(after.lines, build.lines, strict=True) if new != old]
    if len(moved) != 1:
        return edit
    alone = PlaceCards(moved[0].part.id, moved[0].slots)
    return alone if alone.apply(build) == after else edit


def limit_power(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """The largest power limit, in hundredths of the cards' own, with which the finding is gone."""
    lines = _limitable(trial)
    if not lines or not trial.solves(_limits(lines, 0)):
        return
    low, high = 0, 100
    while high - low > 1:
        middle = (low + high) // 2
        if trial.solves(_limits(lines, middle)):
            low = middle
        else:
            high = middle
    yield _limits(lines, low)


def _limitable(trial: Trial) -> list[Line]:
    """The GPUs that the finding is about, or all, if their limits are known and can be set lower."""
    lines = [line for line, _ in trial.build.gpus()]
    meant = [line for line in lines if line.part.id in trial.finding.parts] or lines
    if any(line.limit_w is None for line in meant):
        return []
    return [line for line in meant if _limit(line, 0) < (line.limit_w or 0)]


def _limits(lines: list[Line], hundredths: int) -> Edit:
    edits = tuple(SetPowerLimit(line.part.id, _limit(line, hundredths)) for line in lines)
    if len(edits) == 1:
        return edits[0]
    words = [f"{line.part.title} to {_limit(line, hundredths):.0f} W" for line in lines]
    return Several(f"Limit {listed(words)}", edits)


def _limit(line: Line, hundredths: int) -> float:
    """Between the least limit of the card and what it has now, W."""
    now = line.limit_w or 0
    assert isinstance(line.part.spec, GpuSpec)
    least = line.part.spec.power_limit_min_w or LEAST_SHARE * now
    return max(least, floor((least + (now - least) * hundredths / 100) / STEP_W) * STEP_W)


def allowed_limit(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """The card's own limit in the place of one that it does not take, and its least and greatest."""
    for line, spec in trial.build.gpus():
        if line.power_limit_w is not None:
            for limit in (spec.power_limit_min_w, spec.power_limit_max_w, None):
                yield SetPowerLimit(line.part.id, limit)


def off_risers(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """The finding's cards in their slots instead of on risers."""
    for line in _card_lines(trial):
        if line.risers:
            yield HangOnRisers(line.part.id, ())


def hang_on_riser(trial: Trial, shelf: Shelf) -> Iterator[Edit]:
    """One of the finding's cards on a riser of the catalogue."""
    hits = shelf.find(Query(category=Category.RISER, sort="generation", descending=True, limit=RISERS_TRIED))
    for line in _card_lines(trial):
        for slot in _slots_meant(trial, line):
            for hit in hits:
                if riser := shelf.part(hit.id):
                    title = f"Hang {line.part.title} in slot {slot} on {riser.title}"
                    hung = HangOnRisers(line.part.id, (*line.risers, slot))
                    yield Several(title, (AddPart(riser), hung))


def fewer_cards(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """One card of the finding's fewer, then two, and so on."""
    lines = _card_lines(trial)
    for line in lines:
        for slot in _slots_meant(trial, line):
            if line.quantity > 1 and slot != line.slots[-1]:
                yield _taken_out(line, slot)
    for dropped in range(1, max((line.quantity for line in lines), default=0)):
        for line in lines:
            if line.quantity > dropped:
                yield SetQuantity(line.part.id, line.quantity - dropped)
    for line in lines:
        yield RemovePart(line.part.id)


def _taken_out(line: Line, slot: int) -> Edit:
    """The quantity counts from the end, so this card goes there first."""
    last = (*(other for other in line.slots if other != slot), slot)
    edits = (PlaceCards(line.part.id, last), SetQuantity(line.part.id, line.quantity - 1))
    return Several(f"Take {line.part.title} out of slot {slot}", edits)


def _card_lines(trial: Trial) -> list[Line]:
    cards = [line for line in trial.build.lines if is_card(line.part)]
    return [line for line in cards if line.part.id in trial.finding.parts] or cards


def _slots_meant(trial: Trial, line: Line) -> list[int]:
    """The line's slots that the finding names, else all; without those on risers."""
    standing = [slot for slot in line.slots if slot not in line.risers]
    return [slot for slot in standing if slot in trial.finding.slots] or standing
