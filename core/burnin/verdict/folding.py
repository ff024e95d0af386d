"""Which reasons of a device belong together: rules that each take those of one cause, the weightiest cause first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from core.burnin.record.rows import Criterion, Event, EventLevel, Outcome, Reason, ResultStatus, StageResult, StageRow
from core.burnin.verdict.predicted import PRECISIONS
from core.burnin.verdict.recorded import rates_of
from core.burnin.verdict.speed import BETWEEN_DEVICES
from core.loads.evidence import Evidence
from core.phrasing import clock, count_of
from core.telemetry.device import Device
from core.telemetry.xid import xid


class Kind(StrEnum):
    """What a cause is, the weightiest first."""

    MACHINE = "machine"
    """Of the machine as a whole: an interruption, planned cards that are missing."""
    LOST = "lost"
    DIED = "dead_worker"
    GUARD = "guard"
    """The runner took the device out for its own sake: too hot, a fan that stands still."""
    MEMORY = "memory"
    WRONG_RESULTS = "wrong_results"
    XID = "xid"
    LINK = "link"
    HEAT = "heat"
    SLOW = "slow"
    STAGE = "stage"
    STOPPED = "stopped"
    PLAN = "plan"
    OTHER = "other"


ACTIONS: Mapping[Kind, str] = {
    Kind.LOST: "Seat card, riser and power cables anew and check the supply; swap the card if it is lost again.",
    Kind.DIED: "Burn in again; the worker's log in the data folder tells more.",
    Kind.GUARD: "Check fans, air flow and thermal paste of this card before it is loaded again.",
    Kind.MEMORY: "Reset the GPU and burn in again; replace the card if it has such an error again.",
    Kind.WRONG_RESULTS: "Burn in again; a card that computes wrongly twice is to be replaced.",
    Kind.LINK: "Check riser, slot, bridge and BIOS.",
    Kind.HEAT: "Check fans, air flow and thermal paste; compare with its neighbours.",
    Kind.SLOW: "Compare its power limit, clocks and temperature with those of its sisters.",
    Kind.PLAN: "Check power limit and settings against the plan; calibrate the plan if the machine is as it shall be.",
}
OUT: Mapping[str, tuple[Kind, str]] = {
    "lost": (Kind.LOST, "lost at {time}{where}"),
    "died": (Kind.DIED, "worker died at {time}{where}"),
    "guard": (Kind.GUARD, "stopped at {time}{where}: {message}"),
}
"""Kinds of events by which a device leaves the run, with the words for it."""
AT_ONCE_S = 5.0
"""What is told so shortly before a loss belongs to it: the Xid comes before the driver notices."""
MEMORY_METRICS = (
    "ecc_uncorrected", "ecc_corrected", "sram_uncorrected", "sram_worn", "remap_pending", "remap_failed",
    "remapped_uncorrected", "remapped_corrected", "retired_uncorrected", "retired_corrected", "retire_pending",
)  # fmt: skip
MEMORY_XIDS = ("48", "63", "64", "92", "94", "95", "140", "171", "172")
LINK_METRICS = (
    "pcie_replays", "aer_correctable", "aer_nonfatal", "aer_fatal", "nvlink_replays", "nvlink_recoveries", "nvlink_crc",
)  # fmt: skip
THERMAL = ("HwThermalSlowdown", "SwThermalSlowdown", "HwSlowdown")
"""The hardware halves clocks for heat and for power: it is told as heat only beside one of the others."""
OF_SPEED = (Criterion.SISTERS, Criterion.SPEED, Criterion.PLAN)
_GRAVITY = (Outcome.PASS, Outcome.WARN, Outcome.INCOMPLETE, Outcome.FAIL)


@dataclass(frozen=True, slots=True)
class Found:
    """A cause on one device. `what` follows its name: "lost at 0:40" after a blank, "2 wrong results" after a colon."""

    kind: Kind
    what: str
    reasons: tuple[Reason, ...]
    outcome: Outcome
    joint: str = ": "
    figure: float | None = None
    """Stands before `what`, and may differ among devices of which the same is said."""
    action: str = ""
    time_s: float | None = None
    stage: int | None = None


def stage_at(stages: Sequence[StageRow], time_s: float | None) -> StageRow | None:
    """The stage that went on then, or the next one after it."""
    began = [stage for stage in stages if stage.started_s is not None]
    ends = ((stage, float("inf") if stage.ended_s is None else stage.ended_s) for stage in began)
    return next((stage for stage, end_s in ends if time_s is not None and time_s <= end_s), None)


def during(stages: Sequence[StageRow], time_s: float) -> str:
    """ " during Verified GEMM"."""
    stage = stage_at(stages, time_s)
    return f" during {stage.title}" if stage else ""


class Case:
    """One device with the reasons that no cause has taken yet."""

    def __init__(
        self,
        device: Device,
        stages: Sequence[StageRow],
        results: Mapping[int, StageResult],
        events: Sequence[Event],
        reasons: Sequence[Reason],
    ) -> None:
        """`results` by number of the stage; all that is given is the device's own."""
        self.device = device
        self.stages = stages
        self.results = results
        self.events = events
        self.left = list(reasons)

    def take(self, wanted: Callable[[Reason], bool]) -> tuple[Reason, ...]:
        """The reasons that fit; no later cause has them."""
        taken = [reason for reason in self.left if wanted(reason)]
        self.left = [reason for reason in self.left if not wanted(reason)]
        return tuple(sorted(taken, key=lambda reason: -_GRAVITY.index(reason.outcome)))

    def has(self, wanted: Callable[[Reason], bool]) -> bool:
        """Whether one that is left fits."""
        return any(wanted(reason) for reason in self.left)

    def first(self, time_s: float | None) -> str:
        """ ", first at 0:31 during Verified GEMM", as far as it is known."""
        return "" if time_s is None else f", first at {clock(time_s)}{during(self.stages, time_s)}"

    def found(
        self, kind: Kind, what: str, reasons: tuple[Reason, ...], *, joint: str = ": ", time_s: float | None = None
    ) -> Found:
        """A cause with the usual advice; as grave as the gravest of its reasons, FAIL before there is a verdict."""
        known = [reason.time_s for reason in reasons if reason.time_s is not None]
        time_s = min(known, default=None) if time_s is None else time_s
        stage = stage_at(self.stages, time_s)
        numbers = [reason.stage for reason in reasons if reason.stage is not None]
        number = stage.number if stage else min(numbers, default=None)
        outcome = max((reason.outcome for reason in reasons), key=_GRAVITY.index, default=Outcome.FAIL)
        return Found(kind, what, reasons, outcome, joint, None, ACTIONS.get(kind, ""), time_s, number)


def found_on(case: Case, stopped_in: int | None = None) -> tuple[list[Found], tuple[Reason, ...]]:
    """All causes on a device, and what was not reached since the run was stopped in a stage of this number.

    Every reason that did not pass is in exactly one of them.
    """
    out = list(_out(case))
    unreached: tuple[Reason, ...] = ()
    if stopped_in is not None:
        unreached = case.take(lambda reason: _was_unreached(reason, stopped_in))
    return [*out, *(found for rule in RULES for found in rule(case))], unreached


def _was_unreached(reason: Reason, since: int) -> bool:
    is_stage = reason.criterion == Criterion.STAGE and reason.outcome is Outcome.INCOMPLETE
    return is_stage and reason.stage is not None and reason.stage >= since


def _out(case: Case) -> Iterator[Found]:
    """Lost, dead, or taken out: all that follows in later stages."""
    errors = [event for event in case.events if event.level is EventLevel.ERROR and event.kind in OUT]
    if not errors:
        return
    event = next((event for event in errors if event.kind == "lost"), errors[0])
    kind, words = OUT[event.kind]
    since, stage = event.time_s, stage_at(case.stages, event.time_s)
    number = stage.number if stage else len(case.stages)
    what = words.format(time=clock(since), where=during(case.stages, since), message=event.message.rstrip("."))
    not_run = sum(case.results[n].status is ResultStatus.NOT_RUN for n in case.results if n > number)
    later = f"; {count_of(not_run, 'later stage')} not run" if not_run else ""

    def follows(reason: Reason) -> bool:
        if reason.time_s is not None:
            return reason.time_s >= since - AT_ONCE_S
        return reason.stage is not None and reason.stage >= number

    joint = " " if kind is not Kind.DIED else ": "
    yield case.found(kind, what + later, case.take(follows), joint=joint, time_s=since)


def _memory(case: Case) -> Iterator[Found]:
    reasons = case.take(
        lambda r: (
            (r.criterion == Criterion.COUNTER and r.about in MEMORY_METRICS)
            or (r.criterion == Criterion.XID and r.about in MEMORY_XIDS)
        )
    )
    if reasons:
        counted = next((reason for reason in reasons if reason.about == "ecc_uncorrected"), None)
        told = count_of(int(counted.measured or 0), "uncorrectable memory error") if counted else _sentence(reasons[0])
        times = [reason.time_s for reason in reasons if reason.time_s is not None]
        yield case.found(Kind.MEMORY, told + case.first(min(times, default=None)), reasons)


def _wrong_results(case: Case) -> Iterator[Found]:
    counted = next((reason for reason in case.left if reason.criterion == Criterion.ERRORS), None)
    if counted is None:
        return

    def belongs(reason: Reason) -> bool:
        stage = case.results.get(-1 if reason.stage is None else reason.stage)
        wrong = reason.criterion == Criterion.STAGE and stage is not None and bool(stage.told(Evidence).errors)
        return reason is counted or (wrong and reason.outcome is Outcome.FAIL)

    told = count_of(int(counted.measured or 0), "wrong result") + case.first(counted.time_s)
    yield case.found(Kind.WRONG_RESULTS, told, case.take(belongs))


def _xids(case: Case) -> Iterator[Found]:
    """The first tells; others come with it."""
    reasons = case.take(lambda reason: reason.criterion == Criterion.XID)
    if reasons:
        first = min(reasons, key=lambda r: (-_GRAVITY.index(r.outcome), r.time_s or 0.0))
        known = xid(int(first.about)) if first.about.isdigit() else None
        told = f"Xid {known.number}: {known.title}" if known else _sentence(first)
        found = case.found(Kind.XID, told + case.first(first.time_s), reasons)
        yield replace(found, action=known.action if known else "")


def _link(case: Case) -> Iterator[Found]:
    reasons = case.take(
        lambda r: (
            r.criterion in (Criterion.LINK, Criterion.NVLINK, Criterion.TOGETHER)
            or (r.criterion == Criterion.COUNTER and r.about in LINK_METRICS)
        )
    )
    if reasons:
        yield case.found(Kind.LINK, _sentence(reasons[0]), reasons)


def _heat(case: Case) -> Iterator[Found]:
    """What is hot, throttles and is slow for it."""

    def thermal(reason: Reason) -> bool:
        return reason.criterion == Criterion.THROTTLING and reason.about in THERMAL[:2]

    throttled = case.has(thermal)

    def belongs(reason: Reason) -> bool:
        hotter = reason.criterion == Criterion.PLAN and reason.unit == "°C"
        slower = throttled and (reason.criterion in OF_SPEED or reason.about in THERMAL)
        return reason.criterion == Criterion.HEAT or thermal(reason) or slower or hotter

    if not throttled and not case.has(lambda reason: reason.criterion == Criterion.HEAT):
        return
    reasons = case.take(belongs)
    if throttled:
        share_pct = max(reason.measured or 0.0 for reason in reasons if thermal(reason))
        what = f"too hot: clocks were held back for {share_pct:.2g} % of the time under load"
    else:
        what = _sentence(next(reason for reason in reasons if reason.criterion == Criterion.HEAT))
    yield case.found(Kind.HEAT, what, reasons)


def _slow(case: Case) -> Iterator[Found]:
    """Slower than its sisters: in all work it is one cause, however many measurements tell of it."""
    if not case.has(lambda reason: reason.criterion == Criterion.SISTERS):
        return

    def belongs(reason: Reason) -> bool:
        return reason.criterion in OF_SPEED and (reason.criterion != Criterion.PLAN or reason.unit == "TFLOPS")

    reasons = case.take(belongs)
    sisters = [reason for reason in reasons if reason.criterion == Criterion.SISTERS]
    measured = sum(
        len(rates_of(case.results.get(stage.number))) for stage in case.stages if stage.kind not in BETWEEN_DEVICES
    )
    slower_pct = median(reason.measured or 0.0 for reason in sisters)
    everywhere = len(sisters) == measured > 1
    where = "in all work" if everywhere else f"in {len(sisters)} of {count_of(measured, 'measurement')}"
    what = f"is {slower_pct:.0f} % slower than the best card of its model {where}"
    yield case.found(Kind.SLOW, what, reasons, joint=" ")


def _stages(case: Case) -> Iterator[Found]:
    """What is said alike of several stages is said once."""
    alike: dict[tuple[Outcome, str], list[Reason]] = {}
    titles = {stage.number: stage.title for stage in case.stages}
    for reason in case.take(lambda reason: reason.criterion == Criterion.STAGE):
        told = reason.text.removeprefix(titles.get(-1 if reason.stage is None else reason.stage, "")).lstrip(": ")
        alike.setdefault((reason.outcome, told), []).append(reason)
    for (_, told), reasons in alike.items():
        text = _sentence(reasons[0]) if len(reasons) == 1 else f"{len(reasons)} stages: {told.rstrip('.')}"
        yield case.found(Kind.STAGE, text, tuple(reasons))


def _plan(case: Case) -> Iterator[Found]:
    """Each stage and figure by itself: cards that are off alike are told together."""
    reasons = case.take(lambda reason: reason.criterion == Criterion.PLAN)
    titles = {stage.number: stage.title for stage in case.stages}
    for reason in reasons:
        title = titles.get(-1 if reason.stage is None else reason.stage)
        if title is None or reason.measured is None or reason.limit is None:
            yield case.found(Kind.PLAN, _sentence(reason), (reason,))
            continue
        place, end = ("above", "at most") if reason.measured > reason.limit else ("below", "at least")
        what = f"{reason.about} in {title}" if reason.about in PRECISIONS else f"in {title}"
        text = f" {reason.unit} {what}, {place} the {reason.limit:.0f} {reason.unit} that the plan predicts {end}"
        yield replace(case.found(Kind.PLAN, text, (reason,)), figure=reason.measured)


def _others(case: Case) -> Iterator[Found]:
    for reason in case.take(lambda _: True):
        yield case.found(Kind.OTHER, _sentence(reason), (reason,))


def _sentence(reason: Reason) -> str:
    return reason.text.rstrip(".")


RULES = (_memory, _wrong_results, _xids, _link, _heat, _slow, _stages, _plan, _others)
