"""Fixes outside the machine: another circuit, or one more."""

from __future__ import annotations

from collections.abc import Iterator

from core.advise.fix import Shelf
from core.advise.trial import Trial
from core.build.edits import Edit, SetDetails
from core.build.mains import CIRCUITS, MAX_CIRCUITS
from core.build.site_edits import SetCircuits


def another_circuit(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """Stronger circuits of the same country, the weakest first."""
    build = trial.build
    if build.custom_circuit is not None:
        return
    country = build.region.partition("-")[0]
    stronger = [
        circuit
        for circuit in CIRCUITS
        if circuit.id.startswith(f"{country}-") and circuit.continuous_w > build.circuit.continuous_w
    ]
    for circuit in sorted(stronger, key=lambda circuit: circuit.continuous_w):
        yield SetDetails(region=circuit.id)


def one_more_circuit(trial: Trial, _: Shelf) -> Iterator[Edit]:
    """A further circuit of the same kind, with nothing else on it."""
    loads = trial.build.other_loads_w
    if len(loads) < MAX_CIRCUITS:
        yield SetCircuits(trial.build.custom_circuit, (*loads, 0.0))
