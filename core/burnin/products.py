"""The product behind a card that is here: as the plan has it, or as the shipped catalogue knows it."""

from __future__ import annotations

from core.build.build import Build, Line
from core.burnin.planned import same_card
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.shipped import CATALOGUE, parts_of
from core.parts.vocabulary import Category
from core.telemetry.device import Device


def planned_card(build: Build, device: Device) -> Line | None:
    """The build's line of a card that is here; None where it plans none, or several boards of the product."""
    same = [line for line, spec in build.gpus() if same_card(spec, device)]
    return same[0] if len(same) == 1 else None


def shipped_card(device: Device) -> Part | None:
    """A part of the shipped catalogue of the card's product, the one with the lowest clock; None without any.

    Boards of one product differ in little but their clocks.
    """
    cards = (part for path in sorted((CATALOGUE / Category.GPU).glob("*.toml")) for part in parts_of(path))
    same = [part for part in cards if isinstance(part.spec, GpuSpec) and same_card(part.spec, device)]
    return min(same, key=lambda part: (_boost_mhz(part), part.id), default=None)


def _boost_mhz(part: Part) -> float:
    clock = part.spec.boost_clock_mhz if isinstance(part.spec, GpuSpec) else None
    return float("inf") if clock is None else clock
