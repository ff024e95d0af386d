"""What the case must hold: board, cards, coolers, supplies, radiators."""

from __future__ import annotations

from core.build.build import Card, Line
from core.parts.part import Part
from core.parts.specs import CpuCoolerSpec, GpuSpec, PsuMount, RadiatorMount, RadiatorSpec
from core.parts.vocabulary import CaseKind, Category, CoolerKind, FormFactor, Place
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, card_parts, parts_of
from core.rules.words import category_words, count_of, listed, verb

_HOLDER = (Category.CASE,)
CABLE_BEND_MM = 35.0
"""What a 16-pin or 8-pin plug and its cable need above a card; builders report 18 to 40 mm."""


def _one_of_each(read: Reader, machine: Machine) -> Answer:
    for category in (Category.MOTHERBOARD, Category.CASE):
        count = machine.count(category)
        if count > 1:
            read.about(*(line.part for line in machine.lines(category)))
            message = f"The build has {count_of(count, category_words(category))}; a machine has one."
            return Answer(Status.FAIL, message, count, 1, "parts")
    return Answer(Status.PASS, "At most one motherboard and one case.", 1, 1, "parts")


def _board(read: Reader, board: Part) -> Answer:
    case = read.case
    own, held = read.all((board, "form_factor"), (case, "form_factors"))
    if own not in held:
        names = listed([*held]) if held else "no standard form factor"
        return Answer(Status.FAIL, f"{board.title} is {own}, but {case.title} holds {names}.")
    if own is FormFactor.E_ATX:
        return _wide_board(read, board, case)
    return Answer(Status.PASS, f"{board.title} is {own}, which {case.title} holds.")


def _wide_board(read: Reader, board: Part, case: Part) -> Answer:
    width, room = read.maybe(board, "width_mm"), read.maybe(case, "board_max_width_mm")
    if width is None or room is None:
        message = f"{case.title} holds E-ATX, but boards of that name are 257 to 330 mm wide: compare the widths."
        return Answer(Status.NOTE, message, width, room, "mm")
    status = Status.PASS if width <= room else Status.WARN
    message = f"{board.title} is {width:.0f} mm wide (E-ATX); {case.title} has room for {room:.0f} mm."
    return Answer(status, message, width, room, "mm")


def _length(read: Reader, card: Card) -> Answer:
    case = read.case
    length, room = read.all((card.part, "length_mm"), (case, "gpu_max_length_mm"))
    name = f"{card.part.title} is {length:.0f} mm long"
    if length > room:
        message = f"{name}; {case.title} has room for {room:.0f} mm."
        return Answer(Status.FAIL, message, length, room, "mm")
    front = any(isinstance(line.part.spec, (RadiatorSpec, CpuCoolerSpec)) for line in _with_radiators(read.machine))
    shorter = read.maybe(case, "gpu_max_length_front_radiator_mm") if front else None
    if shorter is not None and length > shorter:
        message = f"{name}; with a radiator in front {case.title} has room for {shorter:.0f} mm only."
        return Answer(Status.WARN, message, length, shorter, "mm")
    message = f"{name}; {case.title} has room for {room:.0f} mm."
    return Answer(Status.PASS, message, length, room, "mm")


def _height(read: Reader, card: Card) -> Answer:
    body = read.machine.body(card)
    read.about(card.part)
    height, room = read.all((body, "height_mm"), (read.case, "gpu_max_height_mm"))
    needed = height + CABLE_BEND_MM
    name = f"{card.part.title} is {height:.0f} mm high, {needed:.0f} mm with its plug"
    message = f"{name}; {read.case.title} has room for {room:.0f} mm."
    return Answer(Status.PASS if needed <= room else Status.WARN, message, needed, room, "mm")


def _psu_mounts(read: Reader, machine: Machine) -> Answer:
    case, count = read.case, machine.count(Category.PSU)
    mounts: list[PsuMount] = sorted(read(case, "psu_mounts"), key=lambda mount: mount.max_length_mm or 999)
    room = len(mounts)
    for line in machine.lines(Category.PSU):
        form, length = read(line.part, "form_factor"), read.maybe(line.part, "length_mm")
        for number in range(line.quantity):
            mount = next((m for m in mounts if m.form_factor is form and _as_long(m, length)), None)
            if mount is None:
                which = f"number {number + 1} of {line.part.title}" if line.quantity > 1 else line.part.title
                size = f"{form}, {length:.0f} mm" if length else str(form)
                message = f"{case.title} has no mount left for {which} ({size})."
                return Answer(Status.FAIL, message, count, room, "PSUs")
            mounts.remove(mount)
    return Answer(Status.PASS, f"{count_of(count, 'PSU')} in {case.title}.", count, room, "PSUs")


def _as_long(mount: PsuMount, length_mm: float | None) -> bool:
    """What is not known is taken to fit."""
    return mount.max_length_mm is None or length_mm is None or length_mm <= mount.max_length_mm


def _radiators(read: Reader, machine: Machine) -> Answer:
    wanted = sorted(_radiator_lengths(read, machine), key=lambda item: -item[1])
    mounts: list[RadiatorMount] = list(read(read.case, "radiator_mounts"))
    for name, length, fan in wanted:
        fitting = [m for m in mounts if m.length_mm >= length and fan in (None, m.fan_size_mm)]
        if not fitting:
            message = f"{read.case.title} has no mount left for the {length:.0f} mm radiator of {name}."
            return Answer(Status.FAIL, message, len(wanted), unit="radiators")
        used = min(fitting, key=lambda m: (m.length_mm, m.place))
        mounts.remove(used)
        if used.place is not Place.EXTERNAL:
            # Rows of the same side and another length or fan size are alternatives for the same room.
            mounts = [m for m in mounts if m.place is not used.place or _same_size(m, used)]
    finds = verb(len(wanted), "find")
    words = f"{count_of(len(wanted), 'radiator')} {finds} room in" if wanted else "All radiators stand beside"
    message = f"{words} {read.case.title}."
    return Answer(Status.PASS, message, len(wanted), unit="radiators")


def _same_size(one: RadiatorMount, other: RadiatorMount) -> bool:
    return (one.length_mm, one.fan_size_mm) == (other.length_mm, other.fan_size_mm)


def _radiator_lengths(read: Reader, machine: Machine) -> list[tuple[str, float, float | None]]:
    """Title, length and fan size in mm of every radiator that the case must hold."""
    found: list[tuple[str, float, float | None]] = []
    for line in _with_radiators(machine):
        spec = line.part.spec
        loose = spec if isinstance(spec, RadiatorSpec) else None
        length = read(line.part, "length_mm" if loose else "radiator_mm")
        if not (loose and _free_standing(loose, length)):
            found += [(line.part.title, length, loose.fan_size_mm if loose else None)] * line.quantity
    return found


def _cooled_by_water(machine: Machine) -> tuple[Machine, ...]:
    return (machine,) if _with_radiators(machine) else ()


def _with_radiators(machine: Machine) -> list[Line]:
    return [line for line in machine.build.lines if _brings_radiator(line.part)]


def _brings_radiator(part: Part) -> bool:
    spec = part.spec
    if isinstance(spec, CpuCoolerSpec):
        return spec.kind is CoolerKind.AIO
    return isinstance(spec, RadiatorSpec) or (isinstance(spec, GpuSpec) and spec.cooling == "hybrid")


def _free_standing(spec: RadiatorSpec, length: float) -> bool:
    """More fans than stand in one row: a 3 x 3 radiator stands beside the case."""
    return bool(spec.fan_positions and spec.fan_size_mm and spec.fan_positions * spec.fan_size_mm > length + 1)


def _cooler_height(read: Reader, cooler: Part) -> Answer:
    if read(cooler, "kind") is not CoolerKind.AIR:
        return Answer(Status.PASS, f"{cooler.title} is no tower cooler; its height does not matter.")
    if _is_frame(read.case) and getattr(read.case.spec, "cpu_cooler_max_height_mm", None) is None:
        read.about(read.case, cooler)
        return Answer(Status.PASS, f"{read.case.title} is open above {cooler.title}.")
    height, room = read.all((cooler, "height_mm"), (read.case, "cpu_cooler_max_height_mm"))
    message = f"{cooler.title} is {height:.0f} mm high; {read.case.title} has room for {room:.0f} mm."
    return Answer(Status.PASS if height <= room else Status.FAIL, message, height, room, "mm")


def _is_frame(case: Part) -> bool:
    return getattr(case.spec, "kind", None) is CaseKind.OPEN_FRAME


def _measured_cards(machine: Machine) -> list[Card]:
    """Open frames have no length limit worth checking unless their maker states one."""
    case = machine.case
    frame = case is not None and _is_frame(case)
    stated = case is not None and getattr(case.spec, "gpu_max_length_mm", None) is not None
    return [] if frame and not stated else list(card_parts(machine))


_CASE_SHEET = "the case maker's stated room"

CASE_RULES = (
    Rule("one-of-each", "One board, one case", "A build is one machine.", "definition", _one_of_each),
    Rule(
        "case-board",
        "Board in case",
        "The case lists the board's form factor; for E-ATX, which is not one size, the width counts.",
        f"{_CASE_SHEET}; Gamers Nexus on E-ATX",
        _board,
        (Category.MOTHERBOARD, Category.CASE),
        subjects=parts_of(Category.MOTHERBOARD),
    ),
    Rule(
        "card-length",
        "Card length",
        "Card length <= room of the case, less a radiator in front.",
        _CASE_SHEET,
        _length,
        _HOLDER,
        subjects=_measured_cards,
        nothing="No card whose length matters here.",
    ),
    Rule(
        "card-height",
        "Card height",
        "Card height + 35 mm for plug and cable <= room of the case.",
        "builders' reports of 18 to 40 mm, not confirmed",
        _height,
        _HOLDER,
        subjects=card_parts,
        nothing="No card to measure.",
        confirmed=False,
    ),
    Rule(
        "cooler-height",
        "CPU cooler height",
        "Height of an air cooler <= room of the case.",
        _CASE_SHEET,
        _cooler_height,
        (Category.CPU_COOLER, Category.CASE),
        subjects=parts_of(Category.CPU_COOLER),
    ),
    Rule(
        "psu-mounts",
        "PSU mounts",
        "Every PSU takes a mount of its form factor and length.",
        "geometry, not confirmed: adapters exist",
        _psu_mounts,
        (Category.PSU, Category.CASE),
        confirmed=False,
    ),
    Rule(
        "radiator-mounts",
        "Radiator mounts",
        "Every radiator of coolers, hybrid cards and loop takes a mount of its own; free-standing ones take none.",
        "geometry, not confirmed: thickness and neighbours are not modelled",
        _radiators,
        _HOLDER,
        subjects=_cooled_by_water,
        nothing="No radiator in the build.",
        confirmed=False,
    ),
)
