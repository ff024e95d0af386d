"""What the case must hold: the board, the CPU cooler, the PSUs, heavy cards."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.query import Filter
from core.parts.specs import GpuSpec, PsuMount, PsuSpec
from core.parts.vocabulary import CaseKind, Category, CoolerKind, FormFactor, PsuFormFactor
from core.plan.build import Build
from core.plan.line import Line, is_card
from core.plan.psus import BOX_READS
from core.rules.changes import (
    BOARD_FOR_CPU,
    CASE_FOR_BOARD,
    COOLER_FOR_CPU,
    OTHER_CASE,
    SAME_CHIP,
    Fewer,
    Swap,
    at_least,
    at_most,
    like_the,
    limits,
    no_less,
    one_of,
)
from core.rules.context import RuleContext
from core.rules.finding import Finding, Status
from core.rules.rule import Answer, Reader, Rule, Subjects, only_if, parts_of
from core.words import listed, plain, tr, trc, trn

USUAL_PSU_MM = 200.0
"""A mount without a stated length is taken for PSUs up to this, the length of common 1600 W units; longer ones are
to be measured."""
LONG_PSU_MM, LARGE_CASE_SLOTS = 225.0, 8
"""Cases for large boards take the longest common units of 1600 W."""
_WITH_BRACKET = (PsuFormFactor.SFX, PsuFormFactor.SFX_L)
"""Units that are sold with, or for, a bracket that fills the mount of an ATX unit."""
_SSI_WIDTH_MM = {FormFactor.SSI_EEB: 330.0, FormFactor.SSI_CEB: 266.7}


def is_frame(case: Part) -> bool:
    """Whether the machine stands open: no panel ends a card, a cooler or a radiator."""
    return getattr(case.spec, "kind", None) is CaseKind.OPEN_FRAME


def is_makers(read: Reader) -> bool:
    """Whether the case is that of a complete system: what belongs into it, its maker has fitted."""
    case = read.machine.case
    return case is not None and read(case, "kind") is CaseKind.SYSTEM


def _one_of_each(read: Reader, machine: RuleContext) -> Answer:
    for category in (Category.MOTHERBOARD, Category.CASE):
        count = machine.count(category)
        if count > 1:
            read.about(*(line.part for line in machine.lines(category)))
            message = tr("The build has {number} cases; a machine has one.", number=count)
            if category is Category.MOTHERBOARD:
                message = tr("The build has {number} motherboards; a machine has one.", number=count)
            return Answer(Status.FAIL, message)
    return Answer(Status.PASS, tr("At most one motherboard and one case."))


def _board(read: Reader, board: Part) -> Answer:
    case = read.case
    own, held = read.all((board, "form_factor"), (case, "form_factors"))
    if own not in held:
        names = listed([form.label for form in held]) if held else tr("no standard form factor")
        fields = {"board": board.title, "own": own.label, "case": case.title, "names": names}
        if own is FormFactor.SSI_CEB and FormFactor.E_ATX in held:
            message = tr(
                "{board} is {own}, which {case} does not list ({names}); most of its holes are those of "
                "ATX, but one or two standoffs may be missing or in the way.",
                **fields,
            )
            return Answer(Status.WARN, message)
        if is_frame(case):
            message = tr("{board} is {own}, which {case} does not list ({names}): compare the standoffs.", **fields)
            return Answer(Status.WARN, message)
        return Answer(Status.FAIL, tr("{board} is {own}, but {case} supports {names}.", **fields))
    if own is FormFactor.E_ATX:
        return _wide_board(read, board, case, held)
    message = tr("{board} is {own}, which {case} supports.", board=board.title, own=own.label, case=case.title)
    return Answer(Status.PASS, message)


def _wide_board(read: Reader, board: Part, case: Part, held: tuple[FormFactor, ...]) -> Answer:
    """E-ATX is not one size; a case made for SSI boards has room for theirs at least."""
    width, stated = read.maybe(board, "width_mm"), read.maybe(case, "board_max_width_mm")
    room = stated or max((_SSI_WIDTH_MM.get(form, 0.0) for form in held), default=0.0) or None
    if width is None or room is None:
        message = tr(
            "{case} supports E-ATX, but boards of that name are 257 to 330 mm wide: compare the widths.",
            case=case.title,
        )
        return Answer(Status.NOTE, message, width, room, "mm")
    status = Status.PASS if width <= room else Status.WARN
    fields = {"board": board.title, "width": width, "case": case.title, "room": room}
    message = tr("{board} is {width:.0f} mm wide (E-ATX); {case} has room for {room:.0f} mm.", **fields)
    return Answer(status, message, width, room, "mm")


def _cooler_height(read: Reader, cooler: Part) -> Answer:
    if read(cooler, "kind") is not CoolerKind.AIR:
        message = tr("{cooler} is not a tower cooler; its height does not matter.", cooler=cooler.title)
        return Answer(Status.PASS, message)
    if is_frame(read.case) and getattr(read.case.spec, "cpu_cooler_max_height_mm", None) is None:
        read.about(read.case, cooler)
        return Answer(Status.PASS, tr("{case} is open above {cooler}.", case=read.case.title, cooler=cooler.title))
    height, room = read.all((cooler, "height_mm"), (read.case, "cpu_cooler_max_height_mm"))
    fields = {"cooler": cooler.title, "height": height, "case": read.case.title, "room": room}
    message = tr("{cooler} is {height:.0f} mm high; {case} has room for {room:.0f} mm.", **fields)
    return Answer(Status.PASS if height <= room else Status.FAIL, message, height, room, "mm")


def _psu_mounts(read: Reader, machine: RuleContext) -> Answer:
    case, lines = read.case, machine.lines(Category.PSU)
    count = machine.count(Category.PSU)
    read.all((case, "psu_mounts"), *((line.part, "form_factor") for line in lines))
    mounts: list[PsuMount] = sorted(read(case, "psu_mounts"), key=_most_mm)
    room, tight = len(mounts), None
    for line in lines:
        form, length = read(line.part, "form_factor"), read.maybe(line.part, "length_mm")
        for number in range(line.quantity):
            fitting = [m for m in mounts if m.form_factor is form and (length or 0.0) <= _most_mm(m)]
            if not fitting:
                which = number + 1 if line.quantity > 1 else None
                return _no_mount(case, line.part, which, mounts)._replace(measured=count, limit=room, unit="PSUs")
            if fitting[0].max_length_mm is not None or form is PsuFormFactor.ATX:
                length = read(line.part, "length_mm")
            usual = LONG_PSU_MM if (read.maybe(case, "expansion_slots") or 0) >= LARGE_CASE_SLOTS else USUAL_PSU_MM
            if fitting[0].max_length_mm is None and (length or 0.0) > usual:
                tight = line.part, length or 0.0
            mounts.remove(fitting[0])
    if tight:
        psu, length = tight
        if is_frame(case):
            return Answer(Status.PASS, tr("{psu} has no wall behind it in {case}.", psu=psu.title, case=case.title))
        fields = {"psu": psu.title, "length": length, "case": case.title}
        message = tr("{psu} is {length:.0f} mm long and {case} states no limit: measure, plugs included.", **fields)
        return Answer(Status.NOTE, message, length, USUAL_PSU_MM, "mm")
    message = tr("{psus} in {case}.", psus=trn("{count} PSU", "{count} PSUs", count=count), case=case.title)
    return Answer(Status.PASS, message)


def _no_mount(case: Part, psu: Part, number: int | None, free: list[PsuMount]) -> Answer:
    assert isinstance(psu.spec, PsuSpec)
    form, length = psu.spec.form_factor, psu.spec.length_mm
    size = plain("{form}", form=form) if not length else plain("{form}, {length:.0f} mm", form=form, length=length)
    if is_frame(case):
        fields = {"number": number, "psu": psu.title, "size": size, "case": case.title}
        message = tr("Number {number} of {psu} ({size}) sits outside {case}: tie it down.", **fields)
        if number is None:
            message = tr("{psu} ({size}) sits outside {case}: tie it down.", psu=psu.title, size=size, case=case.title)
        return Answer(Status.NOTE, message)
    which = psu.title if number is None else tr("number {number} of {psu}", number=number, psu=psu.title)
    which = plain("{which} ({size})", which=which, size=size)
    if form in _WITH_BRACKET and any(mount.form_factor is PsuFormFactor.ATX for mount in free):
        message = tr("{which} needs an adapter bracket in the ATX mount of {case}.", which=which, case=case.title)
        return Answer(Status.WARN, message)
    if form not in (PsuFormFactor.ATX, *_WITH_BRACKET):
        fields = {"case": case.title, "which": which}
        message = tr("{case} has no mount for {which}: it sits outside, tied down and out of reach.", **fields)
        return Answer(Status.WARN, message)
    return Answer(Status.FAIL, tr("{case} has no mount left for {which}.", case=case.title, which=which))


def _most_mm(mount: PsuMount) -> float:
    return mount.max_length_mm or 999.0


_CASE_SHEET = "the case maker's stated room"


CASE_OF_MORE_MOUNTS = Swap(
    Category.CASE, "psu_mount_count", limits(CASE_FOR_BOARD, no_less("expansion_slots"), at_least("psu_mount_count"))
)


def _of_the_mounts(build: Build, _: Finding, __: Line) -> tuple[Filter, ...]:
    """PSUs of a form that the case has a mount for."""
    case = build.case
    forms = sorted({mount.form_factor.value for mount in (case[1].psu_mounts or ())}) if case else []
    return (Filter("form_factor", tuple(forms)),) if forms else ()


CASE_RULES = (
    Rule(
        "one-of-each",
        tr("One board, one case"),
        tr("A build is one machine."),
        "definition",
        _one_of_each,
        fixes=(Fewer(Category.MOTHERBOARD), Fewer(Category.CASE)),
    ),
    Rule(
        "case-board",
        tr("Board in case"),
        tr(
            "The case lists the board's form factor; for E-ATX, which is not one size, the width "
            "counts. An SSI-EEB board (330 mm) has a different hole pattern from E-ATX; SSI-CEB (267 "
            "mm) shares most of ATX. An open frame has no wall that limits a board."
        ),
        f"{_CASE_SHEET}; Gamers Nexus on E-ATX; Corsair, SSI-EEB and CEB motherboards explained",
        _board,
        (Category.MOTHERBOARD, Category.CASE),
        subjects=parts_of(Category.MOTHERBOARD),
        reads=(
            *("motherboard.form_factor", "motherboard.width_mm"),
            *("case.form_factors", "case.board_max_width_mm", "case.kind"),
        ),
        fixes=(
            OTHER_CASE,
            Swap(Category.CASE, "expansion_slots", CASE_FOR_BOARD),
            Swap(
                Category.MOTHERBOARD,
                "x16_slots",
                limits(BOARD_FOR_CPU, like_the(Category.CASE, form_factor="form_factors")),
            ),
        ),
    ),
    Rule(
        "cooler-height",
        tr("CPU cooler height"),
        tr("Height of an air cooler <= room of the case."),
        _CASE_SHEET,
        _cooler_height,
        (Category.CPU_COOLER, Category.CASE),
        subjects=parts_of(Category.CPU_COOLER),
        reads=("cpu_cooler.kind", "cpu_cooler.height_mm", "case.kind", "case.cpu_cooler_max_height_mm"),
        fixes=(
            Swap(Category.CPU_COOLER, "height_mm", limits(COOLER_FOR_CPU, at_most("height_mm"))),
            Swap(
                Category.CASE, "cpu_cooler_max_height_mm", limits(CASE_FOR_BOARD, at_least("cpu_cooler_max_height_mm"))
            ),
            Swap(Category.CPU_COOLER, "radiator_mm", limits(COOLER_FOR_CPU, one_of("kind", "aio"))),
        ),
    ),
    Rule(
        "psu-mounts",
        tr("PSU mounts"),
        tr("Every PSU needs a mount for its form factor and length; next to an open frame it may stand loose."),
        "the case maker's list of mounts; a smaller unit takes a bracket, one for a server's slot stands outside",
        _psu_mounts,
        (Category.PSU, Category.CASE),
        reads=("psu.form_factor", "psu.length_mm", "case.psu_mounts", "case.kind", "case.expansion_slots"),
        fixes=(
            Swap(Category.PSU, "power_w", limits(no_less("power_w"), _of_the_mounts)),
            CASE_OF_MORE_MOUNTS,
            OTHER_CASE,
            Fewer(Category.PSU),
        ),
    ),
)


HEAVY_G, VERY_HEAVY_G = 1000.0, 1500.0
"""From here on a card that is held at its bracket alone sags, a little or visibly; general practice, not confirmed."""
DENSITY_G_PER_L = (570.0, 970.0)
"""Mass over length x height x width of seven cards whose mass is known, 1.2 to 2.4 kg."""
PITCH_MM = 20.32
GRAVITY = 9.81


def _mass(read: Reader, line: Line) -> Answer:
    read(read.case, "kind")
    part, name = line.part, line.part.title
    mass = read.maybe(part, "mass_g")
    if mass is not None:
        torque = _moment_nm(read, line, mass)
        each = tr("{name} weighs {mass:.1f} kg", name=name, mass=mass / 1000)
        if mass <= HEAVY_G:
            return Answer(Status.PASS, tr("{each}.", each=each), mass, HEAVY_G, "g")
        advice = (
            tr("brace the far end; the slot alone lets it sag") if mass > VERY_HEAVY_G else tr("a brace keeps it level")
        )
        if (number := _in_case(read, line)) > 1 and torque:
            each = tr("{each} and {number} of them pull with {torque:.1f} Nm", each=each, number=number, torque=torque)
        message = tr("{each}: {advice}.", each=each, advice=advice)
        return Answer(Status.WARN if mass > VERY_HEAVY_G else Status.PASS, message, mass, VERY_HEAVY_G, "g")
    length, height, width = read.all(*((part, field) for field in ("length_mm", "height_mm", "width_slots")))
    litres = length * height * width * PITCH_MM / 1e6
    low, high = (density * litres for density in DENSITY_G_PER_L)
    fields = {"name": name, "low": low / 1000, "high": high / 1000}
    each = tr("{name} is likely to weigh {low:.1f} to {high:.1f} kg by its size", **fields)
    if (low + high) / 2 <= VERY_HEAVY_G:
        return Answer(Status.PASS, tr("{each}.", each=each), (low + high) / 2, VERY_HEAVY_G, "g")
    message = tr("{each}: plan a brace for its far end.", each=each)
    return Answer(Status.NOTE, message, (low + high) / 2, VERY_HEAVY_G, "g")


def _moment_nm(read: Reader, line: Line, mass_g: float) -> float | None:
    """All cards of the line, held at the bracket, with their mass halfway along."""
    length = read.maybe(line.part, "length_mm")
    return None if length is None else _in_case(read, line) * mass_g / 1000 * GRAVITY * length / 2000


def _in_case(read: Reader, line: Line) -> int:
    return line.quantity - read.machine.in_boxes.get(line.part.id, 0)


def _transport(read: Reader, machine: RuleContext) -> Answer:
    on_risers = [card for card in machine.placed if card.off_board]
    if on_risers:
        read.about(*{card.part.id: card.part for card in on_risers}.values())
        read.about(*(line.part for line in machine.lines(Category.RISER, Category.CARRIER)))
        count = len(on_risers)
        slots = tuple(card.slot or 0 for card in on_risers)
        message = trn(
            "{count} card stands away from the board: take it out before transport.",
            "{count} cards stand away from the board: take them out before transport.",
            count=count,
        )
        return Answer(Status.NOTE, message, count, 0, "cards", slots)
    if machine.case and is_frame(machine.case):
        read.about(machine.case)
        message = tr("{case} is open: take the cards out before the machine travels.", case=machine.case.title)
        return Answer(Status.PASS, message)
    return Answer(Status.PASS, tr("Every card sits in a slot of the board, in a closed case."))


def _unsupported(machine: RuleContext) -> list[Line]:
    """Lines of cards that lie in a tower; a rack or a maker's system holds its cards at both ends."""
    kind = machine.case_kind
    if kind in (CaseKind.RACK, CaseKind.SYSTEM, CaseKind.OPEN_FRAME):
        return []
    lines, outside = [line for line in machine.lines(Category.GPU) if is_card(line.part)], machine.in_boxes
    return [line for line in lines if outside.get(line.part.id, 0) < line.quantity] if outside else lines


def _with_cards(machine: RuleContext) -> bool:
    return any(isinstance(card.part.spec, GpuSpec) for card in machine.cards)


MASS_RULES = (
    Rule(
        "card-mass",
        tr("Card weight"),
        tr(
            "A card above 1 kg benefits from a brace, above 1.5 kg it needs one. Without a stated "
            "mass: 0.57 to 0.97 kg per litre of its outline."
        ),
        "builders' practice, not confirmed; outline of seven cards with stated mass",
        _mass,
        (Category.CASE,),
        subjects=Subjects(_unsupported, tr("No card held only by its bracket.")),
        confirmed=False,
        reads=(
            *("gpu.mass_g", "gpu.length_mm", "gpu.height_mm", "gpu.width_slots", "gpu.form", "case.kind"),
            *BOX_READS,
        ),
        fixes=(Swap(Category.GPU, "mass_g", limits(SAME_CHIP, at_most("mass_g"))),),
    ),
    Rule(
        "transport",
        trc("moving the machine", "Transport"),
        tr("Cards on risers and in open frames do not survive shocks."),
        "Lambda on extenders in its workstations",
        _transport,
        subjects=only_if(_with_cards, tr("No card in the build.")),
        gravest=Status.NOTE,
        reads=("case.kind", "gpu.form"),
    ),
)
