"""The power distribution units: mains and plug, an outlet for each PSU, and what they carry for hours."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import NamedTuple

from core.parts.part import Part
from core.parts.vocabulary import Category, Inlet, MainsOutlet, MainsPlug
from core.plan.mains import BY_ID
from core.plan.psus import PluggedPdu, plugged_pdus, psus_by_place
from core.plan.wiring.wire import WIRING_READS
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.power import WALL_READS, SupplyLoad
from core.rules.changes import OTHER_PDU, Change, Fewer, Move, OneMore
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.mains import inlet_a, psu_shares, psus, psus_wall
from core.rules.power_feed import wired
from core.rules.rule import WORST_CASE, Answer, Reader, Rule, Subjects, all_of, for_hours, parts_of
from core.rules.ups import SAME_VOLTAGE
from core.words import joined, listed, plain, tr, trn

PLUG_A: dict[MainsPlug, float] = {
    MainsPlug.NEMA_5_15: 15,
    MainsPlug.NEMA_5_20: 20,
    MainsPlug.NEMA_L5_20: 20,
    MainsPlug.NEMA_L5_30: 30,
    MainsPlug.NEMA_L6_20: 20,
    MainsPlug.NEMA_L6_30: 30,
    MainsPlug.SCHUKO: 16,
    MainsPlug.BS_1363: 13,
    MainsPlug.IEC_309_16: 16,
    MainsPlug.IEC_309_32: 32,
}
"""The socket that a plug is made for. A PDU with a C14 or C20 inlet takes whatever cord fits the wall."""
OUTLET_A: dict[MainsOutlet, float] = {
    MainsOutlet.NEMA_5_15: 15,
    MainsOutlet.NEMA_5_20: 20,
    MainsOutlet.NEMA_L6_20: 20,
    MainsOutlet.NEMA_L6_30: 30,
    MainsOutlet.SCHUKO: 16,
    MainsOutlet.BS_1363: 13,
}
_OF_CORD = {MainsOutlet.C13: Inlet.C14, MainsOutlet.C19: Inlet.C20}
"""The inlet at the other end of a cord for such an outlet, with the same rating."""


def _at_the_wall(read: Reader, pdu: Part) -> Answer:
    circuit = read.machine.build.circuit
    made_for, mains = float(read(pdu, "input_v")), circuit.voltage_v
    if abs(made_for - mains) > SAME_VOLTAGE * mains:
        fields: dict[str, object] = {"pdu": pdu.title, "made_for": made_for, "mains": mains}
        message = tr("{pdu} is made for {made_for:.0f} V; the mains are {mains:.0f} V.", **fields)
        return Answer(Status.FAIL, message, made_for, mains, "V")
    plug: MainsPlug = read(pdu, "inlet")
    plug_a = PLUG_A.get(plug)
    if plug is MainsPlug.OTHER:
        raise read.give_up(pdu, "inlet")
    if plug_a is None:
        message = tr("{pdu} takes any cord with a {plug} inlet at its end.", pdu=pdu.title, plug=plug)
        return Answer(Status.PASS, message, made_for, mains, "V")
    current_a = max(circuit.current_a, circuit.fuse_a or 0.0)
    fields = {"pdu": pdu.title, "plug": plug, "plug_a": plug_a, "current_a": current_a}
    plug_words = tr("{pdu} has a {plug} plug, of {plug_a:.0f} A; the circuit has {current_a:.0f} A", **fields)
    if plug_a > current_a:
        message = tr("{said}: no socket of such a circuit takes it.", said=plug_words)
        return Answer(Status.FAIL, message, plug_a, current_a, "A")
    if plug.nema is not BY_ID[read.machine.build.region].id.startswith(("us-", "jp-")):
        message = tr("{said}. Sockets of this region do not take such a plug: have it replaced.", said=plug_words)
        return Answer(Status.WARN, message, plug_a, current_a, "A")
    if plug_a < current_a and not (plug is MainsPlug.NEMA_5_15 and current_a <= PLUG_A[MainsPlug.NEMA_5_20]):
        message = tr("{said}: it needs a socket and a breaker of its own.", said=plug_words)
        return Answer(Status.WARN, message, plug_a, current_a, "A")
    return Answer(Status.PASS, tr("{said}.", said=plug_words), plug_a, current_a, "A")


class _Cord(NamedTuple):
    """A PSU that is plugged in: place, inlet, the current at full load, A."""

    place: int
    inlet: Inlet | None
    current_a: float


def _cords(read: Reader, one: PluggedPdu) -> list[_Cord]:
    """The hungriest first."""
    machine = read.machine
    shares = _shares(read)
    whole = machine.power.current_a[LoadCase.EVERYTHING].times(machine.power.psu_share(LoadCase.EVERYTHING)).expected
    units = psus_by_place(machine.build)
    parts = {line.part.id: line.part for line in machine.lines(Category.PSU)}
    cords = [_Cord(place, read.maybe(parts[units[place - 1][0]], "inlet"), whole * shares[place]) for place in one.psus]
    return sorted(cords, key=lambda cord: (-cord.current_a, cord.place))


def _shares(read: Reader) -> dict[int, float]:
    """The share of the load of each PSU, by its place."""
    psus_wall(read, LoadCase.EVERYTHING)
    if read.machine.count(Category.PSU) > 1:
        wired(read)
    return psu_shares(read.machine)


def _outlets(read: Reader, one: PluggedPdu) -> Answer:
    pdu, machine = one.part, read.machine
    rows, cords = read(pdu, "outlets"), _cords(read, one)
    free = [row.kind for row in rows for _ in range(row.count)]
    free.sort(key=lambda kind: (_outlet_a(machine, kind), kind))
    if len(cords) > len(free):
        message = tr(
            "{pdu} has {outlets}, {psus} need {number}.",
            pdu=pdu.title,
            outlets=trn("{count} outlet", "{count} outlets", count=len(free)),
            psus=psus(one.psus),
            number=len(cords),
        )
        return Answer(Status.FAIL, message, len(cords), len(free), "outlets")
    taken: list[tuple[int, MainsOutlet]] = []
    special = []
    for cord in cords:
        fitting = [kind for kind in free if _outlet_a(machine, kind) >= cord.current_a]
        plain_cord = [kind for kind in fitting if kind is not MainsOutlet.C13 or cord.inlet is Inlet.C14]
        if not plain_cord and cord.inlet is None and fitting:
            raise read.give_up(machine.line(psus_by_place(machine.build)[cord.place - 1][0]).part, "inlet")
        if not fitting:
            message = tr(
                "PSU {place} takes {current:.1f} A at full load; no outlet left on {pdu} carries that: {outlets}.",
                place=cord.place,
                current=cord.current_a,
                pdu=pdu.title,
                outlets=_carried(machine, free),
            )
            return Answer(Status.FAIL, message, cord.current_a, _outlet_a(machine, free[-1]), "A")
        kind = (plain_cord or fitting)[0]
        if not plain_cord:
            special.append(cord.place)
        free.remove(kind)
        taken.append((cord.place, kind))
    if not taken:
        return Answer(Status.NOTE, tr("No PSU is left to plug into {pdu}.", pdu=pdu.title))
    where = listed([tr("PSU {place} into {outlet}", place=place, outlet=kind) for place, kind in sorted(taken)])
    message = tr("On {pdu}: {where}.", pdu=pdu.title, where=where)
    if special:
        needs = trn(
            "{psus} has a C20 inlet and needs a cord from C14 to C19, which carries {limit:.0f} A.",
            "{psus} have C20 inlets and need cords from C14 to C19, which carry {limit:.0f} A.",
            psus=psus(tuple(sorted(special))),
            limit=_outlet_a(machine, MainsOutlet.C13),
            count=len(special),
        )
        return Answer(Status.WARN, joined([message, needs]), len(cords), len(taken), "outlets")
    return Answer(Status.PASS, message, len(cords), len(rows), "outlets")


def _outlet_a(machine: RuleContext, outlet: MainsOutlet) -> float:
    inlet = _OF_CORD.get(outlet)
    return OUTLET_A[outlet] if inlet is None else inlet_a(machine, inlet)


def _carried(machine: RuleContext, outlets: Iterable[MainsOutlet]) -> str:
    """C13 10 A, C19 16 A."""
    kinds = dict.fromkeys(outlets)
    return joined([plain("{kind} {limit:.0f} A", kind=kind, limit=_outlet_a(machine, kind)) for kind in kinds], ", ")


def _load(read: Reader, one: PluggedPdu) -> Answer:
    pdu, machine = one.part, read.machine
    if not one.psus:
        return Answer(Status.NOTE, tr("No PSU is left to plug into {pdu}.", pdu=pdu.title))
    limit = _continuous_a(read, one)
    shares = _shares(read)
    share = fsum(shares[place] for place in one.psus)
    power = machine.power
    training, worst = (
        power.current_a[load].times(share * power.psu_share(load)) for load in (LoadCase.TRAINING, LoadCase.EVERYTHING)
    )
    load = SupplyLoad(training, worst, limit)
    message = trn(
        "In training {psus} on {pdu}, circuit {circuit}, draws up to {training}, {worst_case} {worst}; it carries "
        "{limit:g} A for hours.",
        "In training {psus} on {pdu}, circuit {circuit}, draw up to {training}, {worst_case} {worst}; it carries "
        "{limit:g} A for hours.",
        psus=psus(one.psus),
        count=len(one.psus),
        pdu=pdu.title,
        circuit=one.circuit + 1,
        training=_amperes(training),
        worst_case=WORST_CASE,
        worst=_amperes(worst),
        limit=limit,
    )
    status = for_hours(load)
    if status is Status.PASS and (
        crowded := _crowded_bank(read, one, [worst.expected * (shares[p] / share if share else 0.0) for p in one.psus])
    ):
        return Answer(Status.WARN, joined([message, crowded.message]), crowded.measured, crowded.limit, "A")
    return Answer(status, message, training.expected, limit, "A")


def _amperes(band: Band) -> str:
    return tr("{expected:.1f} A ({low:.1f} to {high:.1f})", expected=band.expected, low=band.low, high=band.high)


def _continuous_a(read: Reader, one: PluggedPdu) -> float:
    stated = read.maybe(one.part, "continuous_a")
    if stated is not None:
        return float(stated)
    read(one.part, "inlet")
    return float(read(one.part, "current_a")) * one.spec.for_hours


def _crowded_bank(read: Reader, one: PluggedPdu, currents_a: list[float]) -> Answer | None:
    """What is too much for a breaker of the outlet banks, with the PSUs spread over them as evenly as can be."""
    banks, breaker_a = read.maybe(one.part, "bank_breakers"), read.maybe(one.part, "bank_breaker_a")
    if banks is None or breaker_a is None:
        return None
    loads = [0.0] * banks
    for current in sorted(currents_a, reverse=True):
        loads[loads.index(min(loads))] += current
    limit = breaker_a * one.spec.for_hours
    if max(loads) <= limit:
        return None
    fields = {"banks": banks, "breaker": breaker_a, "current": max(loads), "limit": limit}
    message = tr(
        "Spread over its {banks} breakers of {breaker:.0f} A, the fullest carries {current:.1f} A; {limit:.0f} A for "
        "hours are its limit.",
        **fields,
    )
    return Answer(Status.WARN, message, max(loads), limit, "A")


_NONE = tr("No PDU in the build.")
_SHEET = "the PDU's data sheet"
_OTHER: tuple[Change, ...] = (OTHER_PDU, Fewer(Category.PDU))
_LESS_LOAD: tuple[Change, ...] = (Move.LIMIT_POWER, OneMore(Category.PDU), OTHER_PDU, Fewer(Category.PDU))
_LOADS = all_of(WALL_READS, WIRING_READS)

PDU_RULES = (
    Rule(
        "pdu",
        tr("PDU at the circuit"),
        tr(
            "Rated voltage of the PDU = mains; its plug is made for sockets of the circuit: 15, 20 and 30 A plugs of "
            "NEMA do not go into each other's sockets, but 15 A into 20 A."
        ),
        "NEMA WD 6, IEC 60309, CEE 7/4, BS 1363",
        _at_the_wall,
        subjects=parts_of(Category.PDU, nothing=_NONE),
        reads=("pdu.input_v", "pdu.inlet"),
        fixes=(OTHER_PDU, Move.ANOTHER_CIRCUIT, Fewer(Category.PDU)),
    ),
    Rule(
        "pdu-outlets",
        tr("PDU outlets"),
        tr(
            "An outlet for each PSU that carries its current: C13 10 A (North America 15 A), C19 16 A (20 A), those of "
            "the wall by their rating. A PSU with a C20 inlet takes a C19."
        ),
        "IEC 60320, UL 498",
        _outlets,
        subjects=Subjects(lambda machine: plugged_pdus(machine.build), _NONE),
        reads=all_of(_LOADS, ("pdu.outlets", "pdu.current_a", "psu.inlet")),
        fixes=(OneMore(Category.PDU), *_OTHER),
    ),
    Rule(
        "pdu-load",
        tr("PDU load"),
        tr(
            "Current of the PSUs on a PDU with all GPUs at their limits <= its continuous rating (80 % of a NEMA "
            "plug); fails if even the low end with CPU and GPU at their limits at once is above it, too. PDUs take the "
            "circuits in turn, PSUs the PDUs of their circuit; each bank of outlets has a breaker."
        ),
        "NFPA 70 (NEC) 210.19; APC FAQ FA319189 on the breakers of 30 A PDUs; " + _SHEET,
        _load,
        subjects=Subjects(lambda machine: plugged_pdus(machine.build), _NONE),
        reads=all_of(
            _LOADS, ("pdu.continuous_a", "pdu.current_a", "pdu.inlet", "pdu.bank_breakers", "pdu.bank_breaker_a")
        ),
        fixes=_LESS_LOAD,
    ),
)
