"""Every fault that shows at once, in several kinds of stages: the right verdict, the right reason, the right device.

One run for each kind of stage, several at the same time, by the real runner with eight simulated cards: seven with a
fault each, one without. Faults that take minutes to show are in test_long_runs.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.burnin.record.rows import MACHINE, Outcome, Reason, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, start_run
from tests.burnin.processes import family

pytestmark = pytest.mark.process

Verdicts = dict[str, list[Verdict]]
"""By run."""

LASTS_S = 10.0
BEGINS = "7s"
"""Counted from the opening of the cards, before the workers are ready."""
SHORT_GUARDS = "stagger_s = 0"

STAGES = {
    "gemm": ("gemm", 'dtypes = "float32"'),
    "vram": ("vram", ""),
    "training": ("transformer", ""),
    "host-link": ("host-link", ""),
}


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
    only: tuple[str, ...] = tuple(STAGES)


CASES = (
    Case(f"ecc@0:{BEGINS}", Outcome.FAIL, "Xid 48"),
    Case(f"lost@1:{BEGINS}", Outcome.FAIL, "lost"),
    Case(f"throttle@2:{BEGINS}", Outcome.FAIL, "Clocks were held back"),
    Case(f"brake@3:{BEGINS}", Outcome.FAIL, "power brake"),
    Case(f"xid94@4:{BEGINS}", Outcome.FAIL, "Xid 94"),
    Case(f"aer@5:{BEGINS}", Outcome.WARN, "PCIe"),
    Case(f"slow{SLOWER_PCT}@6", Outcome.FAIL, is_slow, only=("gemm", "training", "host-link")),
)
CLEAN = 7
MORE_CASES = (
    Case(f"xid79@0:{BEGINS}", Outcome.FAIL, "Xid 79"),
    Case(f"xid63@1:{BEGINS}", Outcome.WARN, "Xid 63"),
    Case(f"corrected@2:{BEGINS}", Outcome.WARN, "corrected"),
    Case("link4@3", Outcome.WARN, "lanes", only=("host-link",)),
    Case(f"xid13@4:{BEGINS}", Outcome.FAIL, "Xid 13"),
    Case(f"xid9999@5:{BEGINS}", Outcome.FAIL, "Xid 9999"),
    Case(f"xid74@6:{BEGINS}", Outcome.FAIL, "NVLink"),
)
RUNS = {
    **{f"{stage}": (stage, CASES) for stage in STAGES},
    "gemm, more": ("gemm", MORE_CASES),
    "host-link, more": ("host-link", MORE_CASES),
}
IN_SOAK = ("vram", "training")
"""Loads of one card like gemm: their runs belong to `make soak`."""
ALL_RUNS = [pytest.param(name, marks=pytest.mark.soak if name in IN_SOAK else ()) for name in RUNS]


def profile(folder: Path, stage: str) -> str:
    kind, params = STAGES[stage]
    text = f"""
        name = "one"
        title = "One stage"
        [[stages]]
        kind = "preflight"
        seconds = 1
        [[stages]]
        kind = "{kind}"
        seconds = {LASTS_S}
        [stages.params]
        {params}
        [guards]
        {SHORT_GUARDS}
    """
    path = folder / "one.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def of_every_commit(tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    return judged(tmp_path_factory, [name for name in RUNS if name not in IN_SOAK])


@pytest.fixture(scope="module")
def of_soak(tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    return judged(tmp_path_factory, IN_SOAK)


@pytest.fixture
def verdicts(request: pytest.FixtureRequest, run: str) -> list[Verdict]:
    """Of a run: the machine's, then those of the cards in their order."""
    runs: Verdicts = request.getfixturevalue("of_soak" if run in IN_SOAK else "of_every_commit")
    return runs[run]


def judged(tmp_path_factory: pytest.TempPathFactory, names: Sequence[str]) -> Verdicts:
    """The verdicts of these runs, which go on at the same time."""
    stores: dict[str, tuple[RunStore, int]] = {}
    for name in names:
        stage, cases = RUNS[name]
        folder = tmp_path_factory.mktemp("run")
        faults = ",".join(f"fault={case.word}" for case in cases)
        order = BurnOrder(profile=profile(folder, stage), simulate=f"8x3090,{faults}")
        stores[name] = (RunStore(folder), start_run(folder, order))
    try:
        deadline = time.monotonic() + 240
        while any(store.run(run).status is RunStatus.RUNNING for store, run in stores.values()):
            assert time.monotonic() < deadline, "the runs do not end"
            time.sleep(0.2)
        return {
            name: [
                next(v for v in store.verdicts(run) if v.device_id == device_id)
                for device_id in (MACHINE, *(row.device.id for row in store.devices(run) if row.burned))
            ]
            for name, (store, run) in stores.items()
        }
    finally:
        for store, run in stores.values():
            for process in family(store, run):
                with contextlib.suppress(Exception):
                    process.kill()
            store.close()


@pytest.mark.parametrize("run", ALL_RUNS)
def test_each_fault_is_told_on_its_own_card_and_weighs_as_it_should(verdicts: list[Verdict], run: str) -> None:
    stage, cases = RUNS[run]
    wrong = []
    for place, case in enumerate(cases):
        verdict = verdicts[1 + place]
        found = [reason for reason in verdict.reasons if reason.outcome is not Outcome.PASS]
        texts = [reason.text for reason in found]
        shows = stage in case.only
        if verdict.outcome is not (case.outcome if shows else Outcome.PASS):
            wrong.append(f"{case.word}: {verdict.outcome}, {texts}")
        elif shows and not any(case.says(it) if callable(case.says) else case.says in it.text for it in found):
            wrong.append(f"{case.word}: does not say {case.says}, but {texts}")
    assert wrong == []


@pytest.mark.parametrize("run", ALL_RUNS)
def test_the_healthy_card_beside_seven_broken_ones_passes(verdicts: list[Verdict], run: str) -> None:
    machine, healthy = verdicts[0], verdicts[1 + CLEAN]
    assert [reason.text for reason in healthy.reasons if reason.outcome is not Outcome.PASS] == []
    assert healthy.outcome is Outcome.PASS
    assert machine.outcome is Outcome.FAIL
