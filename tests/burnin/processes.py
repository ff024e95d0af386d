"""What the tests with real processes share: short profiles, and the processes of a run as the system sees them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import psutil

from core.burnin.record.rows import MACHINE, Outcome, RunStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from tests.patience import gone

Start = Callable[..., int]
WriteProfile = Callable[..., str]
WaitFor = Callable[..., Any]
TINY_GPT = {"layers": 2, "width": 64, "heads": 2, "context": 32, "batch": 4}
SHORT = (("preflight", 1.0, {}), ("gemm", 2.0, {"size": 128}), ("transformer", 2.0, TINY_GPT))
LONG = (("preflight", 1.0, {}), ("gemm", 60.0, {"size": 128}))


def family(store: RunStore, run_id: int) -> list[psutil.Process]:
    """The runner of a run, if it lives, and its children; it may end while it is asked."""
    pid = store.run(run_id).runner_pid
    if pid is None:
        return []
    try:
        runner = psutil.Process(pid)
        return [runner, *runner.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def child(store: RunStore, run_id: int, module: str, word: str = "") -> psutil.Process | None:
    """The child of a run that runs a module, with `word` among its arguments."""
    for process in family(store, run_id)[1:]:
        with contextlib.suppress(psutil.NoSuchProcess):
            if module in process.cmdline() and (not word or word in process.cmdline()):
                return process
    return None


def finished(store: RunStore, run_id: int) -> bool:
    return store.run(run_id).status is RunStatus.FINISHED


def burning(store: RunStore, run_id: int, devices: int) -> bool:
    """Whether all devices report throughput."""
    rows = [row.device.id for row in store.devices(run_id) if row.burned]
    rates = [store.samples(run_id, device_id)[:, COLUMN["throughput_tflops"]] for device_id in rows]
    return sum(bool((rate > 0).any()) for rate in rates) == devices


def outcome(store: RunStore, run_id: int, device_id: str = MACHINE) -> Outcome:
    return next(verdict.outcome for verdict in store.verdicts(run_id) if verdict.device_id == device_id)


def said(store: RunStore, run_id: int) -> str:
    return "\n".join(event.message for event in store.events(run_id))


def burned(store: RunStore, run_id: int) -> list[str]:
    """Ids of the devices that carry loads."""
    return [row.device.id for row in store.devices(run_id) if row.burned]


def running(process: psutil.Process) -> bool:
    """Whether a process still lives."""
    return not gone(process)
