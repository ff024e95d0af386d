"""The verdict: every criterion speaks, and the worst reason decides.

Here is also what rests on no figure of a device: how each stage ended (NOT RUN never counts as passed), simulated
faults that were ordered, without which a run proves nothing, and what is on record of the machine itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    MACHINE,
    Outcome,
    Reason,
    ReasonCriterion,
    ResultStatus,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.record.samples import column
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict.codes import EVENTS, OF_LEVEL, outcome_of
from core.burnin.verdict.counters import counter_reasons, throttle_reasons, xid_reasons
from core.burnin.verdict.heat import heat_reasons, power_reasons
from core.burnin.verdict.links import link_reasons, nvlink_reasons, replay_reasons, together_reasons
from core.burnin.verdict.noise import measured_noise, noise_reasons
from core.burnin.verdict.plan import plan_reasons
from core.burnin.verdict.recorded import Recorded
from core.burnin.verdict.speed import peer_reasons, speed_reasons
from core.burnin.verdict.wall import read_wall, wall_reasons
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.simulation import ScriptedFault, Simulation, parse_simulation
from core.platform.errors import BadInput
from core.words import plain, tr, trn

NOTHING_TESTED = tr(
    "No GPU was tested: the NVIDIA driver lists none to test. To burn in the CPU instead, choose it ({--devices} cpu)."
)


def judge(recorded: Recorded, machine_reasons: Iterable[Reason] = ()) -> list[Verdict]:
    """A verdict for the machine first, then one per burned device.

    `machine_reasons` are what concerns no single device: stopped by the user, interrupted, no telemetry, disk full.
    """
    devices = [_device_verdict(recorded, device) for device in recorded.burned]
    reasons = [*machine_reasons, *(reason for card in recorded.divided for reason in _card_reasons(recorded, card))]
    if worst(reason.outcome for reason in reasons) is Outcome.PASS:
        devices = [_with_unseen_drills(recorded, device) for device in devices]
    machine = _machine_verdict(recorded.burned, devices, reasons)
    if machine.outcome is Outcome.PASS:
        machine = _machine_verdict(recorded.burned, devices, [*reasons, *machine_drill_reasons(recorded)])
    return [machine, *devices]


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """FAIL before INCOMPLETE before WARN before PASS."""
    return max(outcomes, key=lambda outcome: outcome.gravity, default=Outcome.PASS)


def _verdict(device_id: str, reasons: Iterable[Reason]) -> Verdict:
    """The gravest reason decides, and stands first."""
    gravest_first = sorted(reasons, key=lambda reason: -reason.outcome.gravity)
    return Verdict(device_id, worst(reason.outcome for reason in gravest_first), tuple(gravest_first))


def _with_unseen_drills(recorded: Recorded, verdict: Verdict) -> Verdict:
    """A device that passes although a fault was ordered on it has not shown that it would be found."""
    if verdict.outcome is not Outcome.PASS:
        return verdict
    device = next(device for device in recorded.burned if device.id == verdict.device_id)
    return _verdict(device.id, [*unseen_reasons(recorded, device), *verdict.reasons])


def _machine_verdict(burned: Sequence[Device], devices: Sequence[Verdict], reasons: Sequence[Reason]) -> Verdict:
    titles = {device.id: device.title for device in burned}
    named = [
        Reason(
            verdict.outcome,
            tr("{device}: {outcome}", device=titles[verdict.device_id], outcome=verdict.outcome.label),
            criterion=ReasonCriterion.DEVICE,
            about=verdict.device_id,
        )
        for verdict in devices
    ]
    nothing = [] if devices else [Reason(Outcome.INCOMPLETE, NOTHING_TESTED, criterion=ReasonCriterion.UNTESTED)]
    return _verdict(MACHINE, [*nothing, *reasons, *named])


def _card_reasons(recorded: Recorded, card: Device) -> Iterator[Reason]:
    """Of a card whose shares were burned in: what the driver measures of it as a whole."""
    for criterion in OF_DIVIDED_CARDS:
        for reason in CRITERIA[criterion](recorded, card):
            text = tr("{device}: {finding}", device=card.title, finding=reason.text)
            yield replace(reason, text=text, criterion=criterion)


def _device_verdict(recorded: Recorded, device: Device) -> Verdict:
    reasons = (replace(one, criterion=name) for name, find in CRITERIA.items() for one in find(recorded, device))
    return _verdict(device.id, reasons)


def stage_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """One for each stage, and one for each of its warnings."""
    for stage in recorded.stages:
        result = recorded.result(stage, device)
        yield from (replace(reason, stage=stage.number) for reason in _stage(recorded, device, stage, result))


def _stage(recorded: Recorded, device: Device, stage: StageRow, result: StageResult | None) -> Iterator[Reason]:
    if result is not None and _has_no_part(recorded, device, result):
        text = tr("{stage}: NOT RUN, not applicable here. {reason}", stage=stage.title, reason=result.reason)
        yield Reason(Outcome.PASS, text)
    elif result is None or stage.status is not StageStatus.DONE:
        why = result.reason if result and result.status is not ResultStatus.PASSED else ""
        unfinished = plain("{stage} {finding}", stage=stage.title, finding=_unfinished(stage, why))
        yield Reason(_outcome(result, stage, Outcome.INCOMPLETE), unfinished, about=_because_of(result))
    else:
        text = tr("{stage}: {finding}", stage=stage.title, finding=result.reason or result.status.label)
        yield Reason(_outcome(result, stage, Outcome.PASS), text, about=_because_of(result))
        for warning in result.evidence_as(StageEvidence).warnings:
            yield Reason(Outcome.WARN, tr("{stage}: {finding}", stage=stage.title, finding=warning))


def _because_of(result: StageResult | None) -> str:
    return result.evidence_as(StageEvidence).because_of if result else ""


def error_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Wrong results, counted over all stages."""
    errors, checks = recorded.values(device, "errors"), recorded.values(device, "checks")
    worst, allowed = float(errors.max(initial=0.0)), recorded.criteria.max_errors
    if worst > allowed:
        compared = float(checks.max(initial=0.0))
        text = trn(
            "{wrong} in {count} comparison.",
            "{wrong} in {count} comparisons.",
            wrong=trn("{count} wrong result", "{count} wrong results", count=int(worst)),
            count=int(compared),
        )
        samples = recorded.samples[device.id]
        first_s = float(samples[np.argmax(column(samples, "errors") > allowed), 0])
        yield Reason(Outcome.FAIL, text, worst, allowed, "errors", time_s=first_s)


def _unfinished(stage: StageRow, why: str) -> str:
    if stage.status is not StageStatus.SKIPPED:
        return tr("did not end: {reason}", reason=why) if why else tr("did not end.")
    if stage.started_s is None:
        return tr("was skipped: {reason}", reason=why) if why else tr("was skipped.")
    return tr("was cut short: {reason}", reason=why) if why else tr("was cut short.")


def _outcome(result: StageResult | None, stage: StageRow, passed: Outcome) -> Outcome:
    """`passed` where nothing went wrong on the device."""
    if result is None or result.status is ResultStatus.PASSED:
        return passed
    kind, lacks = BY_KIND.get(stage.kind), result.evidence_as(StageEvidence).needs  # a stage for GPUs on a CPU alone
    return outcome_of(result, Outcome.INCOMPLETE if kind is None or (kind.load and not lacks) else Outcome.WARN)


def _has_no_part(recorded: Recorded, device: Device, result: StageResult) -> bool:
    """Whether a machine like this has nothing that the stage could prove: two cards of one, or the CPU beside GPUs.

    A CPU that is burned in alone is another matter: the GPUs may be missing.
    """
    beside = device.kind is DeviceKind.GPU or any(other.kind is DeviceKind.GPU for other in recorded.burned)
    return result.status is ResultStatus.NOT_RUN and bool(result.evidence_as(StageEvidence).needs) and beside


DRILL = "drill"
"""The kind of event that tells of a fault that begins."""


def drill_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """INCOMPLETE for each fault of this device whose moment never came."""
    begun = {
        event.incident.severity
        for event in recorded.events
        if event.kind == DRILL and event.device_id == device.id and event.incident
    }
    for fault in _ordered(recorded, device):
        if fault.at_s and fault.words not in begun:
            text = tr(
                "The simulated fault {fault} never began: the run ended before. Let it begin earlier, or run longer.",
                fault=fault.words,
            )
            yield Reason(Outcome.INCOMPLETE, text)


def unseen_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """INCOMPLETE for each fault of a device with which nothing was found wrong."""
    for fault in _ordered(recorded, device):
        text = tr("No check found the simulated fault {fault}. Let it begin earlier, or run longer.", fault=fault.words)
        yield Reason(Outcome.INCOMPLETE, text, criterion=ReasonCriterion.DRILL)


def machine_drill_reasons(recorded: Recorded) -> Iterator[Reason]:
    """INCOMPLETE for each fault of the machine; asked only where nothing was found wrong with it."""
    for fault in _faults(recorded):
        if fault.kind.of_machine:
            text = tr(
                "The simulated fault {fault} never showed. Let it begin earlier, or run longer.", fault=fault.words
            )
            yield Reason(Outcome.INCOMPLETE, text, criterion=ReasonCriterion.DRILL)


def _ordered(recorded: Recorded, device: Device) -> Iterator[ScriptedFault]:
    """Of one device."""
    for fault in _faults(recorded):
        if device.simulated and not fault.kind.of_machine and fault.card in (None, device.index):
            yield fault


def _faults(recorded: Recorded) -> tuple[ScriptedFault, ...]:
    try:
        order = parse_simulation(recorded.simulate) if recorded.simulate else None
    except BadInput:  # it was checked when the run began: what it replays is gone by now, and has no faults of its own
        return ()
    return order.faults if isinstance(order, Simulation) else ()


def machine_reasons(store: RunReader, run_id: int) -> list[Reason]:
    """From the record alone, so that a run that was interrupted and resumed keeps them."""
    return [
        *_cards_on_bus(store, run_id),
        *_interruptions(store, run_id),
        *_remarks(store, run_id),
        *_companions(store, run_id),
    ]


def measured_reasons(store: RunReader, run_id: int, recorded: Recorded) -> list[Reason]:
    """What was measured of the machine as a whole: power at the wall, and noise."""
    return [
        *(replace(one, criterion=ReasonCriterion.WALL) for one in wall_reasons(recorded, read_wall(store, run_id))),
        *noise_reasons(measured_noise(store, run_id, recorded.plan)),
    ]


def _cards_on_bus(store: RunReader, run_id: int) -> Iterator[Reason]:
    """What sits in the machine and nobody tested keeps it from passing, but where somebody left it out by name."""
    as_built = store.as_built(run_id)
    for card in as_built.bus if as_built else ():
        outcome = Outcome.INCOMPLETE if card.left_out_by is None else Outcome.PASS
        yield Reason(outcome, card.sentence, source=tr("PCI bus"), criterion=ReasonCriterion.BUS, about=card.address)


def _interruptions(store: RunReader, run_id: int) -> Iterator[Reason]:
    for one in store.interruptions(run_id):
        reason = Reason(one.kind.outcome, one.message, source=tr("recording of the run"))
        yield replace(reason, criterion=ReasonCriterion.INTERRUPTION, about=one.kind)


def _remarks(store: RunReader, run_id: int) -> Iterator[Reason]:
    burned = {row.device.id for row in store.devices(run_id) if row.burned}
    titles = {row.device.id: row.device.title for row in store.devices(run_id)}
    remarks: dict[tuple[Outcome, str, str], None] = {}
    for event in store.events(run_id):
        of_machine = event.kind in EVENTS and EVENTS[event.kind].of_machine
        if of_machine and event.device_id not in burned and event.level in OF_LEVEL:
            device = titles.get(event.device_id or "")
            text = tr("{device}: {finding}", device=device, finding=event.message) if device else event.message
            remarks[OF_LEVEL[event.level], text, event.kind] = None
    for outcome, text, kind in remarks:
        yield Reason(outcome, text, criterion=ReasonCriterion.REMARK, about=kind)


def _companions(store: RunReader, run_id: int) -> Iterator[Reason]:
    """Devices that were not burned in, but under load in a stage of the whole system."""
    titles = {row.device.id: row.device.title for row in store.devices(run_id) if not row.burned}
    stages = {stage.number: stage.title for stage in store.stages(run_id)}
    for result in store.results(run_id):
        if result.device_id in titles:
            device, stage = titles[result.device_id], stages[result.number]
            findings = [(outcome_of(result, Outcome.WARN), result.reason or result.status.label)]
            findings += [(Outcome.WARN, text) for text in result.evidence_as(StageEvidence).warnings]
            for outcome, finding in findings:
                text = tr("{device}, {stage}: {finding}", finding=finding, device=device, stage=stage)
                reason = Reason(outcome, text, about=result.device_id, stage=result.number)
                yield replace(reason, criterion=ReasonCriterion.COMPANION)


CRITERIA: Mapping[ReasonCriterion, Callable[[Recorded, Device], Iterator[Reason]]] = {
    ReasonCriterion.STAGE: stage_reasons,
    ReasonCriterion.ERRORS: error_reasons,
    ReasonCriterion.XID: xid_reasons,
    ReasonCriterion.COUNTER: counter_reasons,
    ReasonCriterion.HEAT: heat_reasons,
    ReasonCriterion.THROTTLING: throttle_reasons,
    ReasonCriterion.LINK: link_reasons,
    ReasonCriterion.NVLINK: nvlink_reasons,
    ReasonCriterion.TOGETHER: together_reasons,
    ReasonCriterion.REPLAY: replay_reasons,
    ReasonCriterion.DRILL: drill_reasons,
    ReasonCriterion.PEERS: peer_reasons,
    ReasonCriterion.SPEED: speed_reasons,
    ReasonCriterion.POWER: power_reasons,
    ReasonCriterion.PLAN: plan_reasons,
}
"""Each gives its reasons for one device; one that has nothing to go by says nothing."""
OF_DIVIDED_CARDS = (ReasonCriterion.COUNTER, ReasonCriterion.HEAT)
