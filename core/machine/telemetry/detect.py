"""Lists the devices of this machine without touching a driver: a child process asks, and may take long or hang."""

from __future__ import annotations

import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.machine.telemetry.device import Device, DeviceKind
from core.platform.child_reports import read_report
from core.platform.errors import BadInput, EnvironmentProblem, ExitCode
from core.platform.processes import own_environment, own_python
from core.platform.protocol import Message
from core.words import tr

SAMPLER = "core.machine.telemetry.sampler"
_END_WITHIN_S = 1.0
START_WITHIN_S = 120.0
"""The driver wakes eight cards one after the other where persistence mode is off, which takes up to two minutes."""


def detect_devices(simulate: str | None = None, timeout_s: float = START_WITHIN_S) -> list[Device]:
    """GPUs in the order of the PCI bus, then the CPU. Takes a fraction of a second, or two minutes where
    a driver starts; call it off the window's thread.

    Raises BadInput for a bad `simulate`, EnvironmentProblem when a driver does not answer within `timeout_s`.
    """
    arguments = ["--simulate", simulate] if simulate is not None else []
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            own_python("-m", SAMPLER, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=own_environment(),
        )
        try:
            report = _first_report(child, timeout_s)
        finally:
            _end(child)
        if report is None:
            errors.seek(0)
            raise _failure(child, errors.read().decode("utf-8", errors="replace"))
    return [Device.from_dict(stored) for stored in report["devices"]]


def burnable(devices: list[Device]) -> list[Device]:
    """What is burned in unless the user chooses: every GPU, never the CPU in place of one.

    In place of a GPU that MIG divides its shares: CUDA opens nothing else of it.
    """
    divided = {device.parent for device in devices if device.parent}
    return [device for device in devices if device.kind is DeviceKind.GPU and device.id not in divided]


def _first_report(child: subprocess.Popen[bytes], timeout_s: float) -> Message | None:
    """The child's `devices` report; None when it ended without one. Raises EnvironmentProblem after the timeout."""
    assert child.stdout is not None
    reports: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(child.stdout, reports), name="detect devices", daemon=True).start()
    try:
        return reports.get(timeout=timeout_s)
    except queue.Empty:
        raise EnvironmentProblem(
            tr(
                "The driver did not answer within {timeout_s:g} s: a GPU or its driver hangs. Check the "
                "kernel log (journalctl -k) and restart the machine.",
                timeout_s=timeout_s,
            )
        ) from None


def _listen(stream: IO[bytes], reports: queue.SimpleQueue[Message | None]) -> None:
    """Runs in a thread, since a pipe cannot be read with a deadline on every platform."""
    with stream:
        for line in stream:
            message = read_report(line.decode("utf-8", errors="replace"))
            if message is not None and message["type"] == "devices":
                reports.put(message)
                return
    reports.put(None)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Asks, then kills; a process that the kernel holds in a hung driver is left to it."""
    assert child.stdin is not None
    child.stdin.close()
    for ask in (child.kill, lambda: None):
        try:
            child.wait(timeout=_END_WITHIN_S)
        except subprocess.TimeoutExpired:
            ask()
        else:
            return


def _failure(child: subprocess.Popen[bytes], stderr: str) -> BadInput | EnvironmentProblem:
    last = (stderr.strip().splitlines() or [tr("no error message")])[-1]
    if child.returncode == ExitCode.USAGE:
        return BadInput(last)
    return EnvironmentProblem(tr("The devices could not be listed: {last}", last=last))


TELL_AFTER_S = 5.0
TELL_EVERY_S = 1.0
DRIVER = Path("/proc/driver/nvidia")
"""There where the kernel has loaded the NVIDIA driver."""


def waits_for_driver(driver: Path = DRIVER) -> bool:
    """Whether it is the NVIDIA driver that may take so long, as far as this process can tell without asking it."""
    return driver.exists()


def waiting_words(waited_s: float, *, for_driver: bool) -> str:
    """A sentence for somebody who waits."""
    if for_driver:
        return tr(
            "Waiting for the NVIDIA driver… {waited_s:.0f} s; without persistence mode up to two minutes.",
            waited_s=waited_s,
        )
    return tr("Waiting for the devices to be listed… {waited_s:.0f} s.", waited_s=waited_s)


@contextmanager
def told_meanwhile(
    tell: Callable[[float], None], *, after_s: float = TELL_AFTER_S, every_s: float = TELL_EVERY_S
) -> Iterator[None]:
    """Calls `tell` from another thread with the seconds that have passed, from `after_s` on, until the block ends."""
    over = threading.Event()
    began_s = time.monotonic()

    def go() -> None:
        wait_s = after_s
        while not over.wait(wait_s):
            tell(time.monotonic() - began_s)
            wait_s = every_s

    teller = threading.Thread(target=go, name="told meanwhile", daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
