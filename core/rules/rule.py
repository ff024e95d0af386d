"""What a rule is: the questions it asks of a machine, how it reads figures, and how it answers.

A rule that reads through its `Reader` cannot pass on silence, nor forget to say which figures it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.line import Card, is_card
from core.predict.band import Band
from core.predict.power import CONTINUOUS_SHARE, SupplyLoad
from core.rules.changes import Change
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.words import slots_listed, tr


class UnknownFigure(Exception):
    """A rule needed a figure that the part does not have. Only the engine catches it."""


class Reader:
    """Collects what one question looked at."""

    __slots__ = ("_missing", "_needed", "_parts", "_unconfirmed", "machine")

    def __init__(self, machine: RuleContext) -> None:
        self.machine = machine
        self._parts: dict[str, None] = {}
        self._unconfirmed: set[str] = set()
        self._missing: set[str] = set()
        self._needed: set[str] = set()

    def __call__(self, part: Part, field: str) -> Any:
        """A figure that the question cannot do without. Raises UnknownFigure."""
        value = self.maybe(part, field)
        if value is None:
            self._needed.add(f"{part.id}.{field}")
            raise UnknownFigure
        return value

    def all(self, *figures: tuple[Part, str]) -> list[Any]:
        """Several figures; when some are unknown, all of those are named. Raises UnknownFigure."""
        values = [self.maybe(part, field) for part, field in figures]
        if None in values:
            pairs = zip(figures, values, strict=True)
            self._needed.update(f"{part.id}.{field}" for (part, field), value in pairs if value is None)
            raise UnknownFigure
        return values

    def each(self, category: Category, field: str) -> list[Any]:
        """A figure of every kind of part of a category, as `all`."""
        return self.all(*[(line.part, field) for line in self.machine.lines(category)])

    def sum_of(self, category: Category, field: str) -> Any:
        """The sum of a figure over all parts of a category, as `all`."""
        lines = self.machine.lines(category)
        values = self.all(*[(line.part, field) for line in lines])
        return sum([value * line.quantity for value, line in zip(values, lines, strict=True)])

    def maybe(self, part: Part, field: str) -> Any:
        """A figure that the question can answer without; None if unknown."""
        value = getattr(part.spec, field)
        part_id = part.id
        self._parts[part_id] = None
        if value is None:
            self._missing.add(f"{part_id}.{field}")
            return None
        try:
            by_field, others = self.machine.confirmed[part_id]
        except KeyError:
            by_field, others = self.machine.confirmed[part_id] = part.confirmations()
        if not by_field.get(field, others):
            self._unconfirmed.add(f"{part_id}.{field}")
        return value

    def about(self, *parts: Part) -> None:
        """Parts that the answer concerns without reading a figure of theirs."""
        for part in parts:
            self._parts[part.id] = None

    def lacking(self, figures: Iterable[str]) -> None:
        """Figures ("part-id.field") for which a prediction used wide defaults."""
        self._missing.update(figures)

    def give_up(self, part: Part, field: str) -> UnknownFigure:
        """To raise when a figure is there but incomplete."""
        self._parts[part.id] = None
        self._missing.add(f"{part.id}.{field}")
        self._needed.add(f"{part.id}.{field}")
        return UnknownFigure()

    @property
    def board(self) -> Part:
        """The board. Only for rules that require one: the engine asks them of machines with a single kind."""
        assert self.machine.board is not None
        return self.machine.board

    @property
    def case(self) -> Part:
        """The case, as `board`."""
        assert self.machine.case is not None
        return self.machine.case

    def looked_at(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Ids of the parts, figures read that have no confirmed source, and figures that were unknown."""
        unconfirmed, missing = self._unconfirmed, self._missing
        parts = tuple(sorted(self._parts))
        return parts, tuple(sorted(unconfirmed)) if unconfirmed else (), tuple(sorted(missing)) if missing else ()

    @property
    def needed(self) -> tuple[str, ...]:
        """Those without which the question could not be answered."""
        return tuple(sorted(self._needed or self._missing))


S = TypeVar("S")

NOTHING = tr("Nothing in this build to check.")


ALWAYS_READ = (
    "case.sold_with",
    "system.includes",
    "system.kind",
    "carrier.host",
    "carrier.host_lanes",
    "carrier.generation",
    "carrier.seats",
    "carrier.switched",
)
"""What lies among the parts of a complete system is settled by its maker, whatever the rule; and where cards sit."""


class Subjects(NamedTuple, Generic[S]):
    """What a rule asks about."""

    each: Callable[[RuleContext], Iterable[S]]
    """What there is to ask about in a machine; may be empty."""
    nothing: str = NOTHING
    """Said when there are no subjects although the parts are there."""


def only_if(holds: Callable[[RuleContext], object], nothing: str) -> Subjects[RuleContext]:
    """The machine as one question, where this holds of it."""
    return Subjects(lambda machine: (machine,) if holds(machine) else (), nothing)


def parts_of(*categories: Category, nothing: str = NOTHING) -> Subjects[Part]:
    """One question per part of these categories."""
    return Subjects(lambda machine: [line.part for line in machine.lines(*categories)], nothing)


WHOLE = Subjects(lambda machine: (machine,))
"""The machine as one question."""
AT_WORK = only_if(lambda machine: machine.workers, tr("No GPU of the build does work."))


class Answer(NamedTuple):
    """The verdict on one question, before the engine adds rule, parts and evidence."""

    status: Status
    message: str
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    slots: tuple[int, ...] = ()
    source: str | None = None
    """Where this answer has a better source than its rule."""


@dataclass(frozen=True, slots=True)
class Rule(Generic[S]):
    """One idea. Pure: `subjects` and `judge` depend on the machine alone.

    A rule that is not `confirmed` by a source never fails a build: its FAIL becomes WARN.
    """

    id: str
    title: str
    basis: str
    source: str
    judge: Callable[[Reader, S], Answer]
    requires: tuple[Category, ...] = ()
    """Without a part of each of these there is nothing to check yet."""
    subjects: Subjects[S] = WHOLE  # type: ignore[assignment]
    predicted: bool = False
    """Judges temperatures or noise: asked only of a machine with its prediction."""
    confirmed: bool = True
    reads: tuple[str, ...] = ()
    """Every figure it may look at, "category.field", through predictions, placement and wiring, too; all rules also
    look at `ALWAYS_READ`."""
    fixes: tuple[Change, ...] = ()
    """Changes that are tried where it fails or warns, the cheapest kind first. None for a rule that tells what the
    machine is for, not what is wrong with it."""
    gravest: Status = Status.FAIL
    """WARN or NOTE for a rule that never fails a build, whatever it finds: "only what fits" need not ask it."""

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Every figure that may decide: `reads`, what each rule looks at, and what carriers plug into."""
        sockets = ("motherboard.m2", "motherboard.host_ports") if "motherboard.slots" in self.reads else ()
        return tuple(dict.fromkeys((*self.reads, *ALWAYS_READ, *sockets)))

    @property
    def can_fail(self) -> bool:
        """Whether it may fail a build."""
        return self.confirmed and self.gravest is Status.FAIL


def card_parts(machine: RuleContext) -> Iterable[Card]:
    """The first card of each line that stands in the case: questions about size, equal for all cards of a line."""
    first = (card for card in machine.cards if card.number == 1)
    if not machine.build.carriers:
        return first
    outside = machine.in_boxes
    inside = (card for card in first if outside.get(card.part.id, 0) < machine.quantity(card.part))
    return (card for card in inside if is_card(card.part))


WORST_CASE = tr("CPU and GPU at their limits at once")
"""How the electrical worst case is named in sentences."""


def for_hours(load: SupplyLoad) -> Status:
    """Of a circuit or a UPS, whose limit is what it carries for hours.

    FAIL where even the low end of the worst case is above the limit and training is expected to be; WARN where either
    may be above it.
    """
    if load.worst.low > load.limit and load.training.expected > load.limit:
        return Status.FAIL
    return Status.WARN if load.training.high > load.limit or load.worst_share > 1 else Status.PASS


def within_rating(load: SupplyLoad, *, old: bool | None) -> Status:
    """Of PSUs: FAIL where even the low end of the worst case is above the rating; WARN where the worst case is expected
    to be, or training leaves less than running for days asks for. `old` ones, not made to ATX 3, trip on the peaks of
    cards: they need that room in the worst case, too; NOTE where their age is unknown (None)."""
    if load.worst.low > load.limit:
        return Status.FAIL
    if load.worst_share > 1 or load.training_share > CONTINUOUS_SHARE:
        return Status.WARN
    if old is False or load.worst_share <= CONTINUOUS_SHARE:
        return Status.PASS
    return Status.WARN if old else Status.NOTE


def oldest(ages: Iterable[bool | None]) -> bool | None:
    """Whether one of several PSUs is `old`; None where none is known to be, but one may be."""
    each_age = list(ages)
    return any(each_age) or (None if None in each_age else False)


def span(band: Band) -> str:
    """ "1609 W (1530 to 1670)"."""
    fields = {"expected": band.expected, "unit": band.unit, "low": band.low, "high": band.high}
    return tr("{expected:.0f} {unit} ({low:.0f} to {high:.0f})", **fields)


def all_of(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """Each figure once."""
    return tuple(dict.fromkeys(figure for group in groups for figure in group))


@dataclass(frozen=True, slots=True)
class EqualCards:
    """Cards of one line for which a rule has one answer, from the top."""

    cards: tuple[Card, ...]
    slots: tuple[int, ...]
    """Their positions."""

    @property
    def part(self) -> Part:
        """The part that they all are."""
        return self.cards[0].part

    @property
    def name(self) -> str:
        """Maker X in slots 1 and 3."""
        return tr("{part} in {slots}", part=self.part.title, slots=slots_listed(self.slots))

    @property
    def count(self) -> int:
        """How many."""
        return len(self.cards)


def equal_cards(machine: RuleContext, kind: Callable[[Card], Hashable]) -> Iterable[EqualCards]:
    """Cards in slots by line and kind."""
    groups: dict[tuple[str, Hashable], list[Card]] = {}
    for card in machine.seated:
        groups.setdefault((card.part.id, kind(card)), []).append(card)
    return (EqualCards(tuple(cards), tuple([card.slot or 0 for card in cards])) for cards in groups.values())


def mounting(machine: RuleContext, card: Card) -> tuple[bool, bool, bool]:
    """Whether a card carries a water block, is on a riser, on a carrier: what its width depends on."""
    return machine.body(card) is not card.part, card.on_riser, card.on_carrier
