"""A motherboard with its ordered slots, and what extends a slot."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.parts.figure import Discontinued, Figure, WordedValue
from core.parts.values import (
    MAX_NAMES,
    Count,
    Generation,
    Lanes,
    Positive,
    Rows,
    Several,
    Sockets,
    Value,
    Whole,
    lanes_words,
)
from core.parts.vocabulary import (
    Attachment,
    CarrierKind,
    Category,
    FabricKind,
    FormFactor,
    ModuleKind,
    ModuleSocket,
    RamType,
    RiserKind,
    SeatKind,
    Socket,
)
from core.words import plain, trn

Root = Annotated[str | None, Figure("root complex")]
"""Which of the CPU's PCIe root complexes (host bridges) it is wired to, as the board's source names it: "C0", "2"."""


class Slot(Value):
    """One expansion slot of a board."""

    position: Annotated[int, Field(ge=1, le=24)]
    """Place in the ATX pitch from the top, 1 is nearest to the CPU; empty pitches count."""
    label: str
    mechanical_lanes: Lanes
    lanes: Lanes
    """Electrical width when nothing shares."""
    generation: Generation
    attachment: Attachment | None = None
    cpu: Annotated[int, Field(ge=0, le=1)] = 0
    root: Root = None
    switch: str | None = None
    open_ended: bool = False
    bifurcation: Several[str] = ()


class M2Socket(Value):
    """One M.2 or U.2 socket of a board."""

    label: str
    lanes: Lanes
    generation: Generation | None = None
    attachment: Attachment | None = None
    root: Root = None


class HostPort(Value):
    """A port of a board for cables to cards: MCIO, SlimSAS, OCuLink, Thunderbolt."""

    label: str
    kind: SeatKind
    lanes: Lanes
    generation: Generation
    attachment: Attachment | None = None
    cpu: Annotated[int, Field(ge=0, le=1)] = 0
    root: Root = None


class LaneCase(Value):
    """A row of the maker's population table: with these slots filled, those widths result.

    For each slot, of the rows that name it and hold, the one with the most entries in `filled` wins, then the one for
    the narrowest CPU; without one, `Slot.lanes` holds.
    """

    filled: Several[str]
    """Labels of slots and M.2 sockets in use."""
    widths: Annotated[dict[str, Annotated[int, Field(ge=0, le=16)]], Field(max_length=MAX_NAMES)]
    """Electrical lanes by slot label; 0 is switched off."""
    cpu_lanes: Whole | None = None
    """Only with a CPU of at most this many lanes."""


class NvlinkFabric(Value):
    """NVLink that the machine brings, without bridges to buy."""

    kind: FabricKind
    products: Several[str]
    """Product names of the GPUs that it joins."""
    pair_gbps: Annotated[Positive | None, Figure("NVLink of a pair")] = None
    """Between two of them, GB/s each way."""


def _sockets_words(spec: MotherboardSpec) -> str | None:
    return plain("2 x {socket}", socket=spec.socket) if spec.socket and spec.cpu_sockets > 1 else spec.socket


def _long_slots(spec: MotherboardSpec) -> str | None:
    long = x16_slots(spec)
    return None if long is None else trn("{count} x16 slot", "{count} x16 slots", count=long)


class MotherboardSpec(Value):
    """A board with its ordered slots."""

    category: Literal[Category.MOTHERBOARD] = Category.MOTHERBOARD
    socket: Annotated[Socket | None, Figure(decides=True, short=(1, _sockets_words))] = None
    cpu_sockets: Annotated[Annotated[int, Field(ge=1, le=2)], Figure(decides=True)] = 1
    chipset: Annotated[str | None, Figure(opendb="chipset")] = None
    form_factor: Annotated[FormFactor | None, Figure(decides=True, short=2, opendb="form_factor")] = None
    height_mm: Annotated[Positive | None, Figure(within=(100, 500))] = None
    width_mm: Annotated[Positive | None, Figure(within=(100, 700))] = None
    ram_type: Annotated[RamType | None, Figure(decides=True, short=4, opendb="memory.ram_type")] = None
    ram_kinds: Annotated[Several[ModuleKind] | None, Figure("RAM module types", decides=True)] = None
    ram_slots: Annotated[
        Whole | None,
        Figure(
            within=(1, 32),
            decides=True,
            short=(5, WordedValue(lambda slots: trn("{count} memory slot", "{count} memory slots", count=slots))),
            opendb="memory.slots",
        ),
    ] = None
    ram_channels: Annotated[Whole | None, Figure(within=(1, 24), decides=True)] = None
    ram_max_gb: Annotated[
        Positive | None, Figure("maximum RAM", within=(4, 16384), decides=True, opendb="memory.max")
    ] = None
    ram_module_max_gb: Annotated[Positive | None, Figure("maximum RAM module size", within=(2, 1024))] = None
    ecc: Annotated[bool | None, Figure(opendb="ecc_support")] = None
    slots: Annotated[Rows[Slot] | None, Figure(decides=True, short=(3, _long_slots))] = None
    places_assumed: Annotated[bool, Figure("assumed places of slots")] = False
    """Its source states the slots in their order and with their lanes, not how far they stand apart."""
    m2: Annotated[Rows[M2Socket] | None, Figure("M.2 sockets", decides=True)] = None
    host_ports: Annotated[Rows[HostPort], Figure("PCIe host ports")] = ()
    lane_cases: Annotated[Rows[LaneCase], Figure("lane sharing")] = ()
    sata_ports: Annotated[Count | None, Figure(within=(0, 30), opendb="storage_devices.sata_6_gb_s")] = None
    fan_headers: Annotated[Count | None, Figure(within=(1, 20))] = None
    power_inputs: Annotated[Sockets | None, Figure(decides=True)] = None
    """EPS, 24-pin and auxiliary PCIe power sockets."""
    idle_power_w: Annotated[Positive | None, Figure(within=(5, 200))] = None
    load_power_w: Annotated[Positive | None, Figure(within=(5, 400))] = None
    nvlink_fabrics: Rows[NvlinkFabric] = ()
    """Built-in NVLink; empty: none."""
    bmc: Annotated[bool | None, Figure("management controller (BMC)")] = None
    video_output: bool | None = None
    above_4g: Annotated[bool | None, Figure("Above 4G Decoding")] = None
    resizable_bar: bool | None = None
    mmio_gb: Annotated[Positive | None, Figure("64-bit address window", within=(4, 1048576))] = None
    """What its firmware hands out to devices above 4 GB."""
    discontinued: Discontinued = None


def x16_slots(spec: MotherboardSpec) -> int | None:
    """Slots as long as a graphics card's; None where the slots are unknown."""
    return None if spec.slots is None else sum(slot.mechanical_lanes == 16 for slot in spec.slots)


def cpu_x8_slots(spec: MotherboardSpec) -> int | None:
    """Slots that give a graphics card eight lanes of a CPU or more; None where slots or their wiring are unknown."""
    long = None if spec.slots is None else [slot for slot in spec.slots if slot.mechanical_lanes == 16]
    if long is None or any(slot.attachment is None for slot in long):
        return None
    return sum(slot.lanes >= 8 and slot.attachment is not Attachment.CHIPSET for slot in long)


def _pcie_words(spec: RiserSpec) -> str | None:
    return lanes_words(spec.generation, spec.lanes)


class RiserSpec(Value):
    """A slot extension."""

    category: Literal[Category.RISER] = Category.RISER
    kind: Annotated[RiserKind | None, Figure(decides=True, short=1)] = None
    generation: Annotated[Generation | None, Figure(within=(1, 7), decides=True)] = None
    lanes: Annotated[Lanes | None, Figure(decides=True, short=(2, _pcie_words))] = None
    length_mm: Annotated[Positive | None, Figure(within=(20, 1500), decides=True, short=3)] = None
    powered: bool | None = None
    power_inputs: Sockets | None = None
    """Sockets of a powered riser; empty: none."""
    discontinued: Discontinued = None


class CarrierSeat(Value):
    """A place for a card, or a port for a cable, on a carrier."""

    number: Annotated[int, Field(ge=1, le=24)]
    """Place in slot pitches from the first, 1; empty pitches count."""
    kind: SeatKind = SeatKind.SLOT
    socket: ModuleSocket | None = None
    """Of a seat for a module, as far as it is known."""
    mechanical_lanes: Lanes = 16
    lanes: Lanes


def _carrier_seats(spec: CarrierSpec) -> str | None:
    return None if spec.seats is None else trn("{count} seat", "{count} seats", count=len(spec.seats))


def _carrier_words(spec: CarrierSpec) -> str | None:
    return lanes_words(spec.generation, spec.host_lanes)


class CarrierSpec(Value):
    """What gives cards seats beyond the board's slots: an adapter, splitter, switch, module carrier or external box."""

    category: Literal[Category.CARRIER] = Category.CARRIER
    kind: Annotated[CarrierKind | None, Figure(decides=True, short=1)] = None
    host: Annotated[SeatKind | None, Figure("plugs into", decides=True, short=2)] = None
    host_lanes: Annotated[Lanes | None, Figure("lanes to the host", decides=True, short=(3, _carrier_words))] = None
    generation: Annotated[Generation | None, Figure(within=(1, 7), decides=True)] = None
    seats: Annotated[Rows[CarrierSeat] | None, Figure(decides=True, short=(4, _carrier_seats))] = None
    switched: bool = False
    """Its seats share the host's link and reach each other through the switch on it."""
    signal: Annotated[RiserKind | None, Figure("signal conditioning")] = None
    cable_mm: Annotated[Positive | None, Figure("cable length", within=(20, 3000))] = None
    powered: bool | None = None
    """Its slots are fed by plugs of its own, not by the host."""
    power_inputs: Sockets | None = None
    idle_power_w: Annotated[Positive | None, Figure(within=(0.5, 100))] = None
    load_power_w: Annotated[Positive | None, Figure(within=(0.5, 200))] = None
    """What its own chips draw with all links busy."""
    psu_w: Annotated[Positive | None, Figure("PSU of its own", within=(50, 5000))] = None
    """An external box feeds its cards from it."""
    psu_included: bool | None = None
    """False: a box for a PSU that the buyer brings, which is one of the build's."""
    card_w: Annotated[Positive | None, Figure("power for its card", within=(25, 2000))] = None
    """What the maker of a box allows a card."""
    card_max_length_mm: Annotated[Positive | None, Figure("room for card length", within=(100, 600))] = None
    card_max_slots: Annotated[Positive | None, Figure("room for card width", within=(1, 6))] = None
    nvlink_fabrics: Rows[NvlinkFabric] = ()
    """NVLink between its modules; empty: none."""
    discontinued: Discontinued = None
