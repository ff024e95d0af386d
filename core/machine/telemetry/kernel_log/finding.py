"""What one record of the kernel's log tells: which part, how grave, what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.machine.telemetry.throttle import Severity
from core.words import Worded, tr, trc

PLACE = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?"
"""A bus id, with or without its function, in a pattern that ignores case."""
CORRECTED, NONFATAL, FATAL = "correctable", "nonfatal", "fatal"
"""How grave an error is, as the messages of the sampler say it."""


class Record(StrEnum):
    """Kinds of records, by the type of the message that tells of one during a run (core.platform.child_reports)."""

    XID = "xid"
    SWITCH = "sxid"
    DRIVER = "driver"
    """A driver of GPUs: a card that was not initialised, hung, was reset or told of hardware errors."""
    PCIE = "aer"
    MACHINE_CHECK = "mce"
    MEMORY = "edac"


class Part(Worded):
    """What a record is about."""

    GPU = "gpu", trc("category", "GPU")
    PCIE = "pcie", tr("PCIe device")
    """Any other device on PCI Express, or a port: `address` says which."""
    CPU = "cpu", trc("category", "CPU")
    MEMORY = "memory", trc("of a board", "Memory")
    FABRIC = "fabric", tr("NVSwitch")
    """The NVSwitches."""
    MACHINE = "machine", tr("Machine")
    """Nothing in the record says which."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One record, or one of several errors that a record tells of."""

    record: Record
    part: Part
    gravity: Severity
    text: str
    """What the kernel wrote."""
    meaning: str = ""
    action: str = ""
    address: str | None = None
    """Bus id as the kernel writes it, with its function where the record has one."""
    name: str = ""
    """Which module, switch or core, as the record calls it."""
    ids: str = ""
    """Vendor and device of what has the address: "10de:2204"."""
    behind: int | None = None
    """Of a port: the bus behind it."""
    port: str | None = None
    """Of a card whose link's other end saw the error: the port there."""
    xid: int | None = None
    severity: str | None = None
    """Of an error of a link or of memory, of a machine check: CORRECTED, NONFATAL, FATAL."""
    pid: int | None = None
    program: str = ""
    """Whose work was on the GPU."""
    by_program: bool = False
    """Whether a mistake of that program can be the cause."""
    count: int = 1
    """Errors that the record counts."""
    restated: bool = False
    """Whether the driver says in a sentence what it has just logged as an Xid."""

    @property
    def blames_device(self) -> bool:
        """Whether hardware is under suspicion: not where a program stands for it, nor where nothing is amiss."""
        return self.gravity is not Severity.NORMAL and not (self.by_program and self.program)


@dataclass(frozen=True, slots=True)
class Family:
    """How the lines of one kind of record are told, put together and read."""

    name: str
    key: Callable[[str], str | None]
    """Of a line that belongs to it: what the lines of one record have in common."""
    read: Callable[[Sequence[str]], Iterable[Finding]]
    begins: Callable[[str, Sequence[str]], bool] | None = None
    """Whether a line begins another record, after those of the one that is open; None where each line is a record."""


def bus_id(text: str) -> str:
    """As the kernel writes it: the NVIDIA driver pads the domain to eight digits."""
    domain, _, place = text.lower().partition(":")
    return f"{domain.lstrip('0'):0>4}:{place}"


def slot_of(address: str) -> str:
    """A bus id without its function: a card's functions are one device."""
    return address.partition(".")[0]
