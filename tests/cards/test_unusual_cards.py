"""Healthy cards in unusual set-ups pass, or are not run with a reason: they never fail.

Cards of one machine are burned in together, so that the processes of ten set-ups are started three times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from core.burnin.record import Outcome, ResultStatus
from tests.cards.machine import CardMachine, Told, profile, uuid
from tests.fake_cuda.stand_in import Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

ALONE = ("preflight", "known-answer", "vram", "host-link", "gemm", "cooldown")
MEMORY_MIB = 96


@dataclass(frozen=True, slots=True)
class Unusual:
    """A set-up of one card: what torch sees (`card`), what the driver says (`nvml`), and how it must end."""

    name: str
    ends: tuple[Outcome, ...] = (Outcome.PASS, Outcome.WARN)
    says: str = ""
    nvml: dict[str, object] = field(default_factory=dict)
    card: dict[str, Any] = field(default_factory=dict)


LESS_LINK = {"pace": (4e9, 4e9, 6.5e9)}
CASES = (
    Unusual("plain"),
    Unusual("x8 of a desktop board", nvml={"link_width": 8}, card={"more": LESS_LINK}),
    Unusual("display attached", nvml={"display": 1}, card={"outside_mib": 16}),
    Unusual("persistence mode off", nvml={"persistence": 0}),
    Unusual("application clocks set", nvml={"reasons": 0x2}),
    Unusual("exclusive process mode", nvml={"compute_mode": 3}, card={"more": {"exclusive": True}}),
    Unusual("half full", card={"outside_mib": 48}, nvml={"processes": 1}),
    Unusual(
        "MIG on",
        ends=(Outcome.INCOMPLETE,),
        says="MIG",
        nvml={"mig": 1},
        card={"name": "NVIDIA GeForce RTX 3090 MIG 1g.5gb", "more": {"uuid_seen": "MIG-5f8c2a0e"}},
    ),
)
LAST = Unusual(
    "no kernels for its architecture", ends=(Outcome.INCOMPLETE,), says="no kernels", card={"capability": (7, 0)}
)


@pytest.fixture(scope="module")
def told(fake_cuda: FakeCuda, driver: FakeDriver, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """One burn-in of a machine with a card in each of these set-ups: the driver knows at most eight."""
    folder = tmp_path_factory.mktemp("unusual")
    cards = [
        Card(uuid(index), bus=0x41 + index, **({"memory_mib": MEMORY_MIB} | case.card))
        for index, case in enumerate(CASES)
    ]
    settings: dict[str, str] = {}
    for index, case in enumerate(CASES):
        for name, value in case.nvml.items():
            settings[name] = f"{settings.get(name, '')} {index}:{value}".strip()
    machine = CardMachine(fake_cuda, driver, cards, folder, nvml=settings)
    return machine.burn(profile(folder, ALONE))


@pytest.mark.parametrize("index", range(len(CASES)), ids=[case.name for case in CASES])
def test_an_unusual_card_is_not_failed(told: Told, index: int) -> None:
    case, reasons = CASES[index], told.reasons(index)
    assert told.outcome(index) in case.ends, f"{reasons}\n{told.output}"
    assert case.says in reasons
    statuses = {result.status for result in told.of(index).values()}
    assert ResultStatus.FAILED not in statuses
