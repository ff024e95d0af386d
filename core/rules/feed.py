"""Which plugs the supplies offer and what cards and board take from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import ceil

from core.parts.part import Part
from core.parts.specs import CableSet, CableSpec, GpuSpec
from core.parts.vocabulary import Category, GpuForm, PowerConnector
from core.rules.reader import Reader

PCIE_8 = PowerConnector.PCIE_8PIN
PCIE_6 = PowerConnector.PCIE_6PIN
EPS_8 = PowerConnector.EPS_8PIN
PIN_16 = PowerConnector.PCIE_16PIN
SLOT_W = 75.0
PLUG_W = {PCIE_6: 75.0, PCIE_8: 150.0, PIN_16: 600.0, EPS_8: 300.0}
"""PCIe CEM; an EPS plug on a card carries up to 300 W."""

Plugs = Counter[PowerConnector]


@dataclass(slots=True)
class Stock:
    """Plugs left over: independent cables by kind, and second and further plugs on those cables."""

    cables: Plugs = field(default_factory=Counter)
    pigtails: Plugs = field(default_factory=Counter)

    def take(self, kind: PowerConnector, count: int) -> tuple[int, int]:
        """Takes plugs, cables of their own first. Returns how many hang on a shared cable, and how many are lacking."""
        own = min(count, self.cables[kind])
        self.cables[kind] -= own
        shared = min(count - own, self.pigtails[kind])
        self.pigtails[kind] -= shared
        return shared, count - own - shared


def stock(read: Reader) -> Stock:
    """Everything that all supplies offer. Raises UnknownFigure where cables are unknown."""
    found = Stock()
    lines = read.machine.lines(Category.PSU)
    cables = read.all(*((line.part, "cables") for line in lines))
    for line, sets in zip(lines, cables, strict=True):
        for row in sets:
            _add(found, row, line.quantity)
    return found


def _add(found: Stock, row: CableSet, supplies: int) -> None:
    kind = plug_kind(row.kind)
    found.cables[kind] += row.cables * supplies
    found.pigtails[kind] += row.cables * (row.connectors_per_cable - 1) * supplies


def plug_kind(kind: PowerConnector) -> PowerConnector:
    """12VHPWR and 12V-2x6 plugs fit each other's sockets."""
    return PIN_16 if kind is PowerConnector.PCIE_16PIN_2X6 else kind


def gpu_sockets(read: Reader) -> Plugs:
    """The sockets of all cards. Raises UnknownFigure where a card's are unknown."""
    lines = [line for line in read.machine.lines(Category.GPU) if is_plugged(line.part)]
    sockets: Plugs = Counter()
    for line, rows in zip(lines, read.all(*((line.part, "power_connectors") for line in lines)), strict=True):
        for row in rows:
            sockets[plug_kind(row.kind)] += row.count * line.quantity
    return sockets


def is_plugged(part: Part) -> bool:
    """SXM modules get their power from their carrier."""
    return isinstance(part.spec, GpuSpec) and part.spec.form is GpuForm.PCIE_CARD


def use_adapters(read: Reader, left: Stock, wanted: Plugs) -> int:
    """Turns plugs into scarcer ones with the adapters of the build; returns how many were used."""
    used = 0
    for line in read.machine.lines(Category.CABLE):
        spec = line.part.spec
        assert isinstance(spec, CableSpec)
        if None in (spec.source_kind, spec.target_kind) or spec.source_kind is PowerConnector.SATA:
            continue
        source, target = plug_kind(spec.source_kind or PCIE_8), plug_kind(spec.target_kind or PCIE_8)
        count = spec.source_count or 1
        for _ in range(line.quantity):
            if wanted[target] <= left.cables[target] or left.cables[source] < count:
                break
            left.cables[source] -= count
            left.cables[target] += spec.target_count or 1
            read.about(line.part)
            used += 1
    return used


def boxed_adapter_plugs(read: Reader) -> int:
    """8-pin plugs that the adapter in a card's box takes, by the largest power limit of the 16-pin cards."""
    cards = [
        line.part
        for line in read.machine.lines(Category.GPU)
        if any(plug_kind(row.kind) is PIN_16 for row in getattr(line.part.spec, "power_connectors", None) or ())
    ]
    largest: float = max(read.all(*((card, "power_limit_w") for card in cards)))
    return ceil((largest - SLOT_W) / PLUG_W[PCIE_8])
