"""The command about placement: which card goes into which slot, the links it gives, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.assessment import Assessment
from core.cli.lookup import find_build, open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.plan.build import Build
from core.plan.file import load_build, update_build
from core.plan.placement.best import Placement, best_placement, placed_by_hand
from core.plan.placement.links import CardLink
from core.plan.placement.topology import Pair
from core.platform.errors import BadInput, ExitCode
from core.present.report.build_connections import placement_blocks
from core.present.report.document import Paragraph
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.words import tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("place", help=tr("Find the best slots for all cards of a build. Exit code 1 if a card gets none."))(
        place
    )


def place(
    file: Annotated[str, typer.Argument(help=tr("A build file, or the name of a template."))],
    keep: Annotated[bool, typer.Option("--keep", help=tr("Leave cards that have a slot where they are."))] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=tr("Write the build with its cards placed."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    placement: Placement

    def arranged(build: Build) -> Build:
        nonlocal placement
        placement = _placement(build, keep)
        return placement.edit.apply(build)

    path = find_build(file)
    with open_catalogue(folder) as catalogue:
        if output is None:
            placed = arranged(load_build(path, catalogue.part))
        else:
            _, placed = update_build(path, output, catalogue.part, arranged)
    if as_json:
        print_json(_document(placed, placement))
    else:
        _print_placement(placed, placement)
    if not placement.complete:
        raise typer.Exit(ExitCode.FAIL)


def _placement(build: Build, keep: bool) -> Placement:
    """Raises BadInput for a build whose cards cannot be placed."""
    placement = best_placement(build, pinned=placed_by_hand(build) if keep else ())
    if placement is None:
        raise BadInput(tr("{build} has no cards to place, or no board whose slots are known.", build=build.name))
    return placement


def _document(build: Build, placement: Placement) -> dict[str, Any]:
    assessment = Assessment(build)
    return {
        "build": build.name,
        "complete": placement.complete,
        "proved": placement.proved,
        "slots": {part: list(slots) for part, slots in placement.slots.items()},
        "risers": {part: list(slots) for part, slots in placement.risers.items() if slots},
        "left_out": dict(placement.left_out),
        "reasons": list(placement.reasons),
        "links": [_link_fields(link) for link in assessment.links.values()],
        "pairs": [_pair_fields(pair) for pair in assessment.pairs],
    }


def _link_fields(link: CardLink) -> dict[str, Any]:
    return {
        "part": link.card.part.id,
        "number": link.card.number,
        "slot": link.slot.position,
        "lanes": link.lanes,
        "generation": link.generation,
        "gbps": link.gbps,
        "full_gbps": link.full_gbps,
        "root": link.root,
        "limits": [limit.value for limit in link.limits],
        "riser": link.riser.id if link.riser else None,
    }


def _pair_fields(pair: Pair) -> dict[str, Any]:
    return {
        "slots": [pair.first.slot.position, pair.second.slot.position],
        "path": pair.path.value if pair.path else None,
        "nvlink": pair.nvlink is not None,
        "gbps": pair.gbps,
    }


def _print_placement(build: Build, placement: Placement) -> None:
    console.print(f"[bold]{escape(build.name)}[/]\n")
    print_blocks(console, placement_blocks(Assessment(build)))
    if placement.reasons:
        print_blocks(console, [Paragraph(bullets(placement.reasons))])
