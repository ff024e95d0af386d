"""What a fix costs a builder, to put the cheapest first: all in per cent of training speed.

Speed counts as it is. The rest is what builders commonly give up speed for, by our estimate: work with the screwdriver,
money for a part of a category, a new warning, noise. It orders suggestions and is never shown.
"""

from __future__ import annotations

from core.build.build import Build
from core.build.edits import AddPart, Edit, RemovePart, SetDetails, SetQuantity, Several, SwapPart
from core.build.line import Line
from core.build.site_edits import SetAssumptions, SetCircuits
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.power_limit import speed_at_limit
from core.predict.prediction import Prediction

_PART: dict[Category, float] = {
    Category.CABLE: 1,
    Category.FAN: 1,
    Category.NVLINK_BRIDGE: 2,
    Category.RISER: 3,
    Category.CARRIER: 4,
    Category.STORAGE: 3,
    Category.CPU_COOLER: 3,
    Category.RADIATOR: 3,
    Category.PUMP: 3,
    Category.WATER_BLOCK: 4,
    Category.RAM: 4,
    Category.NIC: 4,
    Category.PSU: 5,
    Category.UPS: 5,
    Category.PDU: 4,
    Category.CASE: 6,
    Category.SYSTEM: 9,
    Category.CPU: 7,
    Category.GPU: 7,
    Category.MOTHERBOARD: 9,
}
"""Buying and fitting one."""
_SETTING = 0.5
"""A limit, other slots, another cable."""
_CIRCUIT = 9.0
"""An electrician's visit."""
_WITHOUT = 4.0
"""Going without a part that somebody had chosen."""
_WARNING, _UNKNOWN, _DB = 3.0, 0.5, 0.5
"""Each new warning, each question that gets no answer any more, each dB more."""


def fix_cost(
    build: Build, edit: Edit, *, speed: Band | None, noise_db: float | None, warnings: int, unknown: int
) -> float:
    """In per cent of speed; of a change of this build with these consequences."""
    slower = 0.0 if speed is None else max(0.0, 100 * (1 - speed.expected))
    louder = max(0.0, noise_db or 0.0)
    return slower + effort(build, edit) + _DB * louder + _WARNING * warnings + _UNKNOWN * unknown


def effort(build: Build, edit: Edit) -> float:
    """Work and money of a change alone, in per cent of speed."""
    match edit:
        case Several(edits=edits):
            return _effort_of_all(build, edits)
        case AddPart(part=part, quantity=quantity):
            return _PART[part.category] * quantity
        case SwapPart(part_id=part_id, part=part):
            line = build.line(part_id)
            return _PART[part.category] * (line.quantity if line else 1)
        case SetQuantity(part_id=part_id, quantity=quantity):
            line = build.line(part_id)
            more = quantity - (line.quantity if line else 0)
            return _PART[line.part.category] * more if line and more > 0 else _WITHOUT
        case RemovePart():
            return _WITHOUT
        case SetCircuits() | SetDetails():
            return _CIRCUIT
        case SetAssumptions():
            return _PART[Category.CABLE]
        case _:
            return _SETTING


def _effort_of_all(build: Build, edits: tuple[Edit, ...]) -> float:
    """Each on the build that those before it led to."""
    whole = 0.0
    for edit in edits:
        whole += effort(build, edit)
        build = edit.apply(build)
    return whole


Shares = tuple[float, float, float]
SAME = 0.005
"""A change of speed below this is none."""


def speed_change(before: Build, was: Prediction, after: Build, now: Prediction) -> Band | None:
    """Training speed after a change over the speed before; None where it stays, or nothing is known of it.

    Cards that train together wait for the slowest of them: the speed is their number times that of the slowest.
    """
    old, new = _speed(before, was), _speed(after, now)
    if old is None:
        return None
    low, expected, high = sorted(n / o for n, o in zip(new or (0.0, 0.0, 0.0), old, strict=True))
    return None if max(abs(1 - low), abs(1 - expected), abs(1 - high)) < SAME else Band(low, expected, high, "")


def _speed(build: Build, prediction: Prediction) -> Shares | None:
    """In speeds of one card at its own limit: low, expected, high."""
    lines = [line for line, _ in build.workers()]
    if not lines:
        return None
    cards = build.worker_count
    slowest = min((speed_at_limit(line.part, _power_w(line, prediction)) for line in lines), key=_expected)
    return cards * slowest.low, cards * slowest.expected, cards * slowest.high


def _power_w(line: Line, prediction: Prediction) -> float:
    """What the hottest card of a line may draw after heat has taken its share, W; its limit where nothing is known."""
    kept = min((card.kept_share for card in prediction.heat.cards if card.part_id == line.part.id), default=1.0)
    return kept * (line.limit_w or 0.0)


def _expected(band: Band) -> float:
    return band.expected
