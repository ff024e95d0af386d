"""The table of loads that compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from core.errors import BadInput
from core.loads.gemm import GemmLoad
from core.loads.load import Load
from core.loads.params import GemmParams, TransformerParams, checked
from core.loads.transformer import TransformerLoad


def _gemm(params: Mapping[str, Any], device: torch.device) -> Load:
    return GemmLoad(checked(GemmParams, params), device)


def _transformer(params: Mapping[str, Any], device: torch.device) -> Load:
    return TransformerLoad(checked(TransformerParams, params), device)


LOADS: dict[str, Callable[[Mapping[str, Any], torch.device], Load]] = {"gemm": _gemm, "transformer": _transformer}


def make_load(name: str, params: Mapping[str, Any], *, device: torch.device) -> Load:
    """A load by name. Raises BadInput for an unknown name or wrong parameters."""
    if name not in LOADS:
        raise BadInput(f"There is no load {name!r}. Choose from {', '.join(LOADS)}.")
    return LOADS[name](params, device)
