"""One network in training: forward, backward, AdamW; back to its first weights whenever that is asked for; and in which
number formats it is trained."""

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor, nn

from core.loads.load import StepReport
from core.loads.products.formats import product_precision
from core.loads.training.contract import Precision, default_precision
from core.loads.training.judging import Unchanging
from core.loads.training.task import Examples, TrainingTask, share_right
from core.loads.words import flip_bit
from core.platform.errors import EnvironmentProblem
from core.words import tr

HALVES = {Precision.AMP_BF16: torch.bfloat16, Precision.AMP_FP16: torch.float16}
NEEDED = {Precision.TF32: (8, 0), Precision.AMP_BF16: (8, 0), Precision.AMP_FP16: (5, 3)}
"""Lowest CUDA compute capability with the format in hardware (CUDA C++ guide, compute capabilities)."""
ON_CPU = (Precision.FP32, Precision.AMP_BF16)


def chosen_precision(precision: Precision | None, device: torch.device) -> Precision:
    """What is asked for, or what is usual on the device. Raises EnvironmentProblem where it cannot be had."""
    if device.type != "cuda":
        if precision is not None and precision not in ON_CPU:
            on_cpu = " or ".join(ON_CPU)
            raise EnvironmentProblem(tr("{asked} is not run on CPUs. Choose {on_cpu}.", asked=precision, on_cpu=on_cpu))
        return precision or default_precision(None)
    capability = torch.cuda.get_device_capability(device)
    needed = (0, 0) if precision is None else NEEDED.get(precision, (0, 0))
    if capability < needed:
        least, present = (".".join(map(str, version)) for version in (needed, capability))
        fields = {"asked": precision, "wanted": least, "present": present}
        raise EnvironmentProblem(tr("{asked} needs compute capability {wanted}; this GPU has {present}.", **fields))
    return precision or default_precision(capability)


def require_lstm(network: nn.Module, precision: Precision, device: torch.device) -> None:
    """Raises EnvironmentProblem where this CPU trains no LSTM of the network in the 16 bits that are asked for.

    oneDNN has LSTM cells in BF16 for CPUs with AVX-512 alone, and says so by an error of the first step. GRU, plain
    recurrent layers and LSTM with projections are computed without it, on every CPU.
    """
    cells = any(isinstance(module, nn.LSTM) and not module.proj_size for module in network.modules())
    if device.type != "cpu" or not precision.half or not cells:
        return
    try:
        with torch.random.fork_rng(devices=[]), casting(precision, device):  # the network's own numbers stay as seeded
            nn.LSTM(8, 8)(torch.zeros(2, 1, 8, requires_grad=True))
    except RuntimeError as error:
        raise EnvironmentProblem(
            tr("This CPU runs no LSTM layers in {asked}. Choose fp32.", asked=precision.value)
        ) from error


def recurrent_in_fp16(network: nn.Module, precision: Precision, device: torch.device) -> bool:
    """Whether autocast computes layers of it in FP16 whatever was asked: cuDNN's LSTM, GRU and RNN have no other half.

    (PyTorch, aten/src/ATen/cudnn/AutocastRNN.cpp.) Their gradients then need to be scaled up.
    """
    recurrent = any(isinstance(module, nn.RNNBase) for module in network.modules())
    return precision.half and device.type == "cuda" and recurrent


def casting(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Within it, products of 32-bit operands are done in the 16-bit format of a mixed precision."""
    half = HALVES.get(precision)
    return nullcontext() if half is None else torch.autocast(device.type, dtype=half)


@contextmanager
def arithmetic(precision: Precision, *, repeatable: bool) -> Iterator[None]:
    """TF32 on or off for everything; `repeatable` allows only kernels that add in a fixed order.

    The kernels are chosen by rule, not by trial, for a trial may choose others on the next card of the same model.
    """
    cudnn = torch.backends.cudnn
    before = cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark
    tf32 = precision is not Precision.FP32
    with product_precision(tf32=tf32):
        cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark = tf32, repeatable, False
        torch.use_deterministic_algorithms(repeatable)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(False)
            cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark = before


LARGEST_GRADIENT = 1.0
HIGH_MANTISSA_BIT = 20
"""Of a 32-bit weight: a lower one may be lost when it is rounded to 16 bits."""


class Trainer:
    """Trains `network`, which lies on the device with its first weights, as the examples do.

    A copy of the first weights stays there too, so that starting over costs no time of the host. `forward` is how the
    network is called: itself, or what adds up the gradients of several.
    """

    def __init__(
        self, task: TrainingTask, network: nn.Module, examples: Examples, *, device: torch.device, precision: Precision
    ) -> None:
        self.network = network
        self.forward = network
        self.task = task
        self.device = device
        self._examples = examples
        self._precision = precision
        self._first = [tensor.clone() for tensor in self.state()]
        self._scores: Tensor | None = None
        self._begin()

    @property
    def parameters(self) -> int:
        """Numbers that training changes; tied ones once."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    @property
    def precision(self) -> str:
        """What is really computed in, whatever was asked for."""
        return self._precision.computed(recurrent_in_fp16=self._recurrent_in_fp16)

    @property
    def _recurrent_in_fp16(self) -> bool:
        return recurrent_in_fp16(self.network, self._precision, self.device)

    def state(self) -> list[Tensor]:
        """Weights and whatever else the network remembers, always in the same order."""
        return list(self._named().values())

    def trained(self) -> dict[str, Tensor]:
        """What a step changes and the next one starts from, by name: the weights, and the memory of the optimiser."""
        weights = {name: weight.detach() for name, weight in self.network.named_parameters()}
        names = {id(weight): name for name, weight in self.network.named_parameters()}
        memories = {
            tr("{what} of {weight} in the optimiser", what=what, weight=names[id(weight)]): value
            for weight, memory in self._optimiser.state.items()
            for what, value in memory.items()
            if isinstance(value, Tensor)
        }
        return weights | memories

    def unchanging(self) -> Unchanging:
        """The batch and the kept first weights: whatever changes there from now on is a fault."""
        batch = {tr("the inputs"): self._examples[0], tr("the targets"): self._examples[1]}
        first = {
            tr("initial {name}", name=name): tensor for name, tensor in zip(self._named(), self._first, strict=True)
        }
        return Unchanging({name: value for name, value in (batch | first).items() if isinstance(value, Tensor)})

    def start_over(self) -> None:
        """Back to the first weights, with an optimiser that has seen nothing."""
        del self._optimiser
        with torch.no_grad():
            for tensor, first in zip(self.state(), self._first, strict=True):
                tensor.copy_(first)
        self._begin()

    def step(self) -> Tensor:
        """One step on the fixed batch; the loss before it, left on the device."""
        self._scores = None
        self._optimiser.zero_grad(set_to_none=True)
        with casting(self._precision, self.device):
            loss, self._scores = self.task.judged(self.forward, self._examples)
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self._scaler.unscale_(self._optimiser)
        nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self._scaler.step(self._optimiser)
        self._scaler.update()
        return loss.detach()

    def accuracy_pct(self) -> float | None:
        """Of the batch before the last step; None where answers are neither right nor wrong. Waits for the device."""
        return None if self._scores is None else 100 * float(share_right(self._scores, self._examples[1]))

    def inject(self, kind: str) -> None:
        """A fault on purpose: "nan" in every weight, "deviant" in a first weight as well, any other in one bit."""
        with torch.no_grad():
            if kind == "nan":
                for parameter in self.network.parameters():
                    parameter[(0,) * parameter.dim()] = float("nan")
                return
            state = self.state()
            place = next(n for n, tensor in enumerate(state) if tensor.is_floating_point() and tensor.is_contiguous())
            flip_bit(state[place], 0, HIGH_MANTISSA_BIT)
            if kind == "deviant":
                flip_bit(self._first[place], 0, HIGH_MANTISSA_BIT)

    def _named(self) -> dict[str, Tensor]:
        state = self.network.state_dict()
        return {name: value for name, value in state.items() if isinstance(value, Tensor)}

    def _begin(self) -> None:
        parameters = [parameter for parameter in self.network.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.AdamW(parameters, lr=self.task.learning_rate)
        # Gradients too small for FP16 are scaled up.
        half = self._precision is Precision.AMP_FP16 or self._recurrent_in_fp16
        self._scaler = torch.amp.GradScaler(self.device.type, enabled=half)


def prepared(
    task: TrainingTask, device: torch.device, *, seed: int, precision: Precision, replica: int = 0
) -> Generator[StepReport, None, Trainer]:
    """A trainer with network and batch on the device; shows signs of life while the host draws them.

    Replicas begin with the same weights and have other examples.
    Images lie there with their colours side by side, as tensor cores want them (NVIDIA, "Convolutional Layers User's
    Guide", NHWC).
    """
    network = yield from task.network(seed)
    inputs, answers = task.examples(torch.Generator().manual_seed(seed + replica))
    yield StepReport()
    layout = torch.channels_last if device.type == "cuda" and task.unit == "images" else torch.preserve_format
    network.to(device).to(memory_format=layout)  # type: ignore[call-overload]
    examples = inputs.to(device, memory_format=layout), answers.to(device)
    require_lstm(network, precision, device)
    return Trainer(task, network, examples, device=device, precision=precision)
