"""What the load that runs a language model can be asked, which model it runs, and what it tells. Free of torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any, ClassVar

from pydantic import Field

from core.loads.evidence import FOR_PROGRAMS, Rated, Rates, RunEvidence
from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.params import LoadParams, checked
from core.loads.training.contract import Precision
from core.platform.errors import BadInput
from core.words import tr

PREFILL, DECODE = "prefill", "decode"
VOUCHES_FOR = ("logits", "KV cache", "weights")
"""Compared bit by bit."""
MEMORY_SHARE = 0.6
"""Of a GPU's memory for weights and cache: the rest is for a display, temporaries and the first answer's logits."""


class InferenceParams(LoadParams):
    """A language model with weights drawn from the seed, which answers the same prompts again and again.

    Injectable: one flipped bit in the "weights", the "cache" or the "logits", or a "nan" in the logits.
    """

    injectable: ClassVar[tuple[str, ...]] = ("weights", "cache", "logits", "nan")

    precision: Precision | None = None
    """fp32, tf32, or 16 bits for weights, KV cache and products (amp-bf16, amp-fp16); the device decides by default."""
    requests: Annotated[int, Field(ge=1, le=1024)] = 1
    """Prompts that are answered at once."""
    context: Annotated[int, Field(ge=4, le=131_072)] | None = None
    """Tokens of a prompt together with its answer."""
    generated: Annotated[int, Field(ge=2, le=65_536)] | None = None
    """Tokens of an answer, decoded one after another."""
    layers: Annotated[int, Field(ge=1, le=128)] | None = None
    """Blocks of attention and feed-forward, one on the other; the device's memory decides by default."""
    width: Annotated[int, Field(ge=16, le=16_384)] | None = None
    """Size of the embedding of a token, a multiple of `heads`."""
    heads: Annotated[int, Field(ge=1, le=128)] | None = None
    """Attention heads of a block."""
    vocabulary: Annotated[int, Field(ge=16, le=262_144)] | None = None
    """Different tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A GPT (core.loads.training.text) and what it is asked: prompts of `context` less `generated` tokens."""

    layers: int
    width: int
    heads: int
    vocabulary: int = 50_304
    context: int = 2048
    generated: int = 128
    requests: int = 1

    @property
    def prompt(self) -> int:
        """Tokens of each prompt."""
        return self.context - self.generated

    @property
    def parameters(self) -> int:
        """Weights and biases; the embedding of a token is its row of the output, too."""
        block = 12 * self.width**2 + 13 * self.width
        return self.layers * block + (self.vocabulary + self.context + 2) * self.width

    @property
    def prefill_flop(self) -> float:
        """Operations of one pass over all prompts: two per multiply-add, attention to earlier tokens alone."""
        per_token = self.layers * (24 * self.width**2 + 2 * self.width * self.prompt)
        return float(self.requests) * (self.prompt * per_token + 2 * self.width * self.vocabulary)

    def step_bytes(self, element_bytes: int) -> int:
        """Read to decode one token of each answer: all weights but the embeddings of places, and the mean cache."""
        weights = self.parameters - self.context * self.width
        cached = 2 * self.layers * self.width * (self.prompt + self.generated // 2) * self.requests
        return (weights + cached) * element_bytes

    def held_bytes(self, element_bytes: int) -> int:
        """Of weights and full cache."""
        cached = 2 * self.layers * self.width * self.context * self.requests
        return (self.parameters + cached) * element_bytes

    def smaller(self) -> ServedModel | None:
        """Half the prompts at once, then half the layers; None if neither can be."""
        if self.requests > 1:
            return replace(self, requests=self.requests // 2)
        return replace(self, layers=self.layers // 2) if self.layers > 1 else None

    def described(self) -> dict[str, int]:
        """For the record."""
        return asdict(self)


OPT = (
    ServedModel(layers=48, width=7168, heads=56),
    ServedModel(layers=40, width=5120, heads=40),
    ServedModel(layers=32, width=4096, heads=32),
    ServedModel(layers=32, width=2560, heads=32),
    ServedModel(layers=24, width=2048, heads=32),
    ServedModel(layers=24, width=1024, heads=16),
)
"""The shapes of OPT 30B, 13B, 6.7B, 2.7B, 1.3B and 350M (Zhang et al. 2022, "OPT: Open Pre-trained Transformer Language
Models", table 1), with the vocabulary of GPT-2. So wide that a layer takes longer than the host needs to launch it."""
ON_CPU = ServedModel(layers=4, width=128, heads=4, vocabulary=512, context=96, generated=32)


def served(params: InferenceParams, *, memory_bytes: int | None, element_bytes: int) -> ServedModel:
    """The largest model that fits well into a GPU's memory, or that of a CPU (None), with what the parameters name.

    All memory counts, not what is free now: cards of one model shall run the same. Raises BadInput where the heads do
    not divide the width, or no token is left for the prompt.
    """
    default = ON_CPU
    if memory_bytes is not None:
        fitting = (one for one in OPT if one.held_bytes(element_bytes) <= MEMORY_SHARE * memory_bytes)
        default = next(fitting, OPT[-1])
    named: dict[str, Any] = {one.name: getattr(params, one.name) for one in fields(default)}
    model = replace(default, **{name: value for name, value in named.items() if value is not None})
    if model.width % model.heads:
        message = tr("A width of {width} cannot be divided among {heads} heads.", width=model.width, heads=model.heads)
        raise BadInput(message)
    if model.prompt < 1:
        numbers = {"context": model.context, "generated": model.generated}
        raise BadInput(
            tr("A context of {context} tokens leaves no prompt before {generated} generated ones.", **numbers)
        )
    return model


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceEvidence(Rated, RunEvidence):
    """`rates` are "prefill" and "decode" in tokens/s of all requests together, medians of whole answers.

    `step_bytes` are read to decode one token of each answer, and `decode_gbps` is what that comes to; `peak_gbps` by
    the memory's clock and width. Differences of logits are relative to their root mean square.
    """

    model: Mapping[str, int] | None = field(metadata=FOR_PROGRAMS)
    """The fields of `ServedModel`."""
    parameters: int | None
    precision: str | None
    requests: int | None
    prompt_tokens: int | None
    generated_tokens: int | None
    answers: int | None
    """Whole ones, each of which was compared with the first."""
    step_bytes: int | None
    decode_gbps: float | None
    peak_gbps: float | None
    share_of_bandwidth_pct: float | None
    prefill_tflops: float | None
    variation_pct: float | None
    windows: int | None
    host_difference_pct: float | None
    """Of a small model from the same one in double precision on the host."""
    path_difference_pct: float | None
    """Of decoded logits from those of one pass over prompt and answer."""
    verification_pct: float | None
    vouches_for: tuple[str, ...] | None

    @property
    def served(self) -> ServedModel | None:
        """The model that ran; None for a record that does not tell all of one that can be."""
        if self.model is None or {one.name for one in fields(ServedModel)} - self.model.keys():
            return None
        try:
            return served(checked(InferenceParams, self.model), memory_bytes=None, element_bytes=2)
        except BadInput:
            return None


def stored_in(precision: Precision) -> str:
    """The number format of weights and cache, in words."""
    return str(precision).removeprefix("amp-")


def answered(model: ServedModel, steps: float, *, busy_s: float, element_bytes: int) -> StepReport:
    """So many decoded tokens of each answer in `busy_s` of the device's time."""
    moved_bytes = int(steps * model.step_bytes(element_bytes))
    return StepReport(busy_s=busy_s, tokens=round(steps * model.requests), moved_bytes=moved_bytes)


def measured_rates(
    model: ServedModel, prefill: Meter, decode: Meter, *, element_bytes: int, peak_gbps: float | None
) -> dict[str, Any]:
    """The fields of `InferenceEvidence` that are speeds. `prefill` counted passes over the prompts, `decode` steps."""
    passes_per_s, steps_per_s, variation_pct = prefill.rate(), decode.rate(), decode.variation_pct()
    rates: Rates = {
        name: round(per_s * tokens, 2)
        for name, per_s, tokens in (
            (PREFILL, passes_per_s, model.requests * model.prompt),
            (DECODE, steps_per_s, model.requests),
        )
        if per_s is not None
    }
    gbps = None if steps_per_s is None else steps_per_s * model.step_bytes(element_bytes) / 1e9
    return {
        "rates": rates,
        "rate_unit": "tokens/s",
        "decode_gbps": None if gbps is None else round(gbps, 3),
        "peak_gbps": peak_gbps,
        "share_of_bandwidth_pct": None if gbps is None or not peak_gbps else round(100 * gbps / peak_gbps, 2),
        "prefill_tflops": None if passes_per_s is None else round(passes_per_s * model.prefill_flop / 1e12, 6),
        "variation_pct": None if variation_pct is None else round(variation_pct, 3),
        "windows": len(decode.windows()),
    }
