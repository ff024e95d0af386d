"""What a certificate says, as values: read from the record of a run, before any layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Outcome, ResultStatus
from core.burnin.record.run_facts import DETAILS, ORIGIN, FactChange, RunFacts
from core.burnin.verdict.causes import Cause
from core.burnin.verdict.plan import PlanComparison
from core.machine.asbuilt.as_built import AsBuiltLine, LineState, LineSubject
from core.machine.asbuilt.bus import BusCard
from core.machine.telemetry.device import Device, DeviceKind
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.present.report.document import Illustration
from core.present.report.formatting import band_text, commas, named
from core.present.report.recorded_run import RecordedRun, RunCard
from core.present.report.run_figures import run_figures
from core.present.report.run_plan import RunPlan, noise_text, wall_text
from core.present.report.run_seal import RunSeal, read_run_seal
from core.present.report.statement import PaperKind, Statement
from core.words import plain, tr
from core.words.units import number, quantity

CURVES = ("temperature_c", "power_w", "throughput_tflops", "clock_mhz")
"""One page of them."""
_LEFT_OUT = (ResultStatus.NOT_RUN, ResultStatus.STOPPED)


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


class Agreement(StrEnum):
    """What a row of the comparison says."""

    SAME = "same"
    DIFFERENT = "different"
    NOTED = "noted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One thing as planned, as built and as measured."""

    title: str
    planned: str
    built: str
    measured: str | None
    """None of what is not measured; "" of what was not."""
    agreement: Agreement


@dataclass(frozen=True)
class Certificate:
    """Everything that its pages show."""

    record: RecordedRun
    run_plan: RunPlan
    facts: RunFacts
    told_later: tuple[FactChange, ...]
    """Facts that were told after the run had ended."""
    cards: Sequence[RunCard]
    not_run: tuple[NotRun, ...]
    seal: RunSeal
    statement: Statement
    """What is signed into it."""

    @property
    def card(self) -> RunCard | None:
        """The card that alone it is about; None of that of a machine."""
        return self.cards[0] if self.statement.card else None

    @property
    def machine(self) -> str:
        """Its name and system; of one card the system alone."""
        machine = self.record.run.machine
        return system_of(machine) if self.card else machine

    @property
    def outcome(self) -> Outcome | None:
        """Of the machine, or of the one card."""
        return self.card.outcome if self.card else self.record.outcome

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why that did not pass."""
        if (card := self.card) is None:
            return self.record.causes
        return tuple(_alone(cause, card.device) for cause in self.record.causes if card.device.id in cause.devices)

    @property
    def planned(self) -> str:
        """Name of the plan; "" without one."""
        return self.run_plan.planned.plan.name if self.run_plan.planned and not self.card else ""

    @property
    def plan(self) -> tuple[PlanRow, ...]:
        """The machine beside its plan; nothing of one card."""
        return () if self.card else tuple(plan_rows(self.run_plan))

    @property
    def checks(self) -> int:
        """How many results were checked."""
        counts = [self.record.summary(card.device.id, "checks") for card in self.cards]
        return sum(int(one.growth.first + one.growth.grown) for one in counts if one)

    @property
    def ran(self) -> tuple[str, ...]:
        """Titles of stages that ended on a device."""
        done = {stage for (stage, _), result in self.record.results.items() if result.status not in _LEFT_OUT}
        return tuple(stage.title for stage in self.record.stages if stage.number in done)

    @property
    def not_tested(self) -> tuple[BusCard, ...]:
        """Cards on the bus that nobody tested, and those that were left out."""
        built = self.record.as_built
        return built.bus if built and not self.card else ()

    @property
    def spared(self) -> tuple[str, ...]:
        """What the run was not spared, a sentence each."""
        return tuple(one.message for one in self.record.interruptions)

    @property
    def versions(self) -> Versions:
        """Of program, libraries and driver."""
        gpus = [row.device for row in self.record.devices if row.device.kind is DeviceKind.GPU]
        machine = self.record.as_built.machine if self.record.as_built else None
        return Versions(
            program=self.record.run.version,
            pytorch=commas(self.record.libraries),
            driver=(machine.driver if machine else None) or _first(device.driver for device in gpus),
            cuda=(machine.cuda if machine else None) or _first(device.cuda_version for device in gpus),
        )

    @property
    def figures(self) -> tuple[Illustration, ...]:
        """Curves of the cards, by the names that page 1 has for them."""
        names = {card.device.id: card.name for card in self.cards}
        return tuple(run_figures(self.record, {} if self.card else self.run_plan.expected, CURVES, names))


def read_certificate(store: RunReader, run_id: int, seal: RunSeal | None = None) -> Certificate:
    """As recorded now; of a run without a verdict that says so. `seal` is that of the run where it was read already.

    Raises BadInput if there is no such run. What failed its check has no certificate: core.present.report.run_seal.
    """
    seal = seal or read_run_seal(store, run_id)
    record = RecordedRun.read(store, run_id)
    ended = record.run.ended_at
    changes = tuple(
        change
        for change in store.fact_changes(run_id)
        if ended and change.at > ended and change.name not in (ORIGIN, *DETAILS)
    )
    return Certificate(
        record=record,
        run_plan=RunPlan.read(record),
        facts=store.facts(run_id),
        told_later=changes,
        cards=record.cards,
        not_run=tuple(_not_run(record)),
        seal=seal,
        statement=seal.statement(PaperKind.CERTIFICATE),
    )


def of_one_card(certificate: Certificate, device: Device) -> Certificate:
    """What it says of one card alone, and nothing of the others or of whose the machine is."""
    facts = certificate.facts
    card = next(one for one in certificate.cards if one.device == device)
    about = {"kind": PaperKind.RMA, "card": device.id, "outcome": card.outcome}
    missed = (one for one in certificate.not_run if not one.devices or device.label in one.devices)
    return replace(
        certificate,
        facts=RunFacts(tester=facts.tester, room_temperature_c=facts.room_temperature_c, circuit=facts.circuit),
        told_later=(),
        cards=(card,),
        not_run=tuple(replace(one, devices=()) for one in missed),
        statement=certificate.statement.model_copy(update=about),
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


def _first(texts: Iterator[str | None]) -> str:
    return next((text for text in texts if text), "")


_OF_STATE = {
    LineState.AS_PLANNED: Agreement.SAME,
    LineState.DIFFERENT: Agreement.DIFFERENT,
    LineState.MISSING: Agreement.DIFFERENT,
    LineState.NOT_PLANNED: Agreement.NOTED,
    LineState.NOT_SERVED: Agreement.DIFFERENT,
    LineState.NOT_READABLE: Agreement.UNKNOWN,
}
_LOADED = (LoadCase.TRAINING, LoadCase.EVERYTHING)
_FORMATS = {"float64": "FP64", "float32": "FP32", "tf32": "TF32", "float16": "FP16", "bfloat16": "BF16"}
"""Number formats of products, as data sheets call them."""


def plan_rows(plan: RunPlan) -> Iterator[PlanRow]:
    """The machine as built, then what was measured beside its prediction; without a plan what was measured at all."""
    if plan.planned is not None:
        built = plan.record.as_built
        for subject in LineSubject:
            yield from _of_subject(subject, [line for line in built.lines if line.subject is subject] if built else [])
        loaded = [one for one in plan.compared if one.load in _LOADED]
        yield from _of_cards(tr("Temperature of cards"), [one for one in loaded if one.what == "temperature_c"])
        yield from _of_cards(tr("Power of a card"), [one for one in loaded if one.what == "power_w"])
        for name in dict.fromkeys(one.what for one in loaded if one.is_rate):
            title = tr("Matrix products, {format}", format=_FORMATS.get(name, name))
            yield from _of_cards(title, [one for one in loaded if one.what == name])
        yield _read_wall(plan.at_the_wall, plan.planned.prediction.wall_w[LoadCase.TRAINING])
    yield from _attached_walls(plan)
    yield from _noises(plan)


def _of_subject(subject: LineSubject, lines: Sequence[AsBuiltLine]) -> Iterator[PlanRow]:
    """Lines that say the same are one row with their number."""
    for (planned, built, state), count in Counter((line.planned, line.found, line.state) for line in lines).items():
        yield PlanRow(subject.plural, _times(count, planned), _times(count, built), None, _OF_STATE[state])


def _times(count: int, thing: str) -> str:
    return plain("{count} × {thing}", count=count, thing=thing) if thing and count > 1 else thing


def _of_cards(title: str, compared: Sequence[PlanComparison]) -> Iterator[PlanRow]:
    """From the lowest to the highest card, in the stage that measured most of them."""
    if not compared:
        return
    stage = Counter(one.stage for one in compared).most_common(1)[0][0]
    here = [one for one in compared if one.stage == stage]
    low, high = min(one.measured for one in here), max(one.measured for one in here)
    first = here[0].predicted
    decimals = 1 if here[0].is_rate else 0
    measured = quantity(high, first.unit, decimals=decimals)
    if round(low, decimals) != round(high, decimals):
        measured = plain("{low} – {high}", low=number(low, decimals), high=measured)
    yield PlanRow(title, band_text(first), "", measured, _agreement(any(one.suspicious for one in here)))


def _agreement(suspicious: bool) -> Agreement:
    return Agreement.DIFFERENT if suspicious else Agreement.SAME


def _read_wall(wall: PlanComparison | None, predicted: Band) -> PlanRow:
    """What a meter told during the run."""
    title = tr("Power at the wall")
    if wall is None:
        return PlanRow(title, band_text(predicted), "", "", Agreement.UNKNOWN)
    measured = quantity(wall.measured, "W", decimals=0)
    return PlanRow(title, band_text(wall.predicted), "", measured, _agreement(wall.suspicious))


def _attached_walls(plan: RunPlan) -> Iterator[PlanRow]:
    """What a file told afterwards: beside the prediction, and no part of the verdict."""
    for wall in plan.walls:
        if wall.attached:
            title = tr("Power at the wall, {file}", file=wall.file)
            if wall.load is LoadCase.IDLE:
                title = tr("Power at the wall when idle, {file}", file=wall.file)
            predicted = "" if wall.predicted is None else band_text(wall.predicted)
            yield PlanRow(title, predicted, "", wall_text(wall), Agreement.NOTED)


def _noises(plan: RunPlan) -> Iterator[PlanRow]:
    """At rest where that was measured, and in training; as a meter hears them, with the noise of the room."""
    for one in plan.noises:
        level, distance = noise_text(one)
        if one.predicted is None:
            predicted, agreement = "", Agreement.NOTED
        else:
            predicted, agreement = band_text(one.predicted), _agreement(one.too_loud)
        yield PlanRow(_noise_title(one.load, distance), predicted, "", level, agreement)
    if plan.planned is not None and not any(one.load is LoadCase.TRAINING for one in plan.noises):
        predicted = band_text(plan.planned.prediction.noise_load)
        title = _noise_title(LoadCase.TRAINING, quantity(1, "m"))
        yield PlanRow(title, predicted, "", "", Agreement.UNKNOWN)


def _noise_title(load: LoadCase, distance: str) -> str:
    if load is LoadCase.IDLE:
        return tr("Noise idle, at {distance}", distance=distance)
    return tr("Noise at {distance}", distance=distance)
