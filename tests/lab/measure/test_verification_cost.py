"""Verified products beside bare ones: the same work in both kinds of turn, and wrong results counted."""

import json
import subprocess
import sys
import time
from itertools import islice
from types import SimpleNamespace

import pytest
import torch

from core.lab.measure.cost_process import _described
from core.lab.measure.verification_cost import ORDER, TurnKind, VerificationCost, copy_gbps
from core.loads.products.availability import why_unavailable
from core.loads.products.formats import FORMATS
from core.loads.products.sustained import Injector

CPU = torch.device("cpu")
HERE = [format_ for format_ in FORMATS if why_unavailable(format_, CPU) is None]
BY_NAME = {format_.name: format_ for format_ in HERE}


@pytest.mark.parametrize("format_", HERE, ids=lambda format_: format_.name)
def test_both_kinds_of_turn_do_whole_products_and_only_verified_ones_check(format_: object) -> None:
    pair = VerificationCost(format_, CPU, size=128)  # type: ignore[arg-type]
    for turn in islice(pair.turns(0.4), 8):
        assert turn.flop % (2.0 * 128**3) == 0
        assert turn.flop > 0
        assert (turn.checks > 0) == (turn.kind is TurnKind.VERIFIED)
        assert turn.errors == 0


def test_turns_come_in_whole_rounds_within_the_time_and_at_least_one() -> None:
    pair = VerificationCost(BY_NAME["float32"], CPU, size=64)
    for seconds in (0.0, 1.5):
        began = time.monotonic()
        kinds = [turn.kind for turn in pair.turns(seconds)]
        assert len(kinds) >= len(ORDER)
        assert kinds == list(ORDER) * (len(kinds) // len(ORDER))
        assert time.monotonic() - began < seconds + 5.0


def test_a_wrong_result_is_counted() -> None:
    pair = VerificationCost(BY_NAME["float32"], CPU, size=64)
    pair._operands.left[3, 5] += 1.0  # the golden result was computed before
    assert pair.turn(TurnKind.VERIFIED, 0.0).errors == 1
    assert pair.turn(TurnKind.BARE, 0.0).errors == 0


def test_a_first_product_that_is_wrong_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert VerificationCost(BY_NAME["float32"], CPU, size=64).problem is None
    monkeypatch.setattr("core.lab.measure.verification_cost.Injector", lambda *_: Injector("repeatable", 0))
    monkeypatch.setattr("core.loads.products.sustained.LOW_BIT", 30)
    assert "first product is wrong" in str(VerificationCost(BY_NAME["float32"], CPU, size=64).problem)


def test_a_copy_moves_something() -> None:
    gbps, size = copy_gbps(CPU, 0.01)
    assert gbps > 0.05
    assert size >= 64 * 2**20


@pytest.mark.process
def test_the_process_tells_what_there_is_and_ends() -> None:
    command = [sys.executable, "-m", "core.lab.measure.cost_process"]
    with subprocess.Popen([*command, "--list"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        (report,) = [json.loads(line) for line in process.stdout]
    assert report["torch"] == torch.__version__
    assert (report["problem"] is None) == bool(report["cards"])


@pytest.mark.parametrize(
    ("uuid", "chosen", "id_"),
    [
        ("1234-5678", "", "GPU-1234-5678"), ("1234-5678", "0", "GPU-1234-5678"),
        ("GPU-1234-5678", "GPU-12", "GPU-1234-5678"), ("1234-5678", "MIG-9abc", "MIG-9abc"),
    ],
)  # fmt: skip
def test_a_card_is_known_by_its_own_id_and_a_share_by_the_one_it_was_chosen_by(
    uuid: str, chosen: str, id_: str
) -> None:
    card = SimpleNamespace(
        uuid=uuid, name="A card", major=8, minor=6, total_memory=2**30, multi_processor_count=10
    )  # fmt: skip
    assert _described(card, chosen)["id"] == id_
