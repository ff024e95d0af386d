"""Puts the lines of the kernel's log together to records, and reads each when it is complete."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain

from core.machine.telemetry.kernel_log import firmware, graphics, machine_check, nvidia, pcie
from core.machine.telemetry.kernel_log.finding import Family, Finding, Record, slot_of

MOST_LINES = 64
"""Of a record; a storm of errors is told in pieces."""
MOST_XIDS = 64
"""The newest, of which a sentence of the driver may follow: a switch that fails takes all its cards along."""
QUIET_S = 1.0
"""A record has ended when no line of any came for so long."""
FAMILIES = (*firmware.FAMILIES, *machine_check.FAMILIES, *pcie.FAMILIES, *nvidia.FAMILIES, *graphics.FAMILIES)
"""In this order: a line belongs to the first that takes it."""
_WORDS = ("Hardware Error", "hardware error", "EDAC", "AER", "PCIe Bus", "error status/mask", "    [", "NVRM", "SXid",
          "amdgpu", "radeon", "nouveau", "i915", "xe 0", "[drm", "reset reason", "change power state")  # fmt: skip
"""A line without any of them is of no record; looking for them is cheap."""


@lru_cache(maxsize=4096)
def _family_of(line: str) -> tuple[Family, str] | None:
    """A storm of errors has the same lines over and over."""
    return next(((family, key) for family in FAMILIES if (key := family.key(line)) is not None), None)


@lru_cache(maxsize=1024)
def _read(family: Family, lines: tuple[str, ...]) -> tuple[Finding, ...]:
    return tuple(family.read(lines))


class Records:
    """Takes line after line and gives what is complete. Records may be interleaved: several drivers write at once."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], list[str]] = {}
        self._xids: deque[tuple[str, int]] = deque(maxlen=MOST_XIDS)
        """By slot, those that no sentence has restated so far."""
        self.taken = 0
        """Lines that belonged to a record."""

    def add(self, line: str) -> list[Finding]:
        """What ended with this line."""
        line = line.strip("\r\n")
        if not any(word in line for word in _WORDS) or (keyed := _family_of(line)) is None:
            return []
        family, key = keyed
        self.taken += 1
        if family.begins is None:
            return self._counted_once(family.read([line.strip()]))
        place = (family.name, key)
        before = self._open.get(place)
        ended: Iterable[Finding] = ()
        if before is None or len(before) >= MOST_LINES or family.begins(line, before):
            if before is not None:
                ended = _read(family, tuple(before))
            self._open[place] = before = []
        before.append(line.strip())
        return self._counted_once(ended)

    def flush(self) -> list[Finding]:
        """What is still open, read as it stands."""
        families = {family.name: family for family in FAMILIES}
        blocks, self._open = self._open, {}
        return self._counted_once(
            chain.from_iterable(_read(families[name], tuple(lines)) for (name, _), lines in blocks.items())
        )

    def _counted_once(self, findings: Iterable[Finding]) -> list[Finding]:
        """Without what only restates an Xid: that is one event."""
        return [finding for finding in findings if not self._restates(finding)]

    def _restates(self, finding: Finding) -> bool:
        if finding.record is not Record.XID or finding.xid is None or finding.address is None:
            return False
        event = (slot_of(finding.address), finding.xid)
        if not finding.restated:
            self._xids.append(event)
        elif event in self._xids:
            self._xids.remove(event)
            return True
        return False

    @property
    def pending(self) -> bool:
        """Whether something is open."""
        return bool(self._open)


class Gathering:
    """Records of lines that come one by one: what is open is read when none came for a while. For several threads."""

    def __init__(self, hand_on: Callable[[Finding], None], *, quiet_s: float = QUIET_S) -> None:
        self._hand_on = hand_on
        self._quiet_s = quiet_s
        self._records = Records()
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def add(self, line: str) -> None:
        """The next line."""
        with self._lock:
            taken = self._records.taken
            ended = self._records.add(line)
            if self._records.taken > taken and self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._records.pending and self._timer is None:
                self._timer = threading.Timer(self._quiet_s, self.flush)
                self._timer.daemon = True
                self._timer.start()
        self._tell(ended)

    def flush(self) -> None:
        """Hands on what has been gathered so far."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            ended = self._records.flush()
        self._tell(ended)

    def _tell(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self._hand_on(finding)
