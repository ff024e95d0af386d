"""Fixes outside the machine: another circuit, or one more."""

from __future__ import annotations

from collections.abc import Iterator

from core.advise.fix import Shelf
from core.advise.trial import Trial
from core.advise.worth import runs_at
from core.build.edits import Edit, SetDetails
from core.build.mains import CIRCUITS, MAX_CIRCUITS
from core.build.site_edits import SetCircuits
from core.parts.vocabulary import Category


def another_circuit(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """Circuits of the same country that the machine's supplies run at: other than those of now, the weakest first."""
    build = trial.build
    if build.custom_circuit is not None:
        return
    country = build.region.partition("-")[0]
    others = [one for one in CIRCUITS if one.id.startswith(f"{country}-") and one.id != build.region]
    for circuit in sorted(others, key=lambda one: one.continuous_w):
        edit = SetDetails(region=circuit.id)
        there = edit.apply(build)
        if all(runs_at(there, line.part) for line in there.of(Category.PSU) + there.of(Category.UPS)):
            yield edit


def one_more_circuit(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """A further circuit of the same kind, with nothing else on it, for a machine of several supplies."""
    loads = trial.build.other_loads_w
    if len(loads) < min(MAX_CIRCUITS, trial.build.count(Category.PSU)):
        yield SetCircuits(trial.build.custom_circuit, (*loads, 0.0))
