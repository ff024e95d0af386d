"""Checksums of all weights' bits: two networks that differ anywhere differ in them. And the self-tests of what judges a
training: losses, and such hashes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from core.language import tr
from core.loads.checksum import WORD_BYTES, Checksum, sums_of, words_of
from core.loads.inject import LOW_BIT, flip_bit
from core.loads.selftest import BIT_FLIP, DIVERGING_REPLICA, NAN, SelfTest
from core.loads.training.curve import Curve

MIXER = 0x9E37_79B9_7F4A_7C15
"""Odd, so that multiplying by it modulo 2**64 loses no bit: the same tensors in another order give another sum."""


def fingerprints(tensors: Iterable[Tensor]) -> list[Checksum]:
    """One of each tensor, computed where it lies. Waits for each device once."""
    sums = [sums_of(_whole_words(tensor)) for tensor in tensors]
    told: dict[int, Checksum] = {}
    for device in {one.device for one in sums}:
        places = [place for place, one in enumerate(sums) if one.device == device]
        for place, (plain, weighted) in zip(places, torch.stack([sums[n] for n in places]).tolist(), strict=True):
            told[place] = Checksum(plain % 2**64, weighted % 2**64)
    return [told[place] for place in range(len(sums))]


def combined(parts: Iterable[Checksum]) -> Checksum:
    """One of all, in their order."""
    plain = weighted = 0
    for part in parts:
        plain = (plain * MIXER + part.plain) % 2**64
        weighted = (weighted * MIXER + part.weighted) % 2**64
    return Checksum(plain, weighted)


def fingerprint(tensors: Iterable[Tensor]) -> Checksum:
    """Of the tensors in their order."""
    return combined(fingerprints(tensors))


def first_difference(names: Sequence[str], found: Sequence[Checksum], golden: Sequence[Checksum]) -> str | None:
    """The name of the first tensor that is not what it should be, and how many are not; None if all are."""
    wrong = [name for name, one, right in zip(names, found, golden, strict=True) if one != right]
    if not wrong:
        return None
    return wrong[0] if len(wrong) == 1 else tr("{first} and {more} more", first=wrong[0], more=len(wrong) - 1)


class Unchanging:
    """Tensors, by name, that nothing may change while they are kept here."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = dict(tensors)
        self._golden = fingerprints(self._tensors.values())

    def problem(self) -> str | None:
        """Which of them changed, in a sentence without its full stop; None if none did. Waits for the device."""
        found = fingerprints(self._tensors.values())
        changed = first_difference(list(self._tensors), found, self._golden)
        return changed and tr("Data that must stay constant changed in memory: {changed}", changed=changed)


def _whole_words(tensor: Tensor) -> Tensor:
    """Its bytes, filled up with zeros to whole words."""
    flat = tensor.detach().contiguous().view(-1).view(torch.uint8)
    if missing := -len(flat) % WORD_BYTES:
        flat = torch.cat([flat, flat.new_zeros(missing)])
    return words_of(flat)


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
