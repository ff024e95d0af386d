"""What panels, filters, grilles and radiators resist: k in dP = k Q^2, for the place of one fan, Pa / (m3/h)^2.

Nobody publishes k; known is which share of its free-air flow a fan delivers behind such an opening. A usual fan of
120 mm with P0 = s Q0^2 meets its opening where s Q0^2 (1 - f^2) = k (f Q0)^2, so k = s (1 / f^2 - 1): the share f then
holds at every speed, and stiffer fans deliver more, softer ones less. The opening of a larger fan is larger: k falls
with the fourth power of its diameter, as for every opening of the same shape.
"""

from __future__ import annotations

from functools import lru_cache

from core.parts.specs import RadiatorSpec
from core.parts.vocabulary import Panels
from core.predict.airflow.operating_point import REFERENCE_MM, STIFFNESS
from core.predict.band import Triple

INTAKE: dict[Panels | None, Triple] = {
    Panels.OPEN: (0.75, 0.88, 1.0),
    Panels.MESH: (0.50, 0.60, 0.72),
    Panels.SOLID: (0.32, 0.40, 0.50),
    Panels.DAMPED: (0.28, 0.37, 0.47),
    None: (0.28, 0.47, 0.72),
}
"""Share of the free-air flow behind the front: mesh 0.7, mesh with a filter 0.55, a door with slots at its sides 0.35
to 0.45; general knowledge."""
GRILLE: Triple = (0.60, 0.70, 0.80)
"""The same before a stamped grille, where closed cases blow out."""
RADIATOR: Triple = (0.47, 0.55, 0.63)
"""The same behind a radiator of 30 mm; at 45 to 60 mm it is 0.45, which is what twice the resistance makes of it."""
RADIATOR_MM, FINS_PER_INCH = 30.0, 13.0
UNKNOWN_MM: Triple = (60.0, 40.0, 28.0)
UNKNOWN_FINS: Triple = (16.0, 13.0, 9.0)
"""Thickness and fins per inch of a radiator of which nobody says them."""
VENTS: dict[Panels | None, Triple] = {
    Panels.OPEN: (3.0, 6.0, 12.0),
    Panels.MESH: (1.5, 4.0, 8.0),
    Panels.SOLID: (0.5, 1.5, 3.0),
    Panels.DAMPED: (0.4, 1.0, 2.0),
    None: (0.4, 1.5, 5.0),
}
"""Gaps, slots and grilles without a fan, in places of 120 mm behind a grille: the mesh of a top for 240 to 360 mm is
two or three of them, the rear and the openings of the slots one more; general knowledge."""


def resistance(share: float, size_mm: float | None = None) -> float:
    """k of the place of one fan behind which a usual fan delivers `share` of its free-air flow."""
    return STIFFNESS[1] * (1 / share**2 - 1) * (REFERENCE_MM / (size_mm or REFERENCE_MM)) ** 4


@lru_cache(maxsize=128)
def intake_k(panels: Panels | None, size_mm: float | None) -> Triple:
    """Of the front before one fan; the first is the tightest."""
    low, expected, high = (resistance(share, size_mm) for share in INTAKE[panels])
    return low, expected, high


@lru_cache(maxsize=128)
def exhaust_k(panels: Panels | None, size_mm: float | None) -> Triple:
    """Of the grille behind one fan; an open machine has none that is tighter than its front."""
    shares = INTAKE[panels] if panels is Panels.OPEN else GRILLE
    low, expected, high = (resistance(share, size_mm) for share in shares)
    return low, expected, high


def radiator_k(spec: RadiatorSpec) -> Triple:
    """Of a radiator before one of its fans: it grows with thickness and fins."""
    low, expected, high = (
        fins * resistance(share, spec.fan_size_mm) for fins, share in zip(fins_of(spec), RADIATOR, strict=True)
    )
    return low, expected, high


def fins_of(spec: RadiatorSpec) -> Triple:
    """Area of the fins over that of a radiator of 30 mm with 13 fins per inch; the first is the most."""
    thick = UNKNOWN_MM if spec.thickness_mm is None else (spec.thickness_mm,) * 3
    dense = UNKNOWN_FINS if spec.fins_per_inch is None else (spec.fins_per_inch,) * 3
    low, expected, high = (mm / RADIATOR_MM * fins / FINS_PER_INCH for mm, fins in zip(thick, dense, strict=True))
    return low, expected, high


def vents_k(panels: Panels | None, places: float = 0.0) -> Triple:
    """Of all openings without a fan together; `places` more of them, each the way out of one fan of a fan wall."""
    one = resistance(GRILLE[1])
    low, expected, high = (one / (vents + places) ** 2 for vents in VENTS[panels])
    return low, expected, high
