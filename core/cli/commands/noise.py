"""The command for noise: readings of a meter told about a run, and the microphone that measures in their place."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.burnin.measured.meter_files import read_noise_file
from core.burnin.planned import read_plan
from core.burnin.record.run_facts import told_noise
from core.burnin.record.store import RunStore
from core.burnin.verdict.noise import NOT_MEASURED, measured_noise
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.cli.recorded_run import MAX_RUN
from core.machine.sound.calibration import SECONDS, calibrated, calibrated_microphone, keep
from core.machine.sound.meter import DEFAULT, Second, listening
from core.platform.errors import BadInput
from core.platform.paths import data_dir
from core.words import plain, tr

LISTEN_S = 10


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "noise",
        help=tr("Enter how loud a run was, or show it; calibrate a microphone, so that burn --noise records it."),
    )(noise)


def noise(
    run: Annotated[
        int | None,
        typer.Argument(
            metavar="RUN", min=1, max=MAX_RUN, help=tr("Number of the run; leave it out to use a microphone.")
        ),
    ] = None,
    idle: Annotated[float | None, typer.Option(help=tr("A meter's reading at rest, dBA."))] = None,
    load: Annotated[float | None, typer.Option(help=tr("A meter's reading in training, dBA."))] = None,
    distance: Annotated[float | None, typer.Option(help=tr("From the case to the meter, m; 1 by default."))] = None,
    background: Annotated[float | None, typer.Option(help=tr("Background level of the room, dBA."))] = None,
    file: Annotated[
        Path | None,
        typer.Option("--import", help=tr("A meter's or an app's export (CSV, text): time and level in dBA.")),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help=tr("Heading of the level to take, where the file has several."))
    ] = None,
    calibrate: Annotated[
        float | None,
        typer.Option(help=tr("What a meter next to the microphone shows now, dBA; saved in the data folder.")),
    ] = None,
    listen: Annotated[
        bool, typer.Option("--listen", help=tr("Show the level of the microphone for ten seconds."))
    ] = False,
    microphone: Annotated[
        str, typer.Option(help=tr("Name of the input as the desktop shows it; the default one if left out."))
    ] = DEFAULT,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    if calibrate is not None:
        _calibrate(place, microphone, calibrate, as_json=as_json)
    elif listen:
        _listen(place, microphone, as_json=as_json)
    elif run is None:
        raise BadInput(tr("Name the run: rigwright noise RUN. Without a run, use --calibrate 52.3 or --listen."))
    else:
        options = {"idle_dba": idle, "load_dba": load, "distance_m": distance, "background_dba": background}
        if column is not None and file is None:
            raise BadInput(tr("--column goes with --import."))
        stated = {name: value for name, value in options.items() if value is not None}
        _of_run(place, run, stated, _MeterFile(file, column) if file else None, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _MeterFile:
    """What to read the levels from."""

    path: Path
    column: str | None


def _of_run(place: Path, number: int, stated: dict[str, float], file: _MeterFile | None, *, as_json: bool) -> None:
    with closing(RunStore(place)) as store:
        run = store.run(number)
        if run.simulated and (stated or file):
            raise BadInput(tr("Run {run} is simulated: it made no noise that could be measured.", run=number))
        if file is not None and stated.keys() & {"idle_dba", "load_dba"}:
            raise BadInput(tr("Give readings with --idle and --load, or a file with --import, not both."))
        reading = read_noise_file(file.path, store, number, file.column) if file is not None else None
        levels = reading.levels if reading else {}
        store.set_facts(number, told_noise(file.path if file else None, **stated, **levels))
        measurements = measured_noise(store, number, read_plan(run.build))
    if as_json:
        of_file = {"column": reading.column, "notes": list(reading.notes)} if reading else {}
        print_json({"run": number, "noise": [measured.as_dict() for measured in measurements], **of_file})
        return
    for note in reading.notes if reading else ():
        errors.print(escape(note))
    for measured in measurements:
        console.print(escape(measured.sentence))
    if not measurements:
        console.print(tr("NOT RUN: simulated devices make no noise.") if run.simulated else NOT_MEASURED)


def _calibrate(place: Path, name: str, meter_dba: float, *, as_json: bool) -> None:
    if not as_json:
        errors.print(tr("Listening for {seconds} s...", seconds=SECONDS))
    calibration = calibrated(name, _heard(name, SECONDS), meter_dba)
    keep(place, calibration)
    if as_json:
        print_json(calibration.model_dump())
        return
    console.print(
        tr(
            "{level:.1f} dBA at {input} now. Leave its input volume as it is; rigwright burn --noise records it.",
            level=meter_dba,
            input=escape(repr(name)),
        )
    )


def _listen(place: Path, name: str, *, as_json: bool) -> None:
    offset_db = calibrated_microphone(place, name).offset_db
    levels: list[float | None] = []
    with listening(name) as heard:
        for second in islice(heard, LISTEN_S):
            level = None if second.trouble else round(second.level_db + offset_db, 1)
            levels.append(level)
            if not as_json:
                console.print(
                    plain("{level:5.1f} dBA", level=level) if second.trouble is None else second.trouble.sentence
                )
    if as_json:
        print_json({"microphone": name, "levels_dba": levels})


def _heard(name: str, count: int) -> list[Second]:
    """The first second is left out: inputs click when they open."""
    with listening(name) as heard:
        return list(islice(heard, 1, 1 + count))
