"""What is plugged into which PDU, and which circuit each PDU hangs on."""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.part import Part
from core.parts.specs import PduSpec
from core.parts.vocabulary import Category
from core.plan.build import Build


@dataclass(frozen=True, slots=True)
class PluggedPdu:
    """One PDU with its PSUs."""

    part: Part
    spec: PduSpec
    number: int
    """PDU 1 carries most."""
    circuit: int
    """From 0."""
    psus: tuple[int, ...]
    """The places of the PSUs in its outlets."""


def plugged_pdus(build: Build) -> tuple[PluggedPdu, ...]:
    """PDUs take the circuits in turn, the strongest first, and the PSUs of a circuit its PDUs. Where a circuit has no
    PDU, its PSUs go into the wall."""
    if Category.PDU not in build.by_category:
        return ()
    units = [(line.part, spec) for line, spec in build.pdus() for _ in range(line.quantity)]
    units.sort(key=lambda unit: (-(unit[1].current_a or 0.0), unit[0].id))
    circuits, places = len(build.other_loads_w), range(1, build.count(Category.PSU) + 1)
    plugged = []
    for at, (part, spec) in enumerate(units):
        circuit, nth = at % circuits, at // circuits
        beside = len(range(circuit, len(units), circuits))
        psus = [place for place in places if (place - 1) % circuits == circuit]
        plugged.append(PluggedPdu(part, spec, at + 1, circuit, tuple(psus[nth::beside])))
    return tuple(plugged)
