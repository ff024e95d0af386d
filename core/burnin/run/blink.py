"""Loads one card for some seconds, so that whoever stands in front of the machine hears and feels which one it is."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable
from pathlib import Path

from core.burnin.children.child import Child, Inbox
from core.burnin.children.device_under_test import WORKER
from core.burnin.run.lock import runner_alive, take_device_locks
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import BadInput, EnvironmentProblem
from core.words import tr

BLINK_S = 20.0
"""A fan follows its card within seconds; the card is still far from its limits."""
READY_WITHIN_S = 90.0
"""PyTorch and CUDA may take a minute to load."""
ENDS_WITHIN_S = 10.0
_LOAD = "gemm"


def blink(
    device: Device, data_dir: Path, *, seconds: float = BLINK_S, begun: Callable[[], None] = lambda: None
) -> None:
    """Runs products on the card; `begun` is called when they start.

    Raises BadInput for what is no GPU, EnvironmentProblem while a burn-in goes on, where the card is held by another
    one, or where nothing can run on it.
    """
    if device.kind is not DeviceKind.GPU:
        raise BadInput(tr("{device} is not a GPU: only a GPU can be identified by its fan.", device=device.title))
    if runner_alive(data_dir):
        raise EnvironmentProblem(
            tr("A burn-in is running: all its cards are under load. Stop it first: {rigwright stop}")
        )
    locks = take_device_locks([device])
    inbox: Inbox = queue.SimpleQueue()
    simulated = ["--simulated", device.name] if device.simulated else []
    command = [WORKER, "--device", device.id, "--kind", device.kind, *simulated]
    child = Child(f"worker {device.id}", command, inbox=inbox, log=data_dir / "logs" / "blink.log")
    try:
        _await(inbox, "ready", READY_WITHIN_S, child)
        child.send("start", load=_LOAD, seconds=seconds, params={})
        begun()
        done = _await(inbox, "done", seconds + ENDS_WITHIN_S, child)
    finally:
        child.stop()
        with contextlib.suppress(EnvironmentProblem):
            _await(inbox, "ended", ENDS_WITHIN_S, child)
        child.kill()
        for lock in locks:
            lock.release()
    if done.get("status") == "not_run":
        fields = {"device": device.title, "reason": done.get("reason")}
        raise EnvironmentProblem(tr("{device} could not be put under load: {reason}", **fields))


def _await(inbox: Inbox, type_: str, within_s: float, child: Child) -> dict[str, object]:
    """The child's next message of this type. Raises EnvironmentProblem when it ends, or does not come in time."""
    deadline = time.monotonic() + within_s
    while (left_s := deadline - time.monotonic()) > 0:
        try:
            _, message = inbox.get(timeout=left_s)
        except queue.Empty:
            break
        if message["type"] == type_:
            return message
        if message["type"] == "ended":
            raise EnvironmentProblem(tr("The card could not be put under load: {ending}", ending=child.ending()))
    raise EnvironmentProblem(
        tr("The card did not answer within {seconds:.0f} s. See logs/blink.log.", seconds=within_s)
    )
