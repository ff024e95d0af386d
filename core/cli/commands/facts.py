"""The command that tells about a run, and shows what was told."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict

import typer

from core.burnin.record.run_facts import told_facts
from core.burnin.record.store import RunStore
from core.cli.fact_options import Circuit, Customer, MachineSerial, Order, Place, RoomTemperature, Tester
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.recorded_run import OneRun
from core.platform.paths import data_dir
from core.present.report.document import table
from core.present.report.terminal import print_blocks
from core.words import tr, trc

TITLES = {
    "customer": tr("Customer"),
    "order": trc("of a customer", "Order"),
    "machine_serial": tr("Machine serial"),
    "tester": tr("Tester"),
    "place": tr("Place"),
    "room_temperature_c": tr("Room temperature, °C"),
    "circuit": tr("Circuit"),
}


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "facts",
        help=tr(
            "Enter for whom, by whom and where a run was made; without options show it. Every change stays on record."
        ),
    )(facts)


def facts(
    run: OneRun,
    customer: Customer = None,
    order: Order = None,
    machine_serial: MachineSerial = None,
    tester: Tester = None,
    place: Place = None,
    room_temperature: RoomTemperature = None,
    circuit: Circuit = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    entered = told_facts(
        customer=customer, order=order, machine_serial=machine_serial, tester=tester, place=place,
        room_temperature_c=room_temperature, circuit=circuit,
    )  # fmt: skip
    with closing(RunStore(data_dir(folder))) as store:
        store.run(run)
        store.set_facts(run, entered)
        now, changes = asdict(store.facts(run)), store.fact_changes(run)
    if as_json:
        print_json({"run": run, "facts": now, "changes": [asdict(change) for change in changes]})
        return
    rows = []
    for name, title in TITLES.items():
        told_at = [change.at[:19].replace("T", " ") for change in changes if change.name == name]
        rows.append((title, now[name] or "-", ", ".join(told_at)))
    print_blocks(console, [table((tr("Fact"), tr("Value"), tr("Entered (UTC)")), rows)])
