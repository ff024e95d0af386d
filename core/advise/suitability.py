"""Which parts of the catalogue are worth suggesting, and which of them first.

A suggestion must run at these mains, go with what is there, be of the same class as what it replaces, and no relic
beside the machine's newest part.
"""

from __future__ import annotations

from typing import TypeVar

from core.parts import specs
from core.parts.facets import number
from core.parts.figures import must_have
from core.parts.part import Part
from core.parts.power import input_limit
from core.parts.vocabulary import CaseKind, Category, EfficiencyLevel, FormFactor, Inlet, Modularity
from core.plan.build import Build
from core.plan.missing import is_complete

T = TypeVar("T")

YEARS = 6
"""A part is a relic beside one that came out so much later."""
ANY_MAKER = "Various"
"""Maker of adapters that everybody makes: they go between plugs, not into a PSU."""
HIGH_LINE_V = 180.0
"""Below it, PSUs are limited by their inlet."""
_INLET_A = {Inlet.C14: 15.0, Inlet.C20: 20.0}
"""What UL allows in North America, where mains below `HIGH_LINE_V` have the strongest sockets."""
_USUAL_EFFICIENCY = 0.9
_FITTED = (Category.PSU, Category.MOTHERBOARD, Category.CASE, Category.CPU_COOLER)
WIDE_LANES = 16
CABLE_SHARE = 0.8
"""Of a PSU's rating at most goes through one cable: the rest feeds the machine."""
SAME_VOLTAGE = 0.15
"""By so much the mains may differ from what a UPS or PDU is made for."""
_UNKNOWN_FIGURE, _UNKNOWN_FIGURES, _UNKNOWN_YEAR, _UNKNOWN_PRICE, _FAR = 0.1, 0.3, 0.1, 0.05, 2.0
"""As shares of a figure."""
_CLASSES = (*EfficiencyLevel,)
_MODULAR = (Modularity.NONE, Modularity.SEMI, Modularity.FULL)
_AGING = (Category.PSU, Category.CPU_COOLER, Category.RISER, Category.UPS, Category.FAN)
"""Categories in which age tells quality; elsewhere socket or product decide."""


def is_suitable(build: Build, part: Part, instead_of: Part | None = None) -> bool:
    """Whether a builder would take this part, alone or in the place of another one."""
    if instead_of is not None and part.category in _FITTED and is_complete(build):
        return False
    if part.category in _AGING and _is_relic(build, part, instead_of):
        return False
    old = instead_of.spec if instead_of else None
    match part.spec:
        case specs.PsuSpec() as spec:
            return runs_at(build, part) and _is_class_of(spec, old)
        case specs.CableSpec() as spec:
            return _goes_with_psus(build, part.maker, spec)
        case specs.RiserSpec(lanes=lanes):
            return (old is not None or has_room_for_risers(build)) and (lanes or 0) >= WIDE_LANES
        case specs.CaseSpec(kind=kind):
            return kind not in (None, CaseKind.SYSTEM) and getattr(old, "kind", None) in (None, kind)
        case specs.MotherboardSpec(form_factor=form):
            return form is not FormFactor.PROPRIETARY
        case specs.CpuCoolerSpec(height_mm=height, radiator_mm=radiator):  # those of complete systems tell neither
            return height is not None or radiator is not None
        case specs.NvlinkBridgeSpec(fits_products=products):
            return any(spec.product in (products or ()) for _, spec in build.gpus())
        case specs.FanSpec(size_mm=size):
            return size in _fan_sizes(build) or not _fan_sizes(build)
        case _:
            return runs_at(build, part)


def runs_at(build: Build, part: Part) -> bool:
    """Whether a PSU, UPS or PDU runs at the mains of the build, as far as that can be told."""
    mains_v = build.circuit.voltage_v
    match part.spec:
        case specs.UpsSpec(input_v=made_for) | specs.PduSpec(input_v=made_for) if made_for is not None:
            return abs(made_for - mains_v) <= SAME_VOLTAGE * mains_v
        case specs.PsuSpec(input_limits=limits) if limits:
            return input_limit(limits, mains_v) is not None
        case specs.PsuSpec(power_w=power, inlet=inlet) if mains_v < HIGH_LINE_V and power is not None:
            amperes = _INLET_A.get(inlet, _INLET_A[Inlet.C14]) if inlet else _INLET_A[Inlet.C14]
            return power <= mains_v * amperes * _USUAL_EFFICIENCY
        case _:
            return True


def mismatch(part: Part, near: str, target: float | None) -> float:
    """How little gladly it is suggested: 0 if it is just like the target and all is known of it.

    By how much its figure differs from the target as a share; each deciding figure, year and price that is unknown
    count like a difference, too.
    """
    unknown = sum(getattr(part.spec, field) is None for field in must_have(part))
    unsold = _UNKNOWN_YEAR * (part.year is None) + _UNKNOWN_PRICE * (part.price is None)
    return _distance(part, near, target) + min(_UNKNOWN_FIGURE * unknown, _UNKNOWN_FIGURES) + unsold


def _distance(part: Part, near: str, target: float | None) -> float:
    own = number(part, near) if near and target else None
    return 0.0 if not near or not target else _FAR if own is None else abs(own - target) / target


def _is_relic(build: Build, part: Part, instead_of: Part | None) -> bool:
    if part.year is None:
        return False
    newest = max((line.part.year or 0 for line in (*build.of(Category.GPU), *build.of(Category.CPU))), default=0)
    older = instead_of is not None and instead_of.year is not None and part.year < instead_of.year
    return older or part.year < newest - YEARS


def _is_class_of(spec: specs.PsuSpec, old: specs.Value | None) -> bool:
    """Efficiency and modularity as good; a module for a chassis only for another one."""
    if spec.cables == () and getattr(old, "cables", None) != ():
        return False
    if not isinstance(old, specs.PsuSpec):
        return True
    if spec.gives_12v_alone and not (old.gives_12v_alone or old.made_for_servers):  # nothing of it starts the board
        return False
    efficient = _no_worse(spec.efficiency_level, old.efficiency_level, _CLASSES)
    return efficient and _no_worse(spec.modular, old.modular, _MODULAR)


def _no_worse(new: T | None, old: T | None, ranks: tuple[T, ...]) -> bool:
    """A class that is known is kept; an unknown one is no better."""
    if old is None:
        return True
    return new is not None and ranks.index(new) >= ranks.index(old)


def _goes_with_psus(build: Build, maker: str, spec: specs.CableSpec) -> bool:
    """Of the PSU's maker if it plugs into the PSU, and no stronger than what feeds it."""
    if maker != ANY_MAKER and any(line.part.maker != maker for line in build.of(Category.PSU)):
        return False
    powers = [psu.power_w for _, psu in build.psus() if psu.power_w is not None]
    return spec.rated_w is None or not powers or spec.rated_w <= CABLE_SHARE * max(powers)


def has_room_for_risers(build: Build) -> bool:
    """Whether a card can stand away from its slot: in an open frame, or where some do already."""
    case = build.case
    hanging = any(card.on_riser for card in build.cards())
    return hanging or (case is not None and case[1].kind is CaseKind.OPEN_FRAME)


def _fan_sizes(build: Build) -> set[float]:
    """Those that the case has mounts for; empty where they are not known."""
    case = build.case
    return {mount.size_mm for mount in case[1].fan_mounts or ()} if case else set()
