"""Room for the cards: length, what stands in front, height with the plug, what lies under them."""

from __future__ import annotations

from math import ceil

from core.parts.part import Part
from core.parts.vocabulary import CaseKind, CaseSide, Category, FormFactor
from core.plan.line import Card
from core.plan.psus import BOX_READS
from core.plan.water_blocks import BLOCK_READS
from core.rules.case import is_frame, is_makers
from core.rules.changes import (
    AIR_COOLER,
    CASE_FOR_BOARD,
    COOLER_OF_SMALLER_RADIATOR,
    SAME_CHIP,
    Fewer,
    Move,
    Swap,
    at_least,
    at_most,
    less,
    limits,
    more,
)
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.radiators import FAN_MM, PACKING_READS, packed
from core.rules.rule import Answer, Reader, Rule, Subjects, all_of, card_parts, only_if
from core.rules.slots import PLACES_READS, need_places
from core.words import clauses, listed, plain, tr, trn

RADIATOR_MM = (27.0, 60.0)
"""From the slimmest closed loops to the thickest common radiators."""
_PITCHES = {
    FormFactor.MICRO_ATX: 4,
    **dict.fromkeys((FormFactor.ATX, FormFactor.E_ATX, FormFactor.SSI_CEB, FormFactor.SSI_EEB), 7),
}
"""Slot pitches until the lower edge of a board."""
FULL_SIZE_MM = {"length_mm": 312.0, "height_mm": 111.5}
"""PCIe CEM: a full-length, full-height card, rounded up."""
_WIDTHS_MM = {
    **dict.fromkeys((FormFactor.MICRO_ATX, FormFactor.ATX), 244.0),
    FormFactor.SSI_CEB: 266.7,
    FormFactor.SSI_EEB: 330.0,
}


def _length(read: Reader, card: Card) -> Answer:
    case = read.case
    block = _block_on_all(read, card.part)
    if _is_full_size(read, card.part, "length_mm"):
        message = tr("{part} is no longer than a full-length card, which a rack case takes.", part=card.part.title)
        return Answer(Status.PASS, message)
    length, room = read.all((card.part, "length_mm"), (case, "gpu_max_length_mm"))
    fields = {"part": card.part.title, "case": case.title, "room": room}
    if length > room and block is not None:
        length = read(block, "length_mm")
        message = tr(
            "{part} is {length:.0f} mm long with its water block; {case} has room for {room:.0f} mm.",
            length=length,
            **fields,
        )
    else:
        message = tr("{part} is {length:.0f} mm long; {case} has room for {room:.0f} mm.", length=length, **fields)
    return Answer(Status.PASS if length <= room else Status.FAIL, message, length, room, "mm")


def _is_full_size(read: Reader, part: Part, field: str) -> bool:
    """Whether a card is within the standard size of cards, for which rack cases of four units are made; asked where
    the maker of a rack case states no room."""
    room = {"length_mm": "gpu_max_length_mm", "height_mm": "gpu_max_height_mm"}[field]
    if read(read.case, "kind") is not CaseKind.RACK or read.maybe(read.case, room) is not None:
        return False
    size = read.maybe(part, field)
    return size is not None and size <= FULL_SIZE_MM[field]


def _block_on_all(read: Reader, part: Part) -> Part | None:
    """The water block, where every card of a line has one in the place of its longer cooler."""
    machine = read.machine
    first = next(card for card in machine.cards if card.part is part)
    block = machine.body(first)
    return block if block is not part and machine.blocks_on(part.id) >= machine.quantity(part) else None


def _front(read: Reader, _machine: RuleContext) -> Answer:
    case = read.case
    if is_makers(read):
        return Answer(Status.PASS, tr("The maker of {case} arranged what is in front of the cards.", case=case.title))
    ahead = [radiator for radiator, mount in packed(read).placed if mount.place is CaseSide.FRONT]
    parts = [card.part for card in card_parts(read.machine)]
    if not ahead and all(_is_full_size(read, part, "length_mm") for part in parts):
        return Answer(Status.PASS, tr("No radiator in front of the full-length cards of {case}.", case=case.title))
    full, *own = read.all((case, "gpu_max_length_mm"), *((part, "length_mm") for part in parts))
    blocks = [_block_on_all(read, part) for part in parts]
    wet = [read.maybe(block, "length_mm") if block else None for block in blocks]
    lengths = [length if block is None else min(length, block) for length, block in zip(own, wet, strict=True)]
    length, card = max(zip(lengths, parts, strict=True), key=lambda pair: pair[0])
    if not ahead:
        return _front_fan(card, length, full)
    stated = read.maybe(case, "gpu_max_length_front_radiator_mm")

    def sentence(room: str) -> str:
        fields = {"card": card.title, "length": length, "case": case.title, "room": room}
        return tr("{card} is {length:.0f} mm long; behind the front radiator {case} has room for {room}.", **fields)

    if stated is not None:
        status = Status.PASS if length <= stated else Status.WARN
        return Answer(status, sentence(plain("{room:.0f} mm", room=stated)), length, stated, "mm")
    thick = [radiator.thickness_mm for radiator in ahead if radiator.thickness_mm is not None]
    thickness_known = len(thick) == len(ahead)
    least = full - (max(thick) if thickness_known else RADIATOR_MM[1]) - FAN_MM
    most = full - (max(thick) if thickness_known else RADIATOR_MM[0])
    if length <= least:
        return Answer(Status.PASS, sentence(tr("at least {least:.0f} mm", least=least)), length, least, "mm")
    if length > most:
        return Answer(Status.WARN, sentence(tr("at most {most:.0f} mm", most=most)), length, most, "mm")
    if not thickness_known:
        for radiator in ahead:
            if radiator.thickness_mm is None and radiator.thickness_field:
                read(radiator.part, radiator.thickness_field)
    fields = {"least": least, "most": most}
    room = tr("{least:.0f} to {most:.0f} mm, depending on whether its maker counted the front fans", **fields)
    return Answer(Status.NOTE, sentence(room), length, least, "mm")


def _front_fan(card: Part, length: float, full: float) -> Answer:
    spare = full - length
    if 0 <= spare < FAN_MM:
        fields = {"card": card.title, "spare": spare}
        message = tr(
            "{card} leaves {spare:.0f} mm in front: check whether the case's figure includes the front fans.", **fields
        )
        return Answer(Status.NOTE, message, spare, FAN_MM, "mm")
    return Answer(Status.PASS, tr("No radiator needs to sit in front of {card}.", card=card.title), spare, FAN_MM, "mm")


def _height(read: Reader, card: Card) -> Answer:
    """Where the case states no room for cards, its room for coolers stands in: both end at the side panel."""
    body, case = read.machine.body(card), read.case
    read.about(card.part)
    read(case, "kind")
    if read.maybe(case, "cpu_cooler_max_height_mm") is None and _is_full_size(read, body, "height_mm"):
        message = tr("{part} is no higher than a full-height card, which a rack case takes.", part=card.part.title)
        return Answer(Status.PASS, message)
    height, stated = read.maybe(body, "height_mm"), read.maybe(case, "gpu_max_height_mm")
    room = stated if stated is not None else read.maybe(case, "cpu_cooler_max_height_mm")
    height, room = (height, room) if room else read.all((body, "height_mm"), (case, "gpu_max_height_mm"))
    read(body, "height_mm")
    fields = {"part": card.part.title, "height": height, "case": case.title}
    if stated is not None and height > stated:
        message = tr("{part} is {height:.0f} mm high; {case} has room for {room:.0f} mm.", room=stated, **fields)
        return Answer(Status.FAIL, message, height, stated, "mm")
    needed = height + read.machine.build.assumptions.plug_room_mm
    name = tr("{part} is {height:.0f} mm high, {needed:.0f} mm with its plug", needed=needed, **fields)
    if stated is None:
        message = tr(
            "{name}; {case} has about as much room as for CPU coolers, {room:.0f} mm.", name=name, room=room, **fields
        )
    else:
        message = tr("{name}; {case} has room for {room:.0f} mm.", name=name, room=room, **fields)
    return Answer(Status.PASS if needed <= room else Status.WARN, message, needed, room, "mm")


def _under_cards(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    pitches = _PITCHES[read(board, "form_factor")]
    cards = _lying(machine)
    if cards:
        need_places(read)
    forms = read.each(Category.STORAGE, "form_factor")
    sentences, slots = [], set()
    status = Status.PASS
    for card in cards:
        last = (card.slot or 0) + ceil(read(machine.body(card), "width_slots")) - 1
        if last > pitches:
            fields = {"part": card.part.title, "slot": card.slot}
            sentences.append(tr("{part} in slot {slot} covers the headers at the board's lower edge", **fields))
            slots.add(card.slot or 0)
    if {"2.5 in", "3.5 in"}.intersection(forms):
        width = read.maybe(board, "width_mm") or _WIDTHS_MM.get(read(board, "form_factor")) or read(board, "width_mm")
        read.all(*((card.part, "length_mm") for card in cards))
        long = sorted({card.part.title for card in cards if read(card.part, "length_mm") >= width})
        if long:
            sentences.append(
                trn(
                    "{cards} covers the SATA ports at the board's front edge",
                    "{cards} cover the SATA ports at the board's front edge",
                    cards=listed(long),
                    count=len(long),
                )
            )
            status = Status.NOTE
    if not sentences:
        return Answer(Status.PASS, tr("The cards leave the edges of the board free for plugs."))
    message = tr("{said}: plugs there must be flat or angled.", said=clauses(sentences))
    return Answer(status, message, slots=tuple(sorted(slots)))


def _lying(machine: RuleContext) -> list[Card]:
    """The lowest GPU of each line: what sits in a slot of the board, not on a riser or carrier."""
    lowest = {card.part.id: card for card in machine.seated if not card.off_board}
    return [card for card in lowest.values() if card.part.category is Category.GPU]


def _measured_cards(machine: RuleContext) -> list[Card]:
    """Open frames have no length limit worth checking unless their maker states one."""
    case = machine.case
    stated = case is not None and getattr(case.spec, "gpu_max_length_mm", None) is not None
    return [] if case is not None and is_frame(case) and not stated else list(card_parts(machine))


def _enclosed_cards(machine: RuleContext) -> list[Card]:
    return [] if machine.case is not None and is_frame(machine.case) else list(card_parts(machine))


def _in_a_tower(machine: RuleContext) -> list[Card]:
    """A maker's own system is built around its cards."""
    kind = machine.case_kind
    return [] if kind is CaseKind.SYSTEM else _enclosed_cards(machine)


def _with_placed(machine: RuleContext) -> bool:
    """Whether cards lie on a board of a standard size; those of makers' systems are built around their cards."""
    form = getattr(machine.board.spec, "form_factor", None) if machine.board else None
    return (form is None or form in _PITCHES) and bool(_lying(machine))


_HOLDER = (Category.CASE,)
_CASE_SHEET = "the case maker's stated room"

CLEARANCE_RULES = (
    Rule(
        "card-length",
        tr("Card length"),
        tr("Length of the card, or of the water block that takes the place of its cooler, <= room of the case."),
        _CASE_SHEET,
        _length,
        _HOLDER,
        subjects=Subjects(_measured_cards, tr("No card whose length matters.")),
        reads=(
            *("gpu.length_mm", "nic.length_mm", "water_block.length_mm", "gpu.form", "case.gpu_max_length_mm"),
            *("case.kind", *BLOCK_READS, *BOX_READS),
        ),
        fixes=(
            Swap(Category.GPU, "length_mm", limits(SAME_CHIP, at_most("length_mm"))),
            Swap(Category.CASE, "gpu_max_length_mm", limits(CASE_FOR_BOARD, at_least("gpu_max_length_mm"))),
            Move.FEWER_CARDS,
        ),
    ),
    Rule(
        "card-front",
        tr("Cards behind a front radiator"),
        tr(
            "Card length <= the case's stated room behind a front radiator, else its room less radiator (27 to 60 mm) "
            "and fan (25 mm). Radiators go in front only where no other place is left."
        ),
        f"{_CASE_SHEET}; geometry, not confirmed",
        _front,
        _HOLDER,
        subjects=only_if(_enclosed_cards, tr("No card in a closed case.")),
        confirmed=False,
        reads=all_of(
            ("gpu.length_mm", "nic.length_mm", "water_block.length_mm", "gpu.form"),
            ("case.gpu_max_length_mm", "case.gpu_max_length_front_radiator_mm"),
            BLOCK_READS,
            BOX_READS,
            PACKING_READS,
        ),
        fixes=(
            Swap(Category.GPU, "length_mm", limits(SAME_CHIP, less("length_mm"))),
            COOLER_OF_SMALLER_RADIATOR,
            AIR_COOLER,
            Swap(Category.CASE, "gpu_max_length_mm", limits(CASE_FOR_BOARD, more("gpu_max_length_mm"))),
            Fewer(Category.RADIATOR),
        ),
    ),
    Rule(
        "card-height",
        tr("Card height"),
        tr(
            "The card is no higher than the room that the case's maker states; with plug and cable (assumed, 35 mm "
            "unless set) more than that only warns: angled plugs exist."
        ),
        "the case maker's stated room; builders' reports of 18 to 40 mm for the plug",
        _height,
        _HOLDER,
        subjects=Subjects(_in_a_tower, tr("No card to measure.")),
        reads=(
            *("gpu.height_mm", "nic.height_mm", "water_block.height_mm", "gpu.form"),
            *BLOCK_READS,
            *("case.gpu_max_height_mm", "case.cpu_cooler_max_height_mm", "case.kind", *BOX_READS),
        ),
        fixes=(
            Move.ANGLED_PLUGS,
            Swap(Category.CASE, "gpu_max_height_mm", limits(CASE_FOR_BOARD, at_least("gpu_max_height_mm"))),
            Swap(Category.GPU, "height_mm", limits(SAME_CHIP, less("height_mm"))),
            Swap(Category.CASE, "cpu_cooler_max_height_mm", limits(CASE_FOR_BOARD, more("cpu_cooler_max_height_mm"))),
            Move.FEWER_CARDS,
        ),
    ),
    Rule(
        "board-headers",
        tr("Headers under the cards"),
        tr(
            "A card that ends below the last slot covers the board's lower edge; one as long as the "
            "board is wide covers its front edge, which matters with SATA drives."
        ),
        "ATX boards carry front-panel, USB and SATA plugs at these edges; general knowledge, not confirmed",
        _under_cards,
        (Category.MOTHERBOARD,),
        subjects=only_if(_with_placed, tr("No card sits in a slot of the board.")),
        confirmed=False,
        gravest=Status.NOTE,
        reads=(
            *("gpu.length_mm", "gpu.width_slots", "gpu.form", "storage.form_factor", "water_block.width_slots"),
            *("motherboard.form_factor", "motherboard.width_mm", *PLACES_READS),
            *BLOCK_READS,
        ),
    ),
)
