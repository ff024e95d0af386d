"""Xids, the error numbers of the NVIDIA driver: what each means, how it weighs in an acceptance, what to do.

Numbers, meanings and actions after NVIDIA's catalogue of Xids 1 to 172 (docs.nvidia.com/deploy/xid-errors, "Analyzing
Xid Errors with the Xid Catalog", as of October 2025), told in our own words. What it says to ignore is no failure.
Weights are otherwise ours and stricter: the loads of a burn-in are known to be right, so that what would be a
programmer's error elsewhere speaks against the hardware or driver here. Of another's program it says nothing
(`by_program`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.machine.telemetry.throttle import Severity
from core.words import joined, tr

NORMAL, WARN, FAIL = Severity.NORMAL, Severity.WARN, Severity.FAIL
RECOVERY = 154
"""Asks for a recovery, which its message names."""
NVLINK5 = range(144, 151)
"""Whose message says how grave each is."""


@dataclass(frozen=True, slots=True)
class Xid:
    """One number. `action` is what to do about it, "" where another error decides that."""

    number: int
    title: str
    severity: Severity
    action: str = ""
    listed: bool = True
    """False: look it up; it counts as a failure until somebody has."""
    follows: bool = False
    """It comes after another error, which tells more; alone it still counts as it weighs."""
    by_program: bool = False
    """Whether a program's mistake raises it, too: another's program that does says nothing about the card."""

    @property
    def sentence(self) -> str:
        """For events and reports."""
        return joined([tr("Xid {number}: {title}.", number=self.number, title=self.title), self.action])

    @property
    def by_message(self) -> bool:
        """Whether the kernel's line says what the number alone does not: whose program, how grave, which recovery."""
        return self.by_program or self.number == RECOVERY or self.number in NVLINK5


_RESET = tr("Reset the GPU or restart the machine, then burn in again.")
_RESTART = tr("Restart the machine; if the error comes back, replace the card.")
_SEAT = tr("Reseat card, riser and power cables, check the PSU; restart the machine.")
_REPLACE = tr("Replace the card.")
_AGAIN = tr("Burn in again: if it stays with this card, the hardware is at fault.")
_LINK = tr("Check the NVLink bridge and its seating; reset the GPU.")
_NOTE = tr("Nothing to do unless it is frequent.")
_UPDATE = tr("Update the driver.")
_SUSPECT = tr("Suspect PCIe link and main memory; burn in again.")
_FIRST = tr("See the first Xid of the run.")
_ENCODER = tr("Video encoder exception")
_DECODER = tr("Video decoder exception")
_JPEG = tr("JPEG decoder exception")
_FLOW = tr("Optical flow engine exception")
_ILLEGAL = tr("Illegal access to a register of the GPU")


def _copies(numbers: Iterable[int], first: int) -> Iterator[Xid]:
    """Copy engines have numbers of their own, in the order of the engines."""
    for engine, number in enumerate(numbers, first):
        yield Xid(number, tr("Copy engine error (CE {engine})", engine=engine), FAIL, _AGAIN, by_program=True)


def _engines(numbers: Iterable[int], title: str, severity: Severity = FAIL) -> Iterator[Xid]:
    return (Xid(number, title, severity, _AGAIN, by_program=True) for number in numbers)


XIDS: tuple[Xid, ...] = (
    Xid(8, tr("The GPU stopped processing"), FAIL, _RESET),
    *_engines((11, 25), tr("Invalid commands reached the GPU")),
    Xid(13, tr("Exception in a compute unit"), FAIL, _AGAIN, by_program=True),
    Xid(31, tr("Page fault in the GPU's memory unit"), FAIL, _AGAIN, by_program=True),
    Xid(32, tr("Corrupted commands reached the GPU"), FAIL, _SUSPECT, by_program=True),
    Xid(37, tr("The driver's firmware was asked for what it does not know"), NORMAL, _UPDATE),
    Xid(38, tr("Error in the driver's firmware"), WARN, _UPDATE),
    *_copies((39, 40, 41), 0),
    Xid(43, tr("The GPU stopped processing for one program"), WARN, _FIRST, follows=True, by_program=True),
    Xid(44, tr("Fault of a compute unit while programs were switched"), WARN, _FIRST, by_program=True),
    Xid(45, tr("A program's work was cleaned up after an error"), WARN, _FIRST, follows=True, by_program=True),
    Xid(46, tr("The GPU stopped processing"), FAIL, _RESET),
    Xid(48, tr("Memory error that could not be corrected (double bit)"), FAIL, _RESET),
    Xid(54, tr("Power cable of the card not connected"), FAIL, tr("Check the power cables of the card.")),
    Xid(56, tr("Display engine error"), FAIL, _AGAIN),
    Xid(57, tr("Memory interface error"), FAIL, _REPLACE),
    Xid(58, tr("Unstable memory interface"), FAIL, _REPLACE),
    *_engines((60,), tr("Security processor exception")),
    Xid(61, tr("Microcontroller of the GPU stopped at a breakpoint"), FAIL, _RESTART),
    Xid(62, tr("Microcontroller of the GPU halted"), FAIL, _RESET),
    Xid(63, tr("A faulty row or page of memory was set aside"), WARN, tr("Reset the GPU, then burn in again.")),
    Xid(64, tr("A faulty row or page of memory could not be set aside"), FAIL, _REPLACE),
    *_engines((65, 73, 142), _ENCODER),
    Xid(66, _ILLEGAL, NORMAL, _UPDATE),
    Xid(67, _ILLEGAL, NORMAL, _UPDATE),
    *_engines((68,), _DECODER, WARN),
    Xid(69, tr("Compute engine error"), FAIL, _AGAIN, by_program=True),
    *_copies((70, 71, 72, 75, 76, 77), 3),
    Xid(74, tr("Error on NVLink"), FAIL, _LINK),
    Xid(78, tr("A virtual GPU could not be started"), WARN, tr("Update driver and vGPU software.")),
    Xid(79, tr("The GPU has fallen off the bus"), FAIL, _SEAT),
    Xid(80, tr("Corrupted commands reached the GPU"), FAIL, _SUSPECT),
    Xid(81, tr("VGA unit error"), FAIL, _AGAIN),
    *_engines((82, *range(99, 106)), _JPEG),
    *_engines((83, 84, 88, 89, 96, 97, 98), _DECODER),
    *_copies((85,), 9),
    *_engines((86, 139), _FLOW),
    Xid(92, tr("Many corrected memory errors"), WARN, tr("Replace a card on which it repeats.")),
    Xid(93, tr("The configuration memory (InfoROM) was written more often than planned"), NORMAL, _NOTE),
    Xid(94, tr("Memory error, contained to one program"), FAIL, _RESET),
    Xid(95, tr("Memory error, not contained"), FAIL, _RESET),
    Xid(106, tr("Test message of the management bus"), NORMAL),
    Xid(107, tr("Test message of the management bus"), NORMAL),
    Xid(109, tr("The GPU did not switch between programs in time"), FAIL, _RESET, by_program=True),
    Xid(110, tr("GPU security processor fault"), FAIL, _RESET),
    Xid(119, tr("The GPU's own processor (GSP) did not answer"), FAIL, _RESET),
    Xid(120, tr("Error in the GPU's own processor (GSP)"), FAIL, _RESET),
    Xid(121, tr("Corrected error on the link between GPU and CPU (C2C)"), WARN, _NOTE),
    *_copies(range(126, 136), 10),
    Xid(136, tr("Training of a link failed"), FAIL, _LINK),
    Xid(137, tr("Unauthorised access over NVLink"), WARN, _NOTE, by_program=True),
    Xid(140, tr("Memory error that escaped correction"), FAIL, _RESET),
    Xid(141, tr("Fast-path error"), WARN, _NOTE),
    Xid(143, tr("The GPU could not be initialised"), FAIL, _RESTART),
    *(Xid(number, tr("NVLink error ({unit})", unit=unit), FAIL, _LINK)
      for number, unit in zip(NVLINK5, ("SAW", "RLW", "TLW", "TREX", "NVLPW", "NETIR", "MSE"), strict=True)),
    Xid(151, tr("A key of confidential computing could not be renewed"), FAIL, tr("Restart the virtual machine.")),
    Xid(152, tr("Error of the deep-learning accelerator"), NORMAL, _NOTE),
    Xid(153, tr("The deep-learning accelerator did not answer in time"), NORMAL, _NOTE),
    Xid(RECOVERY, tr("The driver asks for another recovery"), WARN, tr("Do what its message says."), follows=True),
    Xid(155, tr("NVLink went down"), FAIL, _LINK),
    Xid(156, tr("A faulty part of the GPU was set aside"), FAIL, _RESET),
    Xid(157, tr("A faulty part of the GPU could not be set aside"), WARN,
        tr("Ask the maker: the GPU has no spares left.")),
    Xid(158, tr("The GPU did not answer in time"), FAIL, _RESET),
    Xid(159, tr("Error on the link between GPU and CPU (CHI)"), WARN, _NOTE),
    Xid(160, tr("A faulty memory channel was set aside"), WARN, _NOTE),
    Xid(161, tr("A faulty memory channel could not be set aside"), WARN, _NOTE),
    Xid(162, tr("Power smoothing works again"), WARN, _NOTE),
    Xid(163, tr("Power smoothing was switched off"), WARN, tr("Check the cooling.")),
    Xid(164, tr("Power smoothing is nearly worn out"), WARN, _NOTE),
    Xid(165, tr("Power smoothing is worn out"), WARN, _NOTE),
    Xid(166, tr("Traffic on NVLink before its encryption was set up"), FAIL, _RESET),
    Xid(167, tr("PCIe did not answer in time"), FAIL, _SEAT),
    Xid(168, tr("Errors in protected memory: less memory than usual"), FAIL,
        tr("Switch ECC on, or restart the machine.")),
    Xid(169, tr("Security microcontroller of the GPU halted"), FAIL, _RESET),
    Xid(170, tr("Security error on NVLink"), FAIL, _RESET),
    Xid(171, tr("The error that could not be corrected was in the main memory of the GPU"), FAIL, _RESET,
        follows=True),
    Xid(172, tr("The error that could not be corrected was in caches or registers"), FAIL, _RESET, follows=True),
)  # fmt: skip
_BY_NUMBER = {xid.number: xid for xid in XIDS}
LAST = 172
"""The last number of the catalogue; it lists as unused what the table has not."""

_CHANGED = re.compile(r"recovery action changed from \S+ \([^)]*\) to \S+ \((?P<action>[^)]*)\)", re.IGNORECASE)
_RECOVERIES = {
    "none": (NORMAL, ""),
    "gpu reset required": (FAIL, _RESET),
    "node reboot required": (FAIL, tr("Restart the machine, then burn in again.")),
    "drain p2p": (FAIL, tr("End all programs that exchange data between GPUs, then reset the GPU.")),
    "drain and reset": (FAIL, tr("End all programs on the GPU, then reset it and burn in again.")),
}
"""By the action that the message of Xid 154 asks for."""


def xid(number: int, message: str = "") -> Xid:
    """What is known of a number, and of the rest of its line in the kernel's log where that says more.

    An unknown one counts as a failure until it has been looked up.
    """
    entry = _BY_NUMBER.get(number) or _unlisted(number)
    if number == RECOVERY and (match := _CHANGED.search(message)):
        severity, action = _RECOVERIES.get(match["action"].lower(), (entry.severity, entry.action))
        return replace(entry, severity=severity, action=action)
    if number in NVLINK5 and (link := link_error(message)):
        return replace(entry, severity=FAIL if link.fatal else WARN, action=link.action)
    return entry


def _unlisted(number: int) -> Xid:
    if 1 <= number <= LAST:
        return Xid(number, tr("Error that NVIDIA's catalogue lists as unused"), FAIL, tr("Ask NVIDIA's support."))
    advice = tr("Look it up in NVIDIA's Xid catalogue; it counts as a failure until then.")
    return Xid(number, tr("Error unknown to this version"), FAIL, advice, listed=False)


# The sub-codes of NVLink 5 errors (Xids 144 to 150): how grave, and what to look at.
#
#     145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0x00000008 ...)
#
# The line itself says how grave it is. Which action belongs to a unit, its error status and the reason of a link that
# went down is NVIDIA's table ("Xid 144-150 Decode" of the Xid catalogue, October 2025), here in our own words.

_LINE = re.compile(
    r"(?P<unit>(?:SAW|RLW|TLW|TREX|NVLPW|NETIR|MSE)[A-Z0-9_/]*)\s+(?:Link )?(?P<how>non-?fatal|fatal)\b"
    r"[^(]*(?:\((?P<info>0x[0-9a-f]+)(?: (?P<status>0x[0-9a-f]+))?)?",
    re.IGNORECASE,
)
_REASON_SHIFT, _REASON_MASK = 20, 0x3F
"""Where the first word of the line holds why a link went down."""
_LINK_DOWN = "NETIR_LINK"
_LINK_RESET = tr("Reset the GPU, then burn in again.")
_LINK_NOTE = tr("Nothing to do unless it is frequent.")
_SIGNAL = tr("Check the NVLink connection: seating, cables, bridge. Then reset the GPU.")
_PEER = tr("Look at the GPU or switch at the other end of the link, then reset the GPU.")
_SOFTWARE = tr("The link was taken down by software: look there first, then reset the GPU.")
_HOST = tr("Look at the machine: it took the link down.")

_REASONS = {
    **dict.fromkeys((2, 4, 10, 42, 43), _SIGNAL),
    **dict.fromkeys((15, 16, 17, 18, 22, 38), _SOFTWARE),
    **dict.fromkeys((21, *range(32, 38)), _PEER),
    40: _HOST,
}
"""Why a link went down, by number; of the others the table says no more than to reset the GPU."""
_RESET_ALTHOUGH_NONFATAL = {"RLW_RXPIPE": (0x1, 0x2, 0x4)}
"""By unit: bits of the error status after which the GPU may need a reset although the error is not fatal."""


@dataclass(frozen=True, slots=True)
class LinkError:
    """What one line says."""

    unit: str
    fatal: bool
    action: str


def link_error(message: str) -> LinkError | None:
    """From the line of an Xid 144 to 150; None where it does not say how grave it is."""
    match = _LINE.search(message)
    if match is None:
        return None
    unit = match["unit"].upper()
    fatal = match["how"].lower() == "fatal"
    return LinkError(unit, fatal, _action(unit, fatal, int(match["info"] or "0", 16), int(match["status"] or "0", 16)))


def _action(unit: str, fatal: bool, info: int, status: int) -> str:
    if unit.startswith(_LINK_DOWN):
        return _REASONS.get(info >> _REASON_SHIFT & _REASON_MASK, _LINK_RESET)
    if unit == "NETIR_BER_EVENT":
        return _SIGNAL if fatal else tr("Check the NVLink connection if it is frequent: seating, cables, bridge.")
    if fatal or status in _RESET_ALTHOUGH_NONFATAL.get(unit, ()):
        return _LINK_RESET
    return _LINK_NOTE
