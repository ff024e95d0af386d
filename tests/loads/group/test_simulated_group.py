"""Simulated groups: marked, agreeing among their members, and able to fail."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadInput
from core.loads.load import Ending, LoadStatus, RankGroup
from core.loads.loop import Loop, Totals
from core.loads.simulated.bench import open_simulated

DEVICES = ("SIM-0", "SIM-1", "SIM-2")
LOADS = ("p2p", "collectives", "data_parallel")


def run(channel: Any, load: str, *, rank: int = 0, size: int = 3, **params: Any) -> Ending:
    group = RankGroup(rank, size, "/nowhere", DEVICES[:size])
    made = open_simulated("RTX 3090", device_id=DEVICES[rank]).make(load, params, group)
    return Loop(made, channel, seconds=0.15, totals=Totals()).run()


@pytest.mark.parametrize("load", LOADS)
def test_a_healthy_group_passes_and_everything_says_simulated(channel: Any, load: str) -> None:
    ending = run(channel, load)
    assert ending.status is LoadStatus.PASSED
    assert ending.reason.startswith("SIMULATED")
    assert ending.evidence.as_dict()["simulated"] is True
    assert ending.evidence.as_dict()["backend"] == "SIMULATED"
    assert (ending.evidence.as_dict()["ranks"], ending.evidence.as_dict()["devices"]) == (3, list(DEVICES))


def test_members_tell_the_same_of_their_pairs(channel: Any) -> None:
    first, second = (run(channel, "p2p", rank=rank).evidence.as_dict() for rank in (0, 1))
    assert first["matrix_gbps"] == second["matrix_gbps"]
    assert [first["matrix_gbps"][place][place] for place in range(3)] == [None] * 3
    assert all(0 < cell < 30 for row in first["matrix_gbps"] for cell in row if cell is not None)


def test_larger_sums_use_the_bus_better(channel: Any) -> None:
    timed = run(channel, "collectives").evidence.as_dict()["all_reduce"]
    assert [size["bytes"] for size in timed] == [2**20 << power for power in range(11)]
    speeds = [size["busbw_gbps"] for size in timed]
    assert speeds == sorted(speeds)


def test_training_together_is_slower_than_alone_but_not_as_slow_as_without_overlap(channel: Any) -> None:
    networks = run(channel, "data_parallel").evidence.as_dict()["networks"]
    for told in networks.values():
        assert told["no_overlap_pct"] < told["efficiency_pct"] < 100
    assert networks["resnet"]["efficiency_pct"] > networks["lstm"]["efficiency_pct"], "more gradients for its work"
    assert "efficiency_pct" not in run(channel, "data_parallel", size=1).evidence.as_dict()["networks"]["resnet"]


@pytest.mark.parametrize(
    ("load", "inject"), [("p2p", "corrupt"), ("collectives", "corrupt"), ("data_parallel", "diverge")]
)
def test_injected_faults_are_found(channel: Any, load: str, inject: str) -> None:
    ending = run(channel, load, inject=inject, inject_at=3)
    assert ending.status is LoadStatus.FAILED
    assert {fault["kind"] for fault in channel.of("fault")} == {"mismatch"}
    assert "SIMULATED" in channel.of("fault")[0]["message"]


@pytest.mark.parametrize("load", LOADS)
def test_a_load_of_a_group_is_not_started_alone(load: str) -> None:
    with pytest.raises(BadInput, match="several devices together"):
        open_simulated("RTX 3090", device_id="SIM-0").make(load, {})


def test_networks_must_be_known() -> None:
    group = RankGroup(0, 2, "/nowhere", DEVICES[:2])
    with pytest.raises(BadInput, match="there is no network 'bert'; choose from resnet, lstm, transformer"):
        open_simulated("RTX 3090", device_id="SIM-0").make("data_parallel", {"networks": "lstm, bert"}, group)
