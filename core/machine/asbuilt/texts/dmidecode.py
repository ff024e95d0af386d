"""The text of dmidecode: the firmware's table in words, whole or some of its entries (-t memory, -t slot)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.machine.asbuilt.as_built import FoundPsu, MachineFacts, MemoryModule
from core.machine.asbuilt.smbios import FirmwareSlot, firmware_slot, meant, psu_of
from core.machine.asbuilt.texts.contents import Subject, TextContents, TextKind, bytes_of

_HANDLE = re.compile(r"Handle 0x([0-9A-Fa-f]+), DMI type (\d+)")
_TITLES = {
    "BIOS Information": 0,
    "System Information": 1,
    "Base Board Information": 2,
    "Processor Information": 4,
    "System Slot Information": 9,
    "Physical Memory Array": 16,
    "Memory Device": 17,
    "System Power Supply": 39,
}
_END = "End Of Table"
_ADDRESS = re.compile(r"([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+)\b")
_OF_WHOLE_TABLE = frozenset((0, 1))
"""Kinds of entries that one seldom asks for by themselves: a text with them is of the whole table, and has an end."""
_LAST_OF_MODULE = frozenset(("Part Number", "Rank"))


@dataclass(slots=True)
class _Entry:
    kind: int
    indent: str = ""
    fields: dict[str, str] = field(default_factory=dict)

    def text(self, key: str) -> str | None:
        """What the maker filled in."""
        return meant(self.fields.get(key))

    def number(self, key: str) -> int | None:
        match = _NUMBER.match(self.fields.get(key, ""))
        return int(match[1]) if match else None


def read_dmidecode(lines: Sequence[str]) -> TextContents:
    """What is cut off is absent; of modules all, where the text says how many there are and has fewer."""
    by_kind: dict[int, list[_Entry]] = {}
    for one in _entries(lines):
        by_kind.setdefault(one.kind, []).append(one)
    ended = any(_END in line for line in lines)
    bios, system, board = (next(iter(by_kind.get(kind, [])), None) for kind in (0, 1, 2))
    populated = [one for one in by_kind.get(4, []) if one.fields.get("Status", "").startswith("Populated")]
    cores = [one.number("Core Count") or 0 for one in populated]
    facts = MachineFacts(
        system=_named(system),
        serial=system.text("Serial Number") if system else None,
        board=_named(board),
        board_serial=board.text("Serial Number") if board else None,
        bios=_joined(bios, "Version", "Release Date"),
        cpus=tuple(" ".join(name.split()) for one in populated if (name := one.text("Version"))),
        cores=sum(cores) or None,
        modules=_modules(by_kind, ended=ended),
        psus=tuple(psu for one in by_kind.get(39, []) if (psu := _psu(one))),
    )
    slots = tuple(slot for one in by_kind.get(9, []) if (slot := _slot(one)))
    of_kinds = {Subject.SLOTS: 9, Subject.MODULES: 17, Subject.BOARD: 2, Subject.BIOS: 0, Subject.PSU: 39}
    covered = frozenset(of_kinds) if ended else frozenset(one for one, kind in of_kinds.items() if kind in by_kind)
    return TextContents(TextKind.DMIDECODE, facts, slots=slots, covered=covered)


def _entries(lines: Iterable[str]) -> Iterator[_Entry]:
    """Those of the kinds that are read, each once by its handle."""
    entry: _Entry | None = None
    handles: set[str] = set()
    for line in lines:
        if match := _HANDLE.match(line):
            if entry:
                yield entry
            again = match[1] in handles
            handles.add(match[1])
            entry = None if again else _Entry(int(match[2]))
        elif not line.startswith((" ", "\t")):
            kind = _TITLES.get(line.strip())
            if kind is not None and (entry is None or entry.fields):
                if entry:
                    yield entry
                entry = _Entry(kind)
        elif entry:
            _take(entry, line)
    if entry:
        yield entry


def _take(entry: _Entry, line: str) -> None:
    """A field; lists below a field stand deeper."""
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    entry.indent = entry.indent or indent
    key, colon, value = text.partition(":")
    if colon and indent == entry.indent:
        entry.fields.setdefault(key.strip(), value.strip())


def _named(one: _Entry | None) -> str | None:
    """Maker and product; a maker alone names nothing."""
    return _joined(one, "Manufacturer", "Product Name") if one and one.text("Product Name") else None


def _joined(one: _Entry | None, *keys: str) -> str | None:
    words = [text for key in keys if one is not None and (text := one.text(key))]
    return " ".join(words) or None


def _slot(one: _Entry) -> FirmwareSlot | None:
    name = one.text("Designation")
    if name is None:
        return None
    match = _ADDRESS.search(one.fields.get("Bus Address", ""))
    if match is None:
        return FirmwareSlot(name, None)
    segment, bus, device, function = (int(part, 16) for part in match.groups())
    return firmware_slot(name, segment, bus, device, function)


def _modules(by_kind: dict[int, list[_Entry]], *, ended: bool) -> tuple[MemoryModule, ...]:
    entries = by_kind.get(17, [])
    arrays = [one for one in by_kind.get(16, []) if one.fields.get("Use", "System Memory") == "System Memory"]
    sockets = sum(one.number("Number Of Devices") or 0 for one in arrays)
    cut = sockets > len(entries) or any(not _LAST_OF_MODULE & one.fields.keys() for one in entries[-1:])
    if not ended and (cut or by_kind.keys() >= _OF_WHOLE_TABLE):
        return ()
    return tuple(module for one in entries if (module := _module(one)))


def _module(one: _Entry) -> MemoryModule | None:
    size = bytes_of(one.fields.get("Size", ""))
    if not size:
        return None
    kind = one.text("Type") or ""
    return MemoryModule(
        slot=one.text("Locator") or one.text("Bank Locator") or "DIMM",
        size_gb=size / 2**30,
        kind=kind if kind.startswith(("DDR", "LPDDR")) else None,
        speed_mts=one.number("Speed"),
        maker=one.text("Manufacturer"),
        part=one.text("Part Number"),
        serial=one.text("Serial Number"),
        buffered=_buffered(one.fields.get("Type Detail", "")),
    )


def _buffered(detail: str) -> bool | None:
    """ "Synchronous Registered (Buffered)", "Synchronous Unbuffered (Unregistered)"."""
    return False if "Unbuffered" in detail else True if "Registered" in detail or "LRDIMM" in detail else None


def _psu(one: _Entry) -> FoundPsu | None:
    return psu_of(
        one.text("Name") or one.text("Model Part Number"),
        one.text("Manufacturer"),
        one.number("Max Power Capacity"),
        one.text("Serial Number"),
    )
