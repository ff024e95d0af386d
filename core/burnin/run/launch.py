"""Starts a run from a viewer, as a process that outlives it."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path
from typing import IO

from core.burnin.children.child import open_log
from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.lock import runner_alive
from core.burnin.run.order import BurnOrder
from core.burnin.run.outside import runner_lives
from core.machine.telemetry.detect import START_WITHIN_S
from core.platform.errors import EnvironmentProblem, ExitCode, RigwrightError
from core.platform.processes import able_to_sign, english_environment, own_environment, own_python
from core.platform.protocol import Message, decode
from core.platform.pytorch import lack_of_pytorch
from core.words import tr

__all__ = ["BurnOrder", "active_run", "start_run"]

ANSWER_WITHIN_S = START_WITHIN_S + 30.0
NOTICES_FILE = "notices.json"
"""In the data folder, where somebody is to be told of runs; see `core.notify`."""


def start_run(data_dir: Path, order: BurnOrder) -> int:
    """Starts the runner and waits until the run is on record; returns its number.

    Takes a second or more. Raises RigwrightError with the runner's own sentence when it refuses.
    """
    order.validate_words()
    if order.simulate is None and order.resume is None and (lack := lack_of_pytorch()):
        raise EnvironmentProblem(lack)
    with open_log(data_dir / "logs" / "runner.log") as stream:
        command = own_python("-m", "core.burnin.run.runner", "--data-dir", str(data_dir))
        process = _spawn(command, stream, able_to_sign(english_environment()))
    try:
        answer = _answer(process, order)
    finally:
        threading.Thread(target=process.wait, name="reap the runner", daemon=True).start()
    if answer["type"] == "recorded":
        run_id = int(answer["run"])
        if (data_dir / NOTICES_FILE).exists():
            _tell_others(data_dir, run_id)
        return run_id
    error = RigwrightError(answer["message"])
    error.exit_code = ExitCode(answer["exit_code"])
    raise error


def active_run(data_dir: Path) -> int | None:
    """The run that is being recorded now, by whichever process; None if there is none."""
    locked = runner_alive(data_dir)
    store = RunStore(data_dir)
    try:
        running = (run.id for run in store.runs() if run.status is RunStatus.RUNNING)
        return next((run_id for run_id in running if locked or runner_lives(store, run_id)), None)
    finally:
        store.close()


def _spawn(command: list[str], log: IO[bytes], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own, out of reach of the terminal's Ctrl-C.

    Ctrl-C is held back meanwhile: the new process belongs to the terminal until its session begins. It starts with the
    signal held back, and lets go of it once it has a handler.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, start_new_session=True
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tell_others(data_dir: Path, run_id: int) -> None:
    """Starts the process that tells of failure and end, by its name: it stands above this package."""
    command = own_python("-m", "core.notify.watcher", "--data-dir", str(data_dir), "--run", str(run_id))
    with open_log(data_dir / "logs" / "notices.log") as stream:
        process = _spawn(command, stream, own_environment())
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    threading.Thread(target=process.wait, name="reap the watcher", daemon=True).start()


def _answer(process: subprocess.Popen[bytes], order: BurnOrder) -> Message:
    """Hands the order over and reads the runner's one line. A runner that does not answer is killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    deadline = threading.Timer(ANSWER_WITHIN_S, process.kill)
    deadline.start()
    try:
        with process.stdin as orders, process.stdout as answers:
            orders.write(order.model_dump_json().encode())
            orders.close()
            line = answers.readline()
    except BrokenPipeError:
        line = b""
    finally:
        deadline.cancel()
    answer = decode(line.decode("utf-8", errors="replace"))
    if answer is None:
        raise EnvironmentProblem(
            tr(
                "The burn-in did not start within {seconds:.0f} s, or ended at once: see logs/runner.log "
                "in the data folder. A driver may be hung.",
                seconds=ANSWER_WITHIN_S,
            )
        )
    return answer
