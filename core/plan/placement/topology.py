"""How two cards reach each other: the path's class as nvidia-smi topo -m names it, NVLink, and GB/s each way.

Convention. One switch joins two slots: PIX. Switches whose names share what stands before a slash ("PEX/0", "PEX/1", or
"C1" and "C1/C2" of carriers) hang on one upstream switch: PXB. Slots of one CPU: PHB where the CPU has a single PCIe
host bridge (desktop sockets, LGA2011 and LGA2011-3). Where it has several (Threadripper, EPYC, and Xeon and Core X from
LGA2066 and LGA3647 on) the board's `root` figures decide: one root complex PHB, two NODE; seats on one slot share its
root. A root that is not stated leaves NODE or PHB, written NODE?. Slots of different CPUs: SYS. Two cards on the
chipset: as any two slots of CPU 1. Unknown attachment or socket: no class.

The driver counts by NUMA node: with more than one node per socket (NPS2, NPS4; EPYC 7001 always) it prints SYS for what
is NODE here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from core.parts.part import Part
from core.parts.specs import GpuSpec, Slot
from core.parts.vocabulary import Attachment, Socket
from core.plan.build import Build
from core.plan.placement.links import CardLink, link_gbps, links
from core.plan.placement.nvlink import Bridged, joined_pairs
from core.plan.placement.risers import CardKey, key_of
from core.plan.seats import UPLINK_LANES, Host, Seat, Uplink
from core.words import Worded, tr

ONE_HOST_BRIDGE = frozenset(
    socket
    for socket in Socket
    if socket.value.startswith(("LGA775", "LGA11", "LGA12", "LGA13", "LGA17", "LGA18", "LGA2011", "AM", "FM"))
)
"""Sockets whose CPUs have a single PCIe host bridge."""


class Path(Worded):
    """Classes of nvidia-smi topo -m, the nearest first, and the doubt between two of them."""

    PIX = "PIX", tr("one PCIe switch")
    PXB = "PXB", tr("several PCIe switches")
    PHB = "PHB", tr("the CPU's PCIe host bridge")
    ONE_CPU = "NODE?", tr("one or two PCIe host bridges of one CPU")
    """NODE or PHB: which root complexes the slots are wired to is not stated."""
    NODE = "NODE", tr("two PCIe host bridges of one CPU")
    SYS = "SYS", tr("the link between two CPUs")


class Pair(NamedTuple):
    """Two placed GPUs. `path` None: the board's data do not say. `gbps` is the most that one may send to the other
    while nothing else moves, GB/s each way, None if unknown: over `nvlink` if a bridge or the machine's own board joins
    them, else over PCIe where the driver grants it."""

    first: CardLink
    second: CardLink
    path: Path | None
    gbps: float | None
    nvlink: Bridged | None = None

    @property
    def word(self) -> str:
        """NV, the class of the path, or ? where it is unknown."""
        return "NV" if self.nvlink else self.path.value if self.path else "?"


def pairs(build: Build, card_links: Mapping[CardKey, CardLink] | None = None) -> tuple[Pair, ...]:
    """All pairs of placed GPUs that do work, from the top. `card_links` are those of the build, if already at hand."""
    placed = links(build) if card_links is None else card_links
    works = {line.part.id for line, _ in build.workers()}
    gpus = [link for link in placed.values() if link.card.part.id in works]
    board = build.motherboard
    socket = board[1].socket if board else None
    single = None if socket is None else socket in ONE_HOST_BRIDGE
    joined = {frozenset(pair.cards): pair for pair in joined_pairs(build)}
    ends = [_End(link, link.gbps, uplink_gbps(link), _root(link)) for link in gpus]
    return tuple(_pair(one, other, single, joined) for one, other in combinations(ends, 2))


def _path(one: _End, other: _End, single: bool | None) -> Path | None:
    """The class of the way between two cards; symmetric. `single`: whether the CPU has a single host bridge."""
    first, second = one.link.slot, other.link.slot
    if first.attachment is None or second.attachment is None:
        return None
    if cpu_of(first) != cpu_of(second):
        return Path.SYS
    if first.attachment is Attachment.SWITCH and second.attachment is Attachment.SWITCH:
        switch, beside = first.switch or "", second.switch or ""
        if switch == beside:
            return Path.PIX
        if switch.split("/")[0] == beside.split("/")[0]:
            return Path.PXB
    if single:
        return Path.PHB
    if one.root is not None:
        if one.root == other.root:
            return Path.PHB
        if first.root is not None and second.root is not None:
            return Path.NODE
    return None if single is None else Path.ONE_CPU


def _root(link: CardLink) -> Host | None:
    """The root complex, where the board's data state it; else what the card shares a part of: that has only one."""
    slot = link.slot
    if slot.root is not None:
        return slot.root
    return slot.board_host if isinstance(slot, Seat) else slot.position if link.card.on_riser else None


def uplink_gbps(link: CardLink) -> float | None:
    """GB/s each way of the slowest link that the slot shares on its way to the CPU; None if it has its own."""
    slot = link.slot
    if isinstance(slot, Seat):
        return _uplink(slot.cpu_uplink, link.share)
    lanes = UPLINK_LANES.get(slot.attachment) if slot.attachment else None
    return None if lanes is None else link_gbps(slot.generation, lanes)


def _switch_gbps(link: CardLink) -> float | None:
    """GB/s each way between the nested switch under the card and the one that it hangs on; None without."""
    slot = link.slot
    nested = isinstance(slot, Seat) and slot.switch is not None and "/" in slot.switch
    return _uplink(slot.switch_uplink, 1.0) if isinstance(slot, Seat) and nested else None


def _uplink(uplink: Uplink | None, share: float) -> float | None:
    return None if uplink is None else link_gbps(uplink.generation, uplink.lanes) * share


def matrix(cards: Sequence[CardLink], gpu_pairs: Iterable[Pair]) -> list[list[str]]:
    """The table of nvidia-smi topo -m: X on the diagonal, NV where a bridge joins two, ? where unknown."""
    words: dict[tuple[CardKey, CardKey], str] = {}
    for pair in gpu_pairs:
        one, other = key_of(pair.first.card), key_of(pair.second.card)
        words[one, other] = words[other, one] = pair.word
    keys = [key_of(link.card) for link in cards]
    return [["X" if one == other else words.get((one, other), "?") for other in keys] for one in keys]


class _End(NamedTuple):
    """One card of a pair with what bounds its traffic, GB/s each way."""

    link: CardLink
    gbps: float | None
    uplink: float | None
    root: Host | None


def _pair(one: _End, other: _End, single: bool | None, joined: Mapping[frozenset[CardKey], Bridged]) -> Pair:
    path = _path(one, other, single)
    if joined:
        bridge = joined.get(frozenset({key_of(one.link.card), key_of(other.link.card)}))
        if bridge is not None:
            return Pair(one.link, other.link, path, bridge.gbps, bridge)
    return Pair(one.link, other.link, path, _pcie_gbps(one, other, path))


def _pcie_gbps(one: _End, other: _End, path: Path | None) -> float | None:
    """The least on the way: both links, and shared uplinks where the way leaves the switch or chipset."""
    if one.gbps is None or other.gbps is None:
        return None
    least = min(one.gbps, other.gbps)
    if path is Path.PIX:
        return least
    if path is Path.PXB:
        return min((least, *(gbps for end in (one, other) if (gbps := _switch_gbps(end.link)) is not None)))
    return min(least, one.uplink or least, other.uplink or least)


def cpu_of(slot: Slot) -> int:
    """The CPU under the slot, from 0: the chipset is wired to the first."""
    return 0 if slot.attachment is Attachment.CHIPSET else slot.cpu


REFUSED = ("GeForce RTX 20", "GeForce RTX 30", "GeForce RTX 40", "GeForce RTX 50")
"""NVIDIA's stock driver grants these no P2P over PCIe; RTX 20 and 30 cards have it over an NVLink bridge
(tensorflow 24677 on the RTX 2080 Ti; NVIDIA/nccl 1127 and huggingface/accelerate 2328 on the RTX 3090; tinygrad's
open-gpu-kernel-modules 29 on RTX 40 and 50)."""
_GRANTED = re.compile(r"(GeForce GTX|TITAN (?!RTX)|Quadro|Tesla|RTX |[ABHL]\d)")


def p2p_over_pcie(part: Part) -> bool | None:
    """The card's own figure where it states one, else what is known of its class; None where nothing is known.

    Professional and data-centre cards of NVIDIA, and GeForce GTX and TITAN before RTX, have it: general knowledge.
    """
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    if spec.p2p is not None:
        return spec.p2p
    if spec.product.startswith(REFUSED):
        return False
    return True if _GRANTED.match(spec.product) else None
