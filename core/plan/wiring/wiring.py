"""What `wire` answers: which plug of which cable of which PSU feeds which socket, what is left, what stays unfed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.parts.vocabulary import Category, PowerConnector

BOXED = "boxed"
"""In the place of an adapter's part id: the one that comes in the card's box."""


class WiredPsu(NamedTuple):
    """One PSU. `place` counts all PSUs of the machine from 1: "PSU 1" feeds the board."""

    place: int
    part_id: str
    number: int
    """1 is the first of its part."""
    power_w: float | None
    """What it gives at the mains voltage of the build; None if its rating is unknown."""
    load_w: float
    """Its load by the limits of cards and CPUs, W: what the slots give and, on the board's PSU, board, memory,
    drives and fans included."""

    @property
    def share(self) -> float | None:
        """Load over what it gives, None if that is unknown."""
        return self.load_w / self.power_w if self.power_w else None


class Cable(NamedTuple):
    """One cable of a PSU: the `number`-th of its kind."""

    psu: int
    """`WiredPsu.place`."""
    kind: PowerConnector
    number: int
    independent: bool = True
    """False where the PSU's plugs are counted but not which of them share a cable: each stands alone here."""


class Plug(NamedTuple):
    """One plug of a cable. The first is fed by the cable alone; a further one is a pigtail that shares it."""

    cable: Cable
    number: int = 1
    rated_w: float | None = None
    length_mm: float | None = None
    other: PowerConnector | None = None
    """Its kind, where the cable's first plug is of another one."""

    @property
    def kind(self) -> PowerConnector:
        """What it is."""
        return self.other or self.cable.kind

    @property
    def pigtail(self) -> bool:
        """Whether it shares its cable with the first plug."""
        return self.number > 1


@dataclass(frozen=True, slots=True)
class PowerSocket:
    """One power socket of a card, a powered riser or the board."""

    part_id: str
    category: Category
    number: int
    """Which card of its line; 1 for the board."""
    kind: PowerConnector
    index: int
    """1 is the first socket of this kind."""
    slot: int | None = None
    """Where the card sits."""
    load_w: float = 0.0
    """What flows through it when the card is at its limit, W."""
    needed: bool = True
    """False for further EPS and auxiliary inputs: the board starts without them."""


class Feed(NamedTuple):
    """A socket with the plugs that feed it: one, or as many as its adapter takes."""

    socket: PowerSocket
    plugs: tuple[Plug, ...]
    adapter: str | None = None
    """Part id of an adapter of the build, `BOXED`, or None."""
    rated_w: float | None = None
    """What adapter or plug may carry, where known."""

    @property
    def psu(self) -> int:
        """`WiredPsu.place` of the PSU behind it."""
        return self.plugs[0].cable.psu

    @property
    def by_kind(self) -> tuple[tuple[PowerConnector, tuple[Plug, ...]], ...]:
        """Its plugs by the kind of their cables: a cable of the maker's own may take the place of two kinds."""
        kinds = dict.fromkeys(plug.cable.kind for plug in self.plugs)
        return tuple((kind, tuple(plug for plug in self.plugs if plug.cable.kind is kind)) for kind in kinds)

    @property
    def pigtail(self) -> bool:
        """Whether a plug of it shares its cable."""
        return any(plug.pigtail for plug in self.plugs)


@dataclass(frozen=True, slots=True)
class Wiring:
    """Feeds in the order of PSUs, cards and sockets."""

    psus: tuple[WiredPsu, ...] = ()
    feeds: tuple[Feed, ...] = ()
    unfed: tuple[PowerSocket, ...] = ()
    plugs: tuple[Plug, ...] = ()
    """Of all PSUs."""
    by_chassis: bool = False
    """The PSUs are modules without cables: the chassis feeds board and cards."""
    board_psu: int | None = None
    """`WiredPsu.place` of the PSU that feeds the board and, through its slots, the cards; None where a chassis does."""
    cut_short: bool = False
    """The search ran out of steps: a better wiring may be there."""
    lacking: tuple[str, ...] = ()
    """Figures ("part-id.field") that were unknown: nothing is wired from such a PSU or to such a card."""
    without_inputs: str | None = None
    """Part id of a carrier whose modules draw through sockets that nobody knows."""

    @property
    def left(self) -> tuple[Plug, ...]:
        """The plugs that feed nothing."""
        used = {plug for feed in self.feeds for plug in feed.plugs}
        return tuple(sorted((plug for plug in self.plugs if plug not in used), key=lambda plug: plug[:2]))

    @property
    def cable_loads_w(self) -> Mapping[Cable, float]:
        """By limit, W: all plugs of a cable together."""
        loads: defaultdict[Cable, float] = defaultdict(float)
        for feed in self.feeds:
            for plug in feed.plugs:
                loads[plug.cable] += feed.socket.load_w / len(feed.plugs)
        return loads

    def of(self, part_id: str, number: int | None = None) -> tuple[Feed, ...]:
        """The feeds of a part, or of one card of it."""
        return tuple(f for f in self.feeds if f.socket.part_id == part_id and number in (None, f.socket.number))
