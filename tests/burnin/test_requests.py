"""Why a run or a stage ends early: what a viewer asks is heeded where it can be, and what is put on record is true."""

from __future__ import annotations

import queue
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.burnin.opening import OpenedRun
from core.burnin.store import RunStore
from core.burnin.supervision import Supervision
from tests.burnin.first_light import CARD, PROFILE, begun


@pytest.fixture
def burn(store: RunStore, tmp_path: Path) -> Supervision:
    """A run between two stages, whose sensors report all the time."""
    run_id = begun(store)
    run = OpenedRun(run_id, PROFILE, [CARD], [CARD], [], tmp_path)
    sensors: Any = SimpleNamespace(
        sampler=SimpleNamespace(mark=None), silent_s=lambda: 0.0, fresh=lambda _id: {}, device_silent_s=lambda _id: 0.0
    )
    return Supervision(tmp_path, store, run, sensors, queue.SimpleQueue())


def overdue(burn: Supervision) -> None:
    """The sampler tells that a driver hangs."""
    message = {"type": "overdue", "seconds": 2.0, "waiting_for": "the driver of GPU 3"}
    burn.sensors.sampler = cast("Any", SimpleNamespace(mark=None))
    burn._inbox.put((burn.sensors.sampler, message))
    burn.turn()


def events(store: RunStore, run_id: int = 1) -> list[tuple[str, str]]:
    return [(event.kind, event.message) for event in store.events(run_id)]


def test_a_skip_between_two_stages_skips_nothing_and_says_so(burn: Supervision, store: RunStore) -> None:
    store.request(1, "skip")
    burn.turn()
    assert store.pending_requests(1) == []
    assert not burn.skip
    assert events(store) == [("skip", "A skip was asked for while no stage was under way: nothing was skipped.")]


def test_a_skip_within_a_stage_ends_it_early(burn: Supervision, store: RunStore) -> None:
    burn.begin(cast("Any", SimpleNamespace(number=0, fraction=0.5)))
    store.request(1, "skip")
    burn.turn()
    assert burn.skip
    assert events(store) == [("skip", "The user skipped the rest of this stage.")]


def test_a_run_that_ends_because_a_driver_hangs_names_it(burn: Supervision, monkeypatch: pytest.MonkeyPatch) -> None:
    overdue(burn)
    monkeypatch.setattr(burn.sensors, "silent_s", lambda: 11.0)
    monkeypatch.setattr(burn, "_next_tick", 0.0)
    burn.turn()
    assert burn.stopped is not None
    assert "the driver of GPU 3 does not answer" in burn.stopped.text
