"""As many parts as the public data set has, made up: for what must be fast over all of them."""

from pathlib import Path
from typing import Any
from uuid import UUID

from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part, Source
from core.parts.shipped import CATALOGUE
from core.parts.vocabulary import Category

PARTS = 50_000
MAKERS = ("ASUS", "MSI", "Gigabyte", "Corsair", "EVGA", "Seasonic", "Noctua", "Kingston", "Samsung", "Zotac")
FAMILIES = ("Strix", "Gaming X Trio", "Turbo", "Vengeance", "Fury Beast", "TUF", "Eagle OC", "Aero", "Founders", "Pro")
CHIPS = ("GeForce RTX 3090", "GeForce RTX 4090", "GeForce RTX 5090", "Radeon RX 7900 XTX", "GeForce GTX 1080 Ti")
KINDS: tuple[tuple[Category, str, dict[str, Any]], ...] = (
    (
        Category.GPU,
        "card",
        {
            "product": CHIPS,
            "memory_gb": (8, 12, 16, 24, 32),
            "length_mm": tuple(range(200, 350, 7)),
            "power_limit_w": tuple(range(120, 600, 23)),
            "width_slots": (2, 2.5, 3, 3.5),
            "cooling": ("open_air", "open_air", "open_air", "blower", "hybrid"),
            "pcie_lanes": (16, 16, 16, 8),
            "pcie_generation": (3, 4, 5),
            "power_connectors": tuple([{"kind": "pcie_8pin", "count": count}] for count in (1, 2, 3)),
        },
    ),
    (
        Category.CPU,
        "processor",
        {"socket": ("AM5", "LGA1700", "SP3"), "cores": (6, 8, 16, 32), "tdp_w": (65, 125, 280)},
    ),
    (
        Category.MOTHERBOARD,
        "board",
        {
            "socket": ("AM5", "LGA1700", "SP3"),
            "form_factor": ("ATX", "Micro-ATX", "E-ATX"),
            "ram_type": ("DDR4", "DDR5"),
            "ram_slots": (2, 4, 8),
            "ram_max_gb": (64, 128, 256, 1024),
        },
    ),
    (
        Category.RAM,
        "kit",
        {"ram_type": ("DDR4", "DDR5"), "modules": (1, 2, 4), "module_gb": (8, 16, 32), "kind": ("UDIMM",)},
    ),
    (Category.STORAGE, "drive", {"kind": ("nvme", "hdd"), "capacity_gb": (500, 1000, 2000, 4000)}),
    (
        Category.PSU,
        "psu",
        {
            "power_w": (*range(450, 1700, 50),),
            "efficiency_level": ("bronze", "gold", "platinum", "titanium"),
            "length_mm": tuple(range(125, 220, 5)),
            "form_factor": ("ATX", "ATX", "SFX"),
        },
    ),
    (
        Category.CASE,
        "tower",
        {
            "expansion_slots": (4, 7, 8, 9),
            "gpu_max_length_mm": tuple(range(280, 450, 3)),
            "cpu_cooler_max_height_mm": tuple(range(100, 190, 2)),
            "form_factors": (("ATX",), ("ATX", "Micro-ATX"), ("ATX", "Micro-ATX", "E-ATX")),
        },
    ),
    (
        Category.CPU_COOLER,
        "cooler",
        {
            "kind": ("air", "aio"),
            "height_mm": tuple(range(120, 170, 3)),
            "sockets": (("AM5",), ("AM5", "LGA1700"), ("SP3", "TR4")),
        },
    ),
    (Category.FAN, "fan", {"size_mm": (80, 120, 140)}),
    (Category.NIC, "adapter", {"ports": (1, 2), "port_gbit": (10, 25, 100)}),
)


def catalogue_of(count: int, folder: Path, shipped: Path = CATALOGUE) -> Catalogue:
    """A catalogue with so many imported parts in ten categories."""
    opened = Catalogue(folder, shipped=shipped)
    parts = [part_of(number) for number in range(count)]
    for category in Category:
        opened.replace_imported_parts(category, [part for part in parts if part.category is category])
    return opened


def part_of(number: int) -> Part:
    """One of ten categories in turn, so that a word of one stands in a tenth of the parts, as in the public set."""
    category, noun, spec = KINDS[number % len(KINDS)]
    turn = number // len(KINDS)
    figures = {
        field: steps[(turn + turn // (place + 2)) % len(steps)] for place, (field, steps) in enumerate(spec.items())
    }
    maker, family = MAKERS[turn % len(MAKERS)], FAMILIES[turn // 10 % len(FAMILIES)]
    return Part(
        id=f"opendb-{UUID(int=number)}",
        maker=maker,
        name=f"{family} {figures.get('product', noun)} number-{number} Black / Grey",
        part_numbers=(f"PN{number:06}", f"90YV{number:05}-M0NM00"),
        spec=figures | {"category": category},  # type: ignore[arg-type]  # pydantic makes it
        sources=(Source(title="BuildCores OpenDB (ODC-By 1.0)", read=False),),
        origin=Origin.IMPORTED,
    )
