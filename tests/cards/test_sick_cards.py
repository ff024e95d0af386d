"""Sick cards fail, each for what is wrong with it, and the healthy one beside them passes."""

from pathlib import Path

import pytest

from core.burnin.record.rows import Outcome
from tests.cards.machine import BurnIn, CardMachine, profile, uuid, when_begun
from tests.fake_cuda.stand_in import Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver

pytestmark = pytest.mark.process

STAGES = ("preflight", "known-answer", "gemm", "cooldown")
ILLEGAL = "an illegal memory access was encountered"
MEMORY_MIB = 256

HEALTHY, WRONG, BROKEN, XID, ECC, LOST = range(6)
CASES = {
    "a wrong result": (WRONG, "wrong"),
    "a kernel that breaks off": (BROKEN, ILLEGAL),
    "an Xid while it computes": (XID, "Xid 48"),
    "memory errors that are not corrected": (ECC, "uncorrect"),
    "a card that is lost": (LOST, "lost"),
}


@pytest.fixture(scope="module")
def burn_in(fake_cuda: FakeCuda, driver: FakeDriver, tmp_path_factory: pytest.TempPathFactory) -> BurnIn:
    """One burn-in of a machine with one card of each kind."""
    folder = tmp_path_factory.mktemp("sick")
    faults = {WRONG: {"spoil_at": ("aten::mm", 40)}, BROKEN: {"break_at": ("aten::mm", 40, ILLEGAL)}}
    cards = [
        Card(
            uuid(index),
            name="NVIDIA H200",
            capability=(9, 0),
            bus=0x41 + index,
            memory_mib=MEMORY_MIB,
            **faults.get(index, {}),
        )
        for index in range(6)
    ]
    machine = CardMachine(fake_cuda, driver, cards, folder, nvml={"model": "h200"})

    def fall_ill(data: Path) -> None:
        when_begun(data, "gemm")
        lines = [f"FAKE_NVML_FIELDS={ECC}:4=2", f"FAKE_NVML_LOST={LOST}:1", f"FAKE_NVML_EVENTS=0:{XID}:48"]
        machine.script.write_text("\n".join(lines) + "\n", encoding="utf-8")

    return machine.burn(profile(folder, STAGES, gemm=8), meanwhile=fall_ill)


def test_the_healthy_card_beside_them_is_not_blamed(burn_in: BurnIn) -> None:
    assert burn_in.outcome(HEALTHY) is not Outcome.FAIL, burn_in.output


@pytest.mark.parametrize("case", CASES)
def test_a_sick_card_fails_for_what_is_wrong_with_it(burn_in: BurnIn, case: str) -> None:
    index, says = CASES[case]
    assert burn_in.outcome(index) is Outcome.FAIL, burn_in.output
    assert says in burn_in.reasons(index)
    causes = [line for line in burn_in.output.splitlines() if "FAIL" in line and f"GPU {index}" in line]
    assert any("Verified GEMM" in cause for cause in causes), burn_in.output  # the stage in which it fell ill
