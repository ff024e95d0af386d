"""The command that says which GPU suits which kind of network, and why."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.errors import BadInput
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.speed.card_speed import NOT_YOUR_CODE
from core.predict.speed.networks import Network
from core.predict.speed.ranking import WHY, Ranked, by_price, one_per_product, rank_gpus

EXPLAINED = 3
"""GPUs whose reasons are printed, from the first."""
LARGEST_MODEL = 1e14


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("gpus")(gpus)


def gpus(
    network: Annotated[Network, typer.Option("--network", help="The kind of network.", case_sensitive=False)],
    budget_parameters: Annotated[
        float | None,
        typer.Option("--budget-parameters", help="Parameters that are to be trained, such as 7e9: does it fit?"),
    ] = None,
    for_price: Annotated[bool, typer.Option("--by-price", help="By speed for the price instead.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 20,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Rank the catalogue's GPUs for a kind of network, with the reasons."""
    if budget_parameters is not None and not 1 <= budget_parameters <= LARGEST_MODEL:
        raise BadInput(f"A model of {budget_parameters:g} parameters is outside 1 to {LARGEST_MODEL:g}. Write 7e9.")
    with open_catalogue(folder) as catalogue:
        parts = one_per_product(catalogue.parts(category=Category.GPU))
    ranked = rank_gpus(parts, network, budget_parameters)
    if for_price:
        ranked = by_price(ranked)
    left_out = _left_out(parts, ranked)
    if as_json:
        print_json(
            {
                "network": network.value,
                "label": network.label,
                "why": WHY[network],
                "gpus": [one.as_dict() for one in ranked[:limit]],
                "left_out": [part.id for part in left_out],
                "assumptions": [NOT_YOUR_CODE],
            }
        )
        return
    _print(network, ranked[:limit], left_out)


def _left_out(parts: tuple[Part, ...], ranked: tuple[Ranked, ...]) -> list[Part]:
    known = {one.part.id for one in ranked}
    return [part for part in parts if part.id not in known]


def _print(network: Network, ranked: tuple[Ranked, ...], left_out: list[Part]) -> None:
    console.print(f"{WHY[network]} Score 1 is an RTX 3090; speed is of {network.label}.\n")
    asked = any(one.memory for one in ranked)
    right = [Column(title, justify="right") for title in ("Score", network.unit, "Memory", "Price", "Speed/1000")]
    table = Table(Column("", justify="right"), "GPU", *right, *(["Model"] if asked else []), box=None)
    for one in ranked:
        table.add_row(*_cells(one), *([_fit(one)] if asked else []))
    console.print(table)
    for one in ranked[:EXPLAINED]:
        console.print(f"\n[bold]{one.place}. {escape(one.part.title)}[/]")
        for reason in one.reasons:
            console.print(f"  · {escape(reason)}")
    console.print(f"\n{NOT_YOUR_CODE} Prices are of the day the catalogue gives: rigwright parts show ID.")
    if left_out:
        console.print(f"Left out for lack of figures: {escape(', '.join(part.title for part in left_out))}.")


def _cells(one: Ranked) -> tuple[str, ...]:
    price, memory = one.part.price, getattr(one.part.spec, "memory_gb", None)
    return (
        str(one.place),
        escape(one.part.title),
        f"{one.score.expected:.2f}",
        _span(one.rate.rate),
        f"{memory:g} GB" if memory else "unknown",
        f"{price.currency} {price.amount:,.0f}" if price else "unknown",
        f"{one.per_price.expected:,.0f}" if one.per_price else "unknown",
    )


def _span(band: Band | None) -> str:
    """Expected, and from low to high."""
    return f"{band.expected:,.0f} ({band.low:,.0f} to {band.high:,.0f})" if band else "unknown"


def _fit(one: Ranked) -> str:
    if one.memory is None:
        return ""
    if one.memory.fits.value != "no":
        return {"yes": "fits", "tight": "tight", "unknown": "unknown"}[one.memory.fits.value]
    return f"over {one.memory.fewest_cards} cards" if one.memory.fewest_cards else "does not fit"
