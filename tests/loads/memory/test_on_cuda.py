"""The loads on memory and links on the stand-in for CUDA: what only a GPU reaches is run, and its memory is covered."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_cuda.stand_in import Card, FakeCuda
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process

UUID = "GPU-00000000-1111-2222-3333-444444444444"
MIB = 2**20
SCRIPT = """
import json, sys, torch
from core.loads.memory import sweeps, vram
from core.loads.backend import make_load

vram.SLACK_BYTES = 2 * 2**20  # of a card that is a hundred times smaller
sweeps.WORD_BITS = 3  # of 64 shifts of a walking bit
card = torch.device("cuda", 0)
for name, params in json.loads(sys.argv[1]):
    load = make_load(name, params, device=card)
    checks = faults = 0
    for report in load.steps(0.3):
        checks += report.checks
        faults += sum(fault.count for fault in report.faults)
    ending, free = load.finish(), torch.cuda.mem_get_info(card)[0]
    told = {"status": ending.status, "reason": ending.reason, "checks": checks, "faults": faults}
    print(json.dumps({**told, "free_afterwards": free, "evidence": ending.evidence.as_dict()}))
"""
Report = dict[str, Any]


@pytest.fixture
def run(fake_cuda: FakeCuda, tmp_path: Path) -> Any:
    def go(*loads: tuple[str, dict[str, Any]], memory_mib: int = 96, outside_mib: int = 0) -> list[Report]:
        card = Card(UUID, memory_mib=memory_mib, outside_mib=outside_mib)
        process = subprocess.run(
            [sys.executable, "-c", SCRIPT, json.dumps(loads)],
            check=False,
            env=os.environ | fake_cuda.environment([card], tmp_path) | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert process.returncode == 0, process.stderr
        return [json.loads(line) for line in process.stdout.splitlines()]

    return go


@pytest.mark.parametrize("outside_mib", [0, 32])
def test_nearly_all_that_is_free_is_covered(run: Any, outside_mib: int) -> None:
    """Half-full cards and those with a display, too, of which the fixed gigabyte of before left little."""
    params = {"block_mib": 8, "patterns": "solid"}
    headless, with_display = run(
        ("vram", {**params, "passes": 2}), ("vram", {**params, "passes": 1, "keep_mib": 32}), outside_mib=outside_mib
    )
    evidence = headless["evidence"]
    assert headless["status"] == "passed", headless["reason"]
    assert evidence["free_bytes"] <= (96 - outside_mib) * MIB
    assert evidence["coverage_of_free_pct"] > 95
    assert evidence["reached_bytes"] > evidence["tested_bytes"], "what was scratch and what was left free had its turn"
    assert evidence["reached_bytes"] <= evidence["free_bytes"]
    assert 2 * MIB <= evidence["headroom_bytes"] < 16 * MIB
    assert evidence["largest_block_bytes"] == 8 * MIB
    assert headless["free_afterwards"] > evidence["free_bytes"] - 16 * MIB, "all is given back"
    left_free = evidence["tested_bytes"] - with_display["evidence"]["tested_bytes"]
    assert left_free == pytest.approx(32 * MIB, rel=0.1)


def test_faults_are_found_where_they_are_with_work_queued_ahead(run: Any) -> None:
    params = {"block_mib": 8, "passes": 1, "share_pct": 40, "inject_at": 1}
    kinds = ("bitflip", "stuck_bit", "shared")
    for report in run(*[("vram", {**params, "inject": kind}) for kind in kinds], memory_mib=64):
        evidence = report["evidence"]
        assert report["status"] == "failed"
        assert report["faults"] == evidence["errors"] == evidence["wrong_words"] > 0
        places = evidence["injected_on_purpose"]["places"]
        assert all({"block": word["block"], "byte": word["byte"]} in places for word in evidence["first_wrong"])
        assert evidence["right_when_read_again"] == 0


def test_every_pattern_runs_and_transfers_are_checked_on_the_card(run: Any) -> None:
    links = [
        (load, {"buffer_mib": 2, "inject": kind}) for load in ("host_link", "bandwidth") for kind in ("", "corrupt")
    ]
    vram, *transfers = run(("vram", {"block_mib": 1, "passes": 1, "patterns": "all", "share_pct": 8}), *links)
    assert vram["status"] == "passed", vram["reason"]
    assert vram["evidence"]["left_out"] == []
    assert len(vram["evidence"]["patterns"]) == 17
    for (load, params), report in zip(links, transfers, strict=True):
        assert report["status"] == ("failed" if params["inject"] else "passed"), report["reason"]
        assert report["faults"] == bool(params["inject"])
        assert len(report["evidence"]["rates"]) == {"host_link": 3, "bandwidth": 2}[load]
