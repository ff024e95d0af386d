"""Cards that are on the PCI bus and were not tested: which the driver does not list, why, and which were left out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.machine.asbuilt.pci_tree import PciCard
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.host.hwmon import read_text
from core.words import joined, tr

NVIDIA = "nvidia"
"""The driver whose cards Rigwright reads, as the kernel calls it."""
_NVIDIA_ID = "10de:"
_FOR_MACHINES = ("vfio-pci", "pci-stub", "xen-pciback")
"""Drivers that keep a card for a virtual machine."""
_CHOICES = ("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
"""By which containers and jobs tell what of a machine is theirs."""


_DRIVER_TELLS = "proc/driver/nvidia/gpus"


class BusCause(StrEnum):
    """Why the driver does not list a card that is on the bus."""

    NO_DRIVER = "no driver"
    OTHER_DRIVER = "other driver"
    """Bound to one that Rigwright does not read."""
    HIDDEN = "hidden"
    """From this container or job."""
    DRIVER_FAILED = "driver failed"
    """Bound to NVIDIA's driver, which does not list it."""


class LeftOutBy(StrEnum):
    """Who said that a card is not to be tested."""

    OPTION = "option"
    BUILD = "build"
    """Which has it for the display alone."""
    SPARE = "spare"
    """In the build it waits until another fails."""
    CHOICE = "choice"
    """Of other devices."""


@dataclass(frozen=True, slots=True)
class BusCard:
    """A card that is on the bus and is not tested; without a cause it was left out although the driver lists it."""

    address: str
    name: str
    cause: BusCause | None = None
    driver: str | None = None
    """That is bound to it, as the kernel calls it."""
    shows_boot: bool = False
    pci_id: str | None = None
    pci_subsystem: str | None = None
    pci_revision: str | None = None
    hidden_by: str = ""
    """Where that shows: "NVIDIA_VISIBLE_DEVICES=0,1", "/dev/nvidia3"."""
    left_out_by: LeftOutBy | None = None

    @property
    def title(self) -> str:
        """Name and place: "GeForce RTX 3090 @ 0000:41:00.0"."""
        return f"{self.name} @ {self.address}"

    def as_device(self) -> Device:
        """To be held against a plan."""
        return Device(
            id=self.address,
            kind=DeviceKind.GPU,
            name=self.name,
            bus_id=self.address,
            pci_id=self.pci_id,
            pci_subsystem=self.pci_subsystem,
            pci_revision=self.pci_revision,
        )

    @property
    def sentence(self) -> str:
        """That it was not tested, why, and what to do."""
        if self.left_out_by is LeftOutBy.BUILD:
            return tr("Left out, not tested: {card}. It is the display card of the build.", card=self.title)
        if self.left_out_by is LeftOutBy.SPARE:
            return tr("Left out, not tested: {card}. It is a spare of the build.", card=self.title)
        if self.left_out_by is LeftOutBy.CHOICE:
            return tr("Left out, not tested: {card}. Other devices were chosen.", card=self.title)
        if self.left_out_by is not None:
            return tr("Left out, not tested: {card}. It was left out with {--leave-out}.", card=self.title)
        sentences = [tr("On the bus, not tested: {card}.", card=self.title), self.why]
        if self.shows_boot:
            sentences.append(tr("The machine starts on it: it may drive the display."))
        return joined([*sentences, self.remedy])

    @property
    def why(self) -> str:
        """Why the driver does not list it, in a sentence."""
        match self.cause:
            case BusCause.NO_DRIVER:
                return tr("No driver is bound to it.")
            case BusCause.OTHER_DRIVER:
                return tr("Its driver is {driver}, which Rigwright does not read.", driver=self.driver)
            case BusCause.HIDDEN:
                return tr("It is hidden from this container or job: see {what}.", what=self.hidden_by)
            case BusCause.DRIVER_FAILED:
                return tr("It is bound to the NVIDIA driver, which does not list it: the driver failed.")
        return ""

    @property
    def remedy(self) -> str:
        """What to do, in a sentence."""
        leave_out = f"--leave-out {self.address}"
        ours = (self.pci_id or "").startswith(_NVIDIA_ID)
        if self.cause is BusCause.HIDDEN:
            return tr("Give it to the container or job, or leave it out: {option}", option=leave_out)
        if self.cause is BusCause.DRIVER_FAILED:
            return tr("See journalctl -k for NVRM, then restart the machine or reseat the card.")
        if self.driver in _FOR_MACHINES:
            return tr("It is kept for a virtual machine: test it there, or leave it out: {option}", option=leave_out)
        if not ours:
            return tr(
                "Rigwright tests NVIDIA GPUs: test it by other means, and leave it out: {option}", option=leave_out
            )
        if self.cause is BusCause.OTHER_DRIVER:
            return tr("Install NVIDIA's driver in place of {driver} and restart.", driver=self.driver)
        return tr(
            "Load NVIDIA's driver: sudo modprobe nvidia. If that fails, see journalctl -k, or install the driver again."
        )


def unserved(
    cards: Collection[PciCard], served: Collection[str], root: Path, environment: Mapping[str, str] = os.environ
) -> Iterator[BusCard]:
    """The cards of the bus that are not among the addresses which the driver lists, with the cause of each."""
    for card in cards:
        if card.aside is None and card.address not in served:
            hidden_by = _hidden_by(card, root, environment) if card.driver == NVIDIA else ""
            yield BusCard(
                card.address,
                card.name,
                cause_of(card, hidden=bool(hidden_by)),
                card.driver,
                card.shows_boot,
                card.pci_id,
                card.subsystem,
                card.revision,
                hidden_by,
            )


def cause_of(card: PciCard, *, hidden: bool = False) -> BusCause:
    """Why a card that the driver does not list is not listed."""
    if card.driver is None:
        return BusCause.NO_DRIVER
    if card.driver != NVIDIA:
        return BusCause.OTHER_DRIVER
    return BusCause.HIDDEN if hidden else BusCause.DRIVER_FAILED


def _hidden_by(card: PciCard, root: Path, environment: Mapping[str, str]) -> str:
    """Where it shows that a card which NVIDIA's driver has is kept from this process; "" where nothing shows it.

    A container is given some of the device nodes, whose numbers the driver tells, and of what the driver tells; a job
    may be kept from opening nodes that are there.
    """
    information = read_text(root / _DRIVER_TELLS / card.address / "information")
    if not information:
        return f"/{_DRIVER_TELLS}"
    numbers = [line.partition(":")[2].strip() for line in information.splitlines() if line.startswith("Device Minor")]
    nodes = [f"dev/nvidia{number}" for number in numbers if number.isdecimal()]
    closed = [f"/{node}" for node in nodes if not os.access(root / node, os.R_OK | os.W_OK)]
    chosen = [f"{name}={environment[name]}" for name in _CHOICES if environment.get(name, "all") != "all"]
    return next(iter((*closed, *chosen)), "")
