"""A whole burn-in on two healthy cards: every stage there is, through the command line, ends in PASS."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.burnin.record import Outcome, ResultStatus
from core.burnin.stages import STAGES
from tests.cards.machine import CardMachine, profile, uuid
from tests.fake_cuda.stand_in import Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver

pytestmark = [pytest.mark.process, pytest.mark.timeout(400)]

NOT_IN_SECONDS = {"own-module", "soak", "whole-system"}
KINDS = [stage.kind for stage in STAGES if stage.kind not in NOT_IN_SECONDS]


def test_two_healthy_cards_pass_every_stage(fake_cuda: FakeCuda, driver: FakeDriver, tmp_path: Path) -> None:
    cards = [Card(uuid(index), bus=0x41 + index, memory_mib=320) for index in range(2)]
    told = CardMachine(fake_cuda, driver, cards, tmp_path).burn(profile(tmp_path, KINDS))
    for index in range(2):
        assert told.outcome(index) is Outcome.PASS, f"{told.reasons(index)}\n{told.output}"
        assert {result.status for result in told.of(index).values()} == {ResultStatus.PASSED}
    assert told.code == 0
