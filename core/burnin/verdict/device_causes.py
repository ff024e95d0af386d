"""The causes on one device: each of its reasons under the cause of its code, or under the one that it follows from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from core.burnin.verdict.codes import ACTIONS, EVENTS, HALVED, CauseKind, cause_kind, is_link_rate, is_thermal
from core.burnin.verdict.predicted import PRECISIONS
from core.burnin.verdict.recorded import rates_of
from core.burnin.verdict.speed import BETWEEN_DEVICES
from core.loads.evidence import RunEvidence
from core.machine.telemetry.throttle import Severity
from core.machine.telemetry.xid import xid
from core.words import Message, clause, clock, english, tr, trn

AT_ONCE_S = 5.0
"""What is told so shortly before a loss belongs to it: the Xid comes before the driver notices."""
OF_SPEED = (ReasonCriterion.PEERS, ReasonCriterion.SPEED, ReasonCriterion.PLAN)


@dataclass(frozen=True, slots=True)
class DeviceCause:
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
    spoken: Reason | None = None
    """The reason of which `what` is made; None where it is made of figures or of several."""

    def as_text(self, devices: str, figure: str) -> str:
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


class DeviceRecord:
    """What was recorded of one device, with its reasons that did not pass."""

    def __init__(
        self,
        stages: Sequence[StageRow],
        results: Mapping[int, StageResult],
        events: Sequence[Event],
        reasons: Sequence[Reason],
    ) -> None:
        """`results` by number of the stage; events and reasons are the device's own."""
        self._stages = stages
        self._results = results
        self._events = events
        self._left = list(reasons)

    def causes(self, stopped_in: int | None = None) -> tuple[list[DeviceCause], tuple[Reason, ...]]:
        """All causes, and what was not reached since the run was stopped in a stage of this number.

        Every reason that did not pass is in exactly one of them.
        """
        causes = list(self._exit())
        unreached = self._take(lambda reason: stopped_in is not None and _was_unreached(reason, stopped_in))
        kind_of = self._kinds()
        for kind in CauseKind:
            if reasons := self._take(lambda reason, kind=kind: kind_of(reason) is kind):  # type: ignore[misc]
                causes += _WORDS.get(kind, DeviceRecord._each)(self, kind, reasons)
        return causes, unreached

    def _take(self, belongs: Callable[[Reason], bool]) -> tuple[Reason, ...]:
        """The reasons that belong to a cause, the gravest first; no later cause has them."""
        taken = [reason for reason in self._left if belongs(reason)]
        self._left = [reason for reason in self._left if not belongs(reason)]
        return tuple(sorted(taken, key=lambda reason: -reason.outcome.gravity))

    def _kinds(self) -> Callable[[Reason], CauseKind]:
        """The kind of cause for each reason that is left, beside the others: what is slow for its heat is hot."""
        alone = {cause_kind(reason) for reason in self._left}
        throttled = any(map(is_thermal, self._left))
        slow = CauseKind.SLOW in alone and not throttled
        slower_pct = self._slower_in_all_work([one for one in self._left if one.criterion == ReasonCriterion.PEERS])

        def kind_of(reason: Reason) -> CauseKind:
            kind, planned = cause_kind(reason), reason.criterion == ReasonCriterion.PLAN
            if kind is CauseKind.STAGE and CauseKind.WRONG_RESULTS in alone and self._fails_by_wrong_results(reason):
                return CauseKind.WRONG_RESULTS
            if is_link_rate(reason) and _is_as_slow(reason, slower_pct):
                return CauseKind.SLOW if slow else CauseKind.OTHER
            if throttled and (reason.criterion in OF_SPEED or reason.about == HALVED):
                return CauseKind.HEAT
            if planned and reason.about == "temperature_c" and CauseKind.HEAT in alone:
                return CauseKind.HEAT
            is_speed = reason.criterion == ReasonCriterion.SPEED or (planned and reason.about in PRECISIONS)
            return CauseKind.SLOW if slow and is_speed else kind

        return kind_of

    def _fails_by_wrong_results(self, reason: Reason) -> bool:
        result = self._results.get(-1 if reason.stage is None else reason.stage)
        return reason.outcome is Outcome.FAIL and result is not None and bool(result.evidence_as(RunEvidence).errors)

    def _measurements(self) -> int:
        """In which a card is compared with its peers."""
        stages = (stage for stage in self._stages if stage.kind not in BETWEEN_DEVICES)
        return sum(len(rates_of(self._results.get(stage.number))) for stage in stages)

    def _slower_in_all_work(self, peers: Sequence[Reason]) -> float | None:
        """By how many per cent the card is slower than its peers in every measurement; None where not in each."""
        return _median_pct(peers) if len(peers) == self._measurements() > 1 else None

    def _cause(
        self,
        kind: CauseKind,
        what: str,
        reasons: tuple[Reason, ...],
        *,
        spoken: Reason | None = None,
        colon: bool = True,
        time_s: float | None = None,
    ) -> DeviceCause:
        """With the usual advice; as grave as the gravest of its reasons, FAIL before there is a verdict."""
        if time_s is None:
            time_s = _first_s(reasons)
        stage = stage_at(self._stages, time_s)
        numbers = [reason.stage for reason in reasons if reason.stage is not None]
        number = stage.number if stage else min(numbers, default=None)
        outcome = max((reason.outcome for reason in reasons), key=lambda outcome: outcome.gravity, default=Outcome.FAIL)
        return DeviceCause(kind, what, reasons, outcome, colon, None, ACTIONS.get(kind, ""), time_s, number, spoken)

    def _since(self, what: str, time_s: float | None) -> str:
        """ "2 wrong results, first at 0:31 during Verified GEMM", as far as it is known."""
        if time_s is None:
            return what
        return tr("{finding}, first at {moment}", finding=clause(what), moment=moment(self._stages, time_s))

    def _exit(self) -> Iterator[DeviceCause]:
        """Lost, dead, or taken out: all that follows in later stages."""
        exits = [
            (event, kind)
            for event in self._events
            if event.level is EventLevel.ERROR and event.kind in EVENTS and (kind := EVENTS[event.kind].leaves_by)
        ]
        if not exits:
            return
        event, kind = next((one for one in exits if one[1] is CauseKind.LOST), exits[0])
        since, stage = event.time_s, stage_at(self._stages, event.time_s)
        number = stage.number if stage else len(self._stages)
        when = moment(self._stages, since)
        if kind is CauseKind.LOST:
            what: str = tr("lost at {moment}", moment=when)
        elif kind is CauseKind.DIED:
            what = tr("worker died at {moment}", moment=when)
        else:
            what = tr("stopped at {moment}: {reason}", moment=when, reason=clause(event.message))
        not_run = sum(self._results[n].status is ResultStatus.NOT_RUN for n in self._results if n > number)
        if not_run:
            fields = {"finding": what, "count": not_run}
            what = trn("{finding}; {count} later stage not run", "{finding}; {count} later stages not run", **fields)

        def follows(reason: Reason) -> bool:
            if reason.time_s is not None:
                return reason.time_s >= since - AT_ONCE_S
            return reason.stage is not None and reason.stage >= number

        yield self._cause(kind, what, self._take(follows), colon=kind is CauseKind.DIED, time_s=since)

    def _memory(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        counted = next((reason for reason in reasons if reason.about == "ecc_uncorrected"), None)
        what, spoken = reasons[0].text, None if counted else reasons[0]
        if counted:
            count = int(counted.measured or 0)
            what = trn("{count} uncorrectable memory error", "{count} uncorrectable memory errors", count=count)
        yield self._cause(kind, self._since(what, _first_s(reasons)), reasons, spoken=spoken)

    def _wrong_results(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        counted = next(reason for reason in reasons if reason.criterion == ReasonCriterion.ERRORS)
        what = trn("{count} wrong result", "{count} wrong results", count=int(counted.measured or 0))
        yield self._cause(kind, self._since(what, counted.time_s), reasons)

    def _xids(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        """The first of the gravest tells; others come with it."""
        first = min(reasons, key=lambda r: (-r.outcome.gravity, r.time_s or 0.0))
        meaning = xid(int(first.about)) if first.about.isdigit() else None
        if meaning and meaning.by_program and first.outcome is Outcome.WARN and meaning.severity is Severity.FAIL:
            meaning = None  # another program's: what is known of the number speaks of our loads
        what = tr("Xid {number}: {title}", number=meaning.number, title=meaning.title) if meaning else first.text
        texts = (what, meaning.sentence) if meaning else (first.text,)
        spoken = first if english(first.text) in map(english, texts) else None
        cause = self._cause(kind, self._since(what, first.time_s), reasons, spoken=spoken)
        yield replace(cause, action=meaning.action if meaning else "")

    def _link(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        yield self._cause(kind, reasons[0].text, reasons, spoken=reasons[0])

    def _heat(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        """What is hot, throttles and is slow for it."""
        spoken = next((reason for reason in reasons if reason.criterion == ReasonCriterion.HEAT), None)
        what = spoken.text if spoken else ""
        if shares_pct := [reason.measured or 0.0 for reason in reasons if is_thermal(reason)]:
            held_pct, spoken = max(shares_pct), None
            what = tr("too hot: clocks were held back for {share:.2g} % of the time under load", share=held_pct)
        yield self._cause(kind, what, reasons, spoken=spoken)

    def _slow(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        """Slower than its peers: in all work it is one cause, however many measurements tell of it."""
        peers = [reason for reason in reasons if reason.criterion == ReasonCriterion.PEERS]
        if self._slower_in_all_work(peers) is not None:
            what: str = tr(
                "is {slower:.0f} % slower than the best card of its model in all work", slower=_median_pct(peers)
            )
        else:
            fields = {"slower": _median_pct(peers), "some": len(peers), "count": self._measurements()}
            what = trn(
                "is {slower:.0f} % slower than the best card of its model in {some} of {count} measurement",
                "is {slower:.0f} % slower than the best card of its model in {some} of {count} measurements",
                **fields,
            )
        yield self._cause(kind, what, reasons, colon=False)

    def _of_stages(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        """What is said alike of several stages is said once."""
        alike: dict[tuple[Outcome, str], list[Reason]] = {}
        for reason in reasons:
            alike.setdefault((reason.outcome, _finding(reason)), []).append(reason)
        for (_, finding), same in alike.items():
            several = tr("{number} stages: {finding}", number=len(same), finding=clause(finding))
            what, spoken = (same[0].text, same[0]) if len(same) == 1 else (several, None)
            yield self._cause(kind, what, tuple(same), spoken=spoken)

    def _plan(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        """Each stage and figure by itself: cards that are off alike are told together."""
        titles = {stage.number: stage.title for stage in self._stages}
        for reason in reasons:
            title = titles.get(-1 if reason.stage is None else reason.stage)
            if title is None or reason.measured is None or reason.limit is None:
                yield self._cause(kind, reason.text, (reason,), spoken=reason)
                continue
            place = tr("in {stage}", stage=title)
            if reason.about in PRECISIONS:
                place = tr("{format} in {stage}", format=reason.about, stage=title)
            figures = {"unit": reason.unit, "place": place, "limit": reason.limit}
            if reason.measured > reason.limit:
                what = tr("{unit} {place}, above the plan's predicted maximum of {limit:.0f} {unit}", **figures)
            else:
                what = tr("{unit} {place}, below the plan's predicted minimum of {limit:.0f} {unit}", **figures)
            yield replace(self._cause(kind, what, (reason,)), figure=reason.measured)

    def _each(self, kind: CauseKind, reasons: tuple[Reason, ...]) -> Iterator[DeviceCause]:
        yield from (self._cause(kind, reason.text, (reason,), spoken=reason) for reason in reasons)


_WORDS: Mapping[CauseKind, Callable[[DeviceRecord, CauseKind, tuple[Reason, ...]], Iterator[DeviceCause]]] = {
    CauseKind.MEMORY: DeviceRecord._memory,
    CauseKind.WRONG_RESULTS: DeviceRecord._wrong_results,
    CauseKind.XID: DeviceRecord._xids,
    CauseKind.LINK: DeviceRecord._link,
    CauseKind.HEAT: DeviceRecord._heat,
    CauseKind.SLOW: DeviceRecord._slow,
    CauseKind.STAGE: DeviceRecord._of_stages,
    CauseKind.PLAN: DeviceRecord._plan,
}


def _was_unreached(reason: Reason, since: int) -> bool:
    is_stage = reason.criterion == ReasonCriterion.STAGE and reason.outcome is Outcome.INCOMPLETE
    return is_stage and reason.stage is not None and reason.stage >= since


def _is_as_slow(reason: Reason, slower_pct: float | None) -> bool:
    """Whether a speed misses its floor by no more than the card misses its peers; lost lanes cost half or more."""
    if slower_pct is None or reason.measured is None or reason.limit is None:
        return False
    return reason.limit * (1 - slower_pct / 100) <= reason.measured < reason.limit


def _finding(reason: Reason) -> str:
    """What a reason says of its stage."""
    finding = reason.text.field("finding") if isinstance(reason.text, Message) else None
    return finding if isinstance(finding, str) else reason.text


def _first_s(reasons: Sequence[Reason]) -> float | None:
    return min((reason.time_s for reason in reasons if reason.time_s is not None), default=None)


def _median_pct(peers: Sequence[Reason]) -> float:
    return median(reason.measured or 0.0 for reason in peers)
