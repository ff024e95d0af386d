"""A language model on a device that answers the same prompts again and again, its logits kept to be compared; and the
same model, small, in double precision on the host."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from typing import cast

import torch
from torch import Tensor

from core.loads.inference.contract import ServedModel
from core.loads.load import StepReport
from core.loads.training.task import HOST, drawn
from core.loads.training.text import Gpt, KvCache

REFERENCE = ServedModel(layers=2, width=128, heads=2, vocabulary=512, context=24, generated=8, requests=2)
"""What is computed on the host as well: every operation of the model, in sizes that it does in a moment."""
ROUNDINGS = {torch.float32: 64.0}
OTHER_ROUNDINGS = 8.0
"""Times the format's own spacing and the root of the layers, so far may two ways to the same logits be apart: errors of
layers add up as independent ones do. Measured on a CPU are 2.5 in FP32, which loses most in its long sums, and 0.5 in
BF16 and FP16, whose sums are of 32 bits."""
MOST_APART = 0.5
"""Logits that have nothing in common are 1.4 apart, whatever the format and the depth."""


class Answering:
    """A model with its prompts, its cache, and the tokens and logits of one answer to each."""

    def __init__(self, network: Gpt, model: ServedModel, prompts: Tensor) -> None:
        self.network = network
        self.model = model
        weight = network.tokens.weight
        heads, requests = model.heads, model.requests
        shape = (model.layers, 2, requests, heads, model.context, model.width // heads)
        self.cache = torch.zeros(shape, dtype=weight.dtype, device=weight.device)
        self.logits = torch.zeros(
            (model.generated, requests, model.vocabulary), dtype=weight.dtype, device=weight.device
        )
        """Of each token of the answers."""
        self.text = torch.zeros((requests, model.context), dtype=torch.int64, device=weight.device)
        """Prompts and answers (requests, context)."""
        self.text[:, : model.prompt] = prompts
        self.decoded = 0
        """Tokens of each answer that are there."""
        self._caches: list[KvCache] = []

    def prefill(self) -> None:
        """Begins anew: one pass over the prompts, which gives the first token of each answer."""
        self._caches = [KvCache(memory) for memory in self.cache]
        self.decoded = 0
        self._take(self.network(self.text[:, : self.model.prompt], self._caches, last=1))

    def decode(self, steps: int) -> None:
        """So many further tokens of each answer."""
        for _ in range(steps):
            place = self.model.prompt + self.decoded - 1
            self._take(self.network(self.text[:, place : place + 1], self._caches))

    def reread(self) -> Tensor:
        """The logits of the whole answers by one pass over prompts and answers without a cache."""
        logits: Tensor = self.network(self.text[:, :-1], last=self.model.generated)
        return logits.transpose(0, 1)

    def unchanging(self) -> Mapping[str, Tensor]:
        """What no answer changes, by name: the weights."""
        return {name: weight.detach() for name, weight in self.network.named_parameters()}

    def _take(self, logits: Tensor) -> None:
        """Keeps the logits (requests, 1, vocabulary) and the most likely token of each."""
        self.logits[self.decoded] = logits[:, 0]
        self.text[:, self.model.prompt + self.decoded] = logits[:, 0].argmax(dim=-1)
        self.decoded += 1


def prepared(
    model: ServedModel, *, seed: int, device: torch.device, dtype: torch.dtype
) -> Generator[StepReport, None, Answering]:
    """The model with weights drawn on the device, with signs of life."""
    network = cast(Gpt, (yield from drawn(lambda: Gpt(model), seed, device=device, dtype=dtype)))
    network.requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    prompts = torch.randint(model.vocabulary, (model.requests, model.prompt), generator=generator)
    return Answering(network, model, prompts.to(device))


def host_difference(*, seed: int, device: torch.device, dtype: torch.dtype) -> Generator[StepReport, None, float]:
    """How far a small model's logits on the device are from those of the same weights in double precision on the host;
    see `difference`."""
    on_host = yield from prepared(REFERENCE, seed=seed, device=HOST, dtype=dtype)
    prompts = on_host.text[:, : REFERENCE.prompt]
    network = Gpt(REFERENCE).to(dtype=dtype, device=device).requires_grad_(False)
    network.load_state_dict(on_host.network.state_dict())
    on_device = Answering(network, REFERENCE, prompts.to(device))
    on_device.prefill()
    on_device.decode(REFERENCE.generated - 1)
    on_host.network.double()
    on_host.text.copy_(on_device.text)
    yield StepReport()
    return difference(on_device.logits.to(HOST), on_host.reread())


def difference(logits: Tensor, right: Tensor) -> float:
    """The root mean square of what they (tokens, requests, vocabulary) differ by, relative to that of the right ones,
    at the token where that is most. NaN where any is NaN. Waits for the device."""
    shares = [
        (one.double() - other.double()).square().mean(dim=-1) / other.double().square().mean(dim=-1)
        for one, other in zip(logits, right, strict=True)  # of all at once, double precision takes much memory
    ]
    return math.sqrt(float(torch.stack(shares).max()))


def tolerated(model: ServedModel, dtype: torch.dtype, *, tf32: bool = False) -> float:
    """The largest `difference` of right logits in this format; TF32 has mantissas of 10 bits."""
    spacing, roundings = torch.finfo(dtype).eps, ROUNDINGS.get(dtype, OTHER_ROUNDINGS)
    if tf32:
        spacing, roundings = 2.0**-10, OTHER_ROUNDINGS
    return min(roundings * spacing * math.sqrt(model.layers), MOST_APART)
