"""NVLink in the verdict; what GPUs do together against their links, and what twins must agree in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.burnin.planned import shipped_card
from core.burnin.profile.profile import Criteria
from core.burnin.record.rows import Outcome, Reason, RunDevice, StageResult
from core.burnin.verdict import Recorded, judge
from core.burnin.verdict.links import links_between, nvlink_gbps, nvlink_reasons, replay_reasons, together_reasons
from core.machine.telemetry.device import Device
from core.plan.build import Build
from core.plan.line import Line
from core.plan.placement.links import link_gbps
from tests.burnin.made_run import (
    CARD,
    FAIL,
    INCOMPLETE,
    PASS,
    PROCESSOR,
    WARN,
    ended,
    figures,
    run_of,
    sampled,
    stage,
    twin,
)
from tests.burnin.test_criteria import GPU
from tests.burnin.test_criteria import run_of as card_run

LINK_GBPS = 14.0
LINKS = 4


def card(number: int, to: str | None, *, up: int = LINKS, nvlink: str = "ok") -> Device:
    """One of two RTX 3090 with `up` of its links to the other end."""
    links = {str(link): to if link < up else None for link in range(LINKS)}
    others = {f"GPU-{other}": {"read": "ok", "nvlink": nvlink} for other in range(4) if other != number}
    bus = {"bus_id": f"0000:0{number}:00.0", "nvlinks": links, "nvlink_gbps": LINK_GBPS, "p2p": others}
    return replace(GPU, id=f"GPU-{number}", **bus)


def run_with(*cards: Device, kind: str = "gemm", evidence: dict[str, Any] | None = None, **fields: Any) -> Recorded:
    one = card_run(kind, device=cards[0], **fields)
    return replace(
        one,
        devices=[RunDevice(device, place, burned=True) for place, device in enumerate(cards)],
        samples={device.id: one.samples[cards[0].id] for device in cards},
        results=[StageResult(0, device.id, one.results[0].status, "fine", evidence or {}) for device in cards],
    )


def reasons_for(recorded: Recorded, place: int = 0) -> list[Reason]:
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
    assert reasons_for(apart) == []
    part = shipped_card(GPU)
    assert part is not None
    planned = replace(apart, plan=Build("Plan", (Line(part, 2),)))
    assert [r for r in reasons_for(planned) if r.unit == "NVLinks"] == [], "the plan has no bridge"
    monkeypatch.setattr("core.burnin.verdict.links.joined_by_nvlink", lambda plan, device: True)
    [missing] = [r for r in reasons_for(planned) if r.unit == "NVLinks"]
    assert (missing.outcome, missing.measured, missing.limit, missing.source) == (Outcome.FAIL, 0, 1, "the plan Plan")
    assert missing.text == f"The plan joins this card by NVLink, and no link is up. {BRIDGE}"
    made_up = [replace(device, simulated=True) for device in (card(0, None, up=0), card(1, None, up=0))]
    assert reasons_for(replace(run_with(*made_up), plan=planned.plan)) == []
    alone = replace(run_with(card(0, None, up=0), PAIR[1]), plan=planned.plan)
    assert [(r.outcome, r.limit) for r in reasons_for(alone) if r.unit == "NVLinks"] == [(Outcome.FAIL, 1)]
    bridged = replace(run_with(*PAIR), plan=planned.plan)
    assert [r for r in reasons_for(bridged) if r.unit == "NVLinks"] == []


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
    run = run_of(stages, [ended(n) for n in range(len(active))], samples, devices=[PAIR[0]])
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
    assert reasons_for(run_with(*apart, kind="p2p", evidence=evidence)) == []


@pytest.mark.parametrize(
    ("cards", "busbw_gbps", "expected"),
    [(PAIR, 40.0, []), (PAIR, 20.0, [22.4])],
    ids=["near its links", "a third of its links"],
)
def test_an_all_reduce_is_held_to_the_links_that_join_all(
    cards: tuple[Device, ...], busbw_gbps: float, expected: list[float]
) -> None:
    reasons = reasons_for(run_with(*cards, kind="collectives", evidence={"rates": {"all_reduce": busbw_gbps}}))
    assert [(r.outcome, r.limit) for r in reasons] == [(Outcome.WARN, limit) for limit in expected]


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
    assert ["PCIe link with direct access" in r.text for r in reasons_for(slow)] == [True]


def test_over_a_switch_all_links_reach_each_card_and_are_counted_once() -> None:
    switch = "0000:90:00.0"
    one, *others = (card(number, switch) for number in range(4))
    assert [links_between(one, other) for other in others] == [LINKS] * 3
    assert nvlink_gbps(one, others) == LINKS * LINK_GBPS
    half = replace(one, nvlinks={str(link): other.bus_id for link, other in enumerate(others)})
    assert nvlink_gbps(half, others) == 3 * LINK_GBPS


EFFICIENCY_FLOOR = 80.0
"""By the time of the gradients; 10 % below it, 72 %, is where it warns."""


def scaled(efficiency_pct: float | None, floor_pct: float | None = EFFICIENCY_FLOOR, **criteria: float) -> Any:
    networks = {"resnet": {"efficiency_pct": efficiency_pct, "no_overlap_pct": floor_pct}}
    run = run_of([stage(0, "data-parallel")], [ended(0, networks=networks)], criteria=Criteria(**criteria))
    return list(together_reasons(run, CARD))


@pytest.mark.parametrize(
    ("efficiency_pct", "criteria", "outcome"),
    [
        (72.0, {}, PASS), (71.9, {}, WARN), (1.0, {}, WARN), (79.9, {"scaling_below_plan_warn_pct": 0}, WARN),
        (60.0, {"scaling_below_plan_fail_pct": 25}, WARN), (59.9, {"scaling_below_plan_fail_pct": 25}, FAIL),
    ],
)  # fmt: skip
def test_training_together_may_lose_what_its_gradients_cost_and_a_little_more(
    efficiency_pct: float, criteria: dict[str, float], outcome: Any
) -> None:
    [reason] = scaled(efficiency_pct, **criteria)
    limit = 80.0 if criteria.get("scaling_below_plan_warn_pct") == 0 else 72.0
    assert figures([reason]) == [(outcome, efficiency_pct, limit, "%")]
    assert reason.source == "the measured gradient all-reduce time, with no overlap assumed"
    more = "" if outcome is PASS else "; the gradient all-reduce explains a drop to 80 %, no further"
    assert reason.text == f"data-parallel, resnet: {efficiency_pct:.0f} % of what the devices do alone{more}."


def test_the_floor_of_scaling_is_reported_with_a_decimal() -> None:
    assert figures([*scaled(72.8, 81.0), *scaled(73.0, 81.0)]) == [(WARN, 72.8, 72.9, "%"), (PASS, 73.0, 72.9, "%")]


def test_without_both_figures_scaling_is_not_judged_and_each_number_of_devices_is_reported() -> None:
    assert scaled(None) == scaled(10.0, None) == []
    network = {"networks": {"resnet": {"efficiency_pct": 90.0, "no_overlap_pct": 80.0}}}
    whole = {"networks": {"resnet": {"efficiency_pct": 1.0, "no_overlap_pct": 80.0}}}
    run = run_of([stage(0, "data-parallel")], [ended(0, by_size={"2": network, "4": network}, **whole)])
    assert [one.text.partition(":")[0] for one in together_reasons(run, CARD)] == [
        "data-parallel, resnet on 2 devices", "data-parallel, resnet on 4 devices",
    ]  # fmt: skip
    of_another_stage = run_of([stage(0, "gemm")], [ended(0, **whole)])
    assert list(together_reasons(of_another_stage, CARD)) == []
    on_cpu = run_of([stage(0, "data-parallel")], [ended(0, device=PROCESSOR, **whole)], devices=[PROCESSOR])
    assert list(together_reasons(on_cpu, PROCESSOR)) == []
    second = run_of([stage(0, "gemm"), stage(1, "data-parallel")], [ended(1, **whole)])
    assert [one.outcome for one in together_reasons(second, CARD)] == [WARN], "a stage without a result is passed over"


LINK = link_gbps(4, 16)
PCIE = {"pcie_generation_max": 4, "pcie_lanes_max": 16}


def joined_card(number: int, *, nvlink: int = 0, **p2p: str) -> Device:
    """Of three; joined to each of the others by so many NVLinks of 14 GB/s."""
    others = [other for other in range(3) if other != number]
    links = {f"{other}-{n}": f"bus-{other}" for other in others for n in range(nvlink)}
    access = {f"GPU-{other}": {"read": p2p.get(f"to_{other}", "chipset"), "nvlink": "no"} for other in others}
    return twin(number, bus_id=f"bus-{number}", p2p=access, nvlinks=links, nvlink_gbps=14.0 if nvlink else None, **PCIE)


THROUGH_MEMORY, DIRECT, JOINED = (joined_card(0), joined_card(0, to_1="ok", to_2="ok"), joined_card(0, nvlink=2))


@pytest.mark.parametrize(
    ("device", "floor", "way"),
    [
        (THROUGH_MEMORY, 0.25 * LINK, "25 % of the PCIe link through the main memory"),
        (joined_card(0, to_1="ok"), 0.25 * LINK, "25 % of the PCIe link through the main memory"),
        (DIRECT, 0.55 * LINK, "55 % of the PCIe link with direct access between cards"),
        (JOINED, 0.4 * 4 * 14.0, "40 % of the 56 GB/s of its NVLinks"),
    ],
    ids=["memory", "one of two direct", "direct", "nvlink"],
)
def test_an_all_reduce_below_the_floor_of_its_way_warns(device: Device, floor: float, way: str) -> None:
    devices = [device, joined_card(1), joined_card(2)]
    for rate, slow in ((floor, False), (floor + 0.01, False), (floor - 0.01, True)):
        run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": rate})], devices=devices)
        reasons = list(together_reasons(run, device))
        assert figures(reasons) == ([(WARN, rate, round(floor, 1), "GB/s")] if slow else [])
        for one in reasons:
            assert one.text == f"collectives: {rate:.1f} GB/s, less than {way}."
            assert one.source == "our proposal, to be compared with the plan"
        elsewhere = run_of([stage(0, "p2p")], [ended(0, rates={"all_reduce": 0.1})], devices=devices)
        assert list(together_reasons(elsewhere, device)) == []
        unmeasured = run_of([stage(0, "collectives")], [ended(0, rates={"broadcast": 0.1})], devices=devices)
        assert list(together_reasons(unmeasured, device)) == []


@pytest.mark.parametrize(
    ("changed", "floor"),
    [
        ({"pcie_lanes_max": 8}, 0.25 * link_gbps(4, 8)),
        ({"pcie_generation_max": 3}, 0.25 * link_gbps(3, 16)),
        ({"pcie_lanes_max": None}, None),
        ({"pcie_generation_max": None}, None),
        ({"pcie_generation_max": 9}, None),
    ],
)
def test_the_floor_is_that_of_the_cards_own_link_and_there_is_none_without_it(
    changed: dict[str, Any], floor: float | None
) -> None:
    device = replace(THROUGH_MEMORY, **changed)
    run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[device, joined_card(1)])
    assert [one.limit for one in together_reasons(run, device)] == ([] if floor is None else [round(floor, 1)])


def test_a_card_alone_is_held_to_the_way_through_memory_and_unknown_nvlinks_to_none() -> None:
    run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[DIRECT])
    assert [one.limit for one in together_reasons(run, DIRECT)] == [round(0.25 * LINK, 1)]
    unknown = replace(JOINED, nvlink_gbps=None)
    run = run_of(
        [stage(0, "collectives")],
        [ended(0, rates={"all_reduce": 0.1})],
        devices=[unknown, joined_card(1), joined_card(2)],
    )
    assert list(together_reasons(run, unknown)) == [], "it goes over NVLinks of which the speed is not told"
    half = replace(unknown, nvlinks={"0": "bus-1"})
    run = run_of(
        [stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[half, joined_card(1), joined_card(2)]
    )
    assert [one.limit for one in together_reasons(run, half)] == [round(0.25 * LINK, 1)], "one of two goes over PCIe"


def replayed(*hashes: str | None, kind: str = "replay") -> list[list[Any]]:
    devices = [twin(number) for number in range(len(hashes))]
    results = [
        ended(0, device=device, **({} if own is None else {"replay": {"network": "resnet", "weight_hash": own}}))
        for device, own in zip(devices, hashes, strict=True)
    ]
    run = run_of([stage(0, kind)], results[: len(hashes)], devices=devices)
    return [[(one.outcome, one.text) for one in replay_reasons(run, device)] for device in devices]


def test_a_replay_that_differs_from_the_others_is_told_of_the_one_that_differs() -> None:
    differs = "replay: The same training gave different bits than on 2 of 3 devices of this model."
    assert replayed("a", "a", "b") == [[], [], [(FAIL, differs)]]
    assert replayed("a", "a", "a") == replayed("a", "a", None) == [[], [], []]
    assert [[outcome for outcome, _ in one] for one in replayed("a", "b")] == [[WARN], [WARN]]
    assert replayed("a", "a", "b", kind="gemm") == [[], [], []]
    run = run_of([stage(0, "replay")], [], devices=[CARD])
    assert list(replay_reasons(run, CARD)) == []


def test_a_fault_that_only_twins_can_show_is_incomplete_where_none_differs() -> None:
    def of(*injected: str | None, hashes: str = "aa", kind: str = "replay") -> list[list[Any]]:
        devices = [twin(number) for number in range(2)]
        results = []
        for device, own, fault in zip(devices, hashes, injected, strict=True):
            evidence: dict[str, Any] = {"replay": {"network": "resnet", "weight_hash": own}}
            if fault:
                evidence["injected_on_purpose"] = {"kind": fault, "times": 1}
            results.append(ended(0, device=device, **evidence))
        run = run_of([stage(0, kind)], results, devices=devices)
        return [[one.outcome for one in replay_reasons(run, device)] for device in devices]

    assert of("deviant", "deviant") == [[INCOMPLETE], [INCOMPLETE]]
    assert of("deviant", None) == [[INCOMPLETE], []]
    assert of("deviant", None, hashes="ab") == [[WARN], [WARN]], "it was seen"
    assert of("bitflip", None) == of(None, None) == of("deviant", None, kind="gemm") == [[], []]
