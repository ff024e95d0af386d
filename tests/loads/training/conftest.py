"""Tiny networks on the CPU, trained as far as a test needs."""

from typing import Any

import pytest
import torch

TINY: dict[str, dict[str, Any]] = {
    "resnet": {"image": 32, "width": 4, "classes": 10, "batch": 4},
    "lstm": {"layers": 2, "width": 16, "length": 6, "vocabulary": 32, "batch": 4, "learning_rate": 0.02},
    "transformer": {"layers": 2, "width": 32, "heads": 2, "context": 16, "batch": 4, "vocabulary": 64},
}
"""Parameters by load."""


@pytest.fixture(autouse=True, scope="session")
def _woken() -> None:
    """As when a worker starts: the first optimiser imports 800 modules."""
    torch.optim.AdamW([torch.zeros(1, requires_grad=True)])


@pytest.fixture(scope="session")
def tiny() -> dict[str, dict[str, Any]]:
    return TINY
