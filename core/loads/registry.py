"""Makes the loads that compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from core.loads.load import Group, Load
from core.loads.params import checked
from core.loads.table import load_entry, located


def make_load(name: str, params: Mapping[str, Any], group: Group | None = None, *, device: torch.device) -> Load:
    """A load by name. Raises BadInput for an unknown name or wrong parameters."""
    entry = load_entry(name)
    load: Load = located(entry.computes)(checked(entry.params, params), device, **entry.with_group(group))
    return load
