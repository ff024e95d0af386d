"""How much address space (BAR1) a GPU asks for, by product line, with who read it off a running card.

Some lines map their whole memory from power-on; others start with 256 MB, which Resizable BAR may grow to all of it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import NamedTuple

from core.parts.compute import GpuSpec

SMALL_GB = 0.25
"""The window of cards that do not map all their memory: 256 MB."""


class WindowKind(StrEnum):
    """What decides the size of a card's window."""

    WHOLE = "whole"
    """All memory from power-on, whatever the board."""
    SMALL = "small"
    RESIZABLE = "resizable"
    """256 MB at power-on; all memory where the board has Resizable BAR."""
    EITHER = "either"
    """All memory or 256 MB, by variant of the card or by its display mode."""
    UNKNOWN = "unknown"


class Window(NamedTuple):
    """GB of addresses that one card asks for at least and at most; all its chips together."""

    kind: WindowKind
    low_gb: float
    high_gb: float


class _Class(NamedTuple):
    kind: WindowKind
    products: tuple[str, ...]
    """What product names of the lines begin with; whole words."""
    source: str


CLASSES = (
    _Class(WindowKind.WHOLE, ("Tesla M40",), "xCuri0/ReBarUEFI 45 and 395: 32 GB of a card of 24 GB"),
    _Class(WindowKind.WHOLE, ("Tesla K80",), "xCuri0/ReBarUEFI 221: no start without Above 4G Decoding"),
    _Class(WindowKind.WHOLE, ("Tesla P40",), "nvidia-smi -q of a P40, 32768 MiB; xCuri0/ReBarUEFI 163"),
    _Class(WindowKind.WHOLE, ("Tesla V100", "Tesla V100S"), "nvidia-smi -q, 16384 MiB of 16 GB; NVIDIA/gdrcopy 301"),
    _Class(WindowKind.WHOLE, ("A100", "A800"), "kata-containers 4358, dmesg: 64 GB of an A100 of 40 GB"),
    _Class(WindowKind.WHOLE, ("H100", "H800", "H20", "H200"), "fastfetch 1658 and NVIDIA/nvtrust 128, lspci: 128 GB"),
    _Class(
        WindowKind.WHOLE,
        ("Instinct", "Radeon Instinct"),
        "ROCm, BAR memory: the frame buffer's window is in general as large as the memory (legacy-rocm-build 4065)",
    ),
    _Class(
        WindowKind.EITHER,
        ("Tesla K40", "Tesla K40m", "Tesla K40c"),
        "enfiskutensykkel/ssd-gpu-dma 8, lspci of a K40c: 256 MB; NVIDIA forum 64917, a K40m asks for more than that",
    ),
    _Class(WindowKind.EITHER, ("A40", "L40", "L40S"), "NVIDIA, A40 product brief PB-09976: display mode"),
    _Class(
        WindowKind.SMALL,
        ("GeForce GTX", "GeForce RTX 2060", "GeForce RTX 2070", "GeForce RTX 2080", "TITAN", "Quadro RTX"),
        "geerlingguy/raspberry-pi-pcie-devices 123 (GTX 1080) and 480 (Quadro RTX 8000), lspci: 256 MB",
    ),
    _Class(
        WindowKind.RESIZABLE,
        ("GeForce RTX", "RTX", "Radeon", "Arc"),
        "NVIDIA and AMD, Resizable BAR; NVIDIA/gdrcopy 301 (RTX A4000, 256 MB); ROCm/legacy-rocm-build 787 (WX 8100)",
    ),
)
"""The first that names a card's product holds."""


@cache
def _kind_of(product: str) -> WindowKind:
    words = f"{product} "
    named = (one.kind for one in CLASSES if words.startswith(tuple(f"{start} " for start in one.products)))
    return next(named, WindowKind.UNKNOWN)


@cache
def _next_power_of_two(gb: float) -> float:
    whole = SMALL_GB
    while whole < gb:
        whole *= 2
    return whole


def window(spec: GpuSpec) -> Window | None:
    """The card's window: its own figure, else its line's; None where the memory that it maps is unknown."""
    if spec.bar1_gb is not None:
        return Window(WindowKind.WHOLE, spec.bar1_gb * spec.chips, spec.bar1_gb * spec.chips)
    kind = _kind_of(spec.product)
    small = SMALL_GB * spec.chips
    if kind is WindowKind.SMALL:
        return Window(kind, small, small)
    if spec.memory_gb is None:
        return None
    whole = _next_power_of_two(spec.memory_gb / spec.chips) * spec.chips
    return Window(kind, whole if kind is WindowKind.WHOLE else small, whole)
