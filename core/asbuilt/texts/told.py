"""What one text tells of a machine, in the values that a machine which is read here gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from core.asbuilt.as_built import MachineFacts
from core.asbuilt.smbios import FirmwareSlot
from core.language import tr
from core.telemetry.device import Device

NO_FACTS = MachineFacts()


class TextKind(StrEnum):
    """Which command wrote a text. Where two tell the same thing, the first one of this list is taken."""

    SMI_QUERY = "nvidia-smi -q"
    SMI_XML = "nvidia-smi -q -x"
    SMI_TABLE = "nvidia-smi"
    SMI_LIST = "nvidia-smi -L"
    SMI_TOPOLOGY = "nvidia-smi topo -m"
    LSCPU = "lscpu"
    CPUINFO = "/proc/cpuinfo"
    DMIDECODE = "dmidecode"
    LSBLK = "lsblk"
    LSPCI = "lspci"
    LSPCI_TREE = "lspci -t"
    LSHW = "lshw"
    INXI = "inxi"
    MEMINFO = "/proc/meminfo"


class Subject(StrEnum):
    """What a text can tell of a machine; recorded in English."""

    BOARD = "board"
    BIOS = "BIOS"
    CPU = "CPU"
    RAM = "RAM"
    MODULES = "RAM modules"
    SLOTS = "slots"
    CARDS = "GPUs"
    LINKS = "PCIe links"
    VBIOS = "VBIOS"
    TOPOLOGY = "ways between GPUs"
    DRIVES = "drives"
    PSU = "PSU"
    DRIVER = "driver"

    @property
    def words(self) -> str:
        """As it is shown."""
        return {
            Subject.BOARD: tr("board"),
            Subject.BIOS: "BIOS",
            Subject.CPU: "CPU",
            Subject.RAM: "RAM",
            Subject.MODULES: tr("RAM modules"),
            Subject.SLOTS: tr("slots"),
            Subject.CARDS: tr("GPUs"),
            Subject.LINKS: tr("PCIe links"),
            Subject.VBIOS: "VBIOS",
            Subject.TOPOLOGY: tr("paths between GPUs"),
            Subject.DRIVES: tr("drives"),
            Subject.PSU: "PSU",
            Subject.DRIVER: tr("driver"),
        }[self]


@dataclass(frozen=True, slots=True)
class BusEntry:
    """One function of the PCI bus as a text gives it; None is "not told"."""

    address: str
    """0000:41:00.0."""
    kind: str | None = None
    """Class, four digits: "0300"."""
    vendor: str | None = None
    device: str | None = None
    called: str | None = None
    """The product within the name: "GeForce RTX 3090"."""
    subsystem: str | None = None
    revision: str | None = None
    driver: str | None = None
    generation: int | None = None
    lanes: int | None = None
    """What this end of its link can do."""
    below: str | None = None
    """The bus that a bridge leads to: "0000:41"."""
    slot: str | None = None
    """The kernel's name of the slot that it is in."""


@dataclass(frozen=True, slots=True)
class Told:
    """All that one text tells."""

    kind: TextKind
    facts: MachineFacts = NO_FACTS
    entries: tuple[BusEntry, ...] = ()
    drivers: bool = False
    """Whether the text has the driver of each function of the bus, where one is bound."""
    slots: tuple[FirmwareSlot, ...] = ()
    gpus: tuple[Device, ...] = ()
    """As NVIDIA's driver lists them, in its order."""
    attached: int | None = None
    """How many GPUs the driver says that it has."""
    named: tuple[str, ...] = ()
    """Names of cards, where the text gives nothing else of them."""
    ways: tuple[tuple[str, ...], ...] = ()
    """For each GPU, the place where it meets each other one, as nvidia-smi abbreviates it."""
    whole: frozenset[Subject] = frozenset()
    """What the text would tell, did the machine tell it: asking for this text again is of no use."""

    def subjects(self) -> Iterator[Subject]:
        """What it tells."""
        facts = self.facts
        cards = [one for one in self.entries if one.kind and one.kind.startswith(("03", "12"))]
        tells: dict[Subject, object] = {
            Subject.BOARD: facts.board or facts.system,
            Subject.BIOS: facts.bios,
            Subject.CPU: facts.cpus,
            Subject.RAM: facts.ram_gb,
            Subject.MODULES: facts.modules,
            Subject.SLOTS: self.slots,
            Subject.CARDS: self.gpus or cards or self.named,
            Subject.LINKS: [one for one in self.entries if one.lanes and one.generation],
            Subject.VBIOS: [one for one in self.gpus if one.vbios],
            Subject.TOPOLOGY: self.ways,
            Subject.DRIVES: facts.drives,
            Subject.PSU: facts.psus,
            Subject.DRIVER: facts.driver,
        }
        return (subject for subject, value in tells.items() if value)


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text that a description was made of, and what it told."""

    file: str
    kind: TextKind
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class Untold:
    """What none of the texts tells."""

    subject: Subject
    command: str
    """That would tell it on that machine; "" where a text of it is there and the machine does not say."""


def as_data(texts: Sequence[TextSource], untold: Sequence[Untold]) -> dict[str, object]:
    """For JSON; nothing of a machine that was read here."""
    if not texts:
        return {}
    return {"texts": [asdict(one) for one in texts], "untold": [asdict(one) for one in untold]}
