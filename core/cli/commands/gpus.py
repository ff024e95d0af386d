"""The command that says which GPU suits which kind of network, and why."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from core.advise.fit_verdict import FitState
from core.advise.fits import WhatFits
from core.cli import model_options
from core.cli.commands.parts_search import at_most
from core.cli.lookup import find_build, find_line, open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.price_guide import read_guide
from core.parts.vocabulary import Category
from core.plan.file import load_build
from core.platform.errors import BadInput
from core.predict.llm.ranking import RankedForModel, rank_for_model
from core.predict.llm.workload import USUAL_MODELS, Method, Offload, Software
from core.predict.speed.card_speed import NOT_YOUR_CODE
from core.predict.speed.networks import Network
from core.predict.speed.ranking import WHY, Ranked, by_price, one_per_product, rank_gpus
from core.predict.speed.shortlist import Shortlist, ShortlistLimits, shortlist
from core.present.report.build_language_models import model_ranking_table
from core.present.report.build_speed import ranking_table
from core.present.report.document import Paragraph
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.words import joined, tr

EXPLAINED = 3
"""GPUs whose reasons are printed, from the first."""
LARGEST_MODEL = 1e14


class AskedNetwork(StrEnum):
    """The kinds of network, and a language model that is asked about by name."""

    CNN = Network.CNN.value
    LSTM = Network.LSTM.value
    TRANSFORMER = Network.TRANSFORMER.value
    LLM = "llm"


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("gpus", help=tr("Rank the catalogue's GPUs for a kind of network, with the reasons."))(gpus)


def gpus(
    network: Annotated[
        AskedNetwork,
        typer.Option(
            "--network",
            help=tr("The kind of network; llm: a language model that is there, with --model and what follows."),
            case_sensitive=False,
        ),
    ],
    budget_parameters: Annotated[
        float | None, typer.Option("--budget-parameters", help=tr("Parameters to train, such as 7e9: does it fit?"))
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help=tr('Only GPUs with a price of today up to this, such as 800 or "800 EUR".'))
    ] = None,
    memory: Annotated[
        float | None, typer.Option(min=0, help=tr("Only GPUs with at least this much memory, GB."))
    ] = None,
    fits: Annotated[
        str | None,
        typer.Option(metavar="FILE", help=tr("Only what fits into this build, as parts fits FILE gpu says.")),
    ] = None,
    replace: Annotated[
        str | None, typer.Option(metavar="PART", help=tr("With --fits: in the place of this part of the build."))
    ] = None,
    for_price: Annotated[bool, typer.Option("--by-price", help=tr("Rank by speed for the price instead."))] = False,
    model: model_options.Model = None,
    models: model_options.ModelsFile = None,
    task: model_options.Task = Method.INFERENCE,
    weights: model_options.Weights = None,
    context: model_options.Context = None,
    users: model_options.Users = 1,
    split: model_options.Shared = None,
    offload: model_options.Offloaded = Offload.NONE,
    software: model_options.Run = Software.ANY,
    cards: Annotated[int, typer.Option(min=1, max=64, help=tr("So many cards of each for the language model."))] = 1,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help=tr("How many."))] = 20,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    if network == AskedNetwork.LLM:
        model = model or USUAL_MODELS[0]
    workload = model_options.workload_of(model, models, task, weights, context, users, split, offload, software)
    if workload and network != AskedNetwork.LLM:
        raise BadInput(tr("--model is for --network llm; the {network} has its own.", network=network.value.upper()))
    if budget_parameters is not None and not 1 <= budget_parameters <= LARGEST_MODEL:
        raise BadInput(
            tr(
                "A model of {number:g} parameters is outside 1 to {largest:g}. Write 7e9.",
                number=budget_parameters,
                largest=LARGEST_MODEL,
            )
        )
    with open_catalogue(folder) as catalogue:
        guide = read_guide(catalogue, ())
        limits = ShortlistLimits(at_most(budget, guide.terms).high if budget else None, memory)
        fails = _fails(fits, replace, catalogue) if fits else None
        listed = shortlist(catalogue.parts(category=Category.GPU), limits, guide, fails)
        parts = one_per_product(listed.parts, guide)
    if workload:
        _answer_for_model(rank_for_model(parts, workload, cards, guide, for_price=for_price)[:limit], listed, as_json)
        return
    kind = Network(network.value)
    ranked = rank_gpus(parts, kind, budget_parameters, guide)
    if for_price:
        ranked = by_price(ranked)
    left_out = _left_out(parts, ranked)
    if as_json:
        print_json(
            {
                "network": kind.value,
                "label": kind.reference,
                "why": WHY[kind],
                "gpus": [one.as_dict() for one in ranked[:limit]],
                "left_out": [part.id for part in left_out],
                "narrowed_out": {why.value: count for why, count in listed.left_out.items()},
                "assumptions": [NOT_YOUR_CODE],
            }
        )
        return
    _print(kind, ranked[:limit], left_out, listed.words)


def _fails(file: str, replaced: str | None, catalogue: Catalogue) -> Callable[[Part], bool]:
    build = load_build(find_build(file), catalogue.part)
    line = find_line(build, replaced) if replaced else None
    fits = WhatFits(build, Category.GPU, catalogue, line.part.id if line else None)
    return lambda part: fits.verdict(part.id).state is FitState.DOES_NOT


def _left_out(parts: tuple[Part, ...], ranked: tuple[Ranked, ...]) -> list[Part]:
    ranked_ids = {one.part.id for one in ranked}
    return [part for part in parts if part.id not in ranked_ids]


def _answer_for_model(ranked: tuple[RankedForModel, ...], listed: Shortlist, as_json: bool) -> None:
    if as_json:
        narrowed = {why.value: count for why, count in listed.left_out.items()}
        print_json(
            {"network": AskedNetwork.LLM.value, "gpus": [one.as_dict() for one in ranked], "narrowed_out": narrowed}
        )
        return
    if ranked:
        console.print(ranked[0].prediction.workload.words + "\n")
    print_blocks(console, [model_ranking_table(ranked)])
    for one in ranked[:EXPLAINED]:
        console.print(f"\n[bold]{one.place}. {escape(one.part.title)}[/]")
        print_blocks(console, [Paragraph(bullets((*one.prediction.unfit, *one.prediction.reasons)))])
    assumptions = dict.fromkeys(sentence for one in ranked for sentence in one.prediction.assumptions)
    console.print("\n" + joined(assumptions, "\n"))
    if listed.words:
        console.print(tr("Left out as asked: {products}.", products=listed.words))


def _print(network: Network, ranked: tuple[Ranked, ...], left_out: list[Part], narrowed: str) -> None:
    console.print(
        joined([WHY[network], tr("Score 1 is an RTX 3090; speed is of {network}.", network=network.reference)]) + "\n"
    )
    print_blocks(console, [ranking_table(network, ranked)])
    for one in ranked[:EXPLAINED]:
        console.print(f"\n[bold]{one.place}. {escape(one.part.title)}[/]")
        print_blocks(console, [Paragraph(bullets(one.reasons))])
    console.print("\n" + NOT_YOUR_CODE)
    if narrowed:
        console.print(tr("Left out as asked: {products}.", products=narrowed))
    if left_out:
        console.print(
            tr("Left out for lack of figures: {parts}.", parts=escape(", ".join(part.title for part in left_out)))
        )
