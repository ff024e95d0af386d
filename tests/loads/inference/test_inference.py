"""A language model that answers: the cache changes nothing, every fault is found, and memory and time may be short."""

import re
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.inference import answering
from core.loads.inference.answering import Answering, difference, host_difference, prepared, tolerated
from core.loads.inference.contract import OPT, InferenceParams, ServedModel, answered, measured_rates, served
from core.loads.load import Ending, FaultKind, LoadStatus, StepReport
from core.loads.meter import Meter
from core.loads.training.text import Gpt
from core.platform.errors import BadInput, EnvironmentProblem
from tests.loads.conftest import driven, result_of
from tests.patience import given_time

CPU = torch.device("cpu")
SEED = 7
TINY = {"layers": 2, "width": 32, "heads": 2, "vocabulary": 64, "context": 24, "generated": 8}
MODEL = ServedModel(**TINY, requests=2)
GIB = 2**30


def made(dtype: torch.dtype = torch.float32, model: ServedModel = MODEL, seed: int = SEED) -> Answering:
    return result_of(prepared(model, seed=seed, device=CPU, dtype=dtype))


def answer(one: Answering) -> Answering:
    one.prefill()
    one.decode(one.model.generated - 1)
    return one


def answers(count: int, **params: Any) -> tuple[Ending, list[StepReport]]:
    """Ends after so many whole answers, or with the first fault."""
    load = make_load("inference", {**TINY, **params}, device=CPU)
    reports = []
    for report in load.steps(60):
        reports.append(report)
        if report.faults or load.finish().evidence.as_dict()["answers"] == count:
            break
    return load.finish(), reports


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_decoding_with_a_cache_gives_what_one_pass_gives(dtype: torch.dtype) -> None:
    one = answer(made(dtype))
    assert one.decoded == MODEL.generated
    assert difference(one.logits, one.reread()) <= tolerated(MODEL, dtype) / 4, "the tolerance is no narrow one"
    chosen = one.logits.argmax(dim=-1).transpose(0, 1)
    assert torch.equal(one.text[:, MODEL.prompt :], chosen), "each token is the most likely one"


def test_an_answer_repeats_to_the_last_bit_and_another_seed_gives_another() -> None:
    one = answer(made())
    logits = one.logits.clone()
    assert torch.equal(answer(one).logits, logits)
    assert torch.equal(answer(made()).logits, logits)
    assert not torch.equal(answer(made(seed=SEED + 1)).logits, logits)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_device_agrees_with_the_host_within_the_rounding_of_its_format(dtype: torch.dtype) -> None:
    apart = result_of(host_difference(seed=SEED, device=CPU, dtype=dtype))
    assert 0 < apart <= tolerated(answering.REFERENCE, dtype) / 2


def test_tolerances_are_those_of_the_format_and_never_so_wide_that_all_is_right() -> None:
    fp32, tf32, fp16, bf16 = (
        tolerated(MODEL, torch.float32), tolerated(MODEL, torch.float32, tf32=True),
        tolerated(MODEL, torch.float16), tolerated(MODEL, torch.bfloat16),
    )  # fmt: skip
    assert fp32 < tf32 == fp16 < bf16
    deep = ServedModel(layers=128, width=64, heads=1)
    assert tolerated(deep, torch.bfloat16) < 1 / 2**0.5, "logits that have nothing in common are further apart"


def test_what_a_model_holds_and_reads_is_counted_as_its_network_has_it() -> None:
    with torch.device("meta"):
        network = Gpt(MODEL)
    assert MODEL.parameters == sum(weight.numel() for weight in network.parameters())
    places = MODEL.context * MODEL.width
    cached = 2 * MODEL.layers * MODEL.width * MODEL.requests
    assert MODEL.step_bytes(2) == 2 * (MODEL.parameters - places + cached * (MODEL.prompt + MODEL.generated // 2))
    assert MODEL.held_bytes(2) == 2 * MODEL.parameters + made(torch.bfloat16).cache.nbytes


@pytest.mark.parametrize(
    ("memory_gib", "element_bytes", "billions"),
    [(8, 2, 1.3), (12, 2, 2.7), (12, 4, 1.3), (24, 2, 6.7), (40, 2, 6.7), (48, 2, 12.9), (80, 2, 12.9), (141, 2, 30.0),
     (2, 2, 0.36)],
)  # fmt: skip
def test_a_card_runs_the_largest_model_that_leaves_room(memory_gib: int, element_bytes: int, billions: float) -> None:
    model = served(InferenceParams(), memory_bytes=memory_gib * GIB, element_bytes=element_bytes)
    assert model.parameters / 1e9 == pytest.approx(billions, rel=0.03)
    assert model in OPT


@pytest.mark.parametrize(
    ("params", "error", "says"),
    [
        ({"width": 33}, BadInput, "33 cannot be divided among 2 heads"),
        ({"generated": 24}, BadInput, "A context of 24 tokens leaves no prompt before 24 generated ones."),
        ({"precision": "tf32"}, EnvironmentProblem, "tf32 is not run on CPUs"),
        ({"requests": 0}, BadInput, "requests"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(params: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        make_load("inference", {**TINY, **params}, device=CPU)


def test_answers_are_compared_and_measured() -> None:
    ending, reports = answers(3, requests=2)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert ending.reason == "3 answers of 8 tokens were bit-identical."
    assert evidence["self_test"] == {"bit flip": "seen", "NaN": "seen", "repeatable wrong value": "seen"}
    assert evidence["checks"] == sum(report.checks for report in reports) == 4, "the host's, and one of each answer"
    assert (evidence["prompt_tokens"], evidence["generated_tokens"], evidence["precision"]) == (16, 8, "fp32")
    assert set(evidence["rates"]) == {"prefill", "decode"}
    assert evidence["rates"]["decode"] > 0
    assert 0 < evidence["host_difference_pct"] < 1e-2
    assert 0 <= evidence["path_difference_pct"] < 1e-2
    assert evidence["model"] == {**TINY, "requests": 2}
    assert sum(report.tokens for report in reports) == 3 * 2 * (8 - 1), "the first token is that of the prefill"
    assert all(report.moved_bytes % MODEL.step_bytes(4) == 0 for report in reports)


def test_rates_count_the_tokens_of_all_requests() -> None:
    prefill, decode = Meter(), Meter()
    prefill.add(4, 2.0)
    decode.add(100, 2.0)
    rates = measured_rates(MODEL, prefill, decode, element_bytes=2, peak_gbps=0.01)
    assert rates["rates"] == {"prefill": 2.0 * 2 * 16, "decode": 50.0 * 2}
    assert rates["decode_gbps"] == round(50 * MODEL.step_bytes(2) / 1e9, 3)
    assert rates["share_of_bandwidth_pct"] == pytest.approx(5e3 * MODEL.step_bytes(2) / 1e7, abs=0.01)
    assert answered(MODEL, 3, busy_s=1.0, element_bytes=2) == StepReport(
        busy_s=1.0, tokens=6, moved_bytes=3 * MODEL.step_bytes(2)
    )
    assert measured_rates(MODEL, Meter(), Meter(), element_bytes=2, peak_gbps=None)["rates"] == {}


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("weights", "Data that must stay constant changed in memory: tokens.weight"),
        ("cache", "has other logits than the first|left another KV cache than the first"),
        ("logits", "has other logits than the first: 1 element is wrong"),
        ("nan", "nan"),
    ],
)
def test_a_fault_is_found_wherever_it_is(kind: str, says: str, at: int) -> None:
    """Also in the first answer, which all others are compared with."""
    ending, reports = answers(99, inject=kind, inject_at=at)
    faults = [fault for report in reports for fault in report.faults]
    assert ending.status is LoadStatus.FAILED
    assert "on purpose" in ending.reason
    assert ending.evidence.injected_on_purpose is not None
    place = "logits" if kind == "nan" else kind
    assert ending.evidence.injected_on_purpose.where == f"the {place} after token 2 of answer {at + 1}"
    assert [fault.kind for fault in faults] == [FaultKind.NAN if kind == "nan" else FaultKind.MISMATCH]
    assert re.search(says, faults[0].message), faults[0].message


@pytest.mark.parametrize(("head", "says"), [(64, "computed on the host"), (16, "one pass over prompt and answer")])
def test_a_device_that_errs_in_the_same_way_each_time_is_found(
    monkeypatch: pytest.MonkeyPatch, head: int, says: str
) -> None:
    """The kernel for a single query is wrong, in the heads of the small model (64 wide) or of the one that answers."""
    attend = torch.nn.functional.scaled_dot_product_attention

    def wrong(queries: Any, keys: Any, values: Any, **how: Any) -> Any:
        right = attend(queries, keys, values, **how)
        return -right if queries.shape[2] == 1 and queries.shape[3] == head else right

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", wrong)
    ending, _ = answers(2)
    assert ending.status is LoadStatus.FAILED
    assert says in ending.reason


def test_too_little_time_is_not_run(channel: Any) -> None:
    def run(seconds: float) -> Ending:
        big = {**TINY, "context": 4096, "generated": 4000}
        return driven(make_load("inference", big, device=CPU), channel, seconds)

    ending = given_time(run, 0.05, lambda one: one.evidence.host_difference_pct is not None)  # type: ignore[attr-defined]
    assert ending.status is LoadStatus.NOT_RUN
    assert "Only 0 of 2 answers were completed." in ending.reason


def test_a_stop_is_heeded_between_tokens(channel: Any) -> None:
    channel.later(12, "stop")
    ending = driven(make_load("inference", {**TINY, "context": 400, "generated": 300}, device=CPU), channel, 3600)
    assert ending.status is LoadStatus.STOPPED


def test_where_memory_is_short_a_smaller_model_answers(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made_before, tried = Answering.__init__, []

    def full(self: Answering, network: Gpt, model: ServedModel, prompts: torch.Tensor) -> None:
        if model is not answering.REFERENCE:
            tried.append((model.requests, model.layers))
            if model.layers > 1:
                raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")
        made_before(self, network, model, prompts)

    monkeypatch.setattr(Answering, "__init__", full)

    def run(seconds: float) -> Ending:
        tried.clear()
        return driven(make_load("inference", {**TINY, "requests": 2}, device=CPU), channel, seconds)

    ending = given_time(run, 0.1, lambda one: one.status is LoadStatus.PASSED)
    assert tried == [(2, 2), (1, 2), (1, 1)]
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.shrunk == 2
    assert "the load was reduced 2 times" in ending.evidence.warnings[0]
