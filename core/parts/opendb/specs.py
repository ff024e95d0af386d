"""From a row of the data set to the figures of a part, one function per category.

Left out where the data set is known to be wrong or to say nothing: board slots (mechanical length stands in for lanes),
M.2 sockets and "no ECC" (defaults, not facts), which plugs of a PSU share a cable, airflow (no speed beside it).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from core.parts.opendb import words
from core.parts.opendb.reading import Reading
from core.parts.plausible import PLAUSIBLE
from core.parts.vocabulary import Category, CoolerKind, GpuCooling, PowerConnector, StorageKind
from core.shown import shown

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


def gpu(row: Reading) -> Figures:
    """A graphics card. Height, mass and where the air goes are not in the data set."""
    cooling = row.word("cooling", "cooling", words.COOLING)
    fans = _FANS.match(row.text("cooling") or "")
    power_w = row.number("tdp", "power_limit_w")
    base, boost = row.number("core_base_clock", "base_clock_mhz"), row.number("core_boost_clock", "boost_clock_mhz")
    if base is not None and boost is not None and boost < base:
        row.doubt("boost_clock_mhz", boost, f"is below the base clock of {base:g}")
        boost = None
    return {
        "product": row.text("chipset"),
        "cooling": cooling,
        "length_mm": row.number("length", "length_mm"),
        **_widths(row),
        **_link(row, "interface"),
        "power_limit_w": power_w,
        "power_connectors": _power_sockets(row, power_w),
        "memory_gb": row.number("memory", "memory_gb"),
        "memory_type": row.text("memory_type"),
        "memory_bus_bits": row.whole("memory_bus", "memory_bus_bits"),
        "base_clock_mhz": base,
        "boost_clock_mhz": boost,
        "fan_count": int(fans[1]) if fans else None,
        "radiator_mm": row.number("radiator_size", "radiator_mm") if cooling is GpuCooling.HYBRID else None,
    }


def _widths(row: Reading) -> Figures:
    width = row.number("total_slot_width", "width_slots")
    bracket = row.number("case_expansion_slot_width", "bracket_slots")
    if bracket is not None and bracket != int(bracket):
        row.doubt("bracket_slots", bracket, "is not a whole number")
        bracket = None
    if width is not None and bracket is not None and bracket > width:
        row.doubt("bracket_slots", bracket, f"is wider than the whole card with {width:g}")
        bracket = None
    return {"width_slots": width, "bracket_slots": None if bracket is None else int(bracket)}


def _power_sockets(row: Reading, power_w: float | None) -> list[Figures] | None:
    counts = row.at("power_connectors")
    if not isinstance(counts, dict):
        return None
    found = {kind: counts[kind] for kind in _SOCKETS if isinstance(counts.get(kind), int) and counts[kind] > 0}
    if not found:
        return [] if power_w is not None and power_w <= SLOT_W else None
    mixed = found.keys() & {"pcie_12VHPWR", "pcie_12V_2x6"} and len(found) > 1
    if mixed or max(found.values()) > 4:
        row.doubt("power_connectors", found, "is a combination that no card has")
        return None
    capacity_w = SLOT_W + sum(_SOCKETS_W[kind] * count for kind, count in found.items())
    if power_w is not None and capacity_w < power_w:
        row.doubt("power_connectors", found, f"would carry {capacity_w:g} W, less than the card's {power_w:g} W")
        return None
    return [{"kind": _SOCKETS[kind], "count": count} for kind, count in found.items()]


def _link(row: Reading, path: str) -> Figures:
    return _link_in(row.text(path) or "")


@lru_cache(maxsize=1024)
def _link_in(interface: str) -> Figures:
    found = _PCIE.search(interface)
    if found is None or int(found[2]) not in _LANES:
        return {}
    return {"pcie_generation": int(found[1]) if found[1] else None, "pcie_lanes": int(found[2])}


def cpu(row: Reading) -> Figures:
    """A processor. Its PCIe lanes and kinds of module are not in the data set."""
    graphics = row.text("specifications.integratedGraphics.model")
    return {
        "socket": row.word("socket", "socket", words.SOCKETS),
        "architecture": row.text("microarchitecture"),
        "cores": row.whole("cores.total", "cores"),
        "threads": row.whole("cores.threads", "threads"),
        "base_clock_mhz": row.number("clocks.performance.base", "base_clock_mhz", times=1000),
        "boost_clock_mhz": row.number("clocks.performance.boost", "boost_clock_mhz", times=1000),
        "tdp_w": row.number("specifications.tdp", "tdp_w"),
        "max_power_w": row.number("specifications.ppt", "max_power_w"),
        "ram_types": row.words("specifications.memory.types", words.RAM_TYPES),
        "ram_channels": row.whole("specifications.memory.channels", "ram_channels"),
        "ram_max_gb": row.number("specifications.memory.maxSupport", "ram_max_gb"),
        "ecc": row.yes("specifications.eccSupport"),
        "integrated_graphics": None if graphics is None else graphics != "None",
    }


def motherboard(row: Reading) -> Figures:
    """A board without its slots: the data set has neither their order nor their lanes."""
    socket = row.text("socket") or ""
    double = socket.startswith(words.TWO_SOCKETS)
    known = {words.TWO_SOCKETS + name: value for name, value in words.SOCKETS.items()} if double else words.SOCKETS
    return {
        "socket": row.word("socket", "socket", known),
        "cpu_sockets": 2 if double else 1,
        "chipset": row.text("chipset"),
        "form_factor": row.word("form_factor", "form_factor", words.FORM_FACTORS),
        "ram_type": row.word("memory.ram_type", "ram_type", words.RAM_TYPES),
        "ram_slots": row.whole("memory.slots", "ram_slots"),
        "ram_max_gb": row.number("memory.max", "ram_max_gb"),
        "ecc": row.yes("ecc_support"),
        "sata_ports": row.whole("storage_devices.sata_6_gb_s", "sata_ports"),
        "fan_headers": row.whole("fan_headers", "fan_headers") if isinstance(row.at("fan_headers"), int) else None,
    }


def ram(row: Reading) -> Figures:
    """A memory kit."""
    modules, module_gb = row.whole("modules.quantity", "modules"), row.number("modules.capacity_gb", "module_gb")
    total = row.at("capacity")
    if modules and module_gb and isinstance(total, (int, float)) and total and total != modules * module_gb:
        row.doubt("module_gb", module_gb, f"times {modules} is not the kit's {shown(total)} GB")
        modules = module_gb = None
    height = row.at("height")
    return {
        "ram_type": row.word("ram_type", "ram_type", words.RAM_TYPES),
        "kind": row.word("registered", "kind", words.MODULE_KINDS),
        "modules": modules,
        "module_gb": module_gb,
        "speed_mts": row.number("speed", "speed_mts"),
        "ecc": row.word("ecc", "ecc", words.ECC),
        "height_mm": row.number("height", "height_mm") if isinstance(height, (int, float)) and height > 0 else None,
        "voltage_v": row.number("voltage", "voltage_v"),
    }


_DRIVE_FORMS = {
    "M.2-2280": "M.2 2280",
    "M.2-22110": "M.2 22110",
    '2.5"': "2.5 in",
    '3.5"': "3.5 in",
    "PCIe": "add-in card",
}


def storage(row: Reading) -> Figures:
    """A drive. Kind from the interface first: "SSD" alone says nothing of its link."""
    interface, kind = row.text("interface") or "", row.text("storage_type") or row.text("type")
    by_link = "PCIe" in interface or interface == "U.2"
    drive = StorageKind.NVME if by_link else {"SSD": StorageKind.SATA_SSD, "HDD": StorageKind.HDD}.get(kind or "")
    return {
        "kind": drive if by_link or "SATA" in interface or kind == "HDD" else None,
        "form_factor": "U.2" if interface == "U.2" else _DRIVE_FORMS.get(row.text("form_factor") or ""),
        "capacity_gb": row.number("capacity", "capacity_gb"),
        **(_link(row, "interface") if by_link else {}),
    }


def psu(row: Reading) -> Figures:
    """A power supply without its cables: how many plugs, but not which of them share one."""
    return {
        "power_w": row.number("wattage", "power_w"),
        "form_factor": row.word("form_factor", "form_factor", words.PSU_FORM_FACTORS),
        "efficiency_level": row.word("efficiency_rating", "efficiency_level", words.EFFICIENCY_LEVELS),
        "modular": row.word("modular", "modular", words.MODULARITY),
        "connectors": _plugs(row),
        "length_mm": row.number("length", "length_mm"),
    }


_PLUGS = {
    "atx_24_pin": PowerConnector.ATX_24PIN,
    "eps_8_pin": PowerConnector.EPS_8PIN,
    "pcie_6_plus_2_pin": PowerConnector.PCIE_8PIN,
    "pcie_12vhpwr": PowerConnector.PCIE_16PIN,
}


def _plugs(row: Reading) -> list[Figures] | None:
    """None where a zero may be a default: without a 24-pin, an EPS or any PCIe plug nobody filled the row in."""
    counts = row.at("connectors")
    if not isinstance(counts, dict):
        return None
    found = {kind: counts[kind] for kind in _PLUGS if isinstance(counts.get(kind), int) and 0 < counts[kind] <= 40}
    if not {"atx_24_pin", "eps_8_pin"} <= found.keys() or not {"pcie_6_plus_2_pin", "pcie_12vhpwr"} & found.keys():
        return None
    return [{"kind": _PLUGS[kind], "count": count} for kind, count in found.items()]


def case(row: Reading) -> Figures:
    """A case without its fan and radiator mounts."""
    supplies = row.words("supported_power_supply_form_factors", words.PSU_FORM_FACTORS)
    room = row.number("max_psu_length", "psu_mounts", within=PLAUSIBLE[Category.PSU]["length_mm"])
    return {
        "kind": row.word("form_factor", "kind", words.CASE_KINDS),
        "form_factors": row.words("supported_motherboard_form_factors", words.FORM_FACTORS),
        "expansion_slots": row.whole("expansion_slots", "expansion_slots"),
        "gpu_max_length_mm": row.number("max_video_card_length", "gpu_max_length_mm"),
        "cpu_cooler_max_height_mm": row.number("max_cpu_cooler_height", "cpu_cooler_max_height_mm"),
        "psu_mounts": [{"form_factor": form, "max_length_mm": room} for form in supplies] if supplies else None,
        "bays_3_5": row.whole("internal_3_5_bays", "bays_3_5"),
        "bays_2_5": row.whole("internal_2_5_bays", "bays_2_5"),
        "height_mm": row.number("dimensions_mm.height", "height_mm"),
        "width_mm": row.number("dimensions_mm.width", "width_mm"),
        "depth_mm": row.number("dimensions_mm.depth", "depth_mm"),
    }


def cpu_cooler(row: Reading) -> Figures:
    """A CPU cooler."""
    water = row.at("water_cooled")
    speed = row.number("max_fan_rpm", "fan_max_rpm")
    level = row.at("max_noise_level")
    loud = isinstance(level, (int, float)) and 5 < level < 80
    return {
        "kind": {True: CoolerKind.AIO, False: CoolerKind.AIR}.get(water) if isinstance(water, bool) else None,
        "sockets": row.words("cpu_sockets", words.SOCKETS),
        "height_mm": None if water is True else row.number("height", "height_mm"),
        "radiator_mm": row.number("radiator_size", "radiator_mm") if water is True else None,
        "fan_count": row.whole("fan_quantity", "fan_count"),
        "fan_size_mm": row.number("fan_size", "fan_size_mm"),
        "fan_max_rpm": speed,
        "noise": [{"condition": "maximum", "level_dba": level, "rpm": speed}] if loud else [],
    }


def fan(row: Reading) -> Figures:
    """A case fan."""
    return {"size_mm": row.number("size", "size_mm"), "pwm": row.yes("pwm")}


def nic(row: Reading) -> Figures:
    """A network card: the data set has its name only."""
    del row
    return {}


FOLDERS: dict[str, tuple[Category, Callable[[Reading], Figures]]] = {
    "GPU": (Category.GPU, gpu),
    "CPU": (Category.CPU, cpu),
    "Motherboard": (Category.MOTHERBOARD, motherboard),
    "RAM": (Category.RAM, ram),
    "Storage": (Category.STORAGE, storage),
    "PSU": (Category.PSU, psu),
    "PCCase": (Category.CASE, case),
    "CPUCooler": (Category.CPU_COOLER, cpu_cooler),
    "CaseFan": (Category.FAN, fan),
    "NetworkCard": (Category.NIC, nic),
}
"""Folders of the data set that the catalogue takes; others are not parts of a machine."""
