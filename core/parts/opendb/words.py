"""The data set's spellings and ours."""

from __future__ import annotations

from typing import Any

from core.parts.vocabulary import (
    CaseKind,
    EfficiencyLevel,
    FormFactor,
    GpuCooling,
    Modularity,
    ModuleKind,
    PsuFormFactor,
    RamType,
    Socket,
)

SOCKETS: dict[str, Socket] = {
    **{f"LGA {socket.removeprefix('LGA')}": socket for socket in Socket if socket.startswith("LGA")},
    **{socket.value: socket for socket in Socket if not socket.startswith("LGA")},
    "LGA 1151v2": Socket.LGA1151,
    "sTR4": Socket.TR4,
}
"""The narrow LGA 2011-3 is another mount; boards with a soldered CPU have no socket."""

TWO_SOCKETS = "2 x "

FORM_FACTORS: dict[str, FormFactor] = {
    "Mini-ITX": FormFactor.MINI_ITX,
    "Thin Mini-ITX": FormFactor.MINI_ITX,
    "Micro ATX": FormFactor.MICRO_ATX,
    "ATX": FormFactor.ATX,
    "EATX": FormFactor.E_ATX,
    "XL ATX": FormFactor.XL_ATX,
    "HPTX": FormFactor.HPTX,
    "SSI CEB": FormFactor.SSI_CEB,
    "SSI EEB": FormFactor.SSI_EEB,
}

RAM_TYPES: dict[str, RamType] = {kind.value: kind for kind in RamType}
MODULE_KINDS: dict[str, ModuleKind] = {"Unbuffered": ModuleKind.UDIMM, "Registered": ModuleKind.RDIMM}
ECC: dict[str, bool] = {"ECC": True, "Non-ECC": False}

PSU_FORM_FACTORS: dict[str, PsuFormFactor] = {
    "ATX": PsuFormFactor.ATX,
    "ATX/EPS": PsuFormFactor.ATX,
    "SFX": PsuFormFactor.SFX,
    "SFX-L": PsuFormFactor.SFX_L,
    "TFX": PsuFormFactor.TFX,
    "Flex ATX": PsuFormFactor.FLEX_ATX,
}

EFFICIENCY_LEVELS: dict[str, EfficiencyLevel] = {
    "80+": EfficiencyLevel.WHITE,
    "80+ Standard": EfficiencyLevel.WHITE,
    "80+ White": EfficiencyLevel.WHITE,
    "80+ Bronze": EfficiencyLevel.BRONZE,
    "80+ Silver": EfficiencyLevel.SILVER,
    "80+ Gold": EfficiencyLevel.GOLD,
    "80+ Platinum": EfficiencyLevel.PLATINUM,
    "80+ Titanium": EfficiencyLevel.TITANIUM,
}

MODULARITY: dict[str, Modularity] = {
    "Full": Modularity.FULL,
    "Semi-Modular": Modularity.SEMI,
    "Non-Modular": Modularity.NONE,
}

COOLING: dict[str, GpuCooling | None] = {
    "1 Fan": None,
    "2 Fans": GpuCooling.OPEN_AIR,
    "3 Fans": GpuCooling.OPEN_AIR,
    "4 Fans": GpuCooling.OPEN_AIR,
    "Blower": GpuCooling.BLOWER,
    "Hybrid": GpuCooling.HYBRID,
    "Passive": GpuCooling.PASSIVE,
    "Water Cooled": GpuCooling.WATER_BLOCK,
}
"""One fan can be a blower as well: the data set lists known blowers so."""

CASE_KINDS: dict[str, CaseKind | None] = {
    "ATX Test Bench": CaseKind.OPEN_FRAME,
    "Mini ITX Test Bench": CaseKind.OPEN_FRAME,
    **dict.fromkeys(
        (
            *("ATX Mid Tower", "ATX Full Tower", "ATX Mini Tower", "EATX Mid Tower", "EATX Full Tower"),
            *("Micro ATX Mini Tower", "Micro ATX Mid Tower", "Micro ATX Slim Tower", "Mini ITX Tower"),
        ),
        CaseKind.TOWER,
    ),
    **dict.fromkeys(("HTPC", "Micro ATX Desktop", "ATX Desktop"), None),
}

SPELLINGS: dict[Any, dict[str, Any]] = {
    Socket: SOCKETS,
    FormFactor: FORM_FACTORS,
    RamType: RAM_TYPES,
    ModuleKind: MODULE_KINDS,
    PsuFormFactor: PSU_FORM_FACTORS,
    EfficiencyLevel: EFFICIENCY_LEVELS,
    Modularity: MODULARITY,
    CaseKind: CASE_KINDS,
}
"""By the closed list of a figure; a card's cooling and a kit's ECC are told in words that need a judgement."""
