"""What a log would blame, in words for terminal and window, and as JSON."""

from __future__ import annotations

from typing import Any

from core.machine.telemetry.kernel_log.finding import Finding, Part
from core.machine.telemetry.kernel_log.reading import Blamed
from core.words import joined, tr

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
