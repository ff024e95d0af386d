"""The command that draws a build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.assessment import Assessment
from core.cli.lookup import read_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.present.picture.write import View, scene_of, write_picture
from core.words import tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("picture", help=tr("Draw the machine to scale: cards with their heat, air, power cables and links."))(
        picture
    )


def picture(
    file: Annotated[str, typer.Argument(metavar="FILE", help=tr("A build file, or the name of a template."))],
    output: Annotated[Path, typer.Option("-o", "--output", help=tr("*.svg, *.pdf or *.png."))],
    view: Annotated[View, typer.Option(help=tr("Side to draw it from."), case_sensitive=False)] = View.SIDE,
    dark: Annotated[bool, typer.Option("--dark", help=tr("On a dark background."))] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    write_picture(scene_of(Assessment(read_build(file, folder)), view), output, dark=dark)
    if as_json:
        print_json({"written": str(output)})
    else:
        console.print(tr("Written: {path}", path=escape(str(output))))
