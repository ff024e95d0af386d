"""The products load: real computation on the CPU, in which every injected fault is found and a clean run is clean. A
number format that card or framework lacks is not run, with the reason, and is no fault of the card."""

import time
from typing import Any

import pytest
import torch

from core.loads.load import LoadStatus
from core.loads.products import availability, gemm
from core.loads.products.availability import refusal, why_unavailable
from core.loads.products.contract import GemmParams
from core.loads.products.formats import BY_NAME, FORMATS, Format, ProductKind, chosen_formats
from core.loads.products.gemm import GemmLoad
from core.platform.errors import BadInput
from tests.loads.conftest import driven, running

CPU = torch.device("cpu")
FP8, FP4 = {"float8", "float8_e5m2"}, {"float4"}
SPARSE = {"float16_sparse", "bfloat16_sparse", "int8_sparse"}
ON_CPU = [format_.name for format_ in FORMATS if format_.on_cpu]


run = running("gemm", seconds=0.05, size=128)


def test_a_clean_run_finds_nothing_in_thousands_of_products(channel: Any) -> None:
    ending = run(channel, seconds=2.0)
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert channel.of("fault") == []
    evidence = ending.evidence.as_dict()
    assert evidence["products"] > 1000
    assert evidence["errors"] == 0
    assert evidence["checks"] == channel.of("progress")[-1]["metrics"]["checks"]
    assert evidence["self_test"] == {"bit flip": "seen", "NaN": "seen", "repeatable wrong value": "seen"}
    assert set(evidence["rates"]) == set(ON_CPU)
    assert all(rate > 0 for rate in evidence["rates"].values())
    assert all(count >= 2 for count in evidence["known_answers"].values()), "before and after"
    assert "injected_on_purpose" not in evidence


@pytest.mark.parametrize("dtype", ON_CPU)
@pytest.mark.parametrize(
    ("inject", "kind", "where"),
    [("bitflip", "mismatch", "product"), ("nan", "nan", "product"), ("repeatable", "mismatch", "known answer")],
)
def test_an_injected_fault_is_found(channel: Any, dtype: str, inject: str, kind: str, where: str) -> None:
    ending = run(channel, dtypes=dtype, inject=inject, inject_at=8)
    faults = channel.of("fault")
    assert ending.status is LoadStatus.FAILED
    assert {fault["kind"] for fault in faults} == {"mismatch" if dtype == "int8" else kind}
    assert all(fault["message"].startswith(f"{dtype} {where}") for fault in faults)
    assert all("on purpose" in fault["message"] for fault in faults)
    assert ending.evidence.as_dict()["injected_on_purpose"]["kind"] == inject
    assert ending.evidence.as_dict()["injected_on_purpose"]["times"] > 0


@pytest.mark.parametrize("inject", ["bitflip", "nan"])
def test_a_transient_fault_is_one_error_per_format(channel: Any, inject: str) -> None:
    ending = run(channel, inject=inject, inject_at=8)
    assert ending.evidence.as_dict()["errors"] == len(ON_CPU)
    assert ending.evidence.as_dict()["injected_on_purpose"]["times"] == len(ON_CPU)
    assert channel.of("progress")[-1]["metrics"]["errors"] == len(ON_CPU)


def test_a_repeatable_fault_is_invisible_to_the_comparison_with_the_golden_result(channel: Any) -> None:
    ending = run(channel, dtypes="float32", inject="repeatable")
    assert ending.evidence.as_dict()["errors"] == ending.evidence.as_dict()["known_answers"]["float32"]


def test_a_wrong_golden_result_is_found(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.mm

    def faulty(a: torch.Tensor, b: torch.Tensor, *, out: torch.Tensor | None = None) -> torch.Tensor:
        if out is None:
            return real(a, b)
        real(a, b, out=out)
        out[:, 3] *= 1.5
        return out

    monkeypatch.setattr(torch, "mm", faulty)
    ending = run(channel, dtypes="float32")
    assert ending.status is LoadStatus.FAILED
    assert "double-precision reference" in ending.reason


def test_a_stop_midway_is_stopped_with_what_was_counted(channel: Any) -> None:
    channel.commands.put({"type": "stop"})
    ending = run(channel, seconds=30)
    assert ending.status is LoadStatus.STOPPED
    assert set(ending.evidence.as_dict()) >= {"products", "checks", "errors", "rates"}


def test_time_is_kept_and_shared_among_formats(channel: Any) -> None:
    started = time.monotonic()
    ending = run(channel, seconds=1.5)
    assert time.monotonic() - started < 2.5
    assert set(ending.evidence.as_dict()["known_answers"]) == set(ON_CPU)


def test_long_stages_ask_the_known_answer_again(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gemm, "ROUND_S", 0.1)
    evidence = run(channel, seconds=0.6, dtypes="float32").evidence.as_dict()
    assert evidence["known_answers"]["float32"] >= 4


def test_short_memory_halves_the_size(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.mm

    def limited(a: torch.Tensor, b: torch.Tensor, **others: Any) -> torch.Tensor:
        if a.shape[0] > 256:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return real(a, b, **others)

    monkeypatch.setattr(torch, "mm", limited)
    ending = run(channel, size=1024, dtypes="float32")
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["sizes_tried"] == [1024, 512, 256]
    assert ending.evidence.as_dict()["sizes"] == {"float32": 256}
    assert ending.evidence.as_dict()["warnings"]


def test_formats_that_the_device_lacks_are_named_and_do_not_pass(channel: Any) -> None:
    ending = run(channel, dtypes="tf32,float16")
    assert ending.status is LoadStatus.NOT_RUN
    assert "tf32" in ending.reason
    mixed = run(channel, dtypes="float32,tf32")
    assert mixed.status is LoadStatus.PASSED
    assert list(mixed.evidence.not_available) == ["tf32"]


def test_formats_run_in_the_order_asked_for_once_each() -> None:
    assert [format_.name for format_ in chosen_formats("float64, float32,float64")] == ["float64", "float32"]
    assert chosen_formats(" ") == FORMATS
    with pytest.raises(BadInput, match=r"no number format 'fp8'.*float8"):
        chosen_formats("fp8")
    with pytest.raises(BadInput, match=r"no number format ','"):
        chosen_formats(",")


@pytest.mark.parametrize(
    ("capability", "missing"),
    [
        ((5, 2), {"tf32", "float16", "bfloat16", "int8"} | FP8 | FP4 | SPARSE),
        ((7, 0), {"tf32", "bfloat16", "int8"} | FP8 | FP4 | SPARSE),
        ((7, 5), {"tf32", "bfloat16"} | FP8 | FP4 | SPARSE),
        ((8, 6), FP8 | FP4),
        ((8, 9), FP4),
        ((9, 0), FP4),
        ((10, 0), set()),
        ((12, 0), set()),
    ],
)
def test_a_gpu_is_only_asked_for_what_its_hardware_has(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], missing: set[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    cuda = torch.device("cuda", 0)
    assert {format_.name for format_ in FORMATS if why_unavailable(format_, cuda)} == missing


@pytest.mark.parametrize(
    ("per_flop_s", "shape", "smaller"),
    [
        (1e-13, (1024, 1024, 1024), (1024, 1024, 1024)),
        (1e-9, (1024, 1024, 1024), (512, 512, 512)),
        (1e-6, (1024, 2048, 1024), (256, 512, 256)),
        (1e-9, (4096, 512, 4096), (512, 256, 512)),
    ],
)
def test_products_take_less_than_a_heartbeat(
    monkeypatch: pytest.MonkeyPatch, per_flop_s: float, shape: tuple[int, int, int], smaller: tuple[int, int, int]
) -> None:
    monkeypatch.setattr(availability, "seconds_per_flop", lambda format_, device: per_flop_s)
    assert availability.affordable(shape, FORMATS[0], CPU) == smaller


@pytest.mark.parametrize(
    ("per_flop_s", "size"), [(1e-13, 4096), (1e-12, 2048), (1e-11, 1024), (1e-9, 512), (1e-6, 256)]
)
def test_fast_processors_get_larger_products(monkeypatch: pytest.MonkeyPatch, per_flop_s: float, size: int) -> None:
    monkeypatch.setattr(availability, "seconds_per_flop", lambda format_, device: per_flop_s)
    assert availability.comfortable(1024, FORMATS[0], CPU) == size


YOUNG = [format_ for format_ in FORMATS if format_.kind is not ProductKind.DENSE]
INT8 = BY_NAME["int8"]


def refusing(sentence: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError(sentence)

    return refuse


@pytest.mark.usefixtures("what_cpus_lack")
@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_what_can_be_computed_is_not_refused(format_: Format) -> None:
    assert refusal(format_, CPU) is None


def test_what_this_framework_refuses_is_reported_in_its_words() -> None:
    """On a CPU for real: neither 4-bit nor sparse products are there."""
    refused = {format_.name: reason for format_ in FORMATS if (reason := refusal(format_, CPU)) is not None}
    assert set(refused) == {"float4", "float16_sparse", "bfloat16_sparse", "int8_sparse"}
    assert "Invalid scaling configuration" in refused["float4"]
    assert all(reason.startswith(f"{name} is refused by this PyTorch") for name, reason in refused.items())
    assert max(map(len, refused.values())) < 300, "a sentence, however much the framework says"


@pytest.mark.parametrize(
    "sentence",
    [
        "CUDA error: architecture mismatch when calling `cusparseLtInit(&handle)`",
        "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasLtMatmul`",
    ],
)
def test_a_library_that_refuses_one_format_leaves_the_others(
    channel: Any, monkeypatch: pytest.MonkeyPatch, sentence: str
) -> None:
    monkeypatch.setattr(torch, "_int_mm", refusing(sentence))
    load = GemmLoad(GemmParams(size=64, dtypes="float32,int8"), CPU)
    ending = driven(load, channel, 0.05)
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert set(ending.evidence.as_dict()["rates"]) == {"float32"}
    assert sentence in ending.evidence.as_dict()["not_available"]["int8"]
    assert channel.of("fault") == []


@pytest.mark.parametrize("sentence", ["CUDA error: an illegal memory access was encountered", "CUDA out of memory."])
def test_what_the_card_broke_off_with_is_not_taken_for_a_lack(monkeypatch: pytest.MonkeyPatch, sentence: str) -> None:
    monkeypatch.setattr(torch, "_int_mm", refusing(sentence))
    with pytest.raises(RuntimeError, match=sentence):
        refusal(INT8, CPU)


@pytest.mark.parametrize("format_", YOUNG, ids=lambda format_: format_.name)
def test_an_older_framework_lacks_them(monkeypatch: pytest.MonkeyPatch, format_: Format) -> None:
    for name in ("_int_mm", "_scaled_mm", "_cslt_compress"):
        monkeypatch.delattr(torch, name)
    reason = why_unavailable(format_, torch.device("cuda", 0))
    assert reason is not None
    assert f"{format_.name} is not offered by this PyTorch ({torch.__version__})" in reason
