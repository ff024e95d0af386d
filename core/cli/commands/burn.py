"""Commands that burn in: the devices of this machine, and the run on them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.markup import escape

from core.burnin.record.run_facts import told_facts, told_noise
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, absolute_profile, choose_devices, start_run
from core.burnin.run.run_setup import arrival_of
from core.burnin.simulated_plan import with_plan
from core.burnin.verdict.predicted import expected_power
from core.cli.asking import devices_awaited
from core.cli.fact_options import Circuit, Customer, MachineSerial, Order, Place, RoomTemperature, Tester
from core.cli.follow import follow_to_the_end
from core.cli.lookup import open_catalogue, read_build
from core.cli.options import AsJson, DataDir, console, errors, print_json, say
from core.cli.recorded_run import MAX_RUN, ask, tell_interrupted
from core.machine.asbuilt.inspection import inspect
from core.machine.telemetry.detect import burnable, detect_devices
from core.machine.telemetry.simulated.simulation import absolute_simulation
from core.plan.build import Build
from core.plan.file import MAX_BYTES, dump_build, parse_build
from core.platform.errors import BadInput
from core.platform.paths import data_dir
from core.present.report.document import Paragraph, table
from core.present.report.formatting import NOT_MEASURED
from core.present.report.terminal import print_blocks
from core.words import listed, tr
from core.words.units import UNKNOWN

MAX_MINUTES = 7 * 24 * 60
Simulate = Annotated[
    str | None,
    typer.Option(
        "--simulate",
        help=tr(
            "Simulated GPUs, such as 6x3090 or 4x3090,fault=ecc@2:30s, plan for those of --build, or "
            "replay:FILE. Nothing is measured."
        ),
    ),
]
Words = list[str] | None


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("devices", help=tr("List the devices of this machine that can be measured and burned in."))(devices)
    app.command(
        "burn",
        help=tr(
            "Burn in devices with verified loads, and judge them. Ctrl-C stops the run; closing the terminal does not."
        ),
    )(burn)


def devices(simulate: Simulate = None, folder: DataDir = None, as_json: AsJson = False) -> None:
    data_dir(folder)
    with devices_awaited():
        present = detect_devices(simulate)
    burned = {device.id for device in burnable(present)}
    if as_json:
        print_json([device.as_dict() | {"burned_by_default": device.id in burned} for device in present])
        return
    titles = (tr("Id"), tr("Device"), tr("Memory"), tr("Power limit"), tr("Default burn-in"))
    rows = []
    for device in present:
        memory = f"{device.memory_mb / 1024:.0f} GB" if device.memory_mb else UNKNOWN
        limit = f"{device.power_limit_w:.0f} W" if device.power_limit_w else NOT_MEASURED
        rows.append((device.id, device.title, memory, limit, tr("yes") if device.id in burned else tr("no")))
    print_blocks(console, [table(titles, rows), *(Paragraph(card.sentence) for card in inspect(present).bus)])


def burn(
    profile: Annotated[
        str | None, typer.Option(help=tr("A shipped profile or the path of a profile file; quick-test by default."))
    ] = None,
    stage: Annotated[Words, typer.Option(help=tr("Only this stage, such as vram; repeat or use commas."))] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.05, max=MAX_MINUTES, help=tr("Stretch all stages to this time."))
    ] = None,
    devices: Annotated[
        Words,
        typer.Option(
            "--devices",
            help=tr("Id, start of an id, or index; repeat or use commas. Every GPU by default; cpu for the CPU."),
        ),
    ] = None,
    network: Annotated[
        Words, typer.Option(help=tr("Train this: resnet, lstm, transformer; repeat or use commas."))
    ] = None,
    module: Annotated[
        str | None,
        typer.Option(
            help=tr(
                "Train your own network: package.module:function, which takes the torch.device and "
                "returns the network, a function that makes a batch, and the loss of network and batch."
            )
        ),
    ] = None,
    precision: Annotated[str | None, typer.Option(help=tr("Training precision: fp32, tf32, bf16 or fp16."))] = None,
    batch: Annotated[int | None, typer.Option(min=1, help=tr("Images or sequences per training step."))] = None,
    expect_power_limit: Annotated[
        float | None, typer.Option(min=1, help=tr("Power limit that every GPU must have, W; fails otherwise."))
    ] = None,
    settings: Annotated[
        Words, typer.Option("--set", help=tr("A parameter, such as vram.passes=2; see rigwright profiles stages."))
    ] = None,
    simulate: Simulate = None,
    build: Annotated[
        str | None,
        typer.Option(help=tr("Build file or template of the machine's plan; - reads one from standard input.")),
    ] = None,
    accept: Annotated[
        Words, typer.Option(help=tr("Start even if the planned card of this slot is missing or different; repeatable."))
    ] = None,
    leave_out: Annotated[
        Words,
        typer.Option(
            help=tr("Do not test the card at this PCI address, such as 0000:41:00.0; the verdict says so. Repeatable.")
        ),
    ] = None,
    resume: Annotated[
        int | None, typer.Option(min=1, max=MAX_RUN, help=tr("Resume this interrupted or stopped run."))
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help=tr("Record the level of this calibrated input; microphone is the default input."))
    ] = None,
    noise_distance: Annotated[
        float | None, typer.Option(help=tr("From the case to the microphone, m; 1 by default."))
    ] = None,
    wall: Annotated[
        str | None,
        typer.Option(
            help=tr("Read this wall meter, too: nut:UPS@HOST or nut://HOST:PORT/UPS, a UPS or PDU behind NUT.")
        ),
    ] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help=tr("Return as soon as the run is on record; it goes on by itself."))
    ] = False,
    fleet_id: Annotated[
        str | None, typer.Option(metavar="NAME", help=tr("Name of the order: given twice, the run is started once."))
    ] = None,
    customer: Customer = None,
    order_number: Order = None,
    machine_serial: MachineSerial = None,
    tester: Tester = None,
    place_of_test: Place = None,
    room_temperature: RoomTemperature = None,
    circuit: Circuit = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    if resume is not None:
        _as_ordered(
            resume, profile=profile, stage=stage, minutes=minutes, devices=devices, network=network, module=module,
            precision=precision, batch=batch, expect_power_limit=expect_power_limit, set=settings, build=build,
            leave_out=leave_out,
        )  # fmt: skip
    facts = told_facts(
        customer=customer, order=order_number, machine_serial=machine_serial, tester=tester, place=place_of_test,
        room_temperature_c=room_temperature, circuit=circuit,
    )  # fmt: skip
    facts |= told_noise(distance_m=noise_distance)
    place = data_dir(folder)
    plan = _planned(build, folder) if build is not None else None
    order = BurnOrder(
        profile=absolute_profile(profile) if profile else None,
        stages=_words(stage, tr("--stage names no stage. rigwright profiles stages lists them.")),
        networks=_words(network, tr("--network names no network. Choose from resnet, lstm and transformer.")),
        module=module,
        precision=precision,
        batch=batch,
        power_limit_w=expect_power_limit,
        settings=(*([f"own-module.path={Path.cwd()}"] if module else []), *(settings or ())),
        minutes=minutes,
        devices=_words(devices, tr("--devices names no device. Leave it out for all; rigwright devices lists them.")),
        simulate=absolute_simulation(with_plan(simulate, plan)),
        build=dump_build(plan) if plan is not None else None,
        resume=resume,
        noise=noise,
        wall=wall,
        accepted=tuple(
            f"slot {word}" if word.isdecimal() else word
            for word in _words(accept, tr("--accept names no slot. rigwright as-built --build FILE lists them."))
        ),
        leave_out=_words(leave_out, tr("--leave-out names no card. rigwright as-built lists their PCI addresses.")),
        fleet_id=fleet_id,
    )
    order.validate_words()
    order.microphone(place)
    with interrupt_waits() as interrupt:
        if resume is None:
            tell_interrupted(place)
        if resume is None and not as_json:
            _say_expected_power(order, plan, place)
        with devices_awaited():
            run_id = start_run(place, order)
    with closing(RunStore(place)) as store:
        store.set_facts(run_id, facts)
        status = store.run(run_id).status
    if interrupt.came:
        ask(place, run_id, "stop")
    if detach:
        words = tr("Run {run} is {status}. Watch it with: rigwright watch {run}", run=run_id, status=status.label)
        say(as_json, {"run": run_id, "status": status, "fleet_id": fleet_id}, words)
        return
    raise typer.Exit(follow_to_the_end(place, run_id, as_json=as_json))


def _planned(build: str, folder: Path | None) -> Build:
    if build != "-":
        return read_build(build, folder)
    with open_catalogue(folder) as catalogue:
        return parse_build(sys.stdin.read(MAX_BYTES), catalogue.part)


def _as_ordered(run_id: int, **others: object) -> None:
    """A run goes on as it was ordered. Raises BadInput for options that would change it."""
    options = [f"--{name.replace('_', '-')}" for name, value in others.items() if value is not None]
    if options:
        raise BadInput(
            tr(
                "Run {run} resumes with its original options: leave out {options}, or start a new run "
                "without --resume. Repeat only --simulate, --noise and --wall.",
                run=run_id,
                options=listed(options),
            )
        )


def _say_expected_power(order: BurnOrder, plan: Build | None, place: Path) -> None:
    """Before anything burns, on standard error: the answer of the command comes at the end."""
    with devices_awaited():
        present = detect_devices(order.simulate)
    chosen = choose_devices(present, order.devices, arrival_of(order, present, place).left_out)
    errors.print(escape(expected_power(order.wanted_profile(), chosen, plan).sentence))


def _words(texts: list[str] | None, none: str) -> tuple[str, ...]:
    """`--devices 0,1 --devices GPU-8a` as words. An option without a word is a slip, not a wish for all."""
    words = tuple(word.strip() for words in texts or () for word in words.split(",") if word.strip())
    if texts and not words:
        raise BadInput(none)
    return words


class Interrupt:
    """Whether Ctrl-C came."""

    came = False


@contextmanager
def interrupt_waits() -> Iterator[Interrupt]:
    """Notes the first Ctrl-C, so that no run is left behind unseen; a second one is a KeyboardInterrupt."""
    interrupt = Interrupt()

    def note(number: int, frame: FrameType | None) -> None:
        if interrupt.came:
            signal.default_int_handler(number, frame)
        interrupt.came = True
        errors.print(tr("Stopping as soon as the run is on record; press Ctrl-C again to leave at once."))

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
