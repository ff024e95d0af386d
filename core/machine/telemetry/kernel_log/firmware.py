"""Errors that the firmware saw first (APEI): blocks of numbered lines, with a section for each error.

    {7}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 512
    {7}[Hardware Error]: event severity: corrected
    {7}[Hardware Error]:  Error 0, type: corrected
    {7}[Hardware Error]:   section_type: PCIe error
    {7}[Hardware Error]:   device_id: 0000:40:01.1

The kernel writes them in drivers/firmware/efi/cper.c. Each section says by itself how grave it is; where it does not,
the event does. Records that the firmware kept from before a reset (BERT) have the same lines without a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.machine.telemetry.kernel_log.finding import (
    CORRECTED,
    FATAL,
    NONFATAL,
    PLACE,
    Family,
    Finding,
    Part,
    Record,
    bus_id,
)
from core.machine.telemetry.kernel_log.pcie import link_action, part_of
from core.machine.telemetry.throttle import Severity
from core.words import tr

SECTION = re.compile(r"section_type: *(?P<type>.+?)\s*$", re.I)
"""A line that only a record of the firmware has."""
_NUMBERED = re.compile(r"^\{(?P<number>\d+)\}\[Hardware Error\]", re.I)
_MARK = re.compile(r"^.*?\[Hardware Error\]:\s*", re.I)
_HEAD = re.compile(r"Hardware error from APEI", re.I)
_ERROR = re.compile(r"^Error \d+, type: *(?P<how>\w+)", re.I)
_EVENT = re.compile(r"event severity: *(?P<how>\w+)", re.I)
_FIELD = re.compile(r"(?P<name>[A-Za-z_][A-Za-z_ ]*?): *(?P<value>[^,]*)")
_DIMM = re.compile(r"DIMM location: *(?P<name>.+?)\s*$", re.I)
_NOT_PRESENT = re.compile(r"not present", re.I)
_MODULE = re.compile(r"\b(?:node|card|module|rank): *\d+", re.I)
_SEVERITIES = {
    "corrected": (CORRECTED, Severity.WARN),
    "recoverable": (NONFATAL, Severity.FAIL),
    "fatal": (FATAL, Severity.FAIL),
    "info": (None, Severity.NORMAL),
    "informational": (None, Severity.NORMAL),
}
_UNTOLD = (None, Severity.WARN)


def _key(line: str) -> str | None:
    match = _NUMBERED.match(line) if line.startswith("{") else None
    return match["number"] if match else None


def _begins(line: str, before: Sequence[str]) -> bool:
    """Numbers begin anew with every boot."""
    return bool(_HEAD.search(line)) and bool(before)


def read(lines: Sequence[str]) -> Iterator[Finding]:
    """One for each section of the record; none where the record was cut off before it says what it is about."""
    stripped = [_MARK.sub("", line).strip() for line in lines]
    event = next((match["how"] for line in stripped if (match := _EVENT.search(line))), "")
    text = "; ".join(dict.fromkeys(filter(None, stripped)))
    sections = list(_sections(stripped, event))
    for how, section in sections:
        yield _finding(how, section, text)
    if not sections:
        severity, gravity = _SEVERITIES.get(event.lower(), _UNTOLD)
        meaning = tr("Hardware error reported by the firmware, which does not say of what")
        action = tr("Look into the event log of the BMC or BIOS.")
        yield Finding(Record.MACHINE_CHECK, Part.MACHINE, gravity, text, meaning, action, severity=severity)


def _sections(lines: Sequence[str], event: str) -> Iterator[tuple[str, list[str]]]:
    how, section = event, list[str]()
    for line in lines:
        error, kind = _ERROR.match(line), SECTION.search(line)
        if (error or kind) and section:
            yield how, section
            section = []
        if error:
            how = error["how"]
        elif kind or section:
            section.append(line)
    if section:
        yield how, section


def _finding(how: str, section: Sequence[str], text: str) -> Finding:
    severity, gravity = _SEVERITIES.get(how.lower(), _UNTOLD)
    match = SECTION.search(section[0])
    kind = match["type"].lower() if match else ""
    if "pcie" in kind or "pci express" in kind:
        return _pcie(section, severity, gravity, text)
    if "memory" in kind:
        name = next((dimm["name"] for line in section if (dimm := _DIMM.search(line))), "")
        if not name or _NOT_PRESENT.search(name):
            name = " ".join(part for line in section for part in _MODULE.findall(line))
        return memory_finding(text, severity, gravity, name)
    if "processor" in kind:
        return processor_finding(text, severity, gravity)
    meaning = tr("Hardware error reported by the firmware ({kind})", kind=kind)
    action = tr("Look into the event log of the BMC or BIOS.")
    return Finding(Record.MACHINE_CHECK, Part.MACHINE, gravity, text, meaning, action, severity=severity)


def _pcie(section: Sequence[str], severity: str | None, gravity: Severity, text: str) -> Finding:
    fields = _fields(section)
    place = fields.get("place", "")
    vendor, device = fields.get("vendor_id", "").removeprefix("0x"), fields.get("device_id", "").removeprefix("0x")
    behind = fields.get("secondary_bus", "")
    port = "port_type" in fields and any(word in fields["port_type"].lower() for word in ("port", "bridge"))
    part = part_of(vendor, device, class_code=fields.get("class_code", ""), port=port)
    return Finding(
        Record.PCIE,
        part,
        gravity,
        text,
        tr("PCIe error, told by the firmware"),
        link_action(part),
        bus_id(place) if place else None,
        ids=f"{vendor}:{device}" if vendor and device else "",
        behind=int(behind, 16) if re.fullmatch(r"0x[0-9a-f]{2}", behind) and port else None,
        severity=severity,
    )


def _fields(section: Sequence[str]) -> Mapping[str, str]:
    """`device_id` stands for the address first, then for the number of its maker."""
    fields: dict[str, str] = {}
    for line in section:
        for match in _FIELD.finditer(line):
            name, value = match["name"].strip().lower(), match["value"].strip().lower()
            if name == "device_id" and re.fullmatch(PLACE, value, re.I):
                name = "place"
            elif name == "port_type":
                value = line.lower().partition(":")[2]  # a number, then the words
            fields.setdefault(name, value)
    return fields


def memory_finding(text: str, severity: str | None, gravity: Severity, name: str = "", count: int = 1) -> Finding:
    """An error of the machine's main memory."""
    if severity == CORRECTED:
        meaning = tr("Memory error that ECC corrected")
        action = tr("Reseat the module; replace it if it goes on.")
    else:
        meaning = tr("Memory error that could not be corrected")
        action = tr("Replace the module.")
    return Finding(
        Record.MEMORY, Part.MEMORY, gravity, text, meaning, action, name=name, severity=severity, count=count
    )


def processor_finding(text: str, severity: str | None, gravity: Severity, name: str = "") -> Finding:
    """An error that the processor told of, in itself as far as the record says."""
    if severity == CORRECTED:
        meaning = tr("Machine check of the CPU, corrected")
        action = tr("Nothing to do unless it is frequent.")
    elif severity is None:
        meaning = tr("Machine check; the log does not say how grave")
        action = tr("Look into the event log of the BMC or BIOS.")
    else:
        meaning = tr("Machine check of the CPU, not corrected")
        action = tr("Reset overclocking and undervolting, update the BIOS; if it comes back, replace the CPU.")
    return Finding(Record.MACHINE_CHECK, Part.CPU, gravity, text, meaning, action, name=name, severity=severity)


FAMILIES = (Family("firmware", _key, read, _begins),)
