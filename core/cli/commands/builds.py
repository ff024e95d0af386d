"""Commands about the files of builds: their schema."""

from __future__ import annotations

import typer

from core.cli.options import AsJson, DataDir, print_json
from core.plan.file_format import build_schema
from core.words import tr

builds = typer.Typer(help=tr("What a build file contains."), no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module, as subcommands of `builds`."""
    app.add_typer(builds, name="builds")


@builds.callback()
def about() -> None:
    """What a build file is made of."""


@builds.command(
    "schema",
    help=tr("Print the JSON Schema of a build file, for editors and checks; it is JSON with or without --json."),
)
def schema(folder: DataDir = None, as_json: AsJson = False) -> None:
    del folder, as_json
    print_json(build_schema())
