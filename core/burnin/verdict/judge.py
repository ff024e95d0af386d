"""The verdict: every criterion speaks, and the worst reason decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.burnin.record.rows import MACHINE, Outcome, Reason, ReasonCriterion, Verdict
from core.burnin.verdict.counters import counter_reasons, throttle_reasons, xid_reasons
from core.burnin.verdict.drills import drill_reasons, machine_drill_reasons, unseen_reasons
from core.burnin.verdict.heat import heat_reasons
from core.burnin.verdict.links import link_reasons, nvlink_reasons
from core.burnin.verdict.plan import plan_reasons
from core.burnin.verdict.power import power_reasons
from core.burnin.verdict.recorded import Recorded
from core.burnin.verdict.speed import peer_reasons, speed_reasons
from core.burnin.verdict.stages import error_reasons, stage_reasons
from core.burnin.verdict.together import replay_reasons, together_reasons
from core.language import tr
from core.telemetry.device import Device

NOTHING_TESTED = tr(
    "No GPU was tested: the NVIDIA driver lists none to test. To burn in the CPU instead, choose it ({--devices} cpu)."
)
_ORDER = (Outcome.PASS, Outcome.WARN, Outcome.INCOMPLETE, Outcome.FAIL)

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
    return max(outcomes, key=_ORDER.index, default=Outcome.PASS)


def _with_unseen_drills(recorded: Recorded, verdict: Verdict) -> Verdict:
    """A device that passes although a fault was ordered on it has not shown that it would be found."""
    if verdict.outcome is not Outcome.PASS:
        return verdict
    device = next(device for device in recorded.burned if device.id == verdict.device_id)
    reasons = [*unseen_reasons(recorded, device), *verdict.reasons]
    return replace(verdict, outcome=worst(reason.outcome for reason in reasons), reasons=_sorted(reasons))


def _machine_verdict(burned: Sequence[Device], devices: Sequence[Verdict], reasons: Sequence[Reason]) -> Verdict:
    titles = {device.id: device.title for device in burned}
    named = [
        Reason(
            verdict.outcome,
            tr("{device}: {outcome}", device=titles[verdict.device_id], outcome=verdict.outcome.badge),
            criterion=ReasonCriterion.DEVICE,
            about=verdict.device_id,
        )
        for verdict in devices
    ]
    nothing = [] if devices else [Reason(Outcome.INCOMPLETE, NOTHING_TESTED, criterion=ReasonCriterion.UNTESTED)]
    every = [*nothing, *reasons, *named]
    return Verdict(MACHINE, worst(reason.outcome for reason in every), _sorted(every))


def _card_reasons(recorded: Recorded, card: Device) -> Iterator[Reason]:
    """Of a card whose shares were burned in: what the driver measures of it as a whole."""
    for criterion in OF_DIVIDED_CARDS:
        for reason in CRITERIA[criterion](recorded, card):
            text = tr("{device}: {finding}", device=card.title, finding=reason.text)
            yield replace(reason, text=text, criterion=criterion)


def _device_verdict(recorded: Recorded, device: Device) -> Verdict:
    reasons = [
        replace(reason, criterion=criterion)
        for criterion, find in CRITERIA.items()
        for reason in find(recorded, device)
    ]
    return Verdict(device.id, worst(reason.outcome for reason in reasons), _sorted(reasons))


def _sorted(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(reasons, key=lambda reason: -_ORDER.index(reason.outcome)))
