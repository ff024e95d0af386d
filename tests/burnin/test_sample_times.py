"""When samples are recorded: each has a moment of its own, within the stage to which it belongs."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.burnin.record.rows import ResultStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run, finish_sealed
from core.burnin.stages.registry import BY_KIND
from tests.burnin.begun_run import CARD, supervised


def test_on_a_machine_that_is_faster_than_the_clock_of_the_record_no_sample_replaces_another(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [1000.0006]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now_s.append(now_s.pop() + seconds))
    burn = supervised(store, tmp_path, power_w=100.0)
    for ended in range(3):
        burn.count_errors()
        times = store.samples(1, CARD.id)[:, 0]
        assert len(times) == ended + 2, "one of the first second, and one for each stage"
        assert times[-1] <= burn.now(), "the stage ends now, and the sample belongs to it"
    assert (np.diff(times) > 0).all()
    finish_sealed(store, 1, list)
    assert check_run(store, 1).state is SealState.INTACT


@pytest.mark.parametrize(
    ("stood_still_s", "reads_after_s", "status"),
    [(0.0, 1.0, ResultStatus.PASSED), (5.0, 6.0, ResultStatus.PASSED), (0.0, 60.0, ResultStatus.NOT_RUN)],
)
@pytest.mark.parametrize("from_s", [0.1, 0.5])
def test_a_stage_that_watches_waits_for_a_reading_where_the_machine_stood_still(
    from_s: float, stood_still_s: float, reads_after_s: float, status: ResultStatus
) -> None:
    """Within its time or while it waits. The readings from before were too old for the first samples."""
    stage, results = BY_KIND["cooldown"], dict[str, Any]()
    live = SimpleNamespace(cut=False, sensors=SimpleNamespace(heard_s=0.0))

    def turn() -> None:
        before_s = context.elapsed_s
        context.elapsed_s += 0.1 + (stood_still_s if before_s < from_s <= before_s + 0.1 else 0.0)
        live.sensors.heard_s = context.elapsed_s // 1

    def recorded(_id: str, after_s: float | None = None) -> Any:
        del after_s
        block = np.full((1 + int(context.elapsed_s), 1 + len(COLUMN)), np.nan)
        block[:, 0] = np.arange(len(block))
        block[:, COLUMN["checks"]] = 4
        block[block[:, 0] >= reads_after_s, COLUMN["temperature_c"]] = 40.0
        return block

    live.turn = turn
    context: Any = SimpleNamespace(
        live=live, settings=SimpleNamespace(seconds=0.2), elapsed_s=0.0,
        devices={CARD.id: SimpleNamespace(device=CARD, unusable=None, take_result=lambda: None)},
        earlier=lambda _kind: [], samples=recorded, record=results.__setitem__,
    )  # fmt: skip
    stage.run(context)
    assert results[CARD.id][0] is status, results
    assert context.elapsed_s < stood_still_s + 4


def test_an_idle_stage_of_a_second_waits_for_a_sample_that_no_longer_covers_the_load_before() -> None:
    results = dict[str, Any]()
    live = SimpleNamespace(cut=False, sensors=SimpleNamespace(heard_s=0.0))

    def turn() -> None:
        context.elapsed_s += 0.1
        live.sensors.heard_s = context.elapsed_s // 1

    def recorded(_id: str) -> Any:
        block = np.full((1 + int(context.elapsed_s), 1 + len(COLUMN)), np.nan)
        block[:, 0] = np.arange(len(block))
        block[:, COLUMN["utilisation_pct"]] = np.where(block[:, 0] < 1.0, 96.0, 0.0)
        return block

    live.turn = turn
    context: Any = SimpleNamespace(
        live=live, settings=SimpleNamespace(seconds=0.2), elapsed_s=0.0, samples=recorded, record=results.__setitem__,
        devices={CARD.id: SimpleNamespace(device=CARD, unusable=None, take_result=lambda: None)},
    )  # fmt: skip
    BY_KIND["idle"].run(context)
    status, _, evidence = results[CARD.id]
    assert (status, evidence["warnings"], evidence["utilisation_pct"]) == (ResultStatus.PASSED, [], 0.0)
