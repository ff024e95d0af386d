"""Power peaks: the prediction of what cards and CPU ask of the supplies in five windows of time, judged."""

from __future__ import annotations

from core.parts.vocabulary import Category
from core.predict.excursions.excursions import Excursions, Window
from core.predict.excursions.peaking import CARD_USUAL
from core.predict.load import Load
from core.rules.changes import OTHER_PSU, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.reads import SUPPLY_READS
from core.rules.rule import Answer, Rule
from core.rules.supply import needed, rated


def _excursion(read: Reader, machine: RuleContext) -> Answer:
    needed(read, Load.EVERYTHING)
    rated(read)
    figures = [read(line.part, "excursions") for line in machine.lines(Category.GPU)]
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "atx_version")
    found = machine.excursions
    tightest = found.tightest
    assert tightest is not None, "all supplies have a power"
    message = _message(found, tightest, known=all(figures))
    asked, allowed = _figures(tightest)
    over = asked > allowed
    if not over and found.most_by_cem_w > _figures(found.windows[0])[1]:
        message += (
            f" Should every 16-pin card take all that PCIe allows it for 100 µs, {found.most_by_cem_w:.0f} W meet."
        )
        return Answer(Status.PASS, message, asked, allowed, "W")
    return Answer(Status.WARN if over else Status.PASS, message, asked, allowed, "W")


def _message(found: Excursions, tightest: Window, *, known: bool) -> str:
    asked, allowed = _figures(tightest)
    others = ", ".join(_words(window) for window in found.windows if window is not tightest)
    usual = "" if known else f"; cards without a figure peak at {CARD_USUAL[1]:g} times their limit for 1 ms"
    return (
        f"Tightest is {tightest.title}: {asked:.0f} W of demand, the PSUs deliver {allowed:.0f} W for that time; "
        f"{others}. Assumed: {100 * found.coincidence:.0f} % of all peaks meet{usual}."
    )


def _words(window: Window) -> str:
    asked, allowed = _figures(window)
    return f"{window.title} {asked:.0f} of {allowed:.0f} W"


def _figures(window: Window) -> tuple[float, float]:
    return window.demand_w.expected, window.allowed_w or 0.0


EXCURSION_RULES = (
    Rule(
        "psu-excursion",
        "Power peaks",
        "For 100 µs, 1, 10, 100 ms and for long: steady power + coincidence x sum of (peak - limit) of GPUs and CPU <= "
        "200, 180, 160, 120 and 100 % of an ATX 3 supply with a 16-pin plug (for 5, 8, 12.5 and 25 % of the time), "
        "150, 145, 135, 110 and 100 % of others.",
        "Intel ATX 3.0 Multi Rail Design Guide 613768, table 3-3, made for one card; for several not confirmed",
        _excursion,
        (Category.PSU, Category.GPU),
        confirmed=False,
        gravest=Status.WARN,
        reads=(*SUPPLY_READS, "gpu.excursions", "psu.atx_version", "psu.cables", "psu.connectors"),
        fixes=(Move.LIMIT_POWER, OTHER_PSU, Move.SECOND_PSU, Move.FEWER_CARDS),
    ),
)
