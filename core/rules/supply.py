"""Power supplies: steady load, peaks, mains voltage."""

from __future__ import annotations

from math import fsum

from core.build.build import Line
from core.parts.part import Part
from core.parts.specs import Excursion, InputLimit
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.load import Load
from core.predict.psu import HIGH_LINE_V
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of
from core.rules.words import count_of

CONTINUOUS_SHARE = 0.8
"""Target for running day and night."""
EXCURSION_MS = 1.0
EXCURSION_DEFAULT = 1.6
"""1 ms peak over power limit of cards without a figure: 1.43 to 1.7 were measured on RTX 3090, 4090 and 5090."""
COINCIDENCE = 0.7
"""Share of all cards' peaks that meet: data-parallel steps run in lockstep, so well above independence."""
PSU_PEAK_1MS = {"3": 1.8, "2": 1.45}
"""Peak over rating for 1 ms that ATX 3.x and 2.x ask of a supply (Intel guide 613768, table 3-3)."""


def needed(read: Reader, load: Load) -> Band:
    """The predicted DC power; unknown limits of GPUs and CPUs end the question, lesser figures widen the band."""
    machine = read.machine
    read.all(*((line.part, "power_limit_w") for line in machine.lines(Category.GPU)))
    read.all(*((line.part, "max_power_w") for line in machine.lines(Category.CPU)))
    band = machine.power.dc_w[load]
    read.lacking(band.missing)
    return band


def rated(read: Reader) -> float:
    """Output of all supplies at the mains voltage of the build, W."""
    lines = read.machine.lines(Category.PSU)
    read.all(*((line.part, "power_w") for line in lines))
    return fsum(output_w(read, line.part) * line.quantity for line in lines)


def output_w(read: Reader, psu: Part) -> float:
    """Output of one supply at the mains voltage; its rating where no limit is stated."""
    power = float(read(psu, "power_w"))
    limit = _limit_at(read.maybe(psu, "input_limits") or (), read.machine.build.circuit.voltage_v)
    return min(power, limit.power_w) if limit else power


def _limit_at(limits: tuple[InputLimit, ...], mains_v: float) -> InputLimit | None:
    return next((limit for limit in limits if limit.from_v <= mains_v <= limit.to_v), None)


def _power(read: Reader, machine: Machine) -> Answer:
    band, limit = needed(read, Load.EVERYTHING), rated(read)
    share = band.expected / limit
    message = (
        f"All parts at their limits draw {band.expected:.0f} W ({band.low:.0f} to {band.high:.0f} W); "
        f"{count_of(machine.count(Category.PSU), 'PSU')} can deliver {limit:.0f} W: {100 * share:.0f} % load."
    )
    if share > 1:
        return Answer(Status.FAIL, message, band.expected, limit, "W")
    status = Status.WARN if share > CONTINUOUS_SHARE or band.high > limit else Status.PASS
    return Answer(status, message, band.expected, limit, "W")


def _excursion(read: Reader, machine: Machine) -> Answer:
    steady, limit = needed(read, Load.EVERYTHING), rated(read)
    lines = machine.lines(Category.GPU)
    excess = fsum(_excess_w(read, line) for line in lines)
    peak = steady.expected + COINCIDENCE * excess
    factor = min(_peak_factor(read, line.part) for line in machine.lines(Category.PSU))
    allowed = factor * limit
    message = (
        f"For {EXCURSION_MS:g} ms the cards may draw {COINCIDENCE * excess:.0f} W on top, {peak:.0f} W in all; "
        f"the supplies bear {allowed:.0f} W ({100 * factor:.0f} % of rating). Assumed: {100 * COINCIDENCE:.0f} % of "
        f"the cards' peaks meet, and cards without a figure peak at {EXCURSION_DEFAULT:g} times their limit."
    )
    return Answer(Status.PASS if peak <= allowed else Status.WARN, message, peak, allowed, "W")


def _excess_w(read: Reader, line: Line) -> float:
    rows: tuple[Excursion, ...] = read(line.part, "excursions")
    short = [row for row in rows if row.window_ms <= 5 * EXCURSION_MS]
    factor = max((row.factor for row in short), default=EXCURSION_DEFAULT)
    return float(line.quantity * read(line.part, "power_limit_w") * max(factor - 1, 0))


def _peak_factor(read: Reader, psu: Part) -> float:
    version = read.maybe(psu, "atx_version")
    return PSU_PEAK_1MS.get(str(version)[:1], PSU_PEAK_1MS["2"])


def _voltage(read: Reader, psu: Part) -> Answer:
    mains = read.machine.build.circuit.voltage_v
    if mains >= HIGH_LINE_V and read.maybe(psu, "input_limits") is None:
        return Answer(Status.PASS, f"{psu.title} gives its full power at {mains:.0f} V, as supplies do above 200 V.")
    power, limits = read.all((psu, "power_w"), (psu, "input_limits"))
    limit = _limit_at(limits, mains)
    if limit is None:
        return Answer(Status.WARN, f"{psu.title} is not specified for {mains:.0f} V mains.", 0, power, "W")
    message = f"{psu.title} gives {limit.power_w:.0f} W of {power:.0f} W at {mains:.0f} V mains."
    return Answer(Status.PASS if limit.power_w >= power else Status.WARN, message, limit.power_w, power, "W")


def _several(read: Reader, machine: Machine) -> Answer:
    count = machine.count(Category.PSU)
    read.about(*(line.part for line in machine.lines(Category.PSU)))
    if count == 1:
        return Answer(Status.PASS, "One PSU: nothing to synchronise.", 1, unit="PSUs")
    message = (
        f"{count} PSUs must start together and share their ground; feed each card, and its powered riser, "
        f"from one of them only."
    )
    return Answer(Status.NOTE, message, count, unit="PSUs")


_PSU = (Category.PSU,)
_INTEL = "Intel ATX 3.0 Multi Rail Design Guide 613768, table 3-3"

SUPPLY_RULES = (
    Rule(
        "psu-power",
        "Power of the supplies",
        "Sum of the limits of GPUs and CPUs + RAM, drives, fans <= rating; up to 80 % for running day and night.",
        "the parts' rated limits; 80 % is a convention",
        _power,
        _PSU,
    ),
    Rule(
        "psu-excursion",
        "Power peaks",
        "Steady power + 0.7 x sum of (peak - limit) of the GPUs <= 1 ms peak of the supplies.",
        _INTEL,
        _excursion,
        (Category.PSU, Category.GPU),
        confirmed=False,
    ),
    Rule(
        "psu-voltage",
        "PSU at the mains voltage",
        "Many supplies above 1300 W give their full power only above 180 to 200 V.",
        "the PSU's data sheet",
        _voltage,
        _PSU,
        subjects=parts_of(Category.PSU),
    ),
    Rule(
        "psu-several",
        "Several PSUs",
        "Synchronised start, common ground, one supply per card.",
        "practice of builders with several supplies, not confirmed",
        _several,
        _PSU,
        confirmed=False,
    ),
)
