"""The text of inxi -F, with more or fewer x: keys and values in sections, wrapped to the width of a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from core.machine.asbuilt.as_built import FoundDrive, MachineFacts, MemoryModule
from core.machine.asbuilt.smbios import meant
from core.machine.asbuilt.texts.contents import BusEntry, TextContents, TextKind, bytes_of
from core.machine.asbuilt.texts.lspci import address_of, device_numbered, product_within, vendor_called

_SECTION = re.compile(r"([A-Z][A-Za-z]+):(?:\s+(.*))?$")
_KEY = re.compile(r"(?:^|\s)([A-Za-z][\w/\[\]-]*(?: (?:ID|\[Legacy\]))?):(?=\s|$)")
_COLOUR = re.compile(r"(^|\s)12(?=[A-Za-z][\w/-]*:(?:\s|$))")
"""What is left of inxi's colours for chats where somebody pasted them."""
_DEVICE = re.compile(r"(?:Device|Card)(?:-\d+)?$")
_PLACE = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$")
_CHIP = re.compile(r"([0-9a-f]{4}):([0-9a-f]{4})$")
_COUNTED = re.compile(r"(?:(\d{1,2})x )?")
_OLD_CPU = re.compile(
    r"(?:(\d+) ?x? )?(?:[A-Z][a-z]+|\d+)[- ][Cc]ores?(?: CPUs?)?:? "
    r"(?P<name>(?:\d+th Gen )?(?:AMD|Intel).*?)(?: \(-|\s+(?:type|bits|cache|arch)\b|$)"
)
_DIMM = re.compile(r"Device-\d+$")
_RAM_KIND = re.compile(r"(?:LP)?DDR\d?$")
_NUMBER = re.compile(r"(\d+)\b")

Pairs = list[tuple[str, str]]


def read_inxi(lines: Sequence[str]) -> TextContents:
    """What its sections tell; what it filters (<filter>, N/A) is not told, nor the last value, which may be cut."""
    parts = {name: list(_pairs(text)) for name, text in _sections(lines).items()}
    if parts:
        parts[next(reversed(parts))].pop()
    machine = parts.get("Machine", [])
    facts = MachineFacts(
        system=_named(_after(machine, "System"), "System", "product"),
        board=_named(_after(machine, "Mobo"), "Mobo", "model"),
        bios=_bios(machine),
        cpus=_cpus(parts.get("CPU", [])),
        ram_gb=_ram_gb([*parts.get("Memory", []), *parts.get("Info", [])]),
        modules=tuple(_modules(parts.get("Memory", []))),
        drives=tuple(_drives(parts.get("Drives", []))),
        kernel=_first(parts.get("System", []), "Kernel"),
        driver=_driver(parts.get("Graphics", [])),
    )
    entries = tuple(_entries(parts.get("Graphics", [])))
    card_names = tuple(_named_cards(parts.get("Graphics", [])))
    return TextContents(
        TextKind.INXI, facts, entries, has_drivers=any(entry.driver for entry in entries), card_names=card_names
    )


def _sections(lines: Sequence[str]) -> Mapping[str, str]:
    """Each in one line, however it was wrapped, by inxi or by a mail program."""
    texts: dict[str, list[str]] = {}
    name = ""
    for raw in lines:
        line = _COLOUR.sub(r"\1", raw)
        if match := _SECTION.match(line):
            name = match[1]
            texts.setdefault(name, []).append(match[2] or "")
        elif not line.strip():
            name = ""
        elif name:
            texts[name].append(line.strip())
    return {key: " ".join(text) for key, text in texts.items()}


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """What stands before the first key belongs to ""; a value goes up to the next key."""
    matches = list(_KEY.finditer(text))
    yield "", text[: matches[0].start() if matches else len(text)].strip()
    for at, match in enumerate(matches):
        end = matches[at + 1].start() if at + 1 < len(matches) else len(text)
        yield match[1], text[match.end() : end].strip()


def _after(pairs: Pairs, key: str) -> Pairs:
    """From a key on."""
    at = next((at for at, (name, _) in enumerate(pairs) if name == key), None)
    return pairs[at:] if at is not None else []


def _first(pairs: Pairs, *keys: str) -> str | None:
    return next((text for name, value in pairs if name in keys and (text := meant(value))), None)


def _named(pairs: Pairs, maker: str, product: str) -> str | None:
    name = _first(pairs[:3], product)
    return " ".join(filter(None, (_first(pairs[:1], maker), name))) if name else None


def _bios(machine: Pairs) -> str | None:
    for key in ("UEFI", "BIOS", "UEFI-[Legacy]", "UEFI [Legacy]", "Bios"):
        if after := _after(machine, key):
            words = [text for name, value in after[:4] if name in ("v", "date") and (text := meant(value))]
            return " ".join(words) or None
    return None


def _cpus(pairs: Pairs) -> tuple[str, ...]:
    """ "Info: 2x 20-core model: Intel Xeon", "12-Core: AMD Ryzen 9 3900X", "Octa core AMD Ryzen 7 1800X (-MT-)"."""
    for at, (name, value) in enumerate(pairs):
        if name in ("Info", "Topology") or (name == "model" and at <= 1):
            model = _first(pairs[at:], "model") or ""
            count = _COUNTED.match(value if name != "model" else "")
            return (model,) * int((count and count[1]) or 1) if model else ()
    old = " ".join(f"{name}: {value}" if name else value for name, value in pairs[:2]).strip()
    match = _OLD_CPU.match(old)
    return (match["name"].strip(),) * int(match[1] or 1) if match else ()


def _ram_gb(pairs: Pairs) -> float | None:
    """What the kernel has; the first total is that of the RAM, others are of arrays."""
    for key in ("available", "total", "Memory"):
        for name, value in pairs:
            if name == key and (size := bytes_of(value.rpartition("/")[2])):
                return round(size / 2**30, 1)
    return None


def _modules(pairs: Pairs) -> Iterator[MemoryModule]:
    starts = [at for at, (name, _) in enumerate(pairs) if _DIMM.match(name)]
    for at, start in enumerate(starts):
        group = pairs[start : starts[at + 1] if at + 1 < len(starts) else None]
        end = next((number for number, (name, _) in enumerate(group) if name.startswith("Array")), len(group))
        fields = dict(reversed(group[1:end]))
        size = bytes_of(fields.get("size", ""))
        if not size or not any(name in fields for name in ("speed", "part-no", "type")):
            continue
        kind = _RAM_KIND.match(fields.get("type", ""))
        speed = _NUMBER.match(fields.get("spec", "") or fields.get("speed", ""))
        yield MemoryModule(
            slot=meant(group[0][1]) or "DIMM",
            size_gb=size / 2**30,
            kind=kind[0] if kind else None,
            speed_mts=int(speed[1]) if speed else None,
            maker=meant(fields.get("manufacturer")),
            part=meant(fields.get("part-no")),
            serial=meant(fields.get("serial")),
        )


def _drives(pairs: Pairs) -> Iterator[FoundDrive]:
    starts = [at for at, (name, _) in enumerate(pairs) if re.fullmatch(r"ID-\d+", name)]
    for at, start in enumerate(starts):
        group = pairs[start : starts[at + 1] if at + 1 < len(starts) else None]
        fields = dict(reversed(group))
        model, size = meant(fields.get("model")), bytes_of(fields.get("size", ""))
        if not model or not size or fields.get("type") == "USB":
            continue
        title = " ".join(filter(None, (meant(fields.get("vendor")), model)))
        yield FoundDrive(group[0][1].removeprefix("/dev/"), title, round(size / 1e9, 1))


def _driver(pairs: Pairs) -> str | None:
    """Of NVIDIA's driver, whose version stands right after its name."""
    after = pairwise(pairs)
    return next(
        (version for (key, name), (v, version) in after if key == "driver" and name == "nvidia" and v == "v"), None
    )


def _named_cards(pairs: Pairs) -> Iterator[str]:
    """NVIDIA's cards without their place, as inxi -F has them."""
    for name, value in pairs:
        if _DEVICE.match(name) and vendor_called(value) == "10de" and (product := product_within(value)):
            yield f"NVIDIA {product}"


def _entries(pairs: Pairs) -> Iterator[BusEntry]:
    """Cards with their place on the bus; cameras are among them, without one."""
    starts = [at for at, (name, _) in enumerate(pairs) if _DEVICE.match(name)]
    for at, start in enumerate(starts):
        group = pairs[start : starts[at + 1] if at + 1 < len(starts) else None]
        end = next((number for number, (name, _) in enumerate(group) if name in ("Display", "OpenGL")), len(group))
        fields = dict(reversed(group[1:end]))
        place = _PLACE.match(fields.get("bus-ID", "") or fields.get("bus ID", ""))
        if place is None:
            continue
        name, chip = group[0][1], _CHIP.match(fields.get("chip-ID", "") or fields.get("chip ID", ""))
        yield BusEntry(
            address_of(place[1], place[2]),
            kind=fields.get("class-ID", "0300")[:4],
            vendor=chip[1] if chip else vendor_called(name),
            device=chip[2] if chip else device_numbered(name),
            product=product_within(name),
            subsystem_vendor=vendor_called(fields.get("vendor", "")),
            driver=fields.get("driver") or None,
        )
