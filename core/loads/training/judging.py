"""What judges a training: the loss must fall and be the same again after starting over, and checksums of all bits of
the weights tell two networks apart that differ anywhere. And the self-tests of both."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from core.loads.findings import SelfTest, TriedFault
from core.loads.load import Fault, FaultKind
from core.loads.words import LOW_BIT, WORD_BYTES, Checksum, flip_bit, sums_of, words_of
from core.words import tr

ENOUGH_STEPS = 20
"""Fewer steps prove nothing about a fall."""
MUST_FALL_TO = 0.98
"""Of the first loss, within 20 steps; a healthy start does it in a few."""
RUNS_AWAY_AT = 2.0
"""Times the first loss."""


@dataclass(slots=True)
class Curve:
    """Losses (nats per token) at the steps where they were read, over one start after another."""

    first_loss: float | None = None
    last_loss: float | None = None
    """The latest loss that counts: after 20 steps or more of one start."""
    judged_steps: int = 0
    fell_always: bool = True
    starts: int = 0
    differing_replays: int = 0
    _golden: dict[int, float] = field(default_factory=dict)
    _differs: bool = False

    def start(self) -> None:
        """Training begins from its first weights."""
        self.starts += 1
        self._differs = False

    def take(self, first: int, losses: Tensor) -> Fault | None:
        """Takes in the losses of the steps from `first` on, which begins a start at 1; what is wrong, if anything.

        Every one must be a number, and is compared with those of earlier starts; the last one is judged.
        """
        if first == 1:
            self.start()
        values = losses.tolist()
        for step, loss in enumerate(values[:-1], start=first):
            if fault := self._noted(step, loss):
                return fault
        return self.add(first + len(values) - 1, values[-1])

    def add(self, step: int, loss: float) -> Fault | None:
        """Takes in the loss of step number `step` (from 1) of this start; what is wrong with it, if anything."""
        if fault := self._noted(step, loss):
            return fault
        assert self.first_loss is not None
        if loss > RUNS_AWAY_AT * self.first_loss:
            fields = {"loss": loss, "step": step, "first_loss": self.first_loss}
            text = tr(
                "The loss diverged to {loss:.3f} after {step} training steps; it was {first_loss:.3f} at first",
                **fields,
            )
            return Fault(FaultKind.DIVERGED, text)
        if step >= ENOUGH_STEPS:
            self.last_loss = loss
            self.judged_steps = max(self.judged_steps, step)
            self.fell_always = self.fell_always and loss < MUST_FALL_TO * self.first_loss
        return None

    @property
    def replays_identical(self) -> bool | None:
        """Whether each later start gave the first one's losses to the last bit; None before there was one."""
        return None if self.starts < 2 else self.differing_replays == 0

    def __str__(self) -> str:
        fields = {"first_loss": self.first_loss, "last_loss": self.last_loss, "judged_steps": self.judged_steps}
        return tr("{first_loss:.3f} at first, {last_loss:.3f} after {judged_steps} steps", **fields)

    def _noted(self, step: int, loss: float) -> Fault | None:
        if not math.isfinite(loss):
            return Fault(FaultKind.NAN, tr("The loss is {loss} after {step} training steps", loss=f"{loss}", step=step))
        if self.first_loss is None:
            self.first_loss = loss
        if self._golden.setdefault(step, loss) != loss and not self._differs:
            self._differs = True
            self.differing_replays += 1
        return None


MIXER = 0x9E37_79B9_7F4A_7C15
"""Odd, so that multiplying by it modulo 2**64 loses no bit: the same tensors in another order give another sum."""


def fingerprints(tensors: Iterable[Tensor]) -> list[Checksum]:
    """One of each tensor, computed where it lies. Waits for each device once."""
    sums = [sums_of(_whole_words(tensor)) for tensor in tensors]
    checksums: dict[int, Checksum] = {}
    for device in {one.device for one in sums}:
        places = [place for place, one in enumerate(sums) if one.device == device]
        for place, (plain, weighted) in zip(places, torch.stack([sums[n] for n in places]).tolist(), strict=True):
            checksums[place] = Checksum(plain % 2**64, weighted % 2**64)
    return [checksums[place] for place in range(len(sums))]


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


def first_difference(names: Sequence[str], checksums: Sequence[Checksum], golden: Sequence[Checksum]) -> str | None:
    """The name of the first tensor that is not what it should be, and how many are not; None if all are."""
    wrong = [name for name, one, right in zip(names, checksums, golden, strict=True) if one != right]
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
        now = fingerprints(self._tensors.values())
        changed = first_difference(list(self._tensors), now, self._golden)
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
    self_test.note(TriedFault.DIVERGING_REPLICA, alike and fingerprint(first) != fingerprint(second), "weights")


def try_curve(self_test: SelfTest) -> None:
    """A loss that is no number is a fault."""
    noticed = all(Curve().add(1, loss) is not None for loss in (float("nan"), float("inf")))
    self_test.note(TriedFault.NAN, noticed, "losses")


def try_hashes(self_test: SelfTest, weights: list[torch.Tensor], losses: torch.Tensor) -> None:
    """The lowest bit of the last weight of a real network, and of one real loss."""
    for what, tensors in (("weights", weights), ("losses", [losses])):
        wrong = [tensor.clone() for tensor in tensors]
        last = [tensor for tensor in wrong if tensor.is_floating_point()][-1]
        alike = fingerprint(wrong) == fingerprint(tensors)
        flip_bit(last, last.numel() - 1, 0)
        self_test.note(TriedFault.BIT_FLIP, alike and fingerprint(wrong) != fingerprint(tensors), what)
