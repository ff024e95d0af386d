"""The question of the placement search: which cards go where, and what makes one arrangement better than another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, comb, prod
from typing import NamedTuple

from core.parts.part import Part
from core.parts.specs import GpuSpec, NicSpec, NvlinkBridgeSpec, Slot, WaterBlockSpec
from core.parts.vocabulary import Attachment, Category, GpuCooling
from core.plan.build import Build
from core.plan.line import ROLE_READS, Card, is_module
from core.plan.placement.links import LINK_READS, Linker, Width, own_link
from core.plan.placement.nvlink import bridges_per_pair, joins
from core.plan.placement.risers import CardKey, assigned, key_of
from core.plan.seats import Seat, on_carrier
from core.plan.slots import places_assumed, takes
from core.plan.water_blocks import BODY_READS, body_of, fitted_blocks

PLACED_BY = tuple(
    dict.fromkeys(
        (
            *BODY_READS,
            *LINK_READS,
            *ROLE_READS,
            "gpu.bracket_slots",
            "gpu.module_socket",
            "gpu.nvlink_links",
            "gpu.nvlink_generation",
            "gpu.nvlink_gbps",
            "water_block.bracket_slots",
            "nvlink_bridge.spacing_slots",
            "nvlink_bridge.fits_products",
            "nvlink_bridge.generation",
            "nvlink_bridge.bandwidth_gbps",
            "case.expansion_slots",
            "case.slot_offset",
            "motherboard.places_assumed",
        )
    )
)
"""Figures that the search for a placement looks at."""

USUAL_WIDTH = {Category.GPU: 2, Category.NIC: 1}
"""Slots that a card of unknown width is taken to cover: a proposal needs one, the rules still report it as unknown."""
USUAL_LANES = {Category.GPU: 16, Category.NIC: 8}
"""The connector of a card that does not state its own."""
NO_LIMIT = 99
BREATHING = (GpuCooling.OPEN_AIR, GpuCooling.FLOW_THROUGH)
"""Coolings that need an empty slot before their fans."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card to place. `width` slots are covered and `bracket` openings used from its position on; on a riser one slot
    and no opening. Candidates with the same `kind` are interchangeable. `pinned` stays where it is. `works`: a GPU that
    exchanges data with others."""

    key: CardKey
    part: Part
    kind: int
    width: int
    bracket: int
    breathes: bool
    on_riser: bool
    riser: Part | None
    positions: tuple[int, ...]
    pinned: bool = False
    works: bool = False

    @property
    def is_gpu(self) -> bool:
        """Whether it is a GPU, not a network card."""
        return self.part.category is Category.GPU

    @property
    def product(self) -> str | None:
        """The GPU's product: bridges join two of one."""
        return self.part.spec.product if isinstance(self.part.spec, GpuSpec) else None

    def covered(self, position: int) -> range:
        """Slot positions under it."""
        return range(position, position + self.width)


@dataclass(frozen=True, slots=True)
class BridgeKind:
    """NVLink bridges of the build: how many, their spacing, and how many a pair of each product needs."""

    spacing: int
    quantity: int
    needed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PlacementProblem:
    """Everything that the search needs. By line and number: a candidate is placed only if those before it are."""

    slots: Mapping[int, Slot]
    candidates: tuple[Candidate, ...]
    linker: Linker
    last_opening: int
    """The lowest slot position that has an opening in the case."""
    bridges: tuple[BridgeKind, ...] = ()
    roots: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    """CPU and root complex of each slot whose root complex is stated."""

    def mbps(self, candidate: Candidate, position: int, width: Width) -> int:
        """MB/s each way of a candidate in a slot of this width: whole, so that both searches count alike."""
        return round(1000 * self.linker.presumed_gbps(candidate.part, self.slots[position], width, candidate.riser))

    def overhangs(self, candidate: Candidate, position: int) -> bool:
        """Whether its cooler reaches below the last opening of the case while its bracket does not."""
        low = position + candidate.width - 1 > self.last_opening
        return low and not on_carrier(position) and candidate.width > candidate.bracket > 0

    def on_chipset(self, position: int) -> bool:
        """Whether the slot shares the chipset's link."""
        return self.slots[position].attachment is Attachment.CHIPSET

    def on_second_cpu(self, position: int) -> bool:
        """Whether the slot is wired to the second CPU: the chipset is to the first."""
        return self.slots[position].cpu == 1 and not self.on_chipset(position)

    @property
    def arrangements(self) -> int:
        """At most so many ways to seat the candidates, were there no overlaps; those that find no slot left out."""
        kinds: dict[int, list[Candidate]] = {}
        lines: dict[str, int] = {}
        for candidate in self.candidates:
            if not candidate.pinned:
                kinds.setdefault(candidate.kind, []).append(candidate)
                lines[candidate.key[0]] = lines.get(candidate.key[0], 0) + 1
        if self.fits_all:
            return prod(comb(len(alike[0].positions), len(alike)) for alike in kinds.values())
        seated = prod(_subsets(len(alike[0].positions), len(alike)) for alike in kinds.values())
        return seated * prod(count + 1 for count in lines.values())

    @property
    def fits_all(self) -> bool:
        """Whether the slots could hold all candidates side by side: no proof that they do."""
        positions = {at for one in self.candidates for at in one.positions}
        if not positions or len(self.candidates) > len(positions) or not all(one.positions for one in self.candidates):
            return False
        room = max(at + one.width for one in self.candidates for at in one.positions) - min(positions)
        return sum(one.width for one in self.candidates) <= room


def _subsets(size: int, largest: int) -> int:
    """How many subsets of up to `largest` members a set has."""
    return sum(comb(size, count) for count in range(min(size, largest) + 1))


def problem_of(build: Build, pinned: Collection[CardKey] = (), on_risers: Collection[CardKey] = ()) -> PlacementProblem:
    """The question that a build asks. `pinned` cards stay where they are; `on_risers` ones go on risers from now on."""
    linker = Linker(build, [card.slot for card in build.cards() if card.slot is not None and key_of(card) in pinned])
    slots = linker.population.slots
    last = last_opening(build)
    cards = [replace(card, on_riser=True) if key_of(card) in on_risers else card for card in build.cards()]
    risers = assigned(build, (card for card in cards if card.on_riser))
    blocks = fitted_blocks(build)
    works = {line.part.id for line, _ in build.workers()}
    assumed = places_assumed(build)
    kinds: dict[tuple[object, ...], int] = {}
    candidates = []
    for card in sorted(cards, key=key_of):
        fixed = key_of(card) in pinned and card.slot in slots
        if card.number > len(slots) and not fixed:
            continue
        candidate = _candidate(card, body_of(card, blocks), risers.get(key_of(card)), works=card.part.id in works)
        if assumed and not candidate.on_riser:
            candidate = replace(candidate, width=1, bracket=0, breathes=False)
        positions = (card.slot or 0,) if fixed else tuple(_positions(candidate, slots.values(), linker, last))
        kind = kinds.setdefault(_what_counts(candidate), len(kinds))
        candidates.append(replace(candidate, kind=kind, positions=positions, pinned=fixed))
    roots = {at: (slot.cpu, slot.root) for at, slot in slots.items() if slot.root is not None}
    return PlacementProblem(slots, tuple(candidates), linker, last, _bridges(build, candidates), roots)


def last_opening(build: Build) -> int:
    """The lowest slot position that has an opening in the case; far below where nothing is known to limit."""
    case = build.case
    if case is None or case[1].expansion_slots is None:
        return NO_LIMIT
    return case[1].expansion_slots - case[1].slot_offset


def _candidate(card: Card, body: Part, riser: Part | None, *, works: bool) -> Candidate:
    spec = body.spec
    assert isinstance(spec, (GpuSpec, NicSpec, WaterBlockSpec))
    width = 1 if is_module(card.part) else ceil(spec.width_slots or USUAL_WIDTH[card.part.category])
    bracket = width if isinstance(spec, NicSpec) else spec.bracket_slots or width
    own = card.part.spec
    breathes = body is card.part and isinstance(own, GpuSpec) and own.cooling in BREATHING and not card.on_riser
    if card.on_riser:
        width, bracket = 1, 0
    return Candidate(key_of(card), card.part, 0, width, bracket, breathes, card.on_riser, riser, (), works=works)


def _positions(candidate: Candidate, slots: Iterable[Slot], linker: Linker, last: int) -> Iterable[int]:
    lanes = _plug_lanes(candidate)
    carried = linker.population.carried
    for slot in slots:
        fits = slot.mechanical_lanes >= lanes or slot.open_ended
        if isinstance(slot, Seat):
            fits = fits and takes(slot, candidate.part) and not candidate.on_riser
        else:
            fits = fits and not is_module(candidate.part) and slot.position + candidate.bracket - 1 <= last
        if fits and not linker.is_dead(slot) and carried.isdisjoint(candidate.covered(slot.position)):
            yield slot.position


def _plug_lanes(candidate: Candidate) -> int:
    """Length of what goes into the slot: a riser's plug takes the place of the card's, be it shorter or longer."""
    lanes = getattr(candidate.riser.spec, "lanes", None) if candidate.riser else None
    return lanes or own_link(candidate.part)[0] or USUAL_LANES[candidate.part.category]


def _bridges(build: Build, candidates: Iterable[Candidate]) -> tuple[BridgeKind, ...]:
    cards = {candidate.part.id: candidate.part for candidate in candidates}
    bridges = []
    for line in sorted(build.of(Category.NVLINK_BRIDGE), key=lambda line: line.part.id):
        spec = line.part.spec
        assert isinstance(spec, NvlinkBridgeSpec)
        needed = {
            card.spec.product: bridges_per_pair(card, line.part)
            for card in cards.values()
            if isinstance(card.spec, GpuSpec) and joins(line.part, card)
        }
        if spec.spacing_slots and needed:
            bridges.append(BridgeKind(spec.spacing_slots, line.quantity, needed))
    return tuple(bridges)


def _what_counts(one: Candidate) -> tuple[object, ...]:
    """All that tells a candidate from another in the score; cards of different makers may be alike."""
    riser = one.riser.id if one.riser else None
    form = one.width, one.bracket, one.breathes, one.on_riser, riser
    return one.is_gpu, one.works, form, own_link(one.part), one.product


Arrangement = Mapping[int, int]
"""Slot position by the index of the candidate; a candidate that is not placed is missing."""


class PlacementScore(NamedTuple):
    """Compared from the left, more is better. No scored arrangement has an overlap or a card in a slot that is off."""

    placed: int
    """Cards that have a slot."""
    gpus: int
    """GPUs among them."""
    within: int
    """Less one for each cooler that reaches below the last opening of the case."""
    worst_mbps: int
    """The slowest GPU's link: work on all GPUs waits for it."""
    total_mbps: int
    """All links together."""
    off_chipset: int
    """Less one for each GPU that shares the chipset's link."""
    air: int
    """Less one for each card that needs an empty slot before its fans and has none."""
    nvlink: int
    """Pairs at a bridge's spacing."""
    together: int
    """Less one for each pair of GPUs on different CPUs."""
    one_root: int
    """1 where all GPUs that work sit on one root complex, as far as the board's data state it."""
    top: int
    """Less the sum of the GPUs' positions."""
    others_top: int
    """Less the sum of the other cards' positions."""


def score(problem: PlacementProblem, arrangement: Arrangement) -> PlacementScore | None:
    """The score of an arrangement without overlaps; None if a card sits in a slot that is switched off."""
    widths = problem.linker.population.widths(arrangement.values())
    speeds = []
    gpus: list[tuple[Candidate, int]] = []
    slowest = None
    for index, position in arrangement.items():
        candidate = problem.candidates[index]
        width = widths[position]
        if width.lanes == 0 and not candidate.pinned:
            return None
        speed = problem.mbps(candidate, position, width)
        speeds.append(speed)
        if candidate.is_gpu:
            gpus.append((candidate, position))
            slowest = speed if slowest is None else min(slowest, speed)
    over = sum(problem.overhangs(candidate, at) for candidate, at in gpus)
    return PlacementScore(
        len(arrangement),
        len(gpus),
        -over,
        slowest or 0,
        sum(speeds),
        -sum(problem.on_chipset(at) for _, at in gpus),
        -stifled(gpus),
        sum(pairs_joined(bridge, gpus) for bridge in problem.bridges),
        -_apart(problem, gpus),
        _on_one_root(problem, gpus) if problem.roots else 0,
        -sum(at for _, at in gpus),
        sum(at for _, at in gpus) - sum(arrangement.values()),
    )


def stifled(gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Cards that need an empty slot before the next card and have none."""
    standing = {at for candidate, at in gpus if not candidate.on_riser}
    return sum(any(below in standing for below in card.covered(at + 1)) for card, at in gpus if card.breathes)


def pairs_joined(bridge: BridgeKind, gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Pairs of one product that bridges of this kind join."""
    left, pairs = bridge.quantity, 0
    for product, needed in sorted(bridge.needed.items()):
        free = {at for candidate, at in gpus if not candidate.on_riser and candidate.product == product}
        for at in sorted(free):
            if at in free and at + bridge.spacing in free and left >= needed:
                free -= {at, at + bridge.spacing}
                left -= needed
                pairs += 1
    return pairs


def _apart(problem: PlacementProblem, gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Pairs of GPUs on different CPUs."""
    second = sum(problem.on_second_cpu(at) for _, at in gpus)
    return second * (len(gpus) - second)


def _on_one_root(problem: PlacementProblem, gpus: Sequence[tuple[Candidate, int]]) -> int:
    """Sharing some of the roots gains nothing: what all cards exchange goes over the slowest pair."""
    roots = [problem.roots.get(at) for candidate, at in gpus if candidate.works]
    return int(len(roots) > 1 and None not in roots and len(set(roots)) == 1)
