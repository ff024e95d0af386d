"""How the GPUs reach each other: over what, how fast, whether the driver lets them; NVLink bridges, address space."""

from __future__ import annotations

from collections.abc import Iterator

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.line import ROLE_READS, Card, is_card
from core.plan.placement import nvlink
from core.plan.placement.links import LINK_READS
from core.plan.placement.risers import key_of
from core.plan.placement.topology import Path, cpu_of, p2p_over_pcie
from core.predict.speed.scaling import ACROSS_ROOTS
from core.rules.address_space import BAR_SPACE
from core.rules.changes import Fewer, Move, Swap
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, only_if, parts_of
from core.rules.slots import PLACES_READS, need_places
from core.words import either, joined, listed, plain, slots_listed, tr, trn

PAIR_READS = (
    *LINK_READS,
    *("gpu.product", "gpu.nvlink_links", "gpu.nvlink_generation", "gpu.nvlink_gbps", "motherboard.socket"),
    *("nvlink_bridge.spacing_slots", "nvlink_bridge.fits_products", "nvlink_bridge.generation"),
    *("nvlink_bridge.bandwidth_gbps", "motherboard.nvlink_fabrics", "carrier.nvlink_fabrics", *ROLE_READS),
)
"""Figures that say how two GPUs reach each other."""


def _p2p(read: Reader, machine: RuleContext) -> Answer:
    parts = [line.part for line in machine.workers]
    read.about(*parts)
    fabrics = [nvlink.built_in(machine.build, part) for part in parts]
    if all(fabrics) and not all(is_card(part) for part in parts):
        words = listed(sorted({fabric.kind.label for fabric in fabrics if fabric}))
        message = tr(
            "The machine's own NVLink joins the {number} modules, {words}. They have direct access (P2P) over it.",
            number=machine.worker_count,
            words=words,
        )
        return Answer(Status.PASS, message)
    _link_figures(read)
    paths, slowest = _paths(machine)
    bridged = sum(pair.nvlink is not None for pair in machine.pairs)
    if bridged and bridged == len(machine.pairs):
        message = tr("{paths}: the cards have direct access to each other (P2P) over it.", paths=paths)
        return Answer(Status.PASS, message, slowest, unit="GB/s")
    allowed = [p2p_over_pcie(part) for part in parts]
    across = _across_roots(machine, granted=all(allowed))
    refused = [part for part, granted in zip(parts, allowed, strict=True) if granted is False]
    if refused:
        names = listed(sorted({part.spec.product for part in refused if isinstance(part.spec, GpuSpec)}))
        message = tr(
            "NVIDIA's stock driver gives {names} no direct access to each other over PCIe (P2P): what they "
            "exchange goes through RAM.",
            names=names,
        )
        if bridged:
            message = tr(
                "NVIDIA's stock driver gives {names} no direct access to each other over PCIe (P2P), "
                "except for pairs joined by NVLink: what they exchange goes through RAM.",
                names=names,
            )
        return Answer(Status.NOTE, joined([message, *across]))
    if all(allowed):
        message = tr(
            "{paths}; the driver grants direct access (P2P) to these cards. Turn ACS off and set the "
            "IOMMU to pass-through.",
            paths=paths,
        )
        return Answer(Status.PASS, joined([message, *across]), slowest, unit="GB/s")
    for part in parts:
        read.maybe(part, "p2p")
    message = tr(
        "{paths}. Whether the driver grants them direct access (P2P) is not known: plan without it and measure.",
        paths=paths,
    )
    if bridged:
        message = tr(
            "{paths}. Whether the driver grants pairs without NVLink direct access (P2P) is not known: plan without it "
            "and measure.",
            paths=paths,
        )
    return Answer(Status.NOTE, joined([message, *across]), slowest, unit="GB/s")


def _across_roots(machine: RuleContext, *, granted: bool) -> Iterator[str]:
    """What pairs on two root complexes of one CPU lose, and which slots have room for all cards on one."""
    crowds: dict[tuple[int, str], list[int]] = {}
    for position, slot in machine.slots.items():
        if slot.root is not None:
            crowds.setdefault((slot.cpu, slot.root), []).append(position)
    far = crowds and sum(pair.path is Path.NODE and pair.nvlink is None for pair in machine.pairs)
    if not far:
        return
    least, _, _ = ACROSS_ROOTS[granted]
    yield trn(
        "{count} of {pairs} is wired to two root complexes: up to {loss:.0f} % slower.",
        "{count} of {pairs} are wired to two root complexes: up to {loss:.0f} % slower.",
        count=far,
        pairs=trn("{count} pair", "{count} pairs", count=len(machine.pairs)),
        loss=100 * (1 - least),
    )
    cards = {key_of(link.card) for pair in machine.pairs for link in (pair.first, pair.second)}
    if alike := [slots_listed(crowd) for crowd in crowds.values() if len(crowd) >= len(cards)]:
        yield tr("On one root complex: {slots}.", slots=joined(alike, "; "))


def _paths(machine: RuleContext) -> tuple[str, float | None]:
    """The classes of the pairs in words, and the GB/s of the slowest."""
    if not machine.pairs:
        working = {line.part.id for line in machine.workers}
        placed = sum(card.slot is not None for card in machine.cards if card.part.id in working)
        unknown = placed > 1 and machine.board_slots_unknown
        return tr("The board's slots are unknown") if unknown else tr(
            "Fewer than two GPUs sit in slots of the board"
        ), None
    lit = [pair for pair in machine.pairs if pair.gbps != 0]
    if not lit:
        return tr("Fewer than two GPUs sit in active slots"), None
    speeds = [pair.gbps for pair in lit if pair.gbps is not None]
    paths = {pair.path for pair in lit if not pair.nvlink}
    kinds: list[str] = [plain("{path} ({words})", path=path.value, words=path.label) for path in Path if path in paths]
    if any(pair.nvlink for pair in machine.pairs):
        kinds.insert(0, "NVLink")
    if None in paths:
        kinds.append(tr("of unknown class"))
    listed_kinds = listed(kinds)
    words = (
        tr("Pairs of GPUs are {kinds}, {speed:.1f} GB/s each way at most", kinds=listed_kinds, speed=min(speeds))
        if speeds
        else tr("Pairs of GPUs are {kinds}", kinds=listed_kinds)
    )
    return words, min(speeds, default=None)


def _link_figures(read: Reader) -> None:
    """What classes and speeds of pairs rest on, so that an unknown figure among it is named."""
    machine, board = read.machine, read.board
    for line in machine.lines(Category.GPU):
        for field in ("pcie_lanes", "pcie_generation"):
            read.maybe(line.part, field)
    for line in machine.lines(Category.CPU):
        read.maybe(line.part, "pcie_generation")
        read.maybe(line.part, "pcie_lanes")
    for field in ("slots", "socket"):
        read.maybe(board, field)
    if getattr(board.spec, "lane_cases", ()):
        read.maybe(board, "m2")
        for line in machine.lines(Category.STORAGE):
            read.maybe(line.part, "form_factor")


def _sys(read: Reader, machine: RuleContext) -> Answer:
    if machine.count(Category.CPU) < 2:
        return Answer(Status.PASS, tr("One CPU: no pair of GPUs is split between two."), 0, unit="pairs")
    read(read.board, "slots")
    if not machine.pairs:
        return Answer(Status.PASS, tr("Fewer than two GPUs sit in slots."), 0, unit="pairs")
    if any(link.slot.attachment is None for link in machine.links.values()):
        raise read.give_up(read.board, "slots")
    far = [pair for pair in machine.pairs if pair.path is Path.SYS and pair.nvlink is None]
    if not far:
        return Answer(Status.PASS, tr("No two GPUs reach each other over the link between the CPUs."), 0, unit="pairs")
    read.about(*(link.card.part for pair in far for link in (pair.first, pair.second)))
    seats = {link.slot.position: cpu_of(link.slot) for pair in far for link in (pair.first, pair.second)}
    halves = [sorted(at for at, cpu in seats.items() if cpu == one) for one in (0, 1)]
    message = trn(
        "{count} of {pairs} of GPUs reaches each other only over the link between the CPUs "
        "(SYS), {first} to {second}: work on all of them waits for it.",
        "{count} of {pairs} of GPUs reach each other only over the link between the CPUs (SYS), "
        "{first} to {second}: work on all of them waits for it.",
        count=len(far),
        pairs=trn("{count} pair", "{count} pairs", count=len(machine.pairs)),
        first=slots_listed(halves[0]),
        second=slots_listed(halves[1]),
    )
    slots = tuple(sorted(halves[0] + halves[1]))
    return Answer(Status.WARN, message, len(far), len(machine.pairs), "pairs", slots)


_SEVERAL = only_if(lambda machine: sum(line.quantity for line in machine.workers) > 1, tr("Fewer than two GPUs."))

TOPOLOGY_RULES = (
    Rule(
        "pcie-p2p",
        tr("Direct access between GPUs"),
        tr(
            "GeForce RTX 20 to 50 get none over PCIe from the stock driver; RTX 20 and 30 have "
            "it over an NVLink bridge. Professional and data-centre cards, and GeForce GTX, have "
            "it (general knowledge). Paths as nvidia-smi topo -m names them."
        ),
        "tensorflow 24677 (RTX 2080 Ti); NVIDIA/nccl 1127 and huggingface/accelerate 2328 (RTX 3090); tinygrad/"
        "open-gpu-kernel-modules 28 and 29 (RTX 40 and 50)",
        _p2p,
        (Category.MOTHERBOARD,),
        subjects=_SEVERAL,
        gravest=Status.NOTE,
        reads=(*PAIR_READS, "gpu.p2p"),
    ),
    Rule(
        "pcie-sys",
        tr("GPUs on different CPUs"),
        tr("Pairs across the sockets (SYS) go over the CPUs' own link: 39 of 54 GB/s on Genoa, 51 of 56 on Turin."),
        "rtx6kpro, measurements between sockets",
        _sys,
        (Category.MOTHERBOARD,),
        subjects=_SEVERAL,
        gravest=Status.WARN,
        reads=PAIR_READS,
        fixes=(Move.ARRANGE, Move.FEWER_CARDS),
    ),
    BAR_SPACE,
)


def _bridge(read: Reader, bridge: Part) -> Answer:
    machine = read.machine
    bridge_count = machine.quantity(bridge)
    spacing, products = read.all((bridge, "spacing_slots"), (bridge, "fits_products"))
    fitting = [line.part for line in machine.lines(Category.GPU) if nvlink.joins(bridge, line.part)]
    read.about(*fitting)
    needed = max((nvlink.bridges_per_pair(part, bridge) for part in fitting), default=1)
    if needed > 1:
        read.all((bridge, "bandwidth_gbps"), *((part, "nvlink_gbps") for part in fitting))
    need_places(read)
    free = _free(machine, bridge)
    joined = nvlink.possible_pairs(free, bridge)
    pair_count, slots = len(joined), tuple(card.slot or 0 for pair in joined for card in pair)
    pairs = -(-bridge_count // needed)
    hung = _pairs_on_risers(free, joined, bridge)
    fields = {"bridge": bridge.title, "spacing": spacing, "wanted": bridge_count, "needed": needed}
    if pair_count < pairs <= pair_count + hung:
        message = trn(
            "{bridge}: a pair is on risers. Fix the cards exactly {spacing} slots apart: the bridge is rigid.",
            "{bridge}: {count} pairs are on risers. Fix the cards exactly {spacing} slots apart: the bridge is rigid.",
            count=pairs - pair_count,
            **fields,
        )
        return Answer(Status.NOTE, message, pair_count + hung, pairs, "pairs", slots)
    if pair_count < pairs:
        own = {part.spec.product for part in fitting if isinstance(part.spec, GpuSpec)}
        names = [product for product in products if product in own] or products
        message = trn(
            "{bridge}: {wanted} in the build, but {count} pair of {names} sits {spacing} slots apart.",
            "{bridge}: {wanted} in the build, but {count} pairs of {names} sit {spacing} slots apart.",
            count=pair_count,
            names=either(names),
            **fields,
        )
        return Answer(Status.FAIL, message, pair_count, pairs, "pairs", slots)
    if bridge_count % needed:
        message = tr(
            "{bridge}: a pair of {fitting} takes {needed} of them, the build has {wanted}.",
            fitting=fitting[0].title,
            **fields,
        )
        return Answer(Status.WARN, message, bridge_count, needed * pairs, "bridges", slots)
    message = tr("Every {bridge} joins two cards at its spacing, {needed} per pair.", **fields)
    if needed == 1:
        message = tr("Every {bridge} joins two cards at its spacing.", bridge=bridge.title)
    return Answer(Status.PASS, message, pair_count, pairs, "pairs", slots)


def _free(machine: RuleContext, bridge: Part) -> list[Card]:
    """Placed cards that no bridge of another kind joins."""
    pairs = nvlink.bridged_pairs(machine.build)
    taken = {key for pair in pairs if pair.bridge.id != bridge.id for key in pair.cards}
    return [card for card in machine.placed if key_of(card) not in taken]


def _pairs_on_risers(free: list[Card], joined: list[tuple[Card, Card]], bridge: Part) -> int:
    """How many further pairs could be set to the bridge's spacing, since one card or both hang on risers."""
    paired = {key_of(card) for pair in joined for card in pair}
    loose: dict[str, list[Card]] = {}
    for card in free:
        if key_of(card) not in paired and nvlink.joins(bridge, card.part) and isinstance(card.part.spec, GpuSpec):
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
    other = [card for card in able if nvlink.generations_differ(bridge, card)]
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
    message = tr("{bridge} matches the NVLink generation of {good}.", bridge=bridge.title, good=good)
    return Answer(Status.PASS, message, generation, generation, "generation")


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
