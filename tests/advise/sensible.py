"""What no suggested fix may be, whatever the machine."""

from collections.abc import Iterator

from core.advise.fix import Fix
from core.advise.suitability import CABLE_SHARE, YEARS, runs_at
from core.parts.part import Part
from core.parts.specs import CableSpec, PsuSpec
from core.parts.vocabulary import CaseKind, Category, EfficiencyLevel, Modularity
from core.plan.build import Build
from core.plan.card_edits import PutOnRisers
from core.plan.edits import AddPart, Edit, Several, SwapPart
from core.rules.finding import Finding, Status

RANKS = [None, *EfficiencyLevel]


def steps(edit: Edit) -> Iterator[Edit]:
    if isinstance(edit, Several):
        for one in edit.edits:
            yield from steps(one)
    else:
        yield edit


def new_parts(fix: Fix, category: Category) -> list[Part]:
    parts = [one.part for one in steps(fix.edit) if isinstance(one, (AddPart, SwapPart))]
    return [part for part in parts if part.category is category]


def assert_sensible(build: Build, finding: Finding, fix: Fix) -> None:
    """Fails with the title of a fix that nobody should be offered."""
    after = fix.edit.apply(build)
    _assert_psus(build, after, fix)
    _assert_cables(after, fix)
    _assert_risers(build, fix)
    if finding.status is Status.WARN:
        assert after.count(Category.GPU) >= build.count(Category.GPU), fix.title
    assert fix.sentence.startswith(fix.title)


def _assert_psus(build: Build, after: Build, fix: Fix) -> None:
    """All run at the mains; a new one is of the class of the old one, and no relic."""
    for line in after.of(Category.PSU) + after.of(Category.UPS):
        assert runs_at(after, line.part) or line in build.lines, fix.title
    newest = max((line.part.year or 0 for line in build.of(Category.GPU)), default=0)
    for swap in steps(fix.edit):
        old = build.line(swap.part_id) if isinstance(swap, SwapPart) else None
        if old is None or not isinstance(swap, SwapPart) or not isinstance(swap.part.spec, PsuSpec):
            continue
        before, now = old.part.spec, swap.part.spec
        assert isinstance(before, PsuSpec)
        assert swap.part.year is None or swap.part.year >= newest - YEARS, fix.title
        assert RANKS.index(now.efficiency_level) >= RANKS.index(before.efficiency_level), fix.title
        assert before.modular in (None, now.modular) or now.modular is Modularity.FULL, fix.title
        assert now.cables != () or before.cables == (), fix.title


def _assert_cables(after: Build, fix: Fix) -> None:
    """No stronger than the PSU, and none of another maker that plugs into it."""
    strongest = max((spec.power_w or 0 for _, spec in after.psus()), default=0)
    makers = {"Various", *(line.part.maker for line in after.of(Category.PSU))}
    for cable in new_parts(fix, Category.CABLE):
        assert isinstance(cable.spec, CableSpec)
        assert not strongest or (cable.spec.rated_w or 0) <= CABLE_SHARE * strongest, fix.title
        assert cable.maker in makers or not after.of(Category.PSU), fix.title


def _assert_risers(build: Build, fix: Fix) -> None:
    """Cards stand away from their slots in open frames, or where some do already."""
    problem = build.case
    on_risers = any(isinstance(one, PutOnRisers) and one.slots for one in steps(fix.edit))
    if on_risers and problem is not None and not any(line.risers for line in build.lines):
        assert problem[1].kind is CaseKind.OPEN_FRAME, fix.title
