"""Simulated loads: believable, marked, free of torch, and able to fail in every way."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import BadInput
from core.loads.load import Ending, LoadStatus
from core.loads.loop import Loop, Totals
from core.loads.simulated.bench import open_simulated
from core.loads.simulated.rates import GENERIC, MODELS, find_model
from tests.patience import PATIENCE_S

CARD = ("--device", "SIM-0-rtx-3090", "--kind", "gpu", "--simulated", "rtx-3090")


def run(channel: Any, load: str = "gemm", *, seconds: float = 0.6, device: str = "SIM-0", **params: Any) -> Ending:
    made = open_simulated("RTX 3090", device_id=device).make(load, params)
    return Loop(made, channel, seconds=seconds, totals=Totals()).run()


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("rtx-3090", "RTX 3090"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("titan-x", "TITAN X"),
        ("NVIDIA TITAN X (Pascal)", "TITAN X"),
        ("Tesla V100-SXM2-16GB", "V100"),
        ("NVIDIA A100 80GB PCIe", "A100"),
        ("H100", "H100"),
        ("rtx 5090", "RTX 5090"),
        ("something else", "GPU"),
        ("", "GPU"),
        ("TITAN V", "GPU"),
    ],
)
def test_a_model_is_known_by_its_words(words: str, title: str) -> None:
    assert find_model(words).title == title


@pytest.mark.parametrize("model", [*MODELS, GENERIC], ids=lambda model: model.title)
def test_narrower_formats_are_no_slower_where_tensor_cores_are(model: Any) -> None:
    speeds = model.tflops
    assert speeds["float64"] < 1.5 * speeds["float32"]
    assert speeds.get("tf32", speeds["float32"]) >= speeds["float32"]


def test_a_card_that_is_slow_by_order_computes_slower_than_its_like(channel: Any) -> None:
    healthy, slow = (
        run(channel, dtypes="float32", device=device).evidence.as_dict()["rates"]["float32"]
        for device in ("SIM-0-rtx-3090", "SIM-1-rtx-3090-slow30")
    )
    assert slow / healthy == pytest.approx(0.7, rel=0.03)


@pytest.mark.parametrize("load", ["known_answer", "gemm", "resnet", "lstm", "transformer"])
def test_a_healthy_card_passes_and_everything_says_simulated(channel: Any, load: str) -> None:
    ending = run(channel, load)
    assert ending.status is LoadStatus.PASSED
    assert ending.reason.startswith("SIMULATED")
    assert ending.evidence.as_dict()["simulated"] is True
    assert open_simulated("RTX 3090", device_id="x").backend == "simulated"
    assert "SIMULATED" in open_simulated("RTX 3090", device_id="x").name


@pytest.mark.parametrize("load", ["known_answer", "gemm", "transformer"])
@pytest.mark.parametrize(("inject", "kind"), [("bitflip", "mismatch"), ("nan", "nan"), ("repeatable", "mismatch")])
def test_injected_faults_are_counted_and_marked(channel: Any, load: str, inject: str, kind: str) -> None:
    ending = run(channel, load, inject=inject, inject_at=6)
    faults = channel.of("fault")
    assert ending.status is LoadStatus.FAILED
    assert ending.reason.startswith("SIMULATED")
    assert {fault["kind"] for fault in faults} == {kind}
    assert all("SIMULATED" in fault["message"] for fault in faults)
    assert (ending.evidence.as_dict()["errors"] == 1) == (inject != "repeatable")


def test_cards_of_one_model_differ_by_less_than_a_warning(channel: Any) -> None:
    rates = [run(channel, seconds=0.1, device=f"SIM-{n}").evidence.as_dict()["rates"]["float32"] for n in range(8)]
    assert len(set(rates)) > 1
    assert min(rates) > 0.97 * max(rates)


@pytest.mark.parametrize("load", ["resnet", "lstm", "transformer"])
def test_the_loss_falls_and_the_accuracy_rises(channel: Any, load: str) -> None:
    evidence = run(channel, load, seconds=1.2, peak_tflops=71.0).evidence.as_dict()
    assert 0 < evidence["share_of_peak_pct"] < 100
    accuracies = [beat["metrics"]["accuracy_pct"] for beat in channel.of("progress") if "loss" in beat["metrics"]]
    assert accuracies == sorted(accuracies)
    losses = [beat["metrics"]["loss"] for beat in channel.of("progress") if "loss" in beat["metrics"]]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.parametrize(
    ("load", "params", "named"),
    [
        ("gemm", {"bogus": 1}, "bogus"),
        ("gemm", {"inject": "fire"}, "hang"),
        ("gemm", {"dtypes": "fp8"}, "fp8"),
        ("dance", {}, "known_answer.*transformer"),
    ],
)
def test_what_the_real_loads_refuse_is_refused(load: str, params: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        open_simulated("RTX 3090", device_id="SIM-0").make(load, params)


def test_a_simulated_worker_never_imports_torch() -> None:
    script = (
        "import sys; from core.loads import worker; from core.loads.simulated import bench;"
        "bench.open_simulated('x', device_id='y');"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.process
def test_an_injected_death_ends_the_process_by_sigkill(start_worker: Callable[..., Any]) -> None:
    worker = start_worker(*CARD)
    worker.send("start", load="gemm", seconds=3600, params={"inject": "die", "inject_at": 1})
    assert worker.process.wait(PATIENCE_S) == -signal.SIGKILL
    assert not any('"done"' in line for _, line in worker.lines)


@pytest.mark.process
def test_an_injected_hang_stops_the_heartbeats_but_not_the_end_of_the_parent(start_worker: Callable[..., Any]) -> None:
    worker = start_worker(*CARD)
    worker.next("ready")
    worker.send("start", load="gemm", seconds=3600, params={"inject": "hang", "inject_at": 0})
    worker.next("progress")
    worker.send("stop")
    heard = len(worker.lines)
    with pytest.raises(subprocess.TimeoutExpired):
        worker.process.wait(1.5)
    assert len(worker.lines) == heard, "neither heartbeat nor done"
    worker.close_stdin()
    worker.process.wait(PATIENCE_S)
