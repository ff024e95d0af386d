"""What the board's PSU feeds besides cards and CPUs, by the class of each part.

By class, not by the figures of each part: the choice of a PSU for each card rests on it, and with the choice every rule
on cables. With each part's own watts "what fits" would wire the machine anew for every drive, fan and memory kit, to
move a few watts of several thousand. Search and verdict use the same sum.
"""

from __future__ import annotations

from core.build.build import Build, Line
from core.parts.specs import FanSpec, MotherboardSpec, NicSpec, RamSpec, StorageSpec
from core.parts.vocabulary import Category, ModuleKind, StorageKind

BOARD_W, SERVER_BOARD_W = 45.0, 85.0
UDIMM_W, RDIMM_W, USUAL_MODULES = 3.0, 4.0, 2
DRIVE_W = {StorageKind.NVME: 6.0, StorageKind.SATA_SSD: 2.5, StorageKind.HDD: 7.0}
ANY_DRIVE_W = 5.0
FAN_W, THICK_FAN_W, THICK_MM = 1.6, 11.0, 38.0
COOLER_W, PUMP_W, CASE_W = 4.0, 14.0, 5.0
NIC_W = 14.0
"""The middle of what such parts draw when the whole machine is at its limits, as the prediction of power has it."""


def rest_w(build: Build) -> float:
    """Board, memory, drives, fans and network cards together, W."""
    return sum(_each_w(line) * line.quantity for line in build.lines)


def _each_w(line: Line) -> float:
    match line.part.spec:
        case MotherboardSpec(bmc=bmc, cpu_sockets=sockets):
            return SERVER_BOARD_W if bmc or sockets > 1 else BOARD_W
        case RamSpec(kind=kind, modules=modules):
            return (modules or USUAL_MODULES) * (UDIMM_W if kind is ModuleKind.UDIMM else RDIMM_W)
        case StorageSpec(kind=kind):
            return DRIVE_W[kind] if kind else ANY_DRIVE_W
        case FanSpec(thickness_mm=thickness):
            return THICK_FAN_W if (thickness or 0) >= THICK_MM else FAN_W
        case NicSpec(power_w=power):
            return NIC_W if power is None else power
    return _FLAT_W.get(line.part.category, 0.0)


_FLAT_W = {Category.CPU_COOLER: COOLER_W, Category.PUMP: PUMP_W, Category.CASE: CASE_W}
