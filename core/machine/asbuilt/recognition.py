"""Which product of the catalogue a card is that the driver, or the PCI bus, shows."""

from __future__ import annotations

import re

from core.machine.asbuilt.identities import CardIdentity, by_id, by_name, by_product
from core.machine.telemetry.device import Device
from core.parts.compute import GpuSpec

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
