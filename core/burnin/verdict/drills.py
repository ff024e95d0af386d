"""Simulated faults that were ordered, as by `--simulate 2x3090,fault=ecc@1:8s`: a run proves nothing without them."""

from __future__ import annotations

from collections.abc import Iterator

from core.burnin.record.rows import Outcome, Reason, ReasonCriterion
from core.burnin.verdict.recorded import Recorded
from core.errors import BadInput
from core.language import tr
from core.telemetry.device import Device
from core.telemetry.simulated.simulation import ScriptedFault, Simulation, parse_simulation

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
