"""Least squares with what the model knew before: values, standard errors, and what the data alone would tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Predict = Callable[[Sequence[float]], Sequence[float]]

STEP = 0.2
"""Of a parameter's prior standard deviation, for differences: well above what the steady state is solved to."""
REACH = 5.0
"""Prior standard deviations to either side within which a value is sought."""
STARTS = (0.0, -1.5, 1.5)
"""Where the search begins, in prior standard deviations. A capped law has valleys that a single start may end in."""
REACH_OF_BENDS = 2.0
"""Standard errors within which a law that bends is looked at from either side."""
FLAT = 1e-4
"""Where the search ends: a step or a slope this small beside a prior deviation. The steady state is solved no finer."""
RIVAL = 2.0
"""By how much half the sum of squares of another valley may be larger: exp(-2), one against seven."""
_NOTHING_TOLD = 1e-9


@dataclass(frozen=True, slots=True)
class Solution:
    """One entry per parameter.

    `from_data` are standard errors without the priors, endless where the data say nothing, or two things.
    """

    values: tuple[float, ...]
    errors: tuple[float, ...]
    from_data: tuple[float, ...]


def solve(
    predict: Predict,
    measured: Sequence[float],
    sigma: Sequence[float],
    priors: Sequence[float],
    *,
    capped: int | None = None,
) -> Solution:
    """Parameters x, zero where the model expects them, with prior standard deviations `priors`.

    Minimises sum ((predict(x) - measured) / sigma)^2 + sum (x / prior)^2. The errors come from the curvature, widened
    where the residuals are larger than `sigma` explains, but not beyond the prior. `capped` is the place of a parameter
    whose law has a cap.
    """
    from scipy.optimize import least_squares

    prior, target, scale = np.array(priors), np.array(measured), np.array(sigma)

    def residuals(x: Vector) -> Vector:
        return np.concatenate(((np.array(predict(x.tolist())) - target) / scale, x / prior))

    def slopes(x: Vector) -> Vector:
        return np.column_stack([_difference(residuals, x, i, STEP * prior[i]) for i in range(len(x))])

    bounds = (-REACH * prior, REACH * prior)
    starts = np.zeros((1 if capped is None else len(STARTS), len(prior)))
    if capped is not None:
        starts[:, capped] = STARTS
    minima = [
        least_squares(residuals, start * prior, jac=slopes, bounds=bounds, x_scale=prior, xtol=FLAT, gtol=FLAT)
        for start in starts
    ]
    best = min(minima, key=lambda one: float(one.cost))
    jacobian = slopes(best.x)
    data = jacobian[: len(measured)]
    freedom = len(measured) - len(prior)
    misfit = float(np.sum(best.fun[: len(measured)] ** 2)) / freedom if freedom > 0 else 1.0
    errors = _errors(jacobian)
    if capped is not None:
        # Where the law bends within reach, the side that tells less counts.
        for reach in (-REACH_OF_BENDS * errors[capped], REACH_OF_BENDS * errors[capped]):
            bent = jacobian.copy()
            bent[:, capped] = _one_sided(residuals, best.x, capped, reach)
            errors = np.maximum(errors, _errors(bent))
    errors, from_data = np.minimum(max(1.0, misfit) ** 0.5 * errors, prior), _errors_from_data(data, prior)
    rivals = [one.x for one in minima if one.cost < best.cost + RIVAL]
    if capped is not None and any(abs(x[capped] - best.x[capped]) > 2 * errors[capped] for x in rivals):
        from_data[capped] = np.inf
    return Solution(tuple(best.x.tolist()), tuple(errors.tolist()), tuple(from_data.tolist()))


def _difference(function: Callable[[Vector], Vector], x: Vector, place: int, step: float) -> Vector:
    shift = np.zeros_like(x)
    shift[place] = step
    return (function(x + shift) - function(x - shift)) / (2 * step)


def _one_sided(function: Callable[[Vector], Vector], x: Vector, place: int, step: float) -> Vector:
    shift = np.zeros_like(x)
    shift[place] = step
    return (function(x + shift) - function(x)) / step


def _errors(jacobian: Vector) -> Vector:
    errors: Vector = np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))
    return errors


def _errors_from_data(data: Vector, prior: Vector) -> Vector:
    """Standard errors without the priors, by singular values of what each prior deviation changes."""
    _, sizes, directions = np.linalg.svd(data * prior, full_matrices=True)
    padded = np.zeros(len(prior))
    padded[: len(sizes)] = sizes
    shares = directions**2 / np.maximum(padded, _NOTHING_TOLD)[:, None] ** 2
    errors: Vector = prior * np.sqrt(shares.sum(axis=0))
    return errors
