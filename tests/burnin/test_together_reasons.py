"""What cards do together, at the floor of each way between them and beside it; scaling; replays that differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.burnin.profile.criteria import Criteria
from core.burnin.verdict.together import replay_reasons, together_reasons
from core.placement.links import link_gbps
from core.telemetry.device import Device
from tests.burnin.made_run import CARD, FAIL, INCOMPLETE, PASS, PROCESSOR, WARN, ended, figures, run_of, stage, twin

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


def test_the_floor_of_scaling_is_told_with_a_decimal() -> None:
    assert figures([*scaled(72.8, 81.0), *scaled(73.0, 81.0)]) == [(WARN, 72.8, 72.9, "%"), (PASS, 73.0, 72.9, "%")]


def test_without_both_figures_scaling_is_not_judged_and_each_number_of_devices_is_told() -> None:
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


def card(number: int, *, nvlink: int = 0, **p2p: str) -> Device:
    """Of three; joined to each of the others by so many NVLinks of 14 GB/s."""
    others = [other for other in range(3) if other != number]
    links = {f"{other}-{n}": f"bus-{other}" for other in others for n in range(nvlink)}
    access = {f"GPU-{other}": {"read": p2p.get(f"to_{other}", "chipset"), "nvlink": "no"} for other in others}
    return twin(number, bus_id=f"bus-{number}", p2p=access, nvlinks=links, nvlink_gbps=14.0 if nvlink else None, **PCIE)


THROUGH_MEMORY, DIRECT, JOINED = (card(0), card(0, to_1="ok", to_2="ok"), card(0, nvlink=2))


@pytest.mark.parametrize(
    ("device", "floor", "way"),
    [
        (THROUGH_MEMORY, 0.25 * LINK, "25 % of the PCIe link through the main memory"),
        (card(0, to_1="ok"), 0.25 * LINK, "25 % of the PCIe link through the main memory"),
        (DIRECT, 0.55 * LINK, "55 % of the PCIe link with direct access between cards"),
        (JOINED, 0.4 * 4 * 14.0, "40 % of the 56 GB/s of its NVLinks"),
    ],
    ids=["memory", "one of two direct", "direct", "nvlink"],
)
def test_an_all_reduce_below_the_floor_of_its_way_warns(device: Device, floor: float, way: str) -> None:
    devices = [device, card(1), card(2)]
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
    run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[device, card(1)])
    assert [one.limit for one in together_reasons(run, device)] == ([] if floor is None else [round(floor, 1)])


def test_a_card_alone_is_held_to_the_way_through_memory_and_unknown_nvlinks_to_none() -> None:
    run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[DIRECT])
    assert [one.limit for one in together_reasons(run, DIRECT)] == [round(0.25 * LINK, 1)]
    unknown = replace(JOINED, nvlink_gbps=None)
    run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[unknown, card(1), card(2)])
    assert list(together_reasons(run, unknown)) == [], "it goes over NVLinks of which the speed is not told"
    half = replace(unknown, nvlinks={"0": "bus-1"})
    run = run_of([stage(0, "collectives")], [ended(0, rates={"all_reduce": 0.1})], devices=[half, card(1), card(2)])
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
