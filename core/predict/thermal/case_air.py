"""The stream of air through the case as the cards feel it, and how warm the air before them is."""

from __future__ import annotations

from dataclasses import dataclass

from core.plan.build import Build
from core.predict.airflow.airflow import Airflow, airflow
from core.predict.band import Triple

MIXED: Triple = (0.35, 0.55, 0.85)
"""Share of the case air's rise that has happened before a card's inlet: some of the fresh air reaches it directly."""
OPEN_K_PER_W: Triple = (0.0005, 0.002, 0.005)
"""How much warmer than the room the air around cards in the open is, for each watt of the machine: 2 K at 1 kW; general
knowledge."""


@dataclass(frozen=True, slots=True)
class CaseAir:
    """`flow_m3h` through the case in training; None in the open."""

    flow_m3h: Triple | None
    missing: tuple[str, ...] = ()
    mixed: Triple = MIXED
    unrated: tuple[str, ...] = ()
    """Those of the missing figures that hide a fan's flow."""


def case_air(build: Build, fan_share: float | None = None) -> CaseAir:
    """The stream with the fans of build and case at this share, else at what they are set to, else as usual."""
    return stream_of(airflow(build, fan_share))


def stream_of(air: Airflow) -> CaseAir:
    """What crosses the case."""
    return CaseAir(air.case_m3h, air.missing if air.case_m3h else (), unrated=air.unrated)
