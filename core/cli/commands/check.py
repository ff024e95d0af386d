"""The command that checks a build."""

from __future__ import annotations

from typing import Annotated

import typer

from core.advise.fix import Fix
from core.advise.fixes import fixes
from core.assessment import Assessment
from core.cli.lookup import find_build, open_catalogue
from core.cli.options import AsJson, DataDir, print_json
from core.cli.plan_text import print_findings, print_price, print_summary, without_passed
from core.parts.price_guide import advice_guide, read_guide
from core.plan.file import load_build
from core.platform.errors import ExitCode
from core.rules.engine import is_incomplete
from core.rules.finding import Finding, Status
from core.words import tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "check",
        help=tr("Check a build: fit, power and wiring. Exit code 1 if something fails, 4 while parts are missing."),
    )(check_file)


def check_file(
    file: Annotated[str, typer.Argument(help=tr("A build file, or the name of a template."))],
    everything: Annotated[bool, typer.Option("--all", help=tr("Show what passed, too."))] = False,
    with_fixes: Annotated[
        bool, typer.Option("--fixes", help=tr("Try out and show suggested fixes for each finding."))
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        build = load_build(find_build(file), catalogue.part)
        guide = read_guide(catalogue, (line.part for line in build.lines))
        assessment = Assessment(build, guide=guide)
        findings = assessment.findings
        advice = advice_guide(catalogue) if with_fixes else guide

        def fixes_of(finding: Finding) -> tuple[Fix, ...]:
            return fixes(build, finding, catalogue, guide=advice) if with_fixes else ()

        if as_json:
            listed = [
                finding.as_dict() | ({"fixes": [fix.as_dict() for fix in fixes_of(finding)]} if with_fixes else {})
                for finding in findings
            ]
            budget = assessment.budget.as_dict() if assessment.budget else None
            print_json({"build": build.name, "findings": listed, "price": assessment.price.as_dict(), "budget": budget})
        else:
            print_findings(build, findings if everything else without_passed(findings), fixes_of)
            print_summary(assessment)
            print_price(assessment)
    if any(finding.status is Status.FAIL for finding in findings):
        raise typer.Exit(ExitCode.FAIL)
    if is_incomplete(findings):
        raise typer.Exit(ExitCode.INCOMPLETE)
