"""A simulated fault that was ordered and never came, or that nothing found, leaves no PASS."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.rows import EventLevel, Outcome
from core.burnin.record.store import RunStore
from core.burnin.verdict import judge
from core.burnin.verdict.recorded import Recorded
from core.telemetry.incident import Incident
from core.telemetry.simulated.simulation import parse_simulation
from core.telemetry.simulated.source import SimulatedSource
from tests.gui.burnin.fake_run import FakeRun, gpu


def outcomes(folder: Path, simulate: str | None, *begun: tuple[int, str]) -> tuple[list[Outcome], list[str]]:
    """Verdicts of machine and cards of a healthy run of two cards, and the reasons that are no PASS."""
    with closing(FakeRun(folder, [gpu(0), gpu(1)])) as run:
        run.store._db.execute("UPDATE runs SET simulate = ? WHERE id = ?", (simulate, run.id))
        run.play()
        for card, words in begun:
            told = Incident("drill", "SIMULATED: it begins.", "simulated", run.devices[card].id, severity=words)
            run.store.add_incident(run.id, 1.0, EventLevel.INFO, told.text, told)
    with closing(RunStore(folder)) as store:
        verdicts = judge(Recorded.of(store, run.id))
    ours = [r.text for v in verdicts[1:] for r in v.reasons if "simulated fault" in r.text]
    return [verdict.outcome for verdict in verdicts], ours


def test_the_healthy_run_passes_without_a_fault(tmp_path: Path) -> None:
    assert outcomes(tmp_path, None) == ([Outcome.PASS] * 3, [])
    assert outcomes(tmp_path, "2x3090")[0] == [Outcome.PASS] * 3


def test_a_fault_whose_moment_never_came(tmp_path: Path) -> None:
    found, told = outcomes(tmp_path, "2x3090,fault=ecc@1:8h")
    assert found == [Outcome.INCOMPLETE, Outcome.PASS, Outcome.INCOMPLETE]
    assert told == [
        "The simulated fault ecc:28800s never began: the run ended before. Let it begin earlier, or run longer."
    ]


def test_a_fault_that_began_and_that_no_check_found(tmp_path: Path) -> None:
    found, told = outcomes(tmp_path, "2x3090,fault=fan@0:8s", (0, "fan:8s"))
    assert found == [Outcome.INCOMPLETE, Outcome.INCOMPLETE, Outcome.PASS]
    assert told == ["No check found the simulated fault fan:8s. Let it begin earlier, or run longer."]


def test_one_of_two_faults_of_a_card_came(tmp_path: Path) -> None:
    found, told = outcomes(tmp_path, "2x3090,fault=fan@0:8s,fault=ecc@0:1h", (0, "fan:8s"))
    assert found[:2] == [Outcome.INCOMPLETE, Outcome.INCOMPLETE]
    assert [text.split(" never")[0] for text in told] == ["The simulated fault ecc:3600s"]


def test_a_fault_of_the_machine_that_never_showed(tmp_path: Path) -> None:
    found, _ = outcomes(tmp_path, "2x3090,fault=psu:3h")
    assert found == [Outcome.INCOMPLETE, Outcome.PASS, Outcome.PASS]


def test_what_is_replayed_and_gone_orders_nothing(tmp_path: Path) -> None:
    assert outcomes(tmp_path, f"replay:{tmp_path / 'gone.jsonl'}")[0] == [Outcome.PASS] * 3


@pytest.mark.parametrize(
    ("fault", "words"), [("ecc@1:5s", "ecc:5s"), ("xid79@1:5s", "xid79:5s"), ("fan@all:5s", "fan:5s")]
)
def test_a_timed_fault_tells_when_it_begins(fault: str, words: str) -> None:
    order = parse_simulation(f"2x3090,fault={fault}")
    source = SimulatedSource(order, clock=None)  # type: ignore[arg-type]
    told: list[Incident] = []
    source.listen(told.append)
    source.advance(4.0)
    assert [one for one in told if one.kind == "drill"] == []
    source.advance(2.0)
    begun = [one for one in told if one.kind == "drill"]
    assert {one.severity for one in begun} == {words}
    assert len(begun) == (2 if "@all" in fault else 1)
