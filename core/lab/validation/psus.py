"""Measured PSUs and machines: what they lose, what they draw at the wall, how fast a PSU's fan turns."""

from collections.abc import Iterator
from dataclasses import replace

from core.lab.validation.cards import STATED_W
from core.lab.validation.cases import Measured
from core.lab.validation.facts import Facts
from core.parts import specs
from core.parts.part import Part, Source
from core.parts.vocabulary import Category, GpuCooling, StorageKind
from core.plan.build import Build
from core.plan.line import Line
from core.predict.band import Band
from core.predict.components import Component, dc_power
from core.predict.conditions import LoadCase
from core.predict.noise.sources import psu_fan_rpm
from core.predict.power import predict_power
from core.predict.psu import wall_power
from core.words import tr

EITHER_V = (115.0, 230.0)
"""Mains where nobody says which."""
MOST_LOAD = 1.5
"""Of the rating: no PSU bears more for long."""

NO_LOAD = tr("it gives no load in W of DC power or per cent of a known rating")
NO_PSU = tr("it names no PSU of known rating and efficiency")
NO_SPEEDS = tr("how the PSU's fan follows the load is known from this case only")


def efficiency(case: Measured, part: Part | None) -> Band | str:
    """DC over wall power, per cent."""
    spec = psu(case, part)
    if spec is None:
        return NO_PSU
    watts = output_w(case, spec)
    if watts is None:
        return NO_LOAD
    wall = at_wall(case, spec, Band(watts, watts, watts, "W"))
    return Band(100 * watts / wall.high, 100 * watts / wall.expected, 100 * watts / wall.low, "%")


def fan_rpm(case: Measured, part: Part | None) -> Band | str:
    """Speed of a PSU's fan, where the part tells how it follows the load."""
    spec = psu(case, part)
    if spec is None or not spec.fan_speeds:
        return NO_SPEEDS
    watts = output_w(case, spec)
    if watts is None:
        return NO_LOAD
    rpm = psu_fan_rpm(spec, watts)
    return Band(0.9 * rpm, rpm, 1.1 * rpm, "rpm")


def psu(case: Measured, part: Part | None) -> specs.PsuSpec | None:
    """The catalogue's, else one by the rating in its name and its 80 PLUS level; its rating is known."""
    if part is not None:
        spec = part.spec
        return spec if isinstance(spec, specs.PsuSpec) and spec.power_w else None
    rated_w, level = case.facts.psu_w, case.facts.psu_level
    return specs.PsuSpec(power_w=rated_w, efficiency_level=level) if rated_w and level else None


def output_w(case: Measured, spec: specs.PsuSpec) -> float | None:
    """The direct current that a case tells, in W or in per cent of the rating."""
    rated_w, load_pct = spec.power_w or 0.0, case.facts.psu_load_pct
    watts = case.facts.dc_w
    if watts is None and load_pct is not None:
        watts = load_pct / 100 * rated_w
    if watts is None:
        return None
    return watts if 0 < watts <= MOST_LOAD * rated_w else None


def at_wall(case: Measured, spec: specs.PsuSpec | None, dc: Band) -> Band:
    """W at the stated mains voltage, else between both that are usual."""
    volts = (case.facts.mains_v,) if case.facts.mains_v else EITHER_V
    psus = ((_line("psu", spec), spec),) if spec else ()
    at_volts = [wall_power(psus, dc, each) for each in volts]
    middle = sum(band.expected for band in at_volts) / len(at_volts)
    return Band(min(band.low for band in at_volts), middle, max(band.high for band in at_volts), "W")


OPEN = 0.15
"""Half of a band over its middle: beyond it the parts that are named do not tell what the machine draws."""
TOO_FEW_PARTS = tr("it gives no DC power with a PSU, and no card and CPU with their watts")


def at_the_wall(case: Measured, part: Part | None) -> Band | str:
    """W at the wall, or why it stays open."""
    spec = psu(case, part)
    watts = output_w(case, spec) if spec else None
    if spec and watts is not None:
        return at_wall(case, spec, Band(watts, watts, watts, "W"))
    lines = tuple(_lines(case.facts))
    if not {Category.GPU, Category.CPU} <= {line.part.category for line in lines}:
        return TOO_FEW_PARTS
    band = at_wall(case, spec, _dc(case, lines))
    if band.width / 2 > OPEN * band.expected:
        return tr(
            "with the parts it names, its power may be anywhere from {low:.0f} to {high:.0f} W",
            low=band.low,
            high=band.high,
        )
    return band


def _lines(facts: Facts) -> Iterator[Line]:
    """The parts that are named with their watts, and what no machine is without."""
    for place, named in enumerate(facts.parts):
        if named.category is Category.CPU:
            yield _line(f"cpu-{place}", specs.CpuSpec(tdp_w=named.watts, sustained_power_w=named.watts), named.count)
            yield _line(f"cooler-{place}", specs.CpuCoolerSpec(), named.count)
        else:
            spec = specs.GpuSpec(product="as named", cooling=GpuCooling.OPEN_AIR, power_limit_w=named.watts)
            yield _line(f"gpu-{place}", spec, named.count)
    yield _line("board", specs.MotherboardSpec(bmc=facts.server))
    yield _line("ram", specs.RamSpec(modules=facts.ram_modules))
    yield _line("drive", specs.StorageSpec(kind=StorageKind.NVME))
    yield _line("case", specs.CaseSpec())


def _line(name: str, spec: specs.Spec, count: int = 1) -> Line:
    return Line(Part(id=name, maker="As", name="named", spec=spec, sources=(Source(title="case"),)), count)


def _dc(case: Measured, lines: tuple[Line, ...]) -> Band:
    """What all parts draw under the load of the case."""
    load = case.facts.load
    limits_w = {line.part.id: line.quantity * (line.limit_w or 0.0) for line in lines}
    parts = predict_power(Build(name="case", lines=lines)).components
    return dc_power(tuple(_drawing(part, case, load, limits_w[part.part_id]) for part in parts), load)


def _drawing(part: Component, case: Measured, load: LoadCase, limit_w: float) -> Component:
    """Cards whose board power is told draw that; processors and memory rest beside a load on the cards alone."""
    cards = part.category is Category.GPU
    if cards and load in (LoadCase.TRAINING, LoadCase.EVERYTHING) and case.facts.board_power_told:
        return replace(part, dc_w={load: Band(limit_w, limit_w, limit_w, "W").times(*STATED_W)})
    if not cards and load is LoadCase.TRAINING and case.facts.cards_alone:
        return replace(part, dc_w={load: part.dc_w[LoadCase.IDLE]})
    return part
