"""PSUs: load, peaks, each PSU's share, mains voltage, the CPU's plugs and the board's slots."""

from __future__ import annotations

from math import fsum

from core.parts.part import Part
from core.parts.power import InputLimit, input_limit
from core.parts.specs import CpuSpec, MotherboardSpec, PsuSpec
from core.parts.vocabulary import Category
from core.plan.line import Line
from core.plan.psus import has_own_psu
from core.plan.seats import SlotNumber
from core.plan.wiring.sentences import cut_short_words
from core.plan.wiring.wire import WIRING_READS, fed_by_chassis, plugs_feed_board
from core.plan.wiring.wiring import EPS_4, EPS_8, PCIE_6, PCIE_8, PLUG_W, plug_kind
from core.predict.conditions import LoadCase
from core.predict.excursions import PSU_READS
from core.predict.power import CONTINUOUS_SHARE, SupplyLoad, psu_loads
from core.predict.psu import HIGH_LINE_V
from core.rules.changes import OTHER_BOARD, OTHER_CPU, OTHER_PSU, STRONGER_PSU, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.power_feed import cpus_by_tdp, drawn, is_plugged, needed, output_w, psu_words, rated, wired
from core.rules.rule import (
    WORST_CASE,
    Answer,
    Reader,
    Rule,
    Subjects,
    all_of,
    oldest,
    only_if,
    parts_of,
    span,
    within_rating,
)
from core.words import clauses, joined, listed, plain, tr, trn

FULL_RANGE_W = 1300.0
"""Up to here PSUs give their full power at 100 to 127 V, too: more than that strains an outlet of 15 A."""
NEARLY_ALL = 0.95
"""A few per cent less than the name says are worth no warning."""
EPS_EASY_W, EPS_MOST_W = 288.0, 384.0
"""Four 12 V contacts of an EPS 8-pin plug at 6 and at 8 A (Intel ATX 3.0 design guide, 2.2.1)."""
SLOT_12V_W = 66.0
"""PCIe CEM: 5.5 A on 12 V for a x16 card."""
MAIN_12V_W = 144.0
"""Two 12 V contacts of the 24-pin plug at 6 A."""


def is_old(read: Reader, psu: Part) -> bool | None:
    """Whether it is not made to ATX 3, for the power peaks of today's cards; None if unknown."""
    assert isinstance(psu.spec, PsuSpec)
    read.maybe(psu, "form_factor" if psu.spec.made_for_servers else "atx_version")
    if psu.spec.atx_version is None:
        read.maybe(psu, "cables")
        read.maybe(psu, "cables_incomplete")
    return psu.spec.before_atx3


def spare_w(read: Reader) -> float:
    """Output of the one PSU that a redundant set can lose, W; 0 without redundancy."""
    lines = read.machine.lines(Category.PSU)
    sets = [line for line in lines if line.quantity > 1 and read.maybe(line.part, "redundant")]
    return max((output_w(read, line.part) for line in sets), default=0.0)


def _power(read: Reader, machine: RuleContext) -> Answer:
    by_tdp = cpus_by_tdp(read)
    training, worst, limit = drawn(read, LoadCase.TRAINING), drawn(read, LoadCase.EVERYTHING), rated(read)
    load = SupplyLoad(training, worst, limit)
    fields = {"psus": trn("{count} PSU", "{count} PSUs", count=machine.count(Category.PSU)), "limit": limit}
    able = tr("{psus} can deliver {limit:.0f} W", **fields)
    fields = {"load": load.words, "worst_case": WORST_CASE, "span": span(worst), "able": able}
    message = tr("PSU load: {load}. {worst_case} draw {span}; {able}.", **fields)
    most = load.at_most if by_tdp else load
    aged = machine.lines(Category.PSU) if most.worst_share > CONTINUOUS_SHARE else ()
    ages = [(line.part, is_old(read, line.part)) for line in aged]
    old = oldest([age for _, age in ages])
    status = within_rating(load, old=old)
    if by_tdp and within_rating(most, old=old) is not status:
        raise read.give_up(by_tdp[0], "sustained_power_w")
    spare = spare_w(read)
    if spare and status is not Status.FAIL:
        rest = limit - spare
        message = tr("{message} When one fails, {rest:.0f} W remain.", message=message, rest=rest)
        status = Status.WARN if worst.expected > rest else Status.PASS
        return Answer(status, message, worst.expected, rest, "W")
    if status in (Status.WARN, Status.NOTE) and _shared_out(read):
        message = joined([message, tr("What each of them bears decides.")])
        return Answer(Status.PASS, message, worst.expected, limit, "W")
    return _answer(status, message, load, next((psu for psu, age in ages if age is old), None))


def _shared_out(read: Reader) -> bool:
    """Whether `psu-balance` judges the share of each PSU: the fullest has no more to spare than all together."""
    psus = read.machine.lines(Category.PSU)
    return several(read.machine) and all(read.maybe(line.part, "cables") is not None for line in psus)


def _answer(status: Status, message: str, load: SupplyLoad, oldest_psu: Part | None) -> Answer:
    """With the two figures that decide, and the reason where it is not the rating."""
    if status is Status.PASS or load.worst_share > 1:
        return Answer(status, message, load.worst.expected, load.limit, "W")
    percent = 100 * CONTINUOUS_SHARE
    if load.training_share > CONTINUOUS_SHARE:
        most = CONTINUOUS_SHARE * load.limit
        why = tr("Running for days asks for {free:.0f} % to spare in training.", free=100 - percent)
        return Answer(status, joined([message, why]), load.training.expected, most, "W")
    assert oldest_psu is not None, "its age decides"
    if status is Status.NOTE:
        why = tr(
            "Whether {psu} is made to ATX 3 is not stated: others trip on power peaks above {percent:.0f} % in the "
            "worst case.",
            psu=oldest_psu.title,
            percent=percent,
        )
    else:
        why = tr(
            "PSUs that are not made to ATX 3 trip on power peaks above {percent:.0f} % in the worst case.",
            percent=percent,
        )
    return Answer(status, joined([message, why]), load.worst.expected, load.limit, "W")


def _balance(read: Reader, machine: RuleContext) -> Answer:
    needed(read, LoadCase.TRAINING)
    needed(read, LoadCase.EVERYTHING)
    rated(read)
    wiring = wired(read)
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "redundant")
    for line in machine.lines(Category.RAM, Category.STORAGE):
        read.maybe(line.part, "kind")
    loads = psu_loads(machine.build, wiring, machine.power)
    old = {line.part.id: is_old(read, line.part) for line in machine.lines(Category.PSU)}
    verdicts = {psu.place: within_rating(loads[psu.place], old=old[psu.part_id]) for psu in wiring.psus}
    gravest = max(loads, key=lambda place: (_SEVERE[verdicts[place]], loads[place].worst_share, -place))
    load, status = loads[gravest], verdicts[gravest]
    each = ((psu_words(machine, psu), loads[psu.place].words) for psu in wiring.psus)
    shares = clauses([plain("{psu} {load}", psu=psu, load=load) for psu, load in each])
    message = tr("Each card on one PSU: {shares}.", shares=shares)
    if wiring.cut_short:
        message = joined([message, cut_short_words()])
    if status is Status.FAIL:
        message = tr("{message} PSU {place} is overloaded.", message=message, place=gravest)
        return Answer(Status.WARN if wiring.cut_short else status, message, load.worst.expected, load.limit, "W")
    if load.worst_share > 1:
        fields = {"place": gravest, "load": load.worst.expected, "output": load.limit}
        words = tr("PSU {place} may be overloaded: {load:.0f} W expected of {output:.0f} W.", **fields)
        message = joined([message, words])
    part_id = next(psu.part_id for psu in wiring.psus if psu.place == gravest)
    part = next(line.part for line in machine.lines(Category.PSU) if line.part.id == part_id)
    return _answer(status, message, load, part)


_SEVERE = {Status.PASS: 0, Status.NOTE: 1, Status.WARN: 2, Status.FAIL: 3}


def several(machine: RuleContext) -> bool:
    """Whether cards and board share out several PSUs with cables; redundant ones share a bus."""
    lines = machine.lines(Category.PSU)
    on_a_bus = fed_by_chassis(machine.build) or all(getattr(line.part.spec, "redundant", None) for line in lines)
    return machine.count(Category.PSU) > 1 and not on_a_bus


def _voltage(read: Reader, psu: Part) -> Answer:
    mains = read.machine.build.circuit.voltage_v
    limits: tuple[InputLimit, ...] | None = read.maybe(psu, "input_limits")
    if not limits:
        return _unstated_voltage(read, psu, mains)
    limit = input_limit(limits, mains)
    if limit is None:
        ranges = listed([tr("{from_v:.0f} to {to_v:.0f} V", from_v=one.from_v, to_v=one.to_v) for one in limits])
        fields = {"psu": psu.title, "ranges": ranges, "mains": mains}
        message = tr("{psu} is made for {ranges}; the mains are {mains:.0f} V.", **fields)
        return Answer(Status.FAIL, message, mains, min(one.from_v for one in limits), "V")
    power = float(read(psu, "power_w"))
    fields = {"psu": psu.title, "power_w": limit.power_w, "power": power, "mains": mains}
    message = tr("{psu} delivers {power_w:.0f} W of {power:.0f} W at {mains:.0f} V mains.", **fields)
    status = Status.PASS if limit.power_w >= NEARLY_ALL * power else Status.WARN
    return Answer(status, message, limit.power_w, power, "W")


def _unstated_voltage(read: Reader, psu: Part, mains: float) -> Answer:
    """Without a stated range the PSU's class decides: only large ones are made for 200 to 240 V alone."""
    if mains >= HIGH_LINE_V:
        fields = {"psu": psu.title, "mains": mains}
        message = tr("{psu} delivers its full power at {mains:.0f} V, as PSUs do above 200 V.", **fields)
        return Answer(Status.PASS, message)
    power = float(read(psu, "power_w"))
    if power > FULL_RANGE_W:
        raise read.give_up(psu, "input_limits")
    fields = {"psu": psu.title, "mains": mains, "full_range_w": FULL_RANGE_W}
    message = tr("{psu} delivers its full power at {mains:.0f} V, as PSUs up to {full_range_w:.0f} W do.", **fields)
    return Answer(Status.PASS, message, power, FULL_RANGE_W, "W")


def _cpu_rail(read: Reader, line: Line) -> Answer:
    machine = read.machine
    assert isinstance(line.part.spec, CpuSpec)
    read(read.board, "power_inputs")
    cpus = [(cpu.part, float(read(cpu.part, "sustained_power_w")), cpu.quantity) for cpu in machine.lines(Category.CPU)]
    wiring = wired(read)
    kinds = [f.socket.kind for f in wiring.feeds if f.socket.part_id == read.board.id]
    plugs = kinds.count(EPS_8) + 0.5 * kinds.count(EPS_4)
    watts = fsum(power * count for _, power, count in cpus)
    easy, most = plugs * EPS_EASY_W, plugs * EPS_MOST_W
    if not plugs:
        return _without_eps(read, watts)
    message = tr(
        "{cpus} may draw {watts:.0f} W through {plug_words}, good for {easy:.0f} W at 6 A per contact.",
        cpus=trn("{count} CPU", "{count} CPUs", count=sum(count for _, _, count in cpus)),
        watts=watts,
        plug_words=_plug_words(kinds.count(EPS_8), kinds.count(EPS_4)),
        easy=easy,
    )
    if watts <= easy:
        return Answer(Status.PASS, message, watts, easy, "W")
    return Answer(Status.FAIL if watts > most else Status.WARN, message, watts, easy, "W")


def _without_eps(read: Reader, watts: float) -> Answer:
    """A board without EPS sockets is fed by its chassis; one that has some must get a plug."""
    board = read.board
    if not any(socket.kind in (EPS_8, EPS_4) for socket in read(board, "power_inputs")):
        return Answer(Status.PASS, tr("{board} takes no EPS plug: its chassis feeds the CPU.", board=board.title))
    message = tr("No EPS plug of the PSUs is left for {board}: {watts:.0f} W of the CPU are not fed.",
                 board=board.title, watts=watts)  # fmt: skip
    return Answer(Status.FAIL, message, watts, 0, "W")


def _plug_words(eights: int, fours: int) -> str:
    words = []
    if eights or not fours:
        words.append(trn("{count} EPS 8-pin plug", "{count} EPS 8-pin plugs", count=eights))
    if fours:
        words.append(trn("{count} EPS 4-pin plug", "{count} EPS 4-pin plugs", count=fours))
    return listed(words)


def _first_cpu(machine: RuleContext) -> list[Line]:
    """One question, unless a chassis feeds the board."""
    return list(machine.lines(Category.CPU)[:1]) if plugs_feed_board(machine.build) else []


def _board_aux(read: Reader, machine: RuleContext) -> Answer:
    read(read.board, "power_inputs")
    wiring = wired(read)
    drawing = _drawing(machine)
    watts = SLOT_12V_W * drawing
    aux = [f.socket for f in wiring.feeds if f.socket.part_id == read.board.id and f.socket.kind in (PCIE_6, PCIE_8)]
    able = MAIN_12V_W + fsum(PLUG_W[socket.kind] for socket in aux)
    if aux:
        plugs = trn("{count} auxiliary plug", "{count} auxiliary plugs", count=len(aux))
        through = tr("the 24-pin plug and {plugs}", plugs=plugs)
    else:
        through = tr("the 24-pin plug alone")
    message = tr(
        "{cards} may draw {watts:.0f} W on 12 V from the slots; about {able:.0f} W come through {through}.",
        cards=trn("{count} card", "{count} cards", count=drawing),
        watts=watts,
        through=through,
        able=able,
    )
    if watts <= able:
        return Answer(Status.PASS, message, watts, able, "W")
    inputs = [plug_kind(row.kind) for row in read(read.board, "power_inputs")]
    read(read.board, "slots")
    has = any(kind in (PCIE_6, PCIE_8) for kind in inputs)
    if has and not aux:
        hint = tr("Feed the board's auxiliary input.")
    else:
        hint = tr("See the board's manual; powered risers help.")
    status = Status.WARN if drawing > 3 and not aux else Status.NOTE
    return Answer(status, joined([message, hint]), watts, able, "W")


def _drawing(machine: RuleContext) -> int:
    """GPUs that take power from a slot of the board: all but those on powered risers and carriers, and in boxes; no
    more than it has slots."""
    fed = {feed.socket.slot for feed in machine.wiring.feeds if feed.socket.category is Category.RISER}
    powered = {one.number for one in machine.build.carriers if one.spec.powered or has_own_psu(one.spec)}
    carried = (
        sum(SlotNumber(card.slot or 0).carrier in powered and is_plugged(card.part) for card in machine.placed)
        if powered
        else 0
    )
    total = sum(line.quantity for line in machine.lines(Category.GPU) if is_plugged(line.part))
    slots = machine.board.spec.slots if machine.board and isinstance(machine.board.spec, MotherboardSpec) else None
    drawing = total - len(fed) - carried
    return drawing if slots is None else min(drawing, len(slots))


MEASURES_DEMAND = ("psu-power", "psu-balance", "psu-excursion")
"""Rules that measure what the PSUs have to deliver, W."""
_PSU = (Category.PSU,)
AGE_READS = ("psu.redundant", "psu.atx_version", "psu.cables", "psu.cables_incomplete", "psu.form_factor")
_BOARD_FED = (Category.PSU, Category.MOTHERBOARD)

PSU_RULES = (
    Rule(
        "psu-power",
        tr("PSU power"),
        tr(
            "Worst case, the limits of GPUs and CPUs + RAM, drives, fans <= rating; fails if even its low "
            "end is above it; training <= 80 % for running 24/7, of PSUs not made to ATX 3 the worst case, too: they "
            "trip on power peaks, above 450 W they have no 16-pin plug; redundant PSUs must cope with one missing."
        ),
        "the parts' rated limits; 80 % is a convention",
        _power,
        _PSU,
        reads=(*PSU_READS, *AGE_READS),
        fixes=(Move.LIMIT_POWER, STRONGER_PSU, Move.SECOND_PSU, Move.STRONGER_PSUS, Move.FEWER_CARDS),
    ),
    Rule(
        "psu-balance",
        tr("Load of each PSU"),
        tr(
            "All of a card on one PSU: worst case of each PSU <= its rating, training <= 80 % of it for running "
            "24/7, of PSUs not made to ATX 3 the worst case, too; fails if even the low end of the worst case is above "
            "the rating."
        ),
        "the PSUs' ratings; 80 % is a convention",
        _balance,
        _PSU,
        subjects=only_if(several, tr("One PSU, or redundant ones on a common bus.")),
        reads=all_of(PSU_READS, WIRING_READS, AGE_READS),
        fixes=(Move.SHARE_OUT, Move.LIMIT_POWER, STRONGER_PSU, Move.SECOND_PSU, Move.STRONGER_PSUS, Move.FEWER_CARDS),
    ),
    Rule(
        "psu-voltage",
        tr("PSU at the mains voltage"),
        tr(
            "The mains voltage is in a range that the PSU is made for. Many above 1300 W deliver "
            "their full power only above 180 to 200 V, and some start only there."
        ),
        "the PSU's data sheet",
        _voltage,
        _PSU,
        subjects=parts_of(Category.PSU),
        reads=("psu.power_w", "psu.input_limits"),
        fixes=(Move.ANOTHER_CIRCUIT, OTHER_PSU),
    ),
    Rule(
        "cpu-rail",
        tr("CPU power plugs"),
        tr(
            "Sustained power of the CPUs <= 288 W per EPS 8-pin plug (6 A on four contacts); "
            "beyond 384 W (8 A) it fails."
        ),
        "Intel ATX 3.0 design guide, 2.2.1: 6 to 8 A per contact; table 2-1: 26 A, 39 A peak for a CPU of 125 W",
        _cpu_rail,
        (*_BOARD_FED, Category.CPU),
        subjects=Subjects(_first_cpu, tr("The chassis feeds the CPUs.")),
        reads=WIRING_READS,
        fixes=(OTHER_PSU, OTHER_CPU),
    ),
    Rule(
        "board-aux-power",
        tr("Power through the board's slots"),
        tr("66 W on 12 V per card <= 144 W of the 24-pin plug + auxiliary inputs of the board."),
        "PCIe CEM for the slot; what a board takes through the 24-pin is not confirmed",
        _board_aux,
        _BOARD_FED,
        subjects=only_if(
            lambda machine: plugs_feed_board(machine.build) and _drawing(machine),
            tr("No card draws from a slot fed by cables."),
        ),
        confirmed=False,
        gravest=Status.WARN,
        reads=(*WIRING_READS, "motherboard.slots"),
        fixes=(Move.PUT_ON_RISER, OTHER_BOARD, Move.FEWER_CARDS),
    ),
)
