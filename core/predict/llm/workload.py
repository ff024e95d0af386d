"""What is asked of a language model: the method, how its weights are stored, how many tokens, over which cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from core.platform.errors import BadInput
from core.platform.json_value import JsonValue
from core.predict.llm.models import LanguageModel
from core.words import Worded, tr
from core.words.phrasing import enumerated

MOST_REQUESTS = 4096
MOST_RANK = 1024


class Method(Worded):
    """What is done with a model."""

    INFERENCE = "inference", tr("inference")
    FULL = "full", tr("full training")
    LORA = "lora", "LoRA"
    QLORA = "qlora", "QLoRA"

    @property
    def trains(self) -> bool:
        """Whether there is a backward pass."""
        return self is not Method.INFERENCE


class WeightFormat(Worded):
    """How weights are stored: real bits per weight, scales and zero points included."""

    bits: float
    """Of the matrices."""
    embedding_bits: float
    """Of the embeddings and the output layer, on average."""

    BF16 = "bf16", tr("16 bit (BF16, FP16)"), 16.0, 16.0
    FP8 = "fp8", tr("8 bit (FP8)"), 8.0, 16.0
    Q8_0 = "q8_0", tr("8 bit (GGUF Q8_0)"), 8.5, 8.5
    Q6_K = "q6_k", tr("6 bit (GGUF Q6_K)"), 6.5625, 6.5625
    Q5_K_M = "q5_k_m", tr("5 bit (GGUF Q5_K_M)"), 5.65, 6.0
    Q4_K_M = "q4_k_m", tr("4 bit (GGUF Q4_K_M)"), 4.8, 5.5
    Q4_0 = "q4_0", tr("4 bit (GGUF Q4_0)"), 4.5, 5.5
    INT4 = "int4", tr("4 bit (AWQ, GPTQ)"), 4.16, 16.0
    NVFP4 = "nvfp4", tr("4 bit (NVFP4)"), 4.5, 16.0
    MXFP4 = "mxfp4", tr("4 bit (MXFP4)"), 4.25, 16.0
    NF4 = "nf4", tr("4 bit (NF4)"), 4.127, 16.0
    """Blocks of 64 with scales that are quantised again (Dettmers et al. 2023, "QLoRA", section 3)."""

    @property
    def is_gguf(self) -> bool:
        """A format of llama.cpp, which has kernels for it on every card."""
        return self.value.startswith("q")


class Split(Worded):
    """How several cards share a model."""

    LAYERS = "layers", tr("by layers")
    """Each card holds some of the layers and waits for the others: memory adds up, speed does not."""
    TENSOR = "tensor", tr("tensor parallel")
    """Each card holds a part of every matrix; two sums over all cards in each layer."""
    DATA = "data", tr("a copy on each card")
    """Data parallel; for inference, requests are spread over the copies."""
    ZERO_1 = "zero-1", "ZeRO 1"
    """Data parallel, the optimiser's state sharded."""
    ZERO_2 = "zero-2", "ZeRO 2"
    """Gradients as well."""
    ZERO_3 = "zero-3", "ZeRO 3 (FSDP)"
    """Weights as well: each card gathers a layer before it computes it."""

    @property
    def shards(self) -> bool:
        """Whether it is one of ZeRO's."""
        return self in _SHARDING


_SHARDING = frozenset({Split.ZERO_1, Split.ZERO_2, Split.ZERO_3})


class Optimiser(Worded):
    """What full training keeps of each weight."""

    ADAM = "adam", tr("Adam in 32 bit")
    """Mixed precision: 16 bytes a weight and more."""
    ADAM_8BIT = "adam-8bit", tr("Adam in 8 bit")
    """Weights and gradients in 16 bit, both moments in 8."""
    ADAM_8BIT_IN_BACKWARD = "adam-8bit-in-backward", tr("Adam in 8 bit, in the backward pass")
    """Each gradient is used up and freed as soon as it is there. Paged moments are `Offload.OPTIMISER`."""


class Software(Worded):
    """What trains or generates: it decides as much as the card does."""

    ANY = "any", tr("any software")
    PLAIN = "plain", tr("Hugging Face out of the box")
    TUNED = "tuned", tr("tuned code (torchtune, llm-foundry)")
    """Fused layers, compiled, losses computed in pieces."""


class Offload(Worded):
    """What lies in the host's RAM instead of the cards' memory."""

    NONE = "none", tr("nothing")
    OPTIMISER = "optimiser", tr("the optimiser's state")
    WEIGHTS = "weights", tr("weights and optimiser's state")
    """Training: each layer is fetched when it is computed. Inference: what does not fit the cards stays in RAM."""


_SPLITS = {
    Method.INFERENCE: frozenset({Split.LAYERS, Split.TENSOR, Split.DATA}),
    Method.FULL: frozenset({Split.LAYERS, Split.DATA, *_SHARDING}),
    Method.LORA: frozenset({Split.LAYERS, Split.DATA, Split.ZERO_3}),
    Method.QLORA: frozenset({Split.LAYERS, Split.DATA, Split.ZERO_3}),
}
_WEIGHTS = {
    Method.FULL: frozenset({WeightFormat.BF16}),
    Method.LORA: frozenset({WeightFormat.BF16}),
    Method.QLORA: frozenset({WeightFormat.NF4}),
}
CACHE_BITS = (16, 8, 4)


@dataclass(frozen=True, slots=True)
class Workload(JsonValue):
    """A model and what is done with it. Raises BadInput for what makes no sense together."""

    model: LanguageModel
    method: Method
    weights: WeightFormat
    context: Annotated[int, Field(ge=1)] = 4096
    """Tokens of a request when it ends, or of a training sequence."""
    requests: Annotated[int, Field(ge=1, le=MOST_REQUESTS)] = 1
    """Users at once of the whole machine, or sequences at once on each card in training."""
    split: Split = Split.LAYERS
    offload: Offload = Offload.NONE
    cache_bits: int = 16
    """Of K and V."""
    optimiser: Optimiser = Optimiser.ADAM
    recompute: bool = True
    """Activations of a layer are computed again in the backward pass (checkpointing)."""
    rank: int = 16
    """Of LoRA's adapters, on every matrix."""
    software: Software = Software.ANY

    def __post_init__(self) -> None:
        if fault := self._fault():
            raise BadInput(fault)

    @property
    def weight_bytes(self) -> float:
        """Of the whole model, as it is stored."""
        model, stored = self.model, self.weights
        matrices = model.parameters - model.embeddings
        return (matrices * stored.bits + model.embeddings * stored.embedding_bits) / 8

    @property
    def adapters(self) -> float:
        """Parameters that LoRA trains: rank x (inputs + outputs) of each matrix, of every expert of a mixture."""
        model = self.model
        of_attention = sum(
            kind.layers * (2 * (model.width + kind.queries) + model.width + kind.kv_values) for kind in model.attention
        )
        of_experts = 3 * model.layers * (model.width + model.inner) * model.parameters / model.active
        return self.rank * (of_attention + of_experts)

    @property
    def words(self) -> str:
        """The workload in a line."""
        return tr(
            "{model}, {method}, {weights}, {context:,} tokens",
            model=self.model.title,
            method=self.method.label,
            weights=self.weights.label,
            context=self.context,
        )

    def _fault(self) -> str:
        model = self.model
        if self.context < 1 or not 1 <= self.requests <= MOST_REQUESTS:
            return tr(
                "A workload has at least one token and between 1 and {most} requests or sequences at once.",
                most=MOST_REQUESTS,
            )
        if self.context > model.longest_context:
            return tr(
                "{model} takes {longest:,} tokens at most, not {context:,}.",
                model=model.title,
                longest=model.longest_context,
                context=self.context,
            )
        if (formats := _WEIGHTS.get(self.method)) and self.weights not in formats:
            return tr(
                "{method} keeps the weights as {usual}, not as {weights}.",
                method=self.method.label,
                usual=next(iter(formats)).label,
                weights=self.weights.label,
            )
        if self.split not in _SPLITS[self.method]:
            return tr(
                'Cards cannot share a model "{split}" in {method} here: {splits}.',
                split=self.split.label,
                method=self.method.label,
                splits=enumerated([split.label for split in splits_of(self.method)]),
            )
        return self._fault_of_options()

    def _fault_of_options(self) -> str:
        if self.cache_bits not in CACHE_BITS:
            return tr("K and V are kept in 16, 8 or 4 bit, not in {bits}.", bits=self.cache_bits)
        if self.method.trains and self.cache_bits != 16:
            return tr("Training keeps no cache of K and V: its bits are for inference.")
        if self.software is Software.PLAIN and self.weights.is_gguf:
            return tr("{software} does not run {weights}.", software=self.software.label, weights=self.weights.label)
        if not 1 <= self.rank <= MOST_RANK:
            return tr("Adapters have a rank between 1 and {most}, not {rank}.", most=MOST_RANK, rank=self.rank)
        if self.offload is Offload.OPTIMISER and self.method is not Method.FULL:
            return tr("{method} has no optimiser's state worth moving to RAM.", method=self.method.label)
        if self.optimiser is not Optimiser.ADAM and self.method is not Method.FULL:
            return tr(
                "The optimiser is a choice of full training; {method} has little of it.", method=self.method.label
            )
        if self.optimiser is Optimiser.ADAM_8BIT_IN_BACKWARD and self.split.shards:
            return tr("An optimiser in the backward pass leaves no gradients to be summed over sharded cards.")
        return ""


def usual_weights(method: Method) -> WeightFormat:
    """How weights are stored where nobody chooses."""
    match method:
        case Method.INFERENCE:
            return WeightFormat.Q4_K_M
        case Method.QLORA:
            return WeightFormat.NF4
    return WeightFormat.BF16


def usual_split(method: Method) -> Split:
    """How cards share a model where nobody chooses: for inference by layers, as llama.cpp does; training by FSDP."""
    return Split.ZERO_3 if method.trains else Split.LAYERS


def usual(model: LanguageModel, method: Method = Method.INFERENCE, **options: Any) -> Workload:
    """The workload with `options`, its other fields; weights and split that suit the method where they are not among
    them, and a context of 4096 tokens, or the longest that the model takes."""
    chosen: dict[str, Any] = {"weights": usual_weights(method), "split": usual_split(method)}
    chosen["context"] = min(4096, model.longest_context)
    return Workload(model, method, **(chosen | options))


def splits_of(method: Method) -> tuple[Split, ...]:
    """The ways in which cards can share a model in this method."""
    return tuple(split for split in Split if split in _SPLITS[method])


def formats_of(method: Method) -> tuple[WeightFormat, ...]:
    """The formats in which the method can store weights."""
    return tuple(one for one in WeightFormat if one in _WEIGHTS.get(method, frozenset(WeightFormat)))
