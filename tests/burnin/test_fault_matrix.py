"""Every fault that shows at once, in several kinds of stages: the right verdict, the right reason, the right device.

One run for each kind of stage, by the real runner with eight simulated cards on a clock that jumps: seven with a fault
each, one without. Each commit tries a stage that only watches, one of each device for itself, one of the link and
one of all together; the others belong to `make soak`. Faults that take minutes to show are in test_long_runs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.burnin.record.rows import MACHINE, Outcome, Reason, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from tests.burnin import fast_run
from tests.burnin.processes import profile_in

LASTS_S = 10.0
BEGINS = "7s"
"""Counted from the opening of the cards."""

PARAMS = {"gemm": {"dtypes": "float32"}}
ALONE = ("gemm", "vram", "transformer", "host-link")
"""Stages with a load of each device for itself; idle has none, and in collectives all wait for each other."""
UNDER_LOAD = (*ALONE, "collectives")
STAGES = ("idle", *UNDER_LOAD)
SLOWER_PCT = 30


def is_slow(reason: Reason) -> bool:
    """Held against its twins, or the link's floor where cards in other slots are no twins."""
    if reason.measured is None or reason.limit is None:
        return False
    if reason.unit == "%":
        return abs(reason.measured - SLOWER_PCT) < SLOWER_PCT / 4 and reason.limit == 10
    return reason.unit == "GB/s" and reason.measured < reason.limit


@dataclass(frozen=True, slots=True)
class Case:
    """A fault by its word, the verdict on its card, and a reason that it must have: in words, or by its figures.

    `only` names the stages it shows in.
    """

    word: str
    outcome: Outcome
    says: str | Callable[[Reason], bool]
    only: tuple[str, ...] = STAGES


CASES = (
    Case(f"ecc@0:{BEGINS}", Outcome.FAIL, "Xid 48"),
    Case(f"lost@1:{BEGINS}", Outcome.FAIL, "lost"),
    Case(f"throttle@2:{BEGINS}", Outcome.FAIL, "Clocks were held back", only=UNDER_LOAD),
    Case(f"brake@3:{BEGINS}", Outcome.FAIL, "power brake", only=UNDER_LOAD),
    Case(f"xid94@4:{BEGINS}", Outcome.FAIL, "Xid 94"),
    Case(f"aer@5:{BEGINS}", Outcome.WARN, "PCIe", only=UNDER_LOAD),
    Case(f"slow{SLOWER_PCT}@6", Outcome.FAIL, is_slow, only=("gemm", "transformer", "host-link")),
)
MORE_CASES = (
    Case(f"xid79@0:{BEGINS}", Outcome.FAIL, "Xid 79"),
    Case(f"xid63@1:{BEGINS}", Outcome.WARN, "Xid 63"),
    Case(f"corrected@2:{BEGINS}", Outcome.WARN, "corrected"),
    Case("link4@3", Outcome.WARN, "lanes", only=("host-link",)),
    Case(f"xid13@4:{BEGINS}", Outcome.FAIL, "Xid 13"),
    Case(f"xid9999@5:{BEGINS}", Outcome.FAIL, "Xid 9999"),
    Case(f"xid74@6:{BEGINS}", Outcome.FAIL, "NVLink"),
)
TOGETHER_CASES = (
    Case(f"throttle@0:{BEGINS}", Outcome.FAIL, "Clocks were held back"),
    Case(f"brake@1:{BEGINS}", Outcome.FAIL, "power brake"),
    Case(f"aer@2:{BEGINS}", Outcome.WARN, "PCIe"),
    Case(f"corrected@3:{BEGINS}", Outcome.WARN, "corrected"),
    Case(f"xid63@4:{BEGINS}", Outcome.WARN, "Xid 63"),
    Case(f"xid94@5:{BEGINS}", Outcome.FAIL, "Xid 94"),
    Case(f"xid9999@6:{BEGINS}", Outcome.FAIL, "Xid 9999"),
)
"""None that takes a card away: the stage would end for all."""
LOST = "a card of two is lost together"
RUNS = {
    **{stage: (stage, CASES) for stage in ("idle", *ALONE)},
    "gemm, more": ("gemm", MORE_CASES),
    "host-link, more": ("host-link", MORE_CASES),
    "collectives": ("collectives", TOGETHER_CASES),
    LOST: ("collectives", (Case(f"lost@0:{BEGINS}", Outcome.FAIL, "lost"),)),
}
OF_EVERY_COMMIT = ("idle", "gemm", "host-link, more", "collectives", LOST)
IN_SOAK = tuple(name for name in RUNS if name not in OF_EVERY_COMMIT)
ALL_RUNS = [pytest.param(name, marks=pytest.mark.soak if name in IN_SOAK else ()) for name in RUNS if name != LOST]


def judged(folder: Path, name: str) -> list[Verdict]:
    """Of a run: the machine's verdict, then those of the cards in their order."""
    stage, cases = RUNS[name]
    faults = ",".join(f"fault={case.word}" for case in cases)
    profile = profile_in(folder, ("preflight", 1, {}), (stage, LASTS_S, PARAMS.get(stage, {})), stagger_s=0)
    order = BurnOrder(profile=profile, simulate=f"{len(cases) + 1}x3090,{faults}")
    of_device = fast_run.burned(folder, order)
    with closing(RunStore(folder)) as store:
        cards = [row.device.id for row in store.devices(store.runs()[0].id) if row.burned]
    return [of_device[device_id] for device_id in (MACHINE, *cards)]


@pytest.mark.parametrize("run", ALL_RUNS)
def test_each_fault_is_reported_on_its_own_card_and_the_healthy_card_beside_them_passes(
    tmp_path: Path, run: str
) -> None:
    stage, cases = RUNS[run]
    machine, *broken, healthy = judged(tmp_path, run)
    wrong = []
    for case, verdict in zip(cases, broken, strict=True):
        reasons = [reason for reason in verdict.reasons if reason.outcome is not Outcome.PASS]
        texts = [reason.text for reason in reasons]
        shows = stage in case.only
        # One that this stage cannot show was ordered all the same: the run proves nothing of it.
        if verdict.outcome is not (case.outcome if shows else Outcome.INCOMPLETE):
            wrong.append(f"{case.word}: {verdict.outcome}, {texts}")
        elif shows and not any(case.says(it) if callable(case.says) else case.says in it.text for it in reasons):
            wrong.append(f"{case.word}: does not say {case.says}, but {texts}")
    assert wrong == []
    assert [reason.text for reason in healthy.reasons if reason.outcome is not Outcome.PASS] == []
    assert healthy.outcome is Outcome.PASS
    assert machine.outcome is Outcome.FAIL


def test_a_lost_card_ends_what_all_do_together_and_only_it_is_blamed(tmp_path: Path) -> None:
    machine, lost, other = judged(tmp_path, LOST)
    assert (machine.outcome, lost.outcome, other.outcome) == (Outcome.FAIL, Outcome.FAIL, Outcome.INCOMPLETE)
    assert any("SIM:00" in reason.text and "lost" in reason.text for reason in other.reasons)
