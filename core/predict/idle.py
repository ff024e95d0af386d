"""What a GPU draws when idle that has no figure of its own: a share of its maker's limit, by class.

Published and logged, W when idle of W of the limit:
GDDR cards: GTX 1060 5 of 120, RTX 3080 15 of 320 (swordstoday.ie, how a graphics card uses electricity); GTX 1080 10
of 180 (github.com/NVIDIA/nvidia-docker/issues/564), a card of 275 W 12 (issues/957); RTX 3090 18, with two monitors 26
(ecoenergygeek.com/rtx-3090-power-consumption), 6 to 7 with a model loaded
(github.com/noonghunna/club-3090/issues/1127); RTX 5090 12 to 25 of 575 (issues/1229, 1107); RTX 5060 Ti 10 of 180
(github.com/NVIDIA/open-gpu-kernel-modules/issues/907); RTX 6000D 28 of 600
(github.com/aikitoria/open-gpu-kernel-modules/issues/20); RX 7900 XT 18 of 265, R9700 12 to 13, with a model 19
(github.com/ROCm/legacy-rocm-build/issues/2256, 6453).
Passive cards: P40 10 of 250, 45 with a model loaded (jankyai.droidgram.com); A40 30 of 300
(github.com/NVIDIA/open-gpu-kernel-modules/issues/874); K80 50 of 300 (forums.developer.nvidia.com/t/173496).
HBM: H100 70 of 700 (github.com/guilbaults/TrailblazingTurtle/pull/78); B200 137 of 1000, MI355 238 of 1400
(github.com/ROCm/legacy-rocm-build/issues/5219). What lies between is general knowledge.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.specs import GpuSpec
from core.parts.vocabulary import GpuCooling, GpuForm
from core.predict.band import Triple


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


def idle_w(spec: GpuSpec) -> Triple:
    """low, expected, high of a card without a figure. `spec` is the part's: a set limit saves nothing when idle."""
    if spec.power_limit_w is None:
        return UNKNOWN_CARD_W if spec.form is GpuForm.PCIE_CARD else UNKNOWN_MODULE_W
    return _class_of(spec).watts(spec.power_limit_w)


def _class_of(spec: GpuSpec) -> IdleClass:
    if spec.form is not GpuForm.PCIE_CARD or (spec.memory_type or "").startswith("HBM"):
        return STACKED_MEMORY
    return PASSIVE_CARD if spec.cooling is GpuCooling.PASSIVE else DISPLAY_CARD
