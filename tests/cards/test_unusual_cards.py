"""Healthy cards in unusual set-ups pass, or are not run with a reason: they never fail.

Cards of one machine are burned in together, so that the processes of ten set-ups are started three times.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import Outcome, ResultStatus
from tests.cards.machine import BurnIn, CardMachine, profile, uuid
from tests.fake_cuda.stand_in import Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver

pytestmark = pytest.mark.process

ALONE = ("preflight", "known-answer", "vram", "host-link", "gemm", "cooldown")
MEMORY_MIB = 64
KERNELS = ("preflight", "known-answer")
NO_SHARED_MEMORY = (
    "NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, unhandled system error (run with "
    "NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclSystemError: System call (e.g. socket, malloc) or external "
    "library call failed or device error.\nLast error:\nError while creating shared memory segment /dev/shm/nccl-x "
    "(size 33030528), error: No space left on device (28)"
)
"""As NCCL 2.27 says it in a container with 64 MB of /dev/shm."""


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
    Unusual("half full", card={"outside_mib": 32}, nvml={"processes": 1}),
    Unusual(
        "MIG on, no share made",
        ends=(Outcome.INCOMPLETE,),
        says="MIG",
        nvml={"mig": 1},
        card={"name": "NVIDIA GeForce RTX 3090 MIG 1g.5gb"},
    ),
)


@pytest.fixture(scope="module")
def burn_in(fake_cuda: FakeCuda, driver: FakeDriver, tmp_path_factory: pytest.TempPathFactory) -> BurnIn:
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
    return machine.burn(profile(folder, ALONE, host_link=1))


@pytest.mark.parametrize("index", range(len(CASES)), ids=[case.name for case in CASES])
def test_an_unusual_card_is_not_failed(burn_in: BurnIn, index: int) -> None:
    case, reasons = CASES[index], burn_in.reasons(index)
    assert burn_in.outcome(index) in case.ends, f"{reasons}\n{burn_in.output}"
    assert case.says in reasons
    statuses = {result.status for result in burn_in.of(index).values()}
    assert ResultStatus.FAILED not in statuses


def test_for_a_torch_without_kernels_for_the_card_the_right_build_is_named(
    fake_cuda: FakeCuda, driver: FakeDriver, tmp_path: Path
) -> None:
    old = Card(uuid(0), name="Tesla V100-PCIE-32GB", capability=(7, 0), memory_mib=MEMORY_MIB)
    burn_in = CardMachine(fake_cuda, driver, [old], tmp_path).burn(profile(tmp_path, KERNELS))
    assert burn_in.outcome(0) is Outcome.INCOMPLETE, burn_in.output
    assert "has no kernels for compute capability 7.0: install the CUDA 12.6 build" in burn_in.reasons(0)


def test_a_driver_too_old_for_torch_is_to_be_replaced(
    fake_cuda: FakeCuda, old_driver: FakeDriver, tmp_path: Path
) -> None:
    sentence = "The NVIDIA driver on your system is too old (found version 11040)."
    cards = [Card(uuid(0), memory_mib=MEMORY_MIB)]
    machine = CardMachine(fake_cuda, old_driver, cards, tmp_path, cuda={"driver_error": sentence})
    burn_in = machine.burn(profile(tmp_path, KERNELS))
    assert burn_in.outcome(0) is Outcome.INCOMPLETE, burn_in.output
    assert "Install an NVIDIA driver" in burn_in.reasons(0)


def test_the_small_shared_memory_of_a_container_is_to_be_raised(
    fake_cuda: FakeCuda, driver: FakeDriver, tmp_path: Path
) -> None:
    cards = [Card(uuid(index), bus=0x41 + index, memory_mib=MEMORY_MIB) for index in range(2)]
    machine = CardMachine(fake_cuda, driver, cards, tmp_path, cuda={"nccl_error": NO_SHARED_MEMORY})
    burn_in = machine.burn(profile(tmp_path, ("preflight", "collectives")))
    for index in range(2):
        assert burn_in.outcome(index) is Outcome.INCOMPLETE, burn_in.output
        assert "--shm-size" in burn_in.reasons(index)
