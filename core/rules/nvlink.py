"""NVLink bridges: do they fit the cards, and do cards sit at their spacing."""

from __future__ import annotations

from core.build.line import Card
from core.language import plain, tr, trn
from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.phrasing import either
from core.placement.nvlink import bridged_pairs, bridges_per_pair, generations_differ, joins, possible_pairs
from core.placement.risers import key_of
from core.rules.changes import Fewer, Move, Swap
from core.rules.context import RuleContext
from core.rules.figure_names import listed
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of
from core.rules.slots import PLACES_READS, need_places


def _bridge(read: Reader, bridge: Part) -> Answer:
    machine = read.machine
    wanted = machine.quantity(bridge)
    spacing, products = read.all((bridge, "spacing_slots"), (bridge, "fits_products"))
    fitting = [line.part for line in machine.lines(Category.GPU) if joins(bridge, line.part)]
    read.about(*fitting)
    needed = max((bridges_per_pair(part, bridge) for part in fitting), default=1)
    if needed > 1:
        read.all((bridge, "bandwidth_gbps"), *((part, "nvlink_gbps") for part in fitting))
    need_places(read)
    free = _free(machine, bridge)
    joined = possible_pairs(free, bridge)
    found, slots = len(joined), tuple(card.slot or 0 for pair in joined for card in pair)
    pairs = -(-wanted // needed)
    hung = _pairs_on_risers(free, joined, bridge)
    fields = {"bridge": bridge.title, "spacing": spacing, "wanted": wanted, "needed": needed}
    if found < pairs <= found + hung:
        message = trn(
            "{bridge}: a pair is on risers. Fix the cards exactly {spacing} slots apart: the bridge is rigid.",
            "{bridge}: {count} pairs are on risers. Fix the cards exactly {spacing} slots apart: the bridge is rigid.",
            count=pairs - found,
            **fields,
        )
        return Answer(Status.NOTE, message, found + hung, pairs, "pairs", slots)
    if found < pairs:
        own = {part.spec.product for part in fitting if isinstance(part.spec, GpuSpec)}
        names = [product for product in products if product in own] or products
        message = trn(
            "{bridge}: {wanted} in the build, but {count} pair of {names} sits {spacing} slots apart.",
            "{bridge}: {wanted} in the build, but {count} pairs of {names} sit {spacing} slots apart.",
            count=found,
            names=either(names),
            **fields,
        )
        return Answer(Status.FAIL, message, found, pairs, "pairs", slots)
    if wanted % needed:
        message = tr(
            "{bridge}: a pair of {fitting} takes {needed} of them, the build has {wanted}.",
            fitting=fitting[0].title,
            **fields,
        )
        return Answer(Status.WARN, message, wanted, needed * pairs, "bridges", slots)
    message = (
        tr("Every {bridge} joins two cards at its spacing.", bridge=bridge.title)
        if needed == 1
        else tr("Every {bridge} joins two cards at its spacing, {needed} per pair.", **fields)
    )
    return Answer(Status.PASS, message, found, pairs, "pairs", slots)


def _free(machine: RuleContext, bridge: Part) -> list[Card]:
    """Placed cards that no bridge of another kind joins."""
    pairs = bridged_pairs(machine.build)
    taken = {key for pair in pairs if pair.bridge.id != bridge.id for key in pair.cards}
    return [card for card in machine.placed if key_of(card) not in taken]


def _pairs_on_risers(free: list[Card], joined: list[tuple[Card, Card]], bridge: Part) -> int:
    """How many further pairs could be set to the bridge's spacing, since one card or both hang on risers."""
    paired = {key_of(card) for pair in joined for card in pair}
    loose: dict[str, list[Card]] = {}
    for card in free:
        if key_of(card) not in paired and joins(bridge, card.part) and isinstance(card.part.spec, GpuSpec):
            loose.setdefault(card.part.spec.product, []).append(card)
    return sum(min(len(cards) // 2, sum(card.on_riser for card in cards)) for cards in loose.values())


def _generation(read: Reader, bridge: Part) -> Answer:
    read.about(bridge)
    cards = [line.part for line in read.machine.lines(Category.GPU) if isinstance(line.part.spec, GpuSpec)]
    if not cards:
        return Answer(Status.NOTE, tr("{bridge}: the build has no GPU to join.", bridge=bridge.title))
    links = [read(card, "nvlink_links") for card in cards]
    able = [card for card, count in zip(cards, links, strict=True) if count]
    if not able:
        names = listed([card.title for card in cards])
        fields: dict[str, object] = {"bridge": bridge.title, "names": names, "count": len(cards)}
        message = trn("{bridge}: {names} has no NVLink.", "{bridge}: {names} have no NVLink.", **fields)
        return Answer(Status.FAIL, message, 0, 2, "cards")
    generation, *own = read.all((bridge, "generation"), *((card, "nvlink_generation") for card in able))
    other = [card for card in able if generations_differ(bridge, card)]
    if len(other) == len(able):
        names = listed(
            [
                plain("{card} (NVLink {number})", card=card.title, number=number)
                for card, number in zip(able, own, strict=True)
            ]
        )
        fields = {"bridge": bridge.title, "generation": generation, "names": names}
        message = tr("{bridge} is made for NVLink {generation} and does not fit {names}.", **fields)
        return Answer(Status.FAIL, message, own[0], generation, "generation")
    good = listed([card.title for card in able if card not in other])
    return Answer(
        Status.PASS,
        tr("{bridge} matches the NVLink generation of {good}.", bridge=bridge.title, good=good),
        generation,
        generation,
        "generation",
    )


_BRIDGES = parts_of(Category.NVLINK_BRIDGE, nothing=tr("No NVLink bridge in the build."))
_CARD_READS = ("gpu.product", "gpu.nvlink_links", "gpu.nvlink_generation", "gpu.nvlink_gbps")
_BRIDGE_READS = (
    "nvlink_bridge.generation",
    "nvlink_bridge.spacing_slots",
    "nvlink_bridge.fits_products",
    "nvlink_bridge.bandwidth_gbps",
)

NVLINK_RULES = (
    Rule(
        "nvlink-bridge",
        tr("NVLink bridges"),
        tr(
            "A bridge joins two cards of one product whose slots are exactly its spacing apart; as "
            "many per pair as carry all links of a card (three on an A100, one on an RTX 3090)."
        ),
        "Puget Systems, NVLink on RTX 3090 and RTX A6000; NVIDIA GA102 whitepaper (112.5 GB/s); three for an A100 is "
        "not confirmed",
        _bridge,
        subjects=_BRIDGES,
        reads=("gpu.form", *_CARD_READS, *_BRIDGE_READS, *PLACES_READS),
        fixes=(Move.ARRANGE, Swap(Category.NVLINK_BRIDGE, "spacing_slots"), Fewer(Category.NVLINK_BRIDGE)),
    ),
    Rule(
        "nvlink-generation",
        tr("NVLink generation"),
        tr(
            "Bridge and card are of one NVLink generation; GeForce RTX 40 and 50 have none. "
            "Bridges of generation 3 also join H100 PCIe cards (not confirmed)."
        ),
        "Puget Systems, NVLink compatibility 2021: Turing bridges do not fit Ampere cards",
        _generation,
        subjects=_BRIDGES,
        reads=("gpu.nvlink_links", "gpu.nvlink_generation", "nvlink_bridge.generation"),
        fixes=(Swap(Category.NVLINK_BRIDGE, "spacing_slots"), Fewer(Category.NVLINK_BRIDGE)),
    ),
)
