"""NVLink in the verdict: links up, links lost under load, and rates against what the links carry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.build.build import Build, Line
from core.burnin.planned import shipped_card
from core.burnin.record.rows import Outcome, Reason, RunDevice, StageResult
from core.burnin.verdict import Recorded, judge
from core.burnin.verdict.links import links_between, nvlink_gbps
from core.telemetry.device import Device
from tests.burnin.test_criteria import GPU, LASTS_S, run_of

LINK_GBPS = 14.0
LINKS = 4


def card(number: int, to: str | None, *, up: int = LINKS, nvlink: str = "ok") -> Device:
    """One of two RTX 3090 with `up` of its links to the other end."""
    links = {str(link): to if link < up else None for link in range(LINKS)}
    others = {f"GPU-{other}": {"read": "ok", "nvlink": nvlink} for other in range(4) if other != number}
    bus = {"bus_id": f"0000:0{number}:00.0", "nvlinks": links, "nvlink_gbps": LINK_GBPS, "p2p": others}
    return replace(GPU, id=f"GPU-{number}", **bus)


def run_with(*cards: Device, kind: str = "gemm", evidence: dict[str, Any] | None = None, **given: Any) -> Recorded:
    one = run_of(kind, device=cards[0], **given)
    return replace(
        one,
        devices=[RunDevice(device, place, burned=True) for place, device in enumerate(cards)],
        samples={device.id: one.samples[cards[0].id] for device in cards},
        results=[StageResult(0, device.id, one.results[0].status, "fine", evidence or {}) for device in cards],
    )


def told(recorded: Recorded, place: int = 0) -> list[Reason]:
    """What is said of NVLink, or of the rate of a stage over it, that is no pass."""
    return [reason for reason in judge(recorded)[1 + place].reasons if reason.outcome is not Outcome.PASS]


PAIR = card(0, "0000:01:00.0"), card(1, "0000:00:00.0")


def test_a_pair_with_all_its_links_up_is_told_and_passes() -> None:
    assert told(run_with(*PAIR)) == []
    [shown] = [reason for reason in judge(run_with(*PAIR))[1].reasons if reason.unit == "NVLinks"]
    assert (shown.outcome, shown.measured, shown.limit) == (Outcome.PASS, 4, 4)


def test_a_card_with_fewer_links_up_than_its_twin_warns() -> None:
    recorded = run_with(PAIR[0], card(1, "0000:00:00.0", up=3))
    assert told(recorded, 0) == []
    assert [(r.outcome, r.measured, r.limit) for r in told(recorded, 1)] == [(Outcome.WARN, 3, 4)]


def test_half_a_bridge_warns_although_its_twin_has_no_more() -> None:
    recorded = run_with(card(0, "0000:01:00.0", up=2), card(1, "0000:00:00.0", up=2))
    assert [[(r.outcome, r.measured, r.limit) for r in told(recorded, place)] for place in (0, 1)] == [
        [(Outcome.WARN, 2, 4)]
    ] * 2


def test_one_of_several_bridges_is_no_finding() -> None:
    links = {str(link): "0000:01:00.0" if link < 4 else None for link in range(12)}
    one, other = (replace(device, nvlinks=links) for device in PAIR)
    assert told(run_with(one, other)) == []


def test_cards_without_a_bridge_are_no_finding_unless_the_plan_joins_them(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = run_with(card(0, None, up=0), card(1, None, up=0))
    assert told(apart) == []
    part = shipped_card(GPU)
    assert part is not None
    planned = replace(apart, plan=Build("Plan", (Line(part, 2),)))
    assert [r for r in told(planned) if r.unit == "NVLinks"] == [], "the plan has no bridge"
    monkeypatch.setattr("core.burnin.verdict.links.joined_by_nvlink", lambda plan, device: True)
    assert [(r.outcome, r.measured) for r in told(planned) if r.unit == "NVLinks"] == [(Outcome.FAIL, 0)]
    bridged = replace(run_with(*PAIR), plan=planned.plan)
    assert [r for r in told(bridged) if r.unit == "NVLinks"] == []


@pytest.mark.parametrize(
    ("falls_at", "expected"),
    [(300, [(Outcome.FAIL, 3.0, 4.0)]), (LASTS_S - 5, []), (LASTS_S, [])],
    ids=["lost", "one reading alone", "steady"],
)
def test_a_link_that_goes_down_under_load_fails(falls_at: int, expected: list[tuple[Outcome, float, float]]) -> None:
    active = np.where(np.arange(LASTS_S) < falls_at, 4.0, 3.0)
    found = told(run_with(*PAIR, moving={"nvlink_active": active}))
    assert [(r.outcome, r.measured, r.limit) for r in found] == expected


@pytest.mark.parametrize(
    ("rate", "expected"), [(50.0, []), (27.0, [(27.0, 28.0)])], ids=["near its links", "half its links"]
)
def test_a_transfer_is_held_to_the_links_between_two_cards(rate: float, expected: list[tuple[float, float]]) -> None:
    evidence = {"devices": ["GPU-0", "GPU-1"], "matrix_gbps": [[None, rate], [50.0, None]]}
    found = told(run_with(*PAIR, kind="p2p", evidence=evidence))
    assert [(r.measured, r.limit) for r in found] == expected
    assert all(r.outcome is Outcome.WARN for r in found), "not calibrated on hardware"
    assert told(run_with(*PAIR, kind="p2p", evidence=evidence), 1) == []


def test_a_pair_that_nvlink_does_not_join_is_held_to_no_link() -> None:
    apart = card(0, None, up=0, nvlink="not supported"), card(1, None, up=0, nvlink="not supported")
    evidence = {"devices": ["GPU-0", "GPU-1"], "matrix_gbps": [[None, 1.0], [1.0, None]]}
    assert told(run_with(*apart, kind="p2p", evidence=evidence)) == []


@pytest.mark.parametrize(
    ("cards", "busbw_gbps", "expected"),
    [(PAIR, 40.0, []), (PAIR, 20.0, [22.4])],
    ids=["near its links", "a third of its links"],
)
def test_an_all_reduce_is_held_to_the_links_that_join_all(
    cards: tuple[Device, ...], busbw_gbps: float, expected: list[float]
) -> None:
    found = told(run_with(*cards, kind="collectives", evidence={"rates": {"all_reduce": busbw_gbps}}))
    assert [(r.outcome, r.limit) for r in found] == [(Outcome.WARN, limit) for limit in expected]


def test_where_only_pairs_are_joined_the_ring_goes_over_pcie() -> None:
    two_pairs = (*PAIR, card(2, "0000:03:00.0"), card(3, "0000:02:00.0"))
    two_pairs = tuple(
        replace(one, p2p={other.id: {"read": "ok", "nvlink": "no"} for other in two_pairs if other is not one})
        for one in two_pairs
    )
    one, *others = two_pairs
    assert nvlink_gbps(one, others) is None
    assert nvlink_gbps(one, others[:1]) == LINKS * LINK_GBPS
    slow = run_with(*two_pairs, kind="collectives", evidence={"rates": {"all_reduce": 10.0}})
    assert ["PCIe link with direct access" in r.text for r in told(slow)] == [True]


def test_over_a_switch_all_links_reach_each_card_and_are_counted_once() -> None:
    switch = "0000:90:00.0"
    one, *others = (card(number, switch) for number in range(4))
    assert [links_between(one, other) for other in others] == [LINKS] * 3
    assert nvlink_gbps(one, others) == LINKS * LINK_GBPS
