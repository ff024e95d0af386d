"""Power of the cards: the peaks that PSUs must deliver, and the limits that the user sets."""

from __future__ import annotations

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.line import Line
from core.predict.conditions import LoadCase
from core.predict.excursions import CARD_USUAL, PSU_READS, Excursions, Window, by_version
from core.rules.changes import OTHER_PSU, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.power_feed import needed, rated
from core.rules.rule import Answer, Reader, Rule, Subjects, only_if
from core.words import enumerated, listed, tr, trn


def _excursion(read: Reader, machine: RuleContext) -> Answer:
    needed(read, LoadCase.EVERYTHING)
    rated(read)
    figures = [read(line.part, "excursions") for line in machine.lines(Category.GPU)]
    for line, spec in machine.build.psus():
        read.maybe(line.part, "atx_version" if by_version(spec) else "form_factor")
    peaks = machine.excursions
    tightest = peaks.tightest
    assert tightest is not None, "all PSUs have a power"
    message = _message(peaks, tightest, figures_known=all(figures))
    demand_w, allowed = _figures(tightest)
    over = demand_w > allowed
    if not over and peaks.most_by_cem_w > _figures(peaks.windows[0])[1]:
        message = tr(
            "{message} If every 16-pin card draws all that PCIe allows for 100 µs, they add up to {watts:.0f} W.",
            message=message,
            watts=peaks.most_by_cem_w,
        )
        return Answer(Status.PASS, message, demand_w, allowed, "W")
    return Answer(Status.WARN if over else Status.PASS, message, demand_w, allowed, "W")


def _message(peaks: Excursions, tightest: Window, *, figures_known: bool) -> str:
    demand_w, allowed = _figures(tightest)
    others = enumerated([_words(window) for window in peaks.windows if window is not tightest])
    message = tr(
        "Tightest is {tightest}: {asked:.0f} W of demand, the PSUs deliver {allowed:.0f} W for "
        "that time; {others}. Assumed: {share:.0f} % of all peaks coincide",
        tightest=tightest.title,
        asked=demand_w,
        allowed=allowed,
        others=others,
        share=100 * peaks.coincidence,
    )
    if figures_known:
        return tr("{message}.", message=message)
    fields = {"message": message, "times": CARD_USUAL[1]}
    return tr("{message}; cards without a figure peak at {times:g} times their limit for 1 ms.", **fields)


def _words(window: Window) -> str:
    demand_w, allowed = _figures(window)
    return tr("{window} {asked:.0f} of {allowed:.0f} W", window=window.title, asked=demand_w, allowed=allowed)


def _figures(window: Window) -> tuple[float, float]:
    return window.demand_w.expected, window.allowed_w or 0.0


POWER_PEAKS = Rule(
    "psu-excursion",
    tr("Power peaks"),
    tr(
        "For 100 µs, 1, 10, 100 ms and sustained: steady power + coincidence x sum of (peak - limit) of GPUs and CPU "
        "<= 200, 180, 160, 120 and 100 % of an ATX 3 PSU with a 16-pin plug (for 5, 8, 12.5 and 25 % of the time), "
        "140, 140, 113, 113 and 100 % of a server PSU, 150, 145, 135, 110 and 100 % of others."
    ),
    "Intel ATX 3.0 Multi Rail Design Guide 613768, table 3-3, made for one card; for several not confirmed",
    _excursion,
    (Category.PSU, Category.GPU),
    confirmed=False,
    gravest=Status.WARN,
    reads=(
        *PSU_READS,
        *("gpu.excursions", "psu.atx_version", "psu.cables", "psu.cables_incomplete", "psu.form_factor", "psu.peaks"),
    ),
    fixes=(Move.LIMIT_POWER, OTHER_PSU, Move.SECOND_PSU, Move.STRONGER_PSUS, Move.FEWER_CARDS),
)
EXCURSION_RULES = (POWER_PEAKS,)


LEAST_SHARE = 0.7
"""Of a card's own limit: the RTX 5090 refuses less than 400 of 575 W, others take half and less."""


def _limited(machine: RuleContext) -> list[Line]:
    return [line for line in machine.lines(Category.GPU) if line.power_limit_w is not None]


def _range(read: Reader, line: Line) -> Answer:
    card, limit_w = line.part, float(line.power_limit_w or 0)
    assert isinstance(card.spec, GpuSpec)
    read.about(card)
    own = read.maybe(card, "power_limit_w")
    if own is not None and limit_w == own:
        return Answer(Status.PASS, tr("{card} keeps its own {own:.0f} W.", card=card.title, own=own), limit_w, own, "W")
    field = "power_limit_min_w" if own is None or limit_w < own else "power_limit_max_w"
    fields = {"card": card.title, "asked": limit_w, "own": own}
    if own is not None and LEAST_SHARE * own <= limit_w < own and read.maybe(card, field) is None:
        message = tr(
            "{card} is limited to {asked:.0f} W, {share:.0f} % of its {own:.0f} W: no driver is known to refuse that.",
            share=100 * limit_w / own,
            **fields,
        )
        return Answer(Status.PASS, message, limit_w, LEAST_SHARE * own, "W")
    bound = float(read(card, field))
    low = field == "power_limit_min_w"
    within = limit_w >= bound if low else limit_w <= bound
    message = (
        tr("{card} is limited to {asked:.0f} W; its driver accepts {bound:.0f} W and more.", bound=bound, **fields)
        if low
        else tr("{card} is limited to {asked:.0f} W; its driver accepts {bound:.0f} W and less.", bound=bound, **fields)
    )
    return Answer(Status.PASS if within else Status.FAIL, message, limit_w, bound, "W")


def _boot(read: Reader, machine: RuleContext) -> Answer:
    lines = _limited(machine)
    read.about(*(line.part for line in lines))
    limits = listed([tr("{limit_w:.0f} W for {part}", limit_w=one.power_limit_w, part=one.part.title) for one in lines])
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
