"""How the predicted rates of language models compare with those of a file: printed, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from core.cli.commands.validate_aims import print_aims
from core.cli.options import console, print_json
from core.lab.validation.rate_outcome import RateOutcome, RateScore, predict_rates, rate_aims, rate_scores, worst
from core.lab.validation.rates import read_rates
from core.parts.part import Part
from core.present.report.document import ReportColumn, figures_column, table
from core.present.report.terminal import print_blocks
from core.words import tr, trn
from core.words.units import quantity


def validate_rates(file: Path, parts: Sequence[Part], *, as_json: bool) -> None:
    """Predicts each row of the file and shows what comes of it. Raises BadInput for a table that is none."""
    outcomes = predict_rates(read_rates(file), parts)
    groups, reached = rate_scores(outcomes), rate_aims(outcomes)
    if as_json:
        rows = [outcome.as_dict() for outcome in outcomes]
        furthest = [outcome.rate.line for outcome in worst(outcomes)]
        of_groups, of_aims = [score.as_dict() for score in groups], [aim.as_dict() for aim in reached]
        print_json({"rates": rows, "groups": of_groups, "worst_lines": furthest, "aims": of_aims})
        return
    _print_groups(groups)
    _print_worst(worst(outcomes))
    _print_rest(outcomes)
    print_aims(reached)


def _print_groups(groups: Sequence[RateScore]) -> None:
    titles = (tr("Rows"), tr("Mean error"), tr("Nine of ten within"), tr("Worst"), tr("In the band"))
    rows = [
        (
            score.group,
            score.memory,
            str(score.rows),
            *(quantity(pct, "%", decimals=1) for pct in (score.mean_pct, score.ninth_tenth_pct, score.worst_pct)),
            quantity(100 * score.inside, "%", decimals=0),
        )
        for score in groups
    ]
    print_blocks(console, [table([tr("Task"), tr("Memory"), *map(figures_column, titles)], rows)])


def _print_worst(outcomes: Sequence[RateOutcome]) -> None:
    if not outcomes:
        return
    console.print()
    figures_of = map(figures_column, (tr("Measured"), tr("Low"), tr("Expected"), tr("High"), tr("Error")))
    rows = []
    for outcome in outcomes:
        rate, band = outcome.rate, outcome.predicted
        assert band is not None
        figures = [f"{figure:.1f}" for figure in (rate.tokens_per_s, *band.triple)]
        error = f"{outcome.error_pct:+.0f} %"
        rows.append((str(rate.line), f"{rate.count}x {rate.cards}", rate.model, outcome.group, *figures, error))
    words = (tr("Cards"), tr("Model"), tr("Task"))
    columns: list[ReportColumn | str] = [figures_column(tr("Line")), *words, *figures_of]
    print_blocks(console, [table(columns, rows)])


def _print_rest(outcomes: Sequence[RateOutcome]) -> None:
    rest = [outcome for outcome in outcomes if outcome.reason]
    if rest:
        console.print(f"\n[bold]{tr('Not predicted')}[/] ({len(rest)})")
    for outcome in rest:
        rate = outcome.rate
        name = escape(f"{rate.count}x {rate.cards}, {rate.model}, {outcome.group}")
        console.print(f"  {name}: {escape(outcome.reason)}.")
    if doubtful := sum(outcome.rate.suspicious for outcome in outcomes):
        console.print()
        words = trn("{count} suspicious row is not judged.", "{count} suspicious rows are not judged.", count=doubtful)
        console.print(escape(words))
