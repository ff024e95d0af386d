"""The closed lists that parts, rules and reports agree on."""

from __future__ import annotations

from enum import StrEnum

from core.language import trc


class Category(StrEnum):
    """One category, one typed spec, one folder under assets/catalogue."""

    GPU = "gpu"
    CPU = "cpu"
    MOTHERBOARD = "motherboard"
    RAM = "ram"
    STORAGE = "storage"
    PSU = "psu"
    CASE = "case"
    SYSTEM = "system"
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
    PDU = "pdu"
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
    Category.SYSTEM: trc("category", "System"),
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
    Category.PDU: trc("category", "PDU"),
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
    Category.SYSTEM: "整机",
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
    Category.PDU: "电源分配器",
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
    SODIMM = "SODIMM"
    """Of laptops and small machines."""
    RDIMM = "RDIMM"
    LRDIMM = "LRDIMM"

    @property
    def is_registered(self) -> bool:
        """Whether a register stands between the bus and its chips, which takes power of its own."""
        return self in (ModuleKind.RDIMM, ModuleKind.LRDIMM)


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


class MainsPlug(StrEnum):
    """What a PDU is fed through: a plug on its cord, or an inlet for a cord of its own (C14, C20)."""

    C14 = "C14"
    C20 = "C20"
    NEMA_5_15 = "NEMA 5-15P"
    NEMA_5_20 = "NEMA 5-20P"
    NEMA_L5_20 = "NEMA L5-20P"
    NEMA_L5_30 = "NEMA L5-30P"
    NEMA_L6_20 = "NEMA L6-20P"
    NEMA_L6_30 = "NEMA L6-30P"
    SCHUKO = "Schuko plug"
    BS_1363 = "BS 1363 plug"
    IEC_309_16 = "IEC 309 16 A"
    IEC_309_32 = "IEC 309 32 A"
    OTHER = "other"

    @property
    def nema(self) -> bool:
        """Whether it goes into the sockets of North America."""
        return self.startswith("NEMA")


class MainsOutlet(StrEnum):
    """What a PDU gives sockets for. Into C13 and C19 go cords of their own kind, into the others those of the wall."""

    C13 = "C13"
    C19 = "C19"
    NEMA_5_15 = "NEMA 5-15R"
    NEMA_5_20 = "NEMA 5-20R"
    NEMA_L6_20 = "NEMA L6-20R"
    NEMA_L6_30 = "NEMA L6-30R"
    SCHUKO = "Schuko"
    BS_1363 = "BS 1363"


class Metering(StrEnum):
    """What a PDU measures and switches."""

    BASIC = "basic"
    METERED = "metered"
    """Its input, or each bank."""
    BY_OUTLET = "metered_by_outlet"
    SWITCHED = "switched"
    """Each outlet, over the network."""


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


class Bar1Kind(StrEnum):
    """What of its memory a GPU maps into the address space (BAR1)."""

    WHOLE = "whole_memory"
    """All from power-on, whatever the board."""
    SMALL = "small"
    """256 MB."""
    RESIZABLE = "resizable"
    """256 MB at power-on; all memory where the board has Resizable BAR."""
    EITHER = "whole_or_small"
    """All memory or 256 MB, by variant of the card or by its display mode."""


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


class SystemKind(StrEnum):
    """How much of a system that is sold as one can be chosen."""

    SEALED = "sealed"
    """Nothing: chip and memory are on its board."""
    COMPLETE = "complete"
    """It runs as it is sold; its parts can be replaced."""
    BAREBONE = "barebone"
    """Board, case and PSU; the rest is the buyer's."""


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
