"""What the machine asks of its PSUs, and what they give."""

from __future__ import annotations

from math import fsum

from core.parts.part import Part
from core.parts.specs import PsuSpec
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.rules.reader import Reader


def needed(read: Reader, load: LoadCase) -> Band:
    """The predicted DC power; unknown limits of GPUs and CPUs end the question, lesser figures widen the band."""
    machine = read.machine
    read.all(*((line.part, "power_limit_w") for line in machine.lines(Category.GPU)))
    read.all(*((line.part, "sustained_power_w") for line in machine.lines(Category.CPU)))
    return drawn(read, load)


def drawn(read: Reader, load: LoadCase) -> Band:
    """The predicted DC power as far as it is known; what widens its band is noted."""
    band = read.machine.power.dc_w[load]
    read.lacking(band.missing)
    return band


def rated(read: Reader) -> float:
    """Output of all PSUs at the mains voltage of the build, W."""
    lines = read.machine.lines(Category.PSU)
    read.all(*((line.part, "power_w") for line in lines))
    return fsum(output_w(read, line.part) * line.quantity for line in lines)


def output_w(read: Reader, psu: Part) -> float:
    """Output of one PSU at the mains voltage; its rating where no limit is stated."""
    power = float(read(psu, "power_w"))
    read.maybe(psu, "input_limits")
    assert isinstance(psu.spec, PsuSpec)
    return psu.spec.output_w(read.machine.build.circuit.voltage_v) or power


def cpus_by_tdp(read: Reader) -> list[Part]:
    """CPUs of which only the TDP is known: they may draw up to twice of it, which often decides nothing.

    Unknown limits of GPUs and CPUs of which not even that is known end the question.
    """
    read.all(*((line.part, "power_limit_w") for line in read.machine.lines(Category.GPU)))
    cpus = [line.part for line in read.machine.lines(Category.CPU)]
    by_tdp = [cpu for cpu in cpus if read.maybe(cpu, "sustained_power_w") is None]
    read.all(*((cpu, "sustained_power_w") for cpu in by_tdp if read.maybe(cpu, "tdp_w") is None))
    return by_tdp
