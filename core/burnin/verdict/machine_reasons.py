"""What the verdict on the machine rests on besides its devices: remarks on record, resets, the CPU beside GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import EventLevel, Outcome, Reason, ReasonCriterion
from core.burnin.verdict.codes import EVENTS, outcome_of
from core.burnin.verdict.noise import measured_noise, noise_reasons
from core.burnin.verdict.recorded import Recorded
from core.burnin.verdict.wall import read_wall, wall_reasons
from core.language import tr

_OF_LEVEL = {EventLevel.ERROR: Outcome.FAIL, EventLevel.WARN: Outcome.WARN}


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
    found = store.as_built(run_id)
    for card in found.bus if found else ():
        outcome = Outcome.INCOMPLETE if card.left_out_by is None else Outcome.PASS
        yield Reason(outcome, card.sentence, source=tr("PCI bus"), criterion=ReasonCriterion.BUS, about=card.address)


def _interruptions(store: RunReader, run_id: int) -> Iterator[Reason]:
    for one in store.interruptions(run_id):
        yield Reason(
            one.kind.outcome, one.message, source=tr("recording of the run"),
            criterion=ReasonCriterion.INTERRUPTION, about=one.kind,
        )  # fmt: skip


def _remarks(store: RunReader, run_id: int) -> Iterator[Reason]:
    burned = {row.device.id for row in store.devices(run_id) if row.burned}
    titles = {row.device.id: row.device.title for row in store.devices(run_id)}
    remarks = (
        (_OF_LEVEL[event.level], _remark(titles.get(event.device_id or ""), event.message), event.kind)
        for event in store.events(run_id)
        if event.kind in EVENTS and EVENTS[event.kind].of_machine
        if event.device_id not in burned and event.level in _OF_LEVEL
    )
    for outcome, text, kind in dict.fromkeys(remarks):
        yield Reason(outcome, text, criterion=ReasonCriterion.REMARK, about=kind)


def _remark(device: str | None, message: str) -> str:
    return message if device is None else tr("{device}: {finding}", device=device, finding=message)


def _companions(store: RunReader, run_id: int) -> Iterator[Reason]:
    """Devices that were not burned in, but under load in a stage of the whole system."""
    titles = {row.device.id: row.device.title for row in store.devices(run_id) if not row.burned}
    stages = {stage.number: stage.title for stage in store.stages(run_id)}
    for result in store.results(run_id):
        if result.device_id in titles:
            for outcome, finding in (
                (outcome_of(result, Outcome.WARN), result.reason or result.status.label),
                *((Outcome.WARN, text) for text in result.told(StageEvidence).warnings),
            ):
                yield Reason(
                    outcome,
                    tr(
                        "{device}, {stage}: {finding}",
                        finding=finding,
                        device=titles[result.device_id],
                        stage=stages[result.number],
                    ),
                    criterion=ReasonCriterion.COMPANION,
                    about=result.device_id,
                    stage=result.number,
                )
