"""Reads a whole log: what it would blame, each once, with how often; in words for terminal and window, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from core.machine.telemetry.kernel_log.bridges import Charted
from core.machine.telemetry.kernel_log.finding import Finding, Part, Record, slot_of
from core.machine.telemetry.kernel_log.records import Records
from core.machine.telemetry.throttle import Severity
from core.words import joined, tr

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
    findings = [Blamed(one, counts[key]) for key, one in merged.items() if not _accompanies(one, merged.values())]
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


def _as_read(one: Finding) -> Finding:
    """Nobody knows here whether the program was right: where it can be at fault, the card is not failed for it."""
    return replace(one, gravity=Severity.WARN) if one.by_program and one.gravity is Severity.FAIL else one


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


NOTHING = tr("Nothing to blame: the log has no error of a GPU, PCIe link, CPU or memory.")


def no_log_words(name: str) -> str:
    """What to do about a file that is none."""
    return tr(
        "{file} is no kernel log. Save one with: sudo dmesg > dmesg.txt, or: journalctl -k -b -1 > dmesg.txt", file=name
    )


def part_words(finding: Finding) -> str:
    """ "GPU 0000:41:00.0", "Memory CPU_SrcID#1_MC#1_Chan#2_DIMM#0", "PCIe port 0000:40:01.1 to bus 41 (1022:1483)"."""
    what = finding.part.label
    if finding.part is Part.PCIE and finding.behind is not None:
        what = tr("PCIe port")
    behind = tr("to bus {bus}", bus=f"{finding.behind:02x}") if finding.behind is not None else ""
    ids = f"({finding.ids})" if finding.ids else ""
    if finding.part is Part.CPU and finding.name:
        return finding.name
    if finding.part is Part.GPU and finding.name and finding.address is None:
        return tr("GPU of the driver {driver}", driver=finding.name)
    return joined([what, finding.name, finding.address or "", behind, ids])


def meaning_words(blamed: Blamed) -> str:
    """What happened, to whose program, how often."""
    finding = blamed.finding
    text = finding.meaning
    if finding.by_program and finding.program:
        pid = finding.pid or 0
        text = tr("{meaning}, while {program} (process {pid}) used it", meaning=text, program=finding.program, pid=pid)
    return text if blamed.times == 1 else tr("{text} ({times} times)", text=text, times=blamed.times)


def action_words(finding: Finding) -> str:
    """What to do. Where a program is named, it comes first: its mistake looks the same as a fault of the card."""
    if finding.by_program and finding.program:
        return tr("Look at {program} first: a program's mistake does this, too. Only a card on which different programs"
                  " fail is suspect.", program=finding.program)  # fmt: skip
    return finding.action


def as_dict(blamed: Blamed) -> dict[str, Any]:
    """For JSON; what the record does not say is absent."""
    finding = blamed.finding
    fields = {
        "part": finding.part.value,
        "device": part_words(finding),
        "address": finding.address,
        "name": finding.name or None,
        "ids": finding.ids or None,
        "kind": finding.record.value,
        "gravity": finding.gravity.label,
        "blamed": finding.blames_device,
        "xid": finding.xid,
        "severity": finding.severity,
        "program": finding.program or None,
        "pid": finding.pid,
        "meaning": meaning_words(blamed),
        "action": action_words(finding),
        "times": blamed.times,
        "line": finding.text,
    }
    return {name: value for name, value in fields.items() if value is not None}
