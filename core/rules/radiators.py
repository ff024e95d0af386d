"""Radiators: a mount for each (an exact matching), enough of them for the loop's heat, and the pump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from core.build.water_blocks import BLOCK_READS
from core.parts.part import Part
from core.parts.specs import RadiatorMount
from core.parts.vocabulary import CaseKind, Category, CoolerKind, GpuCooling, Place
from core.rules.case import is_frame, is_makers
from core.rules.changes import (
    AIR_COOLER,
    COOLER_OF_SMALLER_RADIATOR,
    OTHER_CASE,
    Add,
    Fewer,
    Move,
    OneMore,
    Swap,
    less,
    more,
)
from core.rules.context import RuleContext
from core.rules.figure_names import count_of, verb
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule

QUIET_W, FAST_W = 70.0, 175.0
"""Heat that 120 mm of radiator carries per 10 K of coolant over air, with fans at about 1000 and 1800 rpm."""
MOST_RISE_K = 20.0
"""Coolant over air in a loop that is planned well."""
SECTION_MM = 120.0
FAN_MM = 25.0
TOP_MM = 55.0
"""Radiator and fan that cases have room for above the board; general knowledge."""

_NO_LOOP = "No water loop in the build."
_NO_RADIATOR = "No radiator in the build."


@dataclass(frozen=True, slots=True)
class Radiator:
    """One radiator that the case must hold, and the field that tells its thickness."""

    part: Part
    wanted: Wanted
    thickness_field: str | None

    @property
    def thickness_mm(self) -> float | None:
        """Without fans."""
        return self.wanted.thickness_mm


@dataclass(frozen=True, slots=True)
class Packed:
    """Radiators with their mounts, and those without."""

    placed: tuple[tuple[Radiator, RadiatorMount], ...]
    left: tuple[Radiator, ...]


def packed(read: Reader) -> Packed:
    """The best packing into the case. Raises UnknownFigure where a thickness decides and is unknown."""
    radiators = _radiators(read)
    if not radiators:
        return Packed((), ())
    mounts = tuple(read(read.case, "radiator_mounts"))
    found = pack(tuple(radiator.wanted for radiator in radiators), mounts)
    vague = [radiator for radiator in radiators if radiator.thickness_mm is None and radiator.thickness_field]
    if vague and any(mount.max_thickness_mm for mount in mounts):
        thick = tuple(
            Wanted(r.wanted.length_mm, r.wanted.fan_size_mm, 99.0 if r in vague else r.thickness_mm) for r in radiators
        )
        if pack(thick, mounts).count(None) != found.count(None):
            read.all(*((radiator.part, radiator.thickness_field or "") for radiator in vague))
    pairs = list(zip(radiators, found, strict=True))
    return Packed(
        tuple((radiator, mount) for radiator, mount in pairs if mount is not None),
        tuple(radiator for radiator, mount in pairs if mount is None),
    )


def _radiators(read: Reader) -> list[Radiator]:
    """Of cooler, hybrid cards and loop; those with several rows of fans stand beside the case."""
    machine = read.machine
    found: list[Radiator] = []
    for line in machine.lines(Category.RADIATOR):
        length, fan, fans = read.all(*((line.part, f) for f in ("length_mm", "fan_size_mm", "fan_positions")))
        if fans * fan <= length + 1:
            wanted = Wanted(length, fan, read.maybe(line.part, "thickness_mm"))
            found += [Radiator(line.part, wanted, "thickness_mm")] * line.quantity
    for line in machine.lines(Category.CPU_COOLER):
        if read(line.part, "kind") is CoolerKind.AIO:
            length = read(line.part, "radiator_mm")
            wanted = Wanted(length, _fan_of(length), read.maybe(line.part, "radiator_thickness_mm"))
            found += [Radiator(line.part, wanted, "radiator_thickness_mm")] * line.quantity
    for line in machine.lines(Category.GPU):
        if read(line.part, "cooling") is GpuCooling.HYBRID:
            length = read(line.part, "radiator_mm")
            found += [Radiator(line.part, Wanted(length, _fan_of(length)), None)] * line.quantity
    return found


def _fan_of(length_mm: float) -> float:
    return 140.0 if length_mm % 140 == 0 else 120.0


def _mounts(read: Reader, machine: RuleContext) -> Answer:
    case = read.case
    if is_makers(read):
        return Answer(Status.PASS, f"The maker of {case.title} placed its radiators.")
    result = packed(read)
    count = len(result.placed) + len(result.left)
    if result.left:
        one = max(result.left, key=lambda radiator: radiator.wanted.length_mm)
        which = f"the {one.wanted.length_mm:.0f} mm radiator of {one.part.title}"
        if is_frame(case):
            return Answer(Status.NOTE, f"{which[0].upper()}{which[1:]} sits outside {case.title}.")
        longest = max((mount.length_mm for mount in read(case, "radiator_mounts")), default=0.0)
        if one.wanted.length_mm > longest:
            most = f"its longest is {longest:.0f} mm" if longest else "it has none at all"
            message = f"{case.title} has no mount for {which}: {most}."
            return Answer(Status.FAIL, message, one.wanted.length_mm, longest, "mm")
        message = f"{case.title} has no mount left for {which}."
        return Answer(Status.WARN, message, len(result.placed), count, "radiators")
    if not count:
        beside = f"All radiators stand beside {case.title}." if machine.lines(Category.RADIATOR) else _NO_RADIATOR
        return Answer(Status.PASS, beside, 0, unit="radiators")
    thick = [radiator for radiator, mount in result.placed if mount.place is Place.TOP and _is_deep(radiator, mount)]
    if thick:
        deep = (thick[0].thickness_mm or 0.0) + FAN_MM
        message = f"The radiator of {thick[0].part.title} is {deep:.0f} mm thick with its fans"
        return Answer(Status.NOTE, f"{message}: at the top it may touch the RAM.", deep, TOP_MM, "mm")
    places = sorted({mount.place for _, mount in result.placed})
    message = f"{count_of(count, 'radiator')} {verb(count, 'find')} room in {case.title}: {', '.join(places)}."
    return Answer(Status.PASS, message, count, unit="radiators")


def _is_deep(radiator: Radiator, mount: RadiatorMount) -> bool:
    return mount.max_thickness_mm is None and (radiator.thickness_mm or 0.0) + FAN_MM > TOP_MM


def _capacity(read: Reader, machine: RuleContext) -> Answer:
    heat = _loop_heat(read, machine)
    if not heat:
        return Answer(Status.PASS, _NO_LOOP)
    lines = machine.lines(Category.RADIATOR)
    if not lines:
        return _no_radiator(read, heat)
    read.all(*((line.part, field) for line in lines for field in ("fan_positions", "fan_size_mm")))
    sections = sum(
        line.quantity * read(line.part, "fan_positions") * (read(line.part, "fan_size_mm") / SECTION_MM) ** 2
        for line in lines
    )
    quiet, fast = (10 * heat / (sections * watts) for watts in (QUIET_W, FAST_W))
    load = f"{heat:.0f} W on radiators of {sections:.0f} x 120 mm, {heat / sections:.0f} W each"
    rise = f"the coolant gets {fast:.0f} K (fast fans) to {quiet:.0f} K (quiet ones) warmer than the air"
    status = Status.PASS if quiet <= MOST_RISE_K else Status.NOTE if fast <= MOST_RISE_K else Status.WARN
    measured = quiet if status is Status.PASS else fast
    return Answer(status, f"{load}: {rise}; {MOST_RISE_K:.0f} K is a usual limit.", measured, MOST_RISE_K, "K")


def _no_radiator(read: Reader, heat: float) -> Answer:
    if is_makers(read):
        return Answer(Status.PASS, "The maker of the system built the loop and its radiator.")
    return Answer(Status.WARN, f"No radiator in the build for the {heat:.0f} W of its water blocks.", heat, 0, "W")


def _loop_heat(read: Reader, machine: RuleContext) -> float:
    """Limits of all that the loop cools, W."""
    heat = 0.0
    for line in machine.lines(Category.GPU):
        wet = line.quantity if read(line.part, "cooling") is GpuCooling.WATER_BLOCK else machine.blocks_on(line.part.id)
        if wet:
            limit = line.limit_w if line.power_limit_w else read(line.part, "power_limit_w")
            heat += wet * (limit or 0.0)
    if any(kind is CoolerKind.BLOCK for kind in _cooler_kinds(read, machine)):
        heat += sum(read(line.part, "sustained_power_w") * line.quantity for line in machine.lines(Category.CPU))
    return heat


def _cooler_kinds(read: Reader, machine: RuleContext) -> list[CoolerKind]:
    """Of all CPU coolers; those of a maker's own system belong to its loop, whatever they are."""
    return [] if is_makers(read) else [read(line.part, "kind") for line in machine.lines(Category.CPU_COOLER)]


def _pump(read: Reader, machine: RuleContext) -> Answer:
    kinds = _cooler_kinds(read, machine)
    cards = read.all(*((line.part, "cooling") for line in machine.lines(Category.GPU)))
    blocks = machine.lines(Category.WATER_BLOCK)
    if not (blocks or CoolerKind.BLOCK in kinds or GpuCooling.WATER_BLOCK in cards):
        return Answer(Status.PASS, _NO_LOOP)
    pumps = machine.lines(Category.PUMP)
    read.about(*(line.part for line in (*pumps, *blocks)))
    count = machine.count(Category.PUMP)
    if count > 1:
        return Answer(Status.PASS, f"{count} pumps: the loop flows on when one fails.", count, 2, "pumps")
    if is_makers(read):
        return Answer(Status.PASS, "The maker of the system built the loop and its pump.", count, 1, "pumps")
    if count:
        return Answer(Status.NOTE, "One pump: when it fails, everything on the loop stops.", count, 2, "pumps")
    return Answer(Status.WARN, "Water blocks, but no pump in the build.", 0, 1, "pumps")


def _may_have_radiators(machine: RuleContext) -> tuple[RuleContext, ...]:
    kind = getattr(machine.case.spec, "kind", None) if machine.case else None
    hybrid = (GpuCooling.HYBRID, None)
    own = kind in (CaseKind.SYSTEM, None) or any(spec.cooling in hybrid for _, spec in machine.build.gpus())
    return (machine,) if own or machine.lines(Category.RADIATOR) or _coolers(machine, CoolerKind.AIO) else ()


def _may_have_loop(machine: RuleContext) -> tuple[RuleContext, ...]:
    wet = (GpuCooling.WATER_BLOCK, None)
    own = any(spec.cooling in wet for _, spec in machine.build.gpus())
    return (machine,) if own or machine.lines(Category.WATER_BLOCK) or _coolers(machine, CoolerKind.BLOCK) else ()


def _coolers(machine: RuleContext, kind: CoolerKind) -> bool:
    """Whether a CPU cooler is, or may be, of this kind."""
    return any(getattr(line.part.spec, "kind", None) in (kind, None) for line in machine.lines(Category.CPU_COOLER))


PACKING_READS = (
    *("radiator.length_mm", "radiator.fan_size_mm", "radiator.fan_positions", "radiator.thickness_mm"),
    *("cpu_cooler.kind", "cpu_cooler.radiator_mm", "cpu_cooler.radiator_thickness_mm"),
    *("gpu.cooling", "gpu.radiator_mm", "case.radiator_mounts", "case.kind"),
)

RADIATOR_RULES = (
    Rule(
        "radiator-mounts",
        "Radiator mounts",
        "Every radiator of coolers, hybrid cards and loop takes a mount of its own, by length, fan size and thickness; "
        "rows of one side are alternatives; those with several rows of fans stand beside the case.",
        "the case maker's list of radiators; that neighbours and tubes leave a mount free is not modelled, and so a "
        "mount that is taken only warns",
        _mounts,
        (Category.CASE,),
        subjects=_may_have_radiators,
        nothing=_NO_RADIATOR,
        reads=PACKING_READS,
        fixes=(
            Swap(Category.RADIATOR, "length_mm", less("length_mm")),
            COOLER_OF_SMALLER_RADIATOR,
            AIR_COOLER,
            OTHER_CASE,
            Fewer(Category.RADIATOR),
        ),
    ),
    Rule(
        "radiator-capacity",
        "Radiators for the loop's heat",
        "Coolant over air = heat / (120 mm sections x 7 to 17.5 W/K); a 140 mm fan counts 1.36 sections.",
        "EK, radiator performance (175 W per 10 K and section at 1800 rpm); the limit of 20 K is not confirmed",
        _capacity,
        subjects=_may_have_loop,
        nothing=_NO_LOOP,
        confirmed=False,
        reads=(
            *("radiator.fan_positions", "radiator.fan_size_mm", "gpu.power_limit_w", "cpu.sustained_power_w"),
            *("cpu_cooler.kind", "case.kind"),
            *BLOCK_READS,
        ),
        fixes=(
            Move.LIMIT_POWER,
            OneMore(Category.RADIATOR),
            Swap(Category.RADIATOR, "length_mm", more("length_mm")),
            Add(Category.RADIATOR, "length_mm"),
            Move.FEWER_CARDS,
        ),
    ),
    Rule(
        "loop-pump",
        "Pump of the loop",
        "A loop needs a pump; the only one is a single point of failure.",
        "definition",
        _pump,
        subjects=_may_have_loop,
        nothing=_NO_LOOP,
        gravest=Status.WARN,
        reads=("gpu.cooling", "cpu_cooler.kind", "case.kind"),
        fixes=(OneMore(Category.PUMP), Add(Category.PUMP)),
    ),
)


BESIDE_CARDS = (Place.FRONT, Place.BOTTOM)
"""Sides where a radiator takes room from the cards or the supply: used last."""

Sizes = dict[Place, set[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a radiator needs, mm; an unknown fan size or thickness (None) is taken to suit."""

    length_mm: float
    fan_size_mm: float | None = None
    thickness_mm: float | None = None


@lru_cache(maxsize=512)
def pack(wanted: tuple[Wanted, ...], mounts: tuple[RadiatorMount, ...]) -> tuple[RadiatorMount | None, ...]:
    """The mount of each radiator, in order; None for those that find none, as few as can be.

    A mount takes one radiator that is not longer, of its fan size, and not thicker than stated. Rows of one side with
    another length or fan size are alternatives for the same room, so that each side uses rows of one size. Among the
    best, the first that keeps front and bottom free.
    """
    best: tuple[RadiatorMount | None, ...] = (None,) * len(wanted)
    for free in ((*BESIDE_CARDS,), (Place.FRONT,), (Place.BOTTOM,), ()):
        for chosen in _choices(row for row in mounts if row.place not in free):
            found = _match(wanted, chosen)
            if found.count(None) < best.count(None):
                best = found
            if None not in best:
                return best
    return best


def _choices(mounts: Iterable[RadiatorMount]) -> Iterator[list[RadiatorMount]]:
    """The rows that can be used together: for each side, those of one size."""
    rows = list(mounts)
    sizes: Sizes = {}
    for row in rows:
        if row.place is not Place.EXTERNAL:
            sizes.setdefault(row.place, set()).add(_size(row))
    places = sorted(sizes)
    for picked in product(*(sorted(sizes[place], reverse=True) for place in places)):
        active = dict(zip(places, picked, strict=True))
        yield [row for row in rows if active.get(row.place, _size(row)) == _size(row)]


def _size(row: RadiatorMount) -> tuple[float, float]:
    return row.length_mm, row.fan_size_mm


def _match(wanted: tuple[Wanted, ...], mounts: list[RadiatorMount]) -> tuple[RadiatorMount | None, ...]:
    """A largest matching by augmenting paths."""
    holder: dict[int, int] = {}
    suits = [sorted((i for i, row in enumerate(mounts) if _suits(one, row)), key=lambda i: _size(mounts[i]))
             for one in wanted]  # fmt: skip

    def place(one: int, seen: set[int]) -> bool:
        for mount in suits[one]:
            if mount in seen:
                continue
            seen.add(mount)
            if mount not in holder or place(holder[mount], seen):
                holder[mount] = one
                return True
        return False

    for one in range(len(wanted)):
        place(one, set())
    of = {one: mounts[mount] for mount, one in holder.items()}
    return tuple(of.get(one) for one in range(len(wanted)))


def _suits(one: Wanted, row: RadiatorMount) -> bool:
    thin_enough = row.max_thickness_mm is None or (one.thickness_mm or 0.0) <= row.max_thickness_mm
    return one.length_mm <= row.length_mm and one.fan_size_mm in (None, row.fan_size_mm) and thin_enough
