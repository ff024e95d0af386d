"""The tree of lspci -t (-tv, -tvnn): which bus hangs below which bridge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.asbuilt.texts.told import BusEntry, TextKind, Told

_ROOT = re.compile(r"\[([0-9a-f]{4,8}):([0-9a-f]{2})\]")
_BUS = re.compile(r"\[([0-9a-f]{2})(?:-[0-9a-f]{2})?\]")
_PLACE = re.compile(r"([0-9a-f]{2}\.[0-7])(?![0-9a-f])")


def read_tree(lines: Sequence[str]) -> Told:
    """The bridges, each with the bus below it."""
    return Told(TextKind.LSPCI_TREE, entries=tuple(_bridges(lines)))


def _bridges(lines: Sequence[str]) -> Iterator[BusEntry]:
    """A line goes on from the bus whose bracket stands last to the left of it: "[0000:00]-+-01.1-[41]----00.0"."""
    domain = "0000"
    open_buses: list[tuple[int, str]] = []
    for line in lines:
        drawn = line.partition("  ")[0] if line[:1] not in (" ",) else _drawn(line)
        at = len(line) - len(line.lstrip(" |\\+-"))
        open_buses = [(column, bus) for column, bus in open_buses if column < at]
        position = 0
        place: str | None = None
        while position < len(drawn):
            if root := _ROOT.match(drawn, position):
                domain = f"{root[1].lstrip('0'):0>4}"
                open_buses = [(position, root[2])]
                position = root.end()
            elif bus := _BUS.match(drawn, position):
                if place and open_buses:
                    yield BusEntry(f"{domain}:{open_buses[-1][1]}:{place}", below=f"{domain}:{bus[1]}")
                open_buses.append((position, bus[1]))
                place = None
                position = bus.end()
            elif found := _PLACE.match(drawn, position):
                place = found[1]
                position = found.end()
            else:
                position += 1


def _drawn(line: str) -> str:
    """The part of a line with the tree, before the name of a device, which two blanks set apart."""
    text = line.lstrip(" |")
    return line[: len(line) - len(text)] + text.partition("  ")[0]
