"""What the loads that train can be asked, and what they tell. Free of torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import Field

from core.loads.evidence import FOR_PROGRAMS, Rated, Rates, RunEvidence
from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.params import LoadParams

VOUCHES_FOR = ("loss",)
"""What plain training proves: a wrong bit that moves no loss is not seen by it."""
REPLAY_VOUCHES_FOR = ("loss", "weights", "optimiser", "batch")
"""Compared bit by bit."""
REPLICAS_VOUCH_FOR = ("weights", "optimiser", "batch")
"""Of data-parallel training: a wrong gradient of one device reaches all of them alike."""


class Precision(StrEnum):
    """The number formats of a training step. Weights are always kept in 32 bits."""

    FP32 = "fp32"
    TF32 = "tf32"
    AMP_BF16 = "amp-bf16"
    AMP_FP16 = "amp-fp16"

    @property
    def half(self) -> bool:
        """Whether products have operands of 16 bits."""
        return self in (Precision.AMP_BF16, Precision.AMP_FP16)

    def computed(self, *, recurrent_in_fp16: bool) -> str:
        """What is really computed in, in words: "amp-bf16, recurrent layers amp-fp16"."""
        if not recurrent_in_fp16 or self is Precision.AMP_FP16:
            return self.value
        return f"{self.value}, recurrent layers {Precision.AMP_FP16.value}"


def default_precision(capability: tuple[int, int] | None) -> Precision:
    """The fastest that is usual on a GPU of this CUDA compute capability; None is a CPU.

    Tensor cores multiply FP16 from 7.0 on and BF16 from 8.0 on (CUDA C++ guide, compute capabilities).
    """
    if capability is None or capability < (7, 0):
        return Precision.FP32
    return Precision.AMP_BF16 if capability >= (8, 0) else Precision.AMP_FP16


class TrainingParams(LoadParams):
    """What every training load understands; None chooses by device."""

    injectable: ClassVar[tuple[str, ...]] = ("nan",)

    precision: Precision | None = None
    """fp32, tf32, amp-bf16 or amp-fp16; the device decides by default."""
    batch: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Images or sequences per step."""
    learning_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    """Of the optimiser; the network decides by default."""
    peak_tflops: Annotated[float, Field(gt=0)] | None = None
    """What the device can do at best in this precision; without it no share of the peak is told."""


class ResnetParams(TrainingParams):
    """ResNet-50."""

    image: Annotated[int, Field(ge=32, le=1024)] | None = None
    """Side of the images in pixels."""
    width: Annotated[int, Field(ge=4, le=512)] | None = None
    """Channels of the first convolution; 64 in the paper."""
    classes: Annotated[int, Field(ge=2, le=100_000)] | None = None
    """Kinds of images that are told apart."""


class LstmParams(TrainingParams):
    """A deep LSTM that predicts the next token."""

    layers: Annotated[int, Field(ge=1, le=64)] | None = None
    """Recurrent layers, one on the other."""
    width: Annotated[int, Field(ge=8, le=16_384)] | None = None
    """Cells of a layer."""
    length: Annotated[int, Field(ge=2, le=4096)] | None = None
    """Tokens of a sequence."""
    vocabulary: Annotated[int, Field(ge=16, le=262_144)] | None = None
    """Different tokens."""


class TransformerParams(TrainingParams):
    """A GPT: on a GPU with enough memory of the size of GPT-2 medium."""

    layers: Annotated[int, Field(ge=1, le=96)] | None = None
    """Blocks of attention and feed-forward, one on the other."""
    width: Annotated[int, Field(ge=16, le=16_384)] | None = None
    """Size of the embedding of a token, a multiple of `heads`."""
    heads: Annotated[int, Field(ge=1, le=128)] | None = None
    """Attention heads of a block."""
    context: Annotated[int, Field(ge=8, le=32_768)] | None = None
    """Tokens of a sequence."""
    vocabulary: Annotated[int, Field(ge=16, le=262_144)] | None = None
    """Different tokens."""


class ReplayParams(TrainingParams):
    """The same training several times.

    Injectable besides a NaN: "bitflip" in one weight once, "deviant" in the first weights, so that every run agrees
    with the others on this card but with none of another card.
    """

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "nan", "deviant")

    network: Literal["resnet", "lstm", "transformer"] = "transformer"
    """Which one is trained."""
    steps: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    """Of each run."""
    runs: Annotated[int, Field(ge=2, le=1000)] = 2
    """At least; more as long as there is time."""


class OwnModuleParams(TrainingParams):
    """A network of the user's own; see core.loads.training.own_module for what its factory is to give."""

    module: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
    """Where its factory is: "package.module:factory"."""
    path: str = ""
    """A folder in which modules are looked for as well; without it only where Python looks anyway."""
    batch: None = None
    """The factory decides."""


@dataclass(frozen=True, kw_only=True)
class Speed(Rated):
    """Rates are medians of seconds of device time; `variation_pct` is of windows of 10 s. `tflops` counts the products
    of forward and backward pass."""

    images_per_s: float | None = None
    tokens_per_s: float | None = None
    items_per_s: float | None = None
    step_ms: float | None
    tflops: float | None
    peak_tflops: float | None
    share_of_peak_pct: float | None
    variation_pct: float | None
    windows: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingEvidence(Speed, RunEvidence):
    """Losses in nats per answer. `verification_pct` is what reading and comparing losses added to the device's time."""

    network: str | None
    shape: Mapping[str, Any] | None = field(metadata=FOR_PROGRAMS)
    parameters: int | None
    precision: str | None
    vouches_for: tuple[str, ...] | None
    """What is compared bit by bit."""
    steps: int | None
    first_loss: float | None
    last_loss: float | None
    accuracy_pct: float | None
    starts: int | None
    replays_identical: bool | None
    verification_pct: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedTraining:
    """Hashes of losses and weights after a seeded training, and all that they depend on."""

    device: str | None
    torch: str | None
    cuda: str | None
    network: str | None
    shape: Mapping[str, Any] | None = field(metadata=FOR_PROGRAMS)
    precision: str | None
    seed: int | None = field(metadata=FOR_PROGRAMS)
    steps: int | None
    threads: int | None = field(metadata=FOR_PROGRAMS)
    loss_hash: str | None
    weight_hash: str | None

    @property
    def hashes(self) -> tuple[str | None, str | None]:
        """What like devices have in common."""
        return self.loss_hash, self.weight_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayEvidence(RunEvidence):
    """`replay` is there after a whole run."""

    replay: ReplayedTraining | None = None
    network: str | None
    precision: str | None
    vouches_for: tuple[str, ...] | None
    runs: int | None
    steps: int | None
    states_compared: int | None


class TrainingWork(Protocol):
    """What one training step takes in and does; see core.loads.training.task."""

    @property
    def unit(self) -> str:
        """ "images", "tokens" or "items"."""
        ...

    @property
    def per_step(self) -> int:
        """How many of them."""
        ...

    @property
    def flop_per_step(self) -> float:
        """Operations, forward and backward; 0 if not known."""
        ...


def trained(work: TrainingWork, steps: float, *, busy_s: float, peak_tflops: float | None) -> StepReport:
    """So many steps in `busy_s` of the device's time."""
    amount = round(steps * work.per_step)
    return StepReport(
        flop=steps * work.flop_per_step,
        busy_s=busy_s,
        tokens=amount if work.unit == "tokens" else 0,
        images=amount if work.unit == "images" else 0,
        training_steps=steps,
        peak_tflops=peak_tflops,
    )


def measured_speed(meter: Meter, work: TrainingWork, peak_tflops: float | None) -> dict[str, Any]:
    """The fields of `Speed`; `meter` counted steps."""
    per_s, variation_pct = meter.rate(), meter.variation_pct()
    amount_per_s = None if per_s is None else round(per_s * work.per_step, 1)
    tflops = None if per_s is None or not work.flop_per_step else per_s * work.flop_per_step / 1e12
    rates: Rates = {} if amount_per_s is None else {"training": amount_per_s}
    return {
        f"{work.unit}_per_s": amount_per_s,
        "step_ms": None if per_s is None else round(1e3 / per_s, 3),
        "tflops": None if tflops is None else round(tflops, 6),
        "peak_tflops": peak_tflops,
        "share_of_peak_pct": None if tflops is None or peak_tflops is None else round(100 * tflops / peak_tflops, 3),
        "variation_pct": None if variation_pct is None else round(variation_pct, 3),
        "windows": len(meter.windows()),
        "rates": rates,
        "rate_unit": f"{work.unit}/s",
    }
