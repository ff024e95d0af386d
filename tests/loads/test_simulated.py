"""Simulated loads: believable, marked, free of torch, and able to fail in every way."""

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, LoadStatus, RankGroup
from core.loads.simulated.rates import GENERIC, MODELS, find_model
from core.loads.table import LOADS, open_simulated
from core.platform.errors import BadInput
from tests.loads.conftest import MemoryChannel, driven
from tests.patience import PATIENCE_S

CARD = ("--device", "SIM-0-rtx-3090", "--kind", "gpu", "--simulated", "rtx-3090")


NAMES = [entry.name for entry in LOADS]
TOGETHER = [entry.name for entry in LOADS if entry.together]
DEVICES = ("SIM-0", "SIM-1", "SIM-2")


def run(
    channel: Any,
    load: str = "gemm",
    *,
    seconds: float = 0.6,
    device: str = "",
    rank: int = 0,
    size: int = 3,
    **params: Any,
) -> Ending:
    group = RankGroup(rank, size, "/nowhere", DEVICES[:size]) if load in TOGETHER else None
    own = {"module": "a:b"} if load == "own_module" else {}
    made = open_simulated("RTX 3090", device_id=device or DEVICES[rank]).make(load, {**own, **params}, group)
    return driven(made, channel, seconds)


def evidence_of(*args: Any, **params: Any) -> dict[str, Any]:
    return run(*args, **params).evidence.as_dict()


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("rtx-3090", "RTX 3090"), ("NVIDIA GeForce RTX 4090", "RTX 4090"), ("titan-x", "TITAN X"),
        ("NVIDIA TITAN X (Pascal)", "TITAN X"), ("Tesla V100-SXM2-16GB", "V100"), ("NVIDIA A100 80GB PCIe", "A100"),
        ("H100", "H100"), ("rtx 5090", "RTX 5090"), ("something else", "GPU"), ("", "GPU"), ("TITAN V", "GPU"),
    ],
)  # fmt: skip
def test_a_model_is_known_by_its_words(words: str, title: str) -> None:
    assert find_model(words).title == title


@pytest.mark.parametrize("model", [*MODELS, GENERIC], ids=lambda model: model.title)
def test_narrower_formats_are_no_slower_where_tensor_cores_are(model: Any) -> None:
    speeds = model.tflops
    assert speeds["float64"] < 1.5 * speeds["float32"]
    assert speeds.get("tf32", speeds["float32"]) >= speeds["float32"]


def test_a_card_that_is_slow_by_order_computes_slower_than_its_like(channel: Any) -> None:
    healthy, slow = (
        evidence_of(channel, dtypes="float32", device=device)["rates"]["float32"]
        for device in ("SIM-0-rtx-3090", "SIM-1-rtx-3090-slow30")
    )
    assert slow / healthy == pytest.approx(0.7, rel=0.03)


@pytest.mark.parametrize("load", NAMES)
def test_a_healthy_card_passes_and_everything_says_simulated(channel: Any, load: str) -> None:
    ending = run(channel, load, seconds=0.2)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED
    assert ending.reason.startswith("SIMULATED")
    assert evidence["simulated"] is True
    assert set(evidence["self_test"].values()) == {"seen"}
    assert channel.of("progress")[-1]["metrics"]["checks"] == evidence["checks"] > 0
    assert open_simulated("RTX 3090", device_id="x").backend == "simulated"
    assert "SIMULATED" in open_simulated("RTX 3090", device_id="x").name
    if load in TOGETHER:
        assert (evidence["backend"], evidence["ranks"], evidence["devices"]) == ("SIMULATED", 3, list(DEVICES))


@pytest.mark.parametrize(
    ("load", "name", "least", "most"),
    [("bandwidth", "copy", 700, 900), ("bandwidth", "triad", 700, 900), ("host_link", "both", 35, 50)],
)
def test_bandwidths_are_those_of_the_model(channel: Any, load: str, name: str, least: float, most: float) -> None:
    assert least < evidence_of(channel, load, seconds=0.15)["rates"][name] < most
    assert any("bandwidth_gbps" in beat["metrics"] for beat in channel.of("progress"))


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
    rates = [evidence_of(channel, seconds=0.1, device=f"SIM-{n}")["rates"]["float32"] for n in range(8)]
    assert len(set(rates)) > 1
    assert min(rates) > 0.97 * max(rates)


@pytest.mark.parametrize("load", ["resnet", "lstm", "transformer"])
def test_the_loss_falls_and_the_accuracy_rises(channel: Any, load: str) -> None:
    evidence = evidence_of(channel, load, seconds=1.2, peak_tflops=71.0)
    assert 0 < evidence["share_of_peak_pct"] < 100
    accuracies = [beat["metrics"]["accuracy_pct"] for beat in channel.of("progress") if "loss" in beat["metrics"]]
    assert accuracies == sorted(accuracies)
    losses = [beat["metrics"]["loss"] for beat in channel.of("progress") if "loss" in beat["metrics"]]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.parametrize("share", [0.55, 0.9])
def test_products_follow_the_clock_and_the_memory_does_not(share: float) -> None:
    def rate(load: str, name: str, *paces: float, **params: Any) -> float:
        line = MemoryChannel()
        for pace in paces:
            line.commands.put({"type": "pace", "share": pace})
        return float(evidence_of(line, load, **params)["rates"][name])

    full = rate("gemm", "float32", dtypes="float32")
    assert share <= rate("gemm", "float32", share, dtypes="float32") / full <= share + 0.25 * (1 - share)
    assert rate("bandwidth", "copy", share) == rate("bandwidth", "copy")
    assert rate("gemm", "float32", 7, dtypes="float32") == pytest.approx(full), "none is faster than its full speed"


def test_a_replay_has_the_keys_of_the_real_one(channel: Any) -> None:
    real = make_load("replay", {"steps": 1, "network": "lstm"}, device=torch.device("cpu"))
    for _ in real.steps(60):
        if "replay" in real.finish().evidence.as_dict():
            break
    evidence, simulated = real.finish().evidence.as_dict(), evidence_of(channel, "replay", network="lstm")
    assert set(evidence) <= set(simulated)
    assert set(evidence["replay"]) == set(simulated["replay"])


def test_twins_replay_the_same_and_a_deviant_card_does_not(channel: Any) -> None:
    endings = [run(channel, "replay", rank=rank, inject=kind) for rank, kind in enumerate(("", "", "deviant"))]
    first, second, deviant = (ending.evidence.as_dict()["replay"] for ending in endings)
    assert endings[2].status is LoadStatus.PASSED, "by itself it sees nothing"
    assert first == second
    assert deviant["weight_hash"] != first["weight_hash"]
    assert {**deviant, "loss_hash": "", "weight_hash": ""} == {**first, "loss_hash": "", "weight_hash": ""}


def test_members_tell_the_same_of_their_pairs(channel: Any) -> None:
    first, second = (evidence_of(channel, "p2p", rank=rank) for rank in (0, 1))
    assert first["matrix_gbps"] == second["matrix_gbps"]
    assert [first["matrix_gbps"][place][place] for place in range(3)] == [None] * 3
    assert all(0 < cell < 30 for row in first["matrix_gbps"] for cell in row if cell is not None)


def test_larger_sums_use_the_bus_better(channel: Any) -> None:
    timed = evidence_of(channel, "collectives")["all_reduce"]
    assert [size["bytes"] for size in timed] == [2**20 << power for power in range(11)]
    speeds = [size["busbw_gbps"] for size in timed]
    assert speeds == sorted(speeds)


def test_training_together_is_slower_than_alone_but_not_as_slow_as_without_overlap(channel: Any) -> None:
    networks = evidence_of(channel, "data_parallel")["networks"]
    for network in networks.values():
        assert network["no_overlap_pct"] < network["efficiency_pct"] < 100
    assert networks["resnet"]["efficiency_pct"] > networks["lstm"]["efficiency_pct"], "more gradients for its work"
    assert "efficiency_pct" not in evidence_of(channel, "data_parallel", size=1)["networks"]["resnet"]


@pytest.mark.parametrize(
    ("load", "params", "named"),
    [
        ("gemm", {"bogus": 1}, "bogus"),
        ("gemm", {"inject": "fire"}, "hang"),
        ("gemm", {"dtypes": "fp8"}, "fp8"),
        ("dance", {}, "known_answer.*transformer"),
        *((load, {}, "several devices together") for load in TOGETHER),
    ],
)
def test_what_the_real_loads_refuse_is_refused(load: str, params: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        open_simulated("RTX 3090", device_id="SIM-0").make(load, params)


def test_networks_must_be_known(channel: Any) -> None:
    with pytest.raises(BadInput, match="there is no network 'bert'; choose from resnet, lstm, transformer"):
        run(channel, "data_parallel", networks="lstm, bert")


def test_a_simulated_worker_never_imports_torch() -> None:
    script = (
        "import sys; from core.loads import table, worker;"
        "table.open_simulated('x', device_id='y');"
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
