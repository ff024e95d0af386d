"""N cards that train one model together, each with its share of the samples (data parallel).

After each step the gradients are summed over a ring: every card sends and receives 2 (N - 1) / N times their bytes
(Patarasuk and Yuan, J. Parallel Distrib. Comput. 69 (2009) 117). What runs while the backward pass still computes is
hidden; the rest is added to the step. All wait for the slowest card.

The ring runs at the pace of its slowest edge. Shares of a link's own rate that collectives reach, from published
measurements: NVLink 0.7 to 0.82 (NCCL on 8 V100, A100 and H200); PCIe between cards that reach each other 0.55 to 0.83
(A6000 behind and across switches; NCCL's own figure for RTX 4090 0.76); PCIe by way of the host's memory 0.2 to 0.55
(4 and 8 RTX 5090: 0.55 and 0.44).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.vocabulary import Attachment, GpuForm
from core.plan.build import Build
from core.plan.placement.links import CardLink, links
from core.plan.placement.risers import CardKey, key_of
from core.plan.placement.topology import Pair, Path, p2p_over_pcie, pairs, uplink_gbps
from core.predict.band import Band, union
from core.predict.speed.networks import REFERENCES, ComputePrecision, Network, ReferenceNetwork, Triple
from core.words import Worded, tr

BACKWARD = 2 / 3
"""Of a step's time: two of three passes. No more communication than that can hide."""


WIDE = 2.0
"""A band whose high end is more than so many times its low end says little."""


class Narrowing(Worded):
    """What a wide band of the efficiency would be narrowed by most."""

    LINK = "link", tr("The rate that this link reaches in an all-reduce, measured, would narrow this band most.")
    SAMPLES = "samples", tr("Your samples per card and step would narrow this band most: the more, the less they wait.")
    NETWORK = (
        "network",
        tr(
            "A short run of your own network on two such cards would narrow this band most: what it hides of the "
            "exchange decides."
        ),
    )


@dataclass(frozen=True, slots=True)
class Scaled:
    """N cards together. `efficiency` is their rate over the sum of their single rates."""

    rate: Band
    efficiency: Band
    exchange_ms: Band
    """Summing the gradients once, hidden or not."""
    narrowed_by: Narrowing | None = None
    """None where the efficiency's band is no wide one."""


def scaled(
    network: Network, precision: ComputePrecision, rates: Sequence[Band], gbps: Triple, samples: Triple
) -> Scaled:
    """Cards of these single rates over a ring of this pace, with so many samples per card and step, few to many. Pure.

    Raises ValueError for fewer than two cards or a link of zero.
    """
    count = len(rates)
    if count < 2 or min(gbps) <= 0:
        raise ValueError("scaling needs two or more cards and a link between them")
    reference = REFERENCES[network]
    bytes_each = reference.gradient_bytes if precision is ComputePrecision.MIXED else (4.0, 4.0, 4.0)
    factor = 2 * (count - 1) / count * reference.parameters
    exchange = [factor * one / (pace * 1e9) for one, pace in zip(bytes_each, gbps, strict=True)]
    paces = [min(getattr(rate, side) for rate in rates) for side in ("low", "expected", "high")]
    together = [
        _rate(reference, place, count, samples[place], pace, exchange[place]) for place, pace in enumerate(paces)
    ]
    # A fast card waits longest for a slow link, so the efficiency's ends take the other end's pace.
    alone = [sum(getattr(rate, side) for rate in rates) for side in ("high", "expected", "low")]
    efficiencies = [
        _rate(reference, place, count, samples[place], pace, exchange[place]) / alone[place]
        for place, pace in enumerate(reversed(paces))
    ]
    assumptions = union(rate.assumptions for rate in rates)
    missing = union(rate.missing for rate in rates)
    low, middle, high = together
    least, likely, most = sorted(efficiencies)
    wide = most > WIDE * least
    return Scaled(
        Band(low, middle, high, reference.unit, assumptions, missing),
        Band(least, likely, most, ""),
        Band(exchange[2] * 1e3, exchange[1] * 1e3, exchange[0] * 1e3, "ms"),
        _narrowed_by(reference, count, samples, paces[1], exchange) if wide else None,
    )


def _narrowed_by(
    reference: ReferenceNetwork, count: int, samples: Triple, pace: float, exchange: Sequence[float]
) -> Narrowing:
    """Each of the three moved alone from end to end: that which moves the speed most."""
    ends = (0, 2)
    moved = {
        Narrowing.LINK: [_rate(reference, 1, count, samples[1], pace, exchange[end]) for end in ends],
        Narrowing.SAMPLES: [_rate(reference, 1, count, samples[end], pace, exchange[1]) for end in ends],
        Narrowing.NETWORK: [_rate(reference, end, count, samples[1], pace, exchange[1]) for end in ends],
    }
    return max(moved, key=lambda one: max(moved[one]) / min(moved[one]))


def _rate(reference: ReferenceNetwork, place: int, count: int, samples: float, pace: float, exchange_s: float) -> float:
    """Samples per second of all cards that alone have this pace; `place` is the side of the reference's ranges."""
    alone_s = samples / pace
    hidden = min(reference.overlap[place] * exchange_s, BACKWARD * alone_s)
    return count * samples * reference.in_step[place] / (alone_s + exchange_s - hidden)


NVLINK_SHARE: Triple = (0.65, 0.76, 0.84)
P2P_SHARE: Triple = (0.50, 0.68, 0.82)
STAGED_SHARE: Triple = (0.20, 0.38, 0.55)
UNKNOWN_SHARE: Triple = (STAGED_SHARE[0], (STAGED_SHARE[1] + P2P_SHARE[1]) / 2, P2P_SHARE[2])
COPIED: Triple = (0.6 / 2, 0.8 / 2, 0.95)
"""Of the RAM's own rate that gradients by way of the host get: each byte is written and read, at the rate that copies
reach (general knowledge); at best the CPU's cache hands it on. With fewer modules it falls alike: two of eight on an
EPYC reach 28 %, four 54 % (Thomas-Krenn wiki, STREAM Triad)."""
ACROSS_CPUS: Triple = (0.40, 0.75, 0.95)
"""Old links between CPUs carry 10 GB/s of 31.5, the newest all but a tenth."""
ACROSS_ROOTS: Mapping[bool | None, Triple] = {
    True: (0.95, 0.99, 1.0),
    False: (0.60, 0.95, 1.0),
    None: (0.60, 0.97, 1.0),
}
"""Share of a pair's rate that is left between two root complexes of one CPU, by whether the cards reach each other.

Directly: 52.8 of 53.1 GB/s and 56.27 of 56.28 on a Threadripper PRO 7955WX, 46.44 of 46.48 in an all-reduce (rtx6kpro,
WRX90 WS EVO); 50.0 to 51.1 over all pairs of a 3995WX (tinygrad/open-gpu-kernel-modules 6). Through memory: 93 tokens a
second for 151 on a 3975WX, another board and CPU in between (club-3090 1098). Where the roots are not stated nothing is
taken off: the shares above were measured on boards of either kind.
"""
PRESUMED_GBPS: Triple = (3.9, 15.75, 31.5)
"""Each way, for cards without a slot and links of unknown figures: Gen3 x4, Gen3 x16, Gen4 x16."""
NVLINK_PRESUMED_GBPS: Triple = (40, 150, 450)
"""Each way, for modules whose NVLink rate is unknown: one link of the first generation to 18 of the fourth."""

WIRED_PRODUCTS = ("Tesla V100 DGXS",)
"""Cards that the machine's own boards join by NVLink, without a bridge: those of the DGX Station."""
WIRED_GBPS: Triple = (25, 50, 100)
"""Each way along the ring: one, two or four of a V100's links of 25 GB/s; how they are spread is general knowledge."""

UNPLACED = tr("Cards without a slot: their link is assumed to be anything from Gen3 x4 to Gen4 x16.")
STAGED = tr("The driver gives these cards no direct access to each other: gradients go through host memory.")
P2P_UNKNOWN = tr("Whether these cards reach each other directly or through host memory is unknown.")


_SHARE_OF: Mapping[bool | None, tuple[Triple, tuple[str, ...]]] = {
    True: (P2P_SHARE, ()),
    False: (STAGED_SHARE, (STAGED,)),
    None: (UNKNOWN_SHARE, (P2P_UNKNOWN,)),
}
"""By whether the driver lets two cards exchange data directly."""


@dataclass(frozen=True, slots=True)
class Ring:
    """`gbps` is what one card sends to the next while all send, slow to fast. `slowest` says where it is held back."""

    gbps: Triple
    slowest: str
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    staged: int = 0
    """Edges that go through host memory."""
    perhaps_staged: int = 0
    """With those of which nobody knows."""

    def by_ram(self, gbps: float | None, words: str) -> Ring:
        """The ring with what RAM of this rate carries; `words` name it. An unknown rate limits nothing."""
        if gbps is None or not self.perhaps_staged:
            return self
        edges = (self.perhaps_staged, self.staged, self.staged)
        low, expected, high = (
            min(pace, share * gbps / count) if count else pace
            for pace, share, count in zip(self.gbps, COPIED, edges, strict=True)
        )
        slowest = words if expected < self.gbps[1] else self.slowest
        return replace(self, gbps=(min(low, expected), expected, high), slowest=slowest)


@dataclass(frozen=True, slots=True)
class _Edge:
    gbps: Triple
    words: str
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    direct: bool | None = True
    """Not through host memory; None if that is unknown."""


def ring_of(build: Build, card_links: Mapping[CardKey, CardLink] | None = None) -> Ring | None:
    """The ring through all GPUs that do work, None with fewer than two and where no link between them is known (OAM).

    `card_links` are the build's links, if at hand. Pure. Cards follow each other as they sit, so that bridged ones and
    those of one switch or CPU are neighbours.
    """
    if build.worker_count < 2 or any(spec.form is GpuForm.OAM for _, spec in build.workers()):
        return None
    placed = links(build) if card_links is None else card_links
    edges = (*_module_edges(build), *_card_edges(build, placed), *_chip_edges(build, placed))
    worst = min(edges, key=lambda edge: edge.gbps[1])
    low, expected, high = (min(edge.gbps[place] for edge in edges) for place in range(3))
    notes = tuple(dict.fromkeys(note for edge in edges for note in edge.notes))
    missing = tuple(dict.fromkeys(name for edge in edges for name in edge.missing))
    staged = sum(edge.direct is False for edge in edges)
    unknown = sum(edge.direct is None for edge in edges)
    return Ring((low, expected, high), worst.words, notes, missing, staged, staged + unknown)


def reach_each_other(part: Part) -> bool | None:
    """Whether the driver lets two such cards exchange data over PCIe directly; None if nobody said.

    As `p2p_over_pcie` knows it; other professional and data-centre cards do (general knowledge).
    """
    stated, name = p2p_over_pcie(part), _product(part)
    if stated is not None:
        return stated
    return None if "GeForce" in name or "Radeon" in name else True


def _module_edges(build: Build) -> list[_Edge]:
    """SXM modules on the board of their system's maker all join by NVLink; those on carriers count as cards."""
    edges = []
    for line, spec in build.workers():
        if spec.form is not GpuForm.SXM or any(carrier.takes_modules for carrier in build.carriers):
            continue
        if spec.nvlink_gbps:
            each_way = spec.nvlink_gbps / 2
            edges.append(_Edge(_times(NVLINK_SHARE, each_way), tr("NVLink of {gbps:g} GB/s each way", gbps=each_way)))
        else:
            missing = (f"{line.part.id}.nvlink_gbps",)
            edges.append(_Edge(_by(NVLINK_PRESUMED_GBPS, NVLINK_SHARE), tr("NVLink of unknown rate"), (), missing))
    return edges


def _card_edges(build: Build, card_links: Mapping[CardKey, CardLink]) -> list[_Edge]:
    works = {line.part.id for line, _ in build.workers()}
    cards = [card for card in build.cards() if card.part.id in works]
    if cards and all(_product(card.part).startswith(WIRED_PRODUCTS) for card in cards):
        missing = tuple(dict.fromkeys(f"{card.part.id}.nvlink_gbps" for card in cards))
        return [_Edge(_by(WIRED_GBPS, NVLINK_SHARE), tr("NVLink built into the machine, of unknown rate"), (), missing)]
    placed = [card_links[key_of(card)] for card in cards if key_of(card) in card_links]
    edges = [
        _Edge(_by(PRESUMED_GBPS, UNKNOWN_SHARE), tr("the link of a card without a slot"), (UNPLACED,), (), None)
    ] * (len(placed) < len(cards))
    if len(placed) > 1:
        pair_of = {
            frozenset({key_of(pair.first.card), key_of(pair.second.card)}): pair for pair in pairs(build, card_links)
        }
        crowd = Counter(_root(link) for link in placed)
        order = _order(placed, pair_of)
        around = zip(order, (*order[1:], order[0]), strict=True)
        edges += [_edge(pair_of[frozenset({key_of(a.card), key_of(b.card)})], crowd) for a, b in around]
    return edges


def _chip_edges(build: Build, card_links: Mapping[CardKey, CardLink]) -> Iterator[_Edge]:
    """Between the chips of one card: over its switch, else by way of the host, each on its part of the slot's lanes."""
    for line, spec in build.workers():
        if spec.chips == 1:
            continue
        words = tr("PCIe between the chips of {part}", part=line.part.title)
        rates = [link.gbps for key, link in card_links.items() if link.card.part.id == line.part.id]
        direct = reach_each_other(line.part)
        share, notes = _SHARE_OF[direct]
        slowest = min((rate for rate in rates if rate is not None), default=None)
        if slowest is None or len(rates) < line.quantity:
            yield _Edge(
                _by(PRESUMED_GBPS, _by(share, _each_chip(line.part, direct))), words, (*notes, UNPLACED), (), direct
            )
        elif slowest > 0:
            yield _Edge(_by(_times(share, slowest), _each_chip(line.part, direct)), words, notes, direct=direct)


def _each_chip(part: Part, direct: bool | None = True) -> Triple:
    """Share of a card's link that one of its chips has.

    All of it behind a switch on the card while its chips reach each other there, else its part of the lanes.
    """
    spec = part.spec
    if not isinstance(spec, GpuSpec) or spec.chips == 1:
        return 1.0, 1.0, 1.0
    part_of = 1 / spec.chips
    split, switched = (part_of,) * 3, (1.0, 1.0, 1.0)
    if spec.needs_bifurcation is None or direct is None:
        return part_of, part_of, 1.0
    return split if spec.needs_bifurcation or not direct else switched


def _order(placed: Sequence[CardLink], pair_of: Mapping[frozenset[CardKey], Pair]) -> list[CardLink]:
    """By CPU, then by switch or chipset, then from the top, a bridged card's partner right behind it."""
    rest = sorted(placed, key=lambda link: (_root(link), link.slot.position))
    order: list[CardLink] = []
    while rest:
        first = rest.pop(0)
        order.append(first)
        partner = next((o for o in rest if pair_of[frozenset({key_of(first.card), key_of(o.card)})].nvlink), None)
        if partner is not None:
            rest.remove(partner)
            order.append(partner)
    return order


def _root(link: CardLink) -> tuple[int, str]:
    return (0 if link.slot.attachment is Attachment.CHIPSET else link.slot.cpu, link.root or "")


def _edge(pair: Pair, crowd: Mapping[tuple[int, str], int]) -> _Edge:
    first, second, gbps = pair.first.slot.position, pair.second.slot.position, pair.gbps
    if pair.nvlink is not None and gbps is not None:
        fields = {"gbps": gbps, "first": first, "second": second}
        words = tr("NVLink of {gbps:g} GB/s each way between slots {first} and {second}", **fields)
        return _Edge(_times(NVLINK_SHARE, gbps), words)
    direct = _direct(pair)
    share, notes = _SHARE_OF[direct]
    if gbps is None:
        unknown = [link.card.part.id for link in (pair.first, pair.second) if link.gbps is None]
        missing = tuple(f"{part_id}.{field}" for part_id in unknown for field in ("pcie_generation", "pcie_lanes"))
        return _Edge(
            _by(PRESUMED_GBPS, share),
            tr("a link of unknown rate between slots {first} and {second}", first=first, second=second),
            notes,
            missing,
            direct,
        )
    chips = [_each_chip(link.card.part) for link in (pair.first, pair.second)]
    shared = _by(_by(_shared(pair, crowd, gbps, direct), share), min(chips))
    if pair.path is Path.NODE:
        fields = {"gbps": gbps, "first": first, "second": second}
        return _Edge(
            _by(shared, ACROSS_ROOTS[direct]),
            tr(
                "PCIe of {gbps:.3g} GB/s each way between slots {first} and {second}, across two root complexes",
                **fields,
            ),
            notes,
        )
    if pair.path is Path.SYS:
        fields = {"gbps": gbps, "first": first, "second": second}
        return _Edge(
            _by(shared, ACROSS_CPUS),
            tr("PCIe of {gbps:.3g} GB/s each way between slots {first} and {second}, across two CPUs", **fields),
            notes,
            direct=direct,
        )
    fields = {"gbps": gbps, "first": first, "second": second}
    text = tr("PCIe of {gbps:.3g} GB/s each way between slots {first} and {second}", **fields)
    return _Edge(shared, text, notes, direct=direct)


def _direct(pair: Pair) -> bool | None:
    answers = {reach_each_other(link.card.part) for link in (pair.first, pair.second)}
    return False if False in answers else None if None in answers else True


def _shared(pair: Pair, crowd: Mapping[tuple[int, str], int], gbps: float, direct: bool | None) -> Triple:
    """What uplinks leave: cards on the chipset share its, those under a switch only on the way by the host."""
    bounds = [
        uplink / crowd[_root(link)]
        for link in (pair.first, pair.second)
        if (uplink := uplink_gbps(link)) is not None and not (direct and link.slot.attachment is Attachment.SWITCH)
    ]
    least = min((gbps, *bounds))
    return (least, least, gbps) if direct is None else (least, least, least)


def _product(part: Part) -> str:
    return part.spec.product if isinstance(part.spec, GpuSpec) else ""


def _times(share: Triple, gbps: float) -> Triple:
    return share[0] * gbps, share[1] * gbps, share[2] * gbps


def _by(one: Triple, other: Triple) -> Triple:
    return one[0] * other[0], one[1] * other[1], one[2] * other[2]
