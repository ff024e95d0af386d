"""Which reasons of a device belong together: rules that each take those of one cause, the weightiest cause first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from core.burnin.record.rows import (
    Event,
    EventLevel,
    Outcome,
    Reason,
    ReasonCriterion,
    ResultStatus,
    StageResult,
    StageRow,
)
from core.burnin.verdict.predicted import PRECISIONS
from core.burnin.verdict.recorded import rates_of
from core.burnin.verdict.speed import BETWEEN_DEVICES
from core.language import Message, clause, tr, trn
from core.loads.evidence import RunEvidence
from core.phrasing import clock
from core.telemetry.device import Device
from core.telemetry.throttle import Severity
from core.telemetry.xid import xid


class CauseKind(StrEnum):
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


ACTIONS: Mapping[CauseKind, str] = {
    CauseKind.LOST: tr("Reseat card, riser and power cables and check the PSU; replace the card if it is lost again."),
    CauseKind.DIED: tr("Burn in again; see the worker's log in the data folder."),
    CauseKind.GUARD: tr("Check fans, airflow and thermal paste of this card before it is loaded again."),
    CauseKind.MEMORY: tr("Reset the GPU and burn in again; replace the card if it has such an error again."),
    CauseKind.WRONG_RESULTS: tr("Burn in again; replace a card that computes wrongly twice."),
    CauseKind.LINK: tr("Check riser, slot, bridge and BIOS."),
    CauseKind.HEAT: tr("Check fans, airflow and thermal paste; compare with the adjacent cards."),
    CauseKind.SLOW: tr("Compare its power limit, clocks and temperature with those of the other cards of its model."),
    CauseKind.PLAN: tr(
        "Check power limit and settings against the plan; calibrate the plan if the machine is as intended."
    ),
}
OUT: Mapping[str, CauseKind] = {"lost": CauseKind.LOST, "died": CauseKind.DIED, "guard": CauseKind.GUARD}
"""Kinds of events by which a device leaves the run."""
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
OF_LINKS = (ReasonCriterion.LINK, ReasonCriterion.NVLINK, ReasonCriterion.TOGETHER)
THERMAL = ("HwThermalSlowdown", "SwThermalSlowdown", "HwSlowdown")
"""The hardware halves clocks for heat and for power: it is told as heat only beside one of the others."""
OF_SPEED = (ReasonCriterion.PEERS, ReasonCriterion.SPEED, ReasonCriterion.PLAN)
_GRAVITY = (Outcome.PASS, Outcome.WARN, Outcome.INCOMPLETE, Outcome.FAIL)


@dataclass(frozen=True, slots=True)
class Found:
    """A cause on one device. `what` follows its name: "lost at 0:40" after a blank, "2 wrong results" after a colon."""

    kind: CauseKind
    what: str
    reasons: tuple[Reason, ...]
    outcome: Outcome
    colon: bool = True
    figure: float | None = None
    """Stands before `what`, and may differ among devices of which the same is said."""
    action: str = ""
    time_s: float | None = None
    stage: int | None = None

    def told(self, devices: str, figure: str) -> str:
        """The sentence, of one device or several of which the same is said; `figure` is "" where there is none."""
        if figure:
            return tr("{devices}: {figure} {finding}.", devices=devices, figure=figure, finding=self.what)
        if self.colon:
            return about(devices, self.what)
        return tr("{devices} {finding}.", devices=devices, finding=self.what)


def about(devices: str, finding: str) -> str:
    """ "GPU 1: 2 wrong results." """
    return tr("{devices}: {finding}.", devices=devices, finding=clause(finding))


def stage_at(stages: Sequence[StageRow], time_s: float | None) -> StageRow | None:
    """The stage that went on then, or the next one after it."""
    began = [stage for stage in stages if stage.started_s is not None]
    ends = ((stage, float("inf") if stage.ended_s is None else stage.ended_s) for stage in began)
    return next((stage for stage, end_s in ends if time_s is not None and time_s <= end_s), None)


def moment(stages: Sequence[StageRow], time_s: float) -> str:
    """ "0:40 during Verified GEMM"."""
    stage = stage_at(stages, time_s)
    return tr("{time} during {stage}", time=clock(time_s), stage=stage.title) if stage else clock(time_s)


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

    def first(self, what: str, time_s: float | None) -> str:
        """ "2 wrong results, first at 0:31 during Verified GEMM", as far as it is known."""
        if time_s is None:
            return what
        return tr("{finding}, first at {moment}", finding=clause(what), moment=moment(self.stages, time_s))

    def found(
        self,
        kind: CauseKind,
        what: str,
        reasons: tuple[Reason, ...],
        *,
        colon: bool = True,
        time_s: float | None = None,
    ) -> Found:
        """A cause with the usual advice; as grave as the gravest of its reasons, FAIL before there is a verdict."""
        known = [reason.time_s for reason in reasons if reason.time_s is not None]
        time_s = min(known, default=None) if time_s is None else time_s
        stage = stage_at(self.stages, time_s)
        numbers = [reason.stage for reason in reasons if reason.stage is not None]
        number = stage.number if stage else min(numbers, default=None)
        outcome = max((reason.outcome for reason in reasons), key=_GRAVITY.index, default=Outcome.FAIL)
        return Found(kind, what, reasons, outcome, colon, None, ACTIONS.get(kind, ""), time_s, number)


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
    is_stage = reason.criterion == ReasonCriterion.STAGE and reason.outcome is Outcome.INCOMPLETE
    return is_stage and reason.stage is not None and reason.stage >= since


def _out(case: Case) -> Iterator[Found]:
    """Lost, dead, or taken out: all that follows in later stages."""
    errors = [event for event in case.events if event.level is EventLevel.ERROR and event.kind in OUT]
    if not errors:
        return
    event = next((event for event in errors if event.kind == "lost"), errors[0])
    kind = OUT[event.kind]
    since, stage = event.time_s, stage_at(case.stages, event.time_s)
    number = stage.number if stage else len(case.stages)
    what = _left(kind, moment(case.stages, since), event.message)
    not_run = sum(case.results[n].status is ResultStatus.NOT_RUN for n in case.results if n > number)
    if not_run:
        what = trn(
            "{finding}; {count} later stage not run",
            "{finding}; {count} later stages not run",
            finding=what,
            count=not_run,
        )

    def follows(reason: Reason) -> bool:
        if reason.time_s is not None:
            return reason.time_s >= since - AT_ONCE_S
        return reason.stage is not None and reason.stage >= number

    yield case.found(kind, what, case.take(follows), colon=kind is CauseKind.DIED, time_s=since)


def _left(kind: CauseKind, when: str, message: str) -> str:
    """How a device left the run."""
    if kind is CauseKind.LOST:
        return tr("lost at {moment}", moment=when)
    if kind is CauseKind.DIED:
        return tr("worker died at {moment}", moment=when)
    return tr("stopped at {moment}: {reason}", moment=when, reason=clause(message))


def _memory(case: Case) -> Iterator[Found]:
    reasons = case.take(
        lambda r: (
            (r.criterion == ReasonCriterion.COUNTER and r.about in MEMORY_METRICS)
            or (r.criterion == ReasonCriterion.XID and r.about in MEMORY_XIDS)
        )
    )
    if reasons:
        counted = next((reason for reason in reasons if reason.about == "ecc_uncorrected"), None)
        told = reasons[0].text
        if counted:
            count = int(counted.measured or 0)
            told = trn("{count} uncorrectable memory error", "{count} uncorrectable memory errors", count=count)
        times = [reason.time_s for reason in reasons if reason.time_s is not None]
        yield case.found(CauseKind.MEMORY, case.first(told, min(times, default=None)), reasons)


def _wrong_results(case: Case) -> Iterator[Found]:
    counted = next((reason for reason in case.left if reason.criterion == ReasonCriterion.ERRORS), None)
    if counted is None:
        return

    def belongs(reason: Reason) -> bool:
        stage = case.results.get(-1 if reason.stage is None else reason.stage)
        wrong = reason.criterion == ReasonCriterion.STAGE and stage is not None and bool(stage.told(RunEvidence).errors)
        return reason is counted or (wrong and reason.outcome is Outcome.FAIL)

    told = trn("{count} wrong result", "{count} wrong results", count=int(counted.measured or 0))
    yield case.found(CauseKind.WRONG_RESULTS, case.first(told, counted.time_s), case.take(belongs))


def _xids(case: Case) -> Iterator[Found]:
    """The first tells; others come with it."""
    reasons = case.take(lambda reason: reason.criterion == ReasonCriterion.XID)
    if reasons:
        first = min(reasons, key=lambda r: (-_GRAVITY.index(r.outcome), r.time_s or 0.0))
        known = xid(int(first.about)) if first.about.isdigit() else None
        if known and known.by_program and first.outcome is Outcome.WARN and known.severity is Severity.FAIL:
            known = None  # another program's: what is known of the number speaks of our loads
        told = tr("Xid {number}: {title}", number=known.number, title=known.title) if known else first.text
        found = case.found(CauseKind.XID, case.first(told, first.time_s), reasons)
        yield replace(found, action=known.action if known else "")


def _link(case: Case) -> Iterator[Found]:
    """All but the speed of a link that is no slower than its card is in all work."""
    slower_pct = _in_all_work(case)
    reasons = case.take(
        lambda r: (
            (r.criterion in OF_LINKS and not (r.criterion == ReasonCriterion.LINK and _as_slow(r, slower_pct)))
            or (r.criterion == ReasonCriterion.COUNTER and r.about in LINK_METRICS)
        )
    )
    if reasons:
        yield case.found(CauseKind.LINK, reasons[0].text, reasons)


def _heat(case: Case) -> Iterator[Found]:
    """What is hot, throttles and is slow for it."""

    def thermal(reason: Reason) -> bool:
        return reason.criterion == ReasonCriterion.THROTTLING and reason.about in THERMAL[:2]

    throttled = case.has(thermal)

    def belongs(reason: Reason) -> bool:
        hotter = reason.criterion == ReasonCriterion.PLAN and reason.unit == "°C"
        slower = throttled and (reason.criterion in OF_SPEED or reason.about in THERMAL)
        return reason.criterion == ReasonCriterion.HEAT or thermal(reason) or slower or hotter

    if not throttled and not case.has(lambda reason: reason.criterion == ReasonCriterion.HEAT):
        return
    reasons = case.take(belongs)
    if throttled:
        share_pct = max(reason.measured or 0.0 for reason in reasons if thermal(reason))
        what: str = tr("too hot: clocks were held back for {share:.2g} % of the time under load", share=share_pct)
    else:
        what = next(reason.text for reason in reasons if reason.criterion == ReasonCriterion.HEAT)
    yield case.found(CauseKind.HEAT, what, reasons)


def _measurements(case: Case) -> int:
    """In which a card is compared with its peers."""
    stages = (stage for stage in case.stages if stage.kind not in BETWEEN_DEVICES)
    return sum(len(rates_of(case.results.get(stage.number))) for stage in stages)


def _in_all_work(case: Case) -> float | None:
    """By how many per cent the card is slower than its peers in every measurement; None where it is not in some."""
    peers = [reason.measured or 0.0 for reason in case.left if reason.criterion == ReasonCriterion.PEERS]
    return median(peers) if len(peers) == _measurements(case) > 1 else None


def _as_slow(reason: Reason, slower_pct: float | None) -> bool:
    """Whether a speed misses its floor by no more than the card misses its peers; lost lanes cost half or more."""
    if slower_pct is None or reason.measured is None or reason.limit is None or reason.unit != "GB/s":
        return False
    return reason.limit * (1 - slower_pct / 100) <= reason.measured < reason.limit


def _slow(case: Case) -> Iterator[Found]:
    """Slower than its peers: in all work it is one cause, however many measurements tell of it."""
    if not case.has(lambda reason: reason.criterion == ReasonCriterion.PEERS):
        return
    in_all_pct = _in_all_work(case)

    def belongs(reason: Reason) -> bool:
        of_link = reason.criterion == ReasonCriterion.LINK and _as_slow(reason, in_all_pct)
        of_speed = reason.criterion in OF_SPEED and (
            reason.criterion != ReasonCriterion.PLAN or reason.unit == "TFLOPS"
        )
        return of_link or of_speed

    reasons = case.take(belongs)
    peers = [reason for reason in reasons if reason.criterion == ReasonCriterion.PEERS]
    slower_pct = median(reason.measured or 0.0 for reason in peers)
    if in_all_pct is not None:
        what: str = tr("is {slower:.0f} % slower than the best card of its model in all work", slower=slower_pct)
    else:
        what = trn(
            "is {slower:.0f} % slower than the best card of its model in {some} of {count} measurement",
            "is {slower:.0f} % slower than the best card of its model in {some} of {count} measurements",
            slower=slower_pct,
            some=len(peers),
            count=_measurements(case),
        )
    yield case.found(CauseKind.SLOW, what, reasons, colon=False)


def _stages(case: Case) -> Iterator[Found]:
    """What is said alike of several stages is said once."""
    alike: dict[tuple[Outcome, str], list[Reason]] = {}
    titles = {stage.number: stage.title for stage in case.stages}
    for reason in case.take(lambda reason: reason.criterion == ReasonCriterion.STAGE):
        told = _without_stage(reason, titles.get(-1 if reason.stage is None else reason.stage, ""))
        alike.setdefault((reason.outcome, told), []).append(reason)
    for (_, told), reasons in alike.items():
        several = tr("{number} stages: {finding}", number=len(reasons), finding=clause(told))
        text = reasons[0].text if len(reasons) == 1 else several
        yield case.found(CauseKind.STAGE, text, tuple(reasons))


def _without_stage(reason: Reason, title: str) -> str:
    """What it says of its stage. Earlier versions recorded no more than the sentence, which the title begins."""
    finding = reason.text.field("finding") if isinstance(reason.text, Message) else None
    return finding if isinstance(finding, str) else reason.text.removeprefix(title).lstrip(": ")


def _plan(case: Case) -> Iterator[Found]:
    """Each stage and figure by itself: cards that are off alike are told together."""
    reasons = case.take(lambda reason: reason.criterion == ReasonCriterion.PLAN)
    titles = {stage.number: stage.title for stage in case.stages}
    for reason in reasons:
        title = titles.get(-1 if reason.stage is None else reason.stage)
        if title is None or reason.measured is None or reason.limit is None:
            yield case.found(CauseKind.PLAN, reason.text, (reason,))
            continue
        by_format = reason.about in PRECISIONS
        place = (
            tr("{format} in {stage}", format=reason.about, stage=title) if by_format else tr("in {stage}", stage=title)
        )
        if reason.measured > reason.limit:
            text = tr(
                "{unit} {place}, above the plan's predicted maximum of {limit:.0f} {unit}",
                unit=reason.unit,
                place=place,
                limit=reason.limit,
            )
        else:
            text = tr(
                "{unit} {place}, below the plan's predicted minimum of {limit:.0f} {unit}",
                unit=reason.unit,
                place=place,
                limit=reason.limit,
            )
        yield replace(case.found(CauseKind.PLAN, text, (reason,)), figure=reason.measured)


def _others(case: Case) -> Iterator[Found]:
    for reason in case.take(lambda _: True):
        yield case.found(CauseKind.OTHER, reason.text, (reason,))


RULES = (_memory, _wrong_results, _xids, _link, _heat, _slow, _stages, _plan, _others)
