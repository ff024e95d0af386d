"""Whole burn-ins through the command line: two healthy cards end in PASS, and a card that does not exist never passes,
whatever stand-ins for driver and PyTorch one makes to deceive.

Such a card idles at 210 MHz, whatever it computes, and computes what a processor can. The record names what it was made
with.
"""

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import MACHINE, Outcome, ResultStatus
from core.burnin.record.store import RunStore
from core.burnin.stages.registry import STAGES
from tests.burnin.processes import profile_in
from tests.cards.machine import CardMachine, profile, uuid
from tests.fake_cuda.stand_in import HERE, Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver

pytestmark = pytest.mark.process

MEMORY_MIB = 96
GENERATION_5 = {"pace": (4e9, 4e9, 52e9)}
"""FLOP/s, bytes/s of the memory, bytes/s of the link."""
NOT_IN_SECONDS = {"own-module", "soak", "whole-system"}
EVERY_KIND = tuple(stage.kind for stage in STAGES if stage.kind not in NOT_IN_SECONDS)
TOGETHER = ("preflight", "idle", "vram", "p2p", "collectives", "lstm", "cooldown")


@pytest.mark.parametrize(
    ("kinds", "model"),
    [
        pytest.param(TOGETHER, "3090", id="alone and together"),
        pytest.param(EVERY_KIND, "3090", id="every stage", marks=pytest.mark.soak),
        pytest.param(EVERY_KIND, "h200", id="every stage, with NVLinks", marks=pytest.mark.soak),
    ],
)
def test_two_healthy_cards_pass(
    fake_cuda: FakeCuda, driver: FakeDriver, tmp_path: Path, kinds: tuple[str, ...], model: str
) -> None:
    kind: dict[str, Any] = (
        {"name": "NVIDIA H200", "capability": (9, 0), "more": GENERATION_5} if model == "h200" else {}
    )
    cards = [Card(uuid(index), bus=0x41 + index, memory_mib=MEMORY_MIB, **kind) for index in range(2)]
    machine = CardMachine(fake_cuda, driver, cards, tmp_path, nvml={"model": model})
    burn_in = machine.burn(profile(tmp_path, kinds))
    for index in range(2):
        assert burn_in.outcome(index) is Outcome.PASS, f"{burn_in.reasons(index)}\n{burn_in.output}"
        assert {result.status for result in burn_in.of(index).values()} == {ResultStatus.PASSED}
    assert burn_in.code == 0, burn_in.output


@pytest.mark.timeout(300)
def test_a_card_of_a_made_up_driver_fails_by_its_speed(fake_cuda: FakeCuda, driver: FakeDriver, tmp_path: Path) -> None:
    cards = [Card(uuid(0), memory_mib=512)]
    machine = CardMachine(fake_cuda, driver, cards, tmp_path, nvml={"memory_mib": "0:24576"})
    burn_in = machine.burn(Path(profile_in(tmp_path, ("gemm", 6, {"dtypes": "float32"}))))
    assert burn_in.outcome(0) is Outcome.FAIL, burn_in.output
    assert "% of" in burn_in.reasons(0)
    with closing(RunStore(tmp_path / "data")) as store:
        assert store.verdicts(1)[0].device_id == MACHINE
        loaded, origin = store.libraries(1), store.origin(1)
    assert origin is not None
    assert str(HERE / "site") in origin.environment["PYTHONPATH"]
    assert origin.environment["LD_LIBRARY_PATH"]
    sampler = next(one for one in loaded if one.role == "sampler")
    worker = next(one for one in loaded if one.role == "worker")
    [library] = sampler.libraries
    assert library.sha256 == sha256(Path(library.path).read_bytes()).hexdigest()
    assert not library.path.startswith(("/usr", "/lib"))
    assert [(one.name, bool(one.record_sha256)) for one in worker.packages] == [("torch", True)]
