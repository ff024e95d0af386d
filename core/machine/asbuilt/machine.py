"""Reads the machine itself: board, BIOS, CPUs, RAM modules, drives, PSUs, network, kernel."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.machine.asbuilt.as_built import FoundDrive
from core.machine.asbuilt.smbios import Firmware, meant, read_firmware
from core.machine.telemetry.host.hwmon import read_text

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
