"""Records of the NVIDIA driver: Xids with the program they befell, SXids of NVSwitches, cards that do not come up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.machine.telemetry.kernel_log.finding import FATAL, NONFATAL, PLACE, Family, Finding, Part, Record, bus_id
from core.machine.telemetry.throttle import Severity
from core.machine.telemetry.xid import xid
from core.words import tr

FALLEN_OFF = 79
_XID = re.compile(rf"NVRM: Xid \((?:PCI:)?(?P<place>{PLACE})[^)]*\): (?P<number>\d{{1,9}})\b,?\s*(?P<rest>.*)", re.I)
_PROCESS = re.compile(r"pid=(?P<pid>\d+)(?:, name=(?P<name>[^,]+))?")
_UNKNOWN = "<unknown>"
_FOLLOWS = re.compile(r"caused by previous Xid (?P<number>\d+)")
"""Newer drivers say so of the work that they clean up."""
_SXID = re.compile(
    rf"nvidia-nvswitch(?P<switch>\d+): SXid \((?:PCI:)?(?P<place>{PLACE})\): (?P<number>\d+), "
    r"(?P<how>fatal|non-?fatal)\b",
    re.I,
)
_RESET = tr("Reset all GPUs and NVSwitches together, or restart the machine; if it comes back, ask the maker.")
_OPENING = re.compile(r"NVRM: (?:The NVIDIA GPU |This PCI I/O region|GPU at )", re.I)
_GOES_ON = re.compile(
    r"NVRM: (?:GPU \S+ rm_init_adapter failed|\(PCI ID|fallen off the bus|nvidia|BAR\d|GPU Board"
    r"|installed in this system)",
    re.I,
)
_ADDRESS = re.compile(rf"(?<![0-9a-f])(?P<place>{PLACE})", re.I)
_FALLEN = re.compile(r"fallen off the bus", re.I)
_RESTATED = re.compile(rf"NVRM: GPU {PLACE}: GPU has fallen off the bus", re.I)
"""Comes right after the Xid."""
_BAR = re.compile(r"NVRM: BAR\d is 0M", re.I)
_NOT_UP = re.compile(r"NVRM: .*(?:RmInitAdapter failed|rm_init_adapter failed)", re.I)
_LOST = re.compile(r"NVRM: .*(?:GPU (?:is )?lost|GPU_IS_LOST)", re.I)
_RESET_REQUIRED = re.compile(r"NVRM: .*NV_ERR_RESET_REQUIRED", re.I)
_OF_DRIVER = (_NOT_UP, _LOST, _RESET_REQUIRED)


def _read_xid(lines: Sequence[str]) -> Iterator[Finding]:
    match = _XID.search(lines[0])
    if match is None:
        return
    number = int(match["number"])
    meaning, process = xid(number, match["rest"]), _PROCESS.match(match["rest"])
    program = (process["name"] or "").strip() if process else ""
    follows = _FOLLOWS.search(match["rest"])
    by_program, action = meaning.by_program, meaning.action
    if follows:
        by_program = by_program and xid(int(follows["number"])).by_program
        action = tr("Look at Xid {number} before it, which is the cause.", number=follows["number"])
    yield Finding(
        Record.XID,
        Part.GPU,
        meaning.severity,
        lines[0],
        tr("Xid {number}: {title}", number=number, title=meaning.title),
        action,
        bus_id(match["place"]),
        xid=number,
        pid=int(process["pid"]) if process else None,
        program="" if program == _UNKNOWN else program,
        by_program=by_program,
    )


def _read_sxid(lines: Sequence[str]) -> Iterator[Finding]:
    """Its other lines, with registers, say nothing more."""
    match = _SXID.search(lines[0])
    if match is None:
        return
    if match["how"].lower() == "fatal":
        severity, gravity, action = FATAL, Severity.FAIL, _RESET
        meaning = tr("NVSwitch error that stops NVLink traffic (SXid {number})", number=match["number"])
    else:
        severity, gravity, action = NONFATAL, Severity.WARN, tr("Nothing to do unless it is frequent.")
        meaning = tr("NVSwitch error, traffic goes on (SXid {number})", number=match["number"])
    address, switch = bus_id(match["place"]), match["switch"]
    yield Finding(Record.SWITCH, Part.FABRIC, gravity, lines[0], meaning, action, address, switch, severity=severity)


def _driver_key(line: str) -> str | None:
    if "NVRM" not in line or _XID.search(line):
        return None
    match = _OPENING.search(line) or _GOES_ON.search(line) or _FALLEN.search(line)
    return "" if match or any(pattern.search(line) for pattern in _OF_DRIVER) else None


def _driver_begins(line: str, before: Sequence[str]) -> bool:
    """A sentence of the driver that goes on in further lines names the card in one of them."""
    opened = any(pattern.search(before[0]) for pattern in (_OPENING, _GOES_ON, _NOT_UP))
    return not (opened and _GOES_ON.search(line))


def _read_driver(lines: Sequence[str]) -> Iterator[Finding]:
    text = " ".join(lines)
    place = _ADDRESS.search(text)
    address = bus_id(place["place"]) if place else None
    if _FALLEN.search(text):
        if not address:
            return
        gone, restated = xid(FALLEN_OFF), _RESTATED.search(text) is not None
        title = tr("Xid {number}: {title}", number=FALLEN_OFF, title=gone.title)
        yield Finding(
            Record.XID, Part.GPU, gone.severity, text, title, gone.action, address, xid=FALLEN_OFF, restated=restated
        )
        return
    advice = _advice(text)
    if advice is not None:
        meaning, action = advice
        part = Part.GPU if address else Part.MACHINE
        severity = Severity.FAIL if address else Severity.WARN
        yield Finding(
            Record.DRIVER, part, severity, text, meaning, action, address, severity=FATAL if address else None
        )


def _advice(text: str) -> tuple[str, str] | None:
    if _BAR.search(text):
        return (
            tr("The firmware gave the card no address space"),
            tr("Switch on Above 4G Decoding, update the BIOS; reseat the card."),
        )
    if _NOT_UP.search(text):
        return (
            tr("The driver could not initialise the GPU"),
            tr("Restart the machine; if it comes back, reseat the card and its power cables, then replace it."),
        )
    if _LOST.search(text):
        return tr("The GPU no longer answers"), tr("Reseat card, riser and power cables; restart the machine.")
    if _RESET_REQUIRED.search(text):
        return tr("A GPU needs a reset"), tr("Reset the GPU or restart the machine.")
    return None


FAMILIES = (
    Family("xid", lambda line: "" if "Xid (" in line and _XID.search(line) else None, _read_xid),
    Family("sxid", lambda line: "" if "SXid" in line and _SXID.search(line) else None, _read_sxid),
    Family("nvrm", _driver_key, _read_driver, _driver_begins),
)
