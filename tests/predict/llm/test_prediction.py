"""A prediction of a language model on a build or on cards: faster where it should be, and with its reasons."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.vocabulary import Category, GpuForm
from core.plan.line import Line
from core.predict.conditions import Conditions
from core.predict.llm.models import model_named, model_of_size
from core.predict.llm.prediction import ModelPrediction, predict_card, predict_model
from core.predict.llm.workload import Method, Offload, Software, Split, WeightFormat, usual
from core.predict.prediction import predict
from core.predict.speed.memory_fit import Fits
from tests.predict.speed.machines import gpu, machine
from tests.rules.machines import part, with_line, without
from tests.shipped import parts_by_id, shipped_of, templates

LLAMA = model_named("llama-3.1-8b")
CARD = gpu()
QUICK = settings(max_examples=40, deadline=None)
METHODS = st.sampled_from(Method)


def expected(one: ModelPrediction) -> float:
    """Tokens per second."""
    assert one.rate is not None, (one.unfit, one.reasons)
    return one.rate.expected


def on_cards(method: Method = Method.INFERENCE, count: int = 1, card: dict[str, Any] | None = None, **options: Any):
    """A model of 8B on cards that have room for anything."""
    return predict_card(gpu(memory_gb=3000.0, **(card or {})), usual(LLAMA, method, **options), count)


@QUICK
@given(METHODS, st.floats(100, 4000), st.floats(1.0, 3.0), st.integers(1, 64))
def test_more_bandwidth_is_never_slower(method: Method, gbps: float, times: float, requests: int) -> None:
    slow = on_cards(method, card={"memory_bandwidth_gbps": gbps}, requests=requests)
    fast = on_cards(method, card={"memory_bandwidth_gbps": gbps * times}, requests=requests)
    assert all(a <= b * (1 + 1e-9) for a, b in zip(slow.rate.triple, fast.rate.triple, strict=True))


@QUICK
@given(METHODS, st.floats(110, 300), st.floats(110, 300), st.integers(1, 256))
def test_a_lower_power_limit_is_never_faster(method: Method, one_w: float, other_w: float, requests: int) -> None:
    workload = usual(LLAMA, method, requests=requests)
    card = gpu(memory_gb=3000.0)
    low, high = (predict_card(card, workload, limit_w=watts) for watts in sorted((one_w, other_w)))
    for one, other in ((low.rate, high.rate), (low.prefill, high.prefill)):
        assert (one is None) == (other is None)
        if one and other:
            assert all(a <= b * (1 + 1e-9) for a, b in zip(one.triple, other.triple, strict=True))


@QUICK
@given(st.integers(1, 60_000), st.integers(1, 64))
def test_a_longer_context_is_never_faster_to_answer(context: int, requests: int) -> None:
    short, long = (on_cards(context=tokens, requests=requests) for tokens in (context, 2 * context))
    assert expected(long) <= expected(short)


@QUICK
@given(st.integers(1, 512))
def test_more_requests_give_more_tokens_and_each_of_them_fewer(requests: int) -> None:
    few, many = (on_cards(requests=count, context=512) for count in (requests, 2 * requests))
    assert expected(few) <= expected(many) * (1 + 1e-9)
    assert few.per_request and many.per_request
    assert few.per_request.expected >= many.per_request.expected * (1 - 1e-9)


def test_a_power_limit_slows_computing_and_leaves_reading_alone() -> None:
    full, limited = (predict_card(CARD, usual(LLAMA), limit_w=watts) for watts in (300.0, 150.0))
    assert expected(limited) == pytest.approx(expected(full))
    assert full.prefill and limited.prefill
    assert limited.prefill.expected < 0.9 * full.prefill.expected
    assert any("leave 50 % of the power" in reason for reason in limited.reasons)


def test_layers_over_cards_add_memory_and_no_speed() -> None:
    one = predict_card(gpu(memory_gb=48.0), usual(model_named("llama-3.1-70b")))
    two = predict_card(CARD, usual(model_named("llama-3.1-70b")), 4)
    assert (two.cards, two.of_cards, two.fits) == (2, 4, Fits.YES)
    assert expected(two) == pytest.approx(expected(one), rel=0.02)
    assert any("Split by layers" in reason for reason in two.reasons)


def test_tensor_parallel_cards_are_faster_and_by_way_of_memory_less_so() -> None:
    workload = usual(model_named("llama-3.1-70b"), split=Split.TENSOR)
    one, direct, staged = (
        predict_card(gpu(memory_gb=96.0, product=product, p2p=p2p), workload, count)
        for product, p2p, count in (("RTX Test", True, 1), ("RTX Test", True, 4), ("GeForce RTX 4090", False, 4))
    )
    assert expected(one) < expected(staged) < expected(direct) < 4 * expected(one)
    assert any("no direct access" in note for note in staged.assumptions)


def test_heads_that_cannot_be_spread_are_named() -> None:
    three = predict_card(gpu(memory_gb=96.0), usual(LLAMA, split=Split.TENSOR), 3)
    assert three.rate is None
    assert "32 heads cannot be spread evenly over 3 GPUs" in three.unfit[0]


def test_copies_serve_as_many_requests_as_there_are_cards() -> None:
    one, four, idle = (
        on_cards(count=count, split=Split.DATA, requests=requests) for count, requests in ((1, 1), (4, 4), (4, 1))
    )
    assert expected(four) == pytest.approx(4 * expected(one))
    assert expected(idle) == pytest.approx(expected(one))


def test_a_mixture_reads_what_it_passes_and_more_of_it_for_many() -> None:
    dense, mixture = (
        predict_card(gpu(memory_gb=300.0), usual(model_named(name))) for name in ("qwen3-32b", "qwen3-30b-a3b")
    )
    assert expected(mixture) > 3 * expected(dense)
    many = predict_card(gpu(memory_gb=300.0), usual(model_named("qwen3-30b-a3b"), requests=16))
    assert many.per_request
    assert many.per_request.expected < 0.5 * expected(mixture)


def test_plain_software_is_slower_than_engines() -> None:
    plain, engine = (
        on_cards(weights=WeightFormat.BF16, software=software) for software in (Software.PLAIN, Software.ANY)
    )
    small, small_engine = (
        predict_card(CARD, usual(model_of_size(1e9), weights=WeightFormat.BF16, software=software))
        for software in (Software.PLAIN, Software.ANY)
    )
    assert expected(plain) <= expected(engine)
    assert expected(small) < 0.6 * expected(small_engine)


@pytest.mark.parametrize("method", (Method.FULL, Method.LORA, Method.QLORA))
def test_training_gains_by_cards_and_by_nvlink(method: Method) -> None:
    def train(count: int, form: GpuForm) -> float:
        return expected(on_cards(method, count, {"form": form, "nvlink_gbps": 600.0}))

    assert train(1, GpuForm.PCIE_CARD) < train(4, GpuForm.PCIE_CARD) < train(4, GpuForm.SXM)
    assert train(4, GpuForm.SXM) <= 4 * train(1, GpuForm.SXM) * 1.001


def test_modules_whose_links_nobody_knows_have_no_rate_together() -> None:
    two = on_cards(Method.FULL, 2, {"form": GpuForm.OAM})
    assert two.rate is None
    assert any("OAM" in reason for reason in two.reasons)


@pytest.mark.parametrize(
    ("capability", "method", "weights", "says"),
    (
        ("6.1", Method.QLORA, WeightFormat.NF4, "PyTorch's kernels for QLoRA begin at 7.0"),
        ("6.1", Method.INFERENCE, WeightFormat.INT4, "kernels for 4 bit .AWQ, GPTQ. begin at 7.0"),
        ("7.0", Method.INFERENCE, WeightFormat.FP8, "begin at 7.5"),
        ("6.1", Method.INFERENCE, WeightFormat.Q4_K_M, None),
        ("8.6", Method.INFERENCE, WeightFormat.INT4, None),
    ),
)
def test_a_card_without_kernels_is_named(
    capability: str, method: Method, weights: WeightFormat, says: str | None
) -> None:
    one = predict_card(gpu(compute_capability=capability), usual(LLAMA, method, weights=weights))
    assert (one.rate is None) == (says is not None)
    assert (says or "") in "".join(one.unfit).replace("(", ".").replace(")", ".")


def test_what_is_short_is_said_with_the_cards_that_would_do() -> None:
    one = predict_card(CARD, usual(model_named("llama-3.1-70b")))
    assert (one.fits, one.rate) == (Fits.NO, None)
    assert any("GB more than it has" in reason for reason in one.reasons)
    assert any("It fits over 2 such GPUs." in reason for reason in one.reasons)


def test_weights_in_ram_are_read_at_its_rate() -> None:
    build = with_line(machine(CARD, (1,)), part("ram", modules=2, module_gb=32.0, speed_mts=4800), 1)
    workload = usual(model_named("llama-3.1-70b"), offload=Offload.WEIGHTS)
    one = predict_model(build, workload)
    assert one.fits is Fits.YES
    assert 1.0 < expected(one) < 3.0
    assert any("stay in the host's RAM" in reason for reason in one.reasons)
    whole = predict_card(gpu(memory_gb=48.0), usual(model_named("llama-3.1-70b")))
    assert one.prefill and whole.prefill
    assert one.prefill.expected < 0.9 * whole.prefill.expected
    huge = predict_model(build, usual(model_named("deepseek-v3-671b"), offload=Offload.WEIGHTS))
    assert huge.rate is None
    assert any("would stay in RAM" in sentence for sentence in huge.unfit)


def test_unknown_figures_are_named_and_invent_no_rate() -> None:
    bare = predict_card(gpu(memory_gb=None, memory_bandwidth_gbps=None, memory_bus_bits=None), usual(LLAMA))
    assert (bare.fits, bare.decode) == (Fits.UNKNOWN, None)
    assert {name.split(".")[1] for name in bare.missing} >= {"memory_gb", "memory_bandwidth_gbps"}


@pytest.mark.parametrize("method", Method)
def test_every_card_of_the_catalogue_is_predicted(method: Method) -> None:
    workload = usual(model_of_size(1.5e9), method, context=1024)
    for card in shipped_of(Category.GPU):
        one = predict_card(card, workload, 2)
        assert one.as_dict()["workload"]["model"]["layers"] > 0
        if one.rate is None:
            assert one.unfit or one.reasons or one.missing, card.id


@pytest.mark.parametrize("name", ("four-used-rtx-3090", "nvidia-dgx-1v", "researcher-pc", "eight-h200-hgx"))
def test_a_build_is_predicted_with_its_heat_and_links(name: str) -> None:
    build = templates()[name]
    heat = predict(build, Conditions()).heat
    for method in Method:
        one = predict_model(build, usual(model_of_size(1e9), method), heat)
        assert one.rate or one.unfit
        assert one.rate == predict_model(build, usual(model_of_size(1e9), method), heat).rate


def test_heat_never_makes_it_faster() -> None:
    build = templates()["four-used-rtx-3090"]
    heat = predict(build, Conditions()).heat
    workload = usual(LLAMA, Method.LORA)
    assert expected(predict_model(build, workload, heat)) <= expected(predict_model(build, workload))


def test_cards_of_two_sizes_hold_layers_by_their_memory() -> None:
    build = machine(gpu("-small", memory_gb=12.0), (1,), Line(gpu("-large", memory_gb=48.0), 1, (3,)))
    one = predict_model(build, usual(model_named("llama-3.1-70b")))
    assert one.memory[0].memory.memory_gb == 48.0
    assert one.fits is Fits.YES


def test_a_card_of_two_chips_is_two_gpus() -> None:
    one = predict_card(gpu(chips=2), usual(LLAMA), 1)
    assert one.of_cards == 2
    assert one.memory[0].memory.memory_gb == 12.0


def test_the_3090s_of_the_templates_answer_as_their_owners_report() -> None:
    one = predict_card(parts_by_id()["nvidia-rtx-3090-founders-edition"], usual(LLAMA, context=1024))
    assert one.decode
    assert one.decode.low < 111.74 < one.decode.high
    assert one.decode.high / one.decode.low < 1.45
    wide = predict_card(
        parts_by_id()["nvidia-rtx-3090-founders-edition"], usual(LLAMA, context=1024, weights=WeightFormat.INT4)
    )
    assert wide.decode
    assert wide.decode.high / wide.decode.low > 1.6


def test_a_build_without_a_gpu_says_so() -> None:
    build = without(machine(CARD, (1,)), Category.GPU)
    for split in (Split.LAYERS, Split.TENSOR, Split.DATA):
        one = predict_model(build, usual(LLAMA, split=split))
        assert (one.cards, one.rate, one.unfit) == (0, None, ("There is no GPU to run it on.",))
