"""The command that says what a build costs over years, and from when on it is cheaper than a rented card."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.assessment import Assessment
from core.cli import model_options
from core.cli.lookup import find_build, find_part, open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.price_guide import read_guide
from core.parts.resale import kept_shares
from core.parts.vocabulary import Category
from core.plan.file import load_build
from core.platform.errors import BadInput
from core.predict.llm.workload import Method, Offload, Software
from core.predict.ownership import cost_terms
from core.predict.speed.networks import Network
from core.present.report.build_ownership import cost_blocks
from core.present.report.terminal import print_blocks
from core.words import tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "cost",
        help=tr("What a build costs over years: parts, energy, cooling; of a million tokens; beside a rented card."),
    )(cost_of)


def cost_of(
    file: Annotated[str, typer.Argument(metavar="BUILD", help=tr("A build file, or the name of a template."))],
    tariff: Annotated[float, typer.Option(help=tr("Price of one kWh, in the currency in which prices are shown."))],
    years: Annotated[float | None, typer.Option(help=tr("Over how many years; 3."))] = None,
    hours: Annotated[float | None, typer.Option(help=tr("Hours a day at load; 12."))] = None,
    idle: Annotated[float | None, typer.Option(help=tr("Hours a day on and idle; the rest of the day."))] = None,
    cooled: Annotated[bool, typer.Option("--cooled", help=tr("The room is air-conditioned."))] = False,
    cop: Annotated[
        float | None, typer.Option(help=tr("Heat that the air conditioner moves per watt it draws; 2.2 to 4."))
    ] = None,
    rented: Annotated[float | None, typer.Option(help=tr("What a rented card costs an hour."))] = None,
    rented_gpu: Annotated[
        str | None, typer.Option(metavar="PART", help=tr("Which card that is: its speed at the same work counts."))
    ] = None,
    network: Annotated[
        Network | None, typer.Option(help=tr("The kind of network that it trains; transformer."), case_sensitive=False)
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
    if workload and network:
        raise BadInput(tr("--network and --model are two kinds of work: give one of them."))
    if rented_gpu and rented is None:
        raise BadInput(tr("--rented-gpu needs its price: say with --rented what an hour costs."))
    typed: dict[str, Any] = {
        **{"tariff_per_kwh": tariff, "years": years, "hours_per_day": hours, "idle_hours_per_day": idle},
        **{"cooled": cooled or cop is not None, "cop": cop, "rented_per_hour": rented},
    }
    terms = cost_terms({name: value for name, value in typed.items() if value is not None})
    with open_catalogue(folder) as catalogue:
        build = load_build(find_build(file), catalogue.part)
        guide = read_guide(catalogue, (line.part for line in build.lines))
        card = find_part(catalogue, rented_gpu, Category.GPU) if rented_gpu else None
        shares = kept_shares(catalogue.parts(category=Category.GPU), guide.used)
    cost = Assessment(build, guide=guide).cost(terms, workload or network or Network.TRANSFORMER, card, shares)
    if as_json:
        print_json({"build": build.name, **cost.as_dict()})
    else:
        print_blocks(console, cost_blocks(cost))
