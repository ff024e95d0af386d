"""From a row of the data set to the figures of a part: plain ones as their models say, the rest by category.

Left out where the data set is known to be wrong or to say nothing: board slots (mechanical length stands in for lanes),
M.2 sockets and "no ECC" (defaults, not facts), which plugs of a PSU share a cable, airflow (no speed beside it).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, get_args, get_origin

from core.lab.opendb.reading import RowReading
from core.parts.figure import bare_type, declared
from core.parts.figures import ranges
from core.parts.specs import spec_model
from core.parts.vocabulary import (
    CaseKind,
    Category,
    CoolerKind,
    EfficiencyLevel,
    FormFactor,
    GpuCooling,
    Modularity,
    ModuleKind,
    PowerConnector,
    PsuFormFactor,
    RamType,
    Socket,
    StorageKind,
)
from core.words import shown, tr

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


Figures = dict[str, Any]
_PCIE = re.compile(r"PCIe(?: (\d)\.0)? x(\d+)$")
_FANS = re.compile(r"(\d) Fan")
_LANES = (1, 2, 4, 8, 16)
SLOT_W = 75.0
"""PCIe CEM: what a slot gives a x16 graphics card."""
_SOCKETS_W = {"pcie_6_pin": 75, "pcie_8_pin": 150, "pcie_12VHPWR": 600, "pcie_12V_2x6": 600}
_SOCKETS = {
    "pcie_6_pin": PowerConnector.PCIE_6PIN,
    "pcie_8_pin": PowerConnector.PCIE_8PIN,
    "pcie_12VHPWR": PowerConnector.PCIE_16PIN,
    "pcie_12V_2x6": PowerConnector.PCIE_16PIN_2X6,
}


def gpu(row: RowReading, figures: Figures) -> Figures:
    """A graphics card. Height, mass and where the air goes are not in the data set."""
    cooling = row.word("cooling", "cooling", COOLING)
    fans = _FANS.match(row.text("cooling") or "")
    base, boost = figures["base_clock_mhz"], row.number("core_boost_clock", "boost_clock_mhz")
    if base is not None and boost is not None and boost < base:
        row.doubt("boost_clock_mhz", boost, tr("is below the base clock of {base:g}", base=base))
        boost = None
    return {
        "cooling": cooling,
        **_widths(row),
        **_link(row, "interface"),
        "power_connectors": _power_sockets(row, figures["power_limit_w"]),
        "boost_clock_mhz": boost,
        "fan_count": int(fans[1]) if fans else None,
        "radiator_mm": row.number("radiator_size", "radiator_mm") if cooling is GpuCooling.HYBRID else None,
    }


def _widths(row: RowReading) -> Figures:
    width = row.number("total_slot_width", "width_slots")
    bracket = row.number("case_expansion_slot_width", "bracket_slots")
    if bracket is not None and bracket != int(bracket):
        row.doubt("bracket_slots", bracket, tr("is not a whole number"))
        bracket = None
    if width is not None and bracket is not None and bracket > width:
        row.doubt("bracket_slots", bracket, tr("is wider than the whole card at {width:g}", width=width))
        bracket = None
    return {"width_slots": width, "bracket_slots": None if bracket is None else int(bracket)}


def _power_sockets(row: RowReading, power_w: float | None) -> list[Figures] | None:
    counts = row.at("power_connectors")
    if not isinstance(counts, dict):
        return None
    sockets = {kind: counts[kind] for kind in _SOCKETS if isinstance(counts.get(kind), int) and counts[kind] > 0}
    if not sockets:
        return [] if power_w is not None and power_w <= SLOT_W else None
    mixed = sockets.keys() & {"pcie_12VHPWR", "pcie_12V_2x6"} and len(sockets) > 1
    if mixed or max(sockets.values()) > 4:
        row.doubt("power_connectors", sockets, tr("is a combination that no card has"))
        return None
    capacity_w = SLOT_W + sum(_SOCKETS_W[kind] * count for kind, count in sockets.items())
    if power_w is not None and capacity_w < power_w:
        why = tr(
            "would carry {capacity_w:g} W, less than the card's {power_w:g} W", capacity_w=capacity_w, power_w=power_w
        )
        row.doubt("power_connectors", sockets, why)
        return None
    return [{"kind": _SOCKETS[kind], "count": count} for kind, count in sockets.items()]


def _link(row: RowReading, path: str) -> Figures:
    return _link_in(row.text(path) or "")


@lru_cache(maxsize=1024)
def _link_in(interface: str) -> Figures:
    match = _PCIE.search(interface)
    if match is None or int(match[2]) not in _LANES:
        return {}
    return {"pcie_generation": int(match[1]) if match[1] else None, "pcie_lanes": int(match[2])}


def cpu(row: RowReading, _: Figures) -> Figures:
    """A processor. Its PCIe lanes and kinds of module are not in the data set."""
    graphics = row.text("specifications.integratedGraphics.model")
    return {
        "base_clock_mhz": row.number("clocks.performance.base", "base_clock_mhz", times=1000),
        "boost_clock_mhz": row.number("clocks.performance.boost", "boost_clock_mhz", times=1000),
        "integrated_graphics": None if graphics is None else graphics != "None",
    }


def motherboard(row: RowReading, _: Figures) -> Figures:
    """A board without its slots: the data set has neither their order nor their lanes."""
    socket = row.text("socket") or ""
    double = socket.startswith(TWO_SOCKETS)
    sockets = {TWO_SOCKETS + name: value for name, value in SOCKETS.items()} if double else SOCKETS
    return {
        "socket": row.word("socket", "socket", sockets),
        "cpu_sockets": 2 if double else 1,
        "fan_headers": row.whole("fan_headers", "fan_headers") if isinstance(row.at("fan_headers"), int) else None,
    }


def ram(row: RowReading, _: Figures) -> Figures:
    """A memory kit."""
    modules, module_gb = row.whole("modules.quantity", "modules"), row.number("modules.capacity_gb", "module_gb")
    total = row.at("capacity")
    if modules and module_gb and isinstance(total, (int, float)) and total and total != modules * module_gb:
        why = tr("times {modules} is not the kit's {total} GB", modules=modules, total=shown(total))
        row.doubt("module_gb", module_gb, why)
        modules = module_gb = None
    height = row.at("height")
    return {
        "modules": modules,
        "module_gb": module_gb,
        "ecc": row.word("ecc", "ecc", ECC),
        "height_mm": row.number("height", "height_mm") if isinstance(height, (int, float)) and height > 0 else None,
    }


_FORMS = {"M.2-2280": "M.2 2280", "M.2-22110": "M.2 22110", '2.5"': "2.5 in", '3.5"': "3.5 in", "PCIe": "add-in card"}


def storage(row: RowReading, _: Figures) -> Figures:
    """A drive. Kind from the interface first: "SSD" alone says nothing of its link."""
    interface, kind = row.text("interface") or "", row.text("storage_type") or row.text("type")
    by_link = "PCIe" in interface or interface == "U.2"
    drive = StorageKind.NVME if by_link else {"SSD": StorageKind.SATA_SSD, "HDD": StorageKind.HDD}.get(kind or "")
    return {
        "kind": drive if by_link or "SATA" in interface or kind == "HDD" else None,
        "form_factor": "U.2" if interface == "U.2" else _FORMS.get(row.text("form_factor") or ""),
        **(_link(row, "interface") if by_link else {}),
    }


def psu(row: RowReading, _: Figures) -> Figures:
    """A PSU without its cables: how many plugs, but not which of them share one."""
    return {"cables": _plugs(row)}


_PLUGS = {
    "atx_24_pin": PowerConnector.ATX_24PIN,
    "eps_8_pin": PowerConnector.EPS_8PIN,
    "pcie_6_plus_2_pin": PowerConnector.PCIE_8PIN,
    "pcie_12vhpwr": PowerConnector.PCIE_16PIN,
}


def _plugs(row: RowReading) -> list[Figures] | None:
    """None where a zero may be a default: without a 24-pin, an EPS or any PCIe plug nobody filled the row in."""
    counts = row.at("connectors")
    if not isinstance(counts, dict):
        return None
    plugs = {kind: counts[kind] for kind in _PLUGS if isinstance(counts.get(kind), int) and 0 < counts[kind] <= 40}
    if not {"atx_24_pin", "eps_8_pin"} <= plugs.keys() or not {"pcie_6_plus_2_pin", "pcie_12vhpwr"} & plugs.keys():
        return None
    return [{"kind": _PLUGS[kind], "total_plugs": count} for kind, count in plugs.items()]


def case(row: RowReading, _: Figures) -> Figures:
    """A case without its fan and radiator mounts."""
    psus = row.words("supported_power_supply_form_factors", PSU_FORM_FACTORS)
    room = row.number("max_psu_length", "psu_mounts", within=ranges(Category.PSU)["length_mm"])
    return {"psu_mounts": [{"form_factor": form, "max_length_mm": room} for form in psus] if psus else None}


def cpu_cooler(row: RowReading, figures: Figures) -> Figures:
    """A CPU cooler."""
    water = row.at("water_cooled")
    level = row.at("max_noise_level")
    loud = isinstance(level, (int, float)) and 5 < level < 80
    return {
        "kind": {True: CoolerKind.AIO, False: CoolerKind.AIR}.get(water) if isinstance(water, bool) else None,
        "height_mm": None if water is True else row.number("height", "height_mm"),
        "radiator_mm": row.number("radiator_size", "radiator_mm") if water is True else None,
        "noise": [{"condition": "maximum", "level_dba": level, "rpm": figures["fan_max_rpm"]}] if loud else [],
    }


def nothing_more(_: RowReading, __: Figures) -> Figures:
    """All that the data set says stands in the model: little of fans, the name alone of network cards."""
    return {}


FOLDERS: dict[str, tuple[Category, Callable[[RowReading, Figures], Figures]]] = {
    "GPU": (Category.GPU, gpu),
    "CPU": (Category.CPU, cpu),
    "Motherboard": (Category.MOTHERBOARD, motherboard),
    "RAM": (Category.RAM, ram),
    "Storage": (Category.STORAGE, storage),
    "PSU": (Category.PSU, psu),
    "PCCase": (Category.CASE, case),
    "CPUCooler": (Category.CPU_COOLER, cpu_cooler),
    "CaseFan": (Category.FAN, nothing_more),
    "NetworkCard": (Category.NIC, nothing_more),
}
"""Folders of the data set that the catalogue takes; others are not parts of a machine."""


def figures_in(row: RowReading, category: Category, more: Callable[[RowReading, Figures], Figures]) -> Figures:
    """What a row says: figures that the model gives a place in the data set, and those that need a judgement."""
    figures = {field: read(row, *where) for field, read, where in _placed(category)}
    figures |= more(row, figures)
    return figures


@cache
def _placed(category: Category) -> tuple[tuple[str, Callable[..., Any], tuple[Any, ...]], ...]:
    """The plain figures of a category, with how each is read and where."""
    model = spec_model(category)
    placed = ((field, figure.opendb) for field, figure in declared(model).items() if figure.opendb)
    return tuple((field, *_reading(field, path, model.model_fields[field].annotation)) for field, path in placed)


def _reading(field: str, path: str, annotation: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """How a figure of this type is read."""
    kind = bare_type(annotation)
    if get_origin(kind) is tuple:
        return RowReading.words, (path, SPELLINGS[bare_type(get_args(kind)[0])])
    if kind in SPELLINGS:
        return RowReading.word, (path, field, SPELLINGS[kind])
    if kind is float:
        return RowReading.number, (path, field)
    if kind is int:
        return RowReading.whole, (path, field)
    return (RowReading.yes if kind is bool else RowReading.text), (path,)
