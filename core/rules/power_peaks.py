"""Power peaks: what the parts ask for within five windows of time, and what the PSUs deliver for so long."""

from __future__ import annotations

from core.language import tr
from core.parts.vocabulary import Category
from core.phrasing import enumerated
from core.predict.conditions import LoadCase
from core.predict.excursions import CARD_USUAL, PSU_READS, Excursions, Window, by_version
from core.rules.changes import OTHER_PSU, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.psu_demand import needed, rated
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule


def _excursion(read: Reader, machine: RuleContext) -> Answer:
    needed(read, LoadCase.EVERYTHING)
    rated(read)
    figures = [read(line.part, "excursions") for line in machine.lines(Category.GPU)]
    for line, spec in machine.build.psus():
        read.maybe(line.part, "atx_version" if by_version(spec) else "form_factor")
    found = machine.excursions
    tightest = found.tightest
    assert tightest is not None, "all PSUs have a power"
    message = _message(found, tightest, known=all(figures))
    asked, allowed = _figures(tightest)
    over = asked > allowed
    if not over and found.most_by_cem_w > _figures(found.windows[0])[1]:
        message = tr(
            "{message} If every 16-pin card draws all that PCIe allows for 100 µs, they add up to {watts:.0f} W.",
            message=message,
            watts=found.most_by_cem_w,
        )
        return Answer(Status.PASS, message, asked, allowed, "W")
    return Answer(Status.WARN if over else Status.PASS, message, asked, allowed, "W")


def _message(found: Excursions, tightest: Window, *, known: bool) -> str:
    asked, allowed = _figures(tightest)
    others = enumerated([_words(window) for window in found.windows if window is not tightest])
    message = tr(
        "Tightest is {tightest}: {asked:.0f} W of demand, the PSUs deliver {allowed:.0f} W for "
        "that time; {others}. Assumed: {share:.0f} % of all peaks coincide",
        tightest=tightest.title,
        asked=asked,
        allowed=allowed,
        others=others,
        share=100 * found.coincidence,
    )
    if known:
        return tr("{message}.", message=message)
    return tr(
        "{message}; cards without a figure peak at {times:g} times their limit for 1 ms.",
        message=message,
        times=CARD_USUAL[1],
    )


def _words(window: Window) -> str:
    asked, allowed = _figures(window)
    return tr("{window} {asked:.0f} of {allowed:.0f} W", window=window.title, asked=asked, allowed=allowed)


def _figures(window: Window) -> tuple[float, float]:
    return window.demand_w.expected, window.allowed_w or 0.0


POWER_PEAKS = Rule(
    "psu-excursion",
    tr("Power peaks"),
    tr(
        "For 100 µs, 1, 10, 100 ms and sustained: steady power + coincidence x sum of (peak - "
        "limit) of GPUs and CPU <= 200, 180, 160, 120 and 100 % of an ATX 3 PSU with a 16-pin "
        "plug (for 5, 8, 12.5 and 25 % of the time), 140, 140, 113, 113 and 100 % of a server PSU, "
        "150, 145, 135, 110 and 100 % of others."
    ),
    "Intel ATX 3.0 Multi Rail Design Guide 613768, table 3-3, made for one card; for several not confirmed",
    _excursion,
    (Category.PSU, Category.GPU),
    confirmed=False,
    gravest=Status.WARN,
    reads=(
        *PSU_READS,
        "gpu.excursions",
        "psu.atx_version",
        "psu.cables",
        "psu.cables_incomplete",
        "psu.form_factor",
        "psu.peaks",
    ),
    fixes=(Move.LIMIT_POWER, OTHER_PSU, Move.SECOND_PSU, Move.STRONGER_PSUS, Move.FEWER_CARDS),
)
EXCURSION_RULES = (POWER_PEAKS,)
