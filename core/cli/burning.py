"""Commands about this machine's devices and burn-in runs: devices, burn, runs, watch, stop."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from core.build.file import dump_build
from core.burnin.launch import BurnOrder, active_run, start_run
from core.burnin.order import absolute_profile
from core.burnin.record import MACHINE, Outcome, RunStatus
from core.burnin.recovery import close_run, find_interrupted
from core.burnin.store import RunStore
from core.cli.interrupts import interrupt_waits
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.planning import read_build
from core.cli.watching import watch_run
from core.errors import BadInput, ExitCode
from core.paths import data_dir
from core.telemetry.detect import burnable, detect_devices
from core.telemetry.simulated.words import absolute_simulation

OUTCOME_EXIT = {
    Outcome.PASS: ExitCode.PASS,
    Outcome.WARN: ExitCode.PASS,
    Outcome.FAIL: ExitCode.FAIL,
    Outcome.INCOMPLETE: ExitCode.INCOMPLETE,
}
MAX_RUN = 2**31 - 1
MAX_MINUTES = 7 * 24 * 60
Simulate = Annotated[
    str | None,
    typer.Option(
        "--simulate",
        help="Simulated GPUs, such as 6x3090 or 4x3090,fault=ecc@2:30s, or replay:FILE. Nothing of it is measured.",
    ),
]
RunArgument = Annotated[
    int | None, typer.Argument(metavar="RUN", min=1, max=MAX_RUN, help="Number of the run; default: the newest.")
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("devices")(devices)
    app.command("burn")(burn)
    app.command("runs")(runs)
    app.command("watch")(watch)
    app.command("stop")(stop)
    app.command("close")(close)


def devices(simulate: Simulate = None, folder: DataDir = None, as_json: AsJson = False) -> None:
    """List the devices of this machine that can be measured and burned in."""
    data_dir(folder)
    present = detect_devices(simulate)
    burned = {device.id for device in burnable(present)}
    if as_json:
        print_json([device.as_dict() | {"burned_by_default": device.id in burned} for device in present])
        return
    table = Table("Id", "Device", "Memory", "Power limit", "Burned by default", box=None)
    for device in present:
        memory = f"{device.memory_mb / 1024:.0f} GB" if device.memory_mb else "unknown"
        limit = f"{device.power_limit_w:.0f} W" if device.power_limit_w else "not measured"
        table.add_row(device.id, escape(device.title), memory, limit, "yes" if device.id in burned else "no")
    console.print(table)


def burn(
    profile: Annotated[str, typer.Option(help="A shipped profile or the path of a profile file.")] = "first-light",
    minutes: Annotated[
        float | None, typer.Option(min=0.05, max=MAX_MINUTES, help="Stretch the profile to this time.")
    ] = None,
    devices: Annotated[
        list[str] | None, typer.Option("--devices", help="Id, its beginning, or index; repeat or use commas.")
    ] = None,
    simulate: Simulate = None,
    build: Annotated[str | None, typer.Option(help="Build file or template that the machine follows.")] = None,
    resume: Annotated[int | None, typer.Option(min=1, max=MAX_RUN, help="Go on with this interrupted run.")] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Burn in devices with verified loads, and judge them. Ctrl-C stops the run; closing the terminal does not."""
    place = data_dir(folder)
    order = BurnOrder(
        profile=absolute_profile(profile),
        minutes=minutes,
        devices=_device_words(devices or []),
        simulate=absolute_simulation(simulate),
        build=dump_build(read_build(build, folder)) if build is not None else None,
        resume=resume,
    )
    with interrupt_waits() as interrupt:
        run_id = start_run(place, order)
    if interrupt.came:
        _ask_to_stop(place, run_id)
    raise typer.Exit(follow_to_the_end(place, run_id, as_json=as_json))


def _device_words(given: list[str]) -> tuple[str, ...]:
    """`--devices 0,1 --devices GPU-8a` as words. An option without a word is a slip, not a wish for all devices."""
    words = tuple(word.strip() for words in given for word in words.split(",") if word.strip())
    if given and not words:
        raise BadInput("--devices names no device. Leave it out to burn in all; rigwright devices lists them.")
    return words


def follow_to_the_end(place: Path, run_id: int, *, as_json: bool) -> ExitCode:
    """Shows a run until it has ended; returns the exit code of its verdict."""
    store = RunStore(place)
    try:
        watch_run(store, place, run_id, quiet=as_json)
        if as_json:
            print_json(run_as_dict(store, run_id))
        else:
            print_verdict(store, run_id)
        verdicts = store.verdicts(run_id)
        return OUTCOME_EXIT[verdicts[0].outcome] if verdicts else ExitCode.INCOMPLETE
    finally:
        store.close()


def runs(folder: DataDir = None, as_json: AsJson = False) -> None:
    """List recorded runs, newest first, and say what interrupted ones met."""
    place = data_dir(folder)
    store = RunStore(place)
    try:
        interrupted = find_interrupted(store, place)
        rows = store.runs()
        if as_json:
            print_json([run_as_dict(store, run.id) for run in rows])
            return
        table = Table("Run", "Started (UTC)", "Profile", "Status", "Verdict", "Note", box=None)
        for run in rows:
            verdicts = store.verdicts(run.id)
            verdict = verdicts[0].outcome.value if verdicts else "-"
            title = run.title + (" (SIMULATED)" if run.simulated else "")
            table.add_row(str(run.id), run.started_at[:19], escape(title), run.status, verdict, escape(run.note))
        console.print(table if rows else "No runs yet. Start one with: rigwright burn")
        for interruption in interrupted:
            number = interruption.run_id
            console.print(
                f"\n{interruption.sentence} Go on: rigwright burn --resume {number}; "
                f"judge what there is: rigwright close {number}."
            )
    finally:
        store.close()


def watch(run: RunArgument = None, folder: DataDir = None, as_json: AsJson = False) -> None:
    """Watch a run from any terminal; a finished one is shown as it ended."""
    place = data_dir(folder)
    raise typer.Exit(follow_to_the_end(place, _run_number(place, run), as_json=as_json))


def stop(run: RunArgument = None, folder: DataDir = None, as_json: AsJson = False) -> None:
    """Ask the running burn-in to stop; it ends its loads and gives a verdict."""
    place = data_dir(folder)
    active = active_run(place)
    if active is None:
        raise BadInput("There is nothing to stop: no run is going on.")
    if run not in (None, active):
        raise BadInput(f"Run {run} is not going on; run {active} is. Stop it with: rigwright stop {active}")
    _ask_to_stop(place, active)
    if as_json:
        print_json({"run": active, "requested": "stop"})
    else:
        console.print(f"Run {active} was asked to stop. See how it ends with: rigwright watch {active}")


def _ask_to_stop(place: Path, run_id: int) -> None:
    store = RunStore(place)
    try:
        store.request(run_id, "stop")
    finally:
        store.close()


def close(
    run: Annotated[int, typer.Argument(metavar="RUN", min=1, max=MAX_RUN)],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Give an interrupted run its verdict from what was recorded."""
    place = data_dir(folder)
    store = RunStore(place)
    try:
        find_interrupted(store, place)
        verdicts = close_run(store, run)
        if as_json:
            print_json(run_as_dict(store, run))
        else:
            print_verdict(store, run)
        raise typer.Exit(OUTCOME_EXIT[verdicts[0].outcome])
    finally:
        store.close()


def run_as_dict(store: RunStore, run_id: int) -> dict[str, Any]:
    """A run with devices, results and verdicts, for JSON."""
    run = store.run(run_id)
    return {
        "run": run.id,
        "status": run.status,
        "profile": run.profile.name,
        "simulated": run.simulated,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "machine": run.machine,
        "version": run.version,
        "note": run.note,
        "devices": [row.device.as_dict() | {"burned": row.burned} for row in store.devices(run_id)],
        "stages": [asdict(stage) for stage in store.stages(run_id)],
        "results": [asdict(result) for result in store.results(run_id)],
        "verdicts": [asdict(verdict) for verdict in store.verdicts(run_id)],
    }


def print_verdict(store: RunStore, run_id: int) -> None:
    """The verdict on machine and devices, with every reason."""
    run = store.run(run_id)
    titles = {row.device.id: row.device.title for row in store.devices(run_id)} | {MACHINE: "Machine"}
    mark = "  SIMULATED: nothing here was measured" if run.simulated else ""
    verdicts = store.verdicts(run_id)
    if not verdicts:
        console.print(f"Run {run_id} has no verdict: it is {run.status}.{mark}")
    for verdict in verdicts:
        console.print(f"[bold]{verdict.outcome:<11}[/]{escape(titles[verdict.device_id])}{mark}")
        for reason in verdict.reasons:
            console.print(f"  {reason.outcome:<11}{escape(reason.text)}")
    if run.status is RunStatus.INTERRUPTED:
        console.print(f"Judge what was recorded with: rigwright close {run_id}")


def _run_number(place: Path, given: int | None) -> int:
    if given is not None:
        return given
    store = RunStore(place)
    try:
        newest = next(iter(store.runs()), None)
    finally:
        store.close()
    if newest is None:
        raise BadInput("There is no run yet. Start one with: rigwright burn")
    return newest.id
