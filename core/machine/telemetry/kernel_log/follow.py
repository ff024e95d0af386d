"""Reads this machine's kernel log: what it has logged since its start, and what it logs from now on."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.machine.telemetry.device import Device
from core.machine.telemetry.kernel_log.bridges import Watched
from core.machine.telemetry.kernel_log.finding import CORRECTED, Finding, Part, Record
from core.machine.telemetry.kernel_log.records import Gathering, Records
from core.machine.telemetry.pci import PCI
from core.machine.telemetry.source import CPU_ID, KERNEL, Incident, Report
from core.machine.telemetry.throttle import Severity
from core.platform.processes import foreign_environment
from core.words import joined, tr

KMSG = Path("/dev/kmsg")
JOURNAL = ("journalctl", "--dmesg", "--follow", "--lines=0", "--output=cat")
JOURNAL_SO_FAR = ("journalctl", "--dmesg", "--boot", "--lines=10000", "--output=cat", "--no-pager")
JOURNAL_WITHIN_S = 5.0
_OF_THE_READER = "-- "
"""What journalctl says itself begins so: that there are no entries, that another boot begins."""
_RECORD_BYTES = 8192
"""The largest record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg)."""
_NEW_LINE = "\\x0a"
"""How /dev/kmsg writes the end of a line within a record."""
CLOSED = tr("not readable by this user: Xids come from the driver only. Add the user to the group adm.")
"""`how` where nothing is read."""


class KernelLog:
    """Errors of these GPUs and of the machine around them. `how` says in words what is read."""

    def __init__(self, devices: Iterable[Device], *, log: Path = KMSG, pci: Path = PCI) -> None:
        self._log = log
        self._watched = Watched(devices, pci)
        self.how = _how(log)
        self.readable = False
        """Whether it has shown a line so far."""

    def earlier(self) -> dict[str, tuple[str, ...]]:
        """By device: errors logged since the machine started, each once with how often. Empty where it is closed.

        What is of the machine as a whole, such as its memory, is told with the CPU.
        """
        counts: dict[str, Counter[str]] = {}
        for finding in self._so_far():
            incident = incident_of(finding, self._watched)
            if incident is not None and finding.gravity is not Severity.NORMAL:
                device_id = incident.device or (None if finding.part is Part.GPU else CPU_ID)
                if device_id is not None:
                    counts.setdefault(device_id, Counter())[_sentence(finding)] += finding.count
        return {
            device_id: tuple(
                text if times == 1 else tr("{text} ({times} times)", text=text, times=times)
                for text, times in counted.items()
            )
            for device_id, counted in counts.items()
        }

    def _so_far(self) -> Iterator[Finding]:
        records = Records()
        for line in _lines_so_far(self._log):
            self.readable = True
            yield from records.add(line)
        yield from records.flush()

    def start(self, report: Report) -> None:
        """Begins to listen for as long as the process lives; what was logged before is left to `earlier`."""
        threading.Thread(target=self._listen, args=(report,), name="kernel log", daemon=True).start()

    def _listen(self, report: Report) -> None:
        def tell(finding: Finding) -> None:
            if (incident := incident_of(finding, self._watched)) is not None:
                report(incident)

        gathering = Gathering(tell)
        for line in _lines(self._log):
            gathering.add(line)
        gathering.flush()


def incident_of(finding: Finding, watched: Watched) -> Incident | None:
    """As the sampler tells it. Errors that were corrected on the way to none of the GPUs concern nobody here."""
    device = watched.device(finding.address) or watched.device(finding.port)
    elsewhere = device is None and not watched.on_the_way(finding.address)
    if finding.record is Record.PCIE and elsewhere and finding.severity == CORRECTED:
        return None
    if finding.part is Part.CPU:
        device = CPU_ID
    pid, program = (finding.pid, finding.program or None) if finding.by_program else (None, None)
    return Incident(finding.record, finding.text, KERNEL, device, finding.xid, finding.severity, pid, program)


def _sentence(finding: Finding) -> str:
    """What it means, and of which part of the machine."""
    if finding.record is Record.PCIE:
        return tr("PCIe error, {severity}.", severity=finding.severity)
    about = (finding.program if finding.by_program else "") or finding.name
    if about:
        return tr("{meaning} ({about}).", meaning=finding.meaning, about=about)
    meaning = tr("{meaning}.", meaning=finding.meaning)
    return joined([meaning, finding.action]) if finding.record is Record.XID else meaning


def is_open() -> bool:
    """Whether this user can read a kernel log here."""
    return _how(KMSG) is not CLOSED


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
            lines = read.stdout.decode("utf-8", errors="replace").splitlines()
            yield from (line for line in lines if not line.startswith(_OF_THE_READER))
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
            yield from (line.partition(";")[2] or line).split(_NEW_LINE)
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
