"""The command that lists the template builds."""

from __future__ import annotations

import typer
from rich.table import Table

from core.build.file import SUFFIX
from core.cli.lookup import TEMPLATES, read_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.vocabulary import Category


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("templates")(templates)


def templates(folder: DataDir = None, as_json: AsJson = False) -> None:
    """List the template builds."""
    names = [path.name.removesuffix(SUFFIX) for path in sorted(TEMPLATES.glob(f"*{SUFFIX}"))]
    rows = [(name, read_build(name, folder)) for name in names]
    if as_json:
        print_json([{"template": name, "name": build.name, "region": build.region} for name, build in rows])
        return
    table = Table("Template", "Name", "Region", "GPUs", box=None)
    for name, build in rows:
        table.add_row(name, build.name, build.circuit.title, str(build.count(Category.GPU)))
    console.print(table)
    console.print("\nUse a name in place of a file: rigwright check " + names[0])
