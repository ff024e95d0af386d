"""Whether the makers' own drivers let two cards of a product exchange data over PCIe directly (P2P)."""

from __future__ import annotations

import re

from core.parts.part import Part
from core.parts.specs import GpuSpec

REFUSED = ("GeForce RTX 20", "GeForce RTX 30", "GeForce RTX 40", "GeForce RTX 50")
"""NVIDIA's stock driver grants these no P2P over PCIe; RTX 20 and 30 cards have it over an NVLink bridge
(tensorflow 24677 on the RTX 2080 Ti; NVIDIA/nccl 1127 and huggingface/accelerate 2328 on the RTX 3090; tinygrad's
open-gpu-kernel-modules 29 on RTX 40 and 50)."""
_GRANTED = re.compile(r"(GeForce GTX|TITAN (?!RTX)|Quadro|Tesla|RTX |[ABHL]\d)")


def p2p_over_pcie(part: Part) -> bool | None:
    """The card's own figure where it states one, else what is known of its class; None where nothing is known.

    Professional and data-centre cards of NVIDIA, and GeForce GTX and TITAN before RTX, have it: general knowledge.
    """
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    if spec.p2p is not None:
        return spec.p2p
    if spec.product.startswith(REFUSED):
        return False
    return True if _GRANTED.match(spec.product) else None
