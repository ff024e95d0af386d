"""What a picture of a machine consists of: shapes in mm, each with what it stands for, before anybody draws it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from core.words import Worded, tr

PITCH_MM = 20.32
"""0.8 in between slots: ATX and PCIe CEM."""
WIDEST_CARD_MM = 400.0
"""How far to the right of a slot a card may be dropped on it."""
Point = tuple[float, float]
"""x to the right, y downwards, mm."""


class Layer(Worded):
    """What can be shown or left out."""

    meaning: str

    MACHINE = "machine", "", ""
    HEAT = "heat", tr("Heat"), tr("Tints each card by its predicted temperature in training")
    AIR = "air", tr("Air"), tr("Fans, where air enters and leaves, and how much")
    POWER = "power", tr("Cables"), tr("Which PSU powers which card")
    LINKS = "links", tr("Links"), tr("PCIe links, as thick as they are fast; amber dashes where they are held back")


class Paint(StrEnum):
    """What something is, which decides its colours."""

    CASE = "case"
    PANEL = "panel"
    BOARD = "board"
    CHIP = "chip"
    SLOT = "slot"
    CARD = "card"
    UNPLACED = "unplaced"
    PSU = "psu"
    FAN = "fan"
    RADIATOR = "radiator"
    GAUGE = "gauge"
    LOAD = "load"
    OVERLOAD = "overload"
    INTAKE = "intake"
    EXHAUST = "exhaust"
    CABLE = "cable"
    LINK = "link"
    BOTTLENECK = "bottleneck"
    INK = "ink"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class PicturedPart:
    """The part that a shape stands for; `number` tells cards and PSUs of one line apart."""

    part_id: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle. `heat` from 0 (cool) to 1 (at the temperature where the card throttles) tints it; None: unknown."""

    x: float
    y: float
    width: float
    height: float
    paint: Paint
    subject: PicturedPart | None = None
    layer: Layer = Layer.MACHINE
    heat: float | None = None
    guessed: bool = False
    """Its size is not known: its edge is dashed."""
    slot: int | None = None
    """The board's slot that it is, or that the card sits in."""

    def holds(self, point: Point) -> bool:
        """Whether a point lies in it."""
        return self.x <= point[0] <= self.x + self.width and self.y <= point[1] <= self.y + self.height


@dataclass(frozen=True, slots=True)
class Text:
    """One line of words from its left end, its middle or its right end; cut where it is longer than `room_mm`."""

    x: float
    y: float
    words: str
    size_mm: float = 9.0
    anchor: str = "start"
    bold: bool = False
    paint: Paint = Paint.INK
    layer: Layer = Layer.MACHINE
    room_mm: float | None = None


@dataclass(frozen=True, slots=True)
class SceneLine:
    """From one point to another: a curve that leaves and arrives horizontally, or straight, perhaps with an arrow."""

    start: Point
    end: Point
    width_mm: float
    paint: Paint
    layer: Layer
    bend_mm: float | None = 0.0
    """How far it swings to the right of both ends; 0: a straight line; None: an S from one end to the other."""
    arrow: bool = False
    subject: PicturedPart | None = None


Shape = Box | Text | SceneLine


@dataclass(frozen=True, slots=True)
class Scene:
    """Shapes from back to front on a sheet that begins at 0, 0."""

    title: str
    width_mm: float
    height_mm: float
    shapes: tuple[Shape, ...] = field(default=())

    def subject_at(self, point: Point) -> PicturedPart | None:
        """What stands for a part under a point, the front one first."""
        boxes = (shape for shape in reversed(self.shapes) if isinstance(shape, Box) and shape.subject is not None)
        return next((box.subject for box in boxes if box.holds(point)), None)

    def card_at(self, point: Point) -> Box | None:
        """The card in a slot under a point."""
        cards = (shape for shape in reversed(self.shapes) if isinstance(shape, Box) and shape.subject is not None)
        return next((card for card in cards if card.slot is not None and card.holds(point)), None)

    def slot_at(self, point: Point) -> int | None:
        """The slot in whose pitch a point lies, along all of its row."""
        rows = [shape for shape in self.shapes if isinstance(shape, Box) and shape.slot is not None]
        slots = [row for row in rows if row.subject is None and abs(point[1] - row.y - row.height / 2) <= PITCH_MM / 2]
        return next((row.slot for row in slots if row.x - PITCH_MM * 3 <= point[0] <= row.x + WIDEST_CARD_MM), None)

    def part_ids(self) -> tuple[str, ...]:
        """The parts that are drawn, from the top."""
        boxes = [shape for shape in self.shapes if isinstance(shape, Box) and shape.subject is not None]
        ordered = sorted(boxes, key=lambda box: (box.y, box.x))
        return tuple(dict.fromkeys(box.subject.part_id for box in ordered if box.subject is not None))

    def words_on(self, part_id: str) -> tuple[str, ...]:
        """What is written on a part, from the top; nothing of the case, in which everything lies."""
        cases = [box for box in self.boxes_of(part_id) if box.paint is Paint.CASE]
        texts = [shape for shape in self.shapes if isinstance(shape, Text)] if not cases else []
        on_it = [text for text in texts if (at := self.subject_at((text.x, text.y))) and at.part_id == part_id]
        return tuple(text.words for text in sorted(on_it, key=lambda text: (text.y, text.x)))

    def boxes_of(self, part_id: str) -> tuple[Box, ...]:
        """Where a part is drawn."""
        boxes = (shape for shape in self.shapes if isinstance(shape, Box) and shape.subject is not None)
        return tuple(box for box in boxes if box.subject is not None and box.subject.part_id == part_id)
