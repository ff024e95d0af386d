"""Waits for errors that the NVIDIA driver tells of by itself, in a thread of its own (Linux only)."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Mapping
from typing import Any

from core.telemetry.incident import Incident, Report
from core.telemetry.xid import xid

_TIMEOUT = 10  # NVML_ERROR_TIMEOUT
_WAIT_MS = 1000
_PAUSE_S = 1.0
_MOST_FAILURES = 5
"""A driver that refuses so often in a row has nothing to tell any more; the kernel's log still does."""

_XID = 0x8  # nvmlEventTypeXidCriticalError
_OTHERS = {0x2: 48, 0x200: 92, 0x400: 63, 0x800: 64, 0x1000: 94, 0x2000: 95, 0x4000: 79, 0x8000: 154}
"""Events of recent drivers (nvmlEventType*) that say what an Xid says; those carry no number themselves."""
WANTED = _XID | sum(_OTHERS)


class Events:
    """The driver's events of several GPUs. What happened before `start` is lost: the kernel's log has it."""

    def __init__(self, library: Any, handles: Mapping[str, Any], supported: Mapping[str, int]) -> None:
        self._library = library
        self._handles = {id_: handle for id_, handle in handles.items() if supported.get(id_, 0) & WANTED}
        self._supported = supported
        self._ids = {_address(handle): id_ for id_, handle in self._handles.items()}

    def start(self, report: Report) -> None:
        """Begins to listen for as long as the process lives; nothing happens where no GPU offers events."""
        if self._handles:
            threading.Thread(target=self._listen, args=(report,), name="driver events", daemon=True).start()

    def _listen(self, report: Report) -> None:
        failures = 0
        while failures < _MOST_FAILURES:
            events = self._register()
            answered = events is not None and self._wait(events, report)
            failures = 0 if answered else failures + 1
            time.sleep(_PAUSE_S)

    def _register(self) -> Any | None:
        """A set that all GPUs are in which still answer; None where there is none."""
        try:
            events = self._library.nvmlEventSetCreate()
        except self._library.NVMLError:
            return None
        for id_, handle in self._handles.items():
            with contextlib.suppress(self._library.NVMLError):
                self._library.nvmlDeviceRegisterEvents(handle, self._supported[id_] & WANTED, events)
        return events

    def _wait(self, events: Any, report: Report) -> bool:
        """Until the driver refuses; whether it ever answered. After an unknown error a set is of no use any more."""
        answered = False
        while True:
            try:
                event = self._library.nvmlEventSetWait_v2(events, _WAIT_MS)
            except self._library.NVMLError as error:
                if error.value != _TIMEOUT:
                    break
            else:
                if incident := self._incident(event):
                    report(incident)
            answered = True
        with contextlib.suppress(self._library.NVMLError):
            self._library.nvmlEventSetFree(events)
        return answered

    def _incident(self, event: Any) -> Incident | None:
        number = int(event.eventData) if event.eventType == _XID else _OTHERS.get(int(event.eventType))
        if number is None:
            return None
        return Incident("xid", xid(number).sentence, "nvml", self._ids.get(_address(event.device)), number)


def _address(handle: Any) -> int | None:
    """Handles of the binding are pointers; the same GPU has the same one."""
    return ctypes.cast(handle, ctypes.c_void_p).value
