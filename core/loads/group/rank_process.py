"""The process of one rank, as its worker holds it: a hang or a broken communicator ends with the process.

It dies with the worker, since its standard input closes then.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import psutil

from core.loads.dead_man import EXIT_CODE
from core.platform.child_reports import read_report
from core.platform.errors import EnvironmentProblem, reason_of
from core.platform.processes import own_environment, own_python
from core.platform.protocol import ALIVE, Message
from core.words import tr

PROGRAM = ("-m", "core.loads.group.rank")
SIGN_OF_LIFE = json.dumps({"type": ALIVE}) + "\n"
ENDS_BY_ITSELF_S = 0.3
KILLED_WITHIN_S = 0.7
RAISED = 1
"""With this code Python ends after an exception that was not caught."""


def rank_environment(meeting: Path, rank: int, *, p2p: bool, threads: int | None) -> dict[str, str]:
    """Variables that NCCL and gloo read when they start.

    NCCL's watchdog writes what hung beside the meeting place; it acts later than the worker, which tells it in words.
    """
    chosen = {
        "TORCH_NCCL_ENABLE_MONITORING": "1",
        "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "60",
        "TORCH_FR_BUFFER_SIZE": "2000",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": f"{meeting}.trace-",
        "NCCL_DEBUG": "WARN",
        "NCCL_DEBUG_FILE": f"{meeting}.nccl-{rank}.log",
    }
    if sys.platform == "linux":
        # All ranks are on this machine: nothing listens on the network, and the name of the host need not resolve.
        chosen["GLOO_SOCKET_IFNAME"] = chosen["NCCL_SOCKET_IFNAME"] = "lo"
    if not p2p:
        chosen["NCCL_P2P_DISABLE"] = "1"
    if threads is not None:
        chosen["OMP_NUM_THREADS"] = str(threads)
    return chosen


class RankProcess:
    """Runs one rank; what it reports waits in a queue. Raises EnvironmentProblem when it cannot be started."""

    def __init__(self, rank: int, environment: Mapping[str, str]) -> None:
        self.rank = rank
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._ended_by_us = False
        try:
            self._process = subprocess.Popen(
                own_python(*PROGRAM),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=own_environment() | dict(environment),
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            fields = {"rank": rank, "reason": reason_of(error)}
            raise EnvironmentProblem(tr("The process of rank {rank} cannot be started: {reason}.", **fields)) from error
        assert self._process.stdout is not None
        threading.Thread(target=self._listen, args=(self._process.stdout,), name=f"rank {rank}", daemon=True).start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def order(self, **fields: Any) -> None:
        """Sends the one command; a process that is gone gets none, which its last message tells."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"type": "start", **fields}) + "\n")
            self._process.stdin.flush()

    def beat(self) -> None:
        """Gives a sign of life, several times a second: without it the rank ends by itself."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(SIGN_OF_LIFE)
            self._process.stdin.flush()

    def next(self) -> Message | None:
        """The next report, if there is one. The last is of type "ended", made here when the process has gone."""
        try:
            return self._inbox.get_nowait()
        except queue.Empty:
            return None

    def end(self) -> bool:
        """Closes its input, kills it if that does not end it; False if the kernel holds it even then."""
        assert self._process.stdin is not None
        self._ended_by_us = True
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        if self._gone_within(ENDS_BY_ITSELF_S):
            return True
        self._process.kill()
        return self._gone_within(KILLED_WITHIN_S)

    def ending(self) -> str:
        """How the process ended, in words."""
        code = self._process.poll()
        if code is None:
            return tr("process {pid} is still running", pid=self.pid)
        if code < 0:
            fields = {"pid": self.pid, "number": -code, "name": signal.Signals(-code).name}
            return tr("process {pid} was ended by signal {number} ({name})", **fields)
        return tr("process {pid} ended with exit code {code}", pid=self.pid, code=code)

    @property
    def killed_from_outside(self) -> bool:
        """Ended by SIGKILL or SIGTERM that was not ours: a person, or the system short of memory."""
        return not self._ended_by_us and self._process.poll() in (-signal.SIGKILL, -signal.SIGTERM)

    @property
    def raised(self) -> bool:
        """Whether it ended with an error that nothing expected: those of driver and framework it tells itself."""
        return self._process.poll() == RAISED

    @property
    def ended_unsupervised(self) -> bool:
        """Whether its dead-man's switch ended it: this process was frozen, or stuck."""
        return self._process.poll() == EXIT_CODE

    def _gone_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _listen(self, reports: IO[str]) -> None:
        with reports:
            for line in reports:
                if (message := read_report(line)) is not None:
                    self._inbox.put(message)
        self._process.wait()
        self._inbox.put({"type": "ended"})


@dataclass(frozen=True, slots=True)
class RankEntry:
    """One rank: its process, and why it has left if it has; `done` if in good order."""

    pid: int
    left: str = ""
    done: bool = False

    @property
    def gone(self) -> str:
        """Why nobody needs to wait for it any more; empty while it works or once it is done."""
        if self.done:
            return ""
        return self.left or ("" if _runs(self.pid) else tr("its process {pid} is gone", pid=self.pid))


class Roll:
    """The entries of a group. Files are replaced whole, so that a reader never sees half of one."""

    def __init__(self, meeting: Path, size: int) -> None:
        self._meeting = meeting
        self._size = size

    def enter(self, rank: int, pid: int) -> None:
        """This rank has a process. Raises OSError where the file cannot be written."""
        self._write(rank, {"pid": pid, "left": "", "done": False})

    def leave(self, rank: int, reason: str, *, done: bool) -> None:
        """This rank has ended; who still waits for it reads why."""
        entry = self._read(rank)
        self._write(rank, {"pid": entry.pid if entry else 0, "left": reason, "done": done})

    def absent(self) -> list[int]:
        """Ranks that have never come."""
        return [rank for rank in range(self._size) if self._read(rank) is None]

    def gone(self) -> dict[int, str]:
        """Ranks that came and will do nothing any more, with the reason."""
        entries = {rank: entry for rank in range(self._size) if (entry := self._read(rank))}
        return {rank: entry.gone for rank, entry in entries.items() if entry.gone}

    def _write(self, rank: int, entry: dict[str, str | int | bool]) -> None:
        path = self._path(rank)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_text(json.dumps(entry), encoding="utf-8")
        draft.replace(path)

    def _read(self, rank: int) -> RankEntry | None:
        try:
            return RankEntry(**json.loads(self._path(rank).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    def _path(self, rank: int) -> Path:
        return self._meeting.with_name(f"{self._meeting.name}.rank{rank}")


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
