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
