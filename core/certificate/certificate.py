"""What a certificate says, as values: read from the record of a run, before any layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.asbuilt.bus import BusCard
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, SOFTWARE, Outcome, ResultStatus
from core.burnin.record.run_facts import DETAILS, ORIGIN, FactChange, RunFacts
from core.burnin.verdict.causes import Cause
from core.burnin.verdict.predicted import PlannedRun
from core.certificate.comparison import PlanRow, plan_rows
from core.chart import PredictedBand
from core.language import plain
from core.report.document import Illustration
from core.report.formatting import commas, named
from core.report.recorded_run import RecordedRun
from core.report.run_figures import run_figures
from core.report.run_plan import UnreadablePlan, expected_bands, read_plan
from core.report.run_seal import RunSeal, read_run_seal
from core.report.statement import PaperKind, Statement
from core.telemetry.device import Device, DeviceKind

CURVES = ("temperature_c", "power_w", "throughput_tflops", "clock_mhz")
"""One page of them."""

_LEFT_OUT = (ResultStatus.NOT_RUN, ResultStatus.STOPPED)


@dataclass(frozen=True, slots=True)
class CardRow:
    """One burned device. None is "not known"."""

    device_id: str
    label: str
    slot: str | None
    address: str | None
    """On the PCI bus."""
    model: str
    serial: str | None
    vbios: str | None
    errors: str
    """By kind; "" without any."""
    hottest_c: float | None
    outcome: Outcome | None
    passed: tuple[str, ...]
    """Reasons that passed, a sentence each."""

    @property
    def place(self) -> str:
        """Where a hand finds it: the label of the slot, else the address; "" where neither is known."""
        return self.slot or (plain("PCI {address}", address=self.address) if self.address else "")

    @property
    def name(self) -> str:
        """As causes and curves call it, with its place: "GPU 2, PCIE5"."""
        return commas(one for one in (self.label, self.place) if one)


@dataclass(frozen=True, slots=True)
class NotRun:
    """A stage that did not run, or not to its end, on some or all devices, with the reason where all gave the same."""

    title: str
    devices: tuple[str, ...]
    """Labels; empty for all."""
    why: str


@dataclass(frozen=True, slots=True)
class Versions:
    """Of what the run depended on; "" where it was not recorded."""

    program: str
    pytorch: str
    """With the CUDA that it was built for."""
    driver: str
    cuda: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """Everything that its pages show."""

    record: RecordedRun
    machine: str
    facts: RunFacts
    told_later: tuple[FactChange, ...]
    """Facts that were told after the run had ended."""
    outcome: Outcome | None
    causes: tuple[Cause, ...]
    cards: tuple[CardRow, ...]
    planned: str
    """Name of the plan; "" without one."""
    plan: tuple[PlanRow, ...]
    checks: int
    ran: tuple[str, ...]
    """Titles of stages that ended on a device."""
    not_run: tuple[NotRun, ...]
    not_tested: tuple[BusCard, ...]
    """Cards on the bus that nobody tested, and those that were left out."""
    spared: tuple[str, ...]
    """What the run was not spared, a sentence each."""
    versions: Versions
    figures: tuple[Illustration, ...]
    seal: RunSeal
    statement: Statement
    """What is signed into it."""


def read_certificate(store: RunReader, run_id: int, seal: RunSeal | None = None) -> Certificate:
    """As recorded now; of a run without a verdict that says so. `seal` is that of the run where it was read already.

    Raises BadInput if there is no such run. What failed its check has no certificate: see core.report.changed_run.
    """
    seal = seal or read_run_seal(store, run_id)
    record = RecordedRun.read(store, run_id)
    plan = read_plan(record)
    verdict = next((one for one in record.verdicts if one.device_id == MACHINE), None)
    ended = record.run.ended_at
    cards = tuple(_card(record, device) for device in record.burned)
    changes = tuple(
        change
        for change in store.fact_changes(run_id)
        if ended and change.at > ended and change.name not in (ORIGIN, *DETAILS)
    )
    return Certificate(
        record=record,
        machine=record.run.machine,
        facts=store.facts(run_id),
        told_later=changes,
        outcome=verdict.outcome if verdict else None,
        causes=record.causes,
        cards=cards,
        planned=plan.plan.name if isinstance(plan, PlannedRun) else "",
        plan=tuple(plan_rows(record, None if isinstance(plan, UnreadablePlan) else plan)),
        checks=sum(_grown(record, device.id, "checks") for device in record.burned),
        ran=tuple(_ran(record)),
        not_run=tuple(_not_run(record)),
        not_tested=record.as_built.bus if record.as_built else (),
        spared=tuple(one.message for one in record.interruptions),
        versions=_versions(record),
        figures=tuple(_figures(record, expected_bands(plan, record), cards)),
        seal=seal,
        statement=seal.statement(PaperKind.CERTIFICATE),
    )


def of_one_card(found: Certificate, device: Device) -> Certificate:
    """What it says of one card alone, and nothing of the others or of whose the machine is."""
    record, facts = found.record, found.facts
    card = next(one for one in found.cards if one.device_id == device.id)
    label = device.label
    statement = found.statement.model_copy(update={"kind": PaperKind.RMA, "card": device.id, "outcome": card.outcome})
    missed = (one for one in found.not_run if not one.devices or label in one.devices)
    return replace(
        found,
        facts=RunFacts(tester=facts.tester, room_temperature_c=facts.room_temperature_c, circuit=facts.circuit),
        told_later=(),
        machine=system_of(found.machine),
        outcome=card.outcome,
        causes=tuple(_alone(cause, device) for cause in found.causes if device.id in cause.devices),
        cards=(card,),
        planned="",
        plan=(),
        checks=_grown(record, device.id, "checks"),
        not_run=tuple(replace(one, devices=()) for one in missed),
        not_tested=(),
        figures=tuple(_figures(record, {}, (card,))),
        statement=statement,
    )


def system_of(machine: str) -> str:
    """The operating system in the name of a machine: "tower-7 (Linux 6.1, x86_64)" is "Linux 6.1, x86_64"."""
    return machine.rpartition("(")[2].rstrip(")")


def _alone(cause: Cause, device: Device) -> Cause:
    """A cause that several cards share names the others in its sentence: of one alone their reason is told."""
    if len(cause.devices) == 1:
        return cause
    own = next((one.reason.text for one in cause.folded if one.device_id == device.id), "")
    return replace(cause, text=named(device.label, own) if own else device.label, devices=(device.id,))


def _card(record: RecordedRun, device: Device) -> CardRow:
    built = record.as_built.card(device.id) if record.as_built else None
    verdict = next((one for one in record.verdicts if one.device_id == device.id), None)
    passed = [one for one in verdict.own_reasons if one.outcome is Outcome.PASS] if verdict else []
    heat = record.summary(device.id, "temperature_c")
    slot = (built.slot or (str(built.position) if built.position is not None else None)) if built else None
    return CardRow(
        device_id=device.id,
        label=device.label,
        slot=slot,
        address=device.bus_id,
        model=(built.product if built else None) or device.name,
        serial=(built.serial if built else None) or device.serial,
        vbios=(built.vbios if built else None) or device.vbios,
        errors=errors.words if (errors := record.errors.get(device.id)) else "",
        hottest_c=heat.statistics.highest if heat else None,
        outcome=verdict.outcome if verdict else None,
        passed=tuple(one.text for one in passed),
    )


def _figures(
    record: RecordedRun, expected: dict[str, PredictedBand], cards: Sequence[CardRow]
) -> Iterator[Illustration]:
    """Their curves, by the names that page 1 has for them."""
    names = {card.device_id: card.name for card in cards}
    return run_figures(record, expected, CURVES, [record.device(id_) for id_ in names], names)


def _grown(record: RecordedRun, device_id: str, metric: str) -> int:
    found = record.summary(device_id, metric)
    return int(found.growth.first + found.growth.grown) if found else 0


def _ran(record: RecordedRun) -> Iterator[str]:
    done = {number for (number, _), result in record.results.items() if result.status not in _LEFT_OUT}
    return (stage.title for stage in record.stages if stage.number in done)


def _not_run(record: RecordedRun) -> Iterator[NotRun]:
    """Stages that were not reached or not finished, and those that said of a device why they could not run."""
    for stage in record.stages:
        results = {device.id: record.results.get((stage.number, device.id)) for device in record.burned}
        missed = {id_: one for id_, one in results.items() if one is None or one.status in _LEFT_OUT}
        if results and not missed:
            continue
        whys = dict.fromkeys(one.reason for one in missed.values() if one)
        labels = tuple(record.device(id_).label for id_ in missed) if len(missed) < len(results) else ()
        yield NotRun(stage.title, labels, next(iter(whys)) if len(whys) == 1 else "")


def _versions(record: RecordedRun) -> Versions:
    gpus = [row.device for row in record.devices if row.device.kind is DeviceKind.GPU]
    machine = record.as_built.machine if record.as_built else None
    return Versions(
        program=record.run.version,
        pytorch=commas(event.message for event in record.events if event.kind == SOFTWARE),
        driver=(machine.driver if machine else None) or _first(device.driver for device in gpus),
        cuda=(machine.cuda if machine else None) or _first(device.cuda_version for device in gpus),
    )


def _first(texts: Iterator[str | None]) -> str:
    return next((text for text in texts if text), "")
