"""PCI Express as the kernel sees it: bus ids, the port above a card, and error counters (AER) of both ends of its link.

The counters are readable by everybody and count for every card, whatever its driver tells
(Documentation/ABI/testing/sysfs-bus-pci-devices-aer).
"""

from __future__ import annotations

import re
from pathlib import Path

from core.telemetry.host.hwmon import read_text

MOST_LANES = 32
"""Of any link; unknown widths read as 0 or 255."""
PCI = Path("/sys/bus/pci/devices")
_BUS_ID = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_COUNTERS = {
    "aer_correctable": ("aer_dev_correctable", "TOTAL_ERR_COR"),
    "aer_nonfatal": ("aer_dev_nonfatal", "TOTAL_ERR_NONFATAL"),
    "aer_fatal": ("aer_dev_fatal", "TOTAL_ERR_FATAL"),
}
"""Metric, file, and the name of its last line."""


def kernel_bus_id(text: str | None) -> str | None:
    """A bus id as the kernel writes it. NVML writes the domain with eight digits, the kernel with four."""
    domain, _, place = (text or "").lower().partition(":")
    return f"{domain.lstrip('0'):0>4}:{place}" if place else None


def port_above(bus_id: str, root: Path = PCI) -> str | None:
    """Bus id of the bridge or root port that the device is attached to; None for what sits on the root itself."""
    try:
        above = (root / bus_id).resolve(strict=True).parent.name
    except OSError:
        return None
    return above if _BUS_ID.fullmatch(above) else None


def lanes_of_link(bus_id: str | None, told: int | None, root: Path = PCI) -> int | None:
    """The most lanes that card and port above it can use together; `told` is what the driver says, often the card's own
    alone. A board that splits 16 lanes between two slots shows it in the port's `max_link_width`."""
    ends = [end for end in (bus_id, port_above(bus_id, root) if bus_id else None) if end]
    texts = [(read_text(root / end / "max_link_width") or "").strip() for end in ends]
    known = [int(text) for text in texts if text.isdecimal() and 1 <= int(text) <= MOST_LANES]
    return min([*known, *([told] if told is not None else [])], default=None)


class LinkErrors:
    """Errors of a card and its port, added up: each end of a link counts what it receives damaged."""

    def __init__(self, bus_id: str | None, root: Path = PCI) -> None:
        self.ends = [end for end in (bus_id, port_above(bus_id, root) if bus_id else None) if end]
        self._files = {
            metric: [(path, total) for end in self.ends if (path := root / end / file).is_file()]
            for metric, (file, total) in _COUNTERS.items()
        }

    def read(self) -> dict[str, float]:
        """Counts since the machine started, by metric; what no end counts is absent."""
        counts = {
            metric: [count for path, total in files if (count := _total(path, total)) is not None]
            for metric, files in self._files.items()
        }
        return {metric: sum(found) for metric, found in counts.items() if found}


def _total(path: Path, name: str) -> float | None:
    for line in (read_text(path) or "").splitlines():
        key, _, count = line.rpartition(" ")
        if key == name and count.isdecimal():
            return float(count)
    return None
