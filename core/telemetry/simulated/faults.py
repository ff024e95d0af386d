"""The faults that a simulated card can be given, each with the word that orders it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FaultKind:
    """`value` is what its number says, "" where it takes none; `usual` stands in for a number that is not given."""

    word: str
    meaning: str
    value: str = ""
    usual: int | None = None
    of_machine: bool = False
    timed: bool = True
    """False: it is there from the start, since the load learns of it once."""


FAULT_KINDS: tuple[FaultKind, ...] = (
    FaultKind("ecc", "a memory error that cannot be corrected: Xid 48, and a row that waits to be replaced"),
    FaultKind("corrected", "a corrected memory error every two seconds"),
    FaultKind("xid", "the driver reports the Xid of that number, such as xid79", value="number of the Xid"),
    FaultKind("lost", "the card falls off the bus: Xid 79, and it answers no more"),
    FaultKind("hang", "the driver never answers again: every reading hangs"),
    FaultKind("slow", "it computes slower by so many per cent", "per cent", 30, timed=False),
    FaultKind("paste", "the resistance between core and heat sink grows by so many per cent", "per cent", 150),
    FaultKind("fan", "its fans stand still, although they are told to turn"),
    FaultKind("throttle", "the hardware holds its clocks down as if it were too hot"),
    FaultKind("brake", "supply or chassis pull its power brake"),
    FaultKind("link", "its PCIe link falls to so many lanes", "lanes", 4),
    FaultKind("aer", "its PCIe link is disturbed: errors that are corrected, packets sent again"),
    FaultKind("frozen", "its sensors stand still"),
    FaultKind("psu", "the supply switches off as soon as all cards together are under load", of_machine=True),
)
BY_WORD = {kind.word: kind for kind in FAULT_KINDS}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that begins `at_s` seconds after the cards were opened."""

    kind: FaultKind
    card: int | None
    """Place of the card; None for all of them, or for the machine."""
    at_s: float = 0.0
    value: int | None = None
