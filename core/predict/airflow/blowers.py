"""Blower cards as fans of the case: what they draw in leaves it through their brackets."""

from __future__ import annotations

from collections.abc import Iterator

from core.build.blocks import fitted_blocks
from core.build.build import Build
from core.parts.vocabulary import GpuCooling
from core.predict.airflow.operating_point import Fans
from core.predict.thermal.air import watts_per_k
from core.predict.thermal.spread import Triple

EXHAUST_RISE_K: Triple = (45.0, 30.0, 20.0)
"""How much warmer than its inlet the air behind the bracket is at the card's limit: by the balance of heat some 30 m3/h
for a card of 300 W; general knowledge."""
OUT_OF_BRACKET = 0.87
"""Share of the board's heat in that air."""
USUAL_W = 250.0
"""Of a card whose limit is unknown."""
STALL_PA = 200.0
"""Pressure of a small radial fan at its highest speed: some pascals of a case hardly change its flow; general
knowledge."""


def blowers(build: Build, end: int) -> Iterator[Fans]:
    """One group for every line with blowers that keep their cooler; the first `end` is the least flow.

    By the limit that a card is sold with: a lower one slows its fan as well, but how far depends on its temperature.
    """
    blocks = fitted_blocks(build)
    for line, spec in build.gpus():
        fitted = blocks.get(line.part.id)
        count = line.quantity - (fitted.count if fitted else 0)
        if spec.cooling is GpuCooling.BLOWER and count > 0:
            watts = OUT_OF_BRACKET * (spec.power_limit_w or USUAL_W)
            flow_m3h = watts / (watts_per_k(1.0) * EXHAUST_RISE_K[end])
            yield Fans(float(count), flow_m3h, STALL_PA, 0.0)
