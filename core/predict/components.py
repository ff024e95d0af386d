"""What each part draws from the PSU, in W of direct current, by load.

Figures of the part where it has them. Defaults are general knowledge, wide, and named in `Band.missing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import PlainSerializer

from core.parts import specs
from core.parts.part import Part
from core.parts.vocabulary import CaseKind, Category, CoolerKind, GpuCooling, GpuForm, PowerConnector, StorageKind
from core.plan.build import Build
from core.plan.line import ROLE_READS, Line, Role
from core.plan.psus import BOX_READS, in_boxes
from core.platform.json_value import JsonValue, NotInJson, PartId, in_json
from core.predict.band import Band, Triple, independent, total
from core.predict.conditions import LoadCase

DRAW_READS: tuple[str, ...] = (
    *("gpu.cooling", "gpu.memory_type"),
    *("gpu.form", "gpu.idle_power_w", "gpu.power_connectors", "nic.power_w", "pump.power_w"),
    *("cpu.idle_power_w", "cpu.sustained_power_w", "cpu.tdp_w", "ram.kind", "ram.module_power_w", "ram.modules"),
    *("motherboard.bmc", "motherboard.cpu_sockets", "motherboard.idle_power_w", "motherboard.load_power_w"),
    *("storage.active_power_w", "storage.idle_power_w", "storage.kind", "fan.power_w", "fan.thickness_mm"),
    *("system.idle_power_w", "system.includes", "system.load_power_w", "system.psu_w"),
    *("cpu_cooler.fan_count", "cpu_cooler.fan_power_w", "cpu_cooler.kind", "case.included_fans", "case.kind"),
    *("case.rack_units", *BOX_READS, *ROLE_READS),
)
"""Figures that the watts of the parts come from."""

Powers = Mapping[LoadCase, Band]

IDLE, TRAINING, ALL_CORE, EVERYTHING = LoadCase
CONNECTOR_W = {
    PowerConnector.PCIE_6PIN: 75.0,
    PowerConnector.PCIE_8PIN: 150.0,
    PowerConnector.PCIE_16PIN: 600.0,
    PowerConnector.PCIE_16PIN_2X6: 600.0,
    PowerConnector.EPS_8PIN: 300.0,
}
"""PCIe CEM; EPS as used by Tesla and A100 cards."""
SLOT_W = 75.0

GPU_TRAINING: Triple = (0.88, 0.97, 1.02)
"""Board power over limit in training: 345/350, 249/250, 289/300, 529/600 W seen (nvidia-smi snapshots)."""
CPU_TRAINING: Triple = (0.25, 0.35, 0.50)
FAN_SPEED_POWER: dict[LoadCase, Triple] = {
    IDLE: (0.03, 0.1, 0.4),
    TRAINING: (0.3, 0.5, 1.0),
    ALL_CORE: (0.2, 0.4, 1.0),
    EVERYTHING: (0.5, 0.8, 1.0),
}
"""Fan power goes with the cube of the speed, less below, because the electronics need their share."""
_UNLISTED_FANS_W: dict[CaseKind | None, Triple] = {CaseKind.OPEN_FRAME: (0, 0, 8), CaseKind.SYSTEM: (20, 60, 150)}
"""All fans of a case at their highest speed when nobody lists them; of a server for each rack unit. General knowledge:
fans take 5 to 10 % of what a full server draws."""


@dataclass(frozen=True, slots=True)
class Component(JsonValue):
    """All parts of one line together."""

    part_id: PartId
    title: str
    category: Annotated[Category, NotInJson]
    count: int
    dc_w: Annotated[Powers, PlainSerializer(in_json)]
    in_boxes: Annotated[int, NotInJson] = 0
    """How many of them external boxes feed, or a PSU of their own, not the machine's PSUs."""

    def from_psus(self, load: LoadCase) -> Band:
        """What the machine's PSUs give them."""
        return self.dc_w[load].times(self.psu_share) if self.in_boxes else self.dc_w[load]

    @property
    def psu_share(self) -> float:
        """Share of them that the machine's PSUs feed."""
        return (self.count - self.in_boxes) / self.count


Drawn = dict[tuple[int, Role], tuple[Line, Component]]
"""What lines draw, by the identity of the line and its role: builds that differ in one line share the others."""


def components(build: Build, drawn: Drawn | None = None) -> tuple[Component, ...]:
    """Every line that draws power, in the order of part ids; takes known ones from `drawn` and adds new ones."""
    lines = sorted(build.lines, key=lambda line: line.part.id)
    computed = {} if drawn is None else drawn
    keys = [(id(line), build.role(line.part.id)) for line in lines]
    for key, line in zip(keys, lines, strict=True):
        if key not in computed and line.part.category in _RULES:
            computed[key] = line, _component(line, key[1])
    parts = tuple(computed[key][1] for key in keys if key in computed)
    counts = in_boxes(build)
    return tuple(replace(part, in_boxes=counts.get(part.part_id, 0)) for part in parts) if counts else parts


def dc_power(parts: tuple[Component, ...], load: LoadCase) -> Band:
    """What the machine's PSUs give to all components, W. Zero for an empty build."""
    return summed((part.category, part.from_psus(load) if part.in_boxes else part.dc_w[load]) for part in parts)


def summed(drawn: Iterable[tuple[Category, Band]]) -> Band:
    """The sum of what parts draw, W.

    What is unknown of the cards is the same for all cards, and nothing to do with what is unknown of the CPUs.
    """
    alike: dict[Category, list[Band]] = {}
    for category, band in drawn:
        alike.setdefault(category, []).append(band)
    return independent((total(bands, "W") for bands in alike.values()), "W")


def _component(line: Line, role: Role) -> Component:
    spec = line.part.spec
    if line.power_limit_w is not None:
        spec = spec.model_copy(update={"power_limit_w": line.power_limit_w})
    each = _RULES[line.part.category](line.part, spec)
    if role is not Role.WORKER:
        each = {load: band if _works_hard(role, load) else each[IDLE] for load, band in each.items()}
    if line.quantity > 1:
        each = {load: band.times(line.quantity) for load, band in each.items()}
    return Component(line.part.id, line.part.title, line.part.category, line.quantity, each)


def _works_hard(role: Role, load: LoadCase) -> bool:
    """Whether a card that does not train is busy all the same: one that drives the display, in the worst case."""
    return role is Role.DISPLAY and load is EVERYTHING


def _band(triple: Triple, part: Part, *fields: str) -> Band:
    return Band(*triple, "W", missing=tuple(f"{part.id}.{field}" for field in fields))


def _share(power_w: float, share: Triple) -> Band:
    return Band(power_w, power_w, power_w, "W").times(*share)


def _gpu(part: Part, spec: specs.GpuSpec) -> Powers:
    idle = _share(spec.idle_power_w, (0.8, 1.0, 1.3)) if spec.idle_power_w else _idle_default(part)
    if spec.power_limit_w is None:
        busy = _band(_gpu_guess(spec), part, "power_limit_w")
        return {IDLE: idle, TRAINING: busy, ALL_CORE: idle, EVERYTHING: busy}
    limit = max(spec.power_limit_w, spec.idle_power_w or 0.0)  # none holds a card below what it draws when idle
    full = _share(limit, (0.95, 1.0, 1.02))
    return {IDLE: idle, TRAINING: _share(limit, GPU_TRAINING), ALL_CORE: idle, EVERYTHING: full}


def _idle_default(part: Part) -> Band:
    assert isinstance(part.spec, specs.GpuSpec)
    return _band(idle_w(part.spec), part, "idle_power_w")


def _gpu_guess(spec: specs.GpuSpec) -> Triple:
    """Between the slot alone and what the connectors may carry."""
    if spec.form != "pcie_card":
        return (150, 500, 1200)
    if spec.power_connectors is None:
        return (40, 250, 600)
    most = min(600.0, SLOT_W + sum(CONNECTOR_W.get(row.kind, 0) * row.count for row in spec.power_connectors))
    return (min(40.0, most), 0.75 * most, most)


def _cpu(part: Part, spec: specs.CpuSpec) -> Powers:
    most = _cpu_limit(part, spec)
    idle = _share(spec.idle_power_w, (0.8, 1.0, 1.3)) if spec.idle_power_w else most.times(0.08, 0.18, 0.35)
    if spec.idle_power_w is None:
        idle = idle.noting(missing=[f"{part.id}.idle_power_w"])
    full = most.times(0.9, 1.0, 1.05)
    return {IDLE: idle, TRAINING: most.times(*CPU_TRAINING), ALL_CORE: full, EVERYTHING: full}


def _cpu_limit(part: Part, spec: specs.CpuSpec) -> Band:
    if spec.sustained_power_w is not None:
        return _share(spec.sustained_power_w, (1, 1, 1))
    if spec.tdp_w is not None:
        # AM5 allows 1.35 x TDP, Intel's PL2 more; HEDT and server parts hold their TDP.
        return _band((spec.tdp_w, 1.15 * spec.tdp_w, 2 * spec.tdp_w), part, "sustained_power_w")
    return _band((65, 200, 500), part, "sustained_power_w", "tdp_w")


def _board(part: Part, spec: specs.MotherboardSpec) -> Powers:
    server = bool(spec.bmc) or spec.cpu_sockets > 1
    idle = _figure_or_default(part, "idle_power_w", spec.idle_power_w, (40, 70, 110) if server else (20, 35, 60))
    busy = _figure_or_default(part, "load_power_w", spec.load_power_w, (45, 85, 130) if server else (25, 45, 70))
    return {IDLE: idle, TRAINING: busy, ALL_CORE: busy, EVERYTHING: busy}


def _ram(part: Part, spec: specs.RamSpec) -> Powers:
    module = _figure_or_default(part, "module_power_w", spec.module_power_w, _module_default(spec), (0.7, 0.9, 1.0))
    missing = [f"{part.id}.modules"] if spec.modules is None else []
    kit = module.times(spec.modules) if spec.modules else module.times(1, 2, 8).noting(missing=missing)
    return {IDLE: kit.times(0.3, 0.5, 0.7), TRAINING: kit, ALL_CORE: kit, EVERYTHING: kit}


def _module_default(spec: specs.RamSpec) -> Triple:
    return (2, 4, 7) if spec.kind is None or spec.kind.is_registered else (1.5, 3, 5)


_DRIVES: dict[StorageKind, tuple[Triple, Triple]] = {
    StorageKind.NVME: ((0.5, 2, 5), (3, 6, 9)),
    StorageKind.SATA_SSD: ((0.1, 0.5, 1.5), (1, 2.5, 5)),
    StorageKind.HDD: ((3, 5, 8), (5, 7, 10)),
}
_ANY_DRIVE: tuple[Triple, Triple] = ((0.1, 2, 8), (1, 5, 12))


def _storage(part: Part, spec: specs.StorageSpec) -> Powers:
    idle_default, busy_default = _DRIVES[spec.kind] if spec.kind else _ANY_DRIVE
    idle = _figure_or_default(part, "idle_power_w", spec.idle_power_w, idle_default)
    busy = _figure_or_default(part, "active_power_w", spec.active_power_w, busy_default, (0.7, 0.9, 1.0))
    return {IDLE: idle, TRAINING: busy, ALL_CORE: idle, EVERYTHING: busy}


def _fan(part: Part, spec: specs.FanSpec) -> Powers:
    thick: Triple = (1, 2, 18) if spec.thickness_mm is None else (8, 14, 18) if spec.thickness_mm >= 38 else (1, 2, 5)
    return _spinning(_figure_or_default(part, "power_w", spec.power_w, thick, (1, 1, 1)))


def _case(part: Part, spec: specs.CaseSpec) -> Powers:
    if spec.included_fans is None:
        most = _band(_UNLISTED_FANS_W.get(spec.kind, (0, 6, 20)), part, "included_fans")
        return _spinning(most.times(spec.rack_units or 4) if spec.kind is CaseKind.SYSTEM else most)
    count = sum(fan.count for fan in spec.included_fans)
    return _spinning(Band(1, 2, 4, "W").times(count))


def _cooler(part: Part, spec: specs.CpuCoolerSpec) -> Powers:
    if spec.kind is CoolerKind.BLOCK:
        return _steady(Band(0, 0, 0, "W"))
    fan = _figure_or_default(part, "fan_power_w", spec.fan_power_w, (1, 2, 5), (1, 1, 1))
    count = (spec.fan_count, spec.fan_count, spec.fan_count) if spec.fan_count is not None else (1, 2, 3)
    fans = _spinning(fan.times(*count).noting(missing=[] if spec.fan_count is not None else [f"{part.id}.fan_count"]))
    pump = Band(2, 4, 7, "W") if spec.kind is CoolerKind.AIO else Band(0, 0, 0, "W")
    return {load: band + pump for load, band in fans.items()}


def _pump(part: Part, spec: specs.PumpSpec) -> Powers:
    return _steady(_figure_or_default(part, "power_w", spec.power_w, (4, 14, 25), (0.4, 0.7, 1.0)))


def _nic(part: Part, spec: specs.NicSpec) -> Powers:
    busy = _figure_or_default(part, "power_w", spec.power_w, (4, 14, 25), (0.6, 0.8, 1.0))
    idle = busy.times(0.4, 0.6, 1.0)
    return {IDLE: idle, TRAINING: busy, ALL_CORE: idle, EVERYTHING: busy}


def _system(part: Part, spec: specs.SystemSpec) -> Powers:
    """At the wall. What it contains as parts of the build draws for itself."""
    if spec.includes:
        return _steady(Band(0, 0, 0, "W"))
    most = spec.psu_w or 400.0
    field = "load_power_w" if spec.psu_w else "psu_w"
    busy = _figure_or_default(part, field, spec.load_power_w, (0.3 * most, 0.65 * most, most), (0.75, 0.95, 1.1))
    idle = _figure_or_default(part, "idle_power_w", spec.idle_power_w, (0.03 * most, 0.12 * most, 0.25 * most))
    return {IDLE: idle, TRAINING: busy, ALL_CORE: busy, EVERYTHING: busy}


def _figure_or_default(
    part: Part, field: str, value: float | None, default: Triple, share: Triple = (0.85, 1.0, 1.15)
) -> Band:
    return _band(default, part, field) if value is None else _share(value, share)


def _steady(band: Band) -> Powers:
    return dict.fromkeys(LoadCase, band)


def _spinning(most: Band) -> Powers:
    return {load: most.times(*share) for load, share in FAN_SPEED_POWER.items()}


_RULES: dict[Category, Callable[[Part, Any], Powers]] = {
    Category.GPU: _gpu,
    Category.CPU: _cpu,
    Category.MOTHERBOARD: _board,
    Category.RAM: _ram,
    Category.STORAGE: _storage,
    Category.FAN: _fan,
    Category.CASE: _case,
    Category.CPU_COOLER: _cooler,
    Category.PUMP: _pump,
    Category.NIC: _nic,
    Category.SYSTEM: _system,
}


# What a GPU draws when idle that has no figure of its own: a share of its maker's limit, by class.
#
# Published and logged, W when idle of W of the limit:
# GDDR cards: GTX 1060 5 of 120, RTX 3080 15 of 320 (swordstoday.ie, how a graphics card uses electricity); GTX 1080 10
# of 180 (github.com/NVIDIA/nvidia-docker/issues/564), a card of 275 W 12 (issues/957); RTX 3090 18, with two monitors
# 26 (ecoenergygeek.com/rtx-3090-power-consumption), 6 to 7 with a model loaded
# (github.com/noonghunna/club-3090/issues/1127); RTX 5090 12 to 25 of 575 (issues/1229, 1107); RTX 5060 Ti 10 of 180
# (github.com/NVIDIA/open-gpu-kernel-modules/issues/907); RTX 6000D 28 of 600
# (github.com/aikitoria/open-gpu-kernel-modules/issues/20); RX 7900 XT 18 of 265, R9700 12 to 13, with a model 19
# (github.com/ROCm/legacy-rocm-build/issues/2256, 6453).
# Passive cards: P40 10 of 250, 45 with a model loaded (jankyai.droidgram.com); A40 30 of 300
# (github.com/NVIDIA/open-gpu-kernel-modules/issues/874); K80 50 of 300 (forums.developer.nvidia.com/t/173496).
# HBM: H100 70 of 700 (github.com/guilbaults/TrailblazingTurtle/pull/78); B200 137 of 1000, MI355 238 of 1400
# (github.com/ROCm/legacy-rocm-build/issues/5219). What lies between is general knowledge.


@dataclass(frozen=True, slots=True)
class IdleClass:
    """Idle power = a few watts for every card + a share of its limit."""

    least_w: Triple
    share: Triple

    def watts(self, limit_w: float) -> Triple:
        """Of a card with this limit of its maker's."""
        low, expected, high = (watts + share * limit_w for watts, share in zip(self.least_w, self.share, strict=True))
        return low, expected, high


DISPLAY_CARD = IdleClass((1, 2, 4), (0.01, 0.045, 0.1))
"""Cards with GDDR memory and fans of their own: they all clock down."""
PASSIVE_CARD = IdleClass((1, 2, 4), (0.03, 0.07, 0.18))
"""Cards for servers with GDDR memory: the high end has a model loaded, which keeps some from clocking down."""
STACKED_MEMORY = IdleClass((3, 5, 8), (0.06, 0.1, 0.17))
"""Cards and modules with HBM, which does not clock down."""
UNKNOWN_CARD_W: Triple = (6, 15, 50)
UNKNOWN_MODULE_W: Triple = (25, 45, 90)
"""Where the limit is not known either."""


def idle_w(spec: specs.GpuSpec) -> Triple:
    """low, expected, high of a card without a figure. `spec` is the part's: a set limit saves nothing when idle."""
    if spec.power_limit_w is None:
        return UNKNOWN_CARD_W if spec.form is GpuForm.PCIE_CARD else UNKNOWN_MODULE_W
    return _class_of(spec).watts(spec.power_limit_w)


def _class_of(spec: specs.GpuSpec) -> IdleClass:
    if spec.form is not GpuForm.PCIE_CARD or (spec.memory_type or "").startswith("HBM"):
        return STACKED_MEMORY
    return PASSIVE_CARD if spec.cooling is GpuCooling.PASSIVE else DISPLAY_CARD
