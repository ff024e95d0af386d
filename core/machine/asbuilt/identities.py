"""Which product a card is, by the PCI ids and names in assets/identities/<vendor id>-<maker>.csv.

One line for each product: how many GPUs its card shows to the driver, its ids, and what drivers call it besides the
product's own name. An id is the PCI device; "25b6/157e" only with that subsystem, "744c-c8" only in that revision.
Ids after the lists of the PCI ID project (pci-ids.ucw.cz), of NVIDIA's open kernel modules and of libdrm.

names/<vendor id>-<maker>.csv has what a maker itself calls the cards with an id, one name a line, after NVIDIA's tables
of supported products: of its open kernel modules (driver 595.45.04) for what is from Turing on, of appendix A of the
driver's README (390.48) for what came before.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.machine.telemetry.device import Device
from core.parts.compute import GpuSpec
from core.platform.paths import ASSETS

IDENTITIES = ASSETS / "identities"
NAMES = IDENTITIES / "names"
MAKERS = {"10de": "NVIDIA", "1002": "AMD", "8086": "Intel"}
BOARD_MAKERS = {
    "1002": "AMD",
    "1043": "ASUS",
    "10b0": "Gainward",
    "10de": "NVIDIA",
    "1458": "Gigabyte",
    "1462": "MSI",
    "148c": "PowerColor",
    "1569": "Palit",
    "1682": "XFX",
    "1849": "ASRock",
    "196e": "PNY",
    "19da": "ZOTAC",
    "1da2": "Sapphire",
    "1eae": "XFX",
    "3842": "EVGA",
    "8086": "Intel",
}
"""Makers of the catalogue by the vendor id of a card's subsystem; after the PCI ID project (pci-ids.ucw.cz)."""
_MAKER = re.compile(r"^(nvidia|amd|ati|intel(\(r\))?)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CardIdentity:
    """How the cards of one product show themselves."""

    product: str
    gpus: int
    """GPUs that the driver sees of one card; each has its share of the memory."""
    ids: frozenset[str]
    """"10de:2204", "10de:25b6/157e", "1002:744c-c8"."""
    names: frozenset[str]
    """As `plain` writes them."""


def plain(name: str) -> str:
    """A name without maker, punctuation and capitals: "NVIDIA A100-SXM4-80GB" is "a100 sxm4 80gb"."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"\((?:tm|r)\)", " ", _MAKER.sub("", name.strip()).casefold()))
    return " ".join(words)


@cache
def identities(folder: Path = IDENTITIES) -> tuple[CardIdentity, ...]:
    """All of them, by maker and product."""
    return tuple(one for path in sorted(folder.glob("*.csv")) for one in _read(path))


def by_id(pci_id: str, subsystem: str | None = None, revision: str | None = None) -> frozenset[CardIdentity]:
    """Products with this PCI id, such as "10de:2204"; the nearest that is known of subsystem and revision decides.

    `subsystem` is the subsystem's device, four digits. Where several cards share an id and the subsystem is not
    known, all of them. Of an id whose one known product is told by its revision, none without the revision.
    """
    exact = {f"{pci_id}/{subsystem}", f"{pci_id}-{revision}"}
    if exact_matches := frozenset(one for one in identities() if one.ids & exact):
        return exact_matches
    listed = frozenset(one for name in listed_names(pci_id, subsystem) for one in by_name(name))
    if is_listed(pci_id, subsystem):
        return listed
    qualifiers = {"/": subsystem, "-": revision}
    variants = frozenset(
        one for one in identities() if any(_is_unqualified(id_, pci_id, qualifiers) for id_ in one.ids)
    )
    if (
        revision is None
        and len(variants) == 1
        and not any(id_.startswith(f"{pci_id}/") for id_ in next(iter(variants)).ids)
    ):
        variants = frozenset()  # another revision may be a product that the catalogue lacks
    plain_id = frozenset(one for one in identities() if pci_id in one.ids)
    return plain_id | listed | variants if subsystem is None else plain_id or listed or variants


def names_of_id(pci_id: str, subsystem: str | None = None, revision: str | None = None) -> tuple[str, ...]:
    """What cards with this id are called, by name: products of the catalogue as it calls them, others as their maker
    does. Several where their ids do not tell them apart, none where nobody lists the id."""
    products = {one.product for one in by_id(pci_id, subsystem, revision)}
    others = {f"{MAKERS[pci_id[:4]]} {name}" for name in listed_names(pci_id, subsystem) if not by_name(name)}
    return tuple(sorted(products)) + tuple(sorted(others))


def by_name(name: str) -> frozenset[CardIdentity]:
    """Products that a driver calls so, or whose own name it is."""
    words = plain(name)
    return frozenset(one for one in identities() if words in one.names)


def listed_names(pci_id: str, subsystem: str | None = None) -> frozenset[str]:
    """Names of a card with this PCI id, such as "10de:2204": one, or several where the subsystem has to tell and is
    not known; none of an id that the maker does not list."""
    names_by_id = _listed()
    if subsystem and (own := names_by_id.get(f"{pci_id}/{subsystem}")):
        return frozenset((own,))
    plain_name = names_by_id.get(pci_id)
    if subsystem and plain_name:
        return frozenset((plain_name,))
    variants = _listed_variants().get(pci_id, frozenset())
    return variants | {plain_name} if plain_name else variants


def is_listed(pci_id: str, subsystem: str | None) -> bool:
    """Whether the maker lists a device with this very subsystem."""
    return f"{pci_id}/{subsystem}" in _listed()


def by_product(product: str) -> CardIdentity | None:
    """The identity of a product of the catalogue."""
    return next((one for one in identities() if one.product == product), None)


def _is_unqualified(id_: str, pci_id: str, qualifiers: dict[str, str | None]) -> bool:
    """Whether the id is of this device, and what tells it from others is not known here."""
    rest = id_.removeprefix(pci_id)
    return rest != id_ and rest[:1] in qualifiers and qualifiers[rest[:1]] is None


def _read(path: Path) -> Iterator[CardIdentity]:
    vendor = path.name.partition("-")[0]
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            names = [row["product"], *filter(None, row["names"].split(";"))]
            ids = frozenset(f"{vendor}:{id_}" for id_ in row["ids"].split())
            yield CardIdentity(row["product"], int(row["gpus"]), ids, frozenset(map(plain, names)))


@cache
def _listed(folder: Path = NAMES) -> Mapping[str, str]:
    """By id."""
    names: dict[str, str] = {}
    for path in sorted(folder.glob("*.csv")):
        vendor = path.name.partition("-")[0]
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                names |= {f"{vendor}:{id_}": row["name"] for id_ in row["ids"].split()}
    return names


@cache
def _listed_variants() -> Mapping[str, frozenset[str]]:
    """The names of a device in its several subsystems, by the id of the device."""
    names: dict[str, set[str]] = {}
    for id_, name in _listed().items():
        if "/" in id_:
            names.setdefault(id_.partition("/")[0], set()).add(name)
    return {id_: frozenset(several) for id_, several in names.items()}


MEMORY_TOLERANCE = 0.15
"""Drivers and firmware keep a part of what is sold."""
_SAYS_NOTHING = frozenset(
    ("nvidia", "geforce", "tesla", "generation", "edition", "dual", "slot", "hbm2", "hbm2e", "hbm3", "hbm3e")
)
_FORMS = ("pcie", "sxm", "nvl")


def products_of(device: Device) -> frozenset[CardIdentity]:
    """Products that the card may be: by its PCI ids where they are known, and by the name that its driver gives.

    Several where they share ids and name and only the memory tells them apart; none for a card that no list knows.
    """
    named = by_name(device.name)
    if device.pci_id is None:
        return named
    with_id = by_id(device.pci_id, device.pci_subsystem, device.pci_revision)
    return with_id & named or with_id or named


def same_card(spec: GpuSpec, device: Device) -> bool:
    """Whether a card is of a product: "NVIDIA A100-SXM4-80GB" is an A100 SXM4 80GB, and never an A100 PCIe.

    A product without a size of memory, as references name it, stands for all its sizes. Cards that no list knows are
    compared by the words of their names.
    """
    planned = by_name(spec.product)
    if spec.memory_gb is not None and device.memory_mb is not None:
        ratio = device.memory_mb / 1024 / (spec.memory_gb / gpus_of(spec))
        if abs(ratio - 1) > MEMORY_TOLERANCE:
            return False
    reported = products_of(device)
    if not planned or not reported:
        return _alike(spec.product, device.name)
    by_size = spec.memory_gb is None and any(_alike(one.product, two.product) for one in planned for two in reported)
    return bool(planned & reported) or by_size


def gpus_of(spec: GpuSpec) -> int:
    """How many GPUs the driver sees of one card of this product; by its name for a part that does not say."""
    chip = by_product(spec.product) if spec.chips == 1 else None
    return chip.gpus if chip else spec.chips


def _alike(product: str, name: str) -> bool:
    (words, form), (other, other_form) = _words(product), _words(name)
    return words == other and (form is None or other_form is None or form == other_form)


def _words(name: str) -> tuple[frozenset[str], str | None]:
    """The words that tell products apart, and the form where the name says it."""
    words = re.findall(r"[a-z0-9]+", name.casefold())
    words = [re.sub(r"^sxm\d*$", "sxm", word) for word in words if not re.fullmatch(r"\d+gb", word)]
    form = next((form for form in _FORMS if form in words), None)
    return frozenset(words) - _SAYS_NOTHING - set(_FORMS), form
