"""The text of lshw, and its JSON: a tree of nodes, each with product, vendor, place on the bus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.machine.asbuilt.as_built import FoundDrive, MachineFacts, MemoryModule
from core.machine.asbuilt.smbios import meant
from core.machine.asbuilt.texts.contents import BusEntry, TextContents, TextKind, bytes_of
from core.machine.asbuilt.texts.lspci import address_of, class_called, device_numbered, product_within, vendor_called

_NODE = re.compile(r"(\s*)\*-([a-z]+)(?::\d+)?")
_PCI = re.compile(r"pci@(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")
_NUMBERS = re.compile(r"\[([0-9A-F]{1,4}):([0-9A-F]{1,4})\]\s*$")
_CLOCK = re.compile(r"(\d+)MHz")
_RAM_KIND = re.compile(r"\b(?:LP)?DDR\d?\b")
_OF_PROCESSOR = frozenset(("width", "capabilities", "size", "capacity"))
_DRIVES = ("disk", "nvme", "namespace")
_IN_ENGLISH = {
    **dict.fromkeys(("produit", "Produkt", "producto"), "product"),
    **dict.fromkeys(("fabricant", "fabriquant", "Hersteller", "fabricante"), "vendor"),
    **dict.fromkeys(("taille", "Größe", "tamaño"), "size"),
    **dict.fromkeys(("emplacement", "Steckplatz", "ranura"), "slot"),
    **dict.fromkeys(("horloge", "Takt", "reloj"), "clock"),
    **dict.fromkeys(("numéro de série", "Seriennummer", "serie"), "serial"),
    **dict.fromkeys(("information bus", "informations du bus", "Bus-Informationen", "información del bus"), "bus info"),
    **dict.fromkeys(("nom logique", "Logischer Name", "nombre lógico"), "logical name"),
    **dict.fromkeys(("Beschreibung", "descripción"), "description"),
    **dict.fromkeys(("Konfiguration", "configuración"), "configuration"),
    **dict.fromkeys(("Breite", "bits", "anchura"), "width"),
    "Version": "version",
}
"""Keys of lshw in French, German and Spanish."""
_MOST_NODES = 100_000
_LARGEST = 1e18
"""Bytes or hertz; NaN and infinity are not below it."""
_DEEPEST = 64


@dataclass(slots=True)
class Node:
    """A thing of the machine; sizes are in bytes, clocks in Hz."""

    name: str
    """Without its number: "bank", "display"."""
    depth: int
    fields: dict[str, str] = field(default_factory=dict)
    size: float | None = None
    clock: float | None = None

    def text(self, key: str) -> str | None:
        """What somebody filled in."""
        return meant(self.fields.get(key))


def read_lshw(lines: Sequence[str]) -> TextContents:
    """The text that lshw writes by itself."""
    return _contents(list(_nodes(lines)))


def read_lshw_json(tree: Any) -> TextContents:
    """What `lshw -json` writes: one node, or several of a class."""
    return _contents(list(_json_nodes(tree)))


def is_lshw_json(tree: Any) -> bool:
    """Whether a JSON is lshw's."""
    first = next(iter(tree), None) if isinstance(tree, list) else tree
    return isinstance(first, dict) and "id" in first and bool({"class", "children"} & first.keys())


def _nodes(lines: Sequence[str]) -> Iterator[Node]:
    node: Node | None = Node("system", 0)
    for line in lines:
        if match := _NODE.match(line):
            if node:
                yield node
            node = Node(match[2], len(match[1]))
            continue
        key, colon, value = line.strip().partition(": ")
        key = _IN_ENGLISH.get(key, key)
        if node and colon:
            node.fields.setdefault(key, value.strip())
            if key == "size":
                node.size = bytes_of(value) or node.size
            elif key == "clock" and (clock := _CLOCK.match(value)):
                node.clock = float(clock[1]) * 1e6
    if node:
        yield node


def _json_nodes(tree: Any) -> Iterator[Node]:
    """The whole tree, each node before those within it."""
    pending: list[tuple[Any, int]] = [(tree, 0)]
    for _ in range(_MOST_NODES):
        if not pending:
            return
        branch, depth = pending.pop()
        if isinstance(branch, list):
            pending += [(child, depth) for child in reversed(branch)]
        elif isinstance(branch, Mapping) and depth < _DEEPEST:
            yield _json_node(branch, depth)
            pending.append((branch.get("children"), depth + 1))


def _json_node(branch: Mapping[str, Any], depth: int) -> Node:
    fields = {key: value for key, value in branch.items() if isinstance(value, str)}
    fields["bus info"] = fields.get("businfo", "")
    settings = branch.get("configuration")
    if isinstance(settings, Mapping):
        fields["configuration"] = " ".join(f"{key}={value}" for key, value in settings.items())
    is_system = depth == 0 and branch.get("class", "system") == "system"
    name = "system" if is_system else str(branch.get("id", "")).partition(":")[0]
    size, clock = branch.get("size"), branch.get("clock")
    return Node(name, depth, fields, _figure(size) if branch.get("units", "bytes") == "bytes" else None, _figure(clock))


def _figure(value: object) -> float | None:
    """A number of a JSON, which may hold one that no machine has."""
    return float(value) if isinstance(value, int | float) and 0 <= value < _LARGEST else None


def _contents(nodes: Sequence[Node]) -> TextContents:
    system = next((node for node in nodes if node.name == "system"), None)
    core = next((node for node in nodes if node.name == "core"), None)
    firmware = next((node for node in nodes if node.name == "firmware"), None)
    banks = [node for node in nodes if node.name == "bank"]
    memory = sum(node.size for node in nodes if node.name == "memory" and node.size)
    facts = MachineFacts(
        system=_named(system),
        serial=system.text("serial") if system else None,
        board=_named(core),
        board_serial=core.text("serial") if core else None,
        bios=" ".join(text for key in ("version", "date") if firmware and (text := firmware.text(key))) or None,
        cpus=tuple(_cpus(nodes)),
        ram_gb=memory / 2**30 or None,
        modules=_modules(banks, memory),
        drives=tuple(_drives(nodes)),
    )
    entries = tuple(_entries(nodes))
    return TextContents(TextKind.LSHW, facts, entries, has_drivers=any(one.driver for one in entries))


def _named(node: Node | None) -> str | None:
    """Maker and product, where both are told; a cut text may have the product alone. A SKU is behind it in brackets."""
    if node is None or "vendor" not in node.fields:
        return None
    product = meant(re.sub(r" \([^()]*\)$", "", node.text("product") or ""))
    return " ".join(filter(None, (node.text("vendor"), product))) if product else None


def _cpus(nodes: Sequence[Node]) -> Iterator[str]:
    """Sockets without a processor have none of its figures."""
    for node in nodes:
        name = node.text("product") if node.name == "cpu" else None
        if name and (_OF_PROCESSOR & node.fields.keys() or node.size or node.clock):
            yield re.sub(r" \([0-9A-F]{4,}\)$", "", name)


def _modules(banks: Sequence[Node], memory: float) -> tuple[MemoryModule, ...]:
    """All of them, or none where they do not add up to the whole memory: the text may be cut."""
    modules = tuple(_module(node) for node in banks if node.size)
    return modules if sum(module.size_gb for module in modules) >= memory / 2**30 else ()


def _module(node: Node) -> MemoryModule:
    words = node.fields.get("description", "")
    kind = _RAM_KIND.search(words)
    return MemoryModule(
        slot=node.text("slot") or "DIMM",
        size_gb=(node.size or 0) / 2**30,
        kind=kind[0] if kind else None,
        speed_mts=round(node.clock / 1e6) if node.clock else None,
        maker=node.text("vendor"),
        part=node.text("product"),
        serial=node.text("serial"),
    )


def _drives(nodes: Sequence[Node]) -> Iterator[FoundDrive]:
    """A drive on NVMe has its model in the controller, and its size in the namespace below it."""
    model: Node | None = None
    for node in nodes:
        if node.name not in _DRIVES or node.fields.get("bus info", "").startswith("usb@"):
            continue
        if node.name == "nvme":
            model = node
        elif node.name == "namespace" and model and node.size:
            yield _drive(model, node)
            model = None
        elif node.name == "disk" and node.size and node.text("product"):
            yield _drive(node, node)


def _drive(model: Node, sized: Node) -> FoundDrive:
    place = sized.fields.get("logical name") or sized.fields.get("logicalname") or "disk"
    size_gb = round((sized.size or 0) / 1e9, 1)
    return FoundDrive(place.removeprefix("/dev/"), model.text("product") or place, size_gb, model.text("serial"))


def _entries(nodes: Sequence[Node]) -> Iterator[BusEntry]:
    """A bridge stands above what is on the bus that it leads to."""
    way: list[tuple[int, BusEntry]] = []
    entries: dict[str, BusEntry] = {}
    for node in nodes:
        way = [(depth, entry) for depth, entry in way if depth < node.depth]
        match = _PCI.match(node.fields.get("bus info", ""))
        if match is None:
            continue
        entry = _entry(node, address_of(match[1], match[2]))
        above = way[-1][1] if way else None
        if above and above.address[:7] != entry.address[:7] and above.kind == "0604":
            entries[above.address] = BusEntry(
                above.address, above.kind, above.vendor, above.device, secondary_bus=entry.address[:7]
            )
        entries[entry.address] = entry
        way.append((node.depth, entry))
    yield from entries.values()


def _entry(node: Node, address: str) -> BusEntry:
    product, vendor = node.fields.get("product", ""), node.fields.get("vendor", "")
    numbers = _NUMBERS.search(product)
    by_number = numbers or _NUMBERS.search(vendor)
    driver = re.search(r"\bdriver=(\S+)", node.fields.get("configuration", ""))
    revision = node.fields.get("version", "")
    return BusEntry(
        address,
        kind=class_called(node.fields.get("description", "")),
        vendor=f"{by_number[1].lower():0>4}" if by_number else vendor_called(vendor),
        device=f"{numbers[2].lower():0>4}" if numbers else device_numbered(product),
        product=product_within(_NUMBERS.sub("", product)) or None,
        revision=revision if re.fullmatch(r"[0-9a-f]{2}", revision) else None,
        driver=driver[1] if driver else None,
    )
