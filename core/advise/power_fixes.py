"""Fixes of the power feed: which PSU feeds which card, another circuit, one circuit more."""

from __future__ import annotations

from collections.abc import Iterator

from core.advise.fix import PartSource, and_then
from core.advise.trial import Trial
from core.advise.worth import runs_at
from core.build.card_edits import SetSupply
from core.build.edits import Edit, SetDetails, Several, title_in
from core.build.mains import CIRCUITS, MAX_CIRCUITS
from core.build.site_edits import SetCircuits
from core.parts.vocabulary import Category
from core.wiring.wire import wire
from core.wiring.wiring import Supply


def share_out(trial: Trial, _: PartSource) -> Iterator[Edit]:
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


def another_circuit(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Circuits of the same country that the machine's supplies run at: other than those of now, the weakest first."""
    build = trial.build
    if build.custom_circuit is not None:
        return
    country = build.region.partition("-")[0]
    others = [one for one in CIRCUITS if one.id.startswith(f"{country}-") and one.id != build.region]
    for circuit in sorted(others, key=lambda one: one.continuous_w):
        edit = SetDetails(region=circuit.id)
        there = edit.apply(build)
        if all(runs_at(there, line.part) for line in there.of(Category.PSU) + there.of(Category.UPS)):
            yield edit


def one_more_circuit(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """A further circuit of the same kind, with nothing else on it, for a machine of several supplies."""
    loads = trial.build.other_loads_w
    if len(loads) < min(MAX_CIRCUITS, trial.build.count(Category.PSU)):
        yield SetCircuits(trial.build.custom_circuit, (*loads, 0.0))
