"""The words of the closed lists (`core/parts/vocabulary.py`) as people read them."""

from __future__ import annotations

from functools import lru_cache

from core.language import plain, tr, trc
from core.parts.vocabulary import (
    Attachment,
    Bar1Kind,
    CarrierKind,
    CaseKind,
    CaseSide,
    CoolerKind,
    EfficiencyLevel,
    FabricKind,
    FormFactor,
    GpuCooling,
    GpuForm,
    Inlet,
    MainsPlug,
    Metering,
    Modularity,
    NoiseCondition,
    Panels,
    PowerConnector,
    PsuFormFactor,
    RiserKind,
    SeatKind,
    SystemKind,
)

COOLING_LABELS: dict[GpuCooling, str] = {
    GpuCooling.OPEN_AIR: tr("open-air"),
    GpuCooling.BLOWER: tr("blower"),
    GpuCooling.FLOW_THROUGH: tr("flow-through"),
    GpuCooling.PASSIVE: tr("passive"),
    GpuCooling.WATER_BLOCK: tr("water block"),
    GpuCooling.HYBRID: tr("hybrid"),
}

CONNECTOR_LABELS: dict[PowerConnector, str] = {
    PowerConnector.PCIE_6PIN: tr("6-pin"),
    PowerConnector.PCIE_8PIN: tr("8-pin"),
    PowerConnector.PCIE_16PIN: "12VHPWR",
    PowerConnector.PCIE_16PIN_2X6: "12V-2x6",
    PowerConnector.EPS_8PIN: tr("EPS 8-pin"),
    PowerConnector.EPS_4PIN: tr("EPS 4-pin"),
    PowerConnector.ATX_24PIN: tr("ATX 24-pin"),
    PowerConnector.SATA: "SATA",
    PowerConnector.MOLEX: "Molex",
}

_OTHER_LABELS: dict[str, str] = {
    PsuFormFactor.REDUNDANT_1U: tr("1U redundant"),
    PsuFormFactor.REDUNDANT_2U: tr("2U redundant"),
    FormFactor.PROPRIETARY: tr("proprietary"),
    Inlet.OTHER: tr("other"),
    MainsPlug.SCHUKO: tr("Schuko plug"),
    MainsPlug.BS_1363: tr("BS 1363 plug"),
    Metering.BASIC: trc("PDU", "basic"),
    Metering.METERED: trc("PDU", "metered"),
    Metering.BY_OUTLET: trc("PDU", "metered by outlet"),
    Metering.SWITCHED: trc("PDU", "switched"),
    EfficiencyLevel.WHITE: trc("80 PLUS", "white"),
    EfficiencyLevel.BRONZE: trc("80 PLUS", "bronze"),
    EfficiencyLevel.SILVER: trc("80 PLUS", "silver"),
    EfficiencyLevel.GOLD: trc("80 PLUS", "gold"),
    EfficiencyLevel.PLATINUM: trc("80 PLUS", "platinum"),
    EfficiencyLevel.TITANIUM: trc("80 PLUS", "titanium"),
    Modularity.FULL: trc("modular cables", "full"),
    Modularity.SEMI: trc("modular cables", "semi"),
    Modularity.NONE: trc("modular cables", "none"),
    Bar1Kind.WHOLE: trc("BAR1", "all memory"),
    Bar1Kind.SMALL: plain("256 MB"),
    Bar1Kind.RESIZABLE: trc("BAR1", "256 MB, all memory with Resizable BAR"),
    Bar1Kind.EITHER: trc("BAR1", "all memory or 256 MB, by variant or display mode"),
    GpuForm.PCIE_CARD: tr("PCIe card"),
    Attachment.CHIPSET: tr("chipset"),
    Attachment.SWITCH: trc("PCIe", "switch"),
    CaseSide.FRONT: trc("side of a case", "front"),
    CaseSide.TOP: trc("side of a case", "top"),
    CaseSide.REAR: trc("side of a case", "rear"),
    CaseSide.BOTTOM: trc("side of a case", "bottom"),
    CaseSide.SIDE: trc("side of a case", "side"),
    CaseSide.INSIDE: trc("side of a case", "inside"),
    CaseSide.EXTERNAL: trc("side of a case", "external"),
    CaseKind.TOWER: trc("case", "tower"),
    CaseKind.OPEN_FRAME: trc("case", "open frame"),
    CaseKind.RACK: trc("case", "rack"),
    CaseKind.SYSTEM: trc("case", "system"),
    SystemKind.SEALED: trc("system", "sealed"),
    SystemKind.COMPLETE: trc("system", "complete"),
    SystemKind.BAREBONE: trc("system", "barebone"),
    FabricKind.CUBE_MESH: tr("cube mesh"),
    Panels.OPEN: trc("panels of a case", "open"),
    Panels.MESH: trc("panels of a case", "mesh"),
    Panels.SOLID: trc("panels of a case", "solid"),
    Panels.DAMPED: trc("panels of a case", "damped"),
    CoolerKind.AIR: trc("cooler", "air"),
    CoolerKind.BLOCK: trc("cooler", "block"),
    RiserKind.REDRIVER: tr("redriver"),
    RiserKind.RETIMER: tr("retimer"),
    CarrierKind.ADAPTER: trc("carrier", "adapter"),
    CarrierKind.HOST_CARD: tr("host card"),
    CarrierKind.SPLITTER: tr("bifurcation card"),
    CarrierKind.SWITCH: tr("PCIe switch"),
    CarrierKind.MODULE_CARRIER: tr("module carrier"),
    CarrierKind.EXTERNAL_BOX: tr("external box"),
    SeatKind.SLOT: trc("seat", "slot"),
    SeatKind.M2: plain("M.2"),
    SeatKind.MCIO: plain("MCIO"),
    SeatKind.SLIMSAS: plain("SlimSAS"),
    SeatKind.OCULINK: plain("OCuLink"),
    SeatKind.THUNDERBOLT: plain("Thunderbolt"),
    NoiseCondition.IDLE: trc("noise", "idle"),
    NoiseCondition.LOAD: trc("noise", "load"),
    NoiseCondition.MAXIMUM: trc("noise", "maximum"),
}
"""A word that two lists share is said alike in both."""

_LABELS: dict[str, str] = {str(kind): label for kind, label in COOLING_LABELS.items()}
_LABELS |= {str(kind): label for kind, label in CONNECTOR_LABELS.items()}
_LABELS |= {str(kind): label for kind, label in _OTHER_LABELS.items()}
_ACRONYMS = {
    "cpu": "CPU",
    "sxm": "SXM",
    **{f"sxm{number}": f"SXM{number}" for number in range(2, 7)},
    "oam": "OAM",
    "hdd": "HDD",
    "aio": "AIO",
    "mcio": "MCIO",
    "nvme": "NVMe",
    "ssd": "SSD",
}
_ACRONYMS |= {"sata": "SATA", "pcie": "PCIe"}


def value_label(value: str) -> str:
    """A word of these lists for people: "open_air" is "open-air"; other text stays as it is."""
    return _LABELS.get(value) or _spelt(value)


@lru_cache(maxsize=4096)
def _spelt(value: str) -> str:
    return " ".join(_ACRONYMS.get(word, word) for word in value.split("_"))
