"""Before the first stage: whether this is the machine that was planned; the run on record, anew or taken up again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from filelock import FileLock

from core.burnin.planned import read_plan
from core.burnin.profile.file import check_stage, title_of
from core.burnin.profile.profile import Profile
from core.burnin.record.patient_store import OpenedRun
from core.burnin.record.rows import InterruptionKind, Run, RunDevice, RunStatus
from core.burnin.record.store import RUNNER, RunStore
from core.burnin.run.lock import ALREADY_RUNNING, take_device_locks
from core.burnin.run.machine import boot_of, describe_machine
from core.burnin.run.order import BurnOrder, choose_devices
from core.burnin.run.recovery import mark_interrupted, stopped_s
from core.burnin.stages.registry import BY_KIND
from core.machine.asbuilt.as_built import AsBuilt, LineState
from core.machine.asbuilt.binding import read_notes
from core.machine.asbuilt.bus import BusCard, LeftOutBy
from core.machine.asbuilt.inspection import hold_against, inspect
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import EnvironmentProblem
from core.platform.processes import mark_of
from core.version import __version__
from core.words import duration, joined, tr, translated, trn

MACHINE_ROOT = Path("/")
SHORTER_BY_S = 0.5
"""Less is rounding."""


def arrival_of(order: BurnOrder, present: Sequence[Device], data_dir: Path) -> AsBuilt:
    """The machine beside the order's plan, with what the order accepts and leaves out. Takes some milliseconds.

    Raises BadInput for a card to leave out that is not there.
    """
    notes, _ = read_notes(data_dir)
    machine = inspect(present, MACHINE_ROOT)
    return hold_against(read_plan(order.build), machine, notes, order.accepted, order.leave_out)


def require_planned(machine: AsBuilt) -> None:
    """Raises EnvironmentProblem where a planned card is missing or another one, and nobody accepted that by name.

    Simulated cards were chosen by whoever ordered them.
    """
    if machine.simulated or not machine.blocking:
        return
    missing: dict[str, list[str]] = {}
    for line in machine.blocking:
        if line.state is LineState.MISSING:
            missing.setdefault(line.planned, []).append(line.what)
    deviations = [
        trn(
            "{product} is missing ({places})",
            "{count} × {product} are missing ({places})",
            count=len(places),
            product=product,
            places=", ".join(places),
        )
        for product, places in missing.items()
    ]
    deviations += [
        tr("{what} has {found} instead of {planned}", what=line.what, found=line.found, planned=line.planned)
        for line in machine.blocking
        if line.state is LineState.DIFFERENT
    ]
    accept = ",".join(f"'{line.what}'" if line.slot is None else str(line.slot) for line in machine.blocking)
    fields = {"told": joined(deviations, "; "), "accept": accept}
    raise EnvironmentProblem(
        tr("The machine is not as planned: {told}. Correct it, or accept it by name: {--accept} {accept}", **fields)
    )


def require_wall_meter(present: Sequence[Device]) -> None:
    """Raises EnvironmentProblem where the wall meter that was ordered cannot be read: at the start, not at the end."""
    for device in present:
        if device.kind is DeviceKind.WALL and (problem := device.detail.get("problem")):
            raise EnvironmentProblem(joined([problem, tr("To run without it, leave out {--wall}.")]))


def settled(store: RunStore, order: BurnOrder) -> tuple[BurnOrder, Profile]:
    """The order, with the simulation of a run that it resumes, and the profile that it leads to.

    Raises BadInput, or EnvironmentProblem if there is nothing to resume.
    """
    if order.resume is None:
        return order, order.wanted_profile()
    run = _resumable(store, order.resume)
    simulate = run.simulate if order.simulate is None else order.simulate
    return order.model_copy(update={"simulate": simulate}), run.profile


def open_run(store: RunStore, order: BurnOrder, profile: Profile, present: Sequence[Device]) -> OpenedRun:
    """Records the run. The caller holds the runner's lock, so a run that claims to be running was interrupted.

    Unless its process still runs: somebody has removed the lock then. Raises EnvironmentProblem.
    """
    require_wall_meter(present)
    mark_interrupted(store, store.path.parent)
    if any(run.status is RunStatus.RUNNING for run in store.runs()):
        raise EnvironmentProblem(ALREADY_RUNNING)
    return _new(store, order, profile, present) if order.resume is None else _again(store, order.resume, present)


def _resumable(store: RunStore, run_id: int) -> Run:
    store.require_measured(run_id)
    run = store.run(run_id)
    if run.status is RunStatus.FINISHED and stopped_s(store.verdicts(run_id)) is None:
        raise EnvironmentProblem(
            tr(
                "Run {run_id} was neither interrupted nor stopped by the user: there is nothing to resume.",
                run_id=run_id,
            )
        )
    for stage in run.profile.stages:
        place = tr("Run {run_id} cannot be resumed. {stage}: ", run_id=run_id, stage=title_of(stage))
        check_stage(stage, place, simulated=True)
    return run


def _new(store: RunStore, order: BurnOrder, profile: Profile, present: Sequence[Device]) -> OpenedRun:
    machine = arrival_of(order, present, store.path.parent)
    chosen = choose_devices(list(present), order.devices, machine.left_out)
    require_planned(machine)
    locks = _take_locks(profile, chosen, present)
    run_id = store.create_run(
        title=profile.title,
        profile=profile,
        devices=[RunDevice(device, position, device in chosen) for position, device in enumerate(present)],
        stage_titles=[title_of(stage) for stage in profile.stages],
        boot_id=boot_of(store.path.parent, simulated=any(device.simulated for device in present)),
        machine=describe_machine(),
        version=__version__,
        build=order.build,
        runner_pid=os.getpid(),
        simulate=order.simulate,
        fleet_id=order.fleet_id,
    )
    store.set_as_built(run_id, _with_choice(machine, present, chosen))
    if (full_s := order.full_seconds) - profile.seconds > SHORTER_BY_S:
        fields = {"profile": translated(profile.title), "short": duration(profile.seconds), "full": duration(full_s)}
        text = tr("Shortened by the user: {profile} in {short} instead of {full}.", **fields)
        store.add_interruption(run_id, InterruptionKind.SHORTENED, 0.0, text)
    return _opened(store, run_id, profile, chosen, list(present), locks)


def _with_choice(machine: AsBuilt, present: Sequence[Device], chosen: Sequence[Device]) -> AsBuilt:
    """With the cards that the driver lists and nobody chose: they are left out, too."""
    tested = {device.id for device in chosen} | {device.parent for device in chosen}
    on_bus = {card.address for card in machine.bus}
    others = [
        BusCard(device.bus_id, device.name, left_out_by=LeftOutBy.CHOICE)
        for device in present
        if device.kind is DeviceKind.GPU and not device.parent and device.bus_id
        if device.id not in tested and device.bus_id not in on_bus
    ]
    return replace(machine, bus=(*machine.bus, *others))


def _again(store: RunStore, run_id: int, present: Sequence[Device]) -> OpenedRun:
    run = _resumable(store, run_id)
    recorded = store.devices(run_id)
    here = {device.id for device in present}
    simulated = any(device.simulated for device in present)
    if run.simulated and not simulated:
        raise EnvironmentProblem(
            tr("Run {run_id} was simulated. Resume it with the {--simulate} that it was started with.", run_id=run_id)
        )
    if simulated and not run.simulated:
        raise EnvironmentProblem(
            tr("Run {run_id} was measured on real devices. Resume it without {--simulate}.", run_id=run_id)
        )
    gone = [row.device.title for row in recorded if row.burned and row.device.id not in here]
    if gone:
        fields = {"run_id": run_id, "devices": ", ".join(gone), "count": len(gone)}
        raise EnvironmentProblem(
            trn(
                "Run {run_id} cannot be resumed: {devices} is no longer present. For a verdict on what "
                "it recorded: {rigwright close} {run_id}.",
                "Run {run_id} cannot be resumed: {devices} are no longer present. For a verdict on what "
                "it recorded: {rigwright close} {run_id}.",
                **fields,
            )
        )
    burned, watched = [row.device for row in recorded if row.burned], [row.device for row in recorded]
    locks = _take_locks(run.profile, burned, watched)
    last_s = store.last_time_s(run_id)
    for request in store.pending_requests(run_id):
        store.answer(request.id, tr("too late: the run was interrupted"))
    boot = boot_of(store.path.parent, simulated=run.simulated)
    titles = [title_of(stage) for stage in run.profile.stages]
    store.set_runner(run_id, os.getpid(), boot, stopped_s=stopped_s(store.verdicts(run_id)), stage_titles=titles)
    opened = _opened(store, run_id, run.profile, burned, watched, locks)
    return replace(opened, elapsed_s=last_s + 1.0 if last_s else 0.0)


def _companions(profile: Profile, burned: Sequence[Device], watched: Sequence[Device]) -> list[Device]:
    if not any(BY_KIND[stage.kind].with_cpu for stage in profile.stages):
        return []
    return [device for device in watched if device.kind is DeviceKind.CPU and device not in burned]


def _take_locks(profile: Profile, burned: Sequence[Device], watched: Sequence[Device]) -> list[FileLock]:
    """Of what carries loads. A companion of simulated devices only pretends to: other runs may load it meanwhile."""
    simulated = any(device.simulated for device in watched)
    return take_device_locks([*burned, *([] if simulated else _companions(profile, burned, watched))])


def _opened(
    store: RunStore, run_id: int, profile: Profile, burned: list[Device], watched: list[Device], locks: list[FileLock]
) -> OpenedRun:
    if mark := mark_of(os.getpid()):
        store.add_process(run_id, mark, RUNNER)
    folder = store.path.parent / "logs" / f"run-{run_id}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    companions = _companions(profile, burned, watched)
    shortened = store.shortened(run_id) is not None
    return OpenedRun(run_id, profile, burned, watched, companions, folder, shortened=shortened, locks=tuple(locks))
