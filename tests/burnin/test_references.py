"""Reference measurements: whose they are, where they come from, and how a run becomes one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import Outcome, ResultStatus, RunDevice, StageResult, Verdict
from core.burnin.record.store import RunStore
from core.burnin.reference_run import references_from
from core.burnin.references import OWN, add_references, all_references, own_references, references_of
from core.burnin.verdict import Recorded
from core.cli.app import app
from core.errors import BadInput
from core.telemetry.device import Device, DeviceKind

CARD = Device("GPU-a", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", memory_mb=24576, driver="580.1")
TWIN = replace(CARD, id="GPU-b")
KINDS = ("gemm", "host-link")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with closing(RunStore(tmp_path)) as opened:
        yield opened


def record(
    store: RunStore, *devices: Device, failed: str = "", finished: bool = True, params: dict[str, Any] | None = None
) -> int:
    """Cards that reach 70 and 72 TFLOPS in products; their links are of the slots."""
    stages = tuple(StageSettings(kind=kind, seconds=10, params=params or {}) for kind in KINDS)
    rows = [RunDevice(device, place, burned=True) for place, device in enumerate(devices)]
    run_id = store.create_run(
        title="x", profile=Profile(name="x", title="x", stages=stages), devices=rows, stage_titles=KINDS,
        boot_id="b", machine="workstation", version="0",
    )  # fmt: skip
    for place, device in enumerate(devices):
        evidence = {"rates": {"bfloat16": 70.0 + 2 * place}, "rate_unit": "TFLOPS"}
        for number in range(len(KINDS)):
            store.add_result(run_id, StageResult(number, device.id, ResultStatus.PASSED, "fine", evidence))
    if finished:
        outcomes = {device.id: Outcome.FAIL if device.id == failed else Outcome.PASS for device in devices}
        store.finish(run_id, [Verdict("", Outcome.PASS, ()), *(Verdict(i, o, ()) for i, o in outcomes.items())])
    return run_id


def test_a_run_that_was_changed_since_is_no_reference(store: RunStore) -> None:
    run_id = record(store, CARD)
    assert references_from(store, run_id)
    with store.one_commit():
        store._db.execute("UPDATE results SET evidence = replace(evidence, '70', '10')")
    with pytest.raises(BadInput, match="was CHANGED"):
        references_from(store, run_id)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("NVIDIA GeForce RTX 3090", True),
        ("GeForce RTX 3090", True),
        ("NVIDIA GeForce RTX 3090 Ti", False),
        ("NVIDIA A100-SXM4-40GB", True),
        ("NVIDIA RTX A6000", True),
        ("NVIDIA RTX 5000 Ada Generation", False),
        ("AMD Radeon", False),
    ],
)
def test_shipped_references_are_of_one_model_alone(tmp_path: Path, name: str, known: bool) -> None:
    found = references_of(Device("x", DeviceKind.GPU, name), all_references(tmp_path))
    assert bool(found) is known
    assert all(one.source and one.address.startswith("https://") for one in found.values())


def test_other_work_than_the_usual_is_no_reference(store: RunStore) -> None:
    with pytest.raises(BadInput, match="measured no rate"):
        references_from(store, record(store, CARD, params={"size": 1024}))
    assert references_from(store, record(store, CARD, params={"dtypes": "bfloat16", "seed": 7}))


def test_a_device_is_held_against_its_past_in_the_same_work_alone(store: RunStore) -> None:
    record(store, CARD, params={"size": 1024})
    other = record(store, CARD)
    assert Recorded.of(store, other).history.get(CARD.id, {}) == {}
    again = record(store, CARD, params={"dtypes": "bfloat16"})
    assert Recorded.of(store, again).history[CARD.id]["gemm", "bfloat16"] == 70.0


def test_a_run_becomes_a_reference_which_counts_before_the_shipped_one(store: RunStore, tmp_path: Path) -> None:
    found = references_from(store, record(store, CARD, TWIN))
    assert [(one.stage, one.name, one.rate) for one in found] == [("gemm", "bfloat16", 71.0)]
    assert "driver 580.1, median of 2 cards" in found[0].source
    assert len(add_references(tmp_path, found)) == 1
    assert add_references(tmp_path, found) == {}
    assert references_of(CARD, all_references(tmp_path))["gemm", "bfloat16"].rate == 71.0
    assert references_of(CARD, all_references(tmp_path))["gemm", "float32"].rate == 24.8


def test_a_card_that_failed_is_no_reference(store: RunStore) -> None:
    found = references_from(store, record(store, CARD, TWIN, failed="GPU-b"))
    assert [one.rate for one in found] == [70.0]


@pytest.mark.parametrize(
    ("devices", "finished", "says"),
    [
        ((replace(CARD, simulated=True),), True, "is simulated"),
        ((CARD,), False, "has no verdict"),
        ((Device("cpu", DeviceKind.CPU, "CPU"),), True, "no GPU that passed"),
    ],
)
def test_what_is_no_reference_is_refused_in_a_sentence(
    store: RunStore, devices: tuple[Device, ...], finished: bool, says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        references_from(store, record(store, *devices, finished=finished))


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
    run_id = record(store, CARD)
    added = CliRunner().invoke(app, ["references", "add", str(run_id), "--data-dir", str(tmp_path), "--json"])
    assert json.loads(added.stdout)["added"][0]["rate"] == 70.0
    listed = CliRunner().invoke(app, ["references", "list", "3090", "--data-dir", str(tmp_path), "--json"])
    assert {one["stage"] for one in json.loads(listed.stdout)["references"]} == {"bandwidth", "gemm", "resnet"}
    assert CliRunner().invoke(app, ["references", "list", "--data-dir", str(tmp_path)]).exit_code == 0
