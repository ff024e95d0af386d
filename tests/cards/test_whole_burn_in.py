"""Whole burn-ins on two healthy cards, through the command line, end in PASS."""

from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import Outcome, ResultStatus
from core.burnin.stages.registry import STAGES
from tests.cards.machine import CardMachine, profile, uuid
from tests.fake_cuda.stand_in import Card, FakeCuda
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
    told = machine.burn(profile(tmp_path, kinds))
    for index in range(2):
        assert told.outcome(index) is Outcome.PASS, f"{told.reasons(index)}\n{told.output}"
        assert {result.status for result in told.of(index).values()} == {ResultStatus.PASSED}
    assert told.code == 0, told.output
