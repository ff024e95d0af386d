"""The sub-codes of NVLink 5 errors (Xids 144 to 150): how grave, and what to look at.

    145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 12 (0x040988e2 0x00000008 ...)

The line itself says how grave it is. Which action belongs to a unit, its error status and the reason of a link that
went down is NVIDIA's table ("Xid 144-150 Decode" of the Xid catalogue, October 2025), here in our own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.language import tr

_LINE = re.compile(
    r"(?P<unit>(?:SAW|RLW|TLW|TREX|NVLPW|NETIR|MSE)[A-Z0-9_/]*)\s+(?:Link )?(?P<how>non-?fatal|fatal)\b"
    r"[^(]*(?:\((?P<info>0x[0-9a-f]+)(?: (?P<status>0x[0-9a-f]+))?)?",
    re.IGNORECASE,
)
_REASON_SHIFT, _REASON_MASK = 20, 0x3F
"""Where the first word of the line holds why a link went down."""
_LINK_DOWN = "NETIR_LINK"
_RESET = tr("Reset the GPU, then burn in again.")
_NOTE = tr("Nothing to do unless it is frequent.")
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
        return _REASONS.get(info >> _REASON_SHIFT & _REASON_MASK, _RESET)
    if unit == "NETIR_BER_EVENT":
        return _SIGNAL if fatal else tr("Check the NVLink connection if it is frequent: seating, cables, bridge.")
    if fatal or status in _RESET_ALTHOUGH_NONFATAL.get(unit, ()):
        return _RESET
    return _NOTE
