"""Reads the kernel's log as it grows: Xids, GPUs that fall off the bus, errors of their links, machine checks."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from core.language import tr
from core.processes import foreign_environment
from core.telemetry.device import Device
from core.telemetry.incident import Incident, Report
from core.telemetry.machine_check import CORRECTED, Gathering, gravity, told
from core.telemetry.pci import PCI, way_to_slot
from core.telemetry.source import CPU_ID
from core.telemetry.throttle import Severity
from core.telemetry.xid import xid

KMSG = Path("/dev/kmsg")
JOURNAL = ("journalctl", "--dmesg", "--follow", "--lines=0", "--output=cat")
JOURNAL_SO_FAR = ("journalctl", "--dmesg", "--boot", "--lines=10000", "--output=cat", "--no-pager")
JOURNAL_WITHIN_S = 5.0
_RECORD_BYTES = 8192
"""The largest record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg)."""
FALLEN_OFF = 79
MACHINE_CHECK = "mce"
CLOSED = tr("not readable by this user: Xids come from the driver only. Add the user to the group adm.")
"""`how` where nothing is read."""

_PLACE = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}"
_XID = re.compile(rf"NVRM: Xid \((?:PCI:)?(?P<place>{_PLACE})[^)]*\): (?P<number>\d+)", re.IGNORECASE)
_FALLEN = re.compile(rf"NVRM:.*?(?P<place>{_PLACE}).*fallen off the bus", re.IGNORECASE)
_AER = re.compile(rf"(?P<place>{_PLACE})\.[0-7]: (?:AER: )?PCIe Bus Error: severity=(?P<how>[^,]+)", re.IGNORECASE)
_MACHINE_CHECK = re.compile(r"\[Hardware Error\]|mce: .*hardware error", re.IGNORECASE)


class KernelLog:
    """Lines about these GPUs, by their bus ids. `how` says in words what is read."""

    def __init__(self, devices: Iterable[Device], *, log: Path = KMSG, pci: Path = PCI) -> None:
        self._log = log
        self._ids: dict[str, str] = {}
        for device in devices:
            for end in way_to_slot(device.bus_id, pci, several=bool(device.several_gpus)):
                self._ids.setdefault(end.partition(".")[0], device.id)
        self.how = _how(log)

    def earlier(self) -> dict[str, tuple[str, ...]]:
        """By device: errors logged since the machine started, each once with how often. Empty where it is closed."""
        found: dict[str, Counter[str]] = {}
        for incident in self._so_far():
            if incident.device and (sentence := _sentence(incident)):
                found.setdefault(incident.device, Counter())[sentence] += 1
        return {
            device_id: tuple(
                text if times == 1 else tr("{text} ({times} times)", text=text, times=times)
                for text, times in counts.items()
            )
            for device_id, counts in found.items()
        }

    def _so_far(self) -> Iterator[Incident]:
        """Lines of a machine check that stand together are one."""
        block: list[str] = []
        for line in _lines_so_far(self._log):
            incident = read_line(line, self._ids)
            if incident and incident.kind == MACHINE_CHECK:
                block.append(line)
                continue
            if block:
                yield _machine_check(block)
                block = []
            if incident:
                yield incident
        if block:
            yield _machine_check(block)

    def start(self, report: Report) -> None:
        """Begins to listen for as long as the process lives; what was logged before is left to `earlier`."""
        threading.Thread(target=self._listen, args=(report,), name="kernel log", daemon=True).start()

    def _listen(self, report: Report) -> None:
        checks = Gathering(lambda lines: report(_machine_check(lines)))
        for line in _lines(self._log):
            incident = read_line(line, self._ids)
            if incident and incident.kind == MACHINE_CHECK:
                checks.add(line)
            elif incident:
                report(incident)
        checks.flush()


def read_line(line: str, ids: Mapping[str, str]) -> Incident | None:
    """What a line tells; `ids` are device ids by bus id without the function, of GPUs and of the ports above them."""
    if match := _XID.search(line):
        return Incident("xid", line.strip(), "kernel", _device(match, ids), int(match["number"]))
    if match := _FALLEN.search(line):
        return Incident("xid", line.strip(), "kernel", _device(match, ids), FALLEN_OFF)
    if match := _AER.search(line):
        device = _device(match, ids)
        return Incident("aer", line.strip(), "kernel", device, severity=_severity(match["how"])) if device else None
    return _machine_check([line]) if _MACHINE_CHECK.search(line) else None


def _machine_check(lines: Sequence[str]) -> Incident:
    """Of all lines that the kernel wrote about it: the first says only that there is one."""
    return Incident(MACHINE_CHECK, told(lines), "kernel", CPU_ID, severity=gravity(lines))


def _device(match: re.Match[str], ids: Mapping[str, str]) -> str | None:
    domain, _, place = match["place"].lower().partition(":")
    return ids.get(f"{domain[-4:]}:{place}")


def _severity(words: str) -> str:
    """Kernels say Corrected or Correctable, and Uncorrected (Fatal) or Uncorrectable (Non-Fatal)."""
    if words.lower().startswith("correct"):
        return "correctable"
    return "nonfatal" if "non-fatal" in words.lower() else "fatal"


def _sentence(incident: Incident) -> str:
    """Of the kind of error, "" for Xids that mean nothing."""
    if incident.xid is not None:
        meaning = xid(incident.xid)
        return "" if meaning.severity is Severity.NORMAL else meaning.sentence
    if incident.kind == "aer":
        return tr("PCIe error, {severity}.", severity=incident.severity)
    return tr("Machine check, corrected.") if incident.severity == CORRECTED else tr("Machine check.")


def _how(log: Path) -> str:
    # The mode of the file is not the last word: the kernel may close its log to all but root (dmesg_restrict).
    with contextlib.suppress(OSError):
        os.close(os.open(log, os.O_RDONLY | os.O_NONBLOCK))
        return tr("read from {log}", log=log)
    if shutil.which(JOURNAL[0]):
        return tr("read through journalctl, as far as this user is allowed")
    return CLOSED


def _lines(log: Path) -> Iterator[str]:
    """New lines for ever: from the kernel itself, or from the journal where that is closed to this user."""
    try:
        source = os.open(log, os.O_RDONLY)
    except OSError:
        yield from _journal()
        return
    with contextlib.suppress(OSError):  # a pipe has no end to go to
        os.lseek(source, 0, os.SEEK_END)
    yield from _records(source)


def _lines_so_far(log: Path) -> Iterator[str]:
    """What the kernel, or else the journal, still has of the time since the machine started."""
    try:
        source = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            read = subprocess.run(
                JOURNAL_SO_FAR,
                capture_output=True,
                check=True,
                env=foreign_environment(),
                stdin=subprocess.DEVNULL,
                timeout=JOURNAL_WITHIN_S,
            )
            yield from read.stdout.decode("utf-8", errors="replace").splitlines()
        return
    yield from _records(source)


def _records(source: int) -> Iterator[str]:
    """The texts of a log that is open, to its end or for as long as it grows; closes it."""
    while True:
        try:
            record = os.read(source, _RECORD_BYTES)
        except BrokenPipeError:
            continue  # records were overwritten before they were read
        except OSError:  # among them: nothing more for now, where it is not waited for
            break
        if not record:
            break
        for line in record.decode("utf-8", errors="replace").splitlines():
            # "priority,number,time,flags;text", then lines with details that begin with a space
            yield line.partition(";")[2] or line
    os.close(source)


def _journal() -> Iterator[str]:
    """The journal's reader ends by itself when this process, its listener, is gone."""
    try:
        reader = subprocess.Popen(
            JOURNAL,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=foreign_environment(),
        )
    except OSError:
        return
    with reader:
        assert reader.stdout is not None
        for line in reader.stdout:
            yield line.decode("utf-8", errors="replace")
