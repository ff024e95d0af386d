"""Fits what temperatures and fan speeds tell: resistances, fan curves, coupling and flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.build.calibration import Calibration
from core.calibrate import refusal
from core.calibrate.bench import Bench, Row, rows_of
from core.calibrate.candidates import candidates
from core.calibrate.outcome import Fit, Outcome, Quantity
from core.calibrate.parameters import OFFSETS, Kind, Parameter, with_fitted
from core.calibrate.solve import Solution, solve
from core.predict.band import total
from core.predict.thermal.bodies import gpu_cards
from core.predict.thermal.spread import Case

SUSPECT = 3.0
"""Standard errors by which a figure may stay off without a remark."""
CONTRADICTED = (
    "The measured figures differ more from what any values of these parameters give than their errors explain: the "
    "standard errors are widened for it, and some of them are no narrower than before."
)


def fit_heat(bench: Bench, empty: Calibration) -> Outcome:
    """`empty` names the run and holds no factors."""
    parameters, refusals = candidates(bench)
    rows = rows_of(bench)
    chosen, solution, weak = determined(bench, rows, parameters, empty)
    fitted = with_fitted(empty, chosen, solution.values, solution.errors) if chosen else empty
    quantities = tuple(
        Quantity(row.title, row.unit, row.measured, bench.band(row, empty), bench.band(row, fitted)) for row in rows
    )
    watts = tuple(_watts(bench, empty, fitted))
    fits = tuple(
        fit_of(parameter, value, error)
        for parameter, value, error in zip(chosen, solution.values, solution.errors, strict=True)
    )
    misfits = tuple(_misfits(rows, quantities)) if fits else ()
    remarks = (*misfits, *((CONTRADICTED,) if misfits else ()), *_surprises(fits))
    return Outcome(fitted, (*quantities, *watts), fits, (*refusals, *(refusal.not_told(one) for one in weak)), remarks)


def determined(
    bench: Bench, rows: Sequence[Row], parameters: Sequence[Parameter], empty: Calibration
) -> tuple[tuple[Parameter, ...], Solution, tuple[Parameter, ...]]:
    """The parameters that the rows tell more of than the model knew, with their values; and the others.

    Where the rows cannot tell two apart, the one of the later kind gives way, and the other takes up what both do.
    """
    measured, sigma = [row.measured for row in rows], [row.sigma for row in rows]
    left, weak = list(parameters), list[Parameter]()
    while left and len(rows):

        def predict(x: Sequence[float], chosen: Sequence[Parameter] = tuple(left)) -> list[float]:
            trial = with_fitted(empty, chosen, x, [0.0] * len(x))
            settled = bench.settled(trial)
            return [row.of(settled, trial, Case.EXPECTED) for row in rows]

        capped = next((place for place, one in enumerate(left) if one.kind is Kind.COUPLING), None)
        solution = solve(predict, measured, sigma, [one.prior for one in left], capped=capped)
        unsure = [one for one, told in zip(left, solution.told, strict=True) if told > one.prior]
        if not unsure:
            return tuple(left), solution, tuple(weak)
        weak.append(unsure[-1])
        left.remove(unsure[-1])
    return (), Solution((), (), ()), (*weak, *left)


def fit_of(parameter: Parameter, value: float, error: float) -> Fit:
    """Value and error as solved: of the logarithm for factors; the fit's in the parameter's unit."""
    new = parameter.fitted(value, error).of(parameter.old[1])
    return Fit(parameter, new, error if parameter.kind in OFFSETS else error * new[1])


def _watts(bench: Bench, empty: Calibration, fitted: Calibration) -> Iterator[Quantity]:
    """What the cards draw by the prediction: less where they are too hot. The measured watts are not fitted."""
    cards = gpu_cards(bench.build)
    before, after = (bench.predicted_w(calibration) for calibration in (empty, fitted))
    for group in bench.groups:
        keys = [(cards[index].part.id, cards[index].number) for index in group.indices]
        if all(key in before for key in keys):
            old, new = (total([watts[key] for key in keys], "W").times(1 / len(keys)) for watts in (before, after))
            yield Quantity(f"{group.title}: watts, predicted", "W", group.power_w, old, new)


def _misfits(rows: Sequence[Row], quantities: Sequence[Quantity]) -> Iterator[str]:
    for row, quantity in zip(rows, quantities, strict=True):
        off = quantity.after.expected - row.measured
        if abs(off) > SUSPECT * row.sigma and row.group is not None:
            side = "above" if off > 0 else "below"
            yield (
                f"{row.title} stays {abs(off):.0f} {row.unit} {side} what was measured. Is the card in that slot, are "
                "its fans free and under its own control, was the room as warm as stated?"
            )


def _surprises(fits: Sequence[Fit]) -> Iterator[str]:
    for fit in fits:
        low, _, high = fit.parameter.old
        if not low <= fit.new[1] <= high and fit.parameter.kind is not Kind.FANS:
            title = fit.parameter.title
            yield f"{title} lies outside the range that the model knew. Look for a cause before you trust it."
