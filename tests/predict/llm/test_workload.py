"""A workload is valid by construction: what makes no sense together is refused with a sentence."""

from typing import Any

import pytest

from core.platform.errors import BadInput
from core.predict.llm.models import model_named
from core.predict.llm.workload import (
    Method,
    Offload,
    Optimiser,
    Software,
    Split,
    WeightFormat,
    formats_of,
    splits_of,
    usual,
)

LLAMA = model_named("llama-3.1-8b")


@pytest.mark.parametrize(
    ("method", "options", "says"),
    (
        (Method.INFERENCE, {"context": 200_000}, "takes 131.072 tokens at most, not 200.000"),
        (Method.INFERENCE, {"context": 0}, "at least one token"),
        (Method.INFERENCE, {"requests": 0}, "between 1 and 4096 requests"),
        (Method.INFERENCE, {"split": Split.ZERO_3}, "by layers, tensor parallel, a copy on each card"),
        (Method.INFERENCE, {"cache_bits": 5}, "16, 8 or 4 bit, not in 5"),
        (Method.INFERENCE, {"optimiser": Optimiser.ADAM_8BIT}, "a choice of full training"),
        (Method.INFERENCE, {"software": Software.PLAIN}, "does not run 4 bit"),
        (Method.FULL, {"weights": WeightFormat.NF4}, r"full training keeps the weights as 16 bit .*, not as 4 bit"),
        (Method.FULL, {"split": Split.TENSOR}, "Cards cannot share"),
        (Method.FULL, {"cache_bits": 8}, "Training keeps no cache"),
        (Method.FULL, {"optimiser": Optimiser.ADAM_8BIT_IN_BACKWARD}, "leaves no gradients"),
        (Method.LORA, {"offload": Offload.OPTIMISER}, "no optimiser's state worth moving"),
        (Method.LORA, {"rank": 0}, "rank between 1 and 1024, not 0"),
        (Method.QLORA, {"weights": WeightFormat.BF16}, "QLoRA keeps the weights as 4 bit"),
    ),
)
def test_what_makes_no_sense_is_refused(method: Method, options: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        usual(LLAMA, method, **options)


@pytest.mark.parametrize("method", Method)
def test_every_choice_that_is_offered_is_valid(method: Method) -> None:
    assert usual(LLAMA, method).split in splits_of(method)
    for weights in formats_of(method):
        for split in splits_of(method):
            assert usual(LLAMA, method, weights=weights, split=split).weights is weights


@pytest.mark.parametrize(
    ("name", "weights", "gigabytes"),
    (
        # Sizes of published files.
        ("llama-3.1-8b", WeightFormat.Q4_K_M, 4.92),
        ("llama-3.1-8b", WeightFormat.Q5_K_M, 5.73),
        ("llama-3.1-8b", WeightFormat.Q6_K, 6.60),
        ("llama-3.1-8b", WeightFormat.Q8_0, 8.54),
        ("llama-3.1-8b", WeightFormat.BF16, 16.07),
        ("llama-3.1-70b", WeightFormat.Q4_K_M, 42.52),
        ("gpt-oss-120b", WeightFormat.MXFP4, 65.3),
    ),
)
def test_weights_are_as_large_as_published_files(name: str, weights: WeightFormat, gigabytes: float) -> None:
    assert usual(model_named(name), weights=weights).weight_bytes / 1e9 == pytest.approx(gigabytes, rel=0.025)


def test_adapters_of_rank_64_are_as_many_as_qwen_counts() -> None:
    """143 million of Qwen-7B, whose Q, K and V are one matrix."""
    model = model_named("llama-2-7b")
    assert usual(model, Method.LORA, rank=64).adapters == pytest.approx(150e6, rel=0.08)
