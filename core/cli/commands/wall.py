"""The command for power at the wall: the file of a metering plug, PDU or UPS, alone or attached to a run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.burnin.measured.meter_files import NAME_LETTERS, MeterFile, phases_of
from core.burnin.planned import read_plan
from core.burnin.record.run_facts import WallFacts
from core.burnin.record.store import RunStore
from core.burnin.verdict.wall import MeasuredWall, measured_wall, of_file
from core.cli.lookup import read_build
from core.cli.option_values import offset_s
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.recorded_run import MAX_RUN
from core.machine.tables.wall_table import WallTable, read_wall_table
from core.platform.errors import BadInput
from core.platform.foreign import read_bytes
from core.platform.paths import data_dir
from core.predict.conditions import LoadCase
from core.predict.prediction import predict
from core.words import tr, trn

NOT_MEASURED = tr(
    "NOT RUN: no wall meter was read in this run, and none is attached. Read one with burn --wall, or attach its file: "
    "rigwright wall RUN --import plug.csv."
)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "wall",
        help=tr(
            "Read the file of a metering plug, PDU or UPS: idle and load at the wall beside the prediction, attached "
            "to a run as a fact where one is named. burn --wall reads a meter during a run."
        ),
    )(wall)


def wall(
    run: Annotated[
        int | None,
        typer.Argument(
            metavar="RUN", min=1, max=MAX_RUN, help=tr("Number of the run; without it, the file's own phases tell.")
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--import", help=tr("The meter's CSV: time and W, kW, Wh, kWh, or V and A."))
    ] = None,
    column: Annotated[
        str | None, typer.Option(help=tr("Heading of the column to read, where several may be it."))
    ] = None,
    rated: Annotated[
        float | None,
        typer.Option(min=1, max=100_000, help=tr("W that a UPS is rated for, where it tells a load in %.")),
    ] = None,
    offset: Annotated[
        str, typer.Option(help=tr("What to add to the times of the file, such as 1h or -90m: its clock, or its zone."))
    ] = "0s",
    build: Annotated[str | None, typer.Option(help=tr("Build to compare with; a run has its own."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    if file is None and (run is None or column or rated or build):
        raise BadInput(tr("Name the meter's file: rigwright wall --import plug.csv, or rigwright wall RUN to show it."))
    if run is not None and build is not None:
        raise BadInput(tr("A run is compared with its own plan: leave out --build."))
    meter_file = None if file is None else MeterFile(file, column, rated, offset_s(offset))
    if run is not None:
        walls, table = _of_run(place, run, meter_file)
    else:
        assert meter_file is not None
        table = read_wall_table(meter_file.path, column, rated)
        walls = _alone(meter_file.path, table, build, folder)
    if as_json:
        print_json(
            {
                "run": run,
                "wall": [at_the_wall.as_dict() for at_the_wall in walls],
                "left_out": table.left_out if table else 0,
            }
        )
        return
    _print(walls, table, alone=run is None)


def _of_run(place: Path, number: int, file: MeterFile | None) -> tuple[list[MeasuredWall], WallTable | None]:
    table = None
    with closing(RunStore(place)) as store:
        run = store.run(number)
        if file is not None:
            if run.simulated:
                raise BadInput(tr("Run {run} is simulated: it drew no power that could be measured.", run=number))
            table = file.attach(store, number)
        return measured_wall(store, number, read_plan(run.build)), table


def _alone(file: Path, table: WallTable, build: str | None, folder: Path | None) -> list[MeasuredWall]:
    bands = predict(read_build(build, folder)).wall_w if build is not None else {}
    phases = phases_of(file, table)
    facts = WallFacts(
        idle_w=phases.idle_w,
        load_w=phases.load_w,
        load=LoadCase.TRAINING,
        file=file.name[:NAME_LETTERS],
        sha256=sha256(read_bytes(file)).hexdigest(),
        column=table.column[:NAME_LETTERS],
        form=table.form.value,
    )
    return of_file(facts, bands)


def _print(walls: Sequence[MeasuredWall], table: WallTable | None, *, alone: bool) -> None:
    for at_the_wall in walls:
        console.print(escape(at_the_wall.sentence))
    if not walls:
        console.print(NOT_MEASURED)
    if alone and walls:
        console.print(
            tr("Idle and load are the lowest and highest steady phase of the file itself, not of a run.")
            if len(walls) > 1
            else tr("The file has only one steady phase, taken for the load: it does not tell idle and load apart.")
        )
    if table is not None and not alone and not (table.dated or table.of_day):
        console.print(tr("Its times are taken as seconds since the start of the run."))
    if table is not None and table.left_out:
        console.print(
            trn(
                "{count} row or cell of the file could not be read and is left out.",
                "{count} rows and cells of the file could not be read and are left out.",
                count=table.left_out,
            )
        )
