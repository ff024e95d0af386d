"""What the commands about builds print for people: findings, with what would fix them, predictions and the price."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.markup import escape

from core.advise.fix import Fix
from core.assessment import Assessment
from core.cli.options import console
from core.plan.build import Build
from core.plan.line_words import gpu_words
from core.present.report.build_findings import UNCONFIRMED, brief_findings
from core.present.report.build_prediction import assumption_blocks, prediction_blocks, price_blocks, price_facts
from core.present.report.document import KeyValues
from core.present.report.formatting import named
from core.present.report.terminal import print_blocks
from core.rules.engine import counts_words
from core.rules.finding import Finding, Status, figure_phrase
from core.words import joined, plain, tr

FixesOf = Callable[[Finding], tuple[Fix, ...]]


def without_passed(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """What a reader must know first."""
    return tuple(finding for finding in findings if finding.status is not Status.PASS)


def print_findings(build: Build, findings: tuple[Finding, ...], fixes_of: FixesOf = lambda _: ()) -> None:
    """The findings, the worst first, with what would fix them."""
    console.print(f"[bold]{escape(build.name)}[/]  {build.circuit.title}\n")

    def below(finding: Finding) -> Iterator[str]:
        if finding.unconfirmed and finding.status in (Status.FAIL, Status.WARN):
            yield named(UNCONFIRMED, figure_phrase(build, finding.unconfirmed))
        for figure in finding.needed:
            part_id, _, field = figure.rpartition(".")
            yield plain("rigwright parts set {part} {field}=...", part=part_id, field=field)
        for fix in fixes_of(finding):
            yield joined((tr("Suggested fix: {fix}", fix=fix.sentence), *fix.effects))

    print_blocks(console, [brief_findings(findings, below)])


def print_gpus(build: Build) -> None:
    """How many GPUs work, where some do not, or a card has several; with a blank line below."""
    if words := gpu_words(build):
        console.print(f"GPUs: {words}\n")


def print_summary(assessment: Assessment) -> None:
    """What works of the GPUs, and how many findings there are of each status."""
    console.print()
    print_gpus(assessment.build)
    console.print(counts_words(assessment.findings))


def print_prediction(assessment: Assessment) -> None:
    """All predictions, the price, and what both rest on."""
    print_blocks(console, prediction_blocks(assessment))
    console.print()
    print_blocks(console, price_blocks(assessment))
    _print_deciding(assessment)
    console.print()
    print_blocks(console, assumption_blocks(assessment))


def print_price(assessment: Assessment) -> None:
    """The total of the parts, what it rests on, and the budget."""
    print_blocks(console, [KeyValues(tuple(price_facts(assessment)))])
    _print_deciding(assessment)


def _print_deciding(assessment: Assessment) -> None:
    """How to give the prices that decide about the budget."""
    for part_id in assessment.deciding_prices:
        console.print(f"[dim]rigwright parts set {escape(part_id)} --price=...[/]")
