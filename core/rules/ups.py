"""The uninterruptible power supply: voltage, watts, volt-amperes, waveform and time."""

from __future__ import annotations

from math import log

from core.parts.part import Part
from core.parts.specs import UpsSpec
from core.parts.vocabulary import Category
from core.plan.wiring.wire import WIRING_READS
from core.predict.conditions import LoadCase
from core.predict.power import WALL_READS, SupplyLoad
from core.rules.changes import OTHER_UPS, Change, Fewer, Move, OneMore
from core.rules.finding import Status
from core.rules.mains import psus_wall, shared_in_turn, wall
from core.rules.power_feed import wired
from core.rules.rule import WORST_CASE, Answer, Reader, Rule, all_of, for_hours, parts_of, span
from core.words import listed, plain, tr, trn

SAME_VOLTAGE = 0.15
LEAST_MIN = 5.0
"""To write a checkpoint and shut down."""


def _voltage(read: Reader, ups: Part) -> Answer:
    made_for, mains = float(read(ups, "input_v")), read.machine.build.circuit.voltage_v
    fields = {"ups": ups.title, "made_for": made_for, "mains": mains}
    message = tr("{ups} is made for {made_for:.0f} V; the mains are {mains:.0f} V.", **fields)
    fits = abs(made_for - mains) <= SAME_VOLTAGE * mains
    return Answer(Status.PASS if fits else Status.FAIL, message, made_for, mains, "V")


def _watts(read: Reader, ups: Part) -> Answer:
    limit = float(read(ups, "power_w"))
    whole = psus_wall(read, LoadCase.TRAINING)
    on, share = _hanging(read, ups)
    worst = psus_wall(read, LoadCase.EVERYTHING)
    return _judged(ups, on, SupplyLoad(whole.times(share), worst.times(share), limit))


def _apparent(read: Reader, ups: Part) -> Answer:
    limit = float(read(ups, "apparent_va"))
    wall(read, LoadCase.TRAINING)
    on, share = _hanging(read, ups)
    power = read.machine.power
    training, worst = (
        power.apparent_va[load].times(share * power.psu_share(load))
        for load in (LoadCase.TRAINING, LoadCase.EVERYTHING)
    )
    return _judged(ups, on, SupplyLoad(training, worst, limit))


def _hanging(read: Reader, ups: Part) -> tuple[tuple[int, ...] | None, float]:
    """The PSUs on one such UPS, the most loaded, None where there is one UPS for all, and its share of the load.

    PSUs take several UPSs in turn, the strongest first: one PSU draws from one UPS, and a further UPS feeds nothing.
    """
    machine = read.machine
    lines = sorted(machine.lines(Category.UPS), key=lambda line: (-_strength(line.part), line.part.id))
    units = [line.part.id for line in lines for _ in range(line.quantity)]
    if len(units) == 1:
        return None, 1.0
    wired(read)
    shares = shared_in_turn(machine, len(units))
    own = [shares[at] for at, part_id in enumerate(units) if part_id == ups.id and at in shares]
    return max(own, key=lambda one: one[1], default=((), 0.0))


def _strength(ups: Part) -> float:
    spec = ups.spec
    assert isinstance(spec, UpsSpec)
    return spec.power_w or spec.apparent_va or 0.0


def _judged(ups: Part, on: tuple[int, ...] | None, load: SupplyLoad) -> Answer:
    training, worst, limit = load.training, load.worst, load.limit
    draw = tr("{training}, {worst_case} {worst}", training=span(training), worst_case=WORST_CASE, worst=span(worst))
    carries = plain("{limit:.0f} {unit}", limit=limit, unit=training.unit)
    fields = {"draw": draw, "ups": ups.title, "carries": carries}
    if on is None:
        message = tr("Unthrottled training draws up to {draw}; {ups} carries {carries}.", **fields)
    elif on:
        message = trn(
            "In unthrottled training PSU {psus} on it draws up to {draw}; {ups} carries {carries}.",
            "In unthrottled training PSUs {psus} on it draw up to {draw}; {ups} carries {carries}.",
            psus=listed([str(place) for place in on]),
            count=len(on),
            **fields,
        )
    else:
        message = tr(
            "No PSU is left for it: unthrottled training draws up to {draw}; {ups} carries {carries}.", **fields
        )
    return Answer(for_hours(load), message, training.expected, limit, training.unit)


def _sine(read: Reader, ups: Part) -> Answer:
    if read(ups, "pure_sine"):
        return Answer(Status.PASS, tr("{ups} delivers a pure sine wave on battery.", ups=ups.title))
    message = tr(
        "{ups} delivers a stepped wave on battery: a PSU with power factor correction may switch off on it.",
        ups=ups.title,
    )
    return Answer(Status.WARN, message)


def _runtime(read: Reader, ups: Part) -> Answer:
    full, half, power = read.all((ups, "runtime_full_min"), (ups, "runtime_half_min"), (ups, "power_w"))
    whole = psus_wall(read, LoadCase.TRAINING)
    share = whole.expected * _hanging(read, ups)[1] / power
    if not share:
        return Answer(Status.NOTE, tr("Nothing draws from {ups} yet.", ups=ups.title))
    if share > 1:
        message = tr("{ups} is overloaded: no runtime on battery.", ups=ups.title)
        return Answer(Status.NOTE, message, 0, LEAST_MIN, "min")
    minutes = full * share ** (-log(half / full) / log(2)) if half > full else full
    fields = {"ups": ups.title, "minutes": minutes, "share": 100 * share}
    message = tr(
        "On battery {ups} keeps training running for about {minutes:.0f} min, at {share:.0f} % load.", **fields
    )
    return Answer(Status.PASS if minutes >= LEAST_MIN else Status.WARN, message, minutes, LEAST_MIN, "min")


_SHEET = "the UPS's data sheet"
_RATINGS = ("ups.power_w", "ups.apparent_va")
_EACH = parts_of(Category.UPS, nothing=tr("No UPS in the build."))

_LESS_LOAD: tuple[Change, ...] = (Move.LIMIT_POWER, OneMore(Category.UPS), OTHER_UPS, Fewer(Category.UPS))

UPS_RULES = (
    Rule(
        "ups",
        tr("UPS at the mains voltage"),
        tr("Input voltage of the UPS = mains."),
        _SHEET,
        _voltage,
        subjects=_EACH,
        reads=("ups.input_v",),
        fixes=(OTHER_UPS, Fewer(Category.UPS)),
    ),
    Rule(
        "ups-power",
        tr("UPS power rating"),
        tr(
            "Wall power of the PSUs on a UPS with all GPUs at their limits <= its W; fails if even the low end with "
            "CPU and GPU at their limits at once is above it, too. PSUs take several UPSs in turn."
        ),
        _SHEET,
        _watts,
        subjects=_EACH,
        reads=all_of(WALL_READS, WIRING_READS, _RATINGS),
        fixes=_LESS_LOAD,
    ),
    Rule(
        "ups-apparent",
        tr("UPS VA rating"),
        tr("Predicted wall power / power factor of the PSUs on a UPS <= its VA."),
        _SHEET,
        _apparent,
        subjects=_EACH,
        reads=all_of(WALL_READS, WIRING_READS, _RATINGS),
        fixes=_LESS_LOAD,
    ),
    Rule(
        "ups-sine",
        tr("UPS waveform"),
        tr("PSUs with active power factor correction need a sine wave."),
        "Schneider Electric FAQ FA317011; dougv.com on PSUs that switch off",
        _sine,
        subjects=_EACH,
        gravest=Status.WARN,
        reads=("ups.pure_sine",),
        fixes=(OTHER_UPS, Fewer(Category.UPS)),
    ),
    Rule(
        "ups-runtime",
        tr("Time on battery"),
        tr(
            "Interpolated between the runtimes at half and full load; {least_min:.0f} min to save and shut down.",
            least_min=LEAST_MIN,
        ),
        "the UPS's data sheet; the time to save is a convention, not confirmed",
        _runtime,
        subjects=_EACH,
        confirmed=False,
        gravest=Status.WARN,
        reads=all_of(WALL_READS, WIRING_READS, _RATINGS, ("ups.runtime_full_min", "ups.runtime_half_min")),
        fixes=(OTHER_UPS, Fewer(Category.UPS)),
    ),
)
