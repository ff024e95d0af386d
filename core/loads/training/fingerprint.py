"""A checksum of all weights' bits: two networks that differ anywhere differ in it."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from core.loads.checksum import WORD_BYTES, Checksum, checksum, words_of

MIXER = 0x9E37_79B9_7F4A_7C15
"""Odd, so that multiplying by it modulo 2**64 loses no bit: the same tensors in another order give another sum."""


def fingerprint(tensors: Iterable[Tensor]) -> Checksum:
    """Of the tensors in their order, computed where they lie. Waits for the device."""
    plain = weighted = 0
    for tensor in tensors:
        of_one = checksum(_whole_words(tensor))
        plain = (plain * MIXER + of_one.plain) % 2**64
        weighted = (weighted * MIXER + of_one.weighted) % 2**64
    return Checksum(plain, weighted)


def _whole_words(tensor: Tensor) -> Tensor:
    """Its bytes, filled up with zeros to whole words."""
    flat = tensor.detach().contiguous().view(-1).view(torch.uint8)
    if missing := -len(flat) % WORD_BYTES:
        flat = torch.cat([flat, flat.new_zeros(missing)])
    return words_of(flat)
