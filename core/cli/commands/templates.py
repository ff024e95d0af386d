"""The command that lists the template builds."""

from __future__ import annotations

import typer

from core.cli.lookup import read_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.plan.templates import all_templates
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
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
    titles = (tr("Template"), tr("Name"), tr("Region"), figures_column("GPUs"), tr("Purpose"))
    cells = (
        (template.name, build.name, build.circuit.title, str(build.worker_count), template.purpose)
        for template, build in rows
    )
    print_blocks(console, [table(titles, cells)])
    console.print("\n" + tr("Use a name in place of a file: rigwright check {template}", template=rows[0][0].name))
