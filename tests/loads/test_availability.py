"""A number format that card or framework lacks is not run, with the reason, and is no fault of the card."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.loads.load import LoadStatus
from core.loads.loop import Loop, Totals
from core.loads.products.availability import refusal, why_unavailable
from core.loads.products.contract import GemmParams
from core.loads.products.formats import BY_NAME, FORMATS, Format, ProductKind
from core.loads.products.gemm import GemmLoad

CPU = torch.device("cpu")
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


def test_what_this_framework_refuses_is_told_in_its_words() -> None:
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
    ending = Loop(load, channel, seconds=0.05, totals=Totals()).run()
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
