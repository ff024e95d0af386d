"""PCI Express as the kernel sees it: bus ids, the ports above a card, and error counters (AER) along its link.

The counters are readable by everybody and count for every card, whatever its driver tells
(Documentation/ABI/testing/sysfs-bus-pci-devices-aer).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.machine.telemetry.host.hwmon import read_text

MOST_LANES = 32
"""Of any link; unknown widths read as 0 or 255."""
PCI = Path("/sys/bus/pci/devices")
BUS_ID = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_SWITCH_MAKERS = ("1002", "8086")
"""AMD since Vega 20 and Intel Arc: a switch of the maker's own sits on the card, above the GPU."""
_SWITCH_PORTS = 2
"""Of a switch, on the way through it: the port towards the GPU, and the one towards the slot."""
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


def ports_above(bus_id: str, root: Path = PCI) -> tuple[str, ...]:
    """Bus ids of the bridges above a device, nearest first, the root port last; none for what sits on the root itself.

    The kernel nests the folder of each device in that of the port above.
    """
    try:
        return tuple(_bus_ids((root / bus_id).resolve(strict=True)))
    except OSError:
        return ()


def way_to_slot(bus_id: str | None, root: Path = PCI, *, several: bool = False) -> tuple[str, ...]:
    """From a GPU to the port of its slot: the GPU, the bridges of the card itself where it has a switch, the port.

    Only the last two are the ends of the link in the slot: what lies before is within the card. `several` tells that
    the card has more than one GPU, which hang on a switch of any maker.
    """
    if not bus_id:
        return ()
    return way_of(bus_id, ports_above(bus_id, root), lambda end: read_hex(root / end / "vendor"), several=several)


def way_of(
    bus_id: str, ports: Sequence[str], vendor_of: Callable[[str], str | None], *, several: bool
) -> tuple[str, ...]:
    """The same way on a bus that was read elsewhere, from the ports above the GPU and the vendor at an address."""
    own = several or all(
        vendor in _SWITCH_MAKERS and vendor == vendor_of(bus_id) for vendor in map(vendor_of, ports[:_SWITCH_PORTS])
    )
    skipped = _SWITCH_PORTS if own and len(ports) > _SWITCH_PORTS else 0
    return (bus_id, *ports[: skipped + 1])


def lanes_of_link(bus_id: str | None, reported: int | None, root: Path = PCI, *, several: bool = False) -> int | None:
    """The most lanes that card and slot can use together; `reported` is what the driver says, often the card's own
    alone. A board that splits 16 lanes between two slots shows it in the port's `max_link_width`."""
    ends = way_to_slot(bus_id, root, several=several)[-2:]
    lanes = [lanes for end in ends if (lanes := max_lanes(root / end))]
    return min([*lanes, *([reported] if reported is not None else [])], default=None)


def max_lanes(end: Path) -> int | None:
    """Of one end of a link, by its folder."""
    text = (read_text(end / "max_link_width") or "").strip()
    return int(text) if text.isdecimal() and 1 <= int(text) <= MOST_LANES else None


def read_hex(path: Path) -> str | None:
    """A number as sysfs writes it, without its 0x."""
    return (read_text(path) or "").strip().removeprefix("0x").lower() or None


class LinkErrors:
    """Errors from the GPU to the port of its slot, added up: each end of a link counts what it receives damaged."""

    def __init__(self, bus_id: str | None, root: Path = PCI, *, several: bool = False) -> None:
        self.ends = way_to_slot(bus_id, root, several=several)
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
        return {metric: sum(numbers) for metric, numbers in counts.items() if numbers}


def _bus_ids(folder: Path) -> Iterator[str]:
    for above in folder.parents:
        if not BUS_ID.fullmatch(above.name):
            return
        yield above.name


def _total(path: Path, name: str) -> float | None:
    for line in (read_text(path) or "").splitlines():
        key, _, count = line.rpartition(" ")
        if key == name and count.isdecimal():
            return float(count)
    return None
