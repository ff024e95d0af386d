"""The closed lists that parts, rules and reports agree on."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from core.language import plain, tr, trc


class Category(StrEnum):
    """One category, one typed spec, one folder under assets/catalogue."""

    GPU = "gpu"
    CPU = "cpu"
    MOTHERBOARD = "motherboard"
    RAM = "ram"
    STORAGE = "storage"
    PSU = "psu"
    CASE = "case"
    CPU_COOLER = "cpu_cooler"
    FAN = "fan"
    RADIATOR = "radiator"
    PUMP = "pump"
    WATER_BLOCK = "water_block"
    RISER = "riser"
    CARRIER = "carrier"
    NVLINK_BRIDGE = "nvlink_bridge"
    NIC = "nic"
    UPS = "ups"
    CABLE = "cable"

    @property
    def label(self) -> str:
        """Its name, as shown in window and reports."""
        return CATEGORY_LABELS[self]


CATEGORY_LABELS: dict[Category, str] = {
    Category.GPU: trc("category", "GPU"),
    Category.CPU: trc("category", "CPU"),
    Category.MOTHERBOARD: trc("category", "Motherboard"),
    Category.RAM: trc("category", "RAM"),
    Category.STORAGE: trc("category", "Storage"),
    Category.PSU: trc("category", "PSU"),
    Category.CASE: trc("category", "Case"),
    Category.CPU_COOLER: trc("category", "CPU cooler"),
    Category.FAN: trc("category", "Fan"),
    Category.RADIATOR: trc("category", "Radiator"),
    Category.PUMP: trc("category", "Pump"),
    Category.WATER_BLOCK: trc("category", "Water block"),
    Category.RISER: trc("category", "Riser"),
    Category.CARRIER: trc("category", "PCIe carrier"),
    Category.NVLINK_BRIDGE: trc("category", "NVLink bridge"),
    Category.NIC: trc("category", "Network card"),
    Category.UPS: trc("category", "UPS"),
    Category.CABLE: trc("category", "Cable or adapter"),
}

CATEGORY_LABELS_ZH: dict[Category, str] = {
    Category.GPU: "显卡",
    Category.CPU: "处理器",
    Category.MOTHERBOARD: "主板",
    Category.RAM: "内存",
    Category.STORAGE: "存储",
    Category.PSU: "电源",
    Category.CASE: "机箱",
    Category.CPU_COOLER: "处理器散热器",
    Category.FAN: "风扇",
    Category.RADIATOR: "冷排",
    Category.PUMP: "水泵",
    Category.WATER_BLOCK: "水冷头",
    Category.RISER: "延长线",
    Category.CARRIER: "PCIe扩展载板",
    Category.NVLINK_BRIDGE: "NVLink桥",
    Category.NIC: "网卡",
    Category.UPS: "不间断电源",
    Category.CABLE: "线材",
}


class Socket(StrEnum):
    """CPU sockets, one spelling each."""

    LGA775 = "LGA775"
    LGA1150 = "LGA1150"
    LGA1151 = "LGA1151"
    LGA1155 = "LGA1155"
    LGA1156 = "LGA1156"
    LGA1200 = "LGA1200"
    LGA1700 = "LGA1700"
    LGA1851 = "LGA1851"
    LGA1356 = "LGA1356"
    LGA1366 = "LGA1366"
    LGA2011 = "LGA2011"
    LGA2011_3 = "LGA2011-3"
    LGA2066 = "LGA2066"
    LGA3647 = "LGA3647"
    LGA4189 = "LGA4189"
    LGA4677 = "LGA4677"
    LGA4710 = "LGA4710"
    LGA7529 = "LGA7529"
    AM1 = "AM1"
    AM2 = "AM2"
    AM2_PLUS = "AM2+"
    AM3 = "AM3"
    AM3_PLUS = "AM3+"
    AM4 = "AM4"
    AM5 = "AM5"
    FM1 = "FM1"
    FM2 = "FM2"
    FM2_PLUS = "FM2+"
    G34 = "G34"
    TR4 = "TR4"
    STRX4 = "sTRX4"
    SWRX8 = "sWRX8"
    STR5 = "sTR5"
    SP3 = "SP3"
    SP5 = "SP5"
    SP6 = "SP6"


class RamType(StrEnum):
    """Memory generation."""

    DDR3 = "DDR3"
    DDR4 = "DDR4"
    DDR5 = "DDR5"


class ModuleKind(StrEnum):
    """How a memory module is buffered; kinds do not mix."""

    UDIMM = "UDIMM"
    RDIMM = "RDIMM"
    LRDIMM = "LRDIMM"


class FormFactor(StrEnum):
    """Board sizes and hole patterns."""

    MINI_ITX = "Mini-ITX"
    MICRO_ATX = "Micro-ATX"
    ATX = "ATX"
    E_ATX = "E-ATX"
    XL_ATX = "XL-ATX"
    HPTX = "HPTX"
    SSI_CEB = "SSI-CEB"
    SSI_EEB = "SSI-EEB"
    SSI_MEB = "SSI-MEB"
    PROPRIETARY = "proprietary"


class PsuFormFactor(StrEnum):
    """PSU housings."""

    ATX = "ATX"
    SFX = "SFX"
    SFX_L = "SFX-L"
    TFX = "TFX"
    FLEX_ATX = "Flex ATX"
    REDUNDANT_1U = "1U redundant"
    REDUNDANT_2U = "2U redundant"
    CRPS = "CRPS"
    PROPRIETARY = "proprietary"


class PowerConnector(StrEnum):
    """12 V plugs of cards, boards and PSUs. EPS and PCIe 8-pin look alike and are wired the other way round."""

    PCIE_6PIN = "pcie_6pin"
    PCIE_8PIN = "pcie_8pin"
    PCIE_16PIN = "12vhpwr"
    PCIE_16PIN_2X6 = "12v_2x6"
    EPS_8PIN = "eps_8pin"
    EPS_4PIN = "eps_4pin"
    ATX_24PIN = "atx_24pin"
    SATA = "sata"
    MOLEX = "molex"


class Inlet(StrEnum):
    """IEC 60320 inlet of a PSU or UPS."""

    C14 = "C14"
    C20 = "C20"
    OTHER = "other"


class EfficiencyLevel(StrEnum):
    """80 PLUS levels."""

    WHITE = "white"
    BRONZE = "bronze"
    SILVER = "silver"
    GOLD = "gold"
    PLATINUM = "platinum"
    TITANIUM = "titanium"


class Modularity(StrEnum):
    """Whether the cables of a PSU come off."""

    FULL = "full"
    SEMI = "semi"
    NONE = "none"


class GpuCooling(StrEnum):
    """Where a card's heat goes, which decides what its neighbour breathes."""

    OPEN_AIR = "open_air"
    BLOWER = "blower"
    FLOW_THROUGH = "flow_through"
    PASSIVE = "passive"
    WATER_BLOCK = "water_block"
    HYBRID = "hybrid"


class GpuForm(StrEnum):
    """How a GPU is mounted."""

    PCIE_CARD = "pcie_card"
    SXM = "sxm"
    OAM = "oam"


class Attachment(StrEnum):
    """What a slot's lanes come from."""

    CPU = "cpu"
    CHIPSET = "chipset"
    SWITCH = "switch"


class CaseSide(StrEnum):
    """Sides of a case."""

    FRONT = "front"
    TOP = "top"
    REAR = "rear"
    BOTTOM = "bottom"
    SIDE = "side"
    INSIDE = "inside"
    EXTERNAL = "external"


class CaseKind(StrEnum):
    """What the machine is built into."""

    TOWER = "tower"
    OPEN_FRAME = "open_frame"
    RACK = "rack"
    SYSTEM = "system"


class FabricKind(StrEnum):
    """How a machine's own boards join its GPUs by NVLink."""

    MESH = "mesh"
    """Each with each."""
    CUBE_MESH = "cube_mesh"
    """Eight at the corners of a cube: each with four others."""
    SWITCH = "switch"
    """All over NVSwitch chips, at full rate."""


class Panels(StrEnum):
    """What stands between the sources and the listener."""

    OPEN = "open"
    MESH = "mesh"
    SOLID = "solid"
    DAMPED = "damped"


class CoolerKind(StrEnum):
    """CPU cooling."""

    AIR = "air"
    AIO = "aio"
    BLOCK = "block"


class StorageKind(StrEnum):
    """Drives."""

    NVME = "nvme"
    SATA_SSD = "sata_ssd"
    HDD = "hdd"


class RiserKind(StrEnum):
    """Active or passive slot extension."""

    PASSIVE = "passive"
    REDRIVER = "redriver"
    RETIMER = "retimer"
    MCIO = "mcio"
    SWITCH = "switch"
    """Several slots behind one link."""


class CarrierKind(StrEnum):
    """What gives cards seats beyond the board's slots."""

    ADAPTER = "adapter"
    """From one socket to one slot: M.2, MCIO, SlimSAS, OCuLink."""
    HOST_CARD = "host_card"
    """A card in a slot that brings ports for cables."""
    SPLITTER = "splitter"
    """Several slots with lanes of their own, where the host's slot is split."""
    SWITCH = "switch"
    """Several slots or ports behind one link."""
    MODULE_CARRIER = "module_carrier"
    """A board with sockets for SXM or OAM modules."""
    EXTERNAL_BOX = "external_box"
    """An enclosure of its own beside the machine."""


class SeatKind(StrEnum):
    """What goes into a seat or host port."""

    SLOT = "slot"
    M2 = "m2"
    MCIO = "mcio"
    SLIMSAS = "slimsas"
    OCULINK = "oculink"
    THUNDERBOLT = "thunderbolt"
    SXM = "sxm"
    OAM = "oam"


class ModuleSocket(StrEnum):
    """What a GPU module plugs into; modules of another generation do not fit."""

    SXM2 = "sxm2"
    SXM3 = "sxm3"
    SXM4 = "sxm4"
    SXM5 = "sxm5"
    SXM6 = "sxm6"
    OAM = "oam"


class NoiseCondition(StrEnum):
    """What the part was doing when its level was measured."""

    IDLE = "idle"
    LOAD = "load"
    MAXIMUM = "maximum"


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
    EfficiencyLevel.WHITE: trc("80 PLUS", "white"),
    EfficiencyLevel.BRONZE: trc("80 PLUS", "bronze"),
    EfficiencyLevel.SILVER: trc("80 PLUS", "silver"),
    EfficiencyLevel.GOLD: trc("80 PLUS", "gold"),
    EfficiencyLevel.PLATINUM: trc("80 PLUS", "platinum"),
    EfficiencyLevel.TITANIUM: trc("80 PLUS", "titanium"),
    Modularity.FULL: trc("modular cables", "full"),
    Modularity.SEMI: trc("modular cables", "semi"),
    Modularity.NONE: trc("modular cables", "none"),
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
