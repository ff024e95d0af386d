"""What stands around the cards in the picture from the side: fans and arrows of the air, and carriers as frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.assessment import Assessment
from core.plan.build import Build
from core.plan.line import Card, is_module
from core.plan.psus import has_own_psu
from core.plan.seats import Carrier, SlotNumber
from core.predict.airflow.airflow import FanGroup
from core.predict.airflow.flow_paths import FanRole
from core.predict.power import box_load
from core.present.picture.scene import Box, Layer, Paint, PicturedPart, SceneLine, Shape, Text
from core.words import plain, tr
from core.words.units import quantity

PAD, HEAD, GAP = 8.0, 24.0, 9.0
"""Around what lies in a frame, above it for the name, between two things."""
LOAD = 46.0
"""Under the card of a box for the load of its PSU."""
NARROWEST = 210.0
IN_ROW = 4
"""Modules side by side."""
NEARLY_FULL = 0.9
"""Of a PSU's rating; above it the load is drawn as too much."""


@dataclass(frozen=True, slots=True)
class CarrierFrame:
    """A carrier with what sits on it."""

    carrier: Carrier
    box: Box
    cards: tuple[tuple[Card, Box], ...]

    @property
    def outside(self) -> bool:
        """Whether it stands beside the case."""
        return has_own_psu(self.carrier.spec)

    @property
    def title(self) -> str:
        """C1 and its name."""
        return plain("C{number} · {name}", number=self.carrier.number, name=self.carrier.part.name)

    def moved(self, x: float, y: float) -> CarrierFrame:
        """The same with its corner there."""
        dx, dy = x - self.box.x, y - self.box.y
        cards = tuple((card, replace(box, x=box.x + dx, y=box.y + dy)) for card, box in self.cards)
        return replace(self, box=replace(self.box, x=x, y=y), cards=cards)


CardBox = Callable[[Build, Card, float, float], Box]


def frames(build: Build, card_box: CardBox) -> tuple[CarrierFrame, ...]:
    """Every carrier that holds a card or stands beside the case, all at the same corner."""
    if not build.carriers:
        return ()
    on: dict[int, list[Card]] = {}
    for card in build.cards():
        number = SlotNumber(card.slot or 0).carrier
        if number is not None:
            on.setdefault(number, []).append(card)
    return tuple(
        _frame(build, carrier, on.get(carrier.number, []), card_box)
        for carrier in build.carriers
        if carrier.number in on or has_own_psu(carrier.spec)
    )


def _frame(build: Build, carrier: Carrier, cards: Sequence[Card], card_box: CardBox) -> CarrierFrame:
    placed = tuple(_laid(build, sorted(cards, key=lambda card: card.slot or 0), card_box))
    right = max([NARROWEST, *(box.x + box.width + PAD for _, box in placed)])
    bottom = max([HEAD + PAD, *(box.y + box.height + PAD for _, box in placed)])
    if has_own_psu(carrier.spec):
        bottom += LOAD
    subject = PicturedPart(carrier.part.id, carrier.unit)
    return CarrierFrame(carrier, Box(0, 0, right, bottom, Paint.PANEL, subject, guessed=True), placed)


def _laid(build: Build, cards: Sequence[Card], card_box: CardBox) -> Iterator[tuple[Card, Box]]:
    """Modules side by side, cards one under the other."""
    x, y = PAD, HEAD
    for place, card in enumerate(cards):
        box = card_box(build, card, x, y)
        yield card, box
        if is_module(card.part) and (place + 1) % IN_ROW and place + 1 < len(cards):
            x += box.width + GAP
        else:
            x, y = PAD, y + box.height + GAP


def carrier_shapes(assessment: Assessment, placed: Sequence[CarrierFrame], board: Sequence[Shape]) -> Iterator[Shape]:
    """Their frames, where they plug in on the `board`, and what the PSU of an external box bears."""
    slots = {shape.slot: shape for shape in board if isinstance(shape, Box) and shape.slot is not None}
    for carrier in assessment.build.carriers:
        for at in (slots[host] for host in carrier.hosts if isinstance(host, int) and host in slots):
            yield Box(at.x, at.y - 4, at.width, 14, Paint.PANEL, PicturedPart(carrier.part.id, carrier.unit))
            yield Text(at.x + 4, at.y + 7, f"C{carrier.number}", 10)
    loads = {drawn.box.carrier.number: drawn for drawn in assessment.prediction.limits.boxes}
    for frame in placed:
        box, room = frame.box, frame.box.width - 2 * PAD
        yield box
        yield Text(box.x + PAD, box.y + 16, frame.title, 12, bold=True, room_mm=room)
        drawn = loads.get(frame.carrier.number)
        if drawn is None:
            continue
        words = tr("own PSU, rating unknown")
        if (load := box_load(drawn)) is not None:
            words = tr("own PSU {psu_w:.0f} W: {load}", psu_w=load.limit, load=load.words)
            yield from load_bar(load.worst_share, box.x + PAD, box.y + box.height - LOAD + 6, room)
        yield Text(box.x + PAD, box.y + box.height - 12, words, 9, room_mm=room)


def load_bar(share: float, x: float, y: float, room: float) -> Iterator[Shape]:
    """A PSU's load of its rating."""
    yield Box(x, y, room, 9, Paint.GAUGE)
    yield Box(x, y, room * min(share, 1.0), 9, Paint.OVERLOAD if share > NEARLY_FULL else Paint.LOAD)


FAN_THICK, FAN_HIGH, MOST_FANS = 25.0, 120.0, 6
"""mm; so many are drawn over each other."""
TOP = 30.0
"""Of the case, above fans and board, mm."""


def air(assessment: Assessment, case: Box) -> Iterator[Shape]:
    """Fans at the sides where their group blows, with arrows; words for what crosses the case."""
    heat = assessment.prediction.heat
    room = assessment.prediction.conditions.room_c
    crossing = heat.air.through_m3h
    coming = quantity(room, "°C")
    if crossing:
        flow = quantity(crossing.expected, crossing.unit, decimals=0)
        coming = tr("{temperature}, {flow}", temperature=coming, flow=flow)
    groups = {group.group: group for group in heat.air.groups}
    right, left = case.x + case.width, case.x
    if FanRole.INTAKE in groups:
        yield from _fans(groups[FanRole.INTAKE], right - FAN_THICK, case, Paint.INTAKE)
    out = groups.get(FanRole.EXHAUST) or groups.get(FanRole.RADIATOR)
    if out is not None:
        yield from _fans(out, left, case, Paint.EXHAUST)
    if assessment.build.lines:
        warm = quantity(heat.case_air_c.expected, "°C", decimals=0)
        yield Text(right + 6, case.y + 14, coming, 12, paint=Paint.INTAKE, layer=Layer.AIR)
        yield Text(
            left - 6,
            case.y + 14,
            tr("inside {temperature}", temperature=warm),
            12,
            "end",
            paint=Paint.EXHAUST,
            layer=Layer.AIR,
        )


def _fans(group: FanGroup, x: float, case: Box, paint: Paint) -> Iterator[Shape]:
    """As many as fit over each other; more stand behind them."""
    shown = max(min(group.count, MOST_FANS, int((case.height - TOP) // (FAN_HIGH + 8))), 1)
    gap = (case.height - TOP) / shown
    for number in range(shown):
        y = case.y + TOP + number * gap + (gap - FAN_HIGH) / 2
        yield Box(x, y, FAN_THICK, min(FAN_HIGH, gap - 4), Paint.FAN, layer=Layer.AIR)
        middle = y + FAN_HIGH / 2
        inward = paint is Paint.INTAKE
        ends = ((x + 90, middle), (x + FAN_THICK + 6, middle)) if inward else ((x - 6, middle), (x - 66, middle))
        yield SceneLine(*ends, 5, paint, Layer.AIR, arrow=True)
