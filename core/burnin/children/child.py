"""A child of the runner: a module in its own process, its log, its reports in a queue, the ladder that ends it.

And what the runner knows of it between two reports: whether somebody froze it, and whether it hears a sign of life.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import psutil

from core.platform.child_reports import read_report
from core.platform.errors import EnvironmentProblem, reason_of
from core.platform.processes import english_environment, is_stopped, mark_of, own_python
from core.platform.protocol import ALIVE, ALIVE_EVERY_S, Message
from core.words import joined, tr

LOOK_EVERY_S = 0.25
NOTED_S = 1.0
"""A shorter freeze costs at most one sample."""


class FreezeWatch:
    """Looked at several times a second. A freeze counts from the last look at which the child still ran."""

    def __init__(self) -> None:
        self._ran_s: float | None = None
        """When it was last seen to run."""
        self._frozen = False
        self.lasted_s = 0.0
        """Of the freeze that goes on, so far."""

    def forget(self) -> None:
        """There is no child, or it is another one from now on."""
        self._ran_s, self._frozen, self.lasted_s = None, False, 0.0

    def excuse(self, seconds: float) -> None:
        """Nobody has looked for so long: who was frozen meanwhile is not known."""
        if self._ran_s is not None:
            self._ran_s += seconds

    def look(self, now_s: float, *, frozen: bool) -> float | None:
        """How long a freeze took that is over, where it is worth a word."""
        ran_s = now_s if self._ran_s is None else self._ran_s
        if frozen:
            self._ran_s, self._frozen, self.lasted_s = ran_s, True, now_s - ran_s
            return None
        was_frozen, self._frozen, self.lasted_s, self._ran_s = self._frozen, False, 0.0, now_s
        return now_s - ran_s if was_frozen and now_s - ran_s >= NOTED_S else None


Inbox = queue.SimpleQueue[tuple["Child", Message]]

SIGN_OF_LIFE = json.dumps({"type": ALIVE}) + "\n"
TERMINATE_AFTER_S = 2.0
KILL_AFTER_S = 4.0
ABANDON_AFTER_S = 10.0
LARGEST_BYTES = 1_000_000
"""A larger log is put aside when it is opened next; one older log is kept."""
_TAIL_BYTES = 4_000
APPENDED = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
"""Never through a link: where several users share a folder, one could lead the log into another file."""


class Child:
    """Runs `python -m command` (a module and its arguments); what it reports is put into `inbox` as (child, message).

    A message of type "ended" (made here) is the last one: the process closed its end of the line. The ladder keeps its
    own time by `clock`, so that whoever asks for the next rung cannot confuse one clock with another.

    Raises EnvironmentProblem when the process cannot be started.
    """

    def __init__(
        self, name: str, command: Sequence[str], *, inbox: Inbox, log: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self.abandoned = False
        self._inbox = inbox
        self._log_path = log
        self._clock = clock
        self._stop_asked_at: float | None = None
        self._signalled: set[int] = set()
        self._sending = threading.Lock()
        with open_log(log) as stream:
            self._log_before = stream.seek(0, os.SEEK_END)
            self._process = self._start(command, stream)
        self.mark = mark_of(self.pid)
        """The process for good, for those who must end it in place of this one; None if it has ended already."""
        assert self._process.stdout is not None
        threading.Thread(target=self._listen, args=(self._process.stdout,), name=f"{name} reports", daemon=True).start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs and has not been given up."""
        return not self.abandoned and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """With which it ended; negative for a signal, None while it runs."""
        return self._process.poll()

    @property
    def frozen(self) -> bool:
        """Whether somebody has stopped the process (SIGSTOP): it neither works nor answers."""
        return self.alive and is_stopped(self.pid)

    @property
    def stopping(self) -> bool:
        """Whether the ladder has begun."""
        return self._stop_asked_at is not None

    @property
    def killed_from_outside(self) -> bool:
        """Ended by SIGKILL or SIGTERM that was not ours: a person, or the system short of memory."""
        code = self._process.poll()
        return code in (-signal.SIGKILL, -signal.SIGTERM) and -code not in self._signalled

    def send(self, type_: str, **fields: Any) -> None:
        """Sends a command; a child that is gone gets none, which `alive` and "ended" tell."""
        self._write(json.dumps({"type": type_, **fields}) + "\n")

    def beat(self) -> None:
        """Gives a sign of life. A child that does not read gets none: the line would fill up, and hold the caller."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            if select.select((), (self._process.stdin,), (), 0)[1]:
                self._write(SIGN_OF_LIFE)

    def stop(self) -> None:
        """First rung of the ladder: closes the child's input, at which it ends by itself. Call `advance` after it."""
        if self._stop_asked_at is None:
            self._stop_asked_at = self._clock()
            assert self._process.stdin is not None
            with suppress(BrokenPipeError), self._sending:
                self._process.stdin.close()

    def kill(self) -> None:
        """All rungs at once, for a process that nobody will wait for."""
        self.stop()
        self._signal(signal.SIGKILL)

    def advance(self) -> None:
        """Next rungs, by time since `stop`: terminate, kill, and at last leave a process that the kernel holds."""
        if self._stop_asked_at is None or not self.alive:
            return
        waited_s = self._clock() - self._stop_asked_at
        if waited_s >= ABANDON_AFTER_S:
            self.abandoned = True
        elif waited_s >= KILL_AFTER_S:
            self._signal(signal.SIGKILL)
        elif waited_s >= TERMINATE_AFTER_S:
            self._signal(signal.SIGTERM)

    def ending(self) -> str:
        """How the process ended, in words, with the last line that it wrote to its log."""
        last = last_line(self._log_path, self._log_before)
        text = self._ending()
        return joined([text, tr("Its last output: {line}", line=last)]) if last and not self.alive else text

    def _ending(self) -> str:
        if self.abandoned:
            fields = {"pid": self.pid, "state": self._state()}
            return tr("process {pid} does not exit even when killed ({state}); the driver may be hung.", **fields)
        code = self._process.poll()
        if code is None:
            return tr("process {pid} is still running.", pid=self.pid)
        if code < 0:
            fields = {"pid": self.pid, "number": -code, "name": signal.Signals(-code).name}
            return tr("process {pid} was ended by signal {number} ({name}).", **fields)
        return tr("process {pid} ended with exit code {code}.", pid=self.pid, code=code)

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError), self._sending:
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _start(self, command: Sequence[str], log: IO[bytes]) -> subprocess.Popen[str]:
        try:
            return subprocess.Popen(
                own_python("-m", *command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=english_environment() | {"PYTHONUNBUFFERED": "1"},
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            fields = {"name": self.name, "reason": reason_of(error)}
            raise EnvironmentProblem(tr("The process of {name} cannot be started: {reason}.", **fields)) from error

    def _signal(self, number: int) -> None:
        if number not in self._signalled:
            self._signalled.add(number)
            self._process.send_signal(number)

    def _state(self) -> str:
        try:
            return tr("state {status}", status=psutil.Process(self.pid).status())
        except psutil.NoSuchProcess:
            return tr("state unknown")

    def _listen(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                message = read_report(line)
                if message is not None:
                    self._inbox.put((self, message))
        self._process.wait()
        self._inbox.put((self, {"type": "ended"}))


def open_log(path: Path) -> IO[bytes]:
    """A log to append to, in a folder that is made if missing. Raises EnvironmentProblem."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_file() and path.stat().st_size > LARGEST_BYTES:
            path.replace(path.with_suffix(".old.log"))
        return os.fdopen(os.open(path, APPENDED, 0o600), "ab")
    except OSError as error:
        fields = {"path": path, "reason": reason_of(error)}
        raise EnvironmentProblem(
            tr("The log {path} cannot be written: {reason}. Free some space, or choose another {--data-dir}.", **fields)
        ) from error


def last_line(path: Path, after: int) -> str:
    """The last line written to a log beyond its byte `after`, shortened; "" if there is none."""
    try:
        with path.open("rb") as stream:
            end = stream.seek(0, 2)
            stream.seek(max(after, end - _TAIL_BYTES))
            lines = stream.read().decode("utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""


class SignOfLife:
    """The runner's sign of life to its workers: their loads end by themselves some seconds after the last one.

    It comes from a thread, so that a slow disk or a long judgement does not end healthy loads. The thread falls silent
    with the process, when that is frozen, swapped out or killed, and when the supervision has not turned for
    `unwatched_s`, as long as the profile lets loads run unwatched. `children` are those that hear it; `turned_s` tells
    when the supervision turned last (monotonic clock).
    """

    def __init__(
        self, children: Callable[[], Iterable[Child]], turned_s: Callable[[], float], *, unwatched_s: float
    ) -> None:
        self._children = children
        self._turned_s = turned_s
        self._unwatched_s = unwatched_s
        self._ended = threading.Event()
        self._longest_s = 0.0
        self._last_s = time.monotonic()
        self._noting = threading.Lock()

    def start(self) -> None:
        """Begins, until `end`."""
        self._last_s = time.monotonic()
        threading.Thread(target=self._go, name="sign of life", daemon=True).start()

    def end(self) -> None:
        """No more signs."""
        self._ended.set()

    def take_longest_s(self) -> float:
        """The longest time without a sign since this was asked last: long where the whole process stood still.

        The time that just ends counts, too: whoever asks may have woken before the thread that gives the signs.
        """
        with self._noting:
            self._note()
            longest, self._longest_s = self._longest_s, 0.0
        return longest

    def _note(self) -> float:
        now_s = time.monotonic()
        self._longest_s = max(self._longest_s, now_s - self._last_s)
        self._last_s = now_s
        return now_s

    def _go(self) -> None:
        while not self._ended.wait(ALIVE_EVERY_S):
            with self._noting:
                now_s = self._note()
            if now_s - self._turned_s() < self._unwatched_s:
                for child in self._children():
                    child.beat()
