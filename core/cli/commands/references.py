"""The commands on reference measurements: what cards of a model do, and own runs as further ones."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from core.burnin.measured.run import references_from
from core.burnin.record.store import RunStore
from core.burnin.references import Reference, add_references, all_references
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.recorded_run import MAX_RUN
from core.platform.paths import data_dir
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
from core.words import tr

references = typer.Typer(help=tr("Reference measurements that runs are compared with."), no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module, as subcommands of `references`."""
    app.add_typer(references, name="references")


@references.command(
    "list", help=tr("List the measured rates of cards: the shipped ones, then your own, which take precedence.")
)
def list_(
    model: Annotated[str, typer.Argument(help=tr("Words that the model's name must have."))] = "",
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    words = model.casefold().split()
    fitting = [one for one in all_references(data_dir(folder)) if all(word in one.product.casefold() for word in words)]
    if as_json:
        print_json({"references": [one.model_dump() for one in fitting]})
    elif not fitting:
        console.print(tr("There is no reference measurement of that model.") if words else tr("There are none."))
    else:
        _print(fitting)


@references.command("add", help=tr("Use the rates of a run that passed as references for cards of the same models."))
def add(
    run: Annotated[int, typer.Argument(help=tr("Number of a finished run."), min=1, max=MAX_RUN)],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    with closing(RunStore(place)) as store:
        measured = references_from(store, run)
    new = add_references(place, measured)
    before = len(measured) - len(new)
    if as_json:
        print_json({"added": [one.model_dump() for one in new.values()], "known_before": before})
        return
    _print(measured)
    console.print(tr("{new} added; {known} were known.", new=len(new), known=before))


def _print(references_: list[Reference]) -> None:
    columns = (tr("Model"), tr("Stage"), tr("Rate"), figures_column(tr("Value")), tr("Source"))
    rows = [(one.product, one.stage, one.name, f"{one.rate:g} {one.unit}", one.source) for one in references_]
    print_blocks(console, [table(columns, rows)])
