"""First weights, drawn on the host from a seed: the same numbers at every start and for every device.

With a generator of their own, so that nothing else that draws random numbers in this process can change them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import torch
from torch import nn

from core.loads.load import StepReport

SPREAD = 0.02
"""Standard deviation of the weights of linear layers and embeddings (Radford et al. 2019, GPT-2)."""


class Residual(nn.Linear):
    """The last layer of a branch that is added to the main path, one of `branches`; begins smaller the more there are.

    After Radford et al. 2019, 2.3.
    """

    def __init__(self, inputs: int, outputs: int, *, branches: int) -> None:
        super().__init__(inputs, outputs)
        self.spread = SPREAD / branches**0.5


class SilentNorm(nn.BatchNorm2d):
    """The normalisation at the end of a block, which begins at zero, so that the block begins as the identity.

    After Goyal et al. 2017 ("Accurate, Large Minibatch SGD"), 5.1.
    """


def drawn(make: Callable[[], nn.Module], seed: int) -> Generator[StepReport, None, nn.Module]:
    """The network that `make` makes, with its first weights, on the host; a sign of life after each layer."""
    with torch.device("meta"):
        network = make()
    network.to_empty(device="cpu")
    generator = torch.Generator().manual_seed(seed)
    for module in network.modules():
        _draw(module, generator)
        yield StepReport()
    return network


def _draw(module: nn.Module, generator: torch.Generator) -> None:
    match module:
        case nn.Linear() | nn.Embedding():
            nn.init.normal_(module.weight, std=getattr(module, "spread", SPREAD), generator=generator)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
        case nn.Conv2d():
            # He et al. 2015, "Delving Deep into Rectifiers".
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu", generator=generator)
        case nn.LSTM():
            bound = module.hidden_size**-0.5
            for weight in module.parameters():
                nn.init.uniform_(weight, -bound, bound, generator=generator)
        case nn.BatchNorm2d() | nn.LayerNorm():
            module.reset_parameters()
            if isinstance(module, SilentNorm):
                nn.init.zeros_(module.weight)
        case _:
            return
