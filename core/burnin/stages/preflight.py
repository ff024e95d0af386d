"""Preflight: whether what is here is what was planned, and fit to be burned in."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from core.burnin.planned import lacking_cards, planned_memory_gb, unplanned_cards
from core.burnin.record.rows import EventLevel, Result, ResultStatus
from core.burnin.record.samples import Samples, mean, readings
from core.burnin.stages.stage import Stage, StageContext, StageParams
from core.burnin.stages.together import TogetherStage
from core.burnin.stages.watching import StageFindings, WatchingStage
from core.machine.asbuilt.as_built import AsBuilt, LineState, LineSubject
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import LOAD_METRICS, METRICS, Reading
from core.plan.build import Build
from core.words import joined, listed, tr, trn

SAME_W = 0.5
"""Power limits that differ by less are the same."""
WARM_ABOVE_K = 30.0
"""A GPU at rest that is warmer above the air was busy a moment ago, or is not cooled."""
MOST_SRAM_ERRORS = 4
"""More uncorrected SRAM errors in a GPU's life mean that it is to be replaced."""
WAITING = {
    "remap_pending": tr("A row remapping is pending: reset the GPU and run again."),
    "remap_failed": tr("A row remapping failed: replace the GPU."),
    "retire_pending": tr("A page retirement is pending: restart the machine and run again."),
    "recovery_action": tr("The driver requests a recovery of this GPU: reset it, or restart the machine."),
    "sram_worn": tr("The GPU has reached its SRAM error threshold: replace it."),
    "ecc_uncorrected": tr("Uncorrectable memory errors have occurred since the driver was loaded."),
}
"""States and counts that fail a device before anything burns, with what to do."""
LACKS_MEMORY_SHARE = 0.9
"""Of the planned main memory: firmware and graphics keep some of it, a missing module takes more."""
ROOM_FOR_HOURS_MB = 10.0
"""Of samples and events in an hour, with much to spare."""
Remark = tuple[EventLevel, str]


class PreflightParams(StageParams):
    """What the stage can be asked for."""

    power_limit_w: Annotated[float, Field(gt=0, le=5000)] | None = None
    """The limit that every GPU shall be set to; without it the card's own."""
    ambient_c: Annotated[float, Field(ge=-10, le=50)] = 25
    """Of the air that the machine takes in, to tell whether a GPU is warm at rest."""


class Preflight(WatchingStage):
    """Looks before anything burns: at each device, and at the machine against its plan."""

    own_params = PreflightParams

    def __init__(self, kind: str, title: str, *, stage_of: Callable[[str], Stage], **fields: Any) -> None:
        super().__init__(kind, title, **fields)
        self._stage_of = stage_of
        """The stage of a kind, among those that a profile can name."""

    def run(self, context: StageContext) -> None:
        """The machine first: what is missing shows at once."""
        check_inventory(context)
        super().run(context)

    def look(self, context: StageContext, device: Device, samples: Samples) -> Result:
        """Which quantities are measured, and what speaks against burning."""
        own = PreflightParams(**self.own(context.settings.params))
        burned = [under_test.device for under_test in context.devices.values()]
        stages = [self._stage_of(settings.kind) for settings in context.run.profile.stages]
        together = [stage for stage in stages if isinstance(stage, TogetherStage) and not stage.lacks(device, burned)]
        second_contexts = list(dict.fromkeys(stage.title for stage in together))
        findings = look_before(device, samples, own, second_contexts=second_contexts)
        findings.warnings += list(_beside_others(device, burned))
        if problem := link_problem(context.as_built, device):
            findings.warnings.append(problem)
        measured = tr("{quantities} quantities are measured.", quantities=len(findings.evidence["measured"]))
        # A share of a divided card is none the worse for that: what only its card can tell is judged for the machine.
        of_a_card = tr("It is {limited}.", limited=device.limited) if device.parent else ""
        result = findings.result(joined([measured, of_a_card]))
        if findings.refusals:
            out = context.devices[device.id]
            out.end(ResultStatus.NOT_RUN, joined(findings.refusals))
            out.take_result()  # what ended it is in the result of this stage
        return result


def look_before(
    device: Device, samples: Samples, params: PreflightParams, *, second_contexts: Sequence[str] = ()
) -> StageFindings:
    """Pure: what is measured, what is not, and what speaks against burning this device.

    `second_contexts` are the titles of stages to come that open the GPU in a second process.
    """
    metrics = [metric for metric in METRICS if metric.name not in LOAD_METRICS and device.kind in metric.of]
    measured = [metric.name for metric in metrics if mean(samples, metric.name) is not None]
    counters = {m.name: _last(samples, m.name) for m in metrics if m.reading is Reading.COUNTER and m.name in measured}
    findings = StageFindings(
        {
            "measured": measured,
            "not_measured": [metric.title for metric in metrics if metric.name not in measured],
            "counters_before": counters,
            "facts": device.facts,
        }
    )
    _power_limit(device, samples, params, findings)
    _health(device, samples, findings)
    _others(device, findings, second_contexts)
    _warmth(device, samples, params, findings)
    return findings


def _power_limit(device: Device, samples: Samples, params: PreflightParams, findings: StageFindings) -> None:
    limit, default = mean(samples, "power_limit_w"), device.power_limit_w
    if device.kind is not DeviceKind.GPU or limit is None:
        return
    if params.power_limit_w is not None:
        if abs(limit - params.power_limit_w) > SAME_W:
            fields = {"limit": limit, "asked_w": params.power_limit_w}
            findings.failures.append(tr("The power limit is {limit:.0f} W; {asked_w:.0f} W were requested.", **fields))
    elif default is not None and limit < default - SAME_W:
        fields = {"limit": limit, "default": default}
        findings.warnings.append(
            tr("The power limit is set to {limit:.0f} W, the card's default is {default:.0f} W.", **fields)
        )


def _health(device: Device, samples: Samples, findings: StageFindings) -> None:
    findings.failures += [text for name, text in WAITING.items() if _last(samples, name)]
    worn = device.sram_lifetime_uncorrected or 0
    if worn > MOST_SRAM_ERRORS:
        findings.failures.append(tr("{worn} uncorrected SRAM errors in its lifetime: replace the GPU.", worn=worn))
    elif worn:
        findings.warnings.append(tr("{worn} uncorrected SRAM errors in its lifetime.", worn=worn))
    if device.inforom_ok is False:
        findings.warnings.append(tr("The configuration memory of the board (InfoROM) is damaged."))
    if device.kind is DeviceKind.GPU:  # processors log corrected errors of firmware's making: told, not judged
        findings.warnings += [
            tr("Logged since the machine started, before this run: {logged}", logged=logged)
            for logged in device.logged_before
        ]
    if problem := device.detail.get("problem"):
        findings.failures.append(tr("It does not answer: {problem}", problem=problem))


def _others(device: Device, findings: StageFindings, second_contexts: Sequence[str]) -> None:
    """Other programs, and modes that keep ours out: settings, not faults of the card."""
    others = device.processes or 0
    exclusive = device.compute_mode == "exclusive process"
    if device.mig:
        findings.refusals.append(
            tr(
                "MIG is on but has no instance: create one with nvidia-smi mig -cgi, or turn MIG off "
                "with nvidia-smi -mig 0."
            )
        )
    elif device.compute_mode == "prohibited":
        findings.refusals.append(
            tr("Its compute mode is prohibited: nothing can run on it. Set it with nvidia-smi -c 0.")
        )
    elif exclusive and others:
        findings.refusals.append(tr("Another program holds it exclusively. End that program and start again."))
    elif exclusive and second_contexts:
        findings.refusals.append(
            tr(
                "Its compute mode allows one process; {stages} would need two. Set it with nvidia-smi "
                "-c 0 and start again.",
                stages=listed(second_contexts),
            )
        )
    elif others:
        findings.warnings.append(
            trn(
                "Another program uses it: speed and power are not this run's alone.",
                "{count} other programs use it: speed and power are not this run's alone.",
                count=others,
            )
        )
    if device.limited and not device.parent:
        findings.warnings.append(tr("It can be measured only in part: {limited}.", limited=device.limited))


def _warmth(device: Device, samples: Samples, params: PreflightParams, findings: StageFindings) -> None:
    temperature = mean(samples, "temperature_c")
    if device.parent:
        return  # the card's
    if temperature is None:
        findings.warnings.append(tr("The temperature is not measured: cooling cannot be judged."))
    elif device.kind is DeviceKind.GPU and temperature > params.ambient_c + WARM_ABOVE_K:
        fields = {"temperature": temperature, "above_k": WARM_ABOVE_K, "ambient_c": params.ambient_c}
        findings.warnings.append(
            tr(
                "It is {temperature:.0f} °C before any load, more than {above_k:.0f} K above "
                "air of {ambient_c:.0f} °C: it was busy a moment ago, or is not cooled.",
                **fields,
            )
        )


def _beside_others(device: Device, burned: Sequence[Device]) -> Iterator[str]:
    versions = sorted({other.vbios for other in burned if other.name == device.name and other.vbios})
    if len(versions) > 1 and device.vbios:
        fields = {"versions": ", ".join(versions), "vbios": device.vbios}
        yield tr("Cards of this model have different VBIOS versions ({versions}); this one {vbios}.", **fields)


def _last(samples: Samples, name: str) -> float | None:
    values = readings(samples, name)
    return float(values[-1]) if len(values) else None


def check_inventory(context: StageContext) -> None:
    """Puts on record what concerns the machine; the verdict on it takes errors as failures."""
    unserved = [card.as_device() for card in context.as_built.unserved] if context.as_built else []
    for level, text in remarks(context.plan, context.run.watched, unserved, accepted=context.accepted):
        context.live.event(level, "plan", text)
    free_mb = shutil.disk_usage(context.run.folder).free / 1e6
    hours = context.run.profile.seconds / 3600
    needed_mb = context.run.profile.guards.free_disk_mb + ROOM_FOR_HOURS_MB * hours
    if free_mb < needed_mb:
        text = tr(
            "The disk has {free_mb:.0f} MB left; the recording may need {needed_mb:.0f} MB and would end early.",
            free_mb=free_mb,
            needed_mb=needed_mb,
        )
        context.live.event(EventLevel.WARN, "room", text)


def remarks(
    plan: Build | None, present: Sequence[Device], unserved: Sequence[Device] = (), *, accepted: bool = False
) -> Iterator[Remark]:
    """Pure: cards that are missing or not in the plan, and missing memory.

    A card that is `unserved`, on the bus and not listed by the driver, is not missing: the verdict tells of it.
    What is missing fails the machine, but where it was `accepted` before the run.
    """
    if plan is None:
        return
    for lacking in lacking_cards(plan, [*present, *unserved]):
        fields = {"plan": plan.name, "planned": lacking.planned, "product": lacking.product}
        missing = tr("The plan {plan!r} has {planned} x {product}; none is present.", **fields)
        if lacking.present:
            missing = tr(
                "The plan {plan!r} has {planned} x {product}; {present} of them are present.",
                plan=plan.name,
                planned=lacking.planned,
                product=lacking.product,
                present=lacking.present,
            )
        if accepted:
            yield EventLevel.WARN, joined([missing, tr("It was accepted before the run.")])
        else:
            yield EventLevel.ERROR, joined([missing, tr("Check power, seating and risers.")])
    for device in unplanned_cards(plan, present):
        yield EventLevel.WARN, tr("{device} is not in the plan {plan!r}.", device=device.title, plan=plan.name)
    yield from _memory(plan, present)


def link_problem(as_built: AsBuilt | None, device: Device) -> str | None:
    """Pure: a sentence where the device's link can do less than the plan gives to its slot.

    Of cards whose slot is not known the best link is held against the best of the plan, and so on.
    """
    for line in as_built.lines if as_built else ():
        if line.subject is LineSubject.LINK and line.device == device.id and line.state is LineState.DIFFERENT:
            fields = {"what": line.what, "found": line.found, "planned": line.planned, "why": line.why}
            return tr("{what}: its link supports {found} at most, the plan has {planned}. {why}", **fields)
    return None


def _memory(plan: Build, present: Sequence[Device]) -> Iterator[Remark]:
    planned_gb = planned_memory_gb(plan)
    hosts = [device for device in present if device.kind is DeviceKind.CPU and device.memory_mb]
    if planned_gb is None or not hosts or any(device.simulated for device in present):
        return
    here_gb = (hosts[0].memory_mb or 0) / 1024
    if here_gb < LACKS_MEMORY_SHARE * planned_gb:
        fields = {"planned_gb": planned_gb, "here_gb": here_gb}
        yield EventLevel.ERROR, tr("The plan has {planned_gb:.0f} GB of RAM; {here_gb:.0f} GB are present.", **fields)
