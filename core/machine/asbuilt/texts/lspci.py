"""The text of lspci: -nn and -n give ids, -vv what each link can do, -k drivers, -t the tree of buses.

Vendors, board makers and classes that stand there in words, and in lshw and inxi too, are known by those of the PCI ID
project (pci-ids.ucw.cz).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.machine.asbuilt.pci_tree import generation_of
from core.machine.asbuilt.texts.contents import BusEntry, TextContents, TextKind

_VENDORS = (
    ("NVIDIA", "10de"),
    ("nVidia", "10de"),
    ("Advanced Micro Devices, Inc. [AMD/ATI]", "1002"),
    ("Advanced Micro Devices [AMD/ATI]", "1002"),
    ("ATI Technologies", "1002"),
    ("AMD/ATI", "1002"),
    ("Advanced Micro Devices", "1022"),
    ("AMD", "1022"),
    ("Intel", "8086"),
    ("ASPEED", "1a03"),
    ("Matrox", "102b"),
    ("Silicon Motion", "126f"),
    ("Huawei", "19e5"),
    ("Red Hat", "1af4"),
    ("Cirrus Logic", "1013"),
    ("VMware", "15ad"),
    ("InnoTek", "80ee"),
    ("Microsoft", "1414"),
    ("Habana", "1da3"),
    ("ASRock", "1849"),
    ("ASUSTeK", "1043"),
    ("CardExpert", "10b0"),
    ("eVga", "3842"),
    ("Gigabyte", "1458"),
    ("Micro-Star", "1462"),
    ("Palit", "1569"),
    ("PNY", "196e"),
    ("Sapphire", "1da2"),
    ("Tul Corporation", "148c"),
    ("Tul PowerColor", "148c"),
    ("XFX", "1eae"),
    ("ZOTAC", "19da"),
)
_CLASSES = {
    "VGA compatible controller": "0300",
    "XGA compatible controller": "0301",
    "3D controller": "0302",
    "Display controller": "0380",
    "Processing accelerators": "1200",
    "Host bridge": "0600",
    "PCI bridge": "0604",
}
_PRODUCT = re.compile(r"\[([^\[\]]*[A-Za-z][^\[\]]*)\](?!.*\[[^\[\]]*[A-Za-z][^\[\]]*\])")
_DEVICE = re.compile(r"\bDevice ([0-9a-f]{4})\b", re.IGNORECASE)
_AFTER = re.compile(r" \((?:rev|prog-if) ")
_RESTS = re.compile(r" (?:Rev\.? [A-Z0-9]+|Lite Hash Rate|LHR)$")


def vendor_called(text: str) -> str | None:
    """The vendor whose name a text begins with: "NVIDIA Corporation GA102" is of 10de."""
    return next((number for name, number in _VENDORS if text.startswith(name)), None)


def class_called(text: str) -> str | None:
    """The class: "VGA compatible controller" is 0300."""
    return _CLASSES.get(text.strip())


def device_numbered(text: str) -> str | None:
    """The device of a name that the list of ids did not have: "NVIDIA Corporation Device 2b85"."""
    match = _DEVICE.search(text)
    return match[1].lower() if match else None


def product_within(text: str) -> str | None:
    """What is sold, of a name of the list of ids: "GA102 [GeForce RTX 3090] (rev a1)" is a GeForce RTX 3090."""
    match = _PRODUCT.search(_AFTER.split(text, maxsplit=1)[0])
    return _RESTS.sub("", match[1].strip()) if match else None


_HEAD = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) +(.*)")
_NUMERIC = re.compile(r"([0-9a-f]{4}): ([0-9a-f]{4}):([0-9a-f]{4})\b")
_CLASS = re.compile(r"([^:\[]*?)\s*(?:\[([0-9a-f]{4})\])?: (.*)")
_QUOTED = re.compile(r'"([^"]*)" "([^"]*)" "([^"]*)"(?: -r([0-9a-f]{2}))?(?: -p[0-9a-f]{2})?(?: "([^"]*)" "([^"]*)")?')
"""Of lspci -mm: class, vendor, device, revision, vendor and device of the subsystem."""
_NUMBER = re.compile(r"\s*\[([0-9a-f]{4})\]$")
_IDS = re.compile(r"\[([0-9a-f]{4}):([0-9a-f]{4})\]")
_REVISION = re.compile(r"\(rev ([0-9a-f]{2})\)")
_SECONDARY_BUS = re.compile(r"\s+Bus: primary=[0-9a-f]{2}, secondary=([0-9a-f]{2}), ")
_SUBSYSTEM = re.compile(r"\s+Subsystem: (?:.*\[|(?:Device )?)([0-9a-f]{4}):([0-9a-f]{4})(?:\]|\s*$)")
_SUBSYSTEM_NUMBERED = re.compile(r"\s+Subsystem: (.*)\bDevice ([0-9a-f]{4})\s*$")
_LINK = re.compile(r"\s+LnkCap:\s.*?Speed ([\d.]+)GT/s, Width x(\d{1,2})\b")
_DRIVER = re.compile(r"\s+Kernel driver in use: (\S+)")
_PHYSICAL = re.compile(r"\s+Physical Slot: (\S+)")
_MOST_LANES = 32
_TREE_ROOT = re.compile(r"\[([0-9a-f]{4,8}):([0-9a-f]{2})\]")
_TREE_BUS = re.compile(r"\[([0-9a-f]{2})(?:-[0-9a-f]{2})?\]")
_TREE_PLACE = re.compile(r"([0-9a-f]{2}\.[0-7])(?![0-9a-f])")


def read_lspci(lines: Sequence[str]) -> TextContents:
    """Every function of the bus."""
    entries = tuple(_entries(lines))
    return TextContents(TextKind.LSPCI, entries=entries, has_drivers=any(entry.driver for entry in entries))


def _entries(lines: Sequence[str]) -> Iterator[BusEntry]:
    """A function is put together once, when all of its lines were seen."""
    facts: dict[str, Any] | None = None
    for line in lines:
        if match := _HEAD.match(line):
            if facts:
                yield BusEntry(**facts)
            facts = _head(match[1], match[2], match[3])
        elif facts and line[:1] in (" ", "\t"):
            reader = _READERS.get(line.split(None, 1)[0] if line.strip() else "")
            if reader:
                facts |= reader(line, facts["address"])
    if facts:
        yield BusEntry(**facts)


def address_of(domain: str | None, place: str) -> str:
    """As the kernel writes it: lspci leaves out a domain of zeros, lshw and NVIDIA's driver write eight digits."""
    return f"{(domain or '').lower().lstrip('0'):0>4}:{place.lower()}"


def _head(domain: str | None, place: str, text: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"address": address_of(domain, place)}
    if revision := _REVISION.search(text):
        facts["revision"] = revision[1]
    if match := _NUMERIC.match(text):
        return facts | {"kind": match[1], "vendor": match[2], "device": match[3]}
    if match := _QUOTED.match(text):
        cells = match.groups("")
        kind, vendor, device = (_NUMBER.search(cell) for cell in cells[:3])
        board_maker, board = (_NUMBER.search(cell) for cell in cells[4:])
        if match[4]:
            facts["revision"] = match[4]
        return facts | {
            "subsystem_vendor": board_maker[1] if board_maker else vendor_called(cells[4]),
            "subsystem": board[1] if board else device_numbered(cells[5]),
            "kind": kind[1] if kind else class_called(match[1]),
            "vendor": vendor[1] if vendor else vendor_called(match[2]),
            "device": device[1] if device else device_numbered(match[3]),
            "product": product_within(_NUMBER.sub("", match[3])),
        }
    match = _CLASS.match(text)
    if match is None:
        return facts
    name = match[3]
    ids = _IDS.search(name)
    return facts | {
        "kind": match[2] or class_called(match[1]),
        "vendor": ids[1] if ids else vendor_called(name),
        "device": ids[2] if ids else device_numbered(name),
        "product": product_within(_IDS.sub("", name)),
    }


def _bus(line: str, address: str) -> dict[str, Any]:
    match = _SECONDARY_BUS.match(line)
    return {"secondary_bus": f"{address.partition(':')[0]}:{match[1]}"} if match else {}


def _subsystem(line: str, _: str) -> dict[str, Any]:
    if match := _SUBSYSTEM.match(line):
        return {"subsystem_vendor": match[1], "subsystem": match[2]}
    facts = {"subsystem_vendor": vendor_called(line.partition(":")[2].strip())}
    match = _SUBSYSTEM_NUMBERED.match(line)
    return facts | {"subsystem": match[2]} if match else facts


def _link(line: str, _: str) -> dict[str, Any]:
    match = _LINK.match(line)
    if match is None or not 1 <= int(match[2]) <= _MOST_LANES:
        return {}
    return {"generation": generation_of(match[1]), "lanes": int(match[2])}


def _driver(line: str, _: str) -> dict[str, Any]:
    match = _DRIVER.match(line)
    return {"driver": match[1]} if match else {}


def _slot(line: str, _: str) -> dict[str, Any]:
    match = _PHYSICAL.match(line)
    return {"slot": match[1]} if match else {}


_READERS = {"Bus:": _bus, "Physical": _slot, "Subsystem:": _subsystem, "LnkCap:": _link, "Kernel": _driver}
"""By the first word of a line."""


def read_tree(lines: Sequence[str]) -> TextContents:
    """Of -t, -tv, -tvnn: the bridges, each with the bus below it."""
    return TextContents(TextKind.LSPCI_TREE, entries=tuple(_bridges(lines)))


def _bridges(lines: Sequence[str]) -> Iterator[BusEntry]:
    """A line goes on from the bus whose bracket stands last to the left of it: "[0000:00]-+-01.1-[41]----00.0"."""
    domain = "0000"
    open_buses: list[tuple[int, str]] = []
    for line in lines:
        drawn = line.partition("  ")[0] if line[:1] not in (" ",) else _drawn(line)
        at = len(line) - len(line.lstrip(" |\\+-"))
        open_buses = [(column, bus) for column, bus in open_buses if column < at]
        position = 0
        place: str | None = None
        while position < len(drawn):
            if root := _TREE_ROOT.match(drawn, position):
                domain = f"{root[1].lstrip('0'):0>4}"
                open_buses = [(position, root[2])]
                position = root.end()
            elif bus := _TREE_BUS.match(drawn, position):
                if place and open_buses:
                    yield BusEntry(f"{domain}:{open_buses[-1][1]}:{place}", secondary_bus=f"{domain}:{bus[1]}")
                open_buses.append((position, bus[1]))
                place = None
                position = bus.end()
            elif function := _TREE_PLACE.match(drawn, position):
                place = function[1]
                position = function.end()
            else:
                position += 1


def _drawn(line: str) -> str:
    """The part of a line with the tree, before the name of a device, which two blanks set apart."""
    text = line.lstrip(" |")
    return line[: len(line) - len(text)] + text.partition("  ")[0]
