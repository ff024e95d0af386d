"""Xids, the error numbers of the NVIDIA driver: what each means, how it weighs in an acceptance, what to do.

Meanings and actions after NVIDIA's catalogue (docs.nvidia.com/deploy/xid-errors, "Analyzing Xid Errors with the Xid
Catalog"). Weights are ours and stricter: the loads of a burn-in are known to be right, so that what would be a
programmer's error elsewhere speaks against the hardware or driver here.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.language import joined, tr
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
        return joined([tr("Xid {number}: {title}.", number=self.number, title=self.title), self.action])


_RESET = tr("Reset the GPU or restart the machine, then burn in again.")
_RESTART = tr("Restart the machine; if the error comes back, replace the card.")
_SEAT = tr("Reseat card, riser and power cables, check the PSU; restart the machine.")
_REPLACE = tr("Replace the card.")
_AGAIN = tr("Burn in again: if it stays with this card, the hardware is at fault.")
_LINK = tr("Check the NVLink bridge and its seating; reset the GPU.")
_NOTE = tr("Nothing to do unless it is frequent.")

XIDS: tuple[Xid, ...] = (
    Xid(8, tr("The GPU stopped processing"), FAIL, _RESET),
    Xid(13, tr("Exception in a compute unit"), FAIL, _AGAIN),
    Xid(31, tr("Page fault in the GPU's memory unit"), FAIL, _AGAIN),
    Xid(32, tr("Corrupted commands reached the GPU"), FAIL, tr("Suspect PCIe link and main memory; burn in again.")),
    Xid(38, tr("Error in the driver's firmware"), FAIL, tr("Update the driver.")),
    Xid(43, tr("The GPU stopped processing for one program"), FAIL, tr("See the first Xid of the run."),
        follows=True),
    Xid(45, tr("A program's work was cleaned up after an error"), WARN, tr("See the first Xid of the run."),
        follows=True),
    Xid(46, tr("The GPU stopped processing"), FAIL, _RESET),
    Xid(48, tr("Memory error that could not be corrected (double bit)"), FAIL, _RESET),
    Xid(54, tr("Power cable of the card not connected"), FAIL, tr("Check the power cables of the card.")),
    Xid(56, tr("Display engine error"), FAIL, _AGAIN),
    Xid(57, tr("Memory interface error"), FAIL, _REPLACE),
    Xid(58, tr("Unstable memory interface"), FAIL, _REPLACE),
    Xid(61, tr("Microcontroller of the GPU stopped at a breakpoint"), FAIL, _RESTART),
    Xid(62, tr("Microcontroller of the GPU halted"), FAIL, _RESET),
    Xid(63, tr("A faulty row or page of memory was set aside"), WARN, tr("Reset the GPU, then burn in again.")),
    Xid(64, tr("A faulty row or page of memory could not be set aside"), FAIL, _REPLACE),
    Xid(65, tr("Video encoder exception"), FAIL, _AGAIN),
    Xid(68, tr("Video decoder exception"), WARN, _AGAIN),
    Xid(69, tr("Compute engine error"), FAIL, _AGAIN),
    Xid(73, tr("Video encoder exception"), FAIL, _AGAIN),
    Xid(74, tr("Error on NVLink"), FAIL, _LINK),
    Xid(79, tr("The GPU has fallen off the bus"), FAIL, _SEAT),
    Xid(80, tr("Corrupted commands reached the GPU"), FAIL, tr("Suspect PCIe link and main memory; burn in again.")),
    Xid(81, tr("VGA unit error"), FAIL, _AGAIN),
    Xid(92, tr("Many corrected memory errors"), WARN, tr("Replace a card on which it repeats.")),
    Xid(94, tr("Memory error, contained to one program"), FAIL, _RESET),
    Xid(95, tr("Memory error, not contained"), FAIL, _RESET),
    Xid(109, tr("The GPU did not switch between programs in time"), FAIL, _RESET),
    Xid(110, tr("GPU security processor fault"), FAIL, _RESET),
    Xid(119, tr("The GPU's own processor (GSP) did not answer"), FAIL, _RESET),
    Xid(120, tr("Error in the GPU's own processor (GSP)"), FAIL, _RESET),
    Xid(121, tr("Corrected error on the link between GPU and CPU (C2C)"), WARN, _NOTE),
    Xid(136, tr("Training of a link failed"), FAIL, _LINK),
    Xid(137, tr("Unauthorised access over NVLink"), WARN, _NOTE),
    Xid(140, tr("Memory error that escaped correction"), FAIL, _RESET),
    Xid(141, tr("Fast-path error"), WARN, _NOTE),
    Xid(143, tr("The GPU could not be initialised"), FAIL, _RESTART),
    *(Xid(number, tr("NVLink error ({unit})", unit=unit), FAIL, _LINK)
      for number, unit in zip(range(144, 151), ("SAW", "RLW", "TLW", "TREX", "NVLPW", "NETIR", "MSE"), strict=True)),
    Xid(154, tr("The driver asks for another recovery"), WARN, tr("Do what its message says."), follows=True),
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
    Xid(167, tr("PCIe did not answer in time"), FAIL, _SEAT),
    Xid(168, tr("Errors in protected memory: less memory than usual"), FAIL,
        tr("Switch ECC on, or restart the machine.")),
    Xid(169, tr("Security microcontroller of the GPU halted"), FAIL, _RESET),
    Xid(171, tr("The error that could not be corrected was in the main memory of the GPU"), FAIL, _RESET,
        follows=True),
    Xid(172, tr("The error that could not be corrected was in caches or registers"), FAIL, _RESET, follows=True),
)  # fmt: skip
_BY_NUMBER = {xid.number: xid for xid in XIDS}


def xid(number: int) -> Xid:
    """What is known of a number; an unknown one counts as a failure until it has been looked up."""
    advice = tr("Look it up in NVIDIA's Xid catalogue; it counts as a failure until then.")
    return _BY_NUMBER.get(number) or Xid(number, tr("Error unknown to this version"), FAIL, advice, known=False)
