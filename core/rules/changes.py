"""Changes that may put a finding right, as values: another slot, a lower limit, another part.

A rule names its own, the cheapest kind first: another slot, then a setting, then a circuit, cable or riser, then
another part; going without a card or part comes last. What they do to a build, and whether they help, is tried by
`core.advise`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from core.parts.facets import number
from core.parts.query import Filter
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.rules.finding import Finding

LEAST_STEP = 0.01
"""By so much two figures must differ to be more, or less."""
SPARE = (Category.CABLE, Category.NVLINK_BRIDGE, Category.WATER_BLOCK, Category.RISER)
"""Parts that a machine may have too many of: going without one is no loss."""

Wanted = Callable[[Build, Finding, Line], tuple[Filter, ...]]
"""Limits for the catalogue on the part that comes in the place of a line, for one finding."""


class Move(StrEnum):
    """A change that follows from the build and the finding alone."""

    ARRANGE = "arrange"
    """Cards into other slots."""
    OFF_RISERS = "off_risers"
    PUT_ON_RISER = "put_on_riser"
    OTHER_SOCKET = "other_socket"
    """A drive into another M.2 socket."""
    OLDER_GENERATION = "older_generation"
    """The finding's slots set to an older PCIe generation."""
    FULL_GENERATION = "full_generation"
    """Slots that are set to an older generation at full speed again."""
    DISPLAY_CARD = "display_card"
    """A small card for the display beside those that work."""
    FEWER_CARDS = "fewer_cards"
    LIMIT_POWER = "limit_power"
    """Power limits of the GPUs, just low enough."""
    ALLOWED_LIMIT = "allowed_limit"
    """Power limits into the range that the card takes."""
    FASTER_FANS = "faster_fans"
    SLOWER_FANS = "slower_fans"
    SHARE_OUT = "share_out"
    """Another PSU for a card."""
    SECOND_PSU = "second_psu"
    """More of the PSUs, with what starts them together with the first."""
    STRONGER_PSUS = "stronger_psus"
    """Several stronger PSUs in the place of one, with what starts them together."""
    ANGLED_PLUGS = "angled_plugs"
    ANOTHER_CIRCUIT = "another_circuit"
    """A stronger one; of another voltage only where no further circuit of the same kind helps."""
    ONE_MORE_CIRCUIT = "one_more_circuit"


def any_part(_: Build, __: Finding, ___: Line) -> tuple[Filter, ...]:
    """No limit."""
    return ()


@dataclass(frozen=True, slots=True)
class Swap:
    """Another part of a category in the place of each line of it.

    The first ones tried are nearest in `near` to what is needed (the end of its limit), else to what is there.
    """

    category: Category
    near: str = ""
    criteria: Wanted = any_part


@dataclass(frozen=True, slots=True)
class SwapModules(Swap):
    """Other memory: as many kits as make the modules that there are, and that the board has slots for."""


@dataclass(frozen=True, slots=True)
class Add:
    """One more part of a category, or as many as are lacking; the least of `near` first."""

    category: Category
    near: str = ""
    only: tuple[Filter, ...] = ()
    """Limits for the catalogue."""
    tried: int = 6
    """Kinds of part."""


@dataclass(frozen=True, slots=True)
class OneMore:
    """One more of what is there already."""

    category: Category


@dataclass(frozen=True, slots=True)
class SeveralTimes:
    """One more of what is there, then twice as many, four and eight times."""

    category: Category
    fills: str = ""
    """The figure that says how many of what the finding counts against its limit each brings: as many as fill it."""


@dataclass(frozen=True, slots=True)
class Fewer:
    """Fewer of what is there, or without it, if the machine runs without."""

    category: Category


Change = Move | Swap | Add | OneMore | SeveralTimes | Fewer


def takes_away(change: Change) -> bool:
    """Whether it goes without something that the machine uses."""
    return change is Move.FEWER_CARDS or (isinstance(change, Fewer) and change.category not in SPARE)


# -- limits on the figures of another part ---------------------------------------------------------------------------


def _within(field: str, *, low: float | None = None, high: float | None = None) -> tuple[Filter, ...]:
    """A limit, where an end of it is known."""
    return () if low is None and high is None else (Filter(field, low=low, high=high),)


def at_least(field: str) -> Wanted:
    """Parts whose figure reaches what the finding measured."""
    return lambda _, finding, __: _within(field, low=finding.measured)


def at_most(field: str) -> Wanted:
    """Parts whose figure stays within the finding's limit."""
    return lambda _, finding, __: _within(field, high=finding.limit)


def of_at_least(field: str, least: float) -> Wanted:
    """Parts whose figure reaches this."""
    return lambda _, __, ___: _within(field, low=least)


def no_less(*fields: str) -> Wanted:
    """Parts that have at least what this one has."""
    return lambda _, __, line: tuple(one for name in fields for one in _within(name, low=number(line.part, name)))


def _times(line: Line, field: str, factor: float) -> float | None:
    own = number(line.part, field)
    return None if own is None else own * factor


def more(field: str) -> Wanted:
    """Parts that have more than this one has, as far as that is known."""
    return lambda _, __, line: _within(field, low=_times(line, field, 1 + LEAST_STEP))


def less(field: str) -> Wanted:
    """Parts that have less than this one has, as far as that is known."""
    return lambda _, __, line: _within(field, high=_times(line, field, 1 - LEAST_STEP))


def fewer_slots(_: Build, __: Finding, line: Line) -> tuple[Filter, ...]:
    """Cards that cover at least one slot less than this one."""
    width = number(line.part, "width_slots")
    return _within("width_slots", high=(width and ceil(width) - 1) or None)


def free_slots(build: Build, finding: Finding, line: Line) -> tuple[Filter, ...]:
    """As `fewer_slots`, and no more slots than the finding's limit, which says how many are free."""
    most = [limit.high for limit in fewer_slots(build, finding, line) if limit.high is not None]
    return _within("width_slots", high=min([*most, finding.limit]) if finding.limit else min(most, default=None))


def one_of(field: str, *values: str) -> Wanted:
    """Parts whose figure is one of these words."""
    return lambda _, __, ___: (Filter(field, values),)


def like_the(category: Category, **fields: str) -> Wanted:
    """Parts whose figure (a key) is that (a value) of the build's part of another category: the board's socket.

    Where that is unknown, what is there says it; where nothing does, no part is known to fit.
    """

    def filters(build: Build, _: Finding, line: Line) -> tuple[Filter, ...]:
        others = build.of(category)
        if len(others) != 1:
            return ()
        spec = others[0].part.spec
        pairs = ((own, getattr(spec, other) or getattr(line.part.spec, own)) for own, other in fields.items())
        return tuple(
            Filter(own, tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)) for own, value in pairs
        )

    return filters


def of_the_same(*fields: str) -> Wanted:
    """Parts that have the same figure as this one, where that is known: other cards of one product."""

    def filters(_: Build, __: Finding, line: Line) -> tuple[Filter, ...]:
        figures = {field: getattr(line.part.spec, field) for field in fields}
        return tuple(Filter(field, (str(value),)) for field, value in figures.items() if value is not None)

    return filters


def limits(*some: Wanted) -> Wanted:
    """Several limits together."""

    return lambda build, finding, line: tuple(limit for one in some for limit in one(build, finding, line))


# -- what several rules name -----------------------------------------------------------------------------------------

SAME_CHIP = of_the_same("product")
CPU_FOR_BOARD = like_the(Category.MOTHERBOARD, socket="socket")
BOARD_FOR_CPU = limits(like_the(Category.CPU, socket="socket"), like_the(Category.RAM, ram_type="ram_type"))
RAM_FOR_BOARD = like_the(Category.MOTHERBOARD, ram_type="ram_type", kind="ram_kinds")
COOLER_FOR_CPU = like_the(Category.CPU, sockets="socket")
CASE_FOR_BOARD = like_the(Category.MOTHERBOARD, form_factors="form_factor")
_SAME_FORM = limits(no_less("power_w"), of_the_same("form_factor"))

OTHER_CPU = Swap(Category.CPU, "cores", CPU_FOR_BOARD)
OTHER_BOARD = Swap(Category.MOTHERBOARD, "x16_slots", BOARD_FOR_CPU)
BOARD_OF_MORE_SLOTS = Swap(Category.MOTHERBOARD, "x16_slots", limits(BOARD_FOR_CPU, more("x16_slots")))
BETTER_WIRED_BOARD = Swap(Category.MOTHERBOARD, "cpu_x8_slots", limits(BOARD_FOR_CPU, more("cpu_x8_slots")))
OTHER_RAM = SwapModules(Category.RAM, "module_gb", RAM_FOR_BOARD)
RAM_AS_LARGE = SwapModules(Category.RAM, "module_gb", limits(RAM_FOR_BOARD, no_less("module_gb")))
LARGER_MODULES = Swap(Category.RAM, "module_gb", limits(RAM_FOR_BOARD, more("module_gb")))
OTHER_CASE = Swap(Category.CASE, "expansion_slots", limits(CASE_FOR_BOARD, no_less("expansion_slots")))
AIRY_CASE = Swap(
    Category.CASE, "expansion_slots", limits(CASE_FOR_BOARD, no_less("expansion_slots"), one_of("panels", "mesh"))
)
OTHER_PSU = Swap(Category.PSU, "power_w", _SAME_FORM)
STRONGER_PSU = Swap(Category.PSU, "power_w", limits(of_the_same("form_factor"), more("power_w")))
PSU_OF_MORE_PLUGS = Swap(Category.PSU, "power_w", limits(_SAME_FORM, at_least("graphics_plugs")))
BLOWER = Swap(Category.GPU, "length_mm", limits(SAME_CHIP, one_of("cooling", "blower")))
OWN_RADIATOR = Swap(Category.GPU, "", limits(SAME_CHIP, one_of("cooling", "hybrid")))
NARROWER_CARD = Swap(Category.GPU, "width_slots", limits(SAME_CHIP, fewer_slots))
CARD_FOR_FREE_SLOTS = Swap(Category.GPU, "width_slots", limits(SAME_CHIP, free_slots))
OTHER_COOLER = Swap(Category.CPU_COOLER, "height_mm", COOLER_FOR_CPU)
COOLER_OF_SMALLER_RADIATOR = Swap(Category.CPU_COOLER, "radiator_mm", limits(COOLER_FOR_CPU, less("radiator_mm")))
AIR_COOLER = Swap(Category.CPU_COOLER, "height_mm", limits(COOLER_FOR_CPU, one_of("kind", "air")))
CASE_FAN = Add(Category.FAN, "max_level_dba", only=(Filter("size_mm", (120, 140)),), tried=3)
OTHER_CARRIER = Swap(Category.CARRIER, "generation", no_less("generation"))
WIDER_RISER = Swap(Category.RISER, "generation", no_less("generation"))
OTHER_UPS = Swap(Category.UPS, "power_w", no_less("power_w"))
OTHER_PDU = Swap(Category.PDU, "current_a")

MORE_PLUGS: tuple[Change, ...] = (
    Move.SHARE_OUT,
    Add(Category.CABLE, "rated_w", only=(Filter("source_kind", ("pcie_8pin", "eps_8pin")),)),
    PSU_OF_MORE_PLUGS,
    Move.SECOND_PSU,
    Move.STRONGER_PSUS,
    Move.FEWER_CARDS,
)
"""For what no plug of the PSUs is left."""
OTHER_WIRING: tuple[Change, ...] = (BETTER_WIRED_BOARD, BOARD_OF_MORE_SLOTS)
"""For cards that find no slot with the lanes of a CPU."""
COOLER_CARDS: tuple[Change, ...] = (
    Move.ARRANGE,
    Move.FASTER_FANS,
    Move.LIMIT_POWER,
    OneMore(Category.FAN),
    CASE_FAN,
    BLOWER,
    OWN_RADIATOR,
    AIRY_CASE,
    Move.PUT_ON_RISER,
    Move.FEWER_CARDS,
)
"""For cards that get too hot."""
