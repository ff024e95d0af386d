"""Puts a run on record before its first stage, or takes up one that was interrupted or stopped."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from filelock import FileLock

from core.burnin.profile.file import check_stage, title_of
from core.burnin.profile.profile import Profile
from core.burnin.record.patient_store import OpenedRun
from core.burnin.record.rows import InterruptionKind, RunDevice, RunStatus
from core.burnin.record.store import RUNNER, RunStore
from core.burnin.run.arrival import arrival_of, require_planned, require_wall_meter, with_choice
from core.burnin.run.lock import ALREADY_RUNNING, take_device_locks
from core.burnin.run.machine import boot_of, describe_machine
from core.burnin.run.order import BurnOrder, choose_devices
from core.burnin.run.recovery import mark_interrupted, stopped_s
from core.burnin.stages.registry import BY_KIND
from core.errors import EnvironmentProblem
from core.language import tr, translated, trn
from core.phrasing import duration
from core.processes import mark_of
from core.telemetry.device import Device, DeviceKind
from core.version import __version__

SHORTER_BY_S = 0.5
"""Less is rounding."""


def profile_of(store: RunStore, order: BurnOrder) -> Profile:
    """The profile that the order leads to. Raises BadInput, or EnvironmentProblem if there is nothing to resume."""
    if order.resume is None:
        return order.wanted_profile()
    store.require_measured(order.resume)
    run = store.run(order.resume)
    if run.status is RunStatus.FINISHED and _stopped_s(store, run.id) is None:
        raise EnvironmentProblem(
            tr(
                "Run {run_id} was neither interrupted nor stopped by the user: there is nothing to resume.",
                run_id=run.id,
            )
        )
    for stage in run.profile.stages:
        check_stage(
            stage, tr("Run {run_id} cannot be resumed. {stage}: ", run_id=run.id, stage=title_of(stage)), simulated=True
        )
    return run.profile


def open_run(store: RunStore, order: BurnOrder, present: Sequence[Device]) -> OpenedRun:
    """Records the run. The caller holds the runner's lock, so a run that claims to be running was interrupted.

    Unless its process still runs: somebody has removed the lock then. Raises EnvironmentProblem.
    """
    require_wall_meter(present)
    mark_interrupted(store, store.path.parent)
    if any(run.status is RunStatus.RUNNING for run in store.runs()):
        raise EnvironmentProblem(ALREADY_RUNNING)
    profile = profile_of(store, order)
    return _new(store, order, profile, present) if order.resume is None else _again(store, order.resume, present)


def _new(store: RunStore, order: BurnOrder, profile: Profile, present: Sequence[Device]) -> OpenedRun:
    found = arrival_of(order, present, store.path.parent)
    chosen = choose_devices(list(present), order.devices, found.left_out)
    require_planned(found)
    locks = take_device_locks(_loaded(profile, chosen, present))
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
    )
    store.set_as_built(run_id, with_choice(found, present, chosen))
    _note_runner(store, run_id)
    if (full_s := order.full_seconds) - profile.seconds > SHORTER_BY_S:
        text = tr(
            "Shortened by the user: {profile} in {short} instead of {full}.",
            profile=translated(profile.title),
            short=duration(profile.seconds),
            full=duration(full_s),
        )
        store.add_interruption(run_id, InterruptionKind.SHORTENED, 0.0, text)
    return _opened(store, run_id, profile, burned=chosen, watched=list(present), locks=locks)


def _again(store: RunStore, run_id: int, present: Sequence[Device]) -> OpenedRun:
    run = store.run(run_id)
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
        raise EnvironmentProblem(
            trn(
                "Run {run_id} cannot be resumed: {devices} is no longer present. For a verdict on what "
                "it recorded: {rigwright close} {run_id}.",
                "Run {run_id} cannot be resumed: {devices} are no longer present. For a verdict on what "
                "it recorded: {rigwright close} {run_id}.",
                run_id=run_id,
                devices=", ".join(gone),
                count=len(gone),
            )
        )
    burned, watched = [row.device for row in recorded if row.burned], [row.device for row in recorded]
    locks = take_device_locks(_loaded(run.profile, burned, watched))
    last_s = store.last_time_s(run_id)
    for request in store.pending_requests(run_id):
        store.answer(request.id, tr("too late: the run was interrupted"))
    boot = boot_of(store.path.parent, simulated=run.simulated)
    titles = [title_of(stage) for stage in run.profile.stages]
    store.set_runner(run_id, os.getpid(), boot, stopped_s=_stopped_s(store, run_id), stage_titles=titles)
    _note_runner(store, run_id)
    opened = _opened(store, run_id, run.profile, burned=burned, watched=watched, locks=locks)
    return replace(opened, elapsed_s=last_s + 1.0 if last_s else 0.0)


def _stopped_s(store: RunStore, run_id: int) -> float | None:
    return stopped_s(store.verdicts(run_id))


def _note_runner(store: RunStore, run_id: int) -> None:
    if mark := mark_of(os.getpid()):
        store.add_process(run_id, mark, RUNNER)


def _loaded(profile: Profile, burned: Sequence[Device], watched: Sequence[Device]) -> list[Device]:
    """What carries loads. A companion of simulated devices only pretends to: other runs may load it meanwhile."""
    simulated = any(device.simulated for device in watched)
    return [*burned, *([] if simulated else _companions(profile, burned, watched))]


def _companions(profile: Profile, burned: Sequence[Device], watched: Sequence[Device]) -> list[Device]:
    if not any(BY_KIND[stage.kind].with_cpu for stage in profile.stages):
        return []
    return [device for device in watched if device.kind is DeviceKind.CPU and device not in burned]


def _opened(
    store: RunStore,
    run_id: int,
    profile: Profile,
    *,
    burned: list[Device],
    watched: list[Device],
    locks: list[FileLock],
) -> OpenedRun:
    folder = store.path.parent / "logs" / f"run-{run_id}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    companions = _companions(profile, burned, watched)
    return OpenedRun(
        run_id,
        profile,
        burned,
        watched,
        companions,
        folder,
        shortened=store.shortened(run_id) is not None,
        locks=tuple(locks),
    )
