"""The texts of nvidia-smi: its table, -q with all of each GPU, -L with names, topo -m with the ways between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.asbuilt.as_built import MachineFacts
from core.asbuilt.smbios import meant
from core.asbuilt.texts.lspci import address_of
from core.asbuilt.texts.told import Subject, TextKind, Told
from core.telemetry.device import Device, DeviceKind

_GPU = re.compile(r"GPU (?:([0-9A-Fa-f]{4,8}):)?([0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$")
_LISTED = re.compile(r"GPU (\d+): (.+?) \(UUID: (GPU-[0-9a-zA-Z-]+)\)")
_IDS = re.compile(r"0x([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})\b")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
_VERSIONS = re.compile(r"Driver Version: ([\d.]+)(?:.*?CUDA Version: ([\d.]+))?")
_CELL = re.compile(
    r"\|\s+(\d+)\s+(\S.*?)\s+(?:On|Off|N/A|WDDM|TCC|MCDM)\s+\|\s+([0-9A-F]{4,8}):([0-9A-F]{2}:[0-9A-F]{2}\.[0-7])",
    re.IGNORECASE,
)
_MEMORY = re.compile(r"/\s+(\d+)MiB \|")
_CUT = "..."
_ROW = re.compile(r"GPU(\d+)\s+(.*)")
_WAYS = re.compile(r"X|SYS|NODE|PHB|PXB|PIX|SOC|NV\d+|N/A")


def read_query(lines: Sequence[str]) -> Told:
    """Of -q: GPUs in the order of the driver."""
    head, blocks = _blocks(lines)
    driver, cuda = meant(head.get("Driver Version")), meant(head.get("CUDA Version"))
    gpus = tuple(
        gpu
        for index, (address, fields) in enumerate(blocks)
        if (gpu := _gpu(index, address, fields, driver, cuda)) is not None
    )
    attached = head.get("Attached GPUs", "")
    return Told(
        TextKind.SMI_QUERY,
        MachineFacts(driver=driver, cuda=cuda),
        gpus=gpus,
        attached=int(attached) if attached.isdecimal() else None,
        whole=frozenset((Subject.VBIOS,)) if any("VBIOS Version" in fields for _, fields in blocks) else frozenset(),
    )


def read_table(lines: Sequence[str]) -> Told:
    """Of nvidia-smi without options; where its narrow column cuts a name, the GPU is left to other texts."""
    versions = next((match for line in lines if (match := _VERSIONS.search(line))), None)
    driver, cuda = versions.groups() if versions else (None, None)
    gpus: list[Device] = []
    for line in lines:
        if row := _CELL.match(line):
            address = address_of(row[3], row[4])
            gpus.append(
                Device(
                    address, DeviceKind.GPU, row[2], index=int(row[1]), bus_id=address, driver=driver, cuda_version=cuda
                )
            )
        elif gpus and gpus[-1].memory_mb is None and (memory := _MEMORY.search(line)):
            gpus[-1] = replace(gpus[-1], memory_mb=int(memory[1]))
    named = tuple(gpu for gpu in gpus if not gpu.name.endswith(_CUT))
    return Told(TextKind.SMI_TABLE, MachineFacts(driver=driver, cuda=cuda), gpus=named, attached=len(gpus))


def read_list(lines: Sequence[str]) -> Told:
    """Of -L; shares of a GPU (MIG) stand below it and are left out."""
    rows = (match for line in lines if (match := _LISTED.match(line)))
    gpus = {int(row[1]): Device(row[3], DeviceKind.GPU, row[2].strip(), index=int(row[1])) for row in rows}
    return Told(TextKind.SMI_LIST, gpus=tuple(gpus[index] for index in sorted(gpus)))


def read_topology(lines: Sequence[str]) -> Told:
    """Of topo -m: a row for each GPU, with a column for each."""
    rows = [match[2].split() for line in lines if (match := _ROW.match(line.strip())) and "GPU" not in match[2]]
    ways = tuple(tuple(row[: len(rows)]) for row in rows)
    square = all(len(row) == len(ways) and all(map(_WAYS.fullmatch, row)) for row in ways)
    return Told(TextKind.SMI_TOPOLOGY, ways=ways if square else ())


def _blocks(lines: Sequence[str]) -> tuple[Mapping[str, str], list[tuple[str, dict[str, str]]]]:
    """What stands before the first GPU, and the fields of each by address: "PCI/Bus Id"."""
    head: dict[str, str] = {}
    blocks: list[tuple[str, dict[str, str]]] = []
    path: list[tuple[int, str]] = []
    for line in lines:
        if match := _GPU.match(line):
            blocks.append((address_of(match[1], match[2]), {}))
            continue
        fields = blocks[-1][1] if blocks else head
        key, colon, value = line.partition(" : ")
        indent = len(line) - len(line.lstrip())
        path = [(depth, name) for depth, name in path if depth < indent]
        name = key.strip()
        if colon:
            fields.setdefault("/".join([*(above for _, above in path), name]), value.strip())
        elif name:
            path.append((indent, name))
    return head, blocks


def _gpu(index: int, address: str, fields: Mapping[str, str], driver: str | None, cuda: str | None) -> Device | None:
    name = meant(fields.get("Product Name"))
    if name is None:
        return None
    device, subsystem = (_IDS.match(fields.get(f"PCI/{key}", "")) for key in ("Device Id", "Sub System Id"))
    return Device(
        id=meant(fields.get("GPU UUID")) or address,
        kind=DeviceKind.GPU,
        name=name,
        index=index,
        bus_id=address,
        pci_id=f"{device[2].lower()}:{device[1].lower()}" if device else None,
        pci_subsystem=subsystem[1].lower() if subsystem else None,
        memory_mb=_memory_mb(fields),
        power_limit_w=_watts(fields, "Default Power Limit"),
        power_limit_max_w=_watts(fields, "Max Power Limit"),
        serial=meant(fields.get("Serial Number")),
        board_part=meant(fields.get("GPU Part Number")) or meant(fields.get("Board Part Number")),
        vbios=meant(fields.get("VBIOS Version")),
        driver=driver,
        cuda_version=cuda,
        several_gpus={"Yes": True, "No": False}.get(fields.get("MultiGPU Board", "")),
    )


def _memory_mb(fields: Mapping[str, str]) -> int | None:
    match = _NUMBER.match(fields.get("FB Memory Usage/Total", "") or fields.get("Memory Usage/Total", ""))
    return int(float(match[1])) if match else None


def _watts(fields: Mapping[str, str], key: str) -> float | None:
    return next(_watts_of(fields, key), None)


def _watts_of(fields: Mapping[str, str], key: str) -> Iterator[float]:
    for group in ("GPU Power Readings", "Power Readings"):
        if match := _NUMBER.match(fields.get(f"{group}/{key}", "")):
            yield float(match[1])
