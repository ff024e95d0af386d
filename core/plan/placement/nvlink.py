"""Which cards NVLink joins: by bridges, two of one product a bridge's spacing apart, or by the machine's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from core.parts.part import Part
from core.parts.specs import GpuSpec, NvlinkBridgeSpec, NvlinkFabric
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Card
from core.plan.placement.risers import CardKey, key_of
from core.plan.seats import Carrier, SlotNumber


@dataclass(frozen=True, slots=True)
class Bridged:
    """Two cards, upper first, and the bridges on them. `gbps` is GB/s each way, None if unknown.

    Where the machine's own board or a carrier joins them, that is the `bridge`.
    """

    cards: tuple[CardKey, CardKey]
    bridge: Part
    bridges: int
    gbps: float | None


def built_in(build: Build, card: Part) -> NvlinkFabric | None:
    """The NVLink that the build's board brings for such a card or module."""
    board = build.motherboard
    product = card.spec.product if isinstance(card.spec, GpuSpec) else None
    return next((one for one in board[1].nvlink_fabrics if product in one.products), None) if board else None


def joined_pairs(build: Build) -> tuple[Bridged, ...]:
    """All cards in slots that NVLink joins in twos: over bridges, or each with each of a carrier or in the machine's
    own mesh."""
    board = build.motherboard
    on_carriers = [pair for carrier in build.carriers for pair in _on_carrier(build, carrier)]
    if board is None or not board[1].nvlink_fabrics:
        return (*on_carriers, *bridged_pairs(build))
    cards = [card for card in build.cards() if card.slot is not None and built_in(build, card.part)]
    for one, other in combinations(sorted(cards, key=lambda card: card.slot or 0), 2):
        on_carriers.append(Bridged((key_of(one), key_of(other)), board[0], 1, None))
    return (*on_carriers, *bridged_pairs(build))


def _on_carrier(build: Build, carrier: Carrier) -> Iterator[Bridged]:
    """Each module of a carrier with each that its NVLink joins."""
    if carrier.spec.nvlink_fabrics:
        cards = [card for card in build.cards() if SlotNumber(card.slot or 0).carrier == carrier.number]
        for one, other in combinations(sorted(cards, key=lambda card: card.slot or 0), 2):
            products = {_product(one), _product(other)}
            for fabric in carrier.spec.nvlink_fabrics:
                if products <= {*fabric.products}:
                    yield Bridged((key_of(one), key_of(other)), carrier.part, 1, fabric.pair_gbps)


def _product(card: Card) -> str | None:
    return card.part.spec.product if isinstance(card.part.spec, GpuSpec) else None


def bridged_pairs(build: Build) -> tuple[Bridged, ...]:
    """The pairs that the build's bridges join with its cards where they are."""
    lines = build.of(Category.NVLINK_BRIDGE)
    if not lines:
        return ()
    free = {key_of(card): card for card in build.cards() if card.slot is not None and not card.on_riser}
    bridged: list[Bridged] = []
    for line in sorted(lines, key=lambda line: line.part.id):
        left = line.quantity
        for pair in possible_pairs(free.values(), line.part):
            needed = bridges_per_pair(pair[0].part, line.part)
            if needed > left:
                continue
            left -= needed
            keys = (key_of(pair[0]), key_of(pair[1]))
            bridged.append(Bridged(keys, line.part, needed, pair_gbps(pair[0].part, line.part)))
            for key in keys:
                del free[key]
    return tuple(bridged)


def possible_pairs(cards: Iterable[Card], bridge: Part) -> list[tuple[Card, Card]]:
    """The most pairs, from the top, that such bridges could join: each card in one pair at most."""
    spec = bridge.spec
    assert isinstance(spec, NvlinkBridgeSpec)
    if spec.spacing_slots is None:
        return []
    rows: dict[str, dict[int, Card]] = {}
    for card in cards:
        if card.slot is not None and not card.on_riser and joins(bridge, card.part):
            assert isinstance(card.part.spec, GpuSpec)
            rows.setdefault(card.part.spec.product, {})[card.slot] = card
    spaced = []
    for product in sorted(rows):
        row = rows[product]
        for position in sorted(row):
            if position in row and position + spec.spacing_slots in row:
                spaced.append((row.pop(position), row.pop(position + spec.spacing_slots)))
    return spaced


def joins(bridge: Part, card: Part) -> bool:
    """Whether the bridge is made for such a card: product, and generation where both are known."""
    spec, gpu = bridge.spec, card.spec
    if not isinstance(spec, NvlinkBridgeSpec) or not isinstance(gpu, GpuSpec):
        return False
    if gpu.product not in (spec.fits_products or ()) or gpu.nvlink_links == 0:
        return False
    return not generations_differ(bridge, card)


def generations_differ(bridge: Part, card: Part) -> bool:
    """Whether bridge and card are known to be of different NVLink generations.

    NVLink 3 and 4 share their bridge: the same ones are sold for A100 and H100 PCIe cards (not confirmed).
    """
    spec, gpu = bridge.spec, card.spec
    assert isinstance(spec, NvlinkBridgeSpec)
    assert isinstance(gpu, GpuSpec)
    if spec.generation is None or gpu.nvlink_generation is None:
        return False
    return spec.generation != gpu.nvlink_generation and {spec.generation, gpu.nvlink_generation} != {3, 4}


def bridges_per_pair(card: Part, bridge: Part) -> int:
    """How many bridges carry all links of a card: three on an A100, one on an RTX 3090. One where figures lack."""
    spec, gpu = bridge.spec, card.spec
    assert isinstance(spec, NvlinkBridgeSpec)
    assert isinstance(gpu, GpuSpec)
    if not spec.bandwidth_gbps or not gpu.nvlink_gbps:
        return 1
    return max(1, round(gpu.nvlink_gbps / spec.bandwidth_gbps))


def pair_gbps(card: Part, bridge: Part) -> float | None:
    """GB/s each way between two cards with all their bridges: half of what the links carry both ways."""
    spec, gpu = bridge.spec, card.spec
    assert isinstance(spec, NvlinkBridgeSpec)
    assert isinstance(gpu, GpuSpec)
    both_ways = [figure for figure in (gpu.nvlink_gbps, _all_bridges(card, bridge)) if figure is not None]
    return min(both_ways) / 2 if both_ways else None


def _all_bridges(card: Part, bridge: Part) -> float | None:
    spec = bridge.spec
    assert isinstance(spec, NvlinkBridgeSpec)
    return spec.bandwidth_gbps * bridges_per_pair(card, bridge) if spec.bandwidth_gbps else None
