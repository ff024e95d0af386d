"""Simulated training tells what real training tells, and replays can be compared among simulated cards."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, LoadStatus
from core.loads.simulated.bench import open_simulated


def simulated(load: str, *, device: str = "SIM-0", **params: Any) -> Ending:
    made = open_simulated("RTX 3090", device_id=device).make(load, params)
    for _ in made.steps(0.15):
        pass
    return made.finish()


@pytest.mark.parametrize("load", ["resnet", "lstm", "transformer"])
def test_the_evidence_is_that_of_the_real_load(tiny: dict[str, Any], load: str) -> None:
    real = make_load(load, tiny[load], device=torch.device("cpu")).finish().evidence
    assert type(simulated(load).evidence) is type(real)


def test_a_replay_has_the_keys_of_the_real_one() -> None:
    real = make_load("replay", {"steps": 1, "network": "lstm"}, device=torch.device("cpu"))
    for _ in real.steps(60):
        if "replay" in real.finish().evidence.as_dict():
            break
    evidence, told = real.finish().evidence.as_dict(), simulated("replay", network="lstm").evidence.as_dict()
    assert set(evidence) <= set(told)
    assert set(evidence["replay"]) == set(told["replay"])


def test_twins_replay_the_same_and_a_deviant_card_does_not() -> None:
    endings = [
        simulated("replay", device=f"SIM-{place}", inject=kind) for place, kind in enumerate(("", "", "deviant"))
    ]
    first, second, deviant = (ending.evidence.as_dict()["replay"] for ending in endings)
    assert endings[2].status is LoadStatus.PASSED, "by itself it sees nothing"
    assert first == second
    assert deviant["weight_hash"] != first["weight_hash"]
    assert {**deviant, "loss_hash": "", "weight_hash": ""} == {**first, "loss_hash": "", "weight_hash": ""}
