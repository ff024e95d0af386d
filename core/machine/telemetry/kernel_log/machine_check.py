"""Machine checks, raw (Intel) and decoded (AMD), and the errors of memory modules that EDAC drivers make of them.

    mce: [Hardware Error]: Machine check events logged
    mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 8: cc00010000010090
    [Hardware Error]: CPU:1 (17:71:0) MC22_STATUS[Over|CE|MiscV|-|-|-|-|SyndV|-|-]: 0xd82000000002080b
    EDAC MC3: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#2_DIMM#0 (channel:2 slot:0 page:0x123 ...)

The first says only that there is one; what follows says of what and how grave. What is an error of memory is none of
the CPU's: the architectural code of the status says so (Intel's manual, volume 3B; AMD names the unit).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.machine.telemetry.kernel_log import firmware
from core.machine.telemetry.kernel_log.finding import CORRECTED, FATAL, Family, Finding, Part, Record
from core.machine.telemetry.kernel_log.firmware import memory_finding, processor_finding
from core.machine.telemetry.throttle import Severity
from core.words import tr

_TAKEN = re.compile(
    r"^\s*(?:(?:mce|BERT|core|amd64|Memory failure)[^:]*: )?\[Hardware Error\]|mce: .*hardware error"
    r"|EDAC .*MC\d+: (?:HANDLING MCE|CPU \d+: Machine Check|TSC |ADDR |MISC |PROCESSOR )|EDAC MC\d+: (?:\d+ )?[CU]E\b",
    re.I,
)
_OPENING = re.compile(r"machine check events logged|HANDLING MCE|BERT: Error records", re.I)
_MARK = re.compile(r"^.*?\[Hardware Error\]:\s*|^EDAC \w+ MC\d+: ", re.I)
_FIRST = re.compile(
    r"^(?:Corrected error|Uncorrected(?:,| error)|Deferred error|System Fatal error|Machine check events logged"
    r"|event severity|CPU \d+: Machine Check)",
    re.I,
)
"""With it a record begins, after one that has said its status."""
_UNCORRECTED = re.compile(
    r"uncorrect|machine check exception|deferred error|system fatal error|severity: *(?:fatal|recoverable)", re.I
)
_CORRECTED = re.compile(r"(?<!un)correct(?:ed|able)", re.I)
_RAW = re.compile(r"CPU (?P<cpu>\d+): Machine Check[^:]*: .*?Bank (?P<bank>\d+): (?P<status>[0-9a-f]{16})\b", re.I)
_PLACE = re.compile(r"CPU (?P<cpu>\d+): Machine Check[^:]*: .*?Bank (?P<bank>\d+)\b", re.I)
"""Also of a status that the log does not hold."""
_DECODED = re.compile(
    r"CPU:(?P<cpu>\d+).*?MC(?P<bank>\d+)_STATUS\[(?P<bits>[^\]]*)\]: 0x(?P<status>[0-9a-f]{1,16})", re.I
)
_OLD = re.compile(r"MC(?P<bank>\d+)_STATUS\[(?P<bits>[^\]]*)\]: 0x(?P<status>[0-9a-f]{1,16})", re.I)
_STATUSES = (_RAW, _DECODED, _OLD)
_VALID, _UC = 1 << 63, 1 << 61
"""Bits of IA32_MCi_STATUS: the register holds an error, and it was not corrected (Intel's manual, volume 3B)."""
_CODE_MASK, _MEMORY_CODE = 0xEF80, 0x0080
"""Of the architectural code: errors of memory controllers."""
_MEMORY_UNIT = re.compile(r"Unified Memory Controller|DRAM ECC|memory controller", re.I)
_EDAC = re.compile(
    r"EDAC MC(?P<mc>\d+): (?:(?P<count>\d+) )?(?P<how>[CU])E (?P<what>.*?)"
    r"(?:on (?P<name>\S.*?) ?\(|row (?P<row>\d+), (?:channel (?P<channel>\d+), )?labels? \"(?P<label>[^\"]*)\"|$)"
)
"""Kernels before 3.6 have no count, and row, channel and a label that is mostly empty."""
_UNKNOWN_MODULE = re.compile(r"unknown|any memory", re.I)


def _key(line: str) -> str | None:
    worth_a_look = "ardware E" in line or "EDAC" in line or "hardware e" in line
    return "" if worth_a_look and _TAKEN.search(line) else None


def _begins(line: str, before: Sequence[str]) -> bool:
    """After the status of one; several lines of EDAC belong to what came before them."""
    if not _FIRST.match(_MARK.sub("", line).strip()) and not _OPENING.search(line):
        return False
    return any(_status(one) is not None or firmware.SECTION.search(one) or _EDAC.search(one) for one in before)


def _read(lines: Sequence[str]) -> Iterator[Finding]:
    modules = [finding for line in lines if (finding := _module(line))]
    yield from modules
    rest = [line for line in lines if not _EDAC.search(line)]
    if any(firmware.SECTION.search(line) for line in rest):
        yield from firmware.read(rest)
        return
    memory = _is_memory(rest)
    if modules and (memory or all(_OPENING.search(line) or _of_line(line) is None for line in rest)):
        return
    if not rest:
        return
    severity = gravity(rest)
    weight = Severity.FAIL if severity == FATAL else Severity.WARN
    if memory:
        yield memory_finding(record_text(rest), severity, weight)
    else:
        yield processor_finding(record_text(rest), severity, weight, _place(rest))


def _module(line: str) -> Finding | None:
    match = _EDAC.search(line)
    if match is None:
        return None
    severity, weight = (CORRECTED, Severity.WARN) if match["how"] == "C" else (FATAL, Severity.FAIL)
    name = (match["name"] or "").strip()
    if not name and (row := match["row"]):
        channel = f" channel {match['channel']}" if match["channel"] else ""
        name = (match["label"] or "").strip(" :") or f"MC{match['mc']} row {row}{channel}"
    if not name or _UNKNOWN_MODULE.search(name):
        name = f"MC{match['mc']}"
    return memory_finding(line, severity, weight, name, int(match["count"] or 1))


def gravity(lines: Sequence[str]) -> str | None:
    """CORRECTED, FATAL, or None where no line of the record says it. The gravest line counts."""
    severities = {how for line in lines if (how := _of_line(line)) is not None}
    return FATAL if FATAL in severities else next(iter(severities), None)


def record_text(lines: Sequence[str]) -> str:
    """The record in one text: each explaining line once; the opening line only where nothing explains it."""
    stripped = dict.fromkeys(_MARK.sub("", line).strip() for line in lines)
    explaining = [line for line in stripped if line and not _OPENING.search(line)]
    return "; ".join(explaining or stripped)


def _status(line: str) -> re.Match[str] | None:
    return next((match for pattern in _STATUSES if (match := pattern.search(line))), None)


def _of_line(line: str) -> str | None:
    if match := _status(line):
        status = int(match["status"], 16)
        return (FATAL if status & _UC else CORRECTED) if status & _VALID else None
    if _UNCORRECTED.search(line):
        return FATAL
    return CORRECTED if _CORRECTED.search(line) else None


def _is_memory(lines: Sequence[str]) -> bool:
    """Whether all that the record says points at memory."""
    if any(_MEMORY_UNIT.search(line) for line in lines):
        return True
    raw = [match for line in lines if (match := _RAW.search(line)) and int(match["status"], 16) & _VALID]
    return bool(raw) and all(int(match["status"], 16) & _CODE_MASK == _MEMORY_CODE for match in raw)


def _place(lines: Sequence[str]) -> str:
    """ "CPU 1, bank 5" of the first status."""
    match = next((match for line in lines if (match := _PLACE.search(line) or _DECODED.search(line))), None)
    return f"CPU {match['cpu']}, bank {match['bank']}" if match else ""


_RESET = re.compile(
    r"Previous system reset reason \[0x[0-9a-f]+\]: (?P<why>.*(?P<hot>thermal)\b.*|.*(?:uncorrected error|parity error"
    r"|internal CPU shutdown).*)",
    re.I,
)
"""Why an AMD processor reset the machine the last time (arch/x86/kernel/cpu/amd.c)."""


def _key_of_reset(line: str) -> str | None:
    return "" if "reset reason" in line and _RESET.search(line) else None


def _read_reset(lines: Sequence[str]) -> Iterator[Finding]:
    match = _RESET.search(lines[0])
    if match is None:
        return
    if match["hot"]:
        meaning, action = tr("The CPU became too hot and reset the machine"), tr("Check the cooler of the CPU.")
    else:
        meaning = tr("A hardware error reset the machine")
        action = tr("Reset overclocking, look into the event log of the BMC or BIOS; the cause may be any part.")
    part = Part.CPU if match["hot"] else Part.MACHINE
    yield Finding(Record.MACHINE_CHECK, part, Severity.FAIL, lines[0], meaning, action)


FAMILIES = (Family("mce", _key, _read, _begins), Family("reset", _key_of_reset, _read_reset))
