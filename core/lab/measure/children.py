"""Child processes of a measurement: reports as JSON lines with a deadline, or text, and an end in any case."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from core.platform.processes import foreign_environment, own_environment
from core.platform.protocol import Message, decode

END_WITHIN_S = 5.0


class JsonChild:
    """A child that speaks the lines of core.platform.protocol and ends when its standard input closes.

    Use it with `with`.
    """

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**own_environment(), **(environment or {})},
        )
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="reports of a child", daemon=True).start()

    def reports(self, until_s: float) -> Iterator[Message]:
        """Each report as it comes, until the child ends or `until_s` (monotonic) has come."""
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                message = self._inbox.get(timeout=left_s)
            except queue.Empty:
                return
            if message is None:
                return
            yield message

    def next(self, type_: str, until_s: float) -> Message | None:
        """The next report of a type; None when the child ended or the time is over."""
        return next((message for message in self.reports(until_s) if message["type"] == type_), None)

    def tell(self, type_: str, **fields: Any) -> None:
        """Sends a command; a child that is gone hears nothing."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write((json.dumps({"type": type_, **fields}) + "\n").encode())
            self._process.stdin.flush()

    def end(self) -> bool:
        """Hangs up, then kills. False for a process that the kernel does not let go."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        for harder in (self._process.kill, None):
            try:
                self._process.wait(END_WITHIN_S)
            except subprocess.TimeoutExpired:
                if harder is not None:
                    harder()
            else:
                return True
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                message = decode(line.decode("utf-8", errors="replace"))
                if message is not None:
                    self._inbox.put(message)
        self._inbox.put(None)


def run_for(
    command: Sequence[str],
    seconds: float,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    at_the_end: Callable[[], object] | None = None,
) -> tuple[int | None, str]:
    """What a program printed (both streams), and its exit code; None where it was ended after `seconds`.

    It is ended with all processes that it started: by `at_the_end`, where a gentler way is known, then by signals.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env={**foreign_environment(), **(environment or {})},
        start_new_session=True,
    ) as process:
        heard: list[bytes] = []
        assert process.stdout is not None
        listener = threading.Thread(target=_hear, args=(process, heard), daemon=True)
        listener.start()
        code = _code_within(process, seconds)
        if code is None:
            if at_the_end is not None:
                at_the_end()
                _code_within(process, END_WITHIN_S)
            for blow in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, blow)
                _code_within(process, END_WITHIN_S)
        listener.join(END_WITHIN_S)
        return code, b"".join(heard).decode("utf-8", errors="replace")


def _code_within(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _hear(process: subprocess.Popen[bytes], heard: list[bytes]) -> None:
    assert process.stdout is not None
    while chunk := process.stdout.read1(65536):  # type: ignore[attr-defined]
        heard.append(chunk)
