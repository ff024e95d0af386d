"""When each number format ran in a stage of products: the time for which its predicted rate can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.burnin.profile.profile import Profile
from core.burnin.record.evidence import PowerEvidence
from core.burnin.record.rows import StageResult, StageRow
from core.burnin.stages.sweep import hottest
from core.burnin.verdict.plan import SWEEP
from core.burnin.verdict.predicted import PRODUCTS
from core.loads.params import names_in
from core.loads.products.contract import GemmEvidence
from core.loads.products.turns import format_of


@dataclass(frozen=True, slots=True)
class FormatPeriod:
    """Products of one format without a memory stream beside them, in s since the start of the run."""

    name: str
    start_s: float
    end_s: float | None
    """None while it goes on."""


def format_periods(
    profile: Profile, stages: Sequence[StageRow], results: Mapping[int, StageResult], stage: StageRow, began_s: float
) -> Iterator[FormatPeriod]:
    """The formats of a stage on one device: `results` are its own by stage, `began_s` is when its load began.

    A stage that is over tells when each format ran. One that goes on is known where it has one format alone: the one
    that its profile names, or the hottest of the sweep before it. Everything else is left out: in the turns of a sweep
    that goes on, and beside a memory stream, a rate is not that of a prediction.
    """
    if stage.kind not in PRODUCTS or stage.started_s is None:
        return
    if (told := results.get(stage.number)) is not None:
        for name, (start_s, end_s) in (told.told(GemmEvidence).periods or {}).items():
            if name == format_of(name):
                yield FormatPeriod(name, began_s + start_s, began_s + end_s)
        return
    asked = names_in(str(profile.stages[stage.number].params.get("dtypes", "")))
    names = asked or (_hottest_before(stages, results, stage) if stage.kind != SWEEP else ())
    if len(names) == 1 and names[0] == format_of(names[0]) and stage.ended_s is None:
        yield FormatPeriod(names[0], began_s, None)


def _hottest_before(stages: Sequence[StageRow], results: Mapping[int, StageResult], stage: StageRow) -> tuple[str, ...]:
    sweeps = [one.number for one in stages if one.kind == SWEEP and one.number < stage.number]
    for number in reversed(sweeps):
        if number in results and (power_w := results[number].told(PowerEvidence).power_by_format_w):
            return tuple(hottest(power_w))
    return ()
