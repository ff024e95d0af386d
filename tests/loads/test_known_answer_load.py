"""The known-answer load: every number format gives its products, each answer is compared, every fault is found."""

from typing import Any

import pytest
import torch

from core.loads.findings import TriedFault
from core.loads.load import LoadStatus
from core.loads.products import known_answer_load, verified
from core.loads.products.contract import KnownAnswerParams
from core.loads.products.formats import FORMATS
from core.loads.products.known_answer_load import KnownAnswerLoad
from core.platform.errors import EnvironmentProblem
from tests.loads.conftest import running

CPU = torch.device("cpu")
ON_CPU = [format_.name for format_ in FORMATS if format_.on_cpu]


run = running("known_answer", seconds=20.0, size=128)


def test_every_format_gives_twenty_right_answers_and_ends(channel: Any) -> None:
    ending = run(channel)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert evidence["products"] == dict.fromkeys(ON_CPU, 20)
    assert evidence["checks"] == 20 * len(ON_CPU)
    assert evidence["shapes"] == {name: [128, 256, 128] for name in ON_CPU}
    assert evidence["self_test"] == dict.fromkeys(tuple(TriedFault), "seen"), "of all checks of a burn-in"
    assert set(evidence["not_available"]) == {format_.name for format_ in FORMATS} - set(ON_CPU)
    assert channel.of("progress")[-1]["fraction"] < 1, "it does not wait for the end of its time"


def test_right_answers_have_the_same_checksums_everywhere(channel: Any) -> None:
    checksums = run(channel, iterations=1).evidence.as_dict()["checksums"]
    assert (
        run(channel, iterations=1, dtypes="float64,int8,bfloat16,float32").evidence.as_dict()["checksums"] == checksums
    )
    assert run(channel, iterations=1, seed=2).evidence.as_dict()["checksums"] != checksums


@pytest.mark.parametrize("dtype", ON_CPU)
@pytest.mark.parametrize(("inject", "times"), [("bitflip", 1), ("nan", 1), ("repeatable", 20)])
def test_an_injected_fault_is_found_each_time(channel: Any, dtype: str, inject: str, times: int) -> None:
    ending = run(channel, dtypes=dtype, inject=inject, inject_at=0)
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == times
    assert ending.evidence.as_dict()["injected_on_purpose"]["times"] == times
    assert {fault["kind"] for fault in channel.of("fault")} == {
        "nan" if inject == "nan" and dtype != "int8" else "mismatch"
    }
    assert f"{dtype} known answer: 1 element" in ending.reason
    assert "injected on purpose" in ending.reason


def test_a_single_bit_of_a_single_answer_is_named(channel: Any) -> None:
    reason = run(channel, dtypes="float64", inject="bitflip", inject_at=7).reason
    assert "row 64, column 0" in reason


def test_a_library_that_computes_wrongly_is_found(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.mm

    def wrong(a: torch.Tensor, b: torch.Tensor, **others: Any) -> torch.Tensor:
        return real(a, b + (a.dtype is torch.float64), **others)

    monkeypatch.setattr(torch, "mm", wrong)
    ending = run(channel, iterations=2)
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == 2
    assert ending.reason.startswith("2 of 8 results are wrong: float64 known answer")


def test_short_time_asks_every_format_once_and_says_so(channel: Any) -> None:
    ending = run(channel, seconds=0.001, iterations=1000)
    assert ending.status is LoadStatus.PASSED
    assert list(ending.evidence.as_dict()["products"]) == ON_CPU
    assert all(
        1 <= done < ending.evidence.as_dict()["asked_for"] for done in ending.evidence.as_dict()["products"].values()
    )


def test_no_format_at_all_is_a_problem_of_the_environment() -> None:
    load = KnownAnswerLoad(KnownAnswerParams(dtypes="float8"), CPU)
    with pytest.raises(EnvironmentProblem, match="float8 is not run on CPUs"):
        next(load.steps(1))
    assert load.finish().status is LoadStatus.NOT_RUN


def test_on_a_gpu_the_sums_are_as_long_as_they_can_be_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verified, "split_by_availability", lambda formats, device: (formats, {}))
    monkeypatch.setattr(known_answer_load, "affordable", lambda shape, format_, device: shape)
    load = KnownAnswerLoad(KnownAnswerParams(), torch.device("cuda", 0))
    shapes = {format_.name: load._shape(format_) for format_ in FORMATS}
    short = {name for name, shape in shapes.items() if shape == (4096, 512, 4096)}
    assert short == {"float8", "float8_e5m2", "float4"}
    assert {shape for name, shape in shapes.items() if name not in short} == {(4096, 8192, 4096)}
