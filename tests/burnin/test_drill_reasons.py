"""Simulated faults that were ordered and never began, or that no check found: a run with them proves nothing."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.record.rows import Event, EventLevel, Outcome, Reason, Verdict
from core.burnin.verdict import judge
from core.telemetry.incident import Incident
from core.telemetry.simulated.simulation import parse_simulation
from core.telemetry.simulated.source import SimulatedSource
from tests.burnin.made_run import INCOMPLETE, PASS, WARN, ended, run_of, stage, twin

CARDS = [twin(number, simulated=True) for number in range(2)]
NEVER_BEGAN = "The simulated fault {} never began: the run ended before. Let it begin earlier, or run longer."
UNSEEN = "No check found the simulated fault {}. Let it begin earlier, or run longer."
NEVER_SHOWED = "The simulated fault {} never showed. Let it begin earlier, or run longer."


def drill(words: str, number: int, kind: str = "drill") -> Event:
    incident = Incident("drill", "It begins.", "simulated", CARDS[number].id, severity=words)
    return Event(1, 8.0, "", CARDS[number].id, EventLevel.INFO, kind, "It begins.", incident)


def judged(
    simulate: str | None, *events: Event, warned: int | None = None, machine: Any = (), devices: Any = CARDS
) -> list[Verdict]:
    """Two simulated cards on which all went well, but for a warning on one of them."""
    results = [
        ended(0, device=card, **({"warnings": ["Low."]} if n == warned else {})) for n, card in enumerate(devices)
    ]
    return judge(run_of([stage(0, "gemm")], results, devices=devices, simulate=simulate, events=events), machine)


def drills(verdict: Verdict) -> list[str]:
    reasons = [one for one in verdict.reasons if one.criterion == "drill"]
    assert all(one.outcome is INCOMPLETE for one in reasons)
    return [one.text for one in reasons]


def test_a_fault_that_never_began_leaves_its_card_incomplete_and_no_other() -> None:
    machine, well, faulty = judged("2x3090,fault=ecc@1:8s")
    assert (machine.outcome, well.outcome, faulty.outcome) == (INCOMPLETE, PASS, INCOMPLETE)
    assert (drills(well), drills(faulty)) == ([], [NEVER_BEGAN.format("ecc:8s")])
    assert faulty.reasons[0].criterion == "drill", "what keeps it from passing comes first"
    for other in (drill("ecc:8s", 0), drill("ecc:9s", 1), drill("ecc:8s", 1, "xid")):
        assert drills(judged("2x3090,fault=ecc@1:8s", other)[2]) == [NEVER_BEGAN.format("ecc:8s")]
    nameless = Event(1, 8.0, "", CARDS[1].id, EventLevel.INFO, "drill", "It begins.")
    assert drills(judged("2x3090,fault=ecc@1:8s", nameless)[2]) == [NEVER_BEGAN.format("ecc:8s")]


def test_a_fault_that_began_and_that_no_check_found_leaves_its_card_incomplete() -> None:
    machine, well, faulty = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1))
    assert (machine.outcome, well.outcome, faulty.outcome) == (INCOMPLETE, PASS, INCOMPLETE)
    assert (drills(well), drills(faulty)) == ([], [UNSEEN.format("ecc:8s")])
    from_the_start = judged("2x3090,fault=slow30@1")
    assert [drills(one) for one in from_the_start[1:]] == [[], [UNSEEN.format("slow30:0s")]]
    everywhere = judged("2x3090,fault=slow30@all")
    assert [drills(one) for one in everywhere[1:]] == [[UNSEEN.format("slow30:0s")]] * 2


@pytest.mark.parametrize("machine", [(), (Reason(Outcome.PASS, "Resumed."),)], ids=["nothing", "a remark"])
def test_a_card_with_which_something_was_found_wrong_has_shown_its_fault(machine: Any) -> None:
    _, well, faulty = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1), warned=1, machine=machine)
    assert (well.outcome, faulty.outcome, drills(faulty)) == (PASS, WARN, [])
    _, _, elsewhere = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1), warned=0, machine=machine)
    assert (elsewhere.outcome, drills(elsewhere)) == (INCOMPLETE, [UNSEEN.format("ecc:8s")])


def test_what_was_found_wrong_with_the_machine_shows_every_fault() -> None:
    lost = [Reason(Outcome.WARN, "The power went.")]
    machine, well, faulty = judged("2x3090,fault=ecc@1:8s", drill("ecc:8s", 1), machine=lost)
    assert (machine.outcome, well.outcome, faulty.outcome, drills(faulty)) == (WARN, PASS, PASS, [])


def test_a_fault_of_the_machine_that_never_showed_leaves_the_machine_incomplete() -> None:
    machine, *cards = judged("2x3090,fault=psu:5s")
    assert (machine.outcome, [card.outcome for card in cards]) == (INCOMPLETE, [PASS, PASS])
    assert [one.text for one in machine.reasons if one.outcome is INCOMPLETE] == [NEVER_SHOWED.format("psu:5s")]
    assert len(machine.reasons) == 3, "each device is named once"
    machine, *_ = judged("2x3090,fault=psu:5s", warned=0)
    assert machine.outcome is WARN
    assert not any("never showed" in one.text for one in machine.reasons)


def test_one_of_two_faults_of_a_card_came() -> None:
    _, faulty, _ = judged("2x3090,fault=fan@0:8s,fault=ecc@0:1h", drill("fan:8s", 0))
    assert (faulty.outcome, drills(faulty)) == (INCOMPLETE, [NEVER_BEGAN.format("ecc:3600s")])


def test_without_a_fault_without_a_simulation_and_on_real_cards_nothing_is_missed() -> None:
    for simulate in (None, "2x3090", "no simulation at all", "replay:gone.jsonl"):
        assert [one.outcome for one in judged(simulate)] == [PASS] * 3
    real = [twin(number) for number in range(2)]
    assert [one.outcome for one in judged("2x3090,fault=ecc@1:8s", devices=real)] == [PASS] * 3


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
