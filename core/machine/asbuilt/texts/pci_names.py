"""Vendors, board makers too, and classes of the PCI bus by the words of lspci, lshw and inxi that give no numbers.

After the PCI ID project (pci-ids.ucw.cz).
"""

from __future__ import annotations

import re

_VENDORS = (
    ("NVIDIA", "10de"),
    ("nVidia", "10de"),
    ("Advanced Micro Devices, Inc. [AMD/ATI]", "1002"),
    ("Advanced Micro Devices [AMD/ATI]", "1002"),
    ("ATI Technologies", "1002"),
    ("AMD/ATI", "1002"),
    ("Advanced Micro Devices", "1022"),
    ("AMD", "1022"),
    ("Intel", "8086"),
    ("ASPEED", "1a03"),
    ("Matrox", "102b"),
    ("Silicon Motion", "126f"),
    ("Huawei", "19e5"),
    ("Red Hat", "1af4"),
    ("Cirrus Logic", "1013"),
    ("VMware", "15ad"),
    ("InnoTek", "80ee"),
    ("Microsoft", "1414"),
    ("Habana", "1da3"),
    ("ASRock", "1849"),
    ("ASUSTeK", "1043"),
    ("CardExpert", "10b0"),
    ("eVga", "3842"),
    ("Gigabyte", "1458"),
    ("Micro-Star", "1462"),
    ("Palit", "1569"),
    ("PNY", "196e"),
    ("Sapphire", "1da2"),
    ("Tul Corporation", "148c"),
    ("Tul PowerColor", "148c"),
    ("XFX", "1eae"),
    ("ZOTAC", "19da"),
)
_CLASSES = {
    "VGA compatible controller": "0300",
    "XGA compatible controller": "0301",
    "3D controller": "0302",
    "Display controller": "0380",
    "Processing accelerators": "1200",
    "Host bridge": "0600",
    "PCI bridge": "0604",
}
_PRODUCT = re.compile(r"\[([^\[\]]*[A-Za-z][^\[\]]*)\](?!.*\[[^\[\]]*[A-Za-z][^\[\]]*\])")
_DEVICE = re.compile(r"\bDevice ([0-9a-f]{4})\b", re.IGNORECASE)
_AFTER = re.compile(r" \((?:rev|prog-if) ")
_RESTS = re.compile(r" (?:Rev\.? [A-Z0-9]+|Lite Hash Rate|LHR)$")


def vendor_called(text: str) -> str | None:
    """The vendor whose name a text begins with: "NVIDIA Corporation GA102" is of 10de."""
    return next((number for name, number in _VENDORS if text.startswith(name)), None)


def class_called(text: str) -> str | None:
    """The class: "VGA compatible controller" is 0300."""
    return _CLASSES.get(text.strip())


def device_numbered(text: str) -> str | None:
    """The device of a name that the list of ids did not have: "NVIDIA Corporation Device 2b85"."""
    match = _DEVICE.search(text)
    return match[1].lower() if match else None


def product_within(text: str) -> str | None:
    """What is sold, of a name of the list of ids: "GA102 [GeForce RTX 3090] (rev a1)" is a GeForce RTX 3090."""
    match = _PRODUCT.search(_AFTER.split(text, maxsplit=1)[0])
    return _RESTS.sub("", match[1].strip()) if match else None
