"""Errors of PCI Express that the kernel handles itself (AER), as all its versions write them.

    pcieport 0000:00:02.0: AER: Corrected error received: id=0010
    pcieport 0000:00:02.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, id=0010(Transmitter ID)
    pcieport 0000:00:02.0:   device [8086:6f04] error status/mask=00001000/00002000
    pcieport 0000:00:02.0:    [12] Replay Timer Timeout

The port tells that a message came and from where; then whoever saw the error says more. Later kernels write "error
message received from", put "AER: " before each line, and say Correctable and Uncorrectable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
    slot_of,
)
from core.machine.telemetry.throttle import Severity
from core.words import tr

_ERROR = re.compile(
    rf"(?:(?P<driver>[\w-]+) )?(?P<place>{PLACE}): (?:AER: )?PCIe Bus Error: severity=(?P<how>[^,]+)", re.I
)
_MESSAGE = re.compile(
    rf"(?P<port>{PLACE}): AER: (?:Multiple )?(?P<how>(?:un)?correct(?:ed|able)(?: \([^)]*\))?) error "
    rf"(?:message )?received(?: from|:) (?:(?P<place>{PLACE})|id=(?P<id>[0-9a-f]{{4}}))",
    re.I,
)
_DETAIL = re.compile(
    rf"(?P<place>{PLACE}): (?:AER: )?\s*(?:device \[(?P<vendor>[0-9a-f]{{4}}):(?P<device>[0-9a-f]{{4}})\]|\[ ?\d+\])",
    re.I,
)
_BEHIND = re.compile(
    rf"(?P<driver>[\w-]+) (?P<place>{PLACE}): (?:AER: can't recover|device has no AER-aware driver)", re.I
)
"""What the kernel says of each device behind a port whose error it tries to recover from."""
_FIELDS = re.compile(r"^\s+\[ ?\d+ ?\] ")
"""A bit of the status, as older kernels write it without the address."""


def _key(line: str) -> str | None:
    if "Bus Error" in line:
        match = _ERROR.search(line)
    elif "received" in line:
        match = _MESSAGE.search(line)
    else:
        match = (_DETAIL.search(line) or _FIELDS.match(line) if "[" in line else None) or _BEHIND.search(line)
    return "" if match else None


def _begins(line: str, before: Sequence[str]) -> bool:
    if "Bus Error" in line:
        return any("Bus Error" in one for one in before)
    return "received" in line


def _read(lines: Sequence[str]) -> Iterator[Finding]:
    """What saw the error is named; where nothing more is said, what the message came from."""
    error = next((match for line in lines if (match := _ERROR.search(line))), None)
    message = next((match for line in lines if (match := _MESSAGE.search(line))), None)
    if error is None and message is None:
        return
    source = error or message
    assert source is not None
    address = bus_id(error["place"]) if error else _sender(message)
    driver = ((error["driver"] if error else "") or "").lower()
    ids = next(
        (
            (match["vendor"].lower(), match["device"].lower())
            for line in lines
            if (match := _DETAIL.search(line)) and match["vendor"] and bus_id(match["place"]) == address
        ),
        ("", ""),
    )
    severity = how_grave(source["how"])
    card = _only_card(lines)
    part = part_of(*ids, driver=driver, port=driver == "pcieport") if error else Part.PCIE
    port = address if part is Part.PCIE and card is not None else None
    if port is not None:
        part, address, ids = Part.GPU, card, ("", "")
    yield Finding(
        Record.PCIE,
        part,
        Severity.WARN if severity == CORRECTED else Severity.FAIL,
        "; ".join(lines),
        _meaning(severity),
        link_action(part),
        address,
        ids=":".join(ids) if all(ids) else "",
        port=port,
        severity=severity,
    )


def _only_card(lines: Sequence[str]) -> str | None:
    """The card behind the port, where nothing else is."""
    behind = {bus_id(match["place"]): match["driver"].lower() for line in lines if (match := _BEHIND.search(line))}
    cards = sorted(place for place, driver in behind.items() if driver in DRIVERS)
    alone = cards and {slot_of(place) for place in behind} == {slot_of(cards[0])}
    return cards[0] if alone else None


def how_grave(words: str) -> str:
    """Kernels say Corrected or Correctable, and Uncorrected (Fatal) or Uncorrectable (Non-Fatal)."""
    if words.lower().startswith("correct"):
        return CORRECTED
    return NONFATAL if "non-fatal" in words.lower() else FATAL


def _meaning(severity: str) -> str:
    if severity == CORRECTED:
        return tr("PCIe error, corrected by sending again")
    return tr("PCIe error, data lost") if severity == NONFATAL else tr("PCIe error, link down")


def _sender(message: re.Match[str] | None) -> str | None:
    """By its address, or by the number of older kernels: bus, then five bits of device and three of function."""
    if message is None:
        return None
    if message["place"]:
        return bus_id(message["place"])
    number = int(message["id"], 16)
    domain = bus_id(message["port"]).partition(":")[0]
    return f"{domain}:{number >> 8:02x}:{number >> 3 & 0x1F:02x}.{number & 7}"


_GONE = re.compile(
    rf"(?P<driver>[\w-]+) (?P<place>{PLACE}): Unable to change power state from D3cold to D0, device inaccessible", re.I
)
"""What the kernel says of a device whose registers no longer answer."""


def _key_of_gone(line: str) -> str | None:
    return "" if "change power state" in line and _GONE.search(line) else None


def _read_gone(lines: Sequence[str]) -> Iterator[Finding]:
    match = _GONE.search(lines[0])
    if match is None:
        return
    part = part_of("", "", driver=match["driver"].lower())
    severity, gravity = (FATAL, Severity.FAIL) if part is Part.GPU else (NONFATAL, Severity.WARN)
    meaning, address = tr("The device no longer answers on PCIe"), bus_id(match["place"])
    yield Finding(Record.PCIE, part, gravity, lines[0], meaning, link_action(part), address, severity=severity)


FAMILIES = (Family("aer", _key, _read, _begins), Family("gone", _key_of_gone, _read_gone))


# Which part a PCI device is: a card with a GPU, or another device.

NVIDIA, AMD, INTEL = "10de", "1002", "8086"
_SWITCHES = frozenset({"1ac0", "1ac1", "1ac2", "1af1", "22a3"})
"""Of NVIDIA: NVSwitches, which are no cards."""
_OF_CARDS = frozenset({"1478", "1479"})
"""Of AMD: the switch on its cards, above the GPU."""
DRIVERS = frozenset({"nvidia", "nouveau", "amdgpu", "radeon", "xe", "i915"})
"""Of GPUs, as the kernel's lines name them before an address."""
_DISPLAY = "03"
"""Class of GPUs."""


def part_of(vendor: str, device: str, *, class_code: str = "", driver: str = "", port: bool = False) -> Part:
    """From what a record says of it: numbers in hex without 0x, "" where unknown."""
    if vendor == NVIDIA and device in _SWITCHES:
        return Part.FABRIC
    if driver in DRIVERS or class_code.removeprefix("0x").startswith(_DISPLAY):
        return Part.GPU
    if vendor == AMD and (device in _OF_CARDS or not port):
        return Part.GPU
    return Part.GPU if vendor == NVIDIA and not port else Part.PCIE


def link_action(part: Part) -> str:
    """What to do about errors of a link."""
    if part is Part.GPU:
        return tr("Reseat card and riser; try another slot, a lower PCIe generation.")
    return tr("Find the device at this address (lspci), reseat it; try another slot.")
