"""The command that solves what fails or warns, one fix after the other, and shows what all of them cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.advise.solve_all import Solution, solve_all
from core.cli.lookup import find_build, open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.price_guide import advice_guide
from core.plan.build import Build
from core.plan.file import load_build, update_build
from core.platform.errors import ExitCode
from core.present.report.build_findings import brief_findings
from core.present.report.document import Paragraph
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.rules.engine import counts_words
from core.rules.finding import Status
from core.words import tr, trn


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "fix",
        help=tr(
            "Solve what fails or warns, one fix after the other, and show what all of them cost. "
            "Exit code 1 if something still fails."
        ),
    )(fix)


def fix(
    file: Annotated[str, typer.Argument(help=tr("A build file, or the name of a template."))],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=tr("Write the build with these changes; FILE itself, too."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    solution: Solution
    with open_catalogue(folder) as catalogue:

        def solved(build: Build) -> Build:
            nonlocal solution
            solution = solve_all(build, catalogue, guide=advice_guide(catalogue))
            return solution.after.build

        path = find_build(file)
        if output is None:
            solved(load_build(path, catalogue.part))
        else:
            update_build(path, output, catalogue.part, solved)
    if as_json:
        print_json(_document(solution, output))
    else:
        _print_solution(solution, output)
    if any(finding.status is Status.FAIL for finding in solution.unsolved):
        raise typer.Exit(ExitCode.FAIL)


def _document(solution: Solution, output: Path | None) -> dict[str, Any]:
    written = str(output) if output else None
    return {"build": solution.before.build.name, "written": written} | solution.as_dict()


def _print_solution(solution: Solution, output: Path | None) -> None:
    console.print(f"[bold]{escape(solution.before.build.name)}[/]  {solution.before.build.circuit.title}\n")
    for number, step in enumerate(solution.steps, start=1):
        console.print(escape(f"{number}. {step.sentence}"))
    if solution.sum is not None:
        console.print(f"\n[bold]{tr('In all')}[/]")
        print_blocks(console, [Paragraph(bullets(solution.sum.in_all))])
    else:
        console.print(tr("Nothing was found to change."))
    if solution.unsolved:
        heading = trn("{count} finding is left", "{count} findings are left", count=len(solution.unsolved))
        console.print(f"\n[bold]{heading}[/]")
        print_blocks(console, [brief_findings(solution.unsolved)])
    console.print("\n" + tr("Before: {counts}.", counts=counts_words(solution.before.findings)))
    console.print(tr("After: {counts}.", counts=counts_words(solution.after.findings)))
    if solution.steps and output is None:
        console.print(tr("Nothing was written. Write the changed build with -o."))
