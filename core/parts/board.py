"""A motherboard with its ordered slots, and what extends a slot."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.parts.values import MAX_NAMES, Count, Generation, Lanes, Positive, Rows, Several, Sockets, Value, Whole
from core.parts.vocabulary import Attachment, Category, FabricKind, FormFactor, ModuleKind, RamType, RiserKind, Socket


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
    switch: str | None = None
    open_ended: bool = False
    bifurcation: Several[str] = ()


class M2Socket(Value):
    """One M.2 or U.2 socket of a board."""

    label: str
    lanes: Lanes
    generation: Generation | None = None
    attachment: Attachment | None = None


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
    """Values of `GpuSpec.product` that it joins."""


class MotherboardSpec(Value):
    """A board with its ordered slots."""

    category: Literal[Category.MOTHERBOARD] = Category.MOTHERBOARD
    socket: Socket | None = None
    cpu_sockets: Annotated[int, Field(ge=1, le=2)] = 1
    chipset: str | None = None
    form_factor: FormFactor | None = None
    height_mm: Positive | None = None
    width_mm: Positive | None = None
    ram_type: RamType | None = None
    ram_kinds: Several[ModuleKind] | None = None
    ram_slots: Whole | None = None
    ram_channels: Whole | None = None
    ram_max_gb: Positive | None = None
    ram_module_max_gb: Positive | None = None
    ecc: bool | None = None
    slots: Rows[Slot] | None = None
    m2: Rows[M2Socket] | None = None
    lane_cases: Rows[LaneCase] = ()
    sata_ports: Count | None = None
    fan_headers: Count | None = None
    power_inputs: Sockets | None = None
    """EPS, 24-pin and auxiliary PCIe power sockets."""
    idle_power_w: Positive | None = None
    load_power_w: Positive | None = None
    nvlink_fabrics: Rows[NvlinkFabric] = ()
    """Built-in NVLink; empty: none."""
    bmc: bool | None = None
    video_output: bool | None = None
    above_4g: bool | None = None
    resizable_bar: bool | None = None


class RiserSpec(Value):
    """A slot extension."""

    category: Literal[Category.RISER] = Category.RISER
    kind: RiserKind | None = None
    generation: Generation | None = None
    lanes: Lanes | None = None
    length_mm: Positive | None = None
    powered: bool | None = None
    power_inputs: Sockets | None = None
    """Sockets of a powered riser; empty: none."""
