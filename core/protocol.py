"""The lines between the runner and its children: one JSON object a line, reports up, commands down.

A sentence that is a message (core.language) travels as one, wherever it stands, and is one again at the other end.

A child takes file descriptor 1 for its reports before it imports anything that might print, and exits as soon as its
standard input closes: no orphan keeps a GPU busy.

Reports of a worker (`type`):
    ready     name, backend ("cuda", "cpu", "simulated"), detail (dict of strings)
    libraries as the sampler's
    progress  fraction (0..1), metrics (dict of metric name to number), measured_s (when, as in `samples`); also the
              heartbeat, at least once a second
    fault     kind ("mismatch", "nan", "diverged", "error"), message, count
    done      status ("passed", "failed", "stopped", "not_run"), reason, evidence (see core.loads.evidence),
              spent (true: this process can compute no more and is to be replaced),
              stop ("requested", "unsupervised") where it was stopped
Commands to a worker:
    start     load (name), seconds, params (dict), and for a load that runs on several devices together
              group: rank, size, meeting (path of a file that does not exist yet), devices (ids by rank)
              dead_man (seconds): the load ends by itself when the runner gives no sign of life for so long, see
              core.loads.dead_man; without it, it goes on
    stop      the load ends as "stopped"
    conclude  the load ends as if its time were over, and judges what it has done
    alive     a sign of life, several times a second; any other command is one, too

Reports of the sampler:
    devices   devices (list of Device as dict)
    libraries libraries, packages (lists of dicts of strings): what it has loaded, see core.loaded_libraries
    samples   samples (dict of device id to dict of metric name to number), cost_ms,
              measured_s (when, on the monotonic clock that all processes of a machine share)
    counts    counts (as samples): the counters of errors as they are now, asked for by `count`
    lost      device, reason
    xid       device (absent where it is none of ours), xid (number), text, source ("nvml", "kernel", "simulated")
    aer       device, severity ("correctable", "nonfatal", "fatal"), text, source: an error of a GPU's PCIe link
    sxid      severity ("nonfatal", "fatal"), text, source: an NVSwitch reports an error
    driver    device, severity ("correctable", "nonfatal", "fatal"), text, source: a driver reports a card that failed
    mce       device ("cpu"), severity, text, source: the processor reports an error of the machine
    edac      severity ("correctable", "fatal"), text, source: an error of main memory
              Of xid and driver: pid, program, where the kernel says whose work was on the GPU
    drill     device, severity (the fault as it was ordered), text, source ("simulated"): a simulated fault begins
    noise     text, source ("microphone"): no level can be measured, and why
    wall      text, source ("wall meter"): no power can be read at the wall, and why
    overdue   seconds, waiting_for: a reading hangs; nothing is measured until it returns
    cost      what measuring itself costs, once a minute: cpu_pct (of one core), tick_p50_ms, tick_p99_ms, interval_s,
              slowest (words, where the driver tells)
    reset     only from simulated devices: the machine loses its power now
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
from math import isnan
from typing import Annotated, Any, Literal, TextIO

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from core.language import Message as Sentence
from core.language import from_json, to_json

Message = dict[str, Any]

MAX_NUMBER = 1e300
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


def said(message: Message, field: str, otherwise: str = "") -> str:
    """What a child says in a field of its report; a message stays one."""
    told = message.get(field, otherwise)
    return told if isinstance(told, str) else str(told)


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


def _require_nan(value: float) -> float:
    if not isnan(value):
        raise ValueError
    return value


class _Line(BaseModel):
    model_config = ConfigDict(strict=True)
    device: str | None = None


_Finite = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_NaN = Annotated[float, AfterValidator(_require_nan)]
"""As a load that goes wrong may have computed it."""
_Number = Annotated[_Finite | _NaN, Field(union_mode="left_to_right")]
_Numbers = dict[str, _Number | None]
_Readings = dict[str, _Numbers]
_Tables = list[dict[str, Any]]
_FIELDS: dict[str, dict[str, Any]] = {
    "ready": {"detail": (dict[str, Any], {})},
    "progress": {"fraction": (_Number, 0), "metrics": (_Numbers, {}), "measured_s": (_Number, 0)},
    "done": {
        "status": Literal["passed", "failed", "stopped", "not_run"],
        "stop": (Literal["requested", "unsupervised"] | None, None),
        "evidence": (dict[str, Any], {}),
    },
    "devices": {"devices": _Tables},
    "libraries": {"libraries": (_Tables, []), "packages": (_Tables, [])},
    "samples": {"samples": _Readings, "measured_s": (_Number, 0)},
    "counts": {"counts": _Readings},
    "lost": {"device": str, "reason": str},
    "xid": {"xid": Annotated[int, AfterValidator(abs), Field(le=MAX_NUMBER)]},
    "overdue": {"seconds": (_Number, 0)},
    "cost": {"slowest": (str | None, None)} | dict.fromkeys(("cpu_pct", "tick_p50_ms", "tick_p99_ms"), (_Number, 0)),
}
"""What a field of a report must be where it is there; one without a default must be there."""
_MODELS = {type_: create_model(type_, __base__=_Line, **fields) for type_, fields in _FIELDS.items()}


def decode(line: str) -> Message | None:
    """The message in a line, None if it is not one, or its fields are not as above: a child that talks nonsense counts
    as silent."""
    try:
        message = json.loads(line, object_hook=_sentence if '"say"' in line else None)
        # Half a letter, as in the name of a file, can be neither recorded nor shown.
        if "\\ud" in line or "\\uD" in line:
            whole = json.dumps(encodable(message), ensure_ascii=False).encode(errors="replace")
            message = json.loads(whole, object_hook=_sentence)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return None
    try:
        _MODELS.get(message["type"], _Line).model_validate(message)
    except ValidationError:
        return None
    return message
