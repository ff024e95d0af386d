"""Fixes that say which supply feeds which card."""

from __future__ import annotations

from collections.abc import Iterator

from core.advise.fix import Shelf, and_then
from core.advise.trial import Trial
from core.build.card_edits import SetSupply
from core.build.edits import Edit, title_in
from core.build.several import Several
from core.parts.vocabulary import Category
from core.wiring.wire import wire
from core.wiring.wiring import Supply


def share_out(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """All supplies chosen automatically, where somebody set them; then cards of the fullest supply on the emptiest."""
    build = trial.build
    held = tuple(SetSupply(line.part.id, None) for line in build.lines if any(line.supplies))
    if held:
        yield held[0] if len(held) == 1 else Several("Choose the PSU of each card automatically", held)
    wiring = wire(build)
    if len(wiring.supplies) < 2 or wiring.by_chassis:
        return
    ranked = sorted(wiring.supplies, key=_fullness)
    emptiest, fullest = ranked[0].place, ranked[-1].place
    cards = {
        (feed.socket.part_id, feed.socket.number): None
        for feed in wiring.feeds
        if feed.supply == fullest and feed.socket.category is Category.GPU
    }
    moves = [SetSupply(part_id, emptiest, (number,)) for part_id, number in reversed(cards)]
    yield from moves
    if len(moves) > 1:
        yield Several(and_then(*(title_in(move, build) for move in moves[:2])), tuple(moves[:2]))


def _fullness(supply: Supply) -> tuple[float, int]:
    return supply.share or 0.0, -supply.place
