"""One part of a template replaced by another of its category, everything computed: each answers, or is refused."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from core.assessment import Assessment
from core.parts.part import Part
from core.plan.build import Build
from core.plan.edits import SwapPart
from core.plan.file import dump_build
from core.platform.errors import RigwrightError
from core.present.picture.write import View, scene_of
from core.present.report.build_report import build_document
from core.present.report.write import html_bytes
from tests.shipped import shipped_of, templates


@dataclass(frozen=True, slots=True)
class Swap:
    """In which template which part makes room for which."""

    template: str
    old: str
    new: Part

    def __str__(self) -> str:
        return f"{self.template} {self.old} {self.new.id}"


@cache
def every_swap() -> tuple[Swap, ...]:
    """All of them, in a stable order."""
    return tuple(_swaps())


def _swaps() -> Iterator[Swap]:
    for name, build in templates().items():
        for line in build.lines:
            for part in shipped_of(line.part.category):
                if part.id != line.part.id:
                    yield Swap(name, line.part.id, part)


def sample(seed: int, count: int) -> list[Swap]:
    """Another part of them for each seed, spread over all templates and categories."""
    swaps = every_swap()
    step = max(1, len(swaps) // count)
    return [swaps[place] for place in range(seed % step, len(swaps), step)][:count]


def compute(swap: Swap) -> None:
    """All that commands and window tell of the changed build. A swap that is refused is an answer."""
    with suppress(RigwrightError):
        compute_all(SwapPart(swap.old, swap.new).apply(templates()[swap.template]))


def compute_all(build: Build) -> None:
    """Findings, prediction, price, speed, wiring, pictures, report and file of a build."""
    assessment = Assessment(build)
    assert assessment.findings
    assert assessment.answers
    assessment.prediction.as_dict()
    assessment.speed.as_dict()
    for view in View:
        scene_of(assessment, view)
    html_bytes(build_document(assessment))
    dump_build(build)
