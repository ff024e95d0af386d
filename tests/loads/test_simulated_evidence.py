"""Simulated loads tell what the real ones tell, under the same names."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import LoadStatus
from core.loads.loop import Loop, Totals
from core.loads.simulated.bench import open_simulated
from core.loads.table import BY_NAME

CPU = torch.device("cpu")
LOADS = ["known_answer", "vram", "bandwidth", "host_link", "functional_units", "gemm", "transients", "machine"]
SOMETIMES = {"warnings", "injected_on_purpose"}


@pytest.mark.parametrize("load", LOADS)
def test_the_evidence_has_the_same_names(load: str) -> None:
    real = make_load(load, {}, device=CPU).finish().evidence.as_dict()
    simulated = open_simulated("RTX 3090", device_id="SIM-0").make(load, {}).finish().evidence.as_dict()
    assert set(real) - SOMETIMES == set(simulated) - SOMETIMES - {"simulated"}


@pytest.mark.parametrize("load", LOADS)
def test_every_fault_that_the_real_load_can_make_is_found_in_the_simulated_one(channel: Any, load: str) -> None:
    for inject in BY_NAME[load].params.injectable:
        made = open_simulated("H100", device_id="SIM-1").make(load, {"inject": inject})
        ending = Loop(made, channel, seconds=0.05, totals=Totals()).run()
        assert ending.status is LoadStatus.FAILED, inject
        assert ending.evidence.as_dict()["injected_on_purpose"]["kind"] == inject
        assert ending.reason.startswith("SIMULATED")


@pytest.mark.parametrize("load", LOADS)
def test_a_healthy_card_passes(channel: Any, load: str) -> None:
    made = open_simulated("RTX 3090", device_id="SIM-2").make(load, {})
    ending = Loop(made, channel, seconds=0.15, totals=Totals()).run()
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["simulated"] is True
    assert set(ending.evidence.as_dict()["self_test"].values()) == {"seen"}
    assert channel.of("progress")[-1]["metrics"]["checks"] == ending.evidence.as_dict()["checks"] > 0


@pytest.mark.parametrize(
    ("load", "name", "least", "most"),
    [("bandwidth", "copy", 700, 900), ("bandwidth", "triad", 700, 900), ("host_link", "both", 35, 50)],
)
def test_bandwidths_are_those_of_the_model(channel: Any, load: str, name: str, least: float, most: float) -> None:
    made = open_simulated("RTX 3090", device_id="SIM-3").make(load, {})
    evidence = Loop(made, channel, seconds=0.15, totals=Totals()).run().evidence.as_dict()
    assert least < evidence["rates"][name] < most
    assert any("bandwidth_gbps" in beat["metrics"] for beat in channel.of("progress"))
