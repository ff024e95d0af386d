"""The closed lists that parts, rules and reports agree on."""

from __future__ import annotations

from core.words import Worded, plain, tr, trc


class Category(Worded):
    """One category, one typed spec, one folder under assets/catalogue."""

    phrase: str
    """Within a sentence."""

    GPU = "gpu", trc("category", "GPU"), trc("within a sentence", "GPU")
    CPU = "cpu", trc("category", "CPU"), trc("within a sentence", "CPU")
    MOTHERBOARD = "motherboard", trc("category", "Motherboard"), trc("within a sentence", "motherboard")
    RAM = "ram", trc("category", "RAM"), trc("within a sentence", "RAM")
    STORAGE = "storage", trc("category", "Storage"), trc("within a sentence", "storage")
    PSU = "psu", trc("category", "PSU"), trc("within a sentence", "PSU")
    CASE = "case", trc("category", "Case"), trc("within a sentence", "case")
    SYSTEM = "system", trc("category", "System"), trc("within a sentence", "system")
    CPU_COOLER = "cpu_cooler", trc("category", "CPU cooler"), trc("within a sentence", "CPU cooler")
    FAN = "fan", trc("category", "Fan"), trc("within a sentence", "fan")
    RADIATOR = "radiator", trc("category", "Radiator"), trc("within a sentence", "radiator")
    PUMP = "pump", trc("category", "Pump"), trc("within a sentence", "pump")
    WATER_BLOCK = "water_block", trc("category", "Water block"), trc("within a sentence", "water block")
    RISER = "riser", trc("category", "Riser"), trc("within a sentence", "riser")
    CARRIER = "carrier", trc("category", "PCIe carrier"), trc("within a sentence", "PCIe carrier")
    NVLINK_BRIDGE = "nvlink_bridge", trc("category", "NVLink bridge"), trc("within a sentence", "NVLink bridge")
    NIC = "nic", trc("category", "Network card"), trc("within a sentence", "network card")
    UPS = "ups", trc("category", "UPS"), trc("within a sentence", "UPS")
    PDU = "pdu", trc("category", "PDU"), trc("within a sentence", "PDU")
    CABLE = "cable", trc("category", "Cable or adapter"), trc("within a sentence", "cable or adapter")


class Socket(Worded):
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


class RamType(Worded):
    """Memory generation."""

    DDR3 = "DDR3"
    DDR4 = "DDR4"
    DDR5 = "DDR5"


class ModuleKind(Worded):
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


class FormFactor(Worded):
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
    PROPRIETARY = "proprietary", tr("proprietary")


class PsuFormFactor(Worded):
    """PSU housings."""

    ATX = "ATX"
    SFX = "SFX"
    SFX_L = "SFX-L"
    TFX = "TFX"
    FLEX_ATX = "Flex ATX"
    REDUNDANT_1U = "1U redundant", tr("1U redundant")
    REDUNDANT_2U = "2U redundant", tr("2U redundant")
    CRPS = "CRPS"
    PROPRIETARY = "proprietary", tr("proprietary")


class PowerConnector(Worded):
    """12 V plugs of cards, boards and PSUs. EPS and PCIe 8-pin look alike and are wired the other way round."""

    PCIE_6PIN = "pcie_6pin", tr("6-pin")
    PCIE_8PIN = "pcie_8pin", tr("8-pin")
    PCIE_16PIN = "12vhpwr", "12VHPWR"
    PCIE_16PIN_2X6 = "12v_2x6", "12V-2x6"
    EPS_8PIN = "eps_8pin", tr("EPS 8-pin")
    EPS_4PIN = "eps_4pin", tr("EPS 4-pin")
    ATX_24PIN = "atx_24pin", tr("ATX 24-pin")
    SATA = "sata", "SATA"
    MOLEX = "molex", "Molex"


class Inlet(Worded):
    """IEC 60320 inlet of a PSU or UPS."""

    C14 = "C14"
    C20 = "C20"
    OTHER = "other", tr("other")


class MainsPlug(Worded):
    """What a PDU is fed through: a plug on its cord, or an inlet for a cord of its own (C14, C20)."""

    C14 = "C14"
    C20 = "C20"
    NEMA_5_15 = "NEMA 5-15P"
    NEMA_5_20 = "NEMA 5-20P"
    NEMA_L5_20 = "NEMA L5-20P"
    NEMA_L5_30 = "NEMA L5-30P"
    NEMA_L6_20 = "NEMA L6-20P"
    NEMA_L6_30 = "NEMA L6-30P"
    SCHUKO = "Schuko plug", tr("Schuko plug")
    BS_1363 = "BS 1363 plug", tr("BS 1363 plug")
    IEC_309_16 = "IEC 309 16 A"
    IEC_309_32 = "IEC 309 32 A"
    OTHER = "other", tr("other")

    @property
    def nema(self) -> bool:
        """Whether it goes into the sockets of North America."""
        return self.startswith("NEMA")


class MainsOutlet(Worded):
    """What a PDU gives sockets for. Into C13 and C19 go cords of their own kind, into the others those of the wall."""

    C13 = "C13"
    C19 = "C19"
    NEMA_5_15 = "NEMA 5-15R"
    NEMA_5_20 = "NEMA 5-20R"
    NEMA_L6_20 = "NEMA L6-20R"
    NEMA_L6_30 = "NEMA L6-30R"
    SCHUKO = "Schuko"
    BS_1363 = "BS 1363"


class Metering(Worded):
    """What a PDU measures and switches."""

    BASIC = "basic", trc("PDU", "basic")
    METERED = "metered", trc("PDU", "metered")
    """Its input, or each bank."""
    BY_OUTLET = "metered_by_outlet", trc("PDU", "metered by outlet")
    SWITCHED = "switched", trc("PDU", "switched")
    """Each outlet, over the network."""


class EfficiencyLevel(Worded):
    """80 PLUS levels."""

    WHITE = "white", trc("80 PLUS", "White")
    BRONZE = "bronze", trc("80 PLUS", "Bronze")
    SILVER = "silver", trc("80 PLUS", "Silver")
    GOLD = "gold", trc("80 PLUS", "Gold")
    PLATINUM = "platinum", trc("80 PLUS", "Platinum")
    TITANIUM = "titanium", trc("80 PLUS", "Titanium")


class Modularity(Worded):
    """Whether the cables of a PSU come off."""

    FULL = "full", trc("modular cables", "full")
    SEMI = "semi", trc("modular cables", "semi")
    NONE = "none", trc("modular cables", "none")


class GpuCooling(Worded):
    """Where a card's heat goes, which decides what its neighbour breathes."""

    OPEN_AIR = "open_air", tr("open-air")
    BLOWER = "blower", tr("blower")
    FLOW_THROUGH = "flow_through", tr("flow-through")
    PASSIVE = "passive", tr("passive")
    WATER_BLOCK = "water_block", tr("water block")
    HYBRID = "hybrid", tr("hybrid")


class Bar1Kind(Worded):
    """What of its memory a GPU maps into the address space (BAR1)."""

    WHOLE = "whole_memory", trc("BAR1", "all memory")
    """All from power-on, whatever the board."""
    SMALL = "small", plain("256 MB")
    """256 MB."""
    RESIZABLE = "resizable", trc("BAR1", "256 MB, all memory with Resizable BAR")
    """256 MB at power-on; all memory where the board has Resizable BAR."""
    EITHER = "whole_or_small", trc("BAR1", "all memory or 256 MB, by variant or display mode")
    """All memory or 256 MB, by variant of the card or by its display mode."""


class GpuForm(Worded):
    """How a GPU is mounted."""

    PCIE_CARD = "pcie_card", tr("PCIe card")
    SXM = "sxm", "SXM"
    OAM = "oam", "OAM"


class Attachment(Worded):
    """What a slot's lanes come from."""

    CPU = "cpu", "CPU"
    CHIPSET = "chipset", tr("chipset")
    SWITCH = "switch", tr("PCIe switch")


class CaseSide(Worded):
    """Sides of a case."""

    FRONT = "front", trc("side of a case", "front")
    TOP = "top", trc("side of a case", "top")
    REAR = "rear", trc("side of a case", "rear")
    BOTTOM = "bottom", trc("side of a case", "bottom")
    SIDE = "side", trc("side of a case", "side")
    INSIDE = "inside", trc("side of a case", "inside")
    EXTERNAL = "external", trc("side of a case", "external")


class CaseKind(Worded):
    """What the machine is built into."""

    TOWER = "tower", trc("case", "tower")
    OPEN_FRAME = "open_frame", trc("case", "open frame")
    RACK = "rack", trc("case", "rack")
    SYSTEM = "system", trc("case", "system")


class SystemKind(Worded):
    """How much of a system that is sold as one can be chosen."""

    SEALED = "sealed", trc("system", "sealed")
    """Nothing: chip and memory are on its board."""
    COMPLETE = "complete", trc("system", "complete")
    """It runs as it is sold; its parts can be replaced."""
    BAREBONE = "barebone", trc("system", "barebone")
    """Board, case and PSU; the rest is the buyer's."""


class FabricKind(Worded):
    """How a machine's own boards join its GPUs by NVLink."""

    MESH = "mesh", tr("fully connected")
    """Each with each."""
    CUBE_MESH = "cube_mesh", tr("a hybrid cube mesh: each with four others")
    """Eight at the corners of a cube: each with four others."""
    SWITCH = "switch", tr("all through NVSwitch")
    """All over NVSwitch chips, at full rate."""


class Panels(Worded):
    """What stands between the sources and the listener."""

    OPEN = "open", trc("panels of a case", "open")
    MESH = "mesh", trc("panels of a case", "mesh")
    SOLID = "solid", trc("panels of a case", "solid")
    DAMPED = "damped", trc("panels of a case", "damped")


class CoolerKind(Worded):
    """CPU cooling."""

    AIR = "air", trc("cooler", "air")
    AIO = "aio", "AIO"
    BLOCK = "block", trc("cooler", "block")


class StorageKind(Worded):
    """Drives."""

    NVME = "nvme", "NVMe"
    SATA_SSD = "sata_ssd", "SATA SSD"
    HDD = "hdd", "HDD"


class RiserKind(Worded):
    """Active or passive slot extension."""

    PASSIVE = "passive", tr("passive")
    REDRIVER = "redriver", tr("redriver")
    RETIMER = "retimer", tr("retimer")
    MCIO = "mcio", plain("MCIO")
    SWITCH = "switch", tr("PCIe switch")
    """Several slots behind one link."""


class CarrierKind(Worded):
    """What gives cards seats beyond the board's slots."""

    ADAPTER = "adapter", trc("carrier", "adapter")
    """From one socket to one slot: M.2, MCIO, SlimSAS, OCuLink."""
    HOST_CARD = "host_card", tr("host card")
    """A card in a slot that brings ports for cables."""
    SPLITTER = "splitter", tr("bifurcation card")
    """Several slots with lanes of their own, where the host's slot is split."""
    SWITCH = "switch", tr("PCIe switch")
    """Several slots or ports behind one link."""
    MODULE_CARRIER = "module_carrier", tr("module carrier")
    """A board with sockets for SXM or OAM modules."""
    EXTERNAL_BOX = "external_box", tr("external box")
    """An enclosure of its own beside the machine."""


class SeatKind(Worded):
    """What goes into a seat or host port."""

    SLOT = "slot", trc("seat", "slot")
    M2 = "m2", plain("M.2")
    MCIO = "mcio", plain("MCIO")
    SLIMSAS = "slimsas", plain("SlimSAS")
    OCULINK = "oculink", plain("OCuLink")
    THUNDERBOLT = "thunderbolt", plain("Thunderbolt")
    SXM = "sxm", "SXM"
    OAM = "oam", "OAM"


class ModuleSocket(Worded):
    """What a GPU module plugs into; modules of another generation do not fit."""

    SXM2 = "sxm2", "SXM2"
    SXM3 = "sxm3", "SXM3"
    SXM4 = "sxm4", "SXM4"
    SXM5 = "sxm5", "SXM5"
    SXM6 = "sxm6", "SXM6"
    OAM = "oam", "OAM"


class NoiseCondition(Worded):
    """What the part was doing when its level was measured."""

    IDLE = "idle", trc("noise", "idle")
    LOAD = "load", trc("noise", "load")
    MAXIMUM = "maximum", trc("noise", "maximum")
