"""The wall socket, the cord and the UPS against the predicted draw."""

from __future__ import annotations

from core.build.edits import SetDetails
from core.build.mains import CIRCUITS, Circuit
from core.parts.part import Part
from core.parts.vocabulary import Category, Inlet
from core.predict.band import Band
from core.predict.load import Load
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of
from core.rules.supply import needed

INLET_A = {Inlet.C14: 10.0, Inlet.C20: 16.0}
INLET_NA_A = {Inlet.C14: 15.0, Inlet.C20: 20.0}
"""IEC 60320 ratings, and what UL allows in North America."""


def _wall(read: Reader, load: Load) -> Band:
    """The predicted wall power; limits of GPUs, CPUs and supplies must be known."""
    needed(read, load)
    read.all(*((line.part, "power_w") for line in read.machine.lines(Category.PSU)))
    band = read.machine.power.wall_w[load]
    read.lacking(band.missing)
    return band


def _circuit(read: Reader, machine: Machine) -> Answer:
    circuit = machine.build.circuit
    band = _wall(read, Load.TRAINING)
    limit = circuit.continuous_w
    message = (
        f"Training draws {band.expected:.0f} W at the wall ({band.low:.0f} to {band.high:.0f} W); "
        f"{circuit.title} carries {limit:.0f} W for hours, with nothing else on it."
    )
    if band.high <= limit:
        return Answer(Status.PASS, message, band.high, limit, "W", source=circuit.source)
    fixes = _larger(machine, circuit, band.high)
    if band.expected <= limit:
        return Answer(Status.WARN, message, band.high, limit, "W", fixes=fixes, source=circuit.source)
    status = Status.FAIL if circuit.confirmed else Status.WARN
    return Answer(status, message, band.expected, limit, "W", fixes=fixes, source=circuit.source)


def _larger(machine: Machine, circuit: Circuit, watts: float) -> tuple[SetDetails, ...]:
    """The smallest circuit of the same country and voltage class that carries the load."""
    country = circuit.id.split("-")[0]
    better = [c for c in CIRCUITS if c.id.startswith(f"{country}-") and c.continuous_w >= watts]
    if not better:
        return ()
    chosen = min(better, key=lambda c: c.continuous_w)
    # Another voltage changes the draw, so the proposal is only made where it holds.
    moved = Machine(SetDetails(region=chosen.id).apply(machine.build))
    holds = moved.power.wall_w[Load.TRAINING].high <= chosen.continuous_w
    return (SetDetails(region=chosen.id),) if holds else ()


def _inlet(read: Reader, psu: Part) -> Answer:
    machine = read.machine
    inlet = read(psu, "inlet")
    _wall(read, Load.EVERYTHING)
    if inlet not in INLET_A:
        raise read.give_up(psu, "inlet")
    total = sum(read(line.part, "power_w") * line.quantity for line in machine.lines(Category.PSU))
    share = read(psu, "power_w") / total
    # An overloaded supply switches off; it never draws more than its rating asks for.
    asked = machine.power.dc_w[Load.EVERYTHING].expected
    borne = min(1.0, total / asked) if asked else 1.0
    current = machine.power.current_a[Load.EVERYTHING].expected * share * borne
    north = machine.build.region.startswith("us-")
    limit = (INLET_NA_A if north else INLET_A)[inlet]
    message = f"{psu.title} takes {current:.1f} A at full load through its {inlet} inlet, rated {limit:.0f} A."
    return Answer(Status.PASS if current <= limit else Status.FAIL, message, current, limit, "A")


def _ups(read: Reader, ups: Part) -> Answer:
    watts, volt_amperes = read.all((ups, "power_w"), (ups, "apparent_va"))
    band = _wall(read, Load.TRAINING)
    apparent = read.machine.power.apparent_va[Load.TRAINING]
    count = read.machine.quantity(ups)
    limit, limit_va = watts * count, volt_amperes * count
    message = (
        f"Training draws {band.expected:.0f} W and {apparent.expected:.0f} VA; {ups.title} carries {limit:.0f} W "
        f"and {limit_va:.0f} VA."
    )
    over = band.expected > limit or apparent.expected > limit_va
    tight = band.high > limit or apparent.high > limit_va
    status = Status.FAIL if over else Status.WARN if tight else Status.PASS
    return Answer(status, message, band.expected, limit, "W")


MAINS_RULES = (
    Rule(
        "mains-circuit",
        "Mains circuit",
        "Predicted wall power in training <= voltage x current x continuous share of the circuit.",
        "national rules for continuous loads",
        _circuit,
        (Category.PSU,),
    ),
    Rule(
        "mains-inlet",
        "Inlet of the PSU",
        "Current through a C14 inlet <= 10 A (North America 15 A), C20 <= 16 A (20 A).",
        "IEC 60320, UL 498",
        _inlet,
        (Category.PSU,),
        subjects=parts_of(Category.PSU),
    ),
    Rule(
        "ups",
        "UPS",
        "Predicted wall power <= W and apparent power <= VA of the UPS.",
        "the UPS's data sheet",
        _ups,
        subjects=parts_of(Category.UPS),
        nothing="No UPS in the build.",
    ),
)
