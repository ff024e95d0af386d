"""How a search for the best machine takes the rules: what counts as a failure, what is asked of parts alone."""

from __future__ import annotations

from collections.abc import Mapping

from core.parts.vocabulary import Category

STRICT = frozenset(
    {
        *("cpu-power", "cpu-cores", "storage-sockets", "storage-bays", "psu-mounts", "card-front", "card-height"),
        *("radiator-mounts", "radiator-capacity", "loop-pump", "cooler-power", "cooler-neighbours", "psu-power"),
        *("board-cables", "board-aux-power", "plug-capacity", "card-passive", "mains-circuit", "circuit-share"),
        *("slot-overlap", "case-board"),
    }
)
"""Rules whose warning is a failure here: what cannot be put together, or is at its limit day and night."""
LENIENT = frozenset(
    {
        "cooler-neighbours",
        "card-front",
        "card-height",
        "storage-bays",
        "cpu-power",
        "plug-capacity",
        "card-passive",
        "slot-overlap",
    }
)
"""Rules that may lack a figure: what they ask about a builder sees, and few makers state."""
CABLES_OF_CARDS = frozenset({Category.GPU, Category.PSU})
EARLY: Mapping[str, frozenset[Category]] = {
    "gpu-cables": CABLES_OF_CARDS,
    "sense-coding": CABLES_OF_CARDS,
    "adapter-rating": CABLES_OF_CARDS,
    "board-cables": frozenset({Category.MOTHERBOARD, Category.CPU, Category.PSU}),
}
"""Rules on cables: what two lines cannot feed by themselves they cannot feed beside more lines either."""
_MORE_POWER = frozenset({Category.GPU, Category.CPU, Category.PSU, Category.SYSTEM})
"""A stronger kind of card makes the others displays or spares, which train no more; further PSUs share the load."""
RESOLVED_BY: Mapping[str, frozenset[Category]] = {
    "pcie-attachment": frozenset({Category.CPU}),
    "case-openings": frozenset({Category.MOTHERBOARD, Category.RISER, Category.WATER_BLOCK}),
    "slot-overlap": frozenset({Category.MOTHERBOARD, Category.WATER_BLOCK}),
    "slot-placed": frozenset({Category.CARRIER, Category.RISER, Category.CPU, Category.WATER_BLOCK}),
    "slot-mechanical": frozenset({Category.GPU, Category.RISER}),
    "card-length": frozenset({Category.WATER_BLOCK}),
    "card-height": frozenset({Category.WATER_BLOCK}),
    "loop-pump": frozenset({Category.PUMP, Category.RADIATOR, Category.CASE, Category.GPU, Category.CPU_COOLER}),
    "radiator-mounts": frozenset({Category.GPU}),
    "water-block": frozenset({Category.GPU}),
    "nvlink-bridge": frozenset({Category.MOTHERBOARD, Category.GPU}),
    "nvlink-generation": frozenset({Category.GPU}),
    "psu-power": _MORE_POWER,
    "psu-balance": _MORE_POWER,
    "mains-circuit": _MORE_POWER,
    "mains-inlet": _MORE_POWER,
    "ups-power": _MORE_POWER,
    "ups-apparent": _MORE_POWER,
    "pdu-load": _MORE_POWER,
    "pdu-outlets": frozenset({Category.CABLE, Category.PDU}),
}
"""Rules that may fail some parts of a machine and not the whole: the categories of a further part that may resolve it.
All others that fail without a part fail, or lack a figure, with it (`tests/rules/test_part_and_whole.py`)."""
