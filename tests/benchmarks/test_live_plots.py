"""What it costs to watch eight GPUs for a day: one sample a second, six charts of eight curves.

    pytest tests/benchmarks/test_live_plots.py --benchmark-enable -s

Without --benchmark-enable the same code runs once on an hour, so that it keeps working.
"""

import os
import sys
import time
from contextlib import closing

import numpy as np
import pytest

from core.burnin.follow import Follower
from core.burnin.store import _INSERT_SAMPLE, RunStore
from core.telemetry.metrics import NAMES
from gui.burnin.board import DEFAULT_METRICS
from gui.burnin.recording import Recording
from gui.burnin.run_view import RunView
from tests.gui.burnin.fake_run import FakeRun, gpu

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

DEVICES = 8
DAY_S = 24 * 3600
HOUR_S = 3600
METRICS = (*DEFAULT_METRICS, "fan_pct")
POLLS_PER_S = 4
ALLOWED_PCT = 25.0


@pytest.fixture(scope="module")
def seconds(request):
    return DAY_S if request.config.getoption("benchmark_enable") else HOUR_S


@pytest.fixture(scope="module")
def long_run(tmp_path_factory, seconds):
    """A run that has gone on for a day."""
    folder = tmp_path_factory.mktemp("day")
    run = FakeRun(folder, [gpu(index) for index in range(DEVICES)])
    run.begin(2, 0.0)
    random = np.random.default_rng(1)
    columns = {"temperature_c": 70, "power_w": 340, "clock_mhz": 1700, "utilisation_pct": 95, "fan_pct": 60,
               "throughput_tflops": 70, "throttle_mask": 4, "errors": 0, "power_limit_w": 350}  # fmt: skip
    with run.store._db.atomic():
        for device in run.devices:
            values = np.full((seconds, len(NAMES)), np.nan)
            for name, level in columns.items():
                noise = 0 if name in ("throttle_mask", "errors", "power_limit_w") else level / 50
                values[:, NAMES.index(name)] = level + noise * random.standard_normal(seconds)
            rows = values.astype(object)
            rows[np.isnan(values)] = None
            run.store._db.conn.executemany(
                _INSERT_SAMPLE, ((run.id, device.id, float(second), *row) for second, row in enumerate(rows.tolist()))
            )
    run.load = 1.0
    yield folder, run
    run.close()


@pytest.fixture
def view(qtbot, long_run):
    """A view of it that is fed by hand, so that only its own work is measured."""
    folder, run = long_run
    view = RunView(folder)
    qtbot.addWidget(view)
    view.resize(1440, 900)
    view.show()
    store = RunStore(folder)
    follower = Follower(store, run.id)
    update = follower.poll()
    view.recording = Recording(update.run, follower.devices)
    view.recording.apply(update)
    for part in (view.stages, view.board, view.cards, view.log):
        part.set_recording(view.recording)
    view.board.set_metrics(METRICS)
    with closing(store):
        yield view, follower, run


def second_of_watching(view, follower, qapp):
    """Four polls of which one brings a sample of every device, and what is drawn of it."""
    for _ in range(POLLS_PER_S):
        update = follower.poll()
        if update.samples:
            view._apply(update)
    qapp.processEvents()


@pytest.mark.parametrize("window_s", [60, 300, 3600, 6 * 3600, None], ids=str)
def test_watching_a_day_costs_less_than_a_quarter_of_a_core(benchmark, view, qapp, window_s, monkeypatch, seconds):
    shown, follower, run = view
    monkeypatch.setattr(shown, "_is_late", lambda: False)
    shown.board.set_window(window_s)
    qapp.processEvents()
    clock = [run.store.last_time_s(run.id)]
    costs = []

    def next_second():
        clock[0] += 1.0
        run.tick(clock[0], (2, 0.5))

    def watch():
        start = time.process_time()
        second_of_watching(shown, follower, qapp)
        costs.append(time.process_time() - start)

    benchmark.pedantic(watch, setup=next_second, rounds=20, iterations=1, warmup_rounds=2)
    percent = 100 * float(np.mean(costs))
    sys.stderr.write(f"\n{DEVICES} devices, {seconds / 3600:.0f} h, window {window_s} s: {percent:.1f} % of a core\n")
    assert percent < ALLOWED_PCT
    assert shown.recording.sampled_s == clock[0]


def test_a_picture_of_any_window_is_drawn_within_a_fifth_of_a_second(benchmark, view, qapp):
    shown, _, _ = view

    def draw():
        for window_s in (60.0, None):
            shown.board.set_window(window_s)
            qapp.processEvents()

    benchmark.pedantic(draw, rounds=10, iterations=1, warmup_rounds=1)
    assert benchmark.disabled or benchmark.stats["mean"] < 0.2


def test_a_day_is_read_and_summarised(benchmark, long_run):
    folder, run = long_run

    def read():
        with closing(RunStore(folder)) as store:
            follower = Follower(store, run.id)
            update = follower.poll()
            recording = Recording(update.run, follower.devices)
            recording.apply(update)
        return recording

    recording = benchmark.pedantic(read, rounds=1, iterations=1)
    assert recording.devices[0].series.length >= HOUR_S
