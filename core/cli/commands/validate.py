"""The command that holds the predictions to measured cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.cli.commands.validate_aims import print_aims
from core.cli.commands.validate_rates import validate_rates
from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.lab.validation.cases import read_cases
from core.lab.validation.outcome import CaseOutcome, QuantityScore, aims, predict_cases, scores
from core.lab.validation.rates import are_rates
from core.parts.vocabulary import Category
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
from core.words import tr
from core.words.units import quantity

MEASURED = (Category.GPU, Category.PSU, Category.RADIATOR)
"""What measured cases are about."""


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "validate",
        help=tr(
            "Predict every measured case of a file; print predicted, measured and error by case and "
            "quantity, and the targets.\n\nThe columns are id, configuration, quantity, condition, "
            "value, unit, distance_m, source and trust, and those that give what was measured in "
            "figures, as in assets/measurements/cases.csv. Without these the text is read.\n\n"
            "A file with the columns of assets/measurements/language_models.csv holds rates of language models: "
            "errors by task and kind of memory, and the worst rows."
        ),
    )(validate)


def validate(
    file: Annotated[Path, typer.Argument(help=tr("A CSV file of measured cases."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        parts = [part for category in MEASURED for part in catalogue.parts(category=category)]
    if are_rates(file):
        validate_rates(file, parts, as_json=as_json)
        return
    outcomes = predict_cases(read_cases(file), parts)
    by_quantity = scores(outcomes)
    if as_json:
        cases = [outcome.as_dict() for outcome in outcomes]
        quantities, reached = [score.as_dict() for score in by_quantity], [aim.as_dict() for aim in aims(outcomes)]
        print_json({"cases": cases, "quantities": quantities, "aims": reached})
        return
    _print_cases([outcome for outcome in outcomes if outcome.predicted is not None])
    _print_rest([outcome for outcome in outcomes if outcome.predicted is None])
    _print_scores(by_quantity)
    print_aims(aims(outcomes))


def _print_cases(outcomes: list[CaseOutcome]) -> None:
    figures_of = map(figures_column, (tr("Measured"), tr("Low"), tr("Expected"), tr("High"), tr("Error")))
    rows = []
    for outcome in outcomes:
        case, band = outcome.case, outcome.predicted
        assert band is not None
        figures = (case.value, band.low, band.expected, band.high)
        shown = [f"{figure:.{_decimals(case.value)}f}" for figure in figures]
        error = f"{outcome.error:+.{_decimals(case.value)}f}"
        inside = "" if outcome.inside else "outside"
        name = f"{case.configuration[:34]} ({case.trust})"
        rows.append((case.id, case.quantity, name, *shown, error, inside))
    print_blocks(console, [table((tr("Case"), tr("Quantity"), tr("Configuration"), *figures_of, ""), rows)])


def _decimals(value: float) -> int:
    return 2 if abs(value) < 2 else 1 if abs(value) < 200 else 0


def _print_rest(outcomes: list[CaseOutcome]) -> None:
    if outcomes:
        console.print(f"\n[bold]Not applicable[/] ({len(outcomes)})")
    for outcome in outcomes:
        case = outcome.case
        console.print(
            f"  {escape(case.id)} {escape(case.quantity)}, {escape(case.configuration[:60])}: {outcome.reason}."
        )


def _print_scores(by_quantity: list[QuantityScore]) -> None:
    console.print()
    titles = (
        tr("Cases"),
        tr("Mean error"),
        "",
        tr("In the band"),
        tr("Trusted"),
        tr("Mean error"),
        tr("In the band"),
        tr("Band +-"),
    )
    rows = [
        (
            score.quantity,
            str(score.cases),
            quantity(score.mean_error, score.unit, decimals=2),
            quantity(score.mean_error_pct, "%", decimals=1),
            quantity(100 * score.inside, "%", decimals=0),
            str(score.trusted),
            quantity(score.trusted_error, score.unit, decimals=2) if score.trusted else "",
            quantity(100 * score.trusted_inside, "%", decimals=0) if score.trusted else "",
            quantity(score.half_width, score.unit, decimals=1),
        )
        for score in by_quantity
    ]
    print_blocks(console, [table((tr("Quantity"), *map(figures_column, titles)), rows)])
