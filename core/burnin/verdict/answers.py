"""What is predicted of the language model that the load "inference" ran: the very same one, on one card by itself."""

from __future__ import annotations

from core.loads.inference.contract import DECODE, InferenceEvidence, ServedModel
from core.parts.part import Part
from core.predict.band import Band
from core.predict.llm.models import Attention, LanguageModel
from core.predict.llm.prediction import predict_card
from core.predict.llm.workload import Method, WeightFormat, Workload

SIXTEEN_BITS = ("bf16", "fp16")
FEED_FORWARD = 4
"""Its width over that of an embedding, in core.loads.training.text."""


def predicted_answers(evidence: InferenceEvidence, part: Part, limit_w: float | None) -> dict[str, Band]:
    """By "decode", tokens/s of all requests; empty for a record without its model, and for weights that nobody serves
    (32 bits).

    A prediction reads half of the context for each token: it is given twice what the cache held on average. Prefill is
    not compared: engines multiply in ways (FP16 sums, 8-bit operands) that the load, which must be exact, does not.
    """
    model = evidence.served
    if model is None or evidence.precision not in SIXTEEN_BITS:
        return {}
    decode = predict_card(part, workload_of(model), limit_w=limit_w).decode
    return {} if decode is None else {DECODE: decode}


def workload_of(model: ServedModel) -> Workload:
    """The load's model as predictions know one: heads that share nothing, and one table for tokens and output."""
    context = 2 * model.prompt + model.generated
    shape = LanguageModel(
        id="burned-in",
        title="GPT",
        parameters=float(model.parameters),
        layers=model.layers,
        width=model.width,
        inner=FEED_FORWARD * model.width,
        attention=(Attention(model.layers, model.width, model.heads, 2 * model.width),),
        vocabulary=model.vocabulary,
        longest_context=context,
        source="core.loads.inference",
        tied=True,
    )
    return Workload(shape, Method.INFERENCE, WeightFormat.BF16, context=context, requests=model.requests)
