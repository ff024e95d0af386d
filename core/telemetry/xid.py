"""Xids, the error numbers of the NVIDIA driver: what each means, how it weighs in an acceptance, what to do.

Meanings and actions after NVIDIA's catalogue (docs.nvidia.com/deploy/xid-errors, "Analyzing Xid Errors with the Xid
Catalog"). Weights are ours and stricter: the loads of a burn-in are known to be right, so that what would be a
programmer's error elsewhere speaks against the hardware or driver here.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.telemetry.throttle import Severity

NORMAL, WARN, FAIL = Severity.NORMAL, Severity.WARN, Severity.FAIL


@dataclass(frozen=True, slots=True)
class Xid:
    """One number. `action` is what to do about it, "" where another error decides that."""

    number: int
    title: str
    severity: Severity
    action: str = ""
    known: bool = True
    """False: look it up; it counts as a failure until somebody has."""
    follows: bool = False
    """It comes after another error, which tells more; alone it still counts as it weighs."""

    @property
    def sentence(self) -> str:
        """For events and reports."""
        action = f" {self.action}" if self.action else ""
        return f"Xid {self.number}: {self.title}.{action}"


_RESET = "Reset the GPU or restart the machine, then burn in again."
_RESTART = "Restart the machine; if it comes back, replace the card."
_SEAT = "Seat card, riser and power cables anew, check the supply; restart the machine."
_REPLACE = "Replace the card."
_AGAIN = "Burn in again: one that stays with this card is the hardware's."
_LINK = "Check NVLink bridge and seat; reset the GPU."
_NOTE = "Nothing to do unless it comes often."

XIDS: tuple[Xid, ...] = (
    Xid(8, "The GPU stopped processing", FAIL, _RESET),
    Xid(13, "Exception in a compute unit", FAIL, _AGAIN),
    Xid(31, "Page fault in the GPU's memory unit", FAIL, _AGAIN),
    Xid(32, "Corrupted commands reached the GPU", FAIL, "Suspect PCIe link and main memory; burn in again."),
    Xid(38, "Error in the driver's firmware", FAIL, "Update the driver."),
    Xid(43, "The GPU stopped processing for one program", FAIL, "Look at the first Xid of the run.", follows=True),
    Xid(45, "A program's work was cleared away after an error", WARN, "Look at the first Xid of the run.",
        follows=True),
    Xid(46, "The GPU stopped processing", FAIL, _RESET),
    Xid(48, "Memory error that could not be corrected (double bit)", FAIL, _RESET),
    Xid(54, "Power cable of the card not connected", FAIL, "Check the power cables of the card."),
    Xid(56, "Error of the display engine", FAIL, _AGAIN),
    Xid(57, "Error of the memory interface", FAIL, _REPLACE),
    Xid(58, "Unstable memory interface", FAIL, _REPLACE),
    Xid(61, "Microcontroller of the GPU stopped at a breakpoint", FAIL, _RESTART),
    Xid(62, "Microcontroller of the GPU halted", FAIL, _RESET),
    Xid(63, "A faulty row or page of memory was set aside", WARN, "Reset the GPU, then burn in again."),
    Xid(64, "A faulty row or page of memory could not be set aside", FAIL, _REPLACE),
    Xid(65, "Exception of the video encoder", FAIL, _AGAIN),
    Xid(68, "Exception of the video decoder", WARN, _AGAIN),
    Xid(69, "Error of a compute engine", FAIL, _AGAIN),
    Xid(73, "Exception of the video encoder", FAIL, _AGAIN),
    Xid(74, "Error on NVLink", FAIL, _LINK),
    Xid(79, "The GPU has fallen off the bus", FAIL, _SEAT),
    Xid(80, "Corrupted commands reached the GPU", FAIL, "Suspect PCIe link and main memory; burn in again."),
    Xid(81, "Error of the VGA part", FAIL, _AGAIN),
    Xid(92, "Many corrected memory errors", WARN, "A card on which it repeats is to be replaced."),
    Xid(94, "Memory error, contained to one program", FAIL, _RESET),
    Xid(95, "Memory error, not contained", FAIL, _RESET),
    Xid(109, "The GPU did not switch between programs in time", FAIL, _RESET),
    Xid(110, "Fault of the GPU's security processor", FAIL, _RESET),
    Xid(119, "The GPU's own processor (GSP) did not answer", FAIL, _RESET),
    Xid(120, "Error of the GPU's own processor (GSP)", FAIL, _RESET),
    Xid(121, "Error of the link between GPU and processor (C2C), corrected", WARN, _NOTE),
    Xid(136, "Training of a link failed", FAIL, _LINK),
    Xid(137, "Access over NVLink without permission", WARN, _NOTE),
    Xid(140, "Memory error that escaped the correction", FAIL, _RESET),
    Xid(141, "Trouble on the fast path of errors", WARN, _NOTE),
    Xid(143, "The GPU could not be initialised", FAIL, _RESTART),
    *(Xid(number, f"Error of NVLink ({unit})", FAIL, _LINK)
      for number, unit in zip(range(144, 151), ("SAW", "RLW", "TLW", "TREX", "NVLPW", "NETIR", "MSE"), strict=True)),
    Xid(154, "The driver asks for another recovery", WARN, "Do what its text says.", follows=True),
    Xid(155, "NVLink went down", FAIL, _LINK),
    Xid(156, "A faulty part of the GPU was set aside", FAIL, _RESET),
    Xid(157, "A faulty part of the GPU could not be set aside", WARN, "Ask the maker: no spare parts are left."),
    Xid(158, "The GPU did not answer in time", FAIL, _RESET),
    Xid(159, "Error of the link between GPU and processor (CHI)", WARN, _NOTE),
    Xid(160, "A faulty memory channel was set aside", WARN, _NOTE),
    Xid(161, "A faulty memory channel could not be set aside", WARN, _NOTE),
    Xid(162, "Power smoothing works again", WARN, _NOTE),
    Xid(163, "Power smoothing was switched off", WARN, "Look at the cooling."),
    Xid(164, "Power smoothing is nearly worn out", WARN, _NOTE),
    Xid(165, "Power smoothing is worn out", WARN, _NOTE),
    Xid(167, "PCIe did not answer in time", FAIL, _SEAT),
    Xid(168, "Errors in protected memory: less memory than usual", FAIL, "Switch ECC on, or restart the machine."),
    Xid(169, "Security microcontroller of the GPU halted", FAIL, _RESET),
    Xid(171, "The error that could not be corrected was in the main memory of the GPU", FAIL, _RESET, follows=True),
    Xid(172, "The error that could not be corrected was in caches or registers", FAIL, _RESET, follows=True),
)  # fmt: skip
_BY_NUMBER = {xid.number: xid for xid in XIDS}


def xid(number: int) -> Xid:
    """What is known of a number; an unknown one counts as a failure until it has been looked up."""
    advice = "Look it up in NVIDIA's catalogue of Xids; it counts as a failure until then."
    return _BY_NUMBER.get(number) or Xid(number, "Error that this version does not know", FAIL, advice, known=False)
