"""What a maker itself calls the cards with a PCI id: assets/identities/names/<vendor id>-<maker>.csv, one name a line.

After NVIDIA's tables of supported products: of its open kernel modules (driver 595.45.04) for what is from Turing on,
of appendix A of the driver's README (390.48) for what came before. "28b0/1871" is the device with that subsystem.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from core.paths import ASSETS

NAMES = ASSETS / "identities" / "names"


def listed_names(pci_id: str, subsystem: str | None = None) -> frozenset[str]:
    """Names of a card with this PCI id, such as "10de:2204": one, or several where the subsystem has to tell and is
    not known; none of an id that the maker does not list."""
    by_id = _names()
    if subsystem and (own := by_id.get(f"{pci_id}/{subsystem}")):
        return frozenset((own,))
    plain = by_id.get(pci_id)
    if subsystem and plain:
        return frozenset((plain,))
    variants = _variants().get(pci_id, frozenset())
    return variants | {plain} if plain else variants


def is_listed(pci_id: str, subsystem: str | None) -> bool:
    """Whether the maker lists a device with this very subsystem."""
    return f"{pci_id}/{subsystem}" in _names()


@cache
def _names(folder: Path = NAMES) -> Mapping[str, str]:
    """By id."""
    names: dict[str, str] = {}
    for path in sorted(folder.glob("*.csv")):
        vendor = path.name.partition("-")[0]
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                names |= {f"{vendor}:{id_}": row["name"] for id_ in row["ids"].split()}
    return names


@cache
def _variants() -> Mapping[str, frozenset[str]]:
    """The names of a device in its several subsystems, by the id of the device."""
    names: dict[str, set[str]] = {}
    for id_, name in _names().items():
        if "/" in id_:
            names.setdefault(id_.partition("/")[0], set()).add(name)
    return {id_: frozenset(several) for id_, several in names.items()}
