"""What a terminal shows of a run: stage, share, time left, the worst card, and a runner that falls silent."""

import io
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.live import Live

from core.burnin.record.rows import (
    MACHINE,
    EventLevel,
    Outcome,
    Reason,
    ReasonCriterion,
    ResultStatus,
    RunDevice,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower, RunProgress, progress_of
from core.burnin.run.machine import boot_of
from core.cli.follow import TerminalRunView
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.begun_run import begun
from tests.burnin.many_cards import begun_with, card_id
from tests.present.report.recorded import UUIDS, record_run

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
        progress: RunProgress = progress_of(store, on_the_way(store))
    assert (progress.elapsed_s, progress.remaining_s) == (21.0, 39.0)
    assert (progress.worst_device, progress.worst_told) == ("GPU 5", "lost")


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
    assert [line.split()[0] for line in lines[:5]] == ["FAIL", "FAIL", "GPU", "PASS", "FAIL"]
    assert lines[2].strip() == "GPU 1: 3 wrong results.", "the reason under its cause"
    assert "GPU 0: NVIDIA GeForce RTX 3090" in lines[3]
    assert lines[3].rstrip().endswith("; 3 checks passed")
    assert "GPU 1, PCIE5: NVIDIA GeForce RTX 3090" in lines[4]
    assert not any("Check 0 passed." in line for line in lines)


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    processor = RunDevice(Device("cpu", DeviceKind.CPU, "A processor"), 0, True)
    with closing(RunStore(tmp_path)) as store:
        run_id = begun(store, boot_of(tmp_path, simulated=False), [processor], runner_pid=4711)
        with store._db.atomic():
            store._db.execute("UPDATE beats SET monotonic_s = ?", (time.monotonic() - 12.0,))
        yield Follower(store, run_id)


@pytest.mark.parametrize("terminal", [True, False])
def test_silence_is_reported_once_with_what_can_be_done_about_it_and_its_end(
    follower: Follower, terminal: bool
) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=terminal, width=200, _environ={"TERM": "xterm"})
    silent = follower.poll()
    assert silent.silent_s == pytest.approx(12.0, abs=1.0)
    view = TerminalRunView(follower)
    with Live(console=console, transient=True, auto_refresh=False) as live:
        for seconds in (12.0, 13.0, 14.0):
            view.take(replace(silent, silent_s=seconds), live)
        while_silent = shown.getvalue()
        view.take(replace(silent, silent_s=None), live)
    assert "The runner of run 1 (process 4711) has not answered for 12 s." in while_silent
    assert "End it with: rigwright stop 1" in while_silent
    assert ("for 14 s" in while_silent) == terminal, "a log has the sentence once, a terminal the seconds as they pass"
    assert "The runner of run 1 answers again." in shown.getvalue()
