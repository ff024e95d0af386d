"""Why a run is not passed, each cause told once: what follows from a cause is folded under it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    MACHINE,
    REQUESTED,
    Event,
    Outcome,
    Reason,
    ReasonCriterion,
    RunDevice,
    StageResult,
    StageRow,
    Verdict,
)
from core.burnin.verdict.codes import ACTIONS, CauseKind
from core.burnin.verdict.device_causes import DeviceCause, DeviceRecord, about, moment, stage_at
from core.words import clause, english, listed, plain, tr, trn


@dataclass(frozen=True, slots=True)
class Folded:
    """A reason that is told under a cause, with the device on which it was found; MACHINE for the machine."""

    device_id: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Cause:
    """One of the causes for which a run did not pass."""

    kind: CauseKind
    outcome: Outcome
    text: str
    """A sentence: "GPU 1 lost at 0:40 during GPU to GPU; 7 later stages not run." """
    action: str = ""
    """What to do, in a sentence; "" where the text says it, or nothing is known to help."""
    devices: tuple[str, ...] = ()
    """Ids; empty for the machine."""
    time_s: float | None = None
    """When it was first seen, since the start of the run."""
    stage: int | None = None
    """Number of the stage in which it was first seen."""
    folded: tuple[Folded, ...] = ()
    spoken: Reason | None = None
    """The reason of which the text is made; None where it is made of figures or of several. Not for JSON."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        folded = [{"device_id": one.device_id or None, **asdict(one.reason)} for one in self.folded]
        fields = {name: value for name, value in asdict(self).items() if name != "spoken"}
        return fields | {"folded": folded}


def causes_of(store: RunReader, run_id: int) -> list[Cause]:
    """Of a recorded run; of one that goes on what shows already."""
    return find_causes(
        store.devices(run_id), store.stages(run_id), store.results(run_id), store.events(run_id), store.verdicts(run_id)
    )


def find_causes(
    devices: Sequence[RunDevice],
    stages: Sequence[StageRow],
    results: Sequence[StageResult],
    events: Sequence[Event],
    verdicts: Sequence[Verdict],
) -> list[Cause]:
    """The gravest first, then by time. Every reason that did not pass is under exactly one of them."""
    reasons = {
        verdict.device_id: [reason for reason in verdict.own_reasons if reason.outcome is not Outcome.PASS]
        for verdict in verdicts
    }
    labels = {row.device.id: row.device.label for row in devices if row.burned}
    machine = reasons.get(MACHINE, [])
    stopping = next((reason for reason in machine if reason.criterion == ReasonCriterion.STOP), None)
    stopped = _stop(stopping, stages) if stopping else None
    causes = [
        Cause(CauseKind.MACHINE, one.outcome, one.text, folded=(Folded(MACHINE, one),), spoken=one)
        for one in machine
        if one is not stopping
    ]
    of_devices: list[tuple[str, DeviceCause]] = []
    victims: list[Folded] = []
    unreached: list[Folded] = []
    for device_id in labels:
        own_events = [event for event in events if event.device_id == device_id]
        own_results = {result.number: result for result in results if result.device_id == device_id}
        own = reasons.get(device_id, [])
        because_of_others = [reason for reason in own if _is_of_another(reason, labels)]
        left = [reason for reason in own if reason not in because_of_others]
        record = DeviceRecord(stages, own_results, own_events, left)
        of_device, not_reached = record.causes(stopped.stage if stopped else None)
        of_devices += [(device_id, cause) for cause in of_device]
        victims += [Folded(device_id, reason) for reason in because_of_others]
        unreached += [Folded(device_id, reason) for reason in not_reached]
    if stopped:
        causes.append(replace(stopped, folded=(*stopped.folded, *unreached)))
    every = _with_victims([*causes, *_merged(of_devices, labels)], victims, labels)
    return sorted(every, key=lambda one: (-one.outcome.gravity, float("inf") if one.time_s is None else one.time_s))


def _is_of_another(reason: Reason, labels: Mapping[str, str]) -> bool:
    """Whether a stage ended on a device because of another one of its group."""
    return reason.criterion == ReasonCriterion.STAGE and reason.about in labels


def _stop(reason: Reason, stages: Sequence[StageRow]) -> Cause:
    """The cause for which the run ended early; one that nothing made necessary is told in half a sentence."""
    time_s = reason.time_s or 0.0
    stage = stage_at(stages, time_s)
    number = stage.number if stage else len(stages)
    later = sum(one.number > number for one in stages)
    when = moment(stages, time_s)
    if later:
        fields = {"when": when, "count": later}
        when = trn("{when}; {count} later stage not run", "{when}; {count} later stages not run", **fields)
    if reason.about == REQUESTED:
        text = tr("{what} at {when}.", what=clause(reason.text), when=when)
    else:
        text = tr("Ended at {when}: {reason}", when=when, reason=reason.text)
    kind = CauseKind.STOPPED
    folded = (Folded(MACHINE, reason),)
    return Cause(kind, reason.outcome, text, ACTIONS[kind], time_s=time_s, stage=number, folded=folded, spoken=reason)


def _merged(causes: Iterable[tuple[str, DeviceCause]], labels: Mapping[str, str]) -> Iterator[Cause]:
    """What is said alike of several devices is said once of all of them."""
    alike: dict[tuple[CauseKind, Outcome, str, str], list[tuple[str, DeviceCause]]] = {}
    for device_id, one in causes:
        alike.setdefault((one.kind, one.outcome, english(one.what), english(one.action)), []).append((device_id, one))
    for same in alike.values():
        ids, first = tuple(device_id for device_id, _ in same), same[0][1]
        who = listed([labels[device_id] for device_id in ids])
        yield Cause(
            kind=first.kind,
            outcome=first.outcome,
            text=first.as_text(who, _figures(one for _, one in same)),
            action=first.action,
            devices=ids,
            time_s=min((one.time_s for _, one in same if one.time_s is not None), default=None),
            stage=first.stage,
            folded=tuple(Folded(device_id, reason) for device_id, one in same for reason in one.reasons),
            spoken=first.spoken,
        )


def _figures(same: Iterable[DeviceCause]) -> str:
    """ "351", "350 to 352"; nothing where the cause has no figure of its own."""
    figures = [one.figure for one in same if one.figure is not None]
    if not figures:
        return ""
    low, high = min(figures), max(figures)
    if f"{low:.0f}" == f"{high:.0f}":
        return plain("{figure:.0f}", figure=low)
    return tr("{low:.0f} to {high:.0f}", low=low, high=high)


def _with_victims(causes: Sequence[Cause], victims: Sequence[Folded], labels: Mapping[str, str]) -> list[Cause]:
    """What ended on devices because of another one is told under its first cause; by itself where it has none."""
    every = list(causes)
    for victim in victims:
        place = next((n for n, cause in enumerate(every) if victim.reason.about in cause.devices), None)
        if place is None:
            label = labels[victim.device_id]
            every.append(Cause(
                CauseKind.STAGE, victim.reason.outcome, about(label, victim.reason.text), devices=(victim.device_id,),
                stage=victim.reason.stage, folded=(victim,), spoken=victim.reason,
            ))  # fmt: skip
        else:
            every[place] = replace(every[place], folded=(*every[place].folded, victim))
    return every
