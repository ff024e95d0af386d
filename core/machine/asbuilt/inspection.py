"""The machine as built: everything that is read of it, bound to its slots and held against the plan."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.machine.asbuilt.as_built import AsBuilt, AsBuiltLine, FoundDrive, LineState, LineSubject, MachineFacts
from core.machine.asbuilt.binding import BY_USER, Bound, Notes, bind
from core.machine.asbuilt.bus import BusCard, LeftOutBy, unserved
from core.machine.asbuilt.card_lines import CardMatch, built_cards, card_lines, match_cards, places_of
from core.machine.asbuilt.identities import same_card
from core.machine.asbuilt.machine_lines import machine_lines
from core.machine.asbuilt.pci_tree import PciCard, read_cards, slot_addresses
from core.machine.asbuilt.smbios import Firmware, FirmwareSlot, meant, read_firmware
from core.machine.asbuilt.texts.contents import MissingSubject, Subject, TextSource
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.host.hwmon import read_text
from core.plan.build import Build
from core.plan.line import Role
from core.platform.errors import BadInput
from core.words import joined, tr
from core.words.refusal import first_refusal

MOST_BYTES = 1_000_000
"""Of a firmware's table; real ones have a few thousand."""
_SECTOR = 512
_NO_DRIVE = re.compile(r"loop|ram|zram|dm-|md|sr|fd|nbd")
_GB = 1e9


def read_machine(root: Path = Path("/")) -> Firmware:
    """Takes a few milliseconds. What this user may not read is named in `for_root_only`. Never raises."""
    table = _table(root)
    firmware, slots = read_firmware(table or b"")
    cpus, cores = _cpus(root)
    facts = replace(
        firmware,
        system=firmware.system or _dmi(root, "sys_vendor", "product_name"),
        serial=firmware.serial or _dmi(root, "product_serial"),
        board=firmware.board or _dmi(root, "board_vendor", "board_name"),
        board_serial=firmware.board_serial or _dmi(root, "board_serial"),
        bios=firmware.bios or _dmi(root, "bios_version", "bios_date"),
        cpus=cpus,
        cores=cores,
        ram_gb=_ram_gb(root),
        drives=tuple(_drives(root)),
        network=tuple(_network(root)),
        kernel=(read_text(root / "proc/sys/kernel/osrelease") or "").strip() or None,
        driver=_driver(root),
        for_root_only=("RAM modules", "slots", "PSU", "serial numbers") if table is None and _has_table(root) else (),
    )
    return Firmware(facts, slots)


def _has_table(root: Path) -> bool:
    return (root / "sys/firmware/dmi/tables/DMI").exists() or os.access(root / "sys/class/dmi/id", os.F_OK)


def _table(root: Path) -> bytes | None:
    try:
        with (root / "sys/firmware/dmi/tables/DMI").open("rb") as stream:
            return stream.read(MOST_BYTES)
    except OSError:
        return None


def _dmi(root: Path, *names: str) -> str | None:
    words = [text for name in names if (text := meant(read_text(root / "sys/class/dmi/id" / name)))]
    return " ".join(words) or None


def _cpus(root: Path) -> tuple[tuple[str, ...], int | None]:
    """The name of each socket's processor, and all cores together."""
    sockets: dict[str, str] = {}
    cores: dict[str, int] = {}
    for block in (read_text(root / "proc/cpuinfo") or "").split("\n\n"):
        pairs = (line.partition(":") for line in block.splitlines())
        fields = {key.strip(): value.strip() for key, _, value in pairs}
        socket, count = fields.get("physical id", "0"), fields.get("cpu cores", "")
        if name := fields.get("model name"):
            sockets.setdefault(socket, " ".join(name.split()))
        if count.isdecimal():
            cores[socket] = int(count)
    return tuple(sockets[socket] for socket in sorted(sockets)), sum(cores.values()) or None


def _ram_gb(root: Path) -> float | None:
    """What the kernel has, in GB of 2^30 bytes; firmware keeps a part of what is plugged in."""
    match = re.search(r"^MemTotal:\s+(\d{1,15}) kB", read_text(root / "proc/meminfo") or "", re.MULTILINE)
    return round(int(match[1]) / 2**20, 1) if match else None


def _drives(root: Path) -> Iterator[FoundDrive]:
    for block in sorted((root / "sys/block").glob("*")):
        device = block / "device"
        if _NO_DRIVE.match(block.name) or not device.exists() or (read_text(block / "removable") or "").strip() == "1":
            continue
        sectors = (read_text(block / "size") or "").strip()
        size_gb = round(int(sectors) * _SECTOR / _GB, 1) if sectors.isdecimal() else None
        if not size_gb:
            continue
        yield FoundDrive(
            name=block.name,
            model=meant(read_text(device / "model")) or block.name,
            size_gb=size_gb,
            serial=meant(read_text(device / "serial")),
            firmware=meant(read_text(device / "firmware_rev") or read_text(device / "rev")),
        )


def _network(root: Path) -> Iterator[str]:
    for port in sorted((root / "sys/class/net").glob("*")):
        if (port / "device").exists():
            speed = (read_text(port / "speed") or "").strip()
            yield f"{port.name}, {int(speed) / 1000:g} Gbit/s" if speed.isdecimal() and int(speed) else port.name


def _driver(root: Path) -> str | None:
    match = re.search(r"\b(\d{3}\.\d{2,3}(?:\.\d{2,3})?)\b", read_text(root / "proc/driver/nvidia/version") or "")
    return match[1] if match else None


SIMULATED = "simulated"
NO_NOTES = Notes()
_LEFT_OUT_AS = {Role.DISPLAY: LeftOutBy.BUILD, Role.SPARE: LeftOutBy.SPARE}


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was read of a machine, before it is held against any plan: it can be saved and taken elsewhere."""

    taken_at: str
    machine: MachineFacts
    devices: tuple[Device, ...]
    cards: tuple[PciCard, ...] = ()
    firmware_slots: tuple[FirmwareSlot, ...] = ()
    kernel_slots: dict[str, str] | None = None
    bus: tuple[BusCard, ...] = ()
    """Cards that the driver does not list."""
    texts: tuple[TextSource, ...] = ()
    """What it was put together from, where it was not read here."""
    untold: tuple[MissingSubject, ...] = ()
    """What none of these texts tells."""

    def as_json(self) -> str:
        """As `read_saved_text` reads it."""
        return _ADAPTER.dump_json(self, indent=1).decode() + "\n"


_ADAPTER = TypeAdapter(Inspection)


def inspect(present: Sequence[Device], root: Path = Path("/")) -> Inspection:
    """Reads the machine below `root`; `present` are the devices that telemetry lists.

    GPUs that telemetry does not list are found on the PCI bus. Of simulated devices nothing else is read: the
    machine they pretend to be in is not this one. Never raises.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    gpus = tuple(device for device in present if device.kind is DeviceKind.GPU and not device.parent)
    if any(device.simulated for device in gpus):
        return Inspection(now, MachineFacts(), gpus)
    (facts, slots), cards = read_machine(root), read_cards(root)
    driver = next((device for device in gpus if device.driver), None)
    if driver is not None:
        facts = replace(facts, driver=driver.driver, cuda=driver.cuda_version)
    by_address = {card.address: card for card in cards}
    completed_gpus = tuple(completed(device, by_address.get(device.bus_id or "")) for device in gpus)
    bus = tuple(unserved(cards, {device.bus_id for device in gpus if device.bus_id}, root))
    devices = (*completed_gpus, *(by_address[one.address].as_device() for one in bus))
    return Inspection(now, facts, devices, cards, slots, slot_addresses(root), bus)


def hold_against(
    plan: Build | None,
    inspection: Inspection,
    notes: Notes = NO_NOTES,
    accepted: Sequence[str] = (),
    leave_out: Sequence[str] = (),
) -> AsBuilt:
    """Pure: cards in their slots, and the plan line by line; without a plan no lines.

    `leave_out` are PCI addresses, or their ends. Raises BadInput for one at which there is no card.
    """
    places = places_of(plan) if plan else []
    bound = _bound(plan, inspection, notes)
    matches = match_cards(places, inspection.devices, bound)
    simulated = any(device.simulated for device in inspection.devices)
    lines = tuple(card_lines(matches, bound, {card.address: card for card in inspection.bus})) if plan else ()
    if plan and not simulated:
        lines += tuple(machine_lines(plan, inspection.machine))
    if inspection.texts:
        lines = tuple(_of_texts(line, {one.subject for one in inspection.untold}) for line in lines)
    return AsBuilt(
        inspection.taken_at,
        inspection.machine,
        tuple(built_cards(matches, bound, notes.serials)),
        lines,
        simulated=simulated,
        accepted=tuple(accepted),
        bus=_with_left_out(inspection, matches, leave_out),
    )


def _of_texts(line: AsBuiltLine, untold: Collection[Subject]) -> AsBuiltLine:
    """What no text tells is not missing; nobody can tell from here."""
    about = {LineSubject.CARD: Subject.CARDS, LineSubject.DRIVE: Subject.DRIVES}
    unread = line.state is LineState.MISSING and about.get(line.subject) in untold
    if not unread and (line.state is not LineState.NOT_READABLE or line.similar):
        return line
    return replace(line, state=LineState.NOT_READABLE, why=tr("The texts do not tell it."))


def _with_left_out(
    inspection: Inspection, matches: Sequence[CardMatch], leave_out: Sequence[str]
) -> tuple[BusCard, ...]:
    """What the driver does not list, and what it lists and nobody wants tested; each with who said so."""
    left_out_by = {
        match.device.bus_id: _LEFT_OUT_AS[match.place.role]
        for match in matches
        if match.device
        and match.place
        and match.place.role is not Role.WORKER
        and same_card(match.place.spec, match.device)
    }
    left_out_by |= {_address(inspection, words): LeftOutBy.OPTION for words in leave_out}
    listed = {card.address for card in inspection.bus}
    others = {one.bus_id: one.name for one in inspection.devices if one.bus_id and one.bus_id not in listed}
    return (
        *(replace(card, left_out_by=left_out_by.get(card.address)) for card in inspection.bus),
        *(
            BusCard(address, name, left_out_by=left_out_by[address])
            for address, name in others.items()
            if address in left_out_by
        ),
    )


def _address(inspection: Inspection, words: str) -> str:
    addresses = {card.address for card in inspection.cards} | {one.bus_id for one in inspection.devices if one.bus_id}
    fits = [address for address in sorted(addresses) if address.lower().endswith(words.lower())]
    if len(fits) != 1:
        there = joined(sorted(addresses), ", ") or tr("none present")
        raise BadInput(tr("No card is at {card}. Cards are at: {addresses}.", card=words, addresses=there))
    return fits[0]


def is_saved(tree: object) -> bool:
    """Whether a JSON is what `as_json` wrote, of this version or another one."""
    return isinstance(tree, dict) and {"machine", "devices"} <= tree.keys()


def read_saved_text(text: str, path: Path) -> Inspection:
    """A saved copy, whose text this is. Raises BadInput."""
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        place, reason = first_refusal(error)
        raise BadInput(
            tr(
                "{path} is not a saved machine description: {place}: {reason}. Make one with: sudo "
                "{rigwright as-built --save} FILE",
                path=path,
                place=place or tr("the file"),
                reason=reason,
            )
        ) from error


def _bound(plan: Build | None, inspection: Inspection, notes: Notes) -> dict[str, Bound]:
    slots = plan.board_slots() if plan else ()
    labels = {slot.position: slot.label for slot in slots}
    bound = bind(
        inspection.cards,
        slots,
        firmware=inspection.firmware_slots,
        kernel=inspection.kernel_slots,
        noted=notes.slots_on(inspection.machine.board),
    )
    for gpu in inspection.devices:
        if gpu.bus_id and gpu.slot is not None:
            bound[gpu.bus_id] = Bound(labels.get(gpu.slot, tr("slot {slot}", slot=gpu.slot)), gpu.slot, SIMULATED)
        elif gpu.bus_id and (position := notes.slots_on(inspection.machine.board).get(gpu.bus_id)):
            bound[gpu.bus_id] = Bound(labels.get(position, tr("slot {slot}", slot=position)), position, BY_USER)
    return bound


def completed(device: Device, card: PciCard | None) -> Device:
    """A device with what the driver does not tell of it, from the bus."""
    if card is None:
        return device
    return replace(
        device,
        pci_id=device.pci_id or card.pci_id,
        pci_subsystem=device.pci_subsystem or card.subsystem,
        pci_subsystem_vendor=device.pci_subsystem_vendor or card.subsystem_vendor,
        pci_revision=device.pci_revision or card.revision,
        pcie_generation_max=device.pcie_generation_max or card.generation,
        pcie_lanes_max=device.pcie_lanes_max or card.lanes,
    )
