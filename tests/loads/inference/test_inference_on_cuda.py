"""The load as it runs on a card, in a process that has a stand-in for CUDA: a healthy one passes in 16 bits, one whose
memory is short runs a smaller model, and one that computes wrongly from some moment on fails."""

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

UUID = "GPU-11111111-2222-3333-4444-555555555555"
ANSWERS = """
import json, sys, torch
torch.set_num_threads(1)
from core.loads.backend import open_cuda
from core.loads.loop import Loop, Totals

class Channel:
    def send(self, *_, **__):
        pass

    def receive(self, timeout_s=0.0):
        return {"type": "conclude"} if load.finish().evidence.as_dict()["answers"] > 2 else None

load = open_cuda(sys.argv[1]).make("inference", json.loads(sys.argv[2]))
ending = Loop(load, Channel(), seconds=600, totals=Totals()).run()
print(json.dumps({"status": ending.status, "reason": ending.reason, "evidence": ending.evidence.as_dict()}))
"""
"""Three answers, or the first wrong one: how long they take on a busy machine does not matter."""
TINY = {"layers": 2, "width": 64, "heads": 2, "vocabulary": 64, "context": 24, "generated": 8}


def run(fake_cuda: FakeCuda, folder: Path, card: Card, **params: Any) -> dict[str, Any]:
    environment = os.environ | fake_cuda.environment([card], folder) | {"CUDA_VISIBLE_DEVICES": card.uuid}
    command = [sys.executable, "-c", ANSWERS, card.uuid, json.dumps(TINY | params)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    ended: dict[str, Any] = json.loads(done.stdout)
    return ended


@pytest.mark.parametrize(("capability", "precision"), [((8, 6), "bf16"), ((7, 5), "fp16")], ids=str)
def test_a_healthy_card_answers_in_the_format_that_it_has(
    fake_cuda: FakeCuda, tmp_path: Path, capability: tuple[int, int], precision: str
) -> None:
    ended = run(fake_cuda, tmp_path, Card(UUID, capability=capability))
    assert ended["status"] == "passed", ended["reason"]
    evidence = ended["evidence"]
    assert (evidence["precision"], evidence["errors"], evidence["answers"]) == (precision, 0, 3)
    assert set(evidence["self_test"].values()) == {"seen"}
    assert set(evidence["rates"]) == {"prefill", "decode"}
    assert evidence["share_of_bandwidth_pct"] > 0


def test_where_memory_is_short_fewer_are_answered_at_once(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    ended = run(fake_cuda, tmp_path, Card(UUID, memory_mib=24), requests=1024, vocabulary=4096)
    assert ended["status"] == "passed", ended["reason"]
    assert ended["evidence"]["shrunk"] > 0
    assert ended["evidence"]["requests"] < 1024


def test_a_card_that_goes_wrong_under_load_fails(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    ended = run(fake_cuda, tmp_path, Card(UUID, spoil_at=("aten::addmm", 170)))
    assert ended["status"] == "failed", ended
    assert "has other logits than the first" in ended["reason"]
