"""The command that corrects a build's predictions by what was measured on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.burnin.measured.meter_files import facts_of_run, phases_of, times_near
from core.burnin.measured.run import measured_run
from core.burnin.record.run_facts import attached_loads
from core.burnin.record.sample_files import import_log
from core.burnin.record.store import RunStore
from core.cli.lookup import find_build, open_catalogue, read_build
from core.cli.option_values import offset_s
from core.cli.options import AsJson, DataDir, console, print_json, today
from core.cli.recorded_run import MAX_RUN
from core.lab.calibrate.measurements import WINDOW_S, Measurements, SoundReading, WallReading, read_measurements
from core.lab.calibrate.outcome import CalibrationOutcome, only_in_the_old
from core.machine.tables.wall_table import read_wall_table
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.plan.build import Build
from core.plan.calibration import dump_calibration
from core.plan.file import update_build
from core.plan.seats import read_slots
from core.plan.site_edits import SetCalibration
from core.platform.errors import BadInput, ExitCode
from core.platform.paths import data_dir
from core.predict.conditions import LoadCase
from core.present.report.document import Block, Paragraph, table
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.words import joined, plain, tr
from core.words.units import number

EXAMPLE = (
    '{"format": "rigwright-measurements", "version": 1, "on": "2026-03-01", "by": "Ada", "room_c": 24.5, '
    '"altitude_m": 520, "minutes": 50, "cards": [{"slot": 1, "temperature_c": 71, "power_w": 345, "drift_k": 0.2, '
    '"fan_share": 0.66}], "case_air_c": 33, "coolant_c": 41, "cpu": {"power_w": 90, "temperature_c": 62}, '
    '"sound": [{"level_dba": 41.2, "distance_m": 1, "background_dba": 29, "fan_share": 0.6}], '
    '"wall": [{"load": "training", "power_w": 1240}]}'
)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "calibrate",
        help=joined(
            [
                tr(
                    "Correct a build's predictions from a run on the machine: what was predicted, measured, "
                    "and is predicted now."
                ),
                tr(
                    "Fits the resistance of each kind of card or water block, fans, the heating "
                    "between adjacent cards, the flow through the case, the conductance of "
                    "radiators and the level, as far as the run determines them, and says why "
                    "the others are not fitted. Fitted values hold at any altitude. A new "
                    "calibration replaces the build's older one, and the answer says what is "
                    "lost with it. Exit code 4 if nothing could be fitted."
                ),
                tr(
                    "A measurement file is JSON: {example}. minutes is how long the load had run; a card's "
                    "figures are means of the last ten minutes, drift_k how much it warmed in them. A card "
                    'may have "part" (an id) instead of the slot and "fan_rpm" instead of the share. '
                    "Required are format and version, temperature, watts and drift of each card, watts of "
                    "the cpu, and everything of a sound but the fans; the rest may be left out.",
                    example=EXAMPLE,
                ),
            ],
            "\n\n",
        ),
    )(calibrate_build)


def calibrate_build(
    file: Annotated[str, typer.Argument(metavar="BUILD", help=tr("A build file, or the name of a template."))],
    run: Annotated[int | None, typer.Option(min=1, max=MAX_RUN, help=tr("A recorded run on this machine."))] = None,
    measurements: Annotated[Path | None, typer.Option(help=tr("A measurement file instead; see above."))] = None,
    log: Annotated[
        Path | None,
        typer.Option(help=tr("A log of nvidia-smi, dcgmi, an exporter, HWiNFO or GPU-Z instead, which is imported.")),
    ] = None,
    minutes_last: Annotated[
        float, typer.Option(min=2, max=60, help=tr("Of a log: the means of so many last minutes of its load."))
    ] = WINDOW_S / 60,
    slots: Annotated[
        str | None, typer.Option(help=tr("Slots of the run's GPUs in the order of their PCI bus ids, such as 1,3,5."))
    ] = None,
    room: Annotated[float | None, typer.Option(help=tr("Intake air of the machine, °C."))] = None,
    altitude: Annotated[float | None, typer.Option(help=tr("Altitude, m; sea level by default."))] = None,
    case_air: Annotated[float | None, typer.Option(help=tr("Intake air of the cards, °C, if measured."))] = None,
    coolant: Annotated[float | None, typer.Option(help=tr("Water before the blocks, °C, if measured."))] = None,
    sound: Annotated[float | None, typer.Option(help=tr("A meter's reading under that load, dBA."))] = None,
    distance: Annotated[float | None, typer.Option(help=tr("From the case to the meter, m."))] = None,
    background: Annotated[float | None, typer.Option(help=tr("Background level of the room, dBA."))] = None,
    wall: Annotated[
        Path | None, typer.Option(help=tr("A wall meter's file: by the times of --run, else by its own steady phases."))
    ] = None,
    wall_column: Annotated[str | None, typer.Option(help=tr("Heading of the column to read in it."))] = None,
    offset: Annotated[
        str | None, typer.Option(help=tr("What to add to the times of the wall meter's file, such as 1h or -90m."))
    ] = None,
    allow_simulated: Annotated[
        bool, typer.Option(help=tr("Accept a simulated run, as a trial; it is marked."))
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help=tr("Where to save the calibrated build."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    from core.lab.calibrate.fit import calibrate

    build = read_build(file, folder)
    if slots is not None and run is None and log is None:
        raise BadInput(tr("--slots tells the GPUs of a recorded run apart: give it with --run or --log."))
    if sum(source is not None for source in (run, measurements, log)) > 1:
        raise BadInput(tr("Give one of --run, --measurements and --log: a calibration comes from one of them."))
    if offset is not None and wall is None:
        raise BadInput(tr("--offset goes with --wall."))
    positions = () if slots is None else read_slots(slots)
    if log is not None:
        run = import_log(data_dir(folder), log, read_tool_log(log))
    if measurements is not None:
        measured = read_measurements(measurements)
    elif run is None:
        measured = Measurements(run="a sound reading", on=today().isoformat())
    else:
        with closing(RunStore(data_dir(folder))) as store:
            measured = measured_run(
                store, run, build, slots=positions, allow_simulated=allow_simulated, window_s=minutes_last * 60
            )
    measured = replace(
        measured,
        room_c=measured.room_c if room is None else room,
        altitude_m=measured.altitude_m if altitude is None else altitude,
        case_air_c=measured.case_air_c if case_air is None else case_air,
        coolant_c=measured.coolant_c if coolant is None else coolant,
        sounds=(*measured.sounds, *_reading(sound, distance, background)),
        walls=measured.walls
        if wall is None
        else tuple(_walls(wall, wall_column, run, folder, offset_s(offset or "0s"))),
    )
    outcome = calibrate(build, measured)
    saved = output if outcome.calibration else None
    if saved is not None:
        with open_catalogue(folder) as catalogue:
            update_build(find_build(file), saved, catalogue.part, SetCalibration(outcome.calibration).apply)
    if as_json:
        print_json(_document(build, outcome, saved))
    else:
        _print(build, outcome, output)
    if not outcome.calibration:
        raise typer.Exit(ExitCode.INCOMPLETE)


def _walls(
    file: Path, column: str | None, run: int | None, folder: Path | None, offset: float
) -> Iterator[WallReading]:
    watts_by_load: dict[LoadCase, float | None]
    if run is None:
        phases = phases_of(file, read_wall_table(file, column))
        watts_by_load = {LoadCase.IDLE: phases.idle_w, LoadCase.TRAINING: phases.load_w}
    else:
        with closing(RunStore(data_dir(folder))) as store:
            table = read_wall_table(file, column, near=times_near(store, run))
            watts_by_load = {**attached_loads(facts_of_run(file, table, store, run, offset))}
    yield from (WallReading(watts, load) for load, watts in watts_by_load.items() if watts is not None)


def _reading(sound: float | None, distance: float | None, background: float | None) -> tuple[SoundReading, ...]:
    if sound is None and distance is None and background is None:
        return ()
    if sound is None or distance is None or background is None:
        raise BadInput(tr("A sound reading needs all three: --sound, --distance and --background."))
    return (SoundReading(sound, distance, background),)


def _document(build: Build, outcome: CalibrationOutcome, saved: Path | None) -> dict[str, Any]:
    stored = dump_calibration(outcome.calibration)
    return {
        "build": build.name,
        **outcome.as_dict(),
        "calibration": stored,
        "replaces": _replaced(build, outcome),
        "saved": str(saved) if saved else None,
    }


def _replaced(build: Build, outcome: CalibrationOutcome) -> dict[str, Any] | None:
    """The build's older calibration, and what it corrects alone."""
    old = build.calibration
    if not (old and outcome.calibration):
        return None
    lost = list(only_in_the_old(build, outcome.calibration))
    return {"run": old.run, "on": old.on, "by": old.by, "source": old.source, "lost": lost}


def _print(build: Build, outcome: CalibrationOutcome, output: Path | None) -> None:
    new = outcome.calibration
    console.print(f"[bold]{escape(build.name)}[/], {escape(new.source)}, {new.circumstances}")
    sentences = (*_replacing(build, outcome), _ending(outcome, output))
    print_blocks(console, [*_blocks(outcome), *map(Paragraph, sentences)])


def _blocks(outcome: CalibrationOutcome) -> Iterator[Block]:
    """What was measured, what was predicted before and is now; then the fitted values."""
    titles = (tr("Measured"), tr("Before"), tr("Low to high"), tr("After"), tr("Low to high"), tr("Unit"))
    rows: list[tuple[str, ...]] = []
    for row in outcome.quantities:
        cells = [row.title, number(row.measured, 1)]
        for band in (row.before, row.after):
            ends = tr("{low} to {high}", low=number(band.low, 1), high=number(band.high, 1))
            cells += [number(band.expected, 1), ends]
        rows.append((*cells, row.unit))
    if rows:
        yield table((tr("Figure"), *titles), rows)
    fitted_titles = (tr("Expected"), tr("Range"), tr("Fitted"), tr("Standard error"), tr("Unit"))
    rows = []
    for fit in outcome.fits:
        low, expected, high, fitted = (plain("{figure:.3g}", figure=one) for one in (*fit.parameter.old, fit.new[1]))
        span, error = tr("{low} to {high}", low=low, high=high), plain("{error:.2g}", error=fit.error)
        rows.append((fit.parameter.title, expected, span, fitted, error, fit.parameter.unit))
    if rows:
        yield table((tr("Parameter"), *fitted_titles), rows)
    if remarks := (*outcome.remarks, *outcome.refusals):
        yield Paragraph(bullets(remarks))


def _replacing(build: Build, outcome: CalibrationOutcome) -> Iterator[str]:
    """What the new calibration takes the place of."""
    old = build.calibration
    if not (old and outcome.calibration):
        return
    if old.by:
        yield tr(
            "It replaces the calibration by {source}, by {tester}, {circumstances}.",
            source=old.source,
            tester=old.by,
            circumstances=old.circumstances,
        )
    else:
        yield tr(
            "It replaces the calibration by {source}, {circumstances}.",
            source=old.source,
            circumstances=old.circumstances,
        )
    if lost := only_in_the_old(build, outcome.calibration):
        yield tr("No longer corrected: {figures}.", figures=joined(lost, ", "))


def _ending(outcome: CalibrationOutcome, output: Path | None) -> str:
    if not outcome.calibration:
        return tr("Nothing was fitted, and nothing saved.")
    if output is None:
        return tr("Nothing was saved. Save it with the build: -o FILE.rig.json")
    return tr("Saved with the calibration: {path}", path=output)
