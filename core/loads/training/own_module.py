"""Training a network of the user's own, named by import path: "package.module:factory".

The factory is called once with the torch.device and gives three things:

    def factory(device):
        network = MyNetwork()                   # a torch.nn.Module; it is moved to the device
        def make_batch():                       # called once: a tensor, or tensors in tuples, lists and dicts,
            return images, labels               # whose first dimension counts the items of the batch
        def loss(network, batch):               # a scalar that training makes smaller
            return cross_entropy(network(batch[0]), batch[1])
        return network, make_batch, loss

torch's random numbers are seeded before it is called. The program trains with AdamW on that one batch, in the precision
and at the learning rate of the parameters. What the factory's own code raises is told as its own: the stage is NOT RUN.
"""

import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from core.loads.blame import Blame, cause_of, first_line
from core.loads.load import Ending, LoadStatus, StepReport
from core.loads.training.contract import OwnModuleParams
from core.loads.training.overfit import OverfitLoad
from core.loads.training.task import Examples, TrainingTask
from core.loads.training.trainer import Trainer, require_lstm
from core.platform.errors import BadInput
from core.words import joined, plain, tr

DEFAULT_LEARNING_RATE = 1e-3
SIGN_OF_LIFE_S = 0.2
OF_THE_MODULE = "device-side assert"
"""What CUDA says when a kernel is given an index out of range: the module's doing on any device."""
OWN_ERRORS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, NameError)
WHOSE_FAULT = tr("If other devices do the same, the module or the learning rate is at fault, not the device.")

Loss = Callable[[nn.Module, Any], Tensor]
Result = TypeVar("Result")


@dataclass(slots=True)
class OwnTask:
    """What the factory gave; before that only its place."""

    place: str
    learning_rate: float
    loss: Loss | None = None
    per_step: int = 0
    flop_per_step: float = 0.0
    """As torch's counter sees it: products and convolutions, but nothing inside a library's own recurrent layers."""

    unit: ClassVar[str] = "items"

    def described(self) -> dict[str, Any]:
        """The size, for the record."""
        return {"module": self.place, "items": self.per_step, "learning_rate": self.learning_rate}

    def network(self, seed: int) -> Generator[StepReport, None, nn.Module]:
        """Not drawn here: the factory makes it."""
        raise NotImplementedError

    def examples(self, generator: torch.Generator) -> Examples:
        """Not drawn here: the factory makes them."""
        raise NotImplementedError

    def judged(self, network: nn.Module, examples: Examples) -> tuple[Tensor, Tensor | None]:
        """The module's own loss; nothing is known of right and wrong answers. Raises BadInput for its own errors."""
        assert self.loss is not None
        try:
            return self.loss(network, examples[0]), None
        except (*OWN_ERRORS, RuntimeError) as error:
            if isinstance(error, RuntimeError) and _of_the_device(error):
                raise
            raise BadInput(tr("The loss of {place} failed: {told}", place=self.place, told=_one_line(error))) from error

    def smaller(self) -> None:
        """The batch is the factory's."""
        return


class OwnModuleLoad(OverfitLoad):
    """The "own_module" load. Raises BadInput for a folder that is none, or EnvironmentProblem for a precision."""

    name = "own_module"

    def _first_task(self) -> TrainingTask:
        params = self._params
        assert isinstance(params, OwnModuleParams)
        if params.path and not Path(params.path).is_dir():
            raise BadInput(tr("The folder {path} for custom modules does not exist.", path=params.path))
        rate = DEFAULT_LEARNING_RATE if params.learning_rate is None else params.learning_rate
        self._folder = params.path
        self._own = OwnTask(params.module, rate)
        return self._own

    def finish(self) -> Ending:
        """As for every training, but the program does not know this network to be sound."""
        ending = super().finish()
        if ending.status is not LoadStatus.FAILED:
            return ending
        return replace(ending, reason=joined([ending.reason, WHOSE_FAULT]))

    def _prepared(self) -> Generator[StepReport, None, Trainer]:
        """Calls the factory, and tries one step whose operations are counted."""
        place = self._own.place
        network, batch, self._own.loss = yield from _waited_for(self._made, tr("{place} cannot be used", place=place))
        self._own.per_step = _items(batch)
        examples = _on(self._device, batch), None
        require_lstm(network, self._precision, self._device)
        trainer = Trainer(self._own, network, examples, device=self._device, precision=self._precision)
        self._own.flop_per_step = yield from _waited_for(
            lambda: _counted(trainer, place), tr("{place} cannot be trained", place=place)
        )
        trainer.start_over()
        return trainer

    def _made(self) -> tuple[nn.Module, Any, Loss]:
        """What the factory gives, on the device."""
        if self._folder and self._folder not in sys.path:
            sys.path.insert(0, self._folder)
        place = self._own.place
        module, _, name = place.partition(":")
        torch.manual_seed(self._params.seed)
        factory = getattr(import_module(module), name)
        _require_one_argument(factory, place)
        made = factory(self._device)
        if not isinstance(made, tuple) or len(made) != 3:
            fields = {"place": place, "type": type(made).__name__}
            raise BadInput(
                tr("{place} must return a network, a function for a batch and a loss, not {type}.", **fields)
            )
        network, make_batch, loss = made
        if not isinstance(network, nn.Module):
            type_name = type(network).__name__
            fields = {"place": place, "type": type_name}
            raise BadInput(tr("The network of {place} must be a torch.nn.Module, not {type}.", **fields))
        if not any(parameter.requires_grad for parameter in network.parameters()):
            raise BadInput(tr("The network of {place} has no weights to train.", place=place))
        return network.to(self._device), make_batch(), loss


def _require_one_argument(factory: Any, place: str) -> None:
    """Raises BadInput for what is no function, or one that a device alone cannot be given to."""
    try:
        signature(factory).bind(torch.device("cpu"))
    except TypeError as error:
        raise BadInput(
            tr(
                "{place} must be a function that takes the torch.device and returns a network, a "
                "function for a batch and a loss: {error}.",
                place=place,
                error=error,
            )
        ) from error


def _waited_for(work: Callable[[], Result], what: str) -> Generator[StepReport, None, Result]:
    """Does the user's work in a thread, with signs of life. Raises BadInput for whatever it raises, in words.

    Errors of the device itself, and short memory, are passed on as they are.
    """
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="own module")
    future = pool.submit(work)
    pool.shutdown(wait=False)
    while not future.done():
        wait([future], timeout=SIGN_OF_LIFE_S)
        yield StepReport()
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BadInput) or (isinstance(error, RuntimeError | MemoryError) and _of_the_device(error)):
        raise error
    raise BadInput(plain("{what}: {told}", what=what, told=_one_line(error))) from error


def _of_the_device(error: RuntimeError | MemoryError) -> bool:
    return OF_THE_MODULE not in str(error) and cause_of(error).blame is not Blame.OURS


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {first_line(error)}."


def _counted(trainer: Trainer, place: str) -> float:
    """One step, and the operations in it."""
    with FlopCounterMode(display=False) as counter:
        loss = trainer.step()
    if loss.dim():
        fields = {"place": place, "shape": tuple(loss.shape)}
        raise BadInput(tr("The loss of {place} must be one number, not a tensor of {shape}.", **fields))
    return float(counter.get_total_flops())


def _items(batch: Any) -> int:
    """The first dimension of the first tensor in it. Raises BadInput where there is none."""
    for tensor in _tensors(batch):
        if tensor.dim():
            return len(tensor)
    raise BadInput(tr("The batch of a custom module must hold a tensor whose first dimension counts its items."))


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _tensors(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _tensors(one)


def _on(device: torch.device, value: Any) -> Any:
    """The same batch with all of its tensors on the device."""
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, Mapping):
        return {name: _on(device, one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_on(device, one) for one in value)
    return value
