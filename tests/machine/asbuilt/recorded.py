"""Machines as the kernel and the firmware show them, written into a folder from a few facts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.machine.telemetry.device import Device, DeviceKind


@dataclass(frozen=True)
class RecordedCard:
    """A GPU at the end of a way of bridges, from the root port."""

    way: tuple[str, ...]
    pci_id: str
    name: str
    memory_mb: int
    uuid: str
    lanes: int = 16
    rate: str = "8.0 GT/s PCIe"
    subsystem: str = "1132"
    vbios: str = "84.00.1F.00.01"

    @property
    def address(self) -> str:
        return self.way[-1]

    def device(self, index: int = 0) -> Device:
        """As its driver tells it."""
        return Device(
            self.uuid, DeviceKind.GPU, self.name, index=index, bus_id=self.address, memory_mb=self.memory_mb,
            vbios=self.vbios, driver="580.65.06",
        )  # fmt: skip


@dataclass(frozen=True)
class RecordedMachine:
    """What is told of a machine; `slots` are designation and address as the firmware pairs them."""

    board: tuple[str, str]
    cpus: tuple[str, ...]
    cards: tuple[RecordedCard, ...]
    slots: tuple[tuple[str, str | None], ...] = ()
    modules: tuple[tuple[str, int], ...] = ()
    """Socket and size in MB."""
    ram_kind: int = 0x1A
    drives: tuple[tuple[str, str, int], ...] = ()
    """Name, model, size in GB of 10^9 bytes."""
    psus: tuple[tuple[str, int], ...] = ()
    memory_kb: int = 64 << 20


def write_machine(root: Path, machine: RecordedMachine, *, as_root: bool = True) -> Path:
    """The tree below `root`; without `as_root` what only root may read is not there."""
    dmi = root / "sys/class/dmi/id"
    _put(dmi / "board_vendor", machine.board[0])
    _put(dmi / "board_name", machine.board[1])
    _put(dmi / "bios_version", "3801")
    if as_root:
        table = root / "sys/firmware/dmi/tables/DMI"
        table.parent.mkdir(parents=True)
        table.write_bytes(smbios(machine))
    blocks = [
        f"processor\t: {n}\nmodel name\t: {name}\nphysical id\t: {n}\ncpu cores\t: 8"
        for n, name in enumerate(machine.cpus)
    ]
    _put(root / "proc/cpuinfo", "\n\n".join(blocks))
    _put(root / "proc/meminfo", f"MemTotal:       {machine.memory_kb} kB")
    for name, model, size_gb in machine.drives:
        _put(root / f"sys/block/{name}/device/model", model)
        _put(root / f"sys/block/{name}/size", str(size_gb * 10**9 // 512))
    for card in machine.cards:
        _write_card(root, card)
    return root


def _write_card(root: Path, card: RecordedCard) -> None:
    folder, links = root / "sys/devices/pci0000:00", root / "sys/bus/pci/devices"
    links.mkdir(parents=True, exist_ok=True)
    for step in card.way:
        folder /= step
        bridge = step != card.address
        _put(folder / "class", "0x060400" if bridge else "0x030000")
        _put(folder / "max_link_speed", card.rate)
        _put(folder / "max_link_width", str(card.lanes))
        vendor, device = ("8086", "0000") if bridge else card.pci_id.split(":")
        _put(folder / "vendor", f"0x{vendor}")
        _put(folder / "device", f"0x{device}")
        _put(folder / "subsystem_device", f"0x{card.subsystem}")
        if not (links / step).exists():
            (links / step).symlink_to(folder)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def smbios(machine: RecordedMachine) -> bytes:
    """A table of the entries that are read, of the lengths that version 2.8 has."""
    bios = _entry(0, 0x18, {0x05: "3801", 0x08: "10/17/2024"})
    board = _entry(2, 0x0F, {0x04: machine.board[0], 0x05: machine.board[1], 0x07: "B-0815"})
    parts = [bios, board]
    for designation, address in machine.slots:
        parts.append(_entry(9, 0x11, {0x04: designation}, {0x0D: _address(address)}))
    for socket, size_mb in machine.modules:
        fields = {0x12: bytes([machine.ram_kind]), 0x15: (3200).to_bytes(2, "little"), **_size(size_mb)}
        parts.append(_entry(17, 0x28, {0x10: socket, 0x17: "Maker", 0x18: f"S-{socket}"}, fields))
    for name, watts in machine.psus:
        parts.append(_entry(39, 0x16, {0x06: name, 0x08: f"P-{name}"}, {0x0C: watts.to_bytes(2, "little")}))
    return b"".join([*parts, _entry(127, 4, {})])


def _entry(kind: int, length: int, texts: dict[int, str], fields: dict[int, bytes] | None = None) -> bytes:
    data = bytearray(length)
    data[0:4] = bytes([kind, length, 0, 0])
    for number, offset in enumerate(texts, 1):
        data[offset] = number
    for offset, value in (fields or {}).items():
        data[offset : offset + len(value)] = value
    ends = b"".join(text.encode() + b"\0" for text in texts.values()) or b"\0"
    return bytes(data) + ends + b"\0"


def _size(megabytes: int) -> dict[int, bytes]:
    """From 32 GB on in a field of its own."""
    if megabytes < 0x7FFF:
        return {0x0C: megabytes.to_bytes(2, "little")}
    return {0x0C: b"\xff\x7f", 0x1C: megabytes.to_bytes(4, "little")}


def _address(text: str | None) -> bytes:
    if text is None:
        return b"\xff\xff\xff\xff"
    domain, bus, place = text.split(":")
    device, _, function = place.partition(".")
    return int(domain, 16).to_bytes(2, "little") + bytes([int(bus, 16), int(device, 16) << 3 | int(function)])


def devices_of(cards: Iterable[RecordedCard]) -> Sequence[Device]:
    """As telemetry lists them: in the order of the bus."""
    return [card.device(index) for index, card in enumerate(sorted(cards, key=lambda one: one.address))]
