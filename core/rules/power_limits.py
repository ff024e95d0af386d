"""Power limits that the user sets for cards."""

from __future__ import annotations

from core.build.build import Line
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.rules.changes import Move
from core.rules.context import RuleContext
from core.rules.figure_names import listed
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule

LEAST_SHARE = 0.7
"""Of a card's own limit: the RTX 5090 refuses less than 400 of 575 W, others take half and less."""


def _limited(machine: RuleContext) -> list[Line]:
    return [line for line in machine.lines(Category.GPU) if line.power_limit_w is not None]


def _range(read: Reader, line: Line) -> Answer:
    card, asked = line.part, float(line.power_limit_w or 0)
    assert isinstance(card.spec, GpuSpec)
    read.about(card)
    own = read.maybe(card, "power_limit_w")
    if own is not None and asked == own:
        return Answer(Status.PASS, f"{card.title} keeps its own {own:.0f} W.", asked, own, "W")
    field = "power_limit_min_w" if own is None or asked < own else "power_limit_max_w"
    if own is not None and LEAST_SHARE * own <= asked < own and read.maybe(card, field) is None:
        message = f"{card.title} is to draw {asked:.0f} W, {100 * asked / own:.0f} % of its {own:.0f} W: "
        return Answer(Status.PASS, f"{message}no driver is known to refuse so much.", asked, LEAST_SHARE * own, "W")
    bound = float(read(card, field))
    low = field == "power_limit_min_w"
    within = asked >= bound if low else asked <= bound
    message = f"{card.title} is to draw at most {asked:.0f} W; its driver accepts {bound:.0f} W "
    message += "and more." if low else "and less."
    return Answer(Status.PASS if within else Status.FAIL, message, asked, bound, "W")


def _boot(read: Reader, machine: RuleContext) -> Answer:
    lines = _limited(machine)
    read.about(*(line.part for line in lines))
    limits = listed([f"{line.power_limit_w:.0f} W for {line.part.title}" for line in lines])
    name, are, them = ("limits of", "are", "them") if len(lines) > 1 else ("limit of", "is", "it")
    message = (
        f"The {name} {limits} {are} gone after each restart: set {them} at boot, with a service that calls nvidia-smi "
        f"or rocm-smi. Peaks shorter than a millisecond go beyond."
    )
    return Answer(Status.NOTE, message, max(line.power_limit_w or 0.0 for line in lines), unit="W")


def _if_limited(machine: RuleContext) -> list[RuleContext]:
    return [machine] if _limited(machine) else []


LIMIT_RULES = (
    Rule(
        "power-limit-range",
        "Set power limits",
        "Least and greatest limit that the card's driver accepts; an RTX 5090 refuses less than 400 W.",
        "the driver's range (nvidia-smi -q -d POWER); club-3090 on the RTX 5090",
        _range,
        subjects=_limited,
        nothing="No power limit is set.",
        reads=("gpu.power_limit_w", "gpu.power_limit_min_w", "gpu.power_limit_max_w"),
        fixes=(Move.ALLOWED_LIMIT,),
    ),
    Rule(
        "power-limit-boot",
        "Power limits after a restart",
        "A limit lives in the driver until the next restart, and is a mean over many milliseconds.",
        "practice of builders; NVIDIA's driver keeps no limit over a restart",
        _boot,
        subjects=_if_limited,
        nothing="No power limit is set.",
        confirmed=False,
        gravest=Status.NOTE,
        reads=("gpu.power_limit_w",),
    ),
)
