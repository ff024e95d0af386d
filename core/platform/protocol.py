"""The lines between the runner and its children: one JSON object a line, reports up, commands down.

A sentence that is a message (core.words) travels as one, wherever it stands, and is one again at the other end.

A child takes file descriptor 1 for its reports before it imports anything that might print, and exits as soon as its
standard input closes: no orphan keeps a GPU busy.

What children report is in core.platform.child_reports.

Commands to a worker:
    start     load (name), seconds, params (dict), and for a load that runs on several devices together
              group: rank, size, meeting (path of a file that does not exist yet), devices (ids by rank)
              dead_man (seconds): the load ends by itself when the runner gives no sign of life for so long, see
              core.loads.dead_man; without it, it goes on
    stop      the load ends as "stopped"
    conclude  the load ends as if its time were over, and judges what it has done
    alive     a sign of life, several times a second; any other command is one, too
Commands to the sampler:
    activity  device, load (0..1.25), which only simulated devices heed
    count     asks for `counts`
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Any, TextIO

from core.words import Message as Sentence
from core.words import from_json, to_json

Message = dict[str, Any]

ALIVE = "alive"
ALIVE_EVERY_S = 0.25
"""Between two signs of life to a child that carries a load."""

_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Channel:
    """A child's end of the line. Safe to send from several threads."""

    def __init__(self, reports: TextIO, commands: TextIO) -> None:
        self._reports = reports
        self._commands = commands
        self._lock = threading.Lock()
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._heard_s = time.monotonic()
        threading.Thread(target=self._listen, name="commands", daemon=True).start()

    def send(self, type_: str, **fields: Any) -> None:
        """Reports one message; a reader that is gone ends this process."""
        line = _ENCODER.encode({"type": type_, **encodable(fields)})
        try:
            with self._lock:
                self._reports.write(line + "\n")
                self._reports.flush()
        except (BrokenPipeError, ValueError):
            os._exit(0)

    def receive(self, timeout_s: float | None = 0.0) -> Message | None:
        """The next command; None if there is none within `timeout_s` (None waits for ever)."""
        try:
            return self._inbox.get(block=timeout_s != 0.0, timeout=timeout_s)
        except queue.Empty:
            return None

    @property
    def silent_s(self) -> float:
        """Since the last command or sign of life of the parent."""
        return time.monotonic() - self._heard_s

    def _listen(self) -> None:
        for line in self._commands:
            message = decode(line)
            self._heard_s = time.monotonic()
            if message is not None and message["type"] != ALIVE:
                self._inbox.put(message)
        os._exit(0)


def text_field(message: Message, field: str, otherwise: str = "") -> str:
    """What a child says in a field of its report; a message stays one."""
    value = message.get(field, otherwise)
    return value if isinstance(value, str) else str(value)


def encodable(value: Any) -> Any:
    """The same with each message in the form that `decode` makes one of again."""
    if isinstance(value, Sentence):
        return to_json(value)
    if isinstance(value, dict):
        return {name: encodable(item) for name, item in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(item, str | dict | list | tuple) for item in value):
        return [encodable(item) for item in value]
    return value


def _sentence(value: dict[str, Any]) -> Any:
    """For each object in a line: the message, where it is one."""
    if value.keys() >= {"say", "with"} and (message := from_json(value)) is not None:
        return message
    return value


def open_channel() -> Channel:
    """Takes standard output for reports and sends everything that libraries print to standard error."""
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return Channel(reports, sys.stdin)


def decode(line: str) -> Message | None:
    """The message in a line, None if it is not one. Its fields may be anything, see `core.platform.child_reports`."""
    try:
        message = json.loads(line, object_hook=_sentence if '"say"' in line else None)
        # Half a letter, as in the name of a file, can be neither recorded nor shown.
        if "\\ud" in line or "\\uD" in line:
            whole = json.dumps(encodable(message), ensure_ascii=False).encode(errors="replace")
            message = json.loads(whole, object_hook=_sentence)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("type"), str) else None
