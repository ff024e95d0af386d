"""The XML of nvidia-smi -q -x, line by line: the values of -q under other names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.asbuilt.texts.nvidia_smi import read_query
from core.asbuilt.texts.told import TextKind, Told

_GPU = re.compile(r'\s*<gpu id="([0-9A-Fa-f:.]+)">')
_VALUE = re.compile(r"\s*<(\w+)>([^<]*)</\1>")
_HEAD = {"driver_version": "Driver Version", "cuda_version": "CUDA Version", "attached_gpus": "Attached GPUs"}
_FIELDS = {
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


def read_xml(lines: Sequence[str]) -> Told:
    """The first total of a GPU is that of its memory."""
    text: list[str] = []
    written: set[str] = set()
    for line in lines:
        if match := _GPU.match(line):
            text.append(f"GPU {match[1]}")
            written = set()
        elif (match := _VALUE.match(line)) and match[1] not in written:
            written.add(match[1])
            if match[1] in _HEAD:
                text.append(f"{_HEAD[match[1]]} : {match[2]}")
            elif match[1] in _FIELDS:
                group, key = _FIELDS[match[1]]
                value = f"0x{match[2]}" if key.endswith(" Id") and not match[2].startswith("0x") else match[2]
                text += [f"    {group}", f"        {key} : {value}"] if group else [f"    {key} : {value}"]
    return replace(read_query(text), kind=TextKind.SMI_XML)
