"""The best placement of a build's cards, why it is the best, and the edit that seats those that wait for a slot."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.build.build import Build
from core.build.card_edits import PlaceAll
from core.build.edits import LinesEdit
from core.build.hosts import with_hosts
from core.build.seats import Host
from core.language import tr, trn
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.placement.candidates import PLACING_READS, PlacementProblem, problem_of
from core.placement.exhaustive import search
from core.placement.reasons import reasons
from core.placement.risers import CardKey, key_of, spare_risers
from core.placement.score import Arrangement, PlacementScore

EXHAUSTIVE_LIMIT = 20_000
"""Up to so many arrangements, overlaps not yet left out, every one is tried; beyond, the solver searches."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where all cards go: slot positions, and those on risers, by part id in the order of the line's cards.

    `hosts` is what the carriers plug into, by part id in the order of their units. `left_out` are cards that find no
    slot, by part id. `reasons` say in sentences what decided and what had to be given up. `proved` is False where the
    solver ended before it had proof that nothing is better.
    """

    slots: Mapping[str, tuple[int, ...]]
    risers: Mapping[str, tuple[int, ...]]
    hosts: Mapping[str, tuple[tuple[Host, ...], ...]]
    left_out: Mapping[str, int]
    score: PlacementScore
    reasons: tuple[str, ...]
    proved: bool = True

    @property
    def complete(self) -> bool:
        """Whether every card has a slot."""
        return not self.left_out

    @property
    def edit(self) -> PlaceAll:
        """The edit that brings it about."""
        return PlaceAll(self.slots, self.risers, self.hosts)


@dataclass(frozen=True, slots=True)
class _Best:
    problem: PlacementProblem
    arrangement: Arrangement
    score: PlacementScore
    proved: bool


def best_placement(
    build: Build, *, pinned: Collection[CardKey] = (), exhaustive_limit: int = EXHAUSTIVE_LIMIT
) -> Placement | None:
    """The best slots for all cards; None if the build has no card, or no board whose slots are known.

    In this order: as many cards as possible, without overlap, plugged in, in slots that are on, within the case's
    openings; then the link of the slowest GPU, then all links; then GPUs off the chipset; then air before the fans that
    need it; then NVLink pairs; then GPUs on one CPU, then on one root complex; then near the top. `pinned` cards (part
    id, number) stay where they are. Cards that find no slot go on spare risers of the build, if that helps.
    Deterministic.
    """
    build = with_hosts(build)
    if not build.seats() or not build.cards():
        return None
    best = _find(problem_of(build, pinned), exhaustive_limit)
    moved: tuple[CardKey, ...] = ()
    for more in spare_risers(build, pinned):
        if best.score.placed == len(build.cards()):
            break
        other = _find(problem_of(build, pinned, more), exhaustive_limit)
        if other.score > best.score:
            best, moved = other, more
    return _placement(build, best, moved, exhaustive_limit)


def placed_by_hand(build: Build) -> frozenset[CardKey]:
    """The cards that have a slot already, to pin them."""
    return frozenset(key_of(card) for card in build.cards() if card.slot is not None)


def _find(problem: PlacementProblem, exhaustive_limit: int) -> _Best:
    if problem.arrangements <= exhaustive_limit:
        return _Best(problem, *search(problem), True)
    from core.placement.solver import solve  # here, since it loads SciPy

    return _Best(problem, *solve(problem))


def _placement(build: Build, best: _Best, moved: tuple[CardKey, ...], exhaustive_limit: int) -> Placement:
    candidates = best.problem.candidates
    positions = {candidates[index].key: at for index, at in best.arrangement.items()}
    on_risers = {candidates[index].key for index in best.arrangement if candidates[index].on_riser}
    slots: dict[str, tuple[int, ...]] = {}
    risers: dict[str, tuple[int, ...]] = {}
    left_out: dict[str, int] = {}
    for card in build.cards():
        key = key_of(card)
        part_id = card.part.id
        slots.setdefault(part_id, ())
        risers.setdefault(part_id, ())
        if key not in positions:
            left_out[part_id] = left_out.get(part_id, 0) + 1
            continue
        slots[part_id] += (positions[key],)
        if key in on_risers:
            risers[part_id] += (positions[key],)
    after = PlaceAll(slots, risers).apply(build)
    roomier = None
    if best.score.air < 0 and best.problem.arrangements <= exhaustive_limit:
        roomier = search(best.problem, _air_first)[1]
    words = reasons(after, best.problem, best.arrangement, best.score, roomier)
    riser_words = (
        (
            trn(
                "{count} more card must go on a riser of the build to get a slot.",
                "{count} more cards must go on risers of the build to get a slot.",
                count=len(moved),
            ),
        )
        if moved
        else ()
    )
    unproved = () if best.proved else (tr("The search ended before it could prove that nothing is better."),)
    hosts = {line.part.id: line.hosts for line in build.of(Category.CARRIER)}
    return Placement(slots, risers, hosts, left_out, best.score, (*riser_words, *words, *unproved), best.proved)


def _air_first(score: PlacementScore) -> tuple[int, ...]:
    return (score.placed, score.gpus, score.within, score.air, *score)


BOARD_READS = tuple(name.partition(".")[2] for name in PLACING_READS if name.startswith("motherboard."))
"""Figures of a board by which cards are seated."""


@dataclass(frozen=True, slots=True)
class SeatCards(LinesEdit):
    """Gives slots to the cards that wait for one; `anew`: to all, for the slots they have are those of another board.

    Boards of so many slots that only the solver could search them leave the cards where they are: it takes seconds.
    """

    anew: bool = False

    @property
    def title(self) -> str:
        return tr("Arrange all cards") if self.anew else tr("Place the cards that wait for a slot")

    def apply(self, build: Build) -> Build:
        pinned = () if self.anew else placed_by_hand(build)
        if not build.board_slots() or problem_of(build, pinned).arrangements > EXHAUSTIVE_LIMIT:
            return build
        placement = best_placement(build, pinned=pinned)
        return build if placement is None else placement.edit.apply(build)


def has_other_slots(board: Part, other: Part) -> bool:
    """Whether a slot of one board says nothing about the other: they differ in a figure by which cards are seated."""
    return any(getattr(board.spec, name) != getattr(other.spec, name) for name in BOARD_READS)
