"""The texts of nvidia-smi: its table, -q and -q -x with all of each GPU, -L with names, topo -m with paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.machine.asbuilt.as_built import MachineFacts
from core.machine.asbuilt.smbios import meant
from core.machine.asbuilt.texts.contents import Subject, TextContents, TextKind
from core.machine.asbuilt.texts.lspci import address_of
from core.machine.telemetry.device import Device, DeviceKind

_GPU = re.compile(r"GPU (?:([0-9A-Fa-f]{4,8}):)?([0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$")
_LISTED = re.compile(r"GPU (\d+): (.+?) \(UUID: (GPU-[0-9a-zA-Z-]+)\)")
_IDS = re.compile(r"0x([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})\b")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
_VERSIONS = re.compile(r"Driver Version: ([\d.]+)(?:.*?CUDA Version: ([\d.]+))?")
_CELL = re.compile(
    r"\|\s+(\d+)\s+(\S.*?)\s+(?:On|Off|N/A|WDDM|TCC|MCDM)\s+\|\s+([0-9A-F]{4,8}):([0-9A-F]{2}:[0-9A-F]{2}\.[0-7])", re.I
)
_MEMORY = re.compile(r"/\s+(\d+)MiB \|")
_CUT = "..."
_ROW = re.compile(r"GPU(\d+)\s+(.*)")
_PATHS = re.compile(r"X|SYS|NODE|PHB|PXB|PIX|SOC|NV\d+|N/A")
_XML_GPU = re.compile(r'\s*<gpu id="([0-9A-Fa-f:.]+)">')
_XML_VALUE = re.compile(r"\s*<(\w+)>([^<]*)</\1>")
_XML_HEAD = {"driver_version": "Driver Version", "cuda_version": "CUDA Version", "attached_gpus": "Attached GPUs"}
_XML_FIELDS = {
    "product_name": ("", "Product Name"),
    "serial": ("", "Serial Number"),
    "uuid": ("", "GPU UUID"),
    "vbios_version": ("", "VBIOS Version"),
    "multigpu_board": ("", "MultiGPU Board"),
    "gpu_part_number": ("", "GPU Part Number"),
    "pci_device_id": ("PCI", "Device Id"),
    "pci_sub_system_id": ("PCI", "Sub System Id"),
    "default_power_limit": ("GPU Power Readings", "Default Power Limit"),
    "max_power_limit": ("GPU Power Readings", "Max Power Limit"),
    "total": ("FB Memory Usage", "Total"),
}


def read_query(lines: Sequence[str]) -> TextContents:
    """Of -q: GPUs in the order of the driver."""
    head, blocks = _blocks(lines)
    driver, cuda = meant(head.get("Driver Version")), meant(head.get("CUDA Version"))
    gpus = tuple(filter(None, (_gpu(index, *block, driver, cuda) for index, block in enumerate(blocks))))
    attached = head.get("Attached GPUs", "")
    return TextContents(
        TextKind.SMI_QUERY,
        MachineFacts(driver=driver, cuda=cuda),
        gpus=gpus,
        attached_gpus=int(attached) if attached.isdecimal() else None,
        covered=frozenset((Subject.VBIOS,)) if any("VBIOS Version" in fields for _, fields in blocks) else frozenset(),
    )


def read_xml(lines: Sequence[str]) -> TextContents:
    """Of -q -x, line by line: the values of -q under other names. The first total of a GPU is that of its memory."""
    text: list[str] = []
    written: set[str] = set()
    for line in lines:
        if match := _XML_GPU.match(line):
            text.append(f"GPU {match[1]}")
            written = set()
        elif (match := _XML_VALUE.match(line)) and match[1] not in written:
            written.add(match[1])
            if match[1] in _XML_HEAD:
                text.append(f"{_XML_HEAD[match[1]]} : {match[2]}")
            elif match[1] in _XML_FIELDS:
                group, key = _XML_FIELDS[match[1]]
                value = f"0x{match[2]}" if key.endswith(" Id") and not match[2].startswith("0x") else match[2]
                text += [f"    {group}", f"        {key} : {value}"] if group else [f"    {key} : {value}"]
    return replace(read_query(text), kind=TextKind.SMI_XML)


def read_table(lines: Sequence[str]) -> TextContents:
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
    uncut = tuple(gpu for gpu in gpus if not gpu.name.endswith(_CUT))
    return TextContents(TextKind.SMI_TABLE, MachineFacts(driver=driver, cuda=cuda), gpus=uncut, attached_gpus=len(gpus))


def read_list(lines: Sequence[str]) -> TextContents:
    """Of -L; shares of a GPU (MIG) stand below it and are left out."""
    rows = (match for line in lines if (match := _LISTED.match(line)))
    gpus = {int(row[1]): Device(row[3], DeviceKind.GPU, row[2].strip(), index=int(row[1])) for row in rows}
    return TextContents(TextKind.SMI_LIST, gpus=tuple(gpus[index] for index in sorted(gpus)))


def read_topology(lines: Sequence[str]) -> TextContents:
    """Of topo -m: a row for each GPU, with a column for each."""
    rows = [match[2].split() for line in lines if (match := _ROW.match(line.strip())) and "GPU" not in match[2]]
    paths = tuple(tuple(row[: len(rows)]) for row in rows)
    square = all(len(row) == len(paths) and all(map(_PATHS.fullmatch, row)) for row in paths)
    return TextContents(TextKind.SMI_TOPOLOGY, topology=paths if square else ())


def _blocks(lines: Sequence[str]) -> tuple[Mapping[str, str], list[tuple[str, dict[str, str]]]]:
    """What stands before the first GPU, and the fields of each by address: "PCI/Bus Id"."""
    head: dict[str, str] = {}
    blocks: list[tuple[str, dict[str, str]]] = []
    path: list[tuple[int, str]] = []
    for line in lines:
        if match := _GPU.match(line):
            blocks.append((address_of(match[1], match[2]), {}))
            path = []
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
        pci_subsystem_vendor=subsystem[2].lower() if subsystem else None,
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
