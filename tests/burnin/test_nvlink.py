"""NVLink in the verdict: links up, links lost under load, and rates against what the links carry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.build.build import Build
from core.build.line import Line
from core.burnin.planned import shipped_card
from core.burnin.profile.criteria import Criteria
from core.burnin.record.rows import Outcome, Reason, RunDevice, StageResult
from core.burnin.verdict import Recorded, judge
from core.burnin.verdict.links import links_between, nvlink_gbps, nvlink_reasons
from core.telemetry.device import Device
from tests.burnin.made_run import ended, sampled, stage
from tests.burnin.made_run import run_of as made_run
from tests.burnin.test_criteria import GPU, run_of

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


BRIDGE = "Check the bridge and its seating."


@pytest.mark.parametrize(
    ("own", "other", "expected", "says"),
    [
        ((4, 4), (4, 4), (Outcome.PASS, 4, 4), "4 of 4 NVLinks are up."),
        ((4, 4), (3, 4), (Outcome.PASS, 4, 4), "4 of 4 NVLinks are up."),
        ((3, 4), (4, 4), (Outcome.WARN, 3, 4), f"3 NVLinks are up, 4 on another card of this model. {BRIDGE}"),
        ((0, 4), (1, 4), (Outcome.WARN, 0, 1), f"0 NVLinks are up, 1 on another card of this model. {BRIDGE}"),
        ((3, 4), (3, 4), (Outcome.WARN, 3, 4), f"3 of 4 NVLinks are up; one bridge carries all of them. {BRIDGE}"),
        ((1, 2), (1, 2), (Outcome.WARN, 1, 2), f"1 of 2 NVLinks are up; one bridge carries all of them. {BRIDGE}"),
        ((4, 5), (4, 5), (Outcome.PASS, 4, 5), "4 of 5 NVLinks are up."),
        ((1, 1), (1, 1), (Outcome.PASS, 1, 1), "1 of 1 NVLinks are up."),
        ((0, 4), (0, 4), None, ""),
        ((0, 0), (4, 4), None, ""),
    ],
)
def test_links_that_are_up_are_held_to_the_twins_and_to_one_bridge(
    own: tuple[int, int], other: tuple[int, int], expected: tuple[Outcome, int, int] | None, says: str
) -> None:
    def with_links(number: int, up: int, there: int) -> Device:
        links = {str(link): "0000:09:00.0" if link < up else None for link in range(there)}
        return replace(card(number, None), nvlinks=links)

    one, twin = with_links(0, *own), with_links(1, *other)
    shown = list(nvlink_reasons(run_with(one, twin), one))
    assert [(r.outcome, r.measured, r.limit, r.unit, r.text, r.source) for r in shown] == (
        [(*expected, "NVLinks", says, "the links that the driver reports")] if expected else []
    )
    if expected and expected[0] is Outcome.WARN and "another" in says:
        stranger = replace(twin, name="NVIDIA RTX A6000")
        assert not any("another" in r.text for r in nvlink_reasons(run_with(one, stranger), one))


def test_cards_without_a_bridge_are_no_finding_unless_the_plan_joins_them(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = run_with(card(0, None, up=0), card(1, None, up=0))
    assert told(apart) == []
    part = shipped_card(GPU)
    assert part is not None
    planned = replace(apart, plan=Build("Plan", (Line(part, 2),)))
    assert [r for r in told(planned) if r.unit == "NVLinks"] == [], "the plan has no bridge"
    monkeypatch.setattr("core.burnin.verdict.links.joined_by_nvlink", lambda plan, device: True)
    [missing] = [r for r in told(planned) if r.unit == "NVLinks"]
    assert (missing.outcome, missing.measured, missing.limit, missing.source) == (Outcome.FAIL, 0, 1, "the plan Plan")
    assert missing.text == f"The plan joins this card by NVLink, and no link is up. {BRIDGE}"
    made_up = [replace(device, simulated=True) for device in (card(0, None, up=0), card(1, None, up=0))]
    assert told(replace(run_with(*made_up), plan=planned.plan)) == []
    alone = replace(run_with(card(0, None, up=0), PAIR[1]), plan=planned.plan)
    assert [(r.outcome, r.limit) for r in told(alone) if r.unit == "NVLinks"] == [(Outcome.FAIL, 1)]
    bridged = replace(run_with(*PAIR), plan=planned.plan)
    assert [r for r in told(bridged) if r.unit == "NVLinks"] == []


@pytest.mark.parametrize(
    ("active", "expected"),
    [
        ([[4.0] * 40 + [3.0] * 12], [(3.0, 4.0)]),
        ([[4.0] * 40 + [3.0] * 6], []),
        ([[4.0] * 40 + [3.0] * 7], [(3.0, 4.0)]),
        ([[3.0] * 12], [(3.0, 4.0)]),
        ([[3.0] * 11], []),
        ([[3.0] * 40 + [4.0] * 12], []),
        ([[3.0] * 12, [3.0] * 12], [(3.0, 4.0)]),
        ([[3.0] * 12, [2.0] * 12], [(3.0, 4.0), (2.0, 3.0)]),
        ([[3.0] * 12, [4.0] * 12, [3.0] * 12], [(3.0, 4.0), (3.0, 4.0)]),
        ([[4.0] * 3, [3.0] * 12], [(3.0, 4.0)]),
        ([[4.0] * 12 + [float("nan")] * 9], []),
    ],
)
def test_a_link_that_goes_down_under_load_and_stays_so_fails(
    active: list[list[float]], expected: list[tuple[float, float]]
) -> None:
    """The driver is asked every ten seconds: fewer than twelve samples are one reading."""
    begins = np.cumsum([0, *(len(part) for part in active)])
    stages = [stage(n, "gemm", float(begins[n]), float(begins[n + 1] - 1)) for n in range(len(active))]
    samples = sampled(np.arange(begins[-1]), nvlink_active=np.concatenate(active))
    run = made_run(stages, [ended(n) for n in range(len(active))], samples, devices=[PAIR[0]])
    fell = [r for r in nvlink_reasons(run, PAIR[0]) if r.outcome is not Outcome.PASS]
    assert [(r.outcome, r.measured, r.limit, r.unit, r.text, r.source) for r in fell] == [
        (
            Outcome.FAIL, now, before, "NVLinks",
            f"gemm: NVLinks fell from {before:.0f} to {now:.0f} under load. {BRIDGE}", "the same card before",
        )
        for now, before in expected
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([[None, 50.0], [27.0, None]], [(Outcome.PASS, 50.0)]),
        ([[None, 28.0], [27.0, None]], [(Outcome.PASS, 28.0)]),
        ([[None, 27.9], [50.0, None]], [(Outcome.WARN, 27.9)]),
        ([[27.0, 50.0], [50.0, None]], [(Outcome.PASS, 50.0)]),
        ([[None, None], [50.0, None]], []),
        (None, []),
        ([], []),
    ],
)
def test_a_transfer_is_held_to_half_of_the_links_between_two_cards(evidence: Any, expected: Any) -> None:
    """Four links of 14 GB/s carry 56; a warning at most, for the floor is not calibrated on hardware."""
    told_of = {"devices": ["GPU-0", "GPU-1"], "matrix_gbps": evidence}
    run = run_with(*PAIR, kind="p2p", evidence=told_of)
    rates = [r for r in nvlink_reasons(run, PAIR[0]) if r.unit == "GB/s"]
    assert [(r.outcome, r.measured, r.limit, r.source) for r in rates] == [
        (outcome, rate, 28.0, "our proposal, not yet calibrated on hardware") for outcome, rate in expected
    ]
    for one in rates:
        less = ", less than 50 %" if one.outcome is Outcome.WARN else ""
        assert one.text == (f"p2p, to {PAIR[1].title}: {one.measured:.1f} GB/s of 56.0 that 4 NVLinks carry{less}.")
    unknown_speed = replace(PAIR[0], nvlink_gbps=None)
    strangers = {"devices": ["GPU-8", "GPU-1"], "matrix_gbps": evidence}
    gone = {"devices": ["GPU-0", "GPU-8"], "matrix_gbps": evidence}
    for quiet, device in (
        (run_with(unknown_speed, PAIR[1], kind="p2p", evidence=told_of), unknown_speed),
        (run_with(*PAIR, kind="p2p", evidence=strangers), PAIR[0]),
        (run_with(*PAIR, kind="p2p", evidence=gone), PAIR[0]),
        (run_with(*PAIR, kind="gemm", evidence=told_of), PAIR[0]),
        (replace(run, results=[]), PAIR[0]),
    ):
        assert [r for r in nvlink_reasons(quiet, device) if r.unit == "GB/s"] == []


@pytest.mark.parametrize(("rate", "outcome"), [(25.2, Outcome.PASS), (25.1, Outcome.WARN)])
def test_the_share_of_the_links_can_be_set(rate: float, outcome: Outcome) -> None:
    evidence = {"devices": ["GPU-0", "GPU-1"], "matrix_gbps": [[None, rate], [50.0, None]]}
    run = run_with(*PAIR, kind="p2p", evidence=evidence, criteria=Criteria(nvlink_pair_warn_pct=45))
    assert [(r.outcome, r.limit) for r in nvlink_reasons(run, PAIR[0]) if r.unit == "GB/s"] == [(outcome, 25.2)]


def test_after_a_card_that_is_not_joined_the_next_one_is_still_held_to_its_links() -> None:
    three = (card(0, "0000:02:00.0", nvlink="no"), card(1, None, up=0, nvlink="no"), card(2, "0000:00:00.0"))
    evidence = {"devices": ["GPU-0", "GPU-1", "GPU-2"], "matrix_gbps": [[None, 1.0, 27.0]] * 3}
    run = run_with(*three, kind="p2p", evidence=evidence)
    assert [r.measured for r in nvlink_reasons(run, three[0]) if r.unit == "GB/s"] == [27.0]


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
    assert nvlink_gbps(one, []) is None
    assert nvlink_gbps(replace(one, nvlink_gbps=None), others[:1]) is None
    slow = run_with(*two_pairs, kind="collectives", evidence={"rates": {"all_reduce": 10.0}})
    assert ["PCIe link with direct access" in r.text for r in told(slow)] == [True]


def test_over_a_switch_all_links_reach_each_card_and_are_counted_once() -> None:
    switch = "0000:90:00.0"
    one, *others = (card(number, switch) for number in range(4))
    assert [links_between(one, other) for other in others] == [LINKS] * 3
    assert nvlink_gbps(one, others) == LINKS * LINK_GBPS
    half = replace(one, nvlinks={str(link): other.bus_id for link, other in enumerate(others)})
    assert nvlink_gbps(half, others) == 3 * LINK_GBPS
