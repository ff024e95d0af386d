"""What the firmware tells of the machine: the SMBIOS table, as the kernel hands it to root.

System Management BIOS Reference Specification (DMTF DSP0134) 3.7: a header of type, length and handle, the fields, then
the texts that fields name by number. Fields that an older table does not have are absent, and so is what lies beyond
the end of a damaged one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from core.machine.asbuilt.as_built import FoundPsu, MachineFacts, MemoryModule

_BIOS, _SYSTEM, _BOARD, _SLOT, _MEMORY, _PSU, _END = 0, 1, 2, 9, 17, 39, 127
_NOTHING = re.compile(
    "|".join(
        (
            r"[0 .x*?_-]*|f+|x+|0?123456789(?:0|abcdef)?|<filter>|<out of spec>",
            r"default(?: string)?|product name|serial number|part number|no asset (?:tag|information)",
            r"(?:system|base ?board|board|chassis|cpu) (?:product name|manufacturer|version|serial number|family|sku)",
            r"(?:to be filled|fill|filled) (?:out )?by o\.?e\.?m\.?.*",
            r"o\.?e\.?m\.?",
            r"(?:not|un)[ -]?(?:specified|known|defined|available|applicable|present|provided|installed)",
            r"(?:not|un)[ -]?(?:set(?:table)?|support(?:ed)?)",
            r"unknow|none|null|n[/.]?a\.?|nil|invalid|empty|\[empty\]|no dimm|<?bad[_ ]index>?",
            r"(?:manufacturer|ser(?:ial)?num(?:ber)?|(?:module|array\d_)?part ?num(?:ber)?|asset ?tag ?num) ?\d*",
            r"(?:standard|high) efficiency",
        )
    )
)
"""What makers leave in fields that they did not fill, and tools put in the place of what they hide."""
_ANY_PSU = re.compile(r"(?:system )?(?:power supply|psu?|pwr)[ _-]?\d*", re.IGNORECASE)
"""What a place for a PSU is called, whatever is in it."""
_NO_DOMAIN = 0xFF00
"""From here on firmware means that it gives none."""
_RAM_KINDS = {0x12: "DDR", 0x13: "DDR2", 0x18: "DDR3", 0x1A: "DDR4", 0x22: "DDR5", 0x1E: "LPDDR4", 0x23: "LPDDR5"}
"""Memory Device, field Memory Type (DSP0134 7.18.2)."""


def meant(text: str | None) -> str | None:
    """A text without the words that makers leave in fields which they did not fill."""
    words = " ".join((text or "").split())
    return None if _NOTHING.fullmatch(words.casefold()) else words


@dataclass(frozen=True, slots=True)
class Structure:
    """One entry of the table."""

    kind: int
    data: bytes
    """With the header of four bytes, so that offsets are those of the specification."""
    texts: tuple[str, ...]

    def number(self, offset: int, size: int = 1) -> int | None:
        """An unsigned field; None where this table ends before it."""
        field = self.data[offset : offset + size]
        return int.from_bytes(field, "little") if len(field) == size else None

    def text(self, offset: int) -> str | None:
        """The text that a field names; None where it names none, or one that nobody filled."""
        number = self.number(offset) or 0
        return meant(self.texts[number - 1]) if 0 < number <= len(self.texts) else None


@dataclass(frozen=True, slots=True)
class FirmwareSlot:
    """A slot as the board's firmware names it; the address is that of the card or of the port above it."""

    designation: str
    address: str | None
    """0000:41:00.0; None of an empty slot, or where the firmware does not tell."""


class Firmware(NamedTuple):
    """What the table says of the machine; its slots are named as the board names them."""

    facts: MachineFacts
    slots: tuple[FirmwareSlot, ...]


def read_firmware(table: bytes) -> Firmware:
    """The whole table. Never raises: what is damaged is absent."""
    by_kind: dict[int, list[Structure]] = {}
    for one in structures(table):
        by_kind.setdefault(one.kind, []).append(one)
    bios, system, board = (next(iter(by_kind.get(kind, [])), None) for kind in (_BIOS, _SYSTEM, _BOARD))
    facts = MachineFacts(
        bios=_joined(bios, 0x05, 0x08),
        system=_joined(system, 0x04, 0x05),
        serial=system.text(0x07) if system else None,
        board=_joined(board, 0x04, 0x05),
        board_serial=board.text(0x07) if board else None,
        modules=tuple(module for one in by_kind.get(_MEMORY, []) if (module := _module(one))),
        psus=tuple(psu for one in by_kind.get(_PSU, []) if (psu := _psu(one))),
    )
    return Firmware(facts, tuple(_slot(one) for one in by_kind.get(_SLOT, []) if one.text(0x04)))


def structures(table: bytes) -> Iterator[Structure]:
    """The entries of a table, up to its end or to where it is damaged."""
    at = 0
    while at + 4 <= len(table):
        kind, length = table[at], table[at + 1]
        texts_at = at + length
        end = table.find(b"\0\0", texts_at)
        if length < 4 or end < 0:
            return
        texts = table[texts_at:end].decode("utf-8", errors="replace").split("\0")
        yield Structure(kind, table[at:texts_at], tuple(texts))
        if kind == _END:
            return
        at = end + 2


def _joined(one: Structure | None, *offsets: int) -> str | None:
    words = [text for offset in offsets if one is not None and (text := one.text(offset))]
    return " ".join(words) or None


def _slot(one: Structure) -> FirmwareSlot:
    segment, bus, place = one.number(0x0D, 2), one.number(0x0F), one.number(0x10)
    name = one.text(0x04) or ""
    if segment is None or bus is None or place is None:
        return FirmwareSlot(name, None)
    return firmware_slot(name, segment, bus, place >> 3, place & 7)


def firmware_slot(designation: str, segment: int, bus: int, device: int, function: int) -> FirmwareSlot:
    """A slot with what its entry gives as address: zeros and ones throughout are none, nor is a domain of ones."""
    if (bus, device, function) in ((0, 0, 0), (0xFF, 0x1F, 7)):
        return FirmwareSlot(designation, None)
    domain = segment if segment < _NO_DOMAIN else 0
    return FirmwareSlot(designation, f"{domain:04x}:{bus:02x}:{device:02x}.{function}")


def _module(one: Structure) -> MemoryModule | None:
    """None for an empty socket. The size is in MB, in kB with the uppermost bit, elsewhere with 0x7FFF."""
    size = one.number(0x0C, 2)
    if size in (None, 0, 0xFFFF):
        return None
    assert size is not None
    megabytes: float = (one.number(0x1C, 4) or 0) if size == 0x7FFF else size & 0x7FFF
    if size & 0x8000:
        megabytes /= 1024
    speed = one.number(0x15, 2)
    return MemoryModule(
        slot=one.text(0x10) or one.text(0x11) or "DIMM",
        size_gb=megabytes / 1024,
        kind=_RAM_KINDS.get(one.number(0x12) or 0),
        speed_mts=speed if speed not in (0, 0xFFFF) else None,
        maker=one.text(0x17),
        part=one.text(0x1A),
        serial=one.text(0x18),
        buffered=_buffered(one.number(0x13, 2) or 0),
    )


def _buffered(detail: int) -> bool | None:
    """Memory Device, field Type Detail (DSP0134 7.18.3); many firmwares say neither."""
    return True if detail & 0xA000 else False if detail & 0x4000 else None


def psu_of(name: str | None, maker: str | None, watts: float | None, serial: str | None) -> FoundPsu | None:
    """A PSU that has a wattage or a name of its own; most boards have an entry of which nobody filled a field."""
    if not watts and (name is None or _ANY_PSU.fullmatch(name)):
        return None
    return FoundPsu(name or "PSU", maker, watts or None, serial)


def _psu(one: Structure) -> FoundPsu | None:
    watts = one.number(0x0C, 2)
    capacity_w = float(watts) if watts not in (None, 0x8000) else None
    return psu_of(one.text(0x06) or one.text(0x0A), one.text(0x07), capacity_w, one.text(0x08))
