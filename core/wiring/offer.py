"""What there is to feed with: the plugs of all PSUs and the adapters of the build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from core.build.build import Build
from core.parts.specs import CableSpec, PsuSpec
from core.parts.vocabulary import Category, PowerConnector
from core.wiring.kinds import WIRED, plug_kind
from core.wiring.wiring import Cable, Plug

Pool = tuple[PowerConnector, float]
"""Plugs that are as good as each other: kind, and rated W (infinite where not stated)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One PSU with its plugs: `own` are fed by a cable each, `shared` are further ones on the same cables."""

    place: int
    part_id: str
    number: int
    power_w: float | None
    own: dict[Pool, list[Plug]]
    shared: dict[Pool, list[Plug]]


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter of the build that makes one plug of several."""

    part_id: str
    source: PowerConnector
    count: int
    target: PowerConnector
    rated_w: float | None
    quantity: int


def units(build: Build) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    """All PSUs, the strongest first, and the figures that were unknown."""
    lacking = []
    found: list[Unit] = []
    for line, spec in sorted(build.psus(), key=lambda pair: (-(pair[1].power_w or 0.0), pair[0].part.id)):
        if spec.cables is None:
            lacking.append(f"{line.part.id}.cables")
        for number in range(1, line.quantity + 1):
            place = len(found) + 1
            own, shared = _plugs(spec, place)
            found.append(Unit(place, line.part.id, number, spec.power_w, own, shared))
    return tuple(found), tuple(lacking)


def _plugs(spec: PsuSpec, place: int) -> tuple[dict[Pool, list[Plug]], dict[Pool, list[Plug]]]:
    own: dict[Pool, list[Plug]] = {}
    shared: dict[Pool, list[Plug]] = {}
    for cable, plugs, rated_w, length_mm in _cables(spec, place):
        pool = (cable.kind, rated_w or inf)
        own.setdefault(pool, []).append(Plug(cable, 1, rated_w, length_mm))
        shared.setdefault(pool, []).extend(Plug(cable, n, rated_w, length_mm) for n in range(2, plugs + 1))
    return own, shared


def _cables(spec: PsuSpec, place: int) -> Iterator[tuple[Cable, int, float | None, float | None]]:
    """Each cable with the number of its plugs; those with one plug come first and have the first numbers."""
    numbers: dict[PowerConnector, int] = {}
    for row in sorted(spec.cables or (), key=lambda row: (row.kind, row.connectors_per_cable, -(row.rated_w or inf))):
        kind = plug_kind(row.kind)
        if kind not in WIRED:
            continue
        for _ in range(row.cables):
            numbers[kind] = numbers.get(kind, 0) + 1
            yield Cable(place, kind, numbers[kind]), row.connectors_per_cable, row.rated_w, row.length_mm
    if spec.cables is not None:
        return
    for count in spec.connectors or ():
        kind = plug_kind(count.kind)
        if kind in WIRED:
            for number in range(1, count.count + 1):
                yield Cable(place, kind, number, independent=False), 1, None, None


def adapters(build: Build) -> tuple[Adapter, ...]:
    """Adapters that join PCIe or EPS plugs to one plug. Those fed by SATA or Molex plugs are never used."""
    found = []
    for line in sorted(build.of(Category.CABLE), key=lambda line: line.part.id):
        spec = line.part.spec
        assert isinstance(spec, CableSpec)
        if spec.source_kind is None or spec.target_kind is None or spec.source_count is None or spec.target_count != 1:
            continue
        source, target = plug_kind(spec.source_kind), plug_kind(spec.target_kind)
        if source in WIRED and target in WIRED and source is not target:
            found.append(Adapter(line.part.id, source, spec.source_count, target, spec.rated_w, line.quantity))
    return tuple(found)
