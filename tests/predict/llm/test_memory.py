"""Memory follows the workload: more of anything never needs less, and shares never need more than the whole."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.predict.llm.memory import model_memory
from core.predict.llm.models import LanguageModel, model_named, model_of_size, presets
from core.predict.llm.workload import (
    Method,
    Offload,
    Software,
    Split,
    WeightFormat,
    Workload,
    formats_of,
    splits_of,
    usual,
)
from core.predict.speed.memory_fit import Fits

CARDS = st.integers(1, 64)
QUICK = settings(max_examples=60, deadline=None)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Any model that is shipped, any method, any way to share it."""
    model: LanguageModel = draw(st.sampled_from(presets()))
    method = draw(st.sampled_from(Method))
    return Workload(
        model,
        method,
        draw(st.sampled_from(formats_of(method))),
        context=draw(st.integers(1, model.longest_context // 2)),
        requests=draw(st.integers(1, 64)),
        split=draw(st.sampled_from(splits_of(method))),
    )


def needed(workload: Workload, cards: int = 1) -> tuple[float, ...]:
    """GiB, low to high."""
    return model_memory(workload, None, cards).needed.triple


@QUICK
@given(workloads(), CARDS)
def test_more_context_or_more_requests_never_need_less(workload: Workload, cards: int) -> None:
    longer = replace(workload, context=2 * workload.context)
    more = replace(workload, requests=2 * workload.requests)
    for other in (longer, more):
        assert all(a <= b + 1e-9 for a, b in zip(needed(workload, cards), needed(other, cards), strict=True))


@QUICK
@given(workloads(), CARDS)
def test_a_further_card_never_needs_more_of_each(workload: Workload, cards: int) -> None:
    pairs = zip(needed(workload, cards), needed(workload, cards + 1), strict=True)
    assert all(more <= fewer + 1e-9 for fewer, more in pairs)


@QUICK
@given(st.sampled_from(presets()), st.sampled_from(WeightFormat), st.sampled_from(WeightFormat))
def test_fewer_bytes_of_weights_never_need_more(model: LanguageModel, one: WeightFormat, other: WeightFormat) -> None:
    small, large = sorted((usual(model, weights=each) for each in (one, other)), key=lambda each: each.weight_bytes)
    assert all(a <= b for a, b in zip(needed(small), needed(large), strict=True))


@QUICK
@given(workloads(), st.floats(1, 300), CARDS)
def test_the_verdict_agrees_with_what_is_short_and_with_the_fewest_cards(
    workload: Workload, memory_gb: float, cards: int
) -> None:
    memory = model_memory(workload, memory_gb, cards)
    assert (memory.fits is Fits.YES) == (memory.short_gb is None)
    if memory.fewest_cards is not None:
        assert model_memory(workload, memory_gb, memory.fewest_cards).fits is Fits.YES
        assert memory.fewest_cards == 1 or (
            model_memory(workload, memory_gb, memory.fewest_cards - 1).fits is not Fits.YES
        )
    if memory.fits is Fits.YES:
        assert memory.fewest_cards is not None
        assert memory.fewest_cards <= cards


@QUICK
@given(workloads(), CARDS)
def test_software_of_any_kind_spans_both(workload: Workload, cards: int) -> None:
    if not workload.method.trains:
        return
    either = needed(workload, cards)
    for software in (Software.PLAIN, Software.TUNED):
        low, _, high = needed(replace(workload, software=software), cards)
        assert either[0] <= low + 1e-9
        assert high <= either[2] + 1e-9


def test_a_window_bounds_the_cache_and_latent_attention_shrinks_it() -> None:
    def cache(name: str, tokens: int) -> float:
        return model_memory(usual(model_named(name), context=tokens)).cache.expected

    assert cache("llama-3.1-8b", 131_072) == pytest.approx(16.0)  # 2 x 8 x 128 x 32 layers x 2 bytes x 131,072
    assert cache("deepseek-v3-671b", 131_072) == pytest.approx(8.58, abs=0.01)
    grown = cache("gemma-3-27b", 131_072) / cache("gemma-3-27b", 8_192)
    assert 6 < grown < 12  # sixteen times without windows
    assert cache("qwen3.5-27b", 1) > 0.1  # states of linear layers, however short the request


def test_tensor_parallel_cards_share_the_cache_by_heads_at_most() -> None:
    workload = usual(model_named("qwen2.5-7b"), split=Split.TENSOR, context=32_768)  # four heads of K and V
    caches = [model_memory(workload, None, cards).cache.expected for cards in (1, 2, 4, 8)]
    assert caches == pytest.approx([caches[0], caches[0] / 2, caches[0] / 4, caches[0] / 4])


def test_what_is_offloaded_lies_in_ram_and_not_on_the_card() -> None:
    workload = usual(model_named("llama-3.1-70b"))
    whole = model_memory(workload, 24.0)
    offloaded = model_memory(replace(workload, offload=Offload.WEIGHTS), 24.0)
    assert (whole.fits, offloaded.fits) == (Fits.NO, Fits.YES)
    assert offloaded.in_ram_gb == pytest.approx(whole.needed.expected - 24.0, abs=0.1)


def test_the_classic_questions() -> None:
    """What a builder asks first, with answers that are common experience."""
    ask = {
        ("llama-3.1-70b", Method.INFERENCE, 24.0): 2,
        ("llama-3.1-8b", Method.INFERENCE, 8.0): 1,
        ("llama-3.1-8b", Method.QLORA, 12.0): 1,
        ("llama-3.1-8b", Method.LORA, 24.0): 1,
        ("gpt-oss-20b", Method.INFERENCE, 16.0): 1,
    }
    for (name, method, memory_gb), cards in ask.items():
        options = {"weights": WeightFormat.MXFP4} if name.startswith("gpt-oss") else {}
        workload = usual(model_named(name), method, context=2048, **options)
        assert model_memory(workload, memory_gb).fewest_cards == cards, name


def test_no_number_of_cards_helps_copies() -> None:
    workload = usual(model_of_size(70e9), split=Split.DATA)
    assert model_memory(workload, 24.0, 8).fewest_cards is None


def test_less_than_one_card_is_refused() -> None:
    with pytest.raises(ValueError, match="one card or more"):
        model_memory(usual(model_of_size(1e9)), 24.0, 0)
