"""The best placement of a build's cards, why it is the best, and the edit that seats those that wait for a slot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, takewhile

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import PlaceAll
from core.plan.edits import LinesEdit
from core.plan.hosts import with_hosts
from core.plan.placement.candidates import PLACED_BY, Arrangement, PlacementProblem, PlacementScore, problem_of, score
from core.plan.placement.reasons import reasons
from core.plan.placement.risers import CardKey, key_of, spare_risers
from core.plan.seats import Host
from core.words import tr, trn

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
    from core.plan.placement.solver import solve  # here, since it loads SciPy

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
        roomier = search(best.problem, lambda score: (score.placed, score.gpus, score.within, score.air, *score))[1]
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


BOARD_READS = tuple(name.partition(".")[2] for name in PLACED_BY if name.startswith("motherboard."))
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


# Tries every arrangement, for boards where there are few: the best one, and whether there is room for all cards.

Rank = Callable[[PlacementScore], tuple[int, ...]]


def search(problem: PlacementProblem, rank: Rank = tuple) -> tuple[Arrangement, PlacementScore]:
    """The best arrangement by the rank of its score; of equals the first one, from the top.

    As many cards as possible are placed. Pinned cards stay, even where they overlap each other.
    """
    for left_out in range(len(problem.candidates) + 1):
        best: tuple[tuple[int, ...], dict[int, int], PlacementScore] | None = None
        for chosen in _choices(problem, left_out):
            for arrangement in arrangements(problem, chosen):
                reached = score(problem, arrangement)
                if reached is not None and (best is None or rank(reached) > best[0]):
                    best = rank(reached), dict(arrangement), reached
        if best is not None:
            return best[1], best[2]
    raise AssertionError("with every card left out there is always an arrangement")


def arrangements(problem: PlacementProblem, chosen: Sequence[int]) -> Iterator[dict[int, int]]:
    """Every way to place these candidates, by index, without overlap; interchangeable ones in one order only.

    The dictionary is reused: copy it to keep it.
    """
    candidates = problem.candidates
    bits = [{at: ((1 << one.width) - 1) << at for at in one.positions} for one in candidates]
    arrangement = {index: candidates[index].positions[0] for index in chosen if candidates[index].pinned}
    pinned = 0
    for index, at in arrangement.items():
        pinned |= bits[index][at]
    free = sorted(
        (index for index in chosen if not candidates[index].pinned),
        key=lambda index: (len(candidates[index].positions), -candidates[index].width, candidates[index].kind, index),
    )

    def place(depth: int, taken: int, after: int) -> Iterator[dict[int, int]]:
        if depth == len(free):
            yield arrangement
            return
        index = free[depth]
        alike = depth + 1 < len(free) and candidates[free[depth + 1]].kind == candidates[index].kind
        for at, covered in bits[index].items():
            if at >= after and not covered & taken:
                arrangement[index] = at
                yield from place(depth + 1, taken | covered, at + 1 if alike else 0)
                del arrangement[index]

    yield from place(0, pinned, 0)


def _choices(problem: PlacementProblem, left_out: int) -> Iterator[list[int]]:
    """Every way to leave out so many: the last cards of each line, a pinned one only behind one that is not."""
    lines: dict[str, list[int]] = {}
    for index, candidate in enumerate(problem.candidates):
        lines.setdefault(candidate.key[0], []).append(index)
    counts = []
    for line in lines.values():
        held = len(list(takewhile(lambda index: problem.candidates[index].pinned, line)))
        counts.append(range(len(line), max(held, len(line) - left_out) - 1, -1))
    for placed in product(*counts):
        if sum(placed) == len(problem.candidates) - left_out:
            yield [index for line, count in zip(lines.values(), placed, strict=True) for index in line[:count]]


TRIED = 20_000
"""With more arrangements than these, of all choices of risers, the answer is that there may be room: `best_placement`
knows."""


def has_room(build: Build) -> bool:
    """Whether some arrangement seats every card without overlap, within the case and in slots that are on.

    Spare risers of the build may carry cards. Where there are too many arrangements to try, the answer is yes.
    """
    build = with_hosts(build)
    cards = len(build.cards())
    if cards > len(build.seats()):
        return False
    left = TRIED
    for on_risers in chain([()], spare_risers(build)):
        problem = problem_of(build, (), on_risers)
        if len(problem.candidates) == cards and problem.fits_all:
            left -= problem.arrangements
            if left < 0 or any(_is_on(problem, one) for one in arrangements(problem, range(cards))):
                return True
    return False


def _is_on(problem: PlacementProblem, arrangement: Arrangement) -> bool:
    """Whether every card's slot is switched on when exactly these are filled."""
    widths = problem.linker.population.widths(arrangement.values())
    return all(widths[position].lanes for position in arrangement.values())
