"""PCIe links: falls under load, width under traffic with and without a plan, and rates at their floor and beside it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.profile.profile import Criteria
from core.burnin.record.rows import ResultStatus
from core.burnin.verdict.links import link_reasons
from core.machine.telemetry.device import Device
from core.plan.build import Build
from core.plan.placement.links import link_gbps
from tests.burnin.made_run import CARD, FAIL, WARN, Figures, ended, figures, run_of, sampled, stage

LANES, GENERATION = "PCIe lanes", "PCIe generation"
FULL = replace(CARD, pcie_generation_max=4, pcie_lanes_max=16)


def judged(
    *blocks: dict[str, Any],
    kind: str = "gemm",
    device: Device = FULL,
    rates: dict[str, float] | None = None,
    how: ResultStatus = ResultStatus.PASSED,
    **other: Any,
) -> Any:
    """A reading each second; each block of metrics is a stage, the last one of this kind and with these rates."""
    lengths = [max(len(values) for values in block.values()) for block in blocks]
    begins = np.cumsum([0, *lengths])
    names = {name for block in blocks for name in block}
    metrics = {
        name: np.concatenate(
            [block.get(name, np.full(length, np.nan)) for block, length in zip(blocks, lengths, strict=True)]
        )
        for name in names
    }
    stages = [
        stage(n, kind if n == len(blocks) - 1 else "gemm", float(begins[n]), float(begins[n + 1] - 1))
        for n in range(len(blocks))
    ]
    results = [ended(n, how, rates=rates or {}) for n in range(len(blocks))]
    run = run_of(stages, results, sampled(np.arange(begins[-1]), **metrics), devices=[device], **other)
    return list(link_reasons(run, device))


def read(*stretches: tuple[float, int]) -> Any:
    """The same reading for so many seconds, after two in which the load begins."""
    return np.concatenate([[1.0, 1.0], *(np.full(count, value) for value, count in stretches)])


def of(metric: str, *stages: Any, **other: Any) -> Any:
    return judged(*({metric: values} for values in stages), **other)


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ([[(16.0, 4), (8.0, 4)]], [(8.0, 16.0)]),
        ([[(16.0, 4), (8.0, 3)]], []),
        ([[(16.0, 3), (8.0, 4)]], []),
        ([[(8.0, 4), (16.0, 4)]], []),
        ([[(16.0, 4), (8.0, 4), (4.0, 4)]], [(4.0, 16.0)]),
        ([[(16.0, 4), (8.0, 4), (16.0, 4)]], [(8.0, 16.0)]),
        ([[(8.0, 4), (4.0, 4), (16.0, 4), (1.0, 4)]], [(1.0, 16.0)]),
        ([[(16.0, 4), (1.0, 4), (8.0, 4), (4.0, 4)]], [(1.0, 16.0)]),
        ([[(16.0, 4)], [(8.0, 4)], [(8.0, 4)]], [(8.0, 16.0)]),
        ([[(16.0, 4)], [(8.0, 3)], [(8.0, 4)]], [(8.0, 16.0)]),
        ([[(16.0, 4)], [(8.0, 4)], [(4.0, 4)]], [(8.0, 16.0), (4.0, 8.0)]),
        ([[(8.0, 4), (16.0, 4)], [(8.0, 4)]], [(8.0, 16.0)]),
        ([[(8.0, 4)], [(16.0, 4)], [(8.0, 4)]], [(8.0, 16.0)]),
    ],
)
@pytest.mark.parametrize(
    ("metric", "what", "outcome"), [("pcie_lanes", LANES, FAIL), ("pcie_generation", GENERATION, WARN)]
)
def test_a_link_that_carries_less_than_before_for_four_readings_is_reported_once(
    metric: str, what: str, outcome: Any, stages: Any, expected: Any
) -> None:
    reasons = of(metric, *(read(*stretches) for stretches in stages))
    assert figures(reasons) == [(outcome, now, before, what) for now, before in expected]
    for one in reasons:
        assert one.source == "what the same link carried before"
        assert one.text == (
            f"gemm: the link fell from {one.limit:.0f} to {one.measured:.0f} ({what}) under load. "
            "Check riser, slot and BIOS."
        )


def test_lanes_that_fell_are_reported_before_a_generation_that_fell() -> None:
    fell = {name: read((4.0, 4), (2.0, 4)) for name in ("pcie_generation", "pcie_lanes")}
    assert [one.unit for one in judged(fell)] == [LANES, GENERATION]


@pytest.mark.parametrize(
    ("beside", "counts"),
    [
        ({"utilisation_pct": 50.0}, True),
        ({"utilisation_pct": 49.0}, False),
        ({"utilisation_pct": 49.0, "bandwidth_gbps": 1.0}, True),
        ({"utilisation_pct": 99.0, "performance_state": 2.0}, True),
        ({"utilisation_pct": 99.0, "performance_state": 3.0}, False),
        ({"performance_state": 3.0, "bandwidth_gbps": 1.0}, False),
        ({}, True),
    ],
)
def test_a_generation_counts_where_the_card_has_work_and_full_clocks_and_lanes_always(
    beside: dict[str, float], counts: bool
) -> None:
    fell = read((4.0, 4), (2.0, 4))
    metrics = {name: np.full(len(fell), value) for name, value in beside.items()}
    assert len(judged({"pcie_generation": fell, **metrics})) == counts
    assert len(judged({"pcie_lanes": fell, **metrics})) == 1


SLOT = "what card and slot support together, as the driver reports it"


@pytest.mark.parametrize(
    ("lanes", "expected"),
    [
        (read((8.0, 4)), [8.0]),
        (read((8.0, 3)), []),
        (read((16.0, 4)), []),
        (read((16.0, 9), (4.0, 3)), [4.0]),
        (read((16.0, 9), (4.0, 2)), []),
        (read((4.0, 3), (16.0, 4)), []),
        (read((4.0, 4), (8.0, 3)), [4.0]),
        (read((8.0, 6), (16.0, 3)), [8.0]),
        (read((8.0, 4), (16.0, 4)), []),
        (read((8.0, 5), (16.0, 4)), [8.0]),
        (np.concatenate([read((16.0, 9), (4.0, 3)), [np.nan] * 5]), [4.0]),
    ],
)
def test_lanes_under_traffic_are_the_usual_ones_or_the_last_where_those_are_fewer(
    lanes: Any, expected: list[float]
) -> None:
    reasons = of("pcie_lanes", lanes, kind="host-link")
    assert figures(reasons) == [(WARN, used, 16, LANES) for used in expected]
    for one in reasons:
        assert one.source == SLOT
        assert one.text == (
            f"host-link: PCIe lanes {one.measured:.0f} under traffic, 16 are possible. Check riser, slot and BIOS."
        )
    assert of("pcie_lanes", lanes, kind="gemm") == [], "only a stage of transfers has traffic"
    assert of("pcie_lanes", lanes, kind="host-link", device=replace(FULL, pcie_lanes_max=None)) == []


@pytest.mark.parametrize(("generation", "expected"), [(3.0, [(WARN, 3.0, 4, GENERATION)]), (4.0, []), (5.0, [])])
def test_the_generation_under_traffic_is_the_usual_one(generation: float, expected: list[Figures]) -> None:
    readings = read((generation, 9), (1.0, 3))
    assert figures(of("pcie_generation", readings, kind="host-link")) == expected
    unknown = replace(FULL, pcie_generation_max=None)
    assert of("pcie_generation", readings, kind="host-link", device=unknown) == []


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        ((4, 16), [(FAIL, 3.0, 4, GENERATION), (FAIL, 8.0, 16, LANES)]),
        ((3, 8), [(WARN, 3.0, 4, GENERATION), (WARN, 8.0, 16, LANES)]),
        ((2, 4), [(WARN, 3.0, 4, GENERATION), (WARN, 8.0, 16, LANES)]),
        ((None, 16), [(WARN, 3.0, 4, GENERATION), (FAIL, 8.0, 16, LANES)]),
        (None, [(WARN, 3.0, 4, GENERATION), (WARN, 8.0, 16, LANES)]),
    ],
)
@pytest.mark.parametrize("slot", [3, None])
def test_below_its_plan_a_link_fails_and_below_what_is_possible_it_warns(
    planned: Any, expected: list[Figures], slot: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = planned and SimpleNamespace(generation=planned[0], lanes=planned[1], slot=SimpleNamespace(position=slot))
    monkeypatch.setattr("core.burnin.verdict.predicted.PlannedRun.link", lambda *_: link if slot else None)
    monkeypatch.setattr("core.burnin.verdict.links.least_planned_link", lambda *_: link)
    block = {"pcie_generation": read((3.0, 9)), "pcie_lanes": read((8.0, 9))}
    reasons = judged(block, kind="host-link", plan=Build("Plan"))
    assert figures(reasons) == expected
    where = "slot 3" if slot else "any card of this model"
    for one in reasons:
        clause = f"the plan has {one.limit} for {where}" if one.outcome is FAIL else f"{one.limit} are possible"
        assert one.text.startswith(f"host-link: {one.unit} {one.measured:.0f} under traffic, {clause}. ")
        assert one.source == ("the plan Plan" if one.outcome is FAIL else SLOT)
    unplanned = judged(block, kind="host-link")
    assert [one.outcome for one in unplanned] == [WARN, WARN]
    made_up = judged(block, kind="host-link", plan=Build("Plan"), device=replace(FULL, simulated=True))
    assert [one.outcome for one in made_up] == ([outcome for outcome, *_ in expected] if slot else [WARN, WARN])


FLOOR = 0.66 * link_gbps(4, 16)


@pytest.mark.parametrize(("rate", "slow"), [(FLOOR, False), (FLOOR - 0.01, True), (FLOOR + 0.01, False)])
def test_a_rate_below_two_thirds_of_its_link_fails(rate: float, slow: bool) -> None:
    readings = {"pcie_generation": read((4.0, 4)), "pcie_lanes": read((16.0, 4))}
    reasons = judged(readings, kind="host-link", rates={"to_device": rate, "to_host": 30.0})
    assert figures(reasons) == ([(FAIL, rate, 20.8, "GB/s")] if slow else [])
    for one in reasons:
        assert one.text == "host-link, to device: 20.8 GB/s, less than 66 % of generation 4 with 16 lanes."
        assert one.source == "floors of Azure's node checks, scaled by lanes"
    assert judged(readings, kind="gemm", rates={"to_device": rate}) == []


@pytest.mark.parametrize(
    ("block", "device", "generation", "lanes"),
    [
        ({"pcie_generation": read((3.0, 4)), "pcie_lanes": read((8.0, 4))}, CARD, 3, 8),
        ({"pcie_generation": read((3.0, 4))}, replace(CARD, pcie_lanes_max=8), 3, 8),
        ({"pcie_lanes": read((8.0, 4))}, replace(CARD, pcie_generation_max=3), 3, 8),
        ({"pcie_generation": read((3.0, 4)), "pcie_lanes": read((np.nan, 1), (4.0, 3))}, FULL, 3, 4),
        ({"pcie_generation": read((np.nan, 1), (3.0, 3)), "pcie_lanes": read((16.0, 4))}, FULL, 4, 16),
        ({"pcie_generation": read((3.0, 4))}, CARD, None, None),
        ({"pcie_lanes": read((8.0, 4))}, CARD, None, None),
        ({"pcie_generation": read((9.0, 4)), "pcie_lanes": read((8.0, 4))}, CARD, None, None),
    ],
)
def test_the_floor_is_that_of_the_link_as_it_was_read_and_of_the_devices_own_where_it_was_not(
    block: dict[str, Any], device: Device, generation: int | None, lanes: int | None
) -> None:
    slow = [one for one in judged(block, kind="host-link", device=device, rates={"both": 0.01}) if one.unit == "GB/s"]
    floor = None if generation is None or lanes is None else round(0.66 * link_gbps(generation, lanes), 1)
    assert [one.limit for one in slow] == ([] if floor is None else [floor])


def test_lanes_that_other_stages_have_shown_count_for_one_that_was_too_short() -> None:
    before = {"pcie_lanes": read((8.0, 4))}
    reasons = judged(before, {"pcie_generation": read((4.0, 1))}, kind="host-link", rates={"both": 0.01})
    assert [one.limit for one in reasons] == [round(0.66 * link_gbps(4, 8), 1)]
    own = Criteria(link_floor_pct=50)
    reasons = judged(before, {"pcie_generation": read((4.0, 1))}, kind="host-link", rates={"both": 0.01}, criteria=own)
    assert [one.limit for one in reasons] == [round(0.5 * link_gbps(4, 8), 1)]
