"""Opens a simulated device: every load of the table in its simulated form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from core.language import tr
from core.loads.load import Bench, Load, RankGroup
from core.loads.params import checked
from core.loads.simulated.load import SimulatedLoad, with_process_faults
from core.loads.simulated.rates import SimulatedModel, find_model
from core.loads.table import load_entry


def open_simulated(words: str, *, device_id: str) -> Bench:
    """A simulated device of the model that `words` name."""
    model = find_model(words)
    make = partial(_make, model=model, device_id=device_id)
    name = model.title if words.startswith("{") else words
    return Bench(f"{name} (SIMULATED)", "simulated", make=make, detail={"simulated": tr("nothing is computed")})


def _make(
    name: str, params: Mapping[str, Any], group: RankGroup | None = None, *, model: SimulatedModel, device_id: str
) -> Load:
    entry = load_entry(name)
    given = checked(with_process_faults(entry.params), params)
    return SimulatedLoad(entry.simulated, given, model, device_id=device_id, **entry.with_group(group))
