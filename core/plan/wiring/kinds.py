"""Which plug goes into which socket, and what each kind carries."""

from __future__ import annotations

from core.parts.vocabulary import PowerConnector
from core.words import tr

PIN_16 = PowerConnector.PCIE_16PIN
PCIE_8 = PowerConnector.PCIE_8PIN
PCIE_6 = PowerConnector.PCIE_6PIN
EPS_8 = PowerConnector.EPS_8PIN
EPS_4 = PowerConnector.EPS_4PIN
ATX_24 = PowerConnector.ATX_24PIN

WIRED = (ATX_24, EPS_8, EPS_4, PIN_16, PCIE_8, PCIE_6)
"""Kinds that `wire` deals with. SATA and Molex plugs feed drives and fans, never a card or its riser."""

SLOT_W = 75.0
"""What a x16 slot gives a graphics card (PCIe CEM), 66 W of it on 12 V."""
PLUG_W = {PCIE_6: 75.0, PCIE_8: 150.0, PIN_16: 600.0, EPS_8: 300.0, EPS_4: 150.0, ATX_24: 144.0}
"""PCIe CEM; an EPS plug on a card carries up to 300 W; two 12 V contacts of 6 A in the 24-pin plug."""

ONE_PER_CABLE = (ATX_24, PIN_16)
"""Kinds of which no cable of a PSU carries a second plug: their number is that of the cables, even where only plugs
were counted. Builders' practice, not confirmed."""

FITTING: dict[PowerConnector, tuple[PowerConnector, ...]] = {PCIE_6: (PCIE_6, PCIE_8), EPS_4: (EPS_4, EPS_8)}
"""Plugs that go into a socket, the best first: PCIe 8-pin plugs are 6+2, EPS ones 4+4. Others fit their own kind only:
EPS and PCIe 8-pin look alike and are wired the other way round."""

NAMES = {
    PIN_16: tr("16-pin"),
    PCIE_8: tr("PCIe 8-pin"),
    PCIE_6: tr("PCIe 6-pin"),
    EPS_8: tr("EPS 8-pin"),
    EPS_4: tr("EPS 4-pin"),
    ATX_24: tr("24-pin"),
}


def plug_kind(kind: PowerConnector) -> PowerConnector:
    """12VHPWR and 12V-2x6 plugs fit each other's sockets."""
    return PIN_16 if kind is PowerConnector.PCIE_16PIN_2X6 else kind


def fitting(socket: PowerConnector) -> tuple[PowerConnector, ...]:
    """Kinds of plug for a kind of socket."""
    return FITTING.get(socket, (socket,))
