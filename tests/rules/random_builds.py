"""Builds that nobody planned: shipped parts put together at random, some figures forgotten."""

from random import Random

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line, is_card
from core.plan.mains import CIRCUITS
from tests.shipped import shipped_of

ONE = (Category.MOTHERBOARD, Category.CASE, Category.CPU_COOLER)
SOMETIMES = (
    *(Category.FAN, Category.RADIATOR, Category.PUMP, Category.WATER_BLOCK, Category.RISER, Category.NVLINK_BRIDGE),
    *(Category.NIC, Category.UPS, Category.PDU, Category.CABLE, Category.SYSTEM),
)


def random_build(random: Random) -> Build:
    """One to three kinds of card on some board, with most of what a machine needs; seldom a good one."""
    cards = [random.choice(shipped_of(Category.GPU)) for _ in range(random.choice((1, 1, 2)))]
    others = [
        random.choice(shipped_of(category))
        for category in Category
        if category not in (*SOMETIMES, Category.GPU) and random.random() < 0.93
    ]
    extra = [random.choice(shipped_of(category)) for category in SOMETIMES if random.random() < 0.25]
    parts = {part.id: part for part in (*cards, *others, *extra)}
    positions = random.sample(range(1, 9), 8)
    lines = tuple(_line(random, part, positions) for part in parts.values())
    return Build(
        name="random",
        lines=lines,
        region=random.choice(CIRCUITS).id,
        other_loads_w=tuple(random.choice((0.0, 0.0, 400.0)) for _ in range(random.choice((1, 1, 2)))),
    )


def _line(random: Random, part: Part, positions: list[int]) -> Line:
    most = 4 if part.category in (Category.GPU, Category.RAM) else 2
    quantity = 1 if part.category in ONE else random.choice((1, 1, most, random.randint(1, most)))
    if not is_card(part):
        return Line(part, quantity)
    slots = tuple(positions.pop() for _ in range(quantity) if positions and random.random() < 0.9)
    risers = tuple(slot for slot in slots if random.random() < 0.15)
    limit = random.choice((None, None, None, 200.0)) if part.category is Category.GPU else None
    return Line(part, quantity, slots, risers, limit)


def forgetful(random: Random, build: Build, count: int) -> Build:
    """The build with some figures unknown."""
    lines = list(build.lines)
    for _ in range(count):
        at = random.randrange(len(lines))
        spec = lines[at].part.spec
        stated = [
            name for name, field in type(spec).model_fields.items() if field.default is None and getattr(spec, name)
        ]
        if stated:
            blank = spec.model_copy(update={random.choice(stated): None})
            part = lines[at].part.model_copy(update={"spec": blank})
            lines[at] = Line(part, lines[at].quantity, lines[at].slots, lines[at].risers, lines[at].power_limit_w)
    return build.with_lines(tuple(lines))
