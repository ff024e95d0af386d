"""A machine of the search: its parts as a build with seated cards, and what it reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log

from core.find.bounds import card_count
from core.find.candidates import CATEGORIES, Choice, hashable
from core.find.tables import Chosen
from core.find.wish import Wish
from core.parts.chips import one_chip
from core.parts.part import Condition, Part
from core.parts.specs import GpuSpec, MotherboardSpec
from core.parts.vocabulary import Category
from core.plan.budget import Budget
from core.plan.build import Build
from core.plan.line import Line
from core.plan.placement.best import best_placement
from core.predict.band import Band
from core.predict.noise.noise import NOISE_READS
from core.predict.prediction import Prediction, predict
from core.predict.speed.card_speed import card_rate, power_share
from core.predict.speed.speed import predict_speed
from core.predict.thermal.heat import Heat
from core.words import tr

ALIKE = 1.01
"""Speeds within so much of each other count as equal: the cheaper machine is the better one then."""
OUTLINE = frozenset(
    {"length_mm", "height_mm", "thickness_mm", "bracket_slots", "mass_g", "boxed_adapter", "discontinued"}
)
"""Figures of a card that decide where it fits, and neither its heat nor its speed."""
AIR_FIGURES = {
    whose: tuple(sorted({name.partition(".")[2] for name in NOISE_READS if name.startswith(f"{whose}.")}))
    for whose in (Category.GPU, Category.MOTHERBOARD, Category.CASE)
}
"""Figures of cards, board and case that heat and noise of the cards come from."""
MOST_REMEMBERED = 20_000
"""Predictions that are kept, some kB each."""
HALF_DB = 0.5
"""Levels within it count as equal: nobody hears a difference."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A complete machine that holds, with the figures that it was chosen by."""

    build: Build
    choices: tuple[Choice, ...]
    rate: float
    """Samples a second: as expected, at the low end where figures of the cards are unknown."""
    noise_dba: float | None
    """The high end in training; None where nobody asks for it."""

    @property
    def cents(self) -> int:
        """All parts together."""
        return sum(choice.cents for choice in self.choices)


def base_build(wish: Wish) -> Build:
    """The build without parts: mains, budget, condition."""
    return Build(
        str(tr("New build")),
        region=wish.region,
        other_loads_w=(0.0,) * wish.circuits,
        condition=Condition.NEW,
        budget=Budget(wish.money, wish.currency) if wish.money else None,
    )


def speed_step(rate: float) -> int:
    """A whole number that is equal for speeds that are alike."""
    return floor(log(rate) / log(ALIKE))


class Machines:
    """Makes builds of choices; remembers how cards are seated and how fast they are where nothing else differs."""

    def __init__(self, wish: Wish, base: Build) -> None:
        self._wish, self._base = wish, base
        self._seats: dict[object, tuple[int, ...] | None] = {}
        self._rates: dict[object, float] = {}
        self._bodies: dict[str, object] = {}
        self._beside: dict[str, object] = {}
        self._latest: tuple[Chosen, Prediction] | None = None
        self._warmth: dict[object, Prediction] = {}
        self._levels: dict[object, float] = {}
        self._on_first: dict[str, Line] = {}

    def build(self, chosen: Chosen, cards: Line | None = None) -> Build:
        """The chosen parts, with the cards of `cards` where they are seated.

        Until its CPUs are chosen each slot of a board counts as if its CPU were there.
        """
        lines = [chosen[category].line for category in CATEGORIES if category in chosen]
        if cards is not None:
            lines[0] = cards
        board = chosen.get(Category.MOTHERBOARD)
        if board is not None and board.spec.cpu_sockets > 1 and Category.CPU not in chosen:
            lines = [self._on_one_cpu(line) if line.part is board.part else line for line in lines]
        return self._base.with_lines(tuple(lines))

    def _on_one_cpu(self, board: Line) -> Line:
        """The board with all its slots wired to the first CPU."""
        one = self._on_first.get(board.part.id)
        if one is None:
            spec = board.part.spec
            assert isinstance(spec, MotherboardSpec)
            slots = tuple(slot.model_copy(update={"cpu": 0}) for slot in spec.slots or ())
            part = board.part.model_copy(update={"spec": spec.model_copy(update={"slots": slots})})
            one = self._on_first[board.part.id] = replace(board, part=part)
        return one

    def seated(self, chosen: Chosen) -> Line | None:
        """The cards in the best slots that board, CPU, drive and case leave, as far as chosen; None if one has none."""
        cards = chosen[Category.GPU]
        spec, line = cards.spec, cards.line
        body = spec.width_slots, spec.bracket_slots, spec.pcie_lanes, spec.pcie_generation, spec.cooling, line.quantity
        others = tuple(_seat_key(category, chosen[category]) for category in _SEATING if category in chosen)
        key = body, others
        if key not in self._seats:
            placement = best_placement(
                self.build({c: one for c, one in chosen.items() if c in (Category.GPU, *_SEATING)})
            )
            complete = placement is not None and placement.complete
            self._seats[key] = placement.slots[line.part.id] if placement is not None and complete else None
        slots = self._seats[key]
        return None if slots is None else replace(line, slots=slots)

    def alone(self, cards: Choice) -> float:
        """The speed that cards would have if nothing held them back."""
        key = cards.part.id, cards.line.power_limit_w
        if key not in self._rates:
            share = power_share(cards.line.limit_w, cards.spec.power_limit_w)
            rate = card_rate(one_chip(cards.part), self._wish.network, share).rate
            self._rates[key] = self._cautious(rate, cards.part)
        return self._rates[key] * card_count(cards)

    def cool(self, chosen: Chosen, cards: Line) -> float:
        """The speed of seated cards that stay cool, beside what is chosen of board, CPU and RAM."""
        beside = (Category.MOTHERBOARD, Category.CPU, Category.RAM)
        key = "cool", self._key(cards, [chosen[category] for category in beside if category in chosen])
        if key not in self._rates:
            some = {category: chosen[category] for category in (Category.GPU, *beside) if category in chosen}
            self._rates[key] = self._rate(self.build(some, cards), None)
        return self._rates[key]

    def warm(self, chosen: Chosen, cards: Line) -> float:
        """The speed of seated cards as warm as they get by themselves on a board, in the case if it is chosen."""
        beside = [chosen[category] for category in (Category.MOTHERBOARD, Category.CASE) if category in chosen]
        key = "warm", self._key(cards, beside)
        if key not in self._rates:
            some = {category: chosen[category] for category in ORDER_OF_HEAT if category in chosen}
            self._rates[key] = self._rate(self.build(some, cards), self._settled(some, cards).heat)
        return self._rates[key]

    def _key(self, cards: Line, beside: Sequence[Choice]) -> object:
        """The same for cards that differ in their outline alone: heat and speed do not go by it."""
        return self._body(cards), *(one.label for one in beside)

    def _body(self, cards: Line) -> object:
        part = cards.part
        if part.id not in self._bodies:
            figures = (getattr(part.spec, name) for name in GpuSpec.model_fields if name not in OUTLINE)
            self._bodies[part.id] = tuple(hashable(figure) for figure in figures)
        return self._bodies[part.id], cards.quantity, cards.power_limit_w, cards.slots

    def noise(self, chosen: Chosen, cards: Line | None) -> float:
        """The high end of the level in training, of cards, board and case alone, as far as chosen."""
        some = {category: chosen[category] for category in ORDER_OF_HEAT if category in chosen}
        line = some[Category.GPU].line if cards is None else cards
        key = self._figures_of_air(some[Category.GPU]), line.quantity, line.power_limit_w, line.slots, self._air(some)
        if key not in self._levels:
            self._levels[key] = self._settled(some, line).noise_load.high
        return self._levels[key]

    def so_far(self, chosen: Chosen, cards: Line) -> Prediction:
        """What is predicted of the chosen parts alone."""
        if set(chosen) <= {*ORDER_OF_HEAT}:
            return self._settled(chosen, cards)
        if self._latest is None or self._latest[0] is not chosen:
            self._latest = chosen, predict(self.build(chosen, cards), self._wish.conditions)
        return self._latest[1]

    def sound(self, cards: Choice) -> object:
        """The same for cards that are as loud as each other everywhere."""
        return self._figures_of_air(cards), cards.line.quantity, cards.line.power_limit_w

    def _settled(self, some: Chosen, cards: Line) -> Prediction:
        """A prediction for `some` parts whose heat and noise are theirs: that of the first that agree in all figures
        which these come from."""
        key = cards.part.id, self._body(cards), self._air(some)
        prediction = self._warmth.get(key)
        if prediction is None:
            if len(self._warmth) >= MOST_REMEMBERED:
                self._warmth.clear()
            prediction = self._warmth[key] = predict(self.build(some, cards), self._wish.conditions)
        return prediction

    def _air(self, some: Chosen) -> object:
        """What heat and noise of cards come from, of the parts beside them."""
        return tuple([self._figures_of_air(some[category]) for category in _BESIDE_CARDS if category in some])

    def _figures_of_air(self, choice: Choice) -> object:
        figures = self._beside.get(choice.part.id)
        if figures is None:
            spec = choice.spec
            read = (hashable(getattr(spec, name)) for name in AIR_FIGURES[choice.part.category])
            figures = self._beside[choice.part.id] = tuple(read)
        return figures

    def rate(self, prediction: Prediction) -> float:
        """The speed of a complete machine, as warm as its cards get; 0 where it cannot be predicted."""
        return self._rate(prediction.build, prediction.heat)

    def _rate(self, build: Build, heat: Heat | None) -> float:
        network = self._wish.network
        rate = predict_speed(build, heat, (network,), guide=None).of(network).rate
        return self._cautious(rate, build.of(Category.GPU)[0].part)

    def _cautious(self, rate: Band | None, card: Part) -> float:
        """As expected; at the low end where figures lack that say how fast the card computes."""
        if rate is None:
            return 0.0
        return rate.low if card_rate(one_chip(card), self._wish.network).missing else rate.expected


ORDER_OF_HEAT = (Category.GPU, Category.MOTHERBOARD, Category.CASE)
"""What `Machines.warm` looks at."""
_BESIDE_CARDS = (Category.MOTHERBOARD, Category.CASE)
_SEATING = (Category.MOTHERBOARD, Category.CPU, Category.STORAGE, Category.CASE)


def _seat_key(category: Category, choice: Choice) -> object:
    spec = choice.spec
    match category:
        case Category.CPU:
            return choice.line.quantity, spec.pcie_lanes, spec.pcie_generation
        case Category.STORAGE:
            return spec.kind, spec.form_factor, spec.pcie_generation, spec.pcie_lanes
        case Category.CASE:
            return spec.kind, spec.expansion_slots, spec.slot_offset
    return choice.part.id


Labels = tuple[str, ...]
Key = tuple[int, float, int, int, Labels]
"""What is compared, the smaller the better: the objective, cents, unknown figures, age of the oldest price, labels."""


def key_of(primary: int, cents: float, choices: Sequence[Choice]) -> Key:
    """Of a machine, or of all machines that begin with these choices, if `primary` and `cents` are bounds of theirs."""
    unknown = sum(choice.unknown for choice in choices)
    oldest = min(choice.since.toordinal() for choice in choices)
    return primary, cents, unknown, -oldest, tuple(choice.label for choice in choices)


def by_category(order: Sequence[Category], choices: Sequence[Choice]) -> Mapping[Category, Choice]:
    """The choices under their categories."""
    return dict(zip(order, choices, strict=False))
