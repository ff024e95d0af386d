"""The self-test of the comparison of replicas: one weight in one replica has one other bit."""

from __future__ import annotations

import torch

from core.loads.inject import LOW_BIT, flip_bit
from core.loads.selftest import DIVERGING_REPLICA, SelfTest
from core.loads.training.fingerprint import fingerprint

SHAPES = ((64, 33), (33,), (1, 7, 5))
"""Odd sizes: the last words of such tensors are filled up."""


def try_replicas(self_test: SelfTest, device: torch.device) -> None:
    """Two replicas are alike until one bit of the last weight of one of them changes."""
    first = [torch.linspace(-1, 1, torch.Size(shape).numel(), device=device).view(shape) for shape in SHAPES]
    second = [weight.clone() for weight in first]
    alike = fingerprint(first) == fingerprint(second)
    flip_bit(second[-1], second[-1].numel() - 1, LOW_BIT)
    self_test.note(DIVERGING_REPLICA, alike and fingerprint(first) != fingerprint(second), "weights")
