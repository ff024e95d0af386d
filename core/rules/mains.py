"""The wall sockets and the cords against the predicted draw."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import NamedTuple

from core.parts.part import Part
from core.parts.vocabulary import Category, Inlet
from core.plan.mains import DEFAULT_REGION
from core.plan.psus import PluggedPdu, plugged_pdus
from core.plan.wiring.wire import WIRING_READS
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.power import WALL_READS, BoxDraw, SupplyLoad
from core.rules.changes import OTHER_PSU, Change, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.power_feed import cpus_by_tdp, needed, wired
from core.rules.psu import several
from core.rules.rule import WORST_CASE, Answer, Reader, Rule, Subjects, all_of, for_hours, only_if, parts_of, span
from core.words import clauses, listed, tr, trn

INLET_A = {Inlet.C14: 10.0, Inlet.C20: 16.0}
INLET_NA_A = {Inlet.C14: 15.0, Inlet.C20: 20.0}
"""IEC 60320 ratings, and what UL allows in North America."""
WIRES = ((10.0, tr("18 AWG (0.75 to 1 mm²)")), (13.0, "16 AWG (1.5 mm²)"), (16.0, "14 AWG"), (20.0, "12 AWG"))
"""What a cord carries, A."""


def wall(read: Reader, load: LoadCase) -> Band:
    """The predicted wall power; limits of GPUs, CPUs and PSUs must be known."""
    needed(read, load)
    return _at_wall(read, load)


def _at_wall(read: Reader, load: LoadCase) -> Band:
    read.each(Category.PSU, "power_w")
    band = read.machine.power.wall_w[load]
    read.lacking(band.missing)
    return band


def psu_shares(machine: RuleContext) -> dict[int, float]:
    """The share of the load of each PSU, by its place; by rating where it is not known how cards are fed."""
    psus = machine.wiring.psus
    unknown = any(figure.endswith((".cables", ".power_connectors")) for figure in machine.wiring.lacking)
    loads = {s.place: (s.power_w or 1.0) if unknown else s.load_w for s in psus}
    total = fsum(loads.values()) or 1.0
    return {place: load / total for place, load in loads.items()}


def psus_wall(read: Reader, load: LoadCase) -> Band:
    """What the machine's PSUs draw of it, without external boxes."""
    return wall(read, load).times(read.machine.power.psu_share(load))


def shared_in_turn(machine: RuleContext, sources: int) -> dict[int, tuple[tuple[int, ...], float]]:
    """By circuit or UPS, from 0: the places of its PSUs, which take them in turn, and their share of the load."""
    if sources == 1:
        return {0: (tuple(range(1, machine.count(Category.PSU) + 1)), 1.0)}
    shares = psu_shares(machine)
    places = {at: tuple(place for place in shares if (place - 1) % sources == at) for at in range(sources)}
    return {at: (on, fsum(shares[place] for place in on)) for at, on in places.items() if on}


class UsedCircuit(NamedTuple):
    """What is plugged into a circuit, from 0: the places of its PSUs, its external boxes, and their share of the
    load."""

    at: int
    psus: tuple[int, ...]
    boxes: tuple[BoxDraw, ...]
    share: float

    @property
    def plugged(self) -> str:
        """PSU 1 and box C1."""
        names = [tr("box C{number}", number=one.box.carrier.number) for one in self.boxes]
        return listed([*([psus(self.psus)] if self.psus else []), *names])

    def through(self, pdus: Iterable[PluggedPdu]) -> str:
        """What is plugged in, with the PDUs of the circuit: PSUs 1 and 3, through APC AP9559."""
        names = [one.part.title for one in pdus if one.circuit == self.at and one.psus]
        return tr("{plugged}, through {pdus}", plugged=self.plugged, pdus=listed(names)) if names else self.plugged


def used_circuits(machine: RuleContext) -> list[UsedCircuit]:
    """PSUs take the circuits in turn, then the external boxes with a PSU of their own."""
    circuits = len(machine.build.other_loads_w)
    shared = shared_in_turn(machine, circuits)
    draws, training = machine.power.boxes, LoadCase.TRAINING
    if not draws:
        return [UsedCircuit(at, on, (), share) for at, (on, share) in shared.items()]
    count, of_psus = machine.count(Category.PSU), machine.power.psu_share(training)
    whole = machine.power.wall_w[training].expected
    used = []
    for at in range(circuits):
        on, share = shared.get(at, ((), 0.0))
        here = tuple(one for place, one in enumerate(draws, count) if place % circuits == at)
        share = share * of_psus + fsum(one.wall_w[training].expected for one in here) / whole
        if on or here:
            used.append(UsedCircuit(at, on, here, share))
    return used


def _circuit(read: Reader, used: UsedCircuit) -> Answer:
    (at, on, plugged, share), machine = used, read.machine
    circuit, others = machine.build.circuit, machine.build.other_loads_w
    limit = max(0.0, circuit.continuous_w - others[at])
    by_tdp = cpus_by_tdp(read)
    load = SupplyLoad(_at_wall(read, LoadCase.TRAINING), machine.power.worst_case.wall_w, limit).times(share, limit)
    band, worst = load.training, load.worst
    beside_w = others[at]
    rest = tr("alongside {others:.0f} W of other loads", others=beside_w) if beside_w else tr("with nothing else on it")
    carries = tr("{circuit} carries {limit:.0f} W continuously, {rest}", circuit=circuit.title, limit=limit, rest=rest)
    draw = drawn(band, worst)
    fields = {"draw": draw, "carries": carries}
    sentence = (
        tr(
            "In unthrottled training {plugged} on circuit {circuit} draw {draw} together; {carries}",
            plugged=used.plugged,
            circuit=at + 1,
            **fields,
        )
        if plugged
        else trn(
            "In unthrottled training PSU {psus} on circuit {circuit} draws up to {draw}; {carries}",
            "In unthrottled training PSUs {psus} on circuit {circuit} draw up to {draw}; {carries}",
            psus=listed([str(place) for place in on]),
            count=len(on),
            circuit=at + 1,
            **fields,
        )
        if len(others) > 1
        else tr("Unthrottled training draws up to {draw}; {carries}", **fields)
    )
    sentence = tr("Circuit load: {load}. {told}", load=load.words, told=sentence)
    message = tr("{told}.", told=sentence)
    status = for_hours(load)
    if by_tdp and for_hours(load.at_most) is not status:
        raise read.give_up(by_tdp[0], "sustained_power_w")
    if status is not Status.FAIL:
        asked_w = worst.expected if band.high <= limit < worst.expected else band.high
        return Answer(status, message, asked_w, limit, "W", source=circuit.source)
    most = max(0.0, circuit.most_w - others[at])
    if (band.expected <= most and not circuit.confirmed) or _is_spreadable(machine):
        return Answer(Status.WARN, message, band.expected, limit, "W", source=circuit.source)
    if most > limit:
        fuse_a = circuit.fuse_a
        message = tr(
            "{told}, and its fuse of {fuse_a:.0f} A leaves {most:.0f} W.", told=sentence, fuse_a=fuse_a, most=most
        )
    return Answer(Status.FAIL, message, band.expected, limit, "W", source=circuit.source)


def _is_spreadable(machine: RuleContext) -> bool:
    """Whether several plugs may go to several circuits: nothing but what a new build begins with says otherwise."""
    build = machine.build
    begins = build.custom_circuit is None and (build.region, build.other_loads_w) == (DEFAULT_REGION, (0.0,))
    return begins and machine.count(Category.PSU) + len(machine.power.boxes) > 1


def psus(places: tuple[int, ...]) -> str:
    """PSUs 1 and 3."""
    return trn("PSU {places}", "PSUs {places}", places=listed([str(place) for place in places]), count=len(places))


def drawn(training: Band, worst: Band) -> str:
    """What a circuit is asked for at the wall: in training, and in the electrical worst case."""
    fields = {"training": span(training), "worst_case": WORST_CASE, "worst": span(worst)}
    return tr("{training} at the wall, {worst_case} {worst}", **fields)


def _share(read: Reader, machine: RuleContext) -> Answer:
    read.about(*(line.part for line in machine.lines(Category.PSU)))
    used, circuits = used_circuits(machine), len(machine.build.other_loads_w)
    count = machine.count(Category.PSU)
    if circuits > count + len(machine.power.boxes):
        message = tr(
            "{circuits} circuits for {psus}: {idle} of them feed nothing.",
            circuits=circuits,
            psus=trn("{count} PSU", "{count} PSUs", count=count),
            idle=circuits - count - len(machine.power.boxes),
        )
        return Answer(Status.WARN, message, circuits, count, "circuits")
    if circuits == 1:
        if machine.power.boxes:
            fields = {"plugged": used[0].plugged, "continuous_w": machine.build.circuit.continuous_w}
            message = tr("{plugged} on one circuit: together they have the same {continuous_w:.0f} W.", **fields)
            return Answer(Status.PASS, message)
        fields = {"number": count, "continuous_w": machine.build.circuit.continuous_w}
        message = tr(
            "{number} PSUs on one circuit add no capacity: together they have the same {continuous_w:.0f} W.", **fields
        )
        return Answer(Status.PASS, message)
    pdus = plugged_pdus(machine.build)
    plugging = clauses(
        [
            tr(
                "circuit {circuit} feeds {psus} ({share:.0f} % of the load)",
                circuit=one.at + 1,
                psus=one.through(pdus),
                share=100 * one.share,
            )
            for one in used
        ]
    )
    message = tr("Plug in like this: {plugging}. Check that these are different breakers.", plugging=plugging)
    return Answer(Status.NOTE, message, circuits, unit="circuits")


def _shared(machine: RuleContext) -> bool:
    """Whether there are several plugs or circuits."""
    return machine.count(Category.PSU) > 1 or len(machine.build.other_loads_w) > 1 or bool(machine.power.boxes)


def _current_a(read: Reader, psu: Part) -> float:
    """Through the cord of one such PSU, the most loaded, with everything at its limit, A."""
    machine = read.machine
    wall(read, LoadCase.EVERYTHING)
    rated_w, share = float(read(psu, "power_w")), _share_of(read, psu)
    # An overloaded PSU switches off; it never draws more than its rating asks for.
    asked_w = machine.power.dc_w[LoadCase.EVERYTHING].expected * share
    delivered = min(1.0, rated_w / asked_w) if asked_w else 1.0
    current = machine.power.current_a[LoadCase.EVERYTHING].expected
    if machine.power.boxes:
        current *= machine.power.psu_share(LoadCase.EVERYTHING)
    return float(current * share * delivered)


def _share_of(read: Reader, psu: Part) -> float:
    machine = read.machine
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "redundant")
    if several(machine):
        wired(read)
        shares = psu_shares(machine)
        return max(shares[wired_psu.place] for wired_psu in machine.wiring.psus if wired_psu.part_id == psu.id)
    total = fsum(read(line.part, "power_w") * line.quantity for line in machine.lines(Category.PSU))
    return float(read(psu, "power_w") / total)


def _inlet(read: Reader, psu: Part) -> Answer:
    inlet = read.maybe(psu, "inlet")
    current = _current_a(read, psu)
    if inlet is None and current <= (least := min(inlet_a(read.machine, one) for one in INLET_A)):
        fields = {"psu": psu.title, "current": current}
        message = tr("{psu} takes {current:.1f} A at full load, which any inlet carries.", **fields)
        return Answer(Status.PASS, message, current, least, "A")
    if inlet not in INLET_A:
        raise read.give_up(psu, "inlet")
    limit = inlet_a(read.machine, inlet)
    fields = {"psu": psu.title, "current": current, "inlet": inlet, "limit": limit}
    message = tr("{psu} takes {current:.1f} A at full load through its {inlet} inlet, rated {limit:.0f} A.", **fields)
    return Answer(Status.PASS if current <= limit else Status.FAIL, message, current, limit, "A")


def inlet_a(machine: RuleContext, inlet: Inlet) -> float:
    """What an inlet, and the cord for it, carries in the region of the build."""
    north = machine.build.region.startswith("us-")
    return (INLET_NA_A if north else INLET_A)[inlet]


def _cord(read: Reader, psu: Part) -> Answer:
    circuit = read.machine.build.circuit
    current = _current_a(read, psu)
    wire = next(((most, name) for most, name in WIRES if current <= most), None)
    draw = tr("{psu} takes {current:.1f} A at full load", psu=psu.title, current=current)
    if wire is None or current > circuit.current_a:
        limit = min(circuit.current_a, WIRES[-1][0])
        message = tr("{said}: more than plug or cord carry ({limit:.0f} A).", said=draw, limit=limit)
        return Answer(Status.WARN, message, current, limit, "A")
    most, name = wire
    if most == WIRES[0][0]:
        message = tr("{said}: any intact cord of {name} carries it.", said=draw, name=name)
        return Answer(Status.PASS, message, current, most, "A")
    fields = {"said": draw, "name": name, "most": most}
    message = tr(
        "{said}: it needs a cord of {name}, which carries {most:.0f} A; a thin one of 18 AWG carries 10 A.", **fields
    )
    return Answer(Status.NOTE, message, current, most, "A")


_PSU = (Category.PSU,)

_LESS_CURRENT: tuple[Change, ...] = (Move.LIMIT_POWER, Move.ONE_MORE_CIRCUIT, Move.ANOTHER_CIRCUIT, Move.FEWER_CARDS)

MAINS_RULES = (
    Rule(
        "mains-circuit",
        tr("Mains circuit"),
        tr(
            "Wall power of the PSUs on a circuit with all GPUs at their limits <= voltage x current x continuous share "
            "- other loads on it; fails if even the low end with CPU and GPU at their limits at once is above it, too. "
            "Where the current is only a recommendation, more than the branch's fuse carries fails. Several PSUs on "
            "the circuit that a new build begins with only warn: they may go to several."
        ),
        "national rules for continuous loads",
        _circuit,
        _PSU,
        subjects=Subjects(used_circuits),
        reads=all_of(WALL_READS, WIRING_READS),
        fixes=_LESS_CURRENT,
    ),
    Rule(
        "circuit-share",
        tr("PSUs and circuits"),
        tr("PSUs take the circuits in turn; two on one circuit share what it carries."),
        "definition",
        _share,
        _PSU,
        subjects=only_if(_shared, tr("One PSU on one circuit.")),
        gravest=Status.WARN,
        reads=all_of(WALL_READS, WIRING_READS, ("pdu.current_a",)),
        fixes=(Move.LIMIT_POWER, Move.ONE_MORE_CIRCUIT, Move.ANOTHER_CIRCUIT, Move.FEWER_CARDS),
    ),
    Rule(
        "mains-inlet",
        tr("PSU inlet"),
        tr("Current through a C14 inlet <= 10 A (North America 15 A), C20 <= 16 A (20 A)."),
        "IEC 60320, UL 498",
        _inlet,
        _PSU,
        subjects=parts_of(Category.PSU),
        reads=all_of(WALL_READS, WIRING_READS, ("psu.inlet", "psu.redundant")),
        fixes=(Move.LIMIT_POWER, OTHER_PSU, Move.SECOND_PSU, Move.FEWER_CARDS),
    ),
    Rule(
        "cord",
        tr("Cord and plug"),
        tr(
            "A cord carries what its weakest part does: plug, wire (18 AWG 10 A, 16 AWG 13 A, 14 "
            "AWG 16 A, 12 AWG 20 A) or connector (C13 10 A, North America 15 A; C19 16 A, 20 A)."
        ),
        "blogquail.com, overall rating of a power cord; IEC 60320, UL 498",
        _cord,
        _PSU,
        subjects=parts_of(Category.PSU),
        gravest=Status.WARN,
        reads=all_of(WALL_READS, WIRING_READS, ("psu.redundant",)),
        fixes=(Move.LIMIT_POWER, Move.ANOTHER_CIRCUIT, OTHER_PSU, Move.SECOND_PSU, Move.FEWER_CARDS),
    ),
)
