"""What a terminal shows of a run that goes on: stage, share, time left and the worst card, at any usual width."""

import io
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.live import Live

from core.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.burnin.record.rows import (
    MACHINE,
    EventLevel,
    Outcome,
    Reason,
    ReasonCriterion,
    ResultStatus,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower, RunProgress, progress_of
from core.cli.follow import TerminalRunView
from tests.burnin.many_cards import begun_with, card_id
from tests.report.recorded import UUIDS, record_run

WIDTHS = (60, 72, 80, 120, 200)


def on_the_way(store: RunStore) -> int:
    """Eight cards in the third of five stages; card 5 was lost in it, card 2 had an Xid before."""
    run_id = begun_with(store, 8)
    for number in (0, 1):
        store.start_stage(run_id, number, 4.0 * number, "boot")
        store.end_stage(run_id, number, 4.0 * number + 4, StageStatus.DONE)
        for card in range(8):
            store.add_result(run_id, StageResult(number, card_id(card), ResultStatus.PASSED, ""))
    store.start_stage(run_id, 2, 8.0, "boot")
    row = {"temperature_c": 65.0, "power_w": 340.0, "clock_mhz": 1695.0, "utilisation_pct": 100.0}
    store.add_tick(run_id, 21.0, {card_id(card): row for card in range(8)}, stage=(2, 0.5))
    store.add_event(run_id, 14.0, EventLevel.ERROR, "xid", "Xid 13", device_id=card_id(2))
    store.add_event(run_id, 19.0, EventLevel.ERROR, "lost", "The device was lost.", device_id=card_id(5))
    return run_id


def shown(store: RunStore, run_id: int, width: int) -> str:
    follower = Follower(store, run_id)
    view, update = TerminalRunView(follower), follower.poll()
    with Live(console=Console(file=io.StringIO(), width=width), auto_refresh=False) as live:
        view.take(update, live)
    screen = Console(file=io.StringIO(), width=width, soft_wrap=True)  # as that of the commands
    screen.print(view.state(update, width))
    return screen.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", WIDTHS)
def test_stage_share_time_left_and_the_worst_card_fit_any_width(tmp_path: Path, width: int) -> None:
    with closing(RunStore(tmp_path)) as store:
        text = shown(store, on_the_way(store), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    whole = " ".join(text.split())
    assert "gemm 50%, stage 3 of 5; run 35%, 39 s left" in whole
    assert "Failed: gemm" in whole
    assert "GPU 5: lost, first at 0:19" in whole
    assert all("340" in line and "1695" in line for line in lines if " 65 " in line)
    assert sum(line.lstrip().startswith("GPU") for line in lines) == 1 + 8
    assert sum(" 65 " in line for line in lines) == 8


def test_a_run_without_errors_shows_its_hottest_card(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = begun_with(store, 2)
        store.add_tick(run_id, 1.0, {card_id(0): {"temperature_c": 50.0}, card_id(1): {"temperature_c": 61.0}})
        assert "No errors so far; hottest GPU 1, 61 °C" in shown(store, run_id, 60)


def test_progress_has_the_time_behind_and_ahead_and_the_worst_card(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        found: RunProgress = progress_of(store, on_the_way(store))
    assert (found.elapsed_s, found.remaining_s) == (21.0, 39.0)
    assert (found.worst_device, found.worst_told) == ("GPU 5", "lost")


def test_what_passed_on_many_cards_is_counted_below_the_cause(rigwright: Any, tmp_path: Path) -> None:
    with closing(RunStore(tmp_path / "data")) as store:
        number = record_run(store, verdict=False)
        passed = tuple(Reason(Outcome.PASS, f"Check {place} passed.") for place in range(3))
        wrong = Reason(Outcome.FAIL, "3 wrong results.", criterion=ReasonCriterion.ERRORS, measured=3, time_s=61.0)
        card = BuiltCard(UUIDS[1], "RTX 3090", slot="PCIE5", position=3)
        store.set_as_built(number, AsBuilt("2026-01-01T00:00:00+00:00", MachineFacts(), (card,)))
        machine = Verdict(MACHINE, Outcome.FAIL, ())
        store.finish(
            number, [machine, Verdict(UUIDS[0], Outcome.PASS, passed), Verdict(UUIDS[1], Outcome.FAIL, (wrong,))]
        )
    lines = [line for line in rigwright("watch").stdout.splitlines() if line]
    assert "GPU 1: 3 wrong results, first at 1:01" in lines[1]
    assert [line.split()[0] for line in lines[:4]] == ["FAIL", "FAIL", "PASS", "FAIL"]
    assert "GPU 0: NVIDIA GeForce RTX 3090" in lines[2]
    assert lines[2].endswith("; 3 checks passed")
    assert "GPU 1, PCIE5: NVIDIA GeForce RTX 3090" in lines[3]
    assert not any("Check 0 passed." in line for line in lines)
