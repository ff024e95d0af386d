"""How loud a server is whose fans nobody lists: by what they move, and against what.

Madison's law of fans, Lw = K + 10 lg Q + 20 lg dP: sound power from flow (m3/s) and pressure (Pa).
"""

from __future__ import annotations

from math import log10

from core.language import tr
from core.parts.part import Part
from core.parts.specs import CaseSpec
from core.predict.band import Band, Triple
from core.predict.conditions import LoadCase
from core.predict.noise.acoustics import FAN_SLOPE, FREE_SPACE_DB, Shift, shifted
from core.predict.noise.sources import SPEED_SHARE, Levels

SPECIFIC_DB: Triple = (33.0, 37.0, 41.0)
"""K of fans that work near their best point, as VDI 2081 has it: 37 dB, give or take 4."""
PRESSURE_PA: Triple = (150.0, 300.0, 600.0)
FLOW_PER_UNIT_M3H = 215.0
"""What fans of a full server work against, at so much air for each rack unit; general knowledge. The pressure goes with
the square of the flow."""
USUAL_UNITS = 4.0
_ASSUMPTION = tr(
    "Unlisted fans are assumed to move the air that the heat needs, 10 to 16 K warmer, and to be as loud as that takes."
)


def server_levels(part: Part, spec: CaseSpec, flow_m3h: Triple) -> Levels:
    """All fans of the chassis together at 1 m; `flow_m3h` is what they move in training."""
    missing = tuple(f"{part.id}.{name}" for name in ("included_fans", "rack_units") if not getattr(spec, name))
    low, expected, high = (_power_db(flow, spec.rack_units or USUAL_UNITS) - FREE_SPACE_DB for flow in flow_m3h)
    pressure = (20 * log10(pa / PRESSURE_PA[1]) for pa in PRESSURE_PA)
    specific = (db - SPECIFIC_DB[1] for db in SPECIFIC_DB)
    busy = shifted(
        Band(low, expected, high, "dBA", (_ASSUMPTION,), missing),
        (Shift(*pressure), Shift(*specific)),
    )
    slower = (
        FAN_SLOPE * log10(idle / training)
        for idle, training in zip(SPEED_SHARE[LoadCase.IDLE], SPEED_SHARE[LoadCase.TRAINING], strict=True)
    )
    return {LoadCase.IDLE: shifted(busy, (Shift(*slower),)), LoadCase.TRAINING: busy}


def _power_db(flow_m3h: float, rack_units: float) -> float:
    """Expected sound power of fans that move so much through a chassis of this height."""
    pressure = PRESSURE_PA[1] * (flow_m3h / (rack_units * FLOW_PER_UNIT_M3H)) ** 2
    return SPECIFIC_DB[1] + 10 * log10(flow_m3h / 3600) + 20 * log10(pressure)
