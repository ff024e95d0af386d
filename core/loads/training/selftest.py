"""The self-tests of what judges a training: losses, and hashes of weights."""

from __future__ import annotations

import torch

from core.loads.inject import LOW_BIT, flip_bit
from core.loads.selftest import BIT_FLIP, DIVERGING_REPLICA, NAN, SelfTest
from core.loads.training.curve import Curve
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


def try_curve(self_test: SelfTest) -> None:
    """A loss that is no number is a fault."""
    self_test.note(NAN, all(Curve().add(1, loss) is not None for loss in (float("nan"), float("inf"))), "losses")


def try_hashes(self_test: SelfTest, weights: list[torch.Tensor], losses: torch.Tensor) -> None:
    """The lowest bit of the last weight of a real network, and of one real loss."""
    for what, tensors in (("weights", weights), ("losses", [losses])):
        wrong = [tensor.clone() for tensor in tensors]
        last = [tensor for tensor in wrong if tensor.is_floating_point()][-1]
        alike = fingerprint(wrong) == fingerprint(tensors)
        flip_bit(last, last.numel() - 1, 0)
        self_test.note(BIT_FLIP, alike and fingerprint(wrong) != fingerprint(tensors), what)
