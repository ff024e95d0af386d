"""Power peaks: what cards and CPU ask of the supplies in five windows of time, against what those must bear."""

from __future__ import annotations

from math import fsum, inf

from core.build.build import Line
from core.parts.part import Part
from core.parts.specs import Excursion, PsuSpec
from core.parts.vocabulary import Category
from core.predict.load import Load
from core.rules.feed import has_16_pin
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.reads import SUPPLY_READS
from core.rules.rule import Answer, Rule
from core.rules.supply import needed, output_w, rated
from core.wiring.kinds import PIN_16, plug_kind

WINDOWS_MS = (0.1, 1.0, 10.0, 100.0, inf)
WORDS = ("100 µs", "1 ms", "10 ms", "100 ms", "steady")
PSU_ATX3 = (2.0, 1.8, 1.6, 1.2, 1.0)
"""Peak over rating of an ATX 3 supply above 450 W with a 16-pin plug, for 5, 8, 12.5 and 25 % of the time."""
PSU_OTHER = (1.5, 1.45, 1.35, 1.1, 1.0)
"""Of any other (both Intel design guide 613768, table 3-3)."""
CARD_USUAL = (1.8, 1.6, 1.3, 1.1, 1.0)
"""Peak over limit of cards without a figure. RTX 5090: 1.57 below 1 ms, 1.43 at 1 to 5, 1.28 at 5 to 10, 1.09 at 10
to 20 ms; RTX 4090: 1.37; RTX 3090: about 1.7 at 1 ms, 1.4 at 10 ms (reviews)."""
CARD_CEM = 3.0
"""For 100 µs a 16-pin card of 300 to 600 W may take this multiple (PCIe CEM 5.0)."""
CEM_FROM_W = 300.0
CPU_PEAK = (1.5, 1.5, 1.5, 1.0, 1.0)
"""39 A up to 10 ms against 26 A for long (Intel ATX 3.0 design guide, table 2-1)."""
NEAR = 5.0
"""A figure holds for windows up to this factor away from its own."""


def _excursion(read: Reader, machine: Machine) -> Answer:
    steady = needed(read, Load.EVERYTHING).expected
    rated(read)
    share = machine.build.assumptions.coincidence
    cards = [(line, _factors(read, line.part)) for line in machine.lines(Category.GPU)]
    cpus_w = fsum(float(read(line.part, "max_power_w")) * line.quantity for line in machine.lines(Category.CPU))
    allowed = [
        fsum(window) for window in zip(*(_allowed(read, row) for row in machine.lines(Category.PSU)), strict=True)
    ]
    asked = [
        steady + share * (fsum(_excess(line, factors[at]) for line, factors in cards) + cpus_w * (CPU_PEAK[at] - 1))
        for at in range(len(WINDOWS_MS))
    ]
    tightest = max(range(len(WINDOWS_MS)), key=lambda at: asked[at] / allowed[at])
    others = ", ".join(
        f"{WORDS[at]} {asked[at]:.0f} of {allowed[at]:.0f} W" for at in range(len(WINDOWS_MS)) if at != tightest
    )
    message = (
        f"Tightest is {WORDS[tightest]}: {asked[tightest]:.0f} W asked, {allowed[tightest]:.0f} W borne by the "
        f"supplies; {others}. Assumed: {100 * share:.0f} % of all peaks meet{_assumed(cards)}."
    )
    over = asked[tightest] > allowed[tightest]
    if not over and (most := _by_cem(cards, steady, share)) > allowed[0]:
        message += f" Should every 16-pin card take all that PCIe allows it for 100 µs, {most:.0f} W meet."
        return Answer(Status.NOTE, message, asked[tightest], allowed[tightest], "W")
    return Answer(Status.WARN if over else Status.PASS, message, asked[tightest], allowed[tightest], "W")


def _assumed(cards: list[tuple[Line, tuple[float, ...]]]) -> str:
    if all(line.part.spec.excursions for line, _ in cards):  # type: ignore[union-attr]
        return ""
    return f"; cards without a figure peak at {CARD_USUAL[1]:g} times their limit for 1 ms"


def _excess(line: Line, factor: float) -> float:
    return line.quantity * (line.limit_w or 0.0) * max(factor - 1, 0.0)


def _by_cem(cards: list[tuple[Line, tuple[float, ...]]], steady: float, share: float) -> float:
    return steady + share * fsum(
        _excess(line, max(factors[0], CARD_CEM) if _takes_cem(line) else factors[0]) for line, factors in cards
    )


def _takes_cem(line: Line) -> bool:
    return has_16_pin(line.part) and (line.limit_w or 0.0) >= CEM_FROM_W and not line.part.spec.excursions  # type: ignore[union-attr]


def _factors(read: Reader, card: Part) -> tuple[float, ...]:
    """Peak over limit in each window: the card's own figures where one is near, else what was seen of others."""
    rows: tuple[Excursion, ...] = read(card, "excursions")
    read(card, "power_limit_w")
    return tuple(
        1.0 if window == inf else _nearest(rows, window) or usual
        for window, usual in zip(WINDOWS_MS, CARD_USUAL, strict=True)
    )


def _nearest(rows: tuple[Excursion, ...], window_ms: float) -> float | None:
    near = [row for row in rows if window_ms / NEAR <= row.window_ms <= window_ms * NEAR]
    return max((row.factor for row in near), default=None)


def _allowed(read: Reader, line: Line) -> tuple[float, ...]:
    """What the supplies of a line bear in each window, W."""
    psu, spec = line.part, line.part.spec
    assert isinstance(spec, PsuSpec)
    output = output_w(read, psu) * line.quantity
    modern = str(read.maybe(psu, "atx_version") or "").startswith("3")
    kinds = [row.kind for row in spec.cables or ()] + [row.kind for row in spec.connectors or ()] if modern else []
    native = any(plug_kind(kind) is PIN_16 for kind in kinds)
    table = PSU_ATX3 if native and float(read(psu, "power_w")) > 450 else PSU_OTHER
    return tuple(output * factor for factor in table)


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
    ),
)
