"""What `wire` answers: which plug of which PSU feeds which socket, what is left, what stays unfed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.parts.vocabulary import Category, PowerConnector
from core.words import tr

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


PIN_16 = PowerConnector.PCIE_16PIN
PCIE_8 = PowerConnector.PCIE_8PIN
PCIE_6 = PowerConnector.PCIE_6PIN
EPS_8 = PowerConnector.EPS_8PIN
EPS_4 = PowerConnector.EPS_4PIN
ATX_24 = PowerConnector.ATX_24PIN

WIRED = (ATX_24, EPS_8, EPS_4, PIN_16, PCIE_8, PCIE_6)
"""Kinds that `wire` deals with. SATA and Molex plugs feed drives and fans, never a card or its riser."""

SLOT_W = 75.0
"""What a x16 slot gives a graphics card (PCIe CEM), 66 W of it on 12 V."""
PLUG_W = {PCIE_6: 75.0, PCIE_8: 150.0, PIN_16: 600.0, EPS_8: 300.0, EPS_4: 150.0, ATX_24: 144.0}
"""PCIe CEM; an EPS plug on a card carries up to 300 W; two 12 V contacts of 6 A in the 24-pin plug."""

ONE_PER_CABLE = (ATX_24, PIN_16)
"""Kinds of which no cable of a PSU carries a second plug: their number is that of the cables, even where only plugs
were counted. Builders' practice, not confirmed."""

FITTING: dict[PowerConnector, tuple[PowerConnector, ...]] = {PCIE_6: (PCIE_6, PCIE_8), EPS_4: (EPS_4, EPS_8)}
"""Plugs that go into a socket, the best first: PCIe 8-pin plugs are 6+2, EPS ones 4+4. Others fit their own kind only:
EPS and PCIe 8-pin look alike and are wired the other way round."""

NAMES = {
    PIN_16: tr("16-pin"),
    PCIE_8: tr("PCIe 8-pin"),
    PCIE_6: tr("PCIe 6-pin"),
    EPS_8: tr("EPS 8-pin"),
    EPS_4: tr("EPS 4-pin"),
    ATX_24: tr("24-pin"),
}


def plug_kind(kind: PowerConnector) -> PowerConnector:
    """12VHPWR and 12V-2x6 plugs fit each other's sockets."""
    return PIN_16 if kind is PowerConnector.PCIE_16PIN_2X6 else kind


def fitting(socket: PowerConnector) -> tuple[PowerConnector, ...]:
    """Kinds of plug for a kind of socket."""
    return FITTING.get(socket, (socket,))
