"""Commands about builds: templates, check."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from core.advise.fix import Fix
from core.advise.fixes import fixes
from core.assessment import Assessment
from core.build.build import Build
from core.build.file import SUFFIX, load_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.cli.plan_text import no_fixes, print_counts, print_findings, without_passed
from core.errors import BadInput, ExitCode
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.paths import ASSETS, data_dir
from core.rules.finding import Finding, Status

TEMPLATES = ASSETS / "templates"


@contextmanager
def open_catalogue(folder: Path | None) -> Iterator[Catalogue]:
    """The catalogue of a data folder, closed afterwards."""
    catalogue = Catalogue(data_dir(folder))
    try:
        yield catalogue
    finally:
        catalogue.close()


def read_build(file: str, folder: Path | None) -> Build:
    """A build from a file, or a template by its name."""
    with open_catalogue(folder) as catalogue:
        return load_build(find_build(file), catalogue.part)


def find_build(file: str) -> Path:
    """The path of a build file, or of the template of that name. Raises BadInput where neither is there."""
    if not file:
        raise BadInput("The name of the build is empty. Give a build file, or the name of a template.")
    path = Path(file)
    template = TEMPLATES / f"{path.name.removesuffix(SUFFIX)}{SUFFIX}"
    if path.is_file() or path.is_fifo():
        return path
    if path.is_dir():
        raise BadInput(f"{file!r} cannot be opened: it is a folder, not a build file.")
    if path.name == file and template.is_file():
        return template
    raise BadInput(f"{file!r} cannot be opened: there is no such file, nor a template of that name.")


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("templates")(templates)
    app.command("check")(check_file)


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


def check_file(
    file: Annotated[str, typer.Argument(help="A build file, or the name of a template.")],
    everything: Annotated[bool, typer.Option("--all", help="Show what passed, too.")] = False,
    with_fixes: Annotated[
        bool, typer.Option("--fixes", help="Try out and show suggested fixes for each finding.")
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Check a build: does it fit, is it fed, is it wired. Exit code 1 if something fails."""
    with open_catalogue(folder) as catalogue:
        build = load_build(find_build(file), catalogue.part)
        findings = Assessment(build).findings

        def fixes_of(finding: Finding) -> tuple[Fix, ...]:
            return fixes(build, finding, catalogue)

        def told(finding: Finding) -> dict[str, Any]:
            more = {"fixes": [fix.as_dict() for fix in fixes_of(finding)]} if with_fixes else {}
            return finding.as_dict() | more

        if as_json:
            print_json({"build": build.name, "findings": [told(finding) for finding in findings]})
        else:
            shown = findings if everything else without_passed(findings)
            print_findings(build, shown, fixes_of if with_fixes else no_fixes)
            print_counts(findings)
    if any(finding.status is Status.FAIL for finding in findings):
        raise typer.Exit(ExitCode.FAIL)
