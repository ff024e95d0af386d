"""What there is to feed with: the plugs of all PSUs and the adapters of the build, and what of them is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

from core.parts.part import Part
from core.parts.specs import CableSet, CableSpec, PsuSpec
from core.parts.vocabulary import Category, PowerConnector
from core.plan.build import Build
from core.plan.psus import psus_by_place
from core.plan.wiring.wiring import EPS_4, EPS_8, ONE_PER_CABLE, PCIE_6, PCIE_8, PLUG_W, WIRED, Cable, Plug, plug_kind

Row = tuple[PowerConnector, int, int, float, float, PowerConnector]
"""Kind, cables, plugs per cable (0: each plug counted by itself), rated W, length in mm (0: not stated), and the kind
of the plugs behind the first."""


class Pool(NamedTuple):
    """Plugs that are as good as each other."""

    kind: PowerConnector
    rated_w: float
    """Infinite where not stated."""
    maker: str = ""
    """Of the PSU, where the build has cables that fit PSUs of that maker alone."""
    beside: int = 0
    """How many further plugs each of its cables has, which go with one that such a cable takes the place of."""
    replaced: bool = False
    """Whether such a cable takes the place of these cables too, though they are of another kind than it is named by:
    they go into the same sockets of the PSU."""
    empty: bool = False
    """Sockets of the PSU that none of its cables is in: nothing but such a cable is fed by them."""


@dataclass(frozen=True, slots=True)
class PsuUnit:
    """One PSU with its plugs: `own` are fed by a cable each, `shared` are further ones on the same cables."""

    place: int
    part_id: str
    number: int
    power_w: float | None
    """At the mains voltage of the build."""
    own: Mapping[Pool, list[Plug]]
    shared: Mapping[Pool, list[Plug]]


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter of the build that makes one plug of several."""

    part_id: str
    source: PowerConnector
    count: int
    target: PowerConnector
    rated_w: float | None
    quantity: int
    maker: str = ""
    """Whose PSUs alone it fits."""


def units(build: Build) -> tuple[tuple[PsuUnit, ...], tuple[str, ...]]:
    """All PSUs, the strongest first, and the figures that were unknown."""
    psus: list[PsuUnit] = []
    mains_v = build.circuit.voltage_v
    makers = {line.part.maker for line in build.of(Category.CABLE) if is_makers_own(line.part)}
    specs = {line.part.id: (line.part.maker, spec, _rows(spec)) for line, spec in build.psus()}
    for place, (part_id, number) in enumerate(psus_by_place(build), 1):
        maker, spec, rows = specs[part_id]
        own, shared = _plugs(rows, place, maker if maker in makers else "", spec.cable_sockets or 0)
        psus.append(PsuUnit(place, part_id, number, spec.output_w(mains_v), own, shared))
    lacking = [f"{part_id}.cables" for part_id, (_, spec, _) in specs.items() if plugs_unknown(spec)]
    return tuple(psus), tuple(lacking)


def plugs_unknown(spec: PsuSpec) -> bool:
    """Whether a PSU may have plugs that nobody counted."""
    return spec.cables is None or spec.cables_incomplete


def is_makers_own(cable: Part) -> bool:
    """Whether a cable carries more than the plugs that it takes the place of: it goes into the sockets of a modular
    PSU itself, which every maker wires in a way of its own."""
    spec = cable.spec
    if not isinstance(spec, CableSpec) or spec.rated_w is None or spec.source_kind is None:
        return False
    return spec.rated_w > (spec.source_count or 1) * PLUG_W.get(plug_kind(spec.source_kind), inf)


def fits_psus_of(cable_maker: str, maker: str) -> bool:
    """Whether such a cable goes into such a PSU."""
    return cable_maker in ("", maker)


def _rows(spec: PsuSpec) -> tuple[Row, ...]:
    """Cables of the kinds that matter; those with one plug come first and have the first numbers."""
    rows = (_row(row, plug_kind(row.kind)) for row in spec.cables or ())
    return tuple(sorted((row for row in rows if row[0] in WIRED), key=lambda row: (row[0], row[2], -row[3])))


def _row(row: CableSet, kind: PowerConnector) -> Row:
    if row.cables is None:
        return kind, row.plugs, 1 if kind in ONE_PER_CABLE else 0, 0.0, 0.0, kind
    further = plug_kind(row.further_kind or row.kind)
    return kind, row.cables, row.connectors_per_cable, row.rated_w or inf, row.length_mm or 0.0, further


@lru_cache(maxsize=256)
def _plugs(
    rows: tuple[Row, ...], place: int, maker: str, sockets: int
) -> tuple[Mapping[Pool, list[Plug]], Mapping[Pool, list[Plug]]]:
    """Plugs on a cable of their own, and further ones; `sockets` of the PSU take PCIe and EPS cables alike.

    Kept between calls: not to be changed.
    """
    own: dict[Pool, list[Plug]] = {}
    shared: dict[Pool, list[Plug]] = {}
    numbers: dict[PowerConnector, int] = {}
    for kind, cables, plugs, rated_w, length_mm, further in rows:
        alike = further is kind
        beside = max(plugs - 1, 0) if maker and alike else 0
        pool = Pool(kind, rated_w or inf, maker, beside, bool(maker and sockets) and kind in _ALIKE)
        stated_w = rated_w if 0 < rated_w < inf else None
        for _ in range(cables):
            numbers[kind] = numbers.get(kind, 0) + 1
            cable = Cable(place, kind, numbers[kind], independent=plugs > 0)
            own.setdefault(pool, []).append(Plug(cable, 1, stated_w, length_mm or None))
            numbered = range(2, plugs + 1)
            if alike:
                more = [Plug(cable, number, stated_w, length_mm or None) for number in numbered]
                shared.setdefault(pool, []).extend(more)
            elif not maker:  # a cable that is taken out whole takes them along
                others = [Plug(cable, number, None, length_mm or None, further) for number in numbered]
                shared.setdefault(Pool(further, inf), []).extend(others)
    if maker and (empty := sockets - sum(cables for kind, cables, *_ in rows if kind in _ALIKE)) > 0:
        first = numbers.get(PCIE_8, 0) + 1
        own[Pool(PCIE_8, inf, maker, 0, True, True)] = [
            Plug(Cable(place, PCIE_8, number)) for number in range(first, first + empty)
        ]
    return own, shared


_ALIKE = (PCIE_8, PCIE_6, EPS_8, EPS_4)
"""Kinds of cable for which modular PSUs have the same sockets, if they have any in common."""


def adapters(build: Build) -> tuple[Adapter, ...]:
    """Adapters that join PCIe or EPS plugs to one plug. Those fed by SATA or Molex plugs are never used."""
    kinds = []
    for line in sorted(build.of(Category.CABLE), key=lambda line: line.part.id):
        spec = line.part.spec
        assert isinstance(spec, CableSpec)
        if spec.source_kind is None or spec.target_kind is None or spec.source_count is None or spec.target_count != 1:
            continue
        source, target = plug_kind(spec.source_kind), plug_kind(spec.target_kind)
        if source in WIRED and target in WIRED and source is not target:
            maker = line.part.maker if is_makers_own(line.part) else ""
            kinds.append(Adapter(line.part.id, source, spec.source_count, target, spec.rated_w, line.quantity, maker))
    return tuple(kinds)


Free = tuple[int, ...]
"""Plugs left on a PSU: for each pool those of their own cable and the shared ones. Of adapters: how many of each."""


def plugs_of(unit: PsuUnit, pools: tuple[Pool, ...]) -> Free:
    """All that a PSU has."""
    counts = ((len(unit.own.get(pool, ())), len(unit.shared.get(pool, ()))) for pool in pools)
    return tuple(number for pair in counts for number in pair)


def usable_plugs(free: Free, most: Sequence[int]) -> Free:
    """Without the plugs that nothing is left to take: PSUs that differ in these alone are alike."""
    usable: list[int] = []
    for pool, plugs in enumerate(most):
        own, shared = free[2 * pool], free[2 * pool + 1]
        usable += (plugs, 0) if own >= plugs else (own, shared if own + shared < plugs else plugs - own)
    return tuple(usable)


def take_plugs(
    free: Free, takes: tuple[tuple[int, int], ...], whole: tuple[tuple[int, int, int], ...] = ()
) -> tuple[Free, int] | None:
    """What is left and how many of the plugs are pigtails, None if there are not enough.

    `takes` are (pool, plugs), `whole` (pool, cables, further plugs that go with these).
    """
    for pool, plugs in takes:
        if free[2 * pool] + free[2 * pool + 1] < plugs:
            return None
    left, pigtails = list(free), 0
    for pool, cables, beside in whole:
        left[2 * pool] -= cables
        left[2 * pool + 1] = max(left[2 * pool + 1] - beside, 0)
        if left[2 * pool] < 0:
            return None
    for pool, plugs in takes:
        own = left[2 * pool] - plugs
        if own < 0:
            pigtails -= own
            left[2 * pool + 1] += own
            if left[2 * pool + 1] < 0:
                return None
        left[2 * pool] = max(own, 0)
    return tuple(left), pigtails


def take_adapters(stock: Free, adapters: tuple[tuple[int, int], ...]) -> Free | None:
    """What is left, None if there are not enough."""
    if any(stock[index] < count for index, count in adapters):
        return None
    left = list(stock)
    for index, count in adapters:
        left[index] -= count
    return tuple(left)
