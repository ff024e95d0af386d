"""What was found of a machine before a run, beside what was planned: values that the run's record keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from core.machine.asbuilt.bus import BusCard
from core.words import Worded, tr, trc


class LineState(Worded):
    """How one line of the plan and the machine agree."""

    AS_PLANNED = "as planned", tr("as planned")
    DIFFERENT = "different", tr("different")
    MISSING = "missing", tr("missing")
    NOT_PLANNED = "not planned", tr("not planned")
    """It is here, and the plan has none."""
    NOT_SERVED = "not served", tr("no working driver")
    """It is on the bus as planned, and the driver does not list it."""
    NOT_READABLE = "not readable", tr("not readable")
    """Nobody can tell from here: the machine does not say, or says it to root alone."""


class LineSubject(Worded):
    """What a line is about."""

    plural: str
    """At the head of a row of a certificate."""

    CARD = "card", tr("Card"), tr("Cards")
    SLOT = "slot", tr("Slot"), tr("Slots")
    """The right card in another slot."""
    LINK = "link", tr("Link"), tr("Links")
    VBIOS = "VBIOS", "VBIOS", "VBIOS"
    BOARD = "board", tr("Board"), tr("Board, BIOS")
    CPU = "CPU", trc("category", "CPU"), trc("of a board", "CPU")
    RAM = "RAM", trc("category", "RAM"), trc("of a board", "Memory")
    DRIVE = "drive", tr("Drive"), tr("Drives")
    PSU = "PSU", trc("category", "PSU"), trc("of a board", "PSU")


@dataclass(frozen=True, slots=True)
class AsBuiltLine:
    """One thing planned and what was found in its place; "" where one of them has nothing."""

    subject: LineSubject
    what: str
    """Where it belongs: "PCIEX16_1", "RAM", "CPU"."""
    planned: str
    found: str
    state: LineState
    device: str | None = None
    """Id of the card that was found there."""
    slot: int | None = None
    """Position of the slot, for cards and their links."""
    why: str = ""
    """What to do, or why it cannot be read; a sentence."""
    similar: tuple[str, ...] = ()
    """Titles of parts that what was found may be, where names alone do not tell."""

    @property
    def blocks(self) -> bool:
        """Whether a burn-in shall not start before somebody accepts it: a card that is missing or a wrong one."""
        return self.subject is LineSubject.CARD and self.state in (LineState.MISSING, LineState.DIFFERENT)

    @property
    def key(self) -> str:
        """The name by which the line is accepted: "slot 3", or what it is about where there is no slot."""
        return f"slot {self.slot}" if self.slot is not None else self.what


@dataclass(frozen=True, slots=True)
class BuiltCard:
    """One GPU as it was found. None is "not told"."""

    device: str
    """Id of the device in the run."""
    name: str
    """As its driver calls it."""
    product: str | None = None
    """As the catalogue calls it; None for a card that it does not know."""
    part: str | None = None
    """Id of the planned part whose place it takes."""
    slot: str | None = None
    """Label of the slot, as the board's maker prints it."""
    position: int | None = None
    """Of the slot, from the CPU."""
    bound_by: str | None = None
    """How the slot is known: "DMI", "set by the user", "only one place"; None where it is not known."""
    serial: str | None = None
    serial_typed: bool = False
    """Whether somebody typed the serial, since the driver tells none."""
    uuid: str | None = None
    vbios: str | None = None
    pci_address: str | None = None
    """0000:41:00.0."""
    link_generation: int | None = None
    link_lanes: int | None = None
    """What card and slot can do together at most."""
    power_limit_w: float | None = None
    power_limit_max_w: float | None = None


@dataclass(frozen=True, slots=True)
class MemoryModule:
    """One module of main memory."""

    slot: str
    size_gb: float
    kind: str | None = None
    """DDR4, DDR5."""
    speed_mts: int | None = None
    maker: str | None = None
    part: str | None = None
    serial: str | None = None
    buffered: bool | None = None
    """Whether it is registered or load-reduced."""


@dataclass(frozen=True, slots=True)
class FoundDrive:
    """One drive."""

    name: str
    """nvme0n1, sda."""
    model: str
    size_gb: float | None = None
    serial: str | None = None
    firmware: str | None = None


@dataclass(frozen=True, slots=True)
class FoundPsu:
    """A PSU, where the firmware tells of it."""

    name: str
    maker: str | None = None
    capacity_w: float | None = None
    serial: str | None = None


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """What the machine tells of itself besides its GPUs; None is "not told"."""

    system: str | None = None
    """Maker and product of the whole machine."""
    serial: str | None = None
    board: str | None = None
    board_serial: str | None = None
    bios: str | None = None
    cpus: tuple[str, ...] = ()
    cores: int | None = None
    ram_gb: float | None = None
    modules: tuple[MemoryModule, ...] = ()
    drives: tuple[FoundDrive, ...] = ()
    psus: tuple[FoundPsu, ...] = ()
    network: tuple[str, ...] = ()
    kernel: str | None = None
    driver: str | None = None
    cuda: str | None = None
    for_root_only: tuple[str, ...] = ()
    """What this user may not read: "serial numbers", "RAM modules"."""


@dataclass(frozen=True, slots=True)
class AsBuilt:
    """The machine before a run. Without a plan there are no lines."""

    taken_at: str
    """UTC, ISO 8601."""
    machine: MachineFacts
    cards: tuple[BuiltCard, ...] = ()
    lines: tuple[AsBuiltLine, ...] = ()
    simulated: bool = False
    accepted: tuple[str, ...] = ()
    """Keys of the lines that somebody accepted although a card is missing or another one."""
    bus: tuple[BusCard, ...] = ()
    """Cards on the bus that the driver does not list, and those that are left out."""

    @property
    def unserved(self) -> tuple[BusCard, ...]:
        """Those that the driver does not list, left out or not."""
        return tuple(card for card in self.bus if card.cause is not None)

    @property
    def left_out(self) -> tuple[BusCard, ...]:
        """Those that somebody does not want tested."""
        return tuple(card for card in self.bus if card.left_out_by is not None)

    @property
    def untested(self) -> tuple[BusCard, ...]:
        """Those that should have been tested, and cannot be."""
        return tuple(card for card in self.bus if card.left_out_by is None)

    def card(self, device: str) -> BuiltCard | None:
        """The card of a device id."""
        return next((card for card in self.cards if card.device == device), None)

    @property
    def blocking(self) -> tuple[AsBuiltLine, ...]:
        """Lines that nobody has accepted, and that keep a burn-in from starting."""
        return tuple(line for line in self.lines if line.blocks and line.key not in self.accepted)

    def of(self, state: LineState) -> Iterator[AsBuiltLine]:
        """The lines in one state."""
        return (line for line in self.lines if line.state is state)

    def as_json(self) -> str:
        """One line of JSON, as the record keeps it and `from_json` reads it."""
        return _ADAPTER.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> AsBuilt:
        """Raises ValueError where it is none."""
        return _ADAPTER.validate_json(text)


_ADAPTER = TypeAdapter(AsBuilt)
