"""The machine from the side where one looks in (of a rack chassis from above): rear at the left, front at the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.assessment import Assessment
from core.parts.part import Part
from core.parts.specs import GpuSpec, MotherboardSpec, PsuSpec
from core.parts.vocabulary import CaseKind, Category
from core.plan.build import Build
from core.plan.line import Card, is_card, is_module
from core.plan.placement.risers import key_of
from core.plan.water_blocks import body_of, fitted_blocks
from core.predict.thermal.heat import CardHeat
from core.present.picture.scene import PITCH_MM, Box, Layer, Paint, PicturedPart, Point, Scene, SceneLine, Shape, Text
from core.present.picture.side_details import (
    FAN_THICK,
    IN_ROW,
    NEARLY_FULL,
    TOP,
    CarrierFrame,
    air,
    carrier_shapes,
    frames,
    load_bar,
)
from core.present.picture.sizes import CPU_ZONE_MM, MODULE, Size, board_size, card_size, case_size, is_rack, psu_size
from core.words import joined, plain, tr
from core.words.units import quantity

MARGIN = 105.0
"""Beside the case, for arrows and their words."""
HEAD, FOOT, RADIATORS = 52.0, 20.0, 56.0
"""Above the case, for the title; under it; under it for radiators."""
EDGE = 18.0
"""Between the case and what is in it."""
REAR = 44.0
"""Between its rear and the board, for fans and the numbers of slots."""
COOL_C, HOT_C = 40.0, 84.0
"""Ends of the tint where a card's own target is unknown."""
FULL_GBPS = 63.0
"""Gen5 x16, drawn `WIDEST` wide."""
WIDEST, NARROWEST = 12.0, 1.5
CABLE_MM = 3.0
TWO_LINES_MM = 36.0
"""Height of a card from which its name and link have a line of their own."""
APART = " · "


@dataclass(frozen=True, slots=True)
class _Seats:
    """Where things came to lie."""

    board: Box | None
    cpus: tuple[Box, ...]
    cards: tuple[tuple[Card, Box], ...]
    modules: tuple[Box, ...]
    """GPUs that sit on a baseboard and in no slot."""
    psus: tuple[Box, ...]
    case: Box
    carriers: tuple[CarrierFrame, ...] = ()


def side_view(assessment: Assessment) -> Scene:
    """Everything of the build that has a place. Sizes that nobody states are drawn dashed at their usual size."""
    build = assessment.build
    seats = _seats(assessment)
    case = build.case
    flat = is_rack(case[1] if case else None)
    level = assessment.prediction.noise_load
    name = case[0].title if case else tr("No case yet")
    title = tr("{case}, from above", case=name) if flat else tr("{case}, from the side", case=name)
    if build.lines:
        title = tr(
            "{view}, {noise} at {distance:g} m",
            view=title,
            noise=quantity(level.expected, level.unit, decimals=0),
            distance=assessment.prediction.conditions.distance_m,
        )
    shapes: list[Shape] = [seats.case, Text(MARGIN, HEAD - 18, title, 16, bold=True)]
    shapes += air(assessment, seats.case)
    shapes += _board(build, seats)
    shapes += carrier_shapes(assessment, seats.carriers, shapes)
    shapes += _links(assessment, seats)
    shapes += _cables(assessment, seats)
    shapes += _cards(assessment, seats)
    shapes += _psus(assessment, seats)
    shapes += _beside(build, seats.case)
    foot = FOOT + (RADIATORS if build.of(Category.RADIATOR) else 0.0)
    outside = [frame.box for frame in seats.carriers if frame.outside]
    width = max([seats.case.width + 2 * MARGIN, *(box.x + box.width + EDGE for box in outside)])
    height = max([seats.case.height + HEAD, *(box.y + box.height for box in outside)])
    return Scene(title, width, height + foot, tuple(shapes))


# -- where everything lies --------------------------------------------------------------------------------------------


def _seats(assessment: Assessment) -> _Seats:
    build = assessment.build
    left, top = MARGIN + REAR, HEAD + TOP
    motherboard = build.motherboard
    size = board_size(motherboard[1]) if motherboard else Size(305.0, 305.0, True)
    board = (
        Box(left, top, size.width, size.height, Paint.BOARD, PicturedPart(motherboard[0].id), guessed=size.guessed)
        if motherboard
        else None
    )
    first = top + size.height - _rows(build) * PITCH_MM
    seated = [(card, _seat(build, card, left + 6, first)) for card in build.cards() if _on_board(card)]
    right = max([left + size.width, *(box.x + box.width for _, box in seated)])
    lowest = max([top + size.height, *(box.y + box.height for _, box in seated)])
    apart = [card for card in build.cards() if not _on_board(card) and not card.on_carrier]
    stacked = [*_stack(build, apart, right + 26, top)]
    seated += stacked
    found_frames = frames(build, _card_box)
    under = max([top, *(box.y + box.height + 9 for _, box in stacked)])
    inside = _below_each_other([frame for frame in found_frames if not frame.outside], right + 26, under)
    placed = [*(box for _, box in stacked), *(frame.box for frame in inside)]
    right = max([right, *(box.x + box.width for box in placed)])
    lowest = max([lowest, *(box.y + box.height for box in placed)])
    modules = tuple(_modules(build, right + 26, lowest if placed else top))
    right = max([right, *(box.x + box.width for box in modules)])
    lowest = max([lowest, *(box.y + box.height for box in modules)])
    psus = tuple(_psu_boxes(assessment, left, lowest + 34))
    right = max([right, *(box.x + box.width for box in psus)])
    bottom = max([lowest, *(box.y + box.height for box in psus)])
    whole = case_size(build, Size(right - MARGIN + EDGE + FAN_THICK + 12, bottom - HEAD + EDGE))
    floor = HEAD + whole.height - EDGE - bottom
    psus = tuple(replace(box, y=box.y + floor) for box in psus)
    case = build.case
    open_frame = case is None or case[1].kind is CaseKind.OPEN_FRAME
    housing = Box(
        MARGIN,
        HEAD,
        whole.width,
        whole.height,
        Paint.CASE,
        PicturedPart(case[0].id) if case else None,
        guessed=whole.guessed or open_frame,
    )
    beside = [frame for frame in found_frames if frame.outside]
    outside = _below_each_other(beside, MARGIN + whole.width + MARGIN, HEAD + TOP)
    seated += [pair for frame in (*inside, *outside) for pair in frame.cards]
    return _Seats(board, tuple(_cpus(build, board)), tuple(seated), modules, psus, housing, (*inside, *outside))


def _below_each_other(beside: Sequence[CarrierFrame], x: float, y: float) -> list[CarrierFrame]:
    placed = []
    for frame in beside:
        placed.append(frame.moved(x, y))
        y += frame.box.height + 14
    return placed


def _rows(build: Build) -> int:
    slots = [slot.position for slot in build.board_slots()]
    return max([7, *slots])


def _on_board(card: Card) -> bool:
    return card.slot is not None and not card.off_board


def _seat(build: Build, card: Card, x: float, first: float) -> Box:
    assert card.slot is not None
    return _card_box(build, card, x, first + (card.slot - 1) * PITCH_MM)


def _card_box(build: Build, card: Card, x: float, y: float) -> Box:
    size = card_size(card, body_of(card, fitted_blocks(build)))
    paint = Paint.CARD if card.slot is not None else Paint.UNPLACED
    return Box(x, y, size.width, size.height, paint, PicturedPart(card.part.id, card.number), guessed=size.guessed)


def _stack(build: Build, cards: Sequence[Card], x: float, y: float) -> Iterator[tuple[Card, Box]]:
    """Cards on risers and cards without a slot, one under the other beside the board; carriers follow them."""
    for card in cards:
        box = _card_box(build, card, x, y)
        yield card, box
        y += box.height + 9


def _modules(build: Build, x: float, y: float) -> Iterator[Box]:
    """SXM and OAM modules of the machine's own board, four in a row."""
    as_cards = {card.part.id for card in build.cards()}
    numbers = [
        PicturedPart(line.part.id, number)
        for line, _ in build.gpus()
        if not is_card(line.part) and line.part.id not in as_cards
        for number in range(1, line.quantity + 1)
    ]
    for place, subject in enumerate(numbers):
        row, column = divmod(place, IN_ROW)
        yield Box(x + column * (MODULE[0] + 10), y + row * (MODULE[1] + 10), *MODULE, Paint.CARD, subject)


def _cpus(build: Build, board: Box | None) -> Iterator[Box]:
    lines = [line for line, _ in build.cpus()]
    motherboard = build.motherboard
    if board is None or motherboard is None:
        return
    sockets = max(motherboard[1].cpu_sockets, 1)
    for number in range(sockets):
        x = board.x + board.width * (number + 1) / (sockets + 1) - 38
        subject = PicturedPart(lines[0].part.id) if lines and number < sum(line.quantity for line in lines) else None
        yield Box(x, board.y + 36, 76, 58, Paint.CHIP if subject else Paint.PANEL, subject)


def _psu_boxes(assessment: Assessment, x: float, y: float) -> Iterator[Box]:
    """Side by side on the floor, in rows of at most four."""
    build = assessment.build
    numbers = [(line, number) for line, _ in build.psus() for number in range(1, line.quantity + 1)]
    for place, (line, number) in enumerate(numbers):
        spec = line.part.spec
        assert isinstance(spec, PsuSpec)
        size = psu_size(spec)
        row, column = divmod(place, 4)
        at = PicturedPart(line.part.id, number)
        yield Box(x + column * (size.width + 14), y + row * (size.height + 12), *size[:2], Paint.PSU, at)


# -- what is drawn ----------------------------------------------------------------------------------------------------


def _board(build: Build, seats: _Seats) -> Iterator[Shape]:
    board, motherboard = seats.board, build.motherboard
    if board is None or motherboard is None:
        return
    yield board
    yield Text(board.x + 8, board.y + 16, motherboard[0].title, 12, bold=True, room_mm=board.width - 12)
    yield from _memory(build, seats, motherboard[1])
    cooler = next(iter(build.of(Category.CPU_COOLER)), None)
    for box in seats.cpus:
        if cooler is not None and box.subject is not None:
            part = PicturedPart(cooler.part.id)
            yield Box(box.x - 22, box.y - 12, box.width + 44, box.height + 24, Paint.PANEL, part)
        yield box
        line = build.line(box.subject.part_id) if box.subject else None
        words = line.part.name if line else tr("no CPU")
        yield Text(box.x + box.width / 2, box.y + 33, words, 10.5, "middle", room_mm=box.width - 4)
    first = board.y + board.height - _rows(build) * PITCH_MM
    for slot in build.board_slots():
        y = first + (slot.position - 1) * PITCH_MM
        long = {16: 89.0, 8: 56.0, 4: 39.0}.get(slot.mechanical_lanes, 25.0)
        yield Box(board.x + 46, y + 6, long, 6, Paint.SLOT, slot=slot.position)
        yield Text(board.x - 4, y + 13, str(slot.position), 11, "end", paint=Paint.QUIET)


def _memory(build: Build, seats: _Seats, spec: MotherboardSpec) -> Iterator[Shape]:
    """Modules left and right of the sockets."""
    line = next((line for line, _ in build.ram()), None)
    slots = min(spec.ram_slots or (line.quantity if line else 0), 16)
    if not slots or not seats.cpus or seats.board is None:
        return
    filled = sum(each.quantity * (ram.modules or 1) for each, ram in build.ram())
    last = seats.cpus[-1].x + seats.cpus[-1].width
    for number in range(slots):
        side, place = divmod(number, (slots + 1) // 2)
        x = seats.cpus[0].x - 34 - 9 * place if side == 0 else last + 28 + 9 * place
        present = line is not None and number < filled
        subject = PicturedPart(line.part.id) if present and line is not None else None
        if seats.board.x < x < seats.board.x + seats.board.width - 6:
            yield Box(x, seats.board.y + 26, 5, CPU_ZONE_MM - 50, Paint.RADIATOR if present else Paint.SLOT, subject)


def _cards(assessment: Assessment, seats: _Seats) -> Iterator[Shape]:
    heat = {(row.part_id, row.number): row for row in assessment.prediction.heat.cards}
    for card, box in seats.cards:
        card_heat = heat.get((card.part.id, card.number))
        yield replace(box, heat=_tint(card.part, card_heat), slot=card.slot)
        wide, name = box.width - 12, card.part.name
        two_lines = box.height > TWO_LINES_MM
        words = joined([_card_words(card, card_heat), "" if two_lines else name], APART)
        yield Text(box.x + 8, box.y + min(14.0, box.height - 5), words, 12, room_mm=wide)
        if two_lines:
            words = joined([_link_words(assessment, card), "" if is_module(card.part) else name], APART)
            yield Text(box.x + 8, box.y + 31, words, 10.5, room_mm=wide)
        if is_module(card.part):
            yield Text(box.x + 8, box.y + 48, name, 9, room_mm=wide)
    for box in seats.modules:
        subject = box.subject
        assert subject is not None
        line, card_heat = assessment.build.line(subject.part_id), heat.get((subject.part_id, subject.number or 1))
        assert line is not None
        yield replace(box, heat=_tint(line.part, card_heat))
        yield Text(box.x + 6, box.y + 18, f"GPU {subject.number}", 12, bold=True)
        yield Text(box.x + 6, box.y + 32, line.part.name, 9.5, room_mm=box.width - 8)
        warm = quantity(card_heat.temperature_c.expected, "°C", decimals=0) if card_heat else tr("temperature unknown")
        yield Text(box.x + 6, box.y + 50, warm, 11, room_mm=box.width - 8)


def _card_words(card: Card, heat: CardHeat | None) -> str:
    words = [tr("not placed") if card.slot is None else str(card.slot)]
    if card.slot is not None and card.on_riser:
        words = [tr("{slot} on riser", slot=card.slot)]
    if heat:
        warm = quantity(heat.temperature_c.expected, "°C", decimals=0)
        if heat.kept_share < NEARLY_FULL:
            warm = tr("{temperature}, throttles to {share:.0f} %", temperature=warm, share=100 * heat.kept_share)
        words.append(warm)
    return joined(words, APART)


def _link_words(assessment: Assessment, card: Card) -> str:
    link = assessment.links.get(key_of(card))
    if link is None or link.lanes is None or link.generation is None:
        return ""
    if link.lanes == 0:
        return tr("slot is off")
    speed = f"Gen{link.generation} x{link.lanes}"
    return plain("{speed}, {root}", speed=speed, root=link.root) if link.root else speed


def _tint(part: Part, heat: CardHeat | None) -> float | None:
    if heat is None or not isinstance(part.spec, GpuSpec):
        return None
    top = part.spec.temperature_target_c or HOT_C
    return min(max((heat.temperature_c.expected - COOL_C) / (top - COOL_C), 0.0), 1.0)


def _links(assessment: Assessment, seats: _Seats) -> Iterator[Shape]:
    """From the CPU to each card, as thick as they are fast; amber and dashed where something holds it back."""
    for card, box in seats.cards:
        link = assessment.links.get(key_of(card))
        if link is None or not link.gbps or not seats.cpus:
            continue
        chip = seats.cpus[min(link.slot.cpu, len(seats.cpus) - 1)]
        start: Point = (chip.x + chip.width, chip.y + chip.height / 2)
        beside = box.x > chip.x + chip.width
        end: Point = (box.x if beside else box.x + min(box.width, 240.0), box.y + box.height / 2)
        width = max(WIDEST * link.gbps / FULL_GBPS, NARROWEST)
        held = link.full_gbps is not None and link.gbps < link.full_gbps
        paint = Paint.BOTTLENECK if held else Paint.LINK
        yield SceneLine(start, end, width, paint, Layer.LINKS, bend_mm=None if beside else 70, subject=box.subject)


def _cables(assessment: Assessment, seats: _Seats) -> Iterator[Shape]:
    """One line for each card and PSU that feeds it, whatever the number of its plugs."""
    by_card = {(card.part.id, card.number): box for card, box in seats.cards}
    by_card |= {(frame.carrier.part.id, frame.carrier.unit): frame.box for frame in seats.carriers}
    pairs = sorted({(feed.psu, feed.socket.part_id, feed.socket.number) for feed in assessment.wiring.feeds})
    for psu, together in groupby(pairs, key=lambda pair: pair[0]):
        if not 1 <= psu <= len(seats.psus):
            continue
        source = seats.psus[psu - 1]
        targets = list(together)
        for number, (_, part_id, card_number) in enumerate(targets):
            box = by_card.get((part_id, card_number)) or _board_corner(seats, part_id)
            if box is None:
                continue
            x = source.x + source.width * (number + 1) / (len(targets) + 1)
            end: Point = (box.x + box.width, box.y + min(8.0, box.height / 2))
            yield SceneLine(end, (x, source.y), CABLE_MM, Paint.CABLE, Layer.POWER, bend_mm=40, subject=source.subject)


def _board_corner(seats: _Seats, part_id: str) -> Box | None:
    board = seats.board
    return board if board is not None and board.subject == PicturedPart(part_id) else None


def _psus(assessment: Assessment, seats: _Seats) -> Iterator[Shape]:
    for place, box in enumerate(seats.psus, start=1):
        yield box
        line = assessment.build.line(box.subject.part_id) if box.subject else None
        name = line.part.name if line else ""
        yield Text(
            box.x + 8,
            box.y + 18,
            joined((tr("PSU {place}", place=place), name), APART),
            12,
            bold=True,
            room_mm=box.width - 12,
        )
        load = assessment.psu_loads.get(place)
        if load is None:
            yield Text(box.x + 8, box.y + 66, tr("load unknown"), 11, paint=Paint.QUIET)
            continue
        room = box.width - 16
        yield from load_bar(load.worst_share, box.x + 8, box.y + 34, room)
        yield Text(box.x + 8, box.y + 64, load.words, 9, room_mm=room)


def _beside(build: Build, case: Box) -> Iterator[Shape]:
    """Radiators, named under the case: where they hang is not part of a build."""
    lines = build.of(Category.RADIATOR)
    x = case.x
    for line in lines:
        name = f"{line.quantity}x {line.part.title}" if line.quantity > 1 else line.part.title
        box = Box(x, case.y + case.height + 16, 210, 40, Paint.RADIATOR, PicturedPart(line.part.id))
        yield box
        yield Text(x + 8, box.y + 24, name, 11, room_mm=196)
        x += 222
