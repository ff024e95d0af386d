"""Reads a whole log: what it would blame, each once, with how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.machine.telemetry.kernel_log.bridges import Charted
from core.machine.telemetry.kernel_log.finding import Finding, Part, Record, slot_of
from core.machine.telemetry.kernel_log.records import Records
from core.machine.telemetry.throttle import Severity

MOST = 10_000
"""Kinds of findings that are told; a log with more of them is damaged."""
_GRAVITY = (Severity.FAIL, Severity.WARN, Severity.NORMAL)
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Blamed:
    """What was found of one kind on one part: its first record, and how many there were."""

    finding: Finding
    times: int


def read_log(lines: Iterable[str]) -> list[Blamed]:
    """The gravest first, else as the log has them. What only accompanies an error is left out where that is told."""
    charted, first, times = Charted(), dict[Key, Finding](), dict[Key, int]()
    for finding in _findings(lines, charted):
        charted.meet(finding)
        key = _key(finding)
        if key in first or len(first) < MOST:
            first.setdefault(key, finding)
            times[key] = times.get(key, 0) + finding.count
    merged, counts = dict[Key, Finding](), dict[Key, int]()
    for key, finding in first.items():
        resolved = _as_read(charted.resolved(finding))
        if resolved.gravity is Severity.NORMAL:
            continue
        merged.setdefault(_key(resolved), resolved)
        counts[_key(resolved)] = counts.get(_key(resolved), 0) + times[key]
    findings = [
        Blamed(finding, counts[key]) for key, finding in merged.items() if not _accompanies(finding, merged.values())
    ]
    return sorted(findings, key=lambda blamed: _GRAVITY.index(blamed.finding.gravity))


def _findings(lines: Iterable[str], charted: Charted) -> Iterator[Finding]:
    records = Records()
    for line in lines:
        charted.take(line)
        yield from records.add(line)
    yield from records.flush()


def _key(finding: Finding) -> Key:
    address = slot_of(finding.address) if finding.address and finding.part is Part.GPU else finding.address
    program = finding.program if finding.by_program else ""
    return finding.record, finding.part, address, finding.name, finding.xid, finding.gravity, finding.meaning, program


def _as_read(finding: Finding) -> Finding:
    """Nobody knows here whether the program was right: where it can be at fault, the card is not failed for it."""
    return (
        replace(finding, gravity=Severity.WARN) if finding.by_program and finding.gravity is Severity.FAIL else finding
    )


def _accompanies(finding: Finding, others: Iterable[Finding]) -> bool:
    """A machine check of which the log says nothing but that there was one, beside one that it explains; a driver's
    call for a reset that names no card, beside one that does."""
    if finding.record is Record.MACHINE_CHECK and finding.severity is None:
        return any(
            other is not finding
            and other.record in (Record.MACHINE_CHECK, Record.MEMORY)
            and other.severity is not None
            for other in others
        )
    if finding.record is Record.DRIVER and finding.part is Part.MACHINE:
        return any(other.part is Part.GPU for other in others)
    return False
