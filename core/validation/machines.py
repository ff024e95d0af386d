"""Measured machines at the wall: from direct current and the supply, or from the parts that their words name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.build.build import Build, Line
from core.parts.part import Part, Source
from core.parts.specs import CaseSpec, CpuCoolerSpec, CpuSpec, GpuSpec, MotherboardSpec, RamSpec, Spec, StorageSpec
from core.parts.vocabulary import Category, GpuCooling, StorageKind
from core.predict.band import Band
from core.predict.components import Component, dc_power
from core.predict.conditions import LoadCase
from core.predict.power import predict_power
from core.validation.bench import STATED_W
from core.validation.cases import Measured
from core.validation.facts import PLAUSIBLE
from core.validation.figures import NUMBER
from core.validation.supplies import at_wall, output_w, supply

_PHRASES = re.compile(r"[,;+:]")
_COUNT = re.compile(r"^\s*(\d{1,2})\s*x\s")
_WATTS = re.compile(rf"({NUMBER}) w\b")
_CPU = re.compile(r"\b(?:xeons?|epyc|threadripper|ryzen|core i\d)\b")
_GPU = re.compile(r"\b(?:gpus?|rtx|gtx|titan|tesla|quadro)\b")
_MODULES = re.compile(r"\b\d{1,3} gb\b.*\b(?:ddr\d|r?dimms?)\b")
_SERVER = re.compile(r"server|supermicro|rack|thinkstation|precision")
_ALL = re.compile(r"cpu ?\+ ?gpu|gpu ?\+ ?cpu|cpus? and gpus?|gpus? and cpus?")
_CORES = re.compile(r"prime95|stress-ng|all cores")
_CARDS_ALONE = re.compile(r"gpu[-_ ]?burn")
"""Loads that leave processors and memory at rest."""
OPEN = 0.15
"""Half of a band over its middle: beyond it the parts that are named do not tell what the machine draws."""
TOO_FEW_PARTS = "it names no DC power with a PSU, and no card and processor with their watts"


def at_the_wall(case: Measured, part: Part | None) -> Band | str:
    """W at the wall, or why it stays open."""
    spec = supply(case, part)
    watts = output_w(case, spec) if spec else None
    if spec and watts is not None:
        return at_wall(case, spec, Band(watts, watts, watts, "W"))
    lines = tuple(_lines(case))
    if not {Category.GPU, Category.CPU} <= {line.part.category for line in lines}:
        return TOO_FEW_PARTS
    found = at_wall(case, spec, _dc(case, lines))
    if found.width / 2 > OPEN * found.expected:
        return f"the parts that it names leave its power open between {found.low:.0f} and {found.high:.0f} W"
    return found


def _lines(case: Measured) -> Iterator[Line]:
    """The parts that are named with their watts, and what no machine is without."""
    modules = None
    for place, phrase in enumerate(_PHRASES.split(case.configuration.lower())):
        count, watts = _COUNT.search(phrase), _watts(phrase)
        many = max(1, int(count[1])) if count else 1
        if _MODULES.search(phrase):
            modules = many
        elif watts and _CPU.search(phrase):
            yield _line(f"cpu-{place}", CpuSpec(tdp_w=watts, sustained_power_w=watts), many)
            yield _line(f"cooler-{place}", CpuCoolerSpec(), many)
        elif watts and _GPU.search(phrase):
            spec = GpuSpec(product="as named", cooling=GpuCooling.OPEN_AIR, power_limit_w=watts)
            yield _line(f"gpu-{place}", spec, many)
    yield _line("board", MotherboardSpec(bmc=bool(_SERVER.search(case.words))))
    yield _line("ram", RamSpec(modules=modules))
    yield _line("drive", StorageSpec(kind=StorageKind.NVME))
    yield _line("case", CaseSpec())


def _line(name: str, spec: Spec, count: int = 1) -> Line:
    return Line(Part(id=name, maker="As", name="named", spec=spec, sources=(Source(title="case"),)), count)


def _dc(case: Measured, lines: tuple[Line, ...]) -> Band:
    """What all parts draw under the load of the case."""
    load = _load(case)
    limits_w = {line.part.id: line.quantity * (line.limit_w or 0.0) for line in lines}
    parts = predict_power(Build(name="case", lines=lines)).components
    return dc_power(tuple(_drawing(part, case, load, limits_w[part.part_id]) for part in parts), load)


def _drawing(part: Component, case: Measured, load: LoadCase, limit_w: float) -> Component:
    """Cards whose board power is told draw that; processors and memory rest beside a load on the cards alone."""
    cards = part.category is Category.GPU
    if cards and load in (LoadCase.TRAINING, LoadCase.EVERYTHING) and "board power" in case.words:
        return replace(part, dc_w={load: Band(limit_w, limit_w, limit_w, "W").times(*STATED_W)})
    if not cards and load is LoadCase.TRAINING and _CARDS_ALONE.search(case.words):
        return replace(part, dc_w={load: part.dc_w[LoadCase.IDLE]})
    return part


def _load(case: Measured) -> LoadCase:
    condition = case.condition.lower()
    if "idle" in condition:
        return LoadCase.IDLE
    if _ALL.search(condition):
        return LoadCase.EVERYTHING
    return LoadCase.ALL_CORE if _CORES.search(condition) else LoadCase.TRAINING


def _watts(phrase: str) -> float | None:
    found = _WATTS.search(phrase)
    low, high = PLAUSIBLE["watts"]
    return watts if found and low <= (watts := float(found[1])) <= high else None
