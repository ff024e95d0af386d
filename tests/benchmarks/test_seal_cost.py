"""What the hash chain adds to recording eight cards, in per cent of the runner's and the sampler's processor time.

    make bench

A real run tells what recording costs on this machine; the chain's part is measured right after it by ticks with
and without chain in turns, the best of each: what else runs only ever adds.
"""

import random
import sys
import time
from collections.abc import Callable
from contextlib import closing
from math import inf
from pathlib import Path

import psutil
import pytest

from core.burnin.profile.file import find_profile
from core.burnin.record import sample_table
from core.burnin.record.rows import RunDevice
from core.burnin.record.sample_table import FOLDED_TICKS
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import NAMES
from tests.burnin.processes import finished
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process
ALLOWED_PCT = 1.0
CARDS = [Device(f"GPU-{number}-5f3c-4b7e-9a3d", DeviceKind.GPU, "Card") for number in range(8)]
PROFILE = 'name = "steady"\ntitle = "Steady"\n[[stages]]\nkind = "gemm"\nseconds = 120\n[guards]\nstagger_s = 0\n'


def recording_s(folder: Path, seconds: float) -> float:
    """Processor time of runner and sampler for a second of a run on eight simulated cards, s."""
    (folder / "steady.toml").write_text(PROFILE, "utf-8")
    run_id = start_run(folder, BurnOrder(profile=str(folder / "steady.toml"), simulate="8x3090"))
    with closing(RunStore(folder)) as store:
        runner = psutil.Process(store.run(run_id).runner_pid)
        wait_until(lambda: store.last_time_s(run_id) > 5, within_s=PATIENCE_S)
        sampler = next(child for child in runner.children() if "core.machine.telemetry.sampler" in child.cmdline())
        from_s, before = store.last_time_s(run_id), used_s(runner, sampler)
        wait_until(lambda: store.last_time_s(run_id) > from_s + seconds, within_s=seconds + 60)
        spent_s = (used_s(runner, sampler) - before) / (store.last_time_s(run_id) - from_s)
        store.request(run_id, "stop")
        wait_until(lambda: finished(store, run_id), within_s=PATIENCE_S)
    return spent_s


def wait_until(true: Callable[[], bool], within_s: float) -> None:
    end_s = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < end_s, "the run stands still"
        time.sleep(0.05)


def used_s(*processes: psutil.Process) -> float:
    return float(sum(sum(process.cpu_times()[:2]) for process in processes))


def tick_s(folder: Path, *, chained: bool, monkeypatch: pytest.MonkeyPatch) -> float:
    """Processor time of a tick in the store, folding included, s."""
    chance = random.Random(7)
    row = {name: round(chance.random() * 1000, 2) for name in NAMES[:40]}
    profile = find_profile("quick-test")
    with monkeypatch.context() as patch, closing(RunStore(folder)) as store:
        if not chained:
            patch.setattr(sample_table, "next_head", lambda *_: b"")
            patch.setattr(sample_table, "piece_of", lambda _: (b"", b""))
        run_id = store.create_run(
            title="x", profile=profile, devices=[RunDevice(card, at, True) for at, card in enumerate(CARDS)],
            stage_titles=[stage.kind for stage in profile.stages], boot_id="b", machine="m", version="1",
        )  # fmt: skip
        start = time.process_time()
        for tick in range(FOLDED_TICKS):
            store.add_tick(run_id, float(tick), {card.id: row for card in CARDS}, stage=(0, 0.5))
        return (time.process_time() - start) / FOLDED_TICKS


def test_the_chain_costs_next_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = request.config.getoption("benchmark_enable")
    (tmp_path / "run").mkdir()
    whole_s = recording_s(tmp_path / "run", 30.0 if measured else 1.0)
    with_s, without_s = inf, inf
    for _ in range(8 if measured else 1):
        with_s = min(with_s, tick_s(tmp_path, chained=True, monkeypatch=monkeypatch))
        without_s = min(without_s, tick_s(tmp_path, chained=False, monkeypatch=monkeypatch))
    share_pct = 100 * (with_s - without_s) / max(whole_s - (with_s - without_s), 1e-9)
    with capsys.disabled():
        sys.stdout.write(
            f"\nhash chain, 8 cards: {1e6 * (with_s - without_s):.0f} µs of {1e3 * whole_s:.1f} ms a second,"
            f" {share_pct:.2f} % (allowed {ALLOWED_PCT:.0f})\n"
        )
    if measured:
        assert share_pct <= ALLOWED_PCT
