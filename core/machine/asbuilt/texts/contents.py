"""What a text has of a machine, in the values of a machine read here, and what is said of several texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import combinations

from core.machine.asbuilt.as_built import MachineFacts
from core.machine.asbuilt.smbios import FirmwareSlot
from core.machine.telemetry.device import Device
from core.words import Worded, joined, tr

_SIZE = re.compile(r"(\d+(?:[.,]\d+)?) ?([kKMGTP]?)i?B(?![A-Za-z])")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
NO_FACTS = MachineFacts()


def bytes_of(text: str) -> float | None:
    """A size that these tools write in powers of 1024, whatever they call them: "931.5GiB", "16 GB"; None of others."""
    match = _SIZE.match(text.strip())
    return float(match[1].replace(",", ".")) * 1024 ** _POWERS[match[2].upper()] if match else None


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


class Subject(Worded):
    """What a text can tell of a machine; recorded in English."""

    BOARD = "board", tr("board")
    BIOS = "BIOS", "BIOS"
    CPU = "CPU", "CPU"
    RAM = "RAM", "RAM"
    MODULES = "RAM modules", tr("RAM modules")
    SLOTS = "slots", tr("slots")
    CARDS = "GPUs", tr("GPUs")
    LINKS = "PCIe links", tr("PCIe links")
    VBIOS = "VBIOS", "VBIOS"
    TOPOLOGY = "ways between GPUs", tr("paths between GPUs")
    DRIVES = "drives", tr("drives")
    PSU = "PSU", "PSU"
    DRIVER = "driver", tr("driver")


@dataclass(frozen=True, slots=True)
class BusEntry:
    """One function of the PCI bus as a text gives it; None is "not told"."""

    address: str
    """0000:41:00.0."""
    kind: str | None = None
    """Class, four digits: "0300"."""
    vendor: str | None = None
    device: str | None = None
    product: str | None = None
    """What is sold, within the name: "GeForce RTX 3090"."""
    subsystem: str | None = None
    subsystem_vendor: str | None = None
    revision: str | None = None
    driver: str | None = None
    generation: int | None = None
    lanes: int | None = None
    """What this end of its link can do."""
    secondary_bus: str | None = None
    """The bus that a bridge leads to: "0000:41"."""
    slot: str | None = None
    """The kernel's name of the slot that it is in."""


@dataclass(frozen=True, slots=True)
class TextContents:
    """All that a text tells of a machine."""

    kind: TextKind
    facts: MachineFacts = NO_FACTS
    entries: tuple[BusEntry, ...] = ()
    has_drivers: bool = False
    """Whether the text has the driver of each function of the bus, where one is bound."""
    slots: tuple[FirmwareSlot, ...] = ()
    gpus: tuple[Device, ...] = ()
    """As NVIDIA's driver lists them, in its order."""
    attached_gpus: int | None = None
    """How many GPUs the driver says that it has."""
    card_names: tuple[str, ...] = ()
    """Names of cards, where the text gives nothing else of them."""
    topology: tuple[tuple[str, ...], ...] = ()
    """For each GPU, the place where it meets each other one, as nvidia-smi abbreviates it."""
    covered: frozenset[Subject] = frozenset()
    """What such a text has wherever the machine reports it: to ask for this text again is of no use."""

    def subjects(self) -> Iterator[Subject]:
        """What it tells."""
        facts = self.facts
        cards = [entry for entry in self.entries if entry.kind and entry.kind.startswith(("03", "12"))]
        values: dict[Subject, object] = {
            Subject.BOARD: facts.board or facts.system,
            Subject.BIOS: facts.bios,
            Subject.CPU: facts.cpus,
            Subject.RAM: facts.ram_gb,
            Subject.MODULES: facts.modules,
            Subject.SLOTS: self.slots,
            Subject.CARDS: self.gpus or cards or self.card_names,
            Subject.LINKS: [entry for entry in self.entries if entry.lanes and entry.generation],
            Subject.VBIOS: [gpu for gpu in self.gpus if gpu.vbios],
            Subject.TOPOLOGY: self.topology,
            Subject.DRIVES: facts.drives,
            Subject.PSU: facts.psus,
            Subject.DRIVER: facts.driver,
        }
        return (subject for subject, value in values.items() if value)


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text that a description was made of, and what it told."""

    file: str
    kind: TextKind
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class MissingSubject:
    """A subject that none of the texts tells."""

    subject: Subject
    command: str
    """That would tell it on that machine; "" where a text of it is there and the machine does not say."""


def as_data(texts: Sequence[TextSource], missing: Sequence[MissingSubject]) -> dict[str, object]:
    """For JSON; nothing of a machine that was read here."""
    if not texts:
        return {}
    return {"texts": [asdict(source) for source in texts], "untold": [asdict(subject) for subject in missing]}


def text_sentences(texts: Sequence[TextSource], missing: Sequence[MissingSubject]) -> Iterator[str]:
    """What each text told and what none of them tells; no sentence for a machine that was read here."""
    yield from map(_source_sentence, texts)
    by_command: dict[str, list[str]] = {}
    for one in missing:
        by_command.setdefault(one.command, []).append(one.subject.label)
    for command, words in by_command.items():
        subjects = joined(words, ", ")
        if command:
            yield tr("Not in these texts: {subjects}. Run there: {command}", subjects=subjects, command=command)
        else:
            yield tr("This machine does not report: {subjects}.", subjects=subjects)


def _source_sentence(source: TextSource) -> str:
    subjects = joined([subject.label for subject in source.subjects], ", ") or tr("PCI bus")
    return tr("{file} ({kind}): {subjects}", file=source.file, kind=source.kind, subjects=subjects)


# Whether texts are of one machine: the same board, the same CPU, the same card at each place on the bus.

_MOST_NAMES = 100
"""Of one thing: more of them than two are of two machines anyhow."""
_WORD = re.compile(r"[a-z0-9]+")
_COMMON_WORDS = frozenset(("cpu", "processor", "core", "r", "tm", "with", "inc", "corp", "corporation", "computer"))


@dataclass(frozen=True, slots=True)
class FileText:
    """What a text has, and the file that it is in."""

    file: str
    contents: TextContents


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two files that differ about the same thing."""

    what: str
    first: tuple[str, str]
    second: tuple[str, str]
    """File, and what it tells."""


def contradiction_of(texts: Sequence[FileText]) -> Contradiction | None:
    """The first that there is."""
    return next(_contradictions(texts), None)


def _contradictions(texts: Sequence[FileText]) -> Iterator[Contradiction]:
    boards = [(text.file, text.contents.facts.board) for text in texts if text.contents.facts.board]
    yield from _pairs(tr("board"), boards, _another_board)
    serials = [(text.file, text.contents.facts.board_serial) for text in texts if text.contents.facts.board_serial]
    yield from _pairs(tr("serial number of the board"), serials, lambda one, other: one.casefold() != other.casefold())
    cpus = [(text.file, text.contents.facts.cpus[0]) for text in texts if text.contents.facts.cpus]
    yield from _pairs("CPU", cpus, _another_cpu)
    places: dict[str, list[tuple[str, str]]] = {}
    for text in texts:
        for entry in text.contents.entries:
            if entry.vendor and entry.device:
                places.setdefault(entry.address, []).append((text.file, f"{entry.vendor}:{entry.device}"))
        for gpu in text.contents.gpus:
            if gpu.bus_id and gpu.pci_id:
                places.setdefault(gpu.bus_id, []).append((text.file, gpu.pci_id))
    several = {address: ids for address, ids in places.items() if len({name for _, name in ids}) > 1}
    for address, ids in sorted(several.items()):
        yield from _pairs(tr("card at {address}", address=address), ids, lambda one, other: one != other)


def _pairs(
    what: str, rows: Sequence[tuple[str, str | None]], another: Callable[[str, str], bool]
) -> Iterator[Contradiction]:
    """Each name once, of the first file that has it; a file of many equal texts costs no more than one."""
    files: dict[str, str] = {}
    for file, name in rows:
        if name and len(files) < _MOST_NAMES:
            files.setdefault(name, file)
    for (name, file), (other, other_file) in combinations(files.items(), 2):
        if another(name, other):
            yield Contradiction(what, (file, name), (other_file, other))


def _another_board(one: str, other: str) -> bool:
    """Tools shorten makers' names, and add a revision."""
    words, others = _words(one), _words(other)
    return not (words <= others or others <= words) and not _ends_alike(one, other)


def _ends_alike(one: str, other: str) -> bool:
    """ "Micro-Star International Co., Ltd. MPG X870E" and "MSI MPG X870E": all but the maker."""
    last, other_last = (re.sub(r"[^a-z0-9 ]", "", text.casefold()).split() for text in (one, other))
    same = 0
    while same < min(len(last), len(other_last)) and last[-1 - same] == other_last[-1 - same]:
        same += 1
    return same > 0 and same >= min(len(last), len(other_last)) - 1


def _another_cpu(one: str, other: str) -> bool:
    """By the words with a number in them, of which every name of a processor has one: "5975WX", "E5-2670"."""
    numbers, others = ({word for word in _words(text) if re.search(r"\d{3}", word)} for text in (one, other))
    return bool(numbers and others) and not numbers & others


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _COMMON_WORDS
