"""What the signs of life to the workers, the look for frozen ones and the look at the clock cost the runner.

    make bench

Two runs on eight simulated cards go on at the same time, one with them and one without, so that both feel the same
machine.
"""

import contextlib
import os
import pkgutil
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import psutil
import pytest

from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from tests.burnin.processes import burning
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process
ALLOWED_PCT = 2.0
"""Of one core, more than without."""
SWITCHED_OFF = {
    "core.burnin.run.runner": (
        "core.burnin.children.child:SignOfLife._go",
        "core.burnin.children.device_under_test:DeviceUnderTest.look_for_freeze",
        "core.burnin.run.machine:WallClock.take_jump",
        "core.burnin.run.machine:WallClock.take_sleep_s",
    ),
    "core.loads.worker": ("core.loads.dead_man:DeadMan._look",),
}
"""By program: a runner that gives no signs of life and looks at no clock, and workers that do not wait for any."""
WITHOUT = f"""
import pkgutil, sys
for program, methods in {SWITCHED_OFF}.items():
    for method in methods if program in sys.orig_argv else ():
        owner, _, name = method.rpartition(".")
        setattr(pkgutil.resolve_name(owner), name, lambda *_: None)
"""
PROFILE = 'name = "steady"\ntitle = "Steady"\n[[stages]]\nkind = "gemm"\nseconds = 120\n[guards]\nstagger_s = 0\n'


def begun(folder: Path) -> tuple[RunStore, int, psutil.Process]:
    (folder / "steady.toml").write_text(PROFILE, "utf-8")
    run_id = start_run(folder, BurnOrder(profile=str(folder / "steady.toml"), simulate="8x3090"))
    store = RunStore(folder)
    return store, run_id, psutil.Process(store.run(run_id).runner_pid)


@pytest.fixture
def both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[tuple[RunStore, int, psutil.Process], tuple[RunStore, int, psutil.Process]]]:
    """The run with everything, and the one without."""
    for method in chain.from_iterable(SWITCHED_OFF.values()):
        assert callable(pkgutil.resolve_name(method))
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    first = begun(tmp_path / "with")
    (tmp_path / "without" / "sitecustomize.py").write_text(WITHOUT, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "without"), prepend=os.pathsep)
    second = begun(tmp_path / "without")
    yield first, second
    for store, _, runner in (first, second):
        with contextlib.suppress(psutil.NoSuchProcess):
            runner.kill()
        store.close()


def used_s(runner: psutil.Process) -> float:
    return float(sum(runner.cpu_times()[:2]))


def test_signs_of_life_cost_the_runner_next_to_nothing(
    both: tuple[tuple[RunStore, int, psutil.Process], tuple[RunStore, int, psutil.Process]],
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured = bool(request.config.getoption("benchmark_enable"))
    deadline = time.monotonic() + PATIENCE_S
    while not all(burning(store, run_id, 8) for store, run_id, _ in both):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    runners = [runner for _, _, runner in both]
    before, begun_s = [used_s(runner) for runner in runners], time.monotonic()
    time.sleep(20.0 if measured else 3.0)
    elapsed_s = time.monotonic() - begun_s
    shares = [100 * (used_s(runner) - used) / elapsed_s for runner, used in zip(runners, before, strict=True)]
    with capsys.disabled():
        sys.stdout.write(
            f"\nrunner of 8 GPUs: {shares[0]:.1f} % of one core with signs of life, {shares[1]:.1f} % without "
            f"(allowed {ALLOWED_PCT:.0f} more)\n"
        )
    assert all(runner.is_running() for runner in runners)
    if measured:
        assert shares[0] < shares[1] + ALLOWED_PCT
