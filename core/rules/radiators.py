"""Radiators: a mount for each (an exact matching), enough of them for the loop's heat, and the pump."""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.part import Part
from core.parts.specs import RadiatorMount
from core.parts.vocabulary import CaseKind, CaseSide, Category, CoolerKind, GpuCooling
from core.plan.missing import still_missing
from core.plan.water_blocks import BLOCK_READS
from core.rules import changes
from core.rules.case import is_frame, is_makers
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.radiator_packing import Wanted, pack
from core.rules.rule import Answer, Reader, Rule, only_if
from core.words import enumerated, tr, trn

QUIET_W, FAST_W = 70.0, 175.0
"""Heat that 120 mm of radiator carries per 10 K of coolant over air, with fans at about 1000 and 1800 rpm."""
MOST_W = 280.0
"""The same with fans of 3000 rpm: 110 m³/h, of which the fins heat three quarters up to the coolant's temperature."""
MOST_RISE_K = 20.0
"""Coolant over air in a loop that is planned well."""
UNBEARABLE_RISE_K = 40.0
"""Coolant of 60 °C, which pumps and tubing are made for at most, over the air of a cool room of 20 °C."""
SECTION_MM = 120.0
FAN_MM = 25.0
TOP_MM = 55.0
"""Radiator and fan that cases have room for above the board; general knowledge."""

_NO_LOOP = tr("No water loop in the build.")
_NO_RADIATOR = tr("No radiator in the build.")


@dataclass(frozen=True, slots=True)
class Radiator:
    """One radiator that the case must hold, and the field that tells its thickness."""

    part: Part
    needs: Wanted
    thickness_field: str | None

    @property
    def thickness_mm(self) -> float | None:
        """Without fans."""
        return self.needs.thickness_mm


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
    matching = pack(tuple(radiator.needs for radiator in radiators), mounts)
    vague = [radiator for radiator in radiators if radiator.thickness_mm is None and radiator.thickness_field]
    if vague and any(mount.max_thickness_mm for mount in mounts):
        thick = tuple(
            Wanted(r.needs.length_mm, r.needs.fan_size_mm, 99.0 if r in vague else r.thickness_mm) for r in radiators
        )
        if pack(thick, mounts).count(None) != matching.count(None):
            read.all(*((radiator.part, radiator.thickness_field or "") for radiator in vague))
    pairs = list(zip(radiators, matching, strict=True))
    return Packed(
        tuple((radiator, mount) for radiator, mount in pairs if mount is not None),
        tuple(radiator for radiator, mount in pairs if mount is None),
    )


def _radiators(read: Reader) -> list[Radiator]:
    """Of cooler, hybrid cards and loop; those with several rows of fans stand beside the case."""
    machine = read.machine
    radiators: list[Radiator] = []
    for line in machine.lines(Category.RADIATOR):
        length, fan, fans = read.all(*((line.part, f) for f in ("length_mm", "fan_size_mm", "fan_positions")))
        if fans * fan <= length + 1:
            size = Wanted(length, fan, read.maybe(line.part, "thickness_mm"))
            radiators += [Radiator(line.part, size, "thickness_mm")] * line.quantity
    for line in machine.lines(Category.CPU_COOLER):
        if read(line.part, "kind") is CoolerKind.AIO:
            length = read(line.part, "radiator_mm")
            size = Wanted(length, _fan_of(length), read.maybe(line.part, "radiator_thickness_mm"))
            radiators += [Radiator(line.part, size, "radiator_thickness_mm")] * line.quantity
    for line in machine.lines(Category.GPU):
        if read(line.part, "cooling") is GpuCooling.HYBRID:
            outside = machine.in_boxes.get(line.part.id, 0)
            if outside < line.quantity:
                length = read(line.part, "radiator_mm")
                radiators += [Radiator(line.part, Wanted(length, _fan_of(length)), None)] * (line.quantity - outside)
    return radiators


def _fan_of(length_mm: float) -> float:
    return 140.0 if length_mm % 140 == 0 else 120.0


def _mounts(read: Reader, machine: RuleContext) -> Answer:
    case = read.case
    if is_makers(read):
        return Answer(Status.PASS, tr("The maker of {case} placed its radiators.", case=case.title))
    result = packed(read)
    count = len(result.placed) + len(result.left)
    if result.left:
        one = max(result.left, key=lambda radiator: radiator.needs.length_mm)
        which = tr("the {length:.0f} mm radiator of {part}", length=one.needs.length_mm, part=one.part.title)
        if is_frame(case):
            fields: dict[str, object] = {"length": one.needs.length_mm, "part": one.part.title, "case": case.title}
            message = tr("The {length:.0f} mm radiator of {part} sits outside {case}.", **fields)
            return Answer(Status.NOTE, message)
        longest = max((mount.length_mm for mount in read(case, "radiator_mounts")), default=0.0)
        if one.needs.length_mm > longest:
            most = tr("its longest is {longest:.0f} mm", longest=longest) if longest else tr("it has none at all")
            message = tr("{case} has no mount for {which}: {most}.", case=case.title, which=which, most=most)
            return Answer(Status.FAIL, message, one.needs.length_mm, longest, "mm")
        needed, room = _lengths(result, tuple(read(case, "radiator_mounts")))
        if needed > room:
            fields = {"needed": needed, "case": case.title, "room": room, "which": which}
            message = tr(
                "{needed:.0f} mm of radiators, but the sides of {case} take {room:.0f} mm in all: no mount is left for "
                "{which}.",
                **fields,
            )
            return Answer(Status.FAIL, message, needed, room, "mm")
        message = tr("{case} has no mount left for {which}.", case=case.title, which=which)
        return Answer(Status.WARN, message, len(result.placed), count, "radiators")
    if not count:
        outside = machine.lines(Category.RADIATOR)
        beside = tr("All radiators sit outside {case}.", case=case.title) if outside else _NO_RADIATOR
        return Answer(Status.PASS, beside, 0, unit="radiators")
    thick = [
        radiator
        for radiator, mount in result.placed
        if mount.place is CaseSide.TOP
        and mount.max_thickness_mm is None
        and (radiator.thickness_mm or 0.0) + FAN_MM > TOP_MM
    ]
    if thick:
        deep = (thick[0].thickness_mm or 0.0) + FAN_MM
        fields = {"part": thick[0].part.title, "deep": deep}
        message = tr(
            "The radiator of {part} is {deep:.0f} mm thick with its fans: at the top it may touch the RAM.", **fields
        )
        return Answer(Status.NOTE, message, deep, TOP_MM, "mm")
    places = sorted({mount.place for _, mount in result.placed})
    fields = {"count": count, "case": case.title, "places": enumerated([place.label for place in places])}
    message = trn("{count} radiator fits in {case}: {places}.", "{count} radiators fit in {case}: {places}.", **fields)
    return Answer(Status.PASS, message, count, unit="radiators")


def _lengths(result: Packed, mounts: tuple[RadiatorMount, ...]) -> tuple[float, float]:
    """Of all radiators together, and of the longest row of each side: several short radiators may share a row."""
    radiators = (*(radiator for radiator, _ in result.placed), *result.left)
    longest: dict[CaseSide, float] = {}
    for mount in mounts:
        longest[mount.place] = max(mount.length_mm, longest.get(mount.place, 0.0))
    return sum(radiator.needs.length_mm for radiator in radiators), sum(longest.values())


def _capacity(read: Reader, machine: RuleContext) -> Answer:
    heat = _loop_heat(read, machine)
    if not heat:
        return Answer(Status.PASS, _NO_LOOP)
    lines = machine.lines(Category.RADIATOR)
    if not lines:
        if is_makers(read):
            return Answer(Status.PASS, tr("The maker of the system built the loop and its radiator."))
        message = tr("No radiator in the build for the {heat:.0f} W of its water blocks.", heat=heat)
        return Answer(Status.WARN, message, heat, 0, "W")
    read.all(*((line.part, field) for line in lines for field in ("fan_positions", "fan_size_mm")))
    sections = sum(
        line.quantity * read(line.part, "fan_positions") * (read(line.part, "fan_size_mm") / SECTION_MM) ** 2
        for line in lines
    )
    quiet, fast = (10 * heat / (sections * watts) for watts in (QUIET_W, FAST_W))
    fields: dict[str, object] = {"heat": heat, "sections": sections, "each": heat / sections}
    load = tr("{heat:.0f} W on radiators of {sections:.0f} x 120 mm, {each:.0f} W each", **fields)
    least = 10 * heat / (sections * MOST_W)
    if least > UNBEARABLE_RISE_K:
        fields = {"load": load, "least": least, "limit_k": UNBEARABLE_RISE_K}
        message = tr(
            "{load}: even with fans of 3000 rpm the coolant gets {least:.0f} K warmer than the air; pumps and tubing "
            "bear {limit_k:.0f} K, 60 °C in a cool room.",
            **fields,
        )
        return Answer(Status.FAIL, message, least, UNBEARABLE_RISE_K, "K")
    fields = {"fast": fast, "quiet": quiet}
    rise = tr("the coolant gets {fast:.0f} K (fast fans) to {quiet:.0f} K (quiet ones) warmer than the air", **fields)
    status = Status.PASS if quiet <= MOST_RISE_K else Status.NOTE if fast <= MOST_RISE_K else Status.WARN
    measured = quiet if status is Status.PASS else fast
    message = tr("{load}: {rise}; {limit_k:.0f} K is a usual limit.", load=load, rise=rise, limit_k=MOST_RISE_K)
    return Answer(status, message, measured, MOST_RISE_K, "K")


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
    cards = read.each(Category.GPU, "cooling")
    blocks = machine.lines(Category.WATER_BLOCK)
    if not (blocks or CoolerKind.BLOCK in kinds or GpuCooling.WATER_BLOCK in cards):
        return Answer(Status.PASS, _NO_LOOP)
    pumps = machine.lines(Category.PUMP)
    read.about(*(line.part for line in (*pumps, *blocks)))
    count = machine.count(Category.PUMP)
    if count > 1:
        message = tr("{number} pumps: the loop keeps flowing when one fails.", number=count)
        return Answer(Status.PASS, message, count, 2, "pumps")
    if is_makers(read):
        return Answer(Status.PASS, tr("The maker of the system built the loop and its pump."), count, 1, "pumps")
    if count:
        return Answer(Status.NOTE, tr("One pump: when it fails, everything on the loop stops."), count, 2, "pumps")
    if not machine.lines(Category.RADIATOR):
        nothing = tr("Water blocks, but neither a pump nor a radiator in the build: nothing takes their heat.")
        # Whoever still plans may choose the loop last.
        planned = not still_missing(machine.build)
        return Answer(Status.FAIL if planned else Status.WARN, nothing, 0, 1, "pumps")
    return Answer(Status.WARN, tr("Water blocks, but no pump in the build."), 0, 1, "pumps")


def _may_have_radiators(machine: RuleContext) -> bool:
    kind = machine.case_kind
    hybrid = (GpuCooling.HYBRID, None)
    own = kind in (CaseKind.SYSTEM, None) or any(spec.cooling in hybrid for _, spec in machine.build.gpus())
    return own or bool(machine.lines(Category.RADIATOR)) or _coolers(machine, CoolerKind.AIO)


def _may_have_loop(machine: RuleContext) -> bool:
    wet = (GpuCooling.WATER_BLOCK, None)
    own = any(spec.cooling in wet for _, spec in machine.build.gpus())
    return own or bool(machine.lines(Category.WATER_BLOCK)) or _coolers(machine, CoolerKind.BLOCK)


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
        tr("Radiator mounts"),
        tr(
            "Every radiator of coolers, hybrid cards and loop needs a mount of its own, by length, fan size and "
            "thickness; rows of one side are alternatives; those with several rows of fans go outside the case."
        ),
        "the case maker's list of radiators; where they do not fit one a row, but their lengths would, only a WARN",
        _mounts,
        (Category.CASE,),
        subjects=only_if(_may_have_radiators, _NO_RADIATOR),
        reads=(*PACKING_READS, "gpu.form", "carrier.kind", "carrier.psu_w"),
        fixes=(
            changes.Swap(Category.RADIATOR, "length_mm", changes.less("length_mm")),
            changes.COOLER_OF_SMALLER_RADIATOR,
            changes.AIR_COOLER,
            changes.OTHER_CASE,
            changes.Fewer(Category.RADIATOR),
        ),
    ),
    Rule(
        "radiator-capacity",
        tr("Radiator capacity"),
        tr(
            "Coolant over air = heat / (120 mm sections x 7 to 17.5 W/K, 28 W/K at 3000 rpm); a 140 mm fan counts 1.36 "
            "sections. Pumps and tubing take coolant of 60 °C."
        ),
        "EK, radiator performance (175 W per 10 K and section at 1800 rpm); the usual limit of 20 K is not confirmed",
        _capacity,
        subjects=only_if(_may_have_loop, _NO_LOOP),
        reads=(
            *("radiator.fan_positions", "radiator.fan_size_mm", "gpu.power_limit_w", "cpu.sustained_power_w"),
            *("cpu_cooler.kind", "case.kind"),
            *BLOCK_READS,
        ),
        fixes=(
            changes.Move.LIMIT_POWER,
            changes.OneMore(Category.RADIATOR),
            changes.Swap(Category.RADIATOR, "length_mm", changes.more("length_mm")),
            changes.Add(Category.RADIATOR, "length_mm"),
            changes.Move.FEWER_CARDS,
        ),
    ),
    Rule(
        "loop-pump",
        tr("Loop pump"),
        tr("A loop needs a radiator and a pump; the only pump is a single point of failure."),
        "definition",
        _pump,
        subjects=only_if(_may_have_loop, _NO_LOOP),
        reads=("gpu.cooling", "cpu_cooler.kind", "case.kind"),
        fixes=(changes.OneMore(Category.PUMP), changes.Add(Category.PUMP)),
    ),
)
