"""The command that predicts: power, temperature, noise and price, with room, circuit and power limit as options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from core.assessment import Assessment
from core.cli import model_options
from core.cli.lookup import read_priced_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.plan_text import print_gpus, print_prediction
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import SetDetails
from core.plan.mains import CIRCUITS
from core.platform.errors import BadInput
from core.platform.whole_file import write_output
from core.predict.conditions import Conditions, LoadCase
from core.predict.curves import over_fans, over_limits, over_time
from core.predict.limit_for import Goal, circuit_goal, limit_for, noise_goal, temperature_goal
from core.predict.llm.workload import Method, Offload, Software
from core.predict.power_limit import require_accepted
from core.predict.quiet import quiet_map
from core.present.report.build_curves import curve_blocks
from core.present.report.build_language_models import model_blocks
from core.present.report.document import Heading, Paragraph
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.words import tr

USUAL = Conditions()
REGIONS = ", ".join(circuit.id for circuit in CIRCUITS)


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "predict",
        help=tr(
            "Predict power, peaks, temperature, noise, speed and price of a build, each as a band with its assumptions."
        ),
    )(predict_file)


def predict_file(
    file: Annotated[str, typer.Argument(help=tr("A build file, or the name of a template."))],
    room: Annotated[float, typer.Option(help=tr("Intake air of the machine, °C."))] = USUAL.room_c,
    altitude: Annotated[float, typer.Option(help=tr("Altitude, m."))] = USUAL.altitude_m,
    distance: Annotated[float, typer.Option(help=tr("From the machine's surface to the ear, m."))] = USUAL.distance_m,
    background: Annotated[float, typer.Option(help=tr("Background level of the room, dBA."))] = USUAL.background_dba,
    volume: Annotated[float | None, typer.Option(help=tr("Volume of the room, m³: adds its reflections."))] = None,
    reverberation: Annotated[float, typer.Option(help=tr("T60 of the room, s."))] = USUAL.reverberation_s,
    tariff: Annotated[float | None, typer.Option(help=tr("Price of one kWh, in any currency."))] = None,
    load: Annotated[
        LoadCase, typer.Option(help=tr("Load for which energy, cost and circuit are given."), case_sensitive=False)
    ] = (USUAL.load),
    region: Annotated[
        str | None, typer.Option(help=tr("Mains circuit instead of the build's: {regions}.", regions=REGIONS))
    ] = None,
    limit: Annotated[float | None, typer.Option(help=tr("Power limit of every GPU, W."))] = None,
    fit_circuit: Annotated[
        bool, typer.Option("--fit-circuit", help=tr("Which limit keeps within the circuit?"))
    ] = False,
    fit_noise: Annotated[float | None, typer.Option(help=tr("Which limit keeps training at this level, dBA?"))] = None,
    fit_temperature: Annotated[float | None, typer.Option(help=tr("Which limit keeps the GPUs at this, °C?"))] = None,
    curves: Annotated[
        bool, typer.Option("--curves", help=tr("Add curves over time, power limit and fan speed."))
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help=tr("Write an SVG: radiators, limits and fans against noise."))
    ] = None,
    model: model_options.Model = None,
    models: model_options.ModelsFile = None,
    task: model_options.Task = Method.INFERENCE,
    weights: model_options.Weights = None,
    context: model_options.Context = None,
    users: model_options.Users = 1,
    split: model_options.Shared = None,
    offload: model_options.Offloaded = Offload.NONE,
    software: model_options.Run = Software.ANY,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    workload = model_options.workload_of(model, models, task, weights, context, users, split, offload, software)
    conditions = Conditions(
        distance_m=distance,
        background_dba=background,
        tariff_per_kwh=tariff,
        room_c=room,
        altitude_m=altitude,
        room_volume_m3=volume,
        reverberation_s=reverberation,
        load=load,
    )
    build, guide = read_priced_build(file, folder)
    build = _adjusted(build, region, limit)
    goals = tuple(_goals(build, conditions, fit_circuit, fit_noise, fit_temperature))
    assessment = Assessment(build, conditions, guide)
    prediction, speed = assessment.prediction, assessment.speed
    answers = [limit_for(build, conditions, goal) for goal in goals]
    if plot is not None:
        _write_plot(plot, build, conditions)
    if as_json:
        document = {
            "build": build.name,
            "circuit": asdict(build.circuit),
            "limits_w": {line.part.id: line.limit_w for line in build.of(Category.GPU)},
            **prediction.as_dict(),
            "price": assessment.price.as_dict(),
            "budget": assessment.budget.as_dict() if assessment.budget else None,
            "speed": speed.as_dict(),
            "language_models": [one.as_dict() for one in assessment.usual_models],
            "limits": [answer.as_dict() for answer in answers],
        }
        if workload:
            document["language_model"] = assessment.model(workload).as_dict()
        if curves:
            document["over_time"] = [asdict(curve) for curve in over_time(prediction)]
            document["over_limits"] = [row.as_dict() for row in over_limits(build, conditions)]
            document["over_fans"] = [row.as_dict() for row in over_fans(build, conditions)]
        print_json(document)
        return
    print_gpus(build)
    if workload:
        print_blocks(console, model_blocks(assessment, workload))
        return
    print_prediction(assessment)
    if answers:
        console.print()
        print_blocks(console, [Heading(tr("Power limits")), Paragraph(bullets(answer.message for answer in answers))])
    if curves:
        console.print()
        print_blocks(console, curve_blocks(prediction))


def _adjusted(build: Build, region: str | None, limit_w: float | None) -> Build:
    """The build on another circuit, with limited cards."""
    if region is not None:
        build = replace(SetDetails(region=region).apply(build), custom_circuit=None)
    if limit_w is None:
        return build
    if not build.count(Category.GPU):
        raise BadInput(tr("--limit has nothing to limit: {build} has no GPU.", build=build.name))
    for line in build.of(Category.GPU):
        require_accepted(line.part, limit_w)
        build = SetPowerLimit(line.part.id, limit_w).apply(build)
    return build


def _goals(
    build: Build, conditions: Conditions, circuit: bool, noise: float | None, temperature: float | None
) -> Iterator[Goal]:
    if circuit:
        yield circuit_goal(build, conditions.load)
    if noise is not None:
        yield noise_goal(noise)
    if temperature is not None:
        yield temperature_goal(temperature)


def _write_plot(path: Path, build: Build, conditions: Conditions) -> None:
    from core.present.report.chart import draw_quiet

    rows = quiet_map(build, conditions)
    if not rows:
        raise BadInput(
            tr(
                "{build} has no radiator: the plot shows which radiators make a water-cooled machine quiet.",
                build=build.name,
            )
        )
    write_output(path, draw_quiet(rows).encode())
