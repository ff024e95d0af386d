"""Power limits that the user sets for cards."""

from __future__ import annotations

from core.build.line import Line
from core.language import tr, trn
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.rules.changes import Move
from core.rules.context import RuleContext
from core.rules.figure_names import listed
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, Subjects, only_if

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
        return Answer(Status.PASS, tr("{card} keeps its own {own:.0f} W.", card=card.title, own=own), asked, own, "W")
    field = "power_limit_min_w" if own is None or asked < own else "power_limit_max_w"
    fields = {"card": card.title, "asked": asked, "own": own}
    if own is not None and LEAST_SHARE * own <= asked < own and read.maybe(card, field) is None:
        message = tr(
            "{card} is limited to {asked:.0f} W, {share:.0f} % of its {own:.0f} W: no driver is known to refuse that.",
            share=100 * asked / own,
            **fields,
        )
        return Answer(Status.PASS, message, asked, LEAST_SHARE * own, "W")
    bound = float(read(card, field))
    low = field == "power_limit_min_w"
    within = asked >= bound if low else asked <= bound
    message = (
        tr("{card} is limited to {asked:.0f} W; its driver accepts {bound:.0f} W and more.", bound=bound, **fields)
        if low
        else tr("{card} is limited to {asked:.0f} W; its driver accepts {bound:.0f} W and less.", bound=bound, **fields)
    )
    return Answer(Status.PASS if within else Status.FAIL, message, asked, bound, "W")


def _boot(read: Reader, machine: RuleContext) -> Answer:
    lines = _limited(machine)
    read.about(*(line.part for line in lines))
    limits = listed(
        [tr("{limit_w:.0f} W for {part}", limit_w=line.power_limit_w, part=line.part.title) for line in lines]
    )
    message = trn(
        "The limit of {limits} is lost at each restart: set it at boot, with a service that "
        "calls nvidia-smi or rocm-smi. Peaks shorter than a millisecond exceed it.",
        "The limits of {limits} are lost at each restart: set them at boot, with a service that "
        "calls nvidia-smi or rocm-smi. Peaks shorter than a millisecond exceed them.",
        limits=limits,
        count=len(lines),
    )
    return Answer(Status.NOTE, message, max(line.power_limit_w or 0.0 for line in lines), unit="W")


LIMIT_RULES = (
    Rule(
        "power-limit-range",
        tr("Set power limits"),
        tr("Lowest and highest limit that the card's driver accepts; an RTX 5090 refuses less than 400 W."),
        "the driver's range (nvidia-smi -q -d POWER); club-3090 on the RTX 5090",
        _range,
        subjects=Subjects(_limited, tr("No power limit is set.")),
        reads=("gpu.power_limit_w", "gpu.power_limit_min_w", "gpu.power_limit_max_w"),
        fixes=(Move.ALLOWED_LIMIT,),
    ),
    Rule(
        "power-limit-boot",
        tr("Power limits after a restart"),
        tr("A limit lasts until the next restart, and is an average over many milliseconds."),
        "practice of builders; NVIDIA's driver keeps no limit over a restart",
        _boot,
        subjects=only_if(_limited, tr("No power limit is set.")),
        confirmed=False,
        gravest=Status.NOTE,
        reads=("gpu.power_limit_w",),
    ),
)
