"""What a training load trains: a network of some size, its fixed batch, how its answers are judged, and its first
weights.

Weights are drawn on the host from a seed: the same numbers at every start and for every device, with a generator of
their own, so that nothing else that draws random numbers in this process can change them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.loads.load import StepReport
from core.loads.training.contract import TrainingWork

Examples = tuple[Any, Any]
"""What goes in, and the right answers."""


class TrainingTask(TrainingWork, Protocol):
    """A network of a certain size with its batch. Values; the same seed gives the same numbers on every machine."""

    @property
    def learning_rate(self) -> float:
        """At which the loss falls from the first steps on."""
        ...

    def described(self) -> dict[str, Any]:
        """The size, for the record."""
        ...

    def network(self, seed: int) -> Generator[StepReport, None, nn.Module]:
        """The network with its first weights, on the host; drawn with signs of life."""
        ...

    def examples(self, generator: torch.Generator) -> Examples:
        """Inputs and the right answers, on the host."""
        ...

    def judged(self, network: nn.Module, examples: Examples) -> tuple[Tensor, Tensor | None]:
        """The loss, and the score of every answer (..., answers) where there are right and wrong ones."""
        ...

    def smaller(self) -> TrainingTask | None:
        """The same network with half the batch; None if that cannot be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierTask:
    """What tasks have in common whose network is drawn here, and whose answers are right or wrong."""

    batch: int
    learning_rate: float

    unit: ClassVar[str]
    module: ClassVar[Callable[[Any], nn.Module]]
    """Makes the network of a task."""
    least_batch: ClassVar[int] = 1

    def described(self) -> dict[str, Any]:
        """The size, for the record."""
        return asdict(self)

    def network(self, seed: int) -> Generator[StepReport, None, nn.Module]:
        """The network of this size with its first weights, on the host."""
        return drawn(lambda: type(self).module(self), seed)

    def judged(self, network: nn.Module, examples: Examples) -> tuple[Tensor, Tensor | None]:
        """Mean cross-entropy in nats of the scores (..., classes) given the right answers (...), and the scores."""
        inputs, answers = examples
        scores: Tensor = network(inputs)
        return functional.cross_entropy(scores.flatten(end_dim=-2).float(), answers.flatten()), scores.detach()

    def smaller(self) -> Self | None:
        """Half the batch."""
        return replace(self, batch=self.batch // 2) if self.batch >= 2 * self.least_batch else None


def share_right(scores: Tensor, answers: Tensor) -> Tensor:
    """The share (0 to 1) of places where the right answer has the highest score; stays on the device."""
    return (scores.argmax(dim=-1) == answers).float().mean()


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


HOST = torch.device("cpu")


def drawn(
    make: Callable[[], nn.Module], seed: int, *, device: torch.device = HOST, dtype: torch.dtype = torch.float32
) -> Generator[StepReport, None, nn.Module]:
    """The network that `make` makes, with its first weights drawn where they are to lie; a sign of life after each
    layer. Those drawn on a GPU are the same on each card of its model."""
    with torch.device("meta"):
        network = make().to(dtype)
    network.to_empty(device=device)
    generator = torch.Generator(device).manual_seed(seed)
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
