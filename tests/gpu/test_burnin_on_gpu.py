"""First light on the real GPUs of a machine, from detection to verdict, with the driver's own telemetry."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from core.burnin.follow import COLUMN
from core.burnin.launch import BurnOrder, start_run
from core.burnin.record import Outcome, ResultStatus, RunStatus
from core.burnin.store import RunStore
from core.telemetry.detect import detect_devices
from core.telemetry.device import DeviceKind

pytestmark = [pytest.mark.gpu, pytest.mark.process, pytest.mark.timeout(300)]
WITHIN_S = 240.0


def test_first_light_passes_and_measures_every_gpu(tmp_path: Path) -> None:
    gpus = [device for device in detect_devices() if device.kind is DeviceKind.GPU]
    if not gpus:
        pytest.skip("NOT RUN: this machine has no NVIDIA GPU")
    run_id = start_run(tmp_path, BurnOrder())
    store = RunStore(tmp_path)
    try:
        deadline = time.monotonic() + WITHIN_S
        while store.run(run_id).status is RunStatus.RUNNING and time.monotonic() < deadline:
            time.sleep(0.2)
        verdicts = store.verdicts(run_id)
        assert verdicts, "no verdict in time"
        assert verdicts[0].outcome in (Outcome.PASS, Outcome.WARN), verdicts
        failed = [result for result in store.results(run_id) if result.status is not ResultStatus.PASSED]
        assert failed == []
        for gpu in gpus:
            samples = store.samples(run_id, gpu.id)
            for metric in ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops"):
                assert np.nanmax(samples[:, COLUMN[metric]]) > 0, f"{gpu.title}: {metric} was never measured"
            assert np.nanmax(samples[:, COLUMN["errors"]]) == 0
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(store.run(run_id).runner_pid).kill()
        store.close()
