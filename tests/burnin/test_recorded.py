"""What the verdict reads of a recording: loads, results, rates and a card's past; references that others measured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from core.burnin.measured.run import references_from
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import InterruptionKind, Outcome, ResultStatus, RunDevice, StageResult, Verdict
from core.burnin.record.store import RunStore
from core.burnin.references import OWN, add_references, all_references, own_references, references_of
from core.burnin.verdict.recorded import EARLIER_RUNS, Recorded, rate_words, rates_of
from core.cli.app import app
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.build import Build
from core.platform.errors import BadInput
from tests.burnin.begun_run import begun
from tests.burnin.made_run import CARD, PROCESSOR, ended, run_of, sampled, stage, twin

SECONDS = np.arange(10.0)


def signs(until: int) -> Any:
    return np.where(until >= SECONDS, 1.0, np.nan)


@pytest.mark.parametrize(
    ("metrics", "how", "carried"),
    [
        ({"throughput_tflops": signs(4)}, ResultStatus.PASSED, 5),
        ({"throughput_tflops": signs(4)}, ResultStatus.DIED, 5),
        ({"throughput_tflops": signs(2), "bandwidth_gbps": signs(6)}, ResultStatus.DIED, 7),
        ({"throughput_tflops": np.where(SECONDS == 3, 1.0, np.nan)}, ResultStatus.DIED, 4),
        ({"checks": signs(9), "errors": signs(9), "power_w": signs(9)}, ResultStatus.DIED, 0),
        ({"checks": signs(3), "errors": signs(3)}, ResultStatus.PASSED, 10),
        ({}, ResultStatus.PASSED, 10),
        ({}, ResultStatus.FAILED, 0),
        ({}, None, 0),
    ],
)
def test_a_load_lasted_until_the_last_sign_of_it(metrics: dict[str, Any], how: Any, carried: int) -> None:
    results = [] if how is None else [ended(0, how)]
    run = run_of([stage(0, "gemm", 0.0, 100.0)], results, sampled(SECONDS, **metrics))
    [(_, samples)] = run.loads(CARD)
    assert len(samples) == carried


def test_stages_that_began_have_their_samples_with_both_ends_and_loads_are_those_with_a_load() -> None:
    stages = [
        stage(0, "preflight", 0.0, 1.0), stage(1, "gemm", 2.0, 4.0), stage(2, "of another version", 5.0, 6.0),
        stage(3, "vram", None, None), stage(4, "soak", 7.0, None),
    ]  # fmt: skip
    run = run_of(stages, [ended(n) for n in range(5)], sampled(SECONDS))
    assert [(one.number, list(samples[:, 0])) for one, samples in run.stage_samples(CARD)] == [
        (0, [0.0, 1.0]), (1, [2.0, 3.0, 4.0]), (2, [5.0, 6.0]), (4, [7.0, 8.0, 9.0]),
    ]  # fmt: skip
    assert [one.number for one, _ in run.loads(CARD)] == [1, 4]


def test_results_and_values_are_those_of_the_stage_and_the_device() -> None:
    results = [ended(0, device=twin(1)), ended(1, reason="mine"), ended(0, reason="first")]
    run = run_of([], results, sampled([0.0, 1.0, 2.0], power_w=[5.0, np.nan, 7.0]), devices=[CARD, twin(1)])
    one = run.result(stage(1, "gemm"), CARD)
    assert one.reason == "mine"
    assert run.result(stage(1, "gemm"), twin(1)) is None
    assert list(run.values(CARD, "power_w")) == [5.0, 7.0]
    assert len(run.values(CARD, "temperature_c")) == 0


def test_a_card_counts_by_itself_or_by_its_shares() -> None:
    share, idle, watched = twin(1, parent="GPU-2"), twin(2), twin(3)
    devices = [
        RunDevice(CARD, 0, True), RunDevice(share, 1, True), RunDevice(idle, 2, False), RunDevice(watched, 3, False),
    ]  # fmt: skip
    run = replace(run_of(), devices=devices)
    assert (run.burned, run.divided) == ([CARD, share], [idle])
    assert run.planned is None
    planned = replace(run, plan=Build("Plan")).planned
    assert (planned.plan.name, planned.room_c) == ("Plan", None)


def test_rates_that_were_not_measured_are_none_and_names_that_are_no_words_have_some() -> None:
    assert rates_of(ended(0, rates={"float32": 3.0, "tf32": None, "int8": 0.0})) == {"float32": 3.0}
    assert rates_of(ended(0)) == rates_of(None) == {}
    names = ("to_device", "to_host", "both", "bfloat16")
    assert [rate_words(name) for name in names] == ["to device", "to host", "both", "bfloat16"]


def record(
    store: RunStore, rate: float, *, kinds: tuple[str, ...] = ("gemm",), finished: bool = True,
    devices: tuple[RunDevice, ...] = (RunDevice(CARD, 0, True),), sizes: tuple[int, ...] = (),
) -> int:  # fmt: skip
    stages = tuple(
        StageSettings(kind=kind, seconds=10, params={"size": sizes[n]} if sizes else {}) for n, kind in enumerate(kinds)
    )
    run_id = begun(store, devices=devices, profile=Profile(name="x", title="x", stages=stages))
    for number in range(len(kinds)):
        store.add_result(run_id, ended(number, rates={"tf32": rate + number}))
    if finished:
        store.finish(run_id, [])
    return run_id


def test_its_past_is_the_best_of_earlier_finished_runs_of_the_same_work(store: RunStore) -> None:
    for rate in (50.0, 70.0, 60.0):
        record(store, rate)
    record(store, 90.0, finished=False)
    record(store, 95.0, sizes=(1024,))
    now = record(store, 10.0)
    record(store, 99.0)
    assert Recorded.of(store, now).history == {CARD.id: {("gemm", "tf32"): 70.0}}
    twice = record(store, 10.0, kinds=("gemm", "gemm"), sizes=(1024, 2048))
    assert Recorded.of(store, twice).history == {}, "its own stages of one kind are not alike"
    alike = record(store, 10.0, kinds=("gemm", "soak"))
    assert Recorded.of(store, alike).history == {CARD.id: {("gemm", "tf32"): 99.0}}
    record(store, 0.5, kinds=("vram",))
    slow = record(store, 10.0, kinds=("vram",))
    assert Recorded.of(store, slow).history == {CARD.id: {("vram", "tf32"): 0.5}}
    other = record(store, 10.0, devices=(RunDevice(twin(1), 0, True),))
    assert Recorded.of(store, other).history == {}


def test_only_the_newest_runs_are_its_past(store: RunStore) -> None:
    record(store, 70.0)
    for _ in range(EARLIER_RUNS - 1):
        record(store, 50.0)
    assert Recorded.of(store, record(store, 1.0)).history == {CARD.id: {("gemm", "tf32"): 70.0}}
    assert Recorded.of(store, record(store, 1.0)).history == {CARD.id: {("gemm", "tf32"): 50.0}}
    assert EARLIER_RUNS == 20


def test_a_run_is_read_with_the_samples_of_what_was_burned_and_of_the_cards_of_shares(store: RunStore) -> None:
    share, whole, watched = twin(1, parent="GPU-2"), twin(2), twin(3)
    rows = [RunDevice(device, n, burned) for n, (device, burned) in enumerate(
        ((CARD, True), (share, True), (whole, False), (watched, False), (PROCESSOR, True))
    )]  # fmt: skip
    run_id = record(store, 1.0, devices=tuple(rows), finished=False)
    store.add_tick(run_id, 3.0, {device.id: {"power_w": 9.0} for device in (CARD, whole, watched)})
    run = Recorded.of(store, run_id)
    assert {id_: len(block) for id_, block in run.samples.items()} == {
        CARD.id: 1, share.id: 0, whole.id: 1, PROCESSOR.id: 0,
    }  # fmt: skip
    assert (run.shortened, run.plan, run.as_built) == (False, None, None)
    assert set(run.references) == {row.device.id for row in rows}
    assert {id_: part.spec.product for id_, part in run.products.items()} == {
        CARD.id: "GeForce RTX 3090", share.id: "GeForce RTX 3090",
    }  # fmt: skip
    store.add_interruption(run_id, InterruptionKind.SHORTENED, 0.0, "In a minute.")
    assert Recorded.of(store, run_id).shortened


@pytest.mark.parametrize(
    ("device", "has"),
    [
        (CARD, True), (replace(CARD, simulated=True), False), (PROCESSOR, False),
        (replace(CARD, name="NVIDIA Nonsense 1"), False), (replace(CARD, memory_mb=1), False),
    ],
)  # fmt: skip
def test_products_are_of_real_gpus_that_the_catalogue_has(store: RunStore, device: Device, has: bool) -> None:
    run_id = record(store, 1.0, devices=(RunDevice(device, 0, True), RunDevice(twin(1), 1, False)))
    assert set(Recorded.of(store, run_id).products) == ({device.id} if has else set())


OURS = Device("GPU-a", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", memory_mb=24576, driver="580.1")
TWIN = replace(OURS, id="GPU-b")
KINDS = ("gemm", "host-link")


def record_cards(
    store: RunStore, *devices: Device, failed: str = "", finished: bool = True, params: dict[str, Any] | None = None
) -> int:
    """Cards that reach 70 and 72 TFLOPS in products; their links are of the slots."""
    stages = tuple(StageSettings(kind=kind, seconds=10, params=params or {}) for kind in KINDS)
    rows = [RunDevice(device, place, burned=True) for place, device in enumerate(devices)]
    run_id = begun(store, devices=rows, profile=Profile(name="x", title="x", stages=stages), machine="workstation")
    for place, device in enumerate(devices):
        evidence = {"rates": {"bfloat16": 70.0 + 2 * place}, "rate_unit": "TFLOPS"}
        for number in range(len(KINDS)):
            store.add_result(run_id, StageResult(number, device.id, ResultStatus.PASSED, "fine", evidence))
    if finished:
        outcomes = {device.id: Outcome.FAIL if device.id == failed else Outcome.PASS for device in devices}
        store.finish(run_id, [Verdict("", Outcome.PASS, ()), *(Verdict(i, o, ()) for i, o in outcomes.items())])
    return run_id


def test_a_run_that_was_changed_since_is_no_reference(store: RunStore) -> None:
    run_id = record_cards(store, OURS)
    assert references_from(store, run_id)
    with store.one_commit():
        store._db.execute("UPDATE results SET evidence = replace(evidence, '70', '10')")
    with pytest.raises(BadInput, match="was CHANGED"):
        references_from(store, run_id)


@pytest.mark.parametrize(
    ("name", "has_any"),
    [
        ("NVIDIA GeForce RTX 3090", True), ("GeForce RTX 3090", True), ("NVIDIA GeForce RTX 3090 Ti", False),
        ("NVIDIA A100-SXM4-40GB", True), ("NVIDIA RTX A6000", True), ("NVIDIA RTX 5000 Ada Generation", False),
        ("AMD Radeon", False),
    ],
)  # fmt: skip
def test_shipped_references_are_of_one_model_alone(tmp_path: Path, name: str, has_any: bool) -> None:
    references = references_of(Device("x", DeviceKind.GPU, name), all_references(tmp_path))
    assert bool(references) is has_any
    assert all(one.source and one.address.startswith("https://") for one in references.values())


def test_other_work_than_the_usual_is_no_reference(store: RunStore) -> None:
    with pytest.raises(BadInput, match="measured no rate"):
        references_from(store, record_cards(store, OURS, params={"size": 1024}))
    assert references_from(store, record_cards(store, OURS, params={"dtypes": "bfloat16", "seed": 7}))


def test_a_device_is_held_against_its_past_in_the_same_work_alone(store: RunStore) -> None:
    record_cards(store, OURS, params={"size": 1024})
    other = record_cards(store, OURS)
    assert Recorded.of(store, other).history.get(OURS.id, {}) == {}
    again = record_cards(store, OURS, params={"dtypes": "bfloat16"})
    assert Recorded.of(store, again).history[OURS.id]["gemm", "bfloat16"] == 70.0


def test_a_run_becomes_a_reference_which_counts_before_the_shipped_one(store: RunStore, tmp_path: Path) -> None:
    references = references_from(store, record_cards(store, OURS, TWIN))
    assert [(one.stage, one.name, one.rate) for one in references] == [("gemm", "bfloat16", 71.0)]
    assert "driver 580.1, median of 2 cards" in references[0].source
    assert len(add_references(tmp_path, references)) == 1
    assert add_references(tmp_path, references) == {}
    assert references_of(OURS, all_references(tmp_path))["gemm", "bfloat16"].rate == 71.0
    assert references_of(OURS, all_references(tmp_path))["gemm", "float32"].rate == 24.8


def test_a_card_that_failed_is_no_reference(store: RunStore) -> None:
    references = references_from(store, record_cards(store, OURS, TWIN, failed="GPU-b"))
    assert [one.rate for one in references] == [70.0]


@pytest.mark.parametrize(
    ("devices", "finished", "says"),
    [
        ((replace(OURS, simulated=True),), True, "is simulated"),
        ((OURS,), False, "has no verdict"),
        ((Device("cpu", DeviceKind.CPU, "CPU"),), True, "no GPU that passed"),
    ],
)
def test_what_is_no_reference_is_refused_in_a_sentence(
    store: RunStore, devices: tuple[Device, ...], finished: bool, says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        references_from(store, record_cards(store, *devices, finished=finished))


@pytest.mark.parametrize("content", [b'[{"product": 3}]', b"{", b"\xff", b"[" * 5000, b"[1e999]", b""])
def test_a_damaged_file_of_own_references_is_kept_aside_and_told_once(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for number, name in enumerate(("references.json.damaged", "references.json.damaged-2"), 1):
        (tmp_path / OWN).write_bytes(content)
        assert own_references(tmp_path) == own_references(tmp_path) == ()
        assert (tmp_path / name).read_bytes() == content
        assert not (tmp_path / OWN).exists()
        assert len(caplog.messages) == number
        assert caplog.messages[-1].endswith(f"was set aside as {name}. Add them again from runs that passed.")


def test_the_commands_add_and_list(store: RunStore, tmp_path: Path) -> None:
    run_id = record_cards(store, OURS)
    added = CliRunner().invoke(app, ["references", "add", str(run_id), "--data-dir", str(tmp_path), "--json"])
    assert json.loads(added.stdout)["added"][0]["rate"] == 70.0
    listed = CliRunner().invoke(app, ["references", "list", "3090", "--data-dir", str(tmp_path), "--json"])
    assert {one["stage"] for one in json.loads(listed.stdout)["references"]} == {"bandwidth", "gemm", "resnet"}
    assert CliRunner().invoke(app, ["references", "list", "--data-dir", str(tmp_path)]).exit_code == 0
