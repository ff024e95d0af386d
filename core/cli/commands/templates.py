"""The command that lists the template builds."""

from __future__ import annotations

import typer
from rich.table import Table

from core.cli.lookup import read_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.plan.templates import all_templates
from core.words import tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command("templates", help=tr("List the template builds."))(templates)


def templates(folder: DataDir = None, as_json: AsJson = False) -> None:
    rows = [(template, read_build(template.name, folder)) for template in all_templates()]
    if as_json:
        print_json(
            [
                {"template": template.name, "name": build.name, "region": build.region, "purpose": template.purpose}
                for template, build in rows
            ]
        )
        return
    table = Table(tr("Template"), tr("Name"), tr("Region"), "GPUs", tr("Purpose"), box=None)
    for template, build in rows:
        gpus = str(build.worker_count)
        table.add_row(template.name, build.name, build.circuit.title, gpus, template.purpose)
    console.print(table)
    console.print("\n" + tr("Use a name in place of a file: rigwright check {template}", template=rows[0][0].name))
